"""What is said of votes: `standing` is the one record, `text` words it, `parts` render it."""
