"""What votes prove: intervals that hold whenever somebody looks, and when a poll is decided."""
