"""One learner on one stream, compiled."""
