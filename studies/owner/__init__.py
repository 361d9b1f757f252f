"""An owner looks at polls for three weeks: what the page says each time, and whether it is true."""
