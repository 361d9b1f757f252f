"""The benchmark: a learner without prior knowledge against rivals that were told, or tuned."""
