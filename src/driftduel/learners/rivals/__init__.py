"""Learners of the literature and baselines, a file a family."""
