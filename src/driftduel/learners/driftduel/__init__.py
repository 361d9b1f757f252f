"""The library's own learners, for real horizons."""
