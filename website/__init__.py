"""The site of the documentation: `python -m website build`, and `check` opens it in chromium."""
