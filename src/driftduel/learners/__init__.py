"""Who plays: the learners."""
