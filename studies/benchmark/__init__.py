"""The benchmark: a learner that is told nothing against rivals that were told, or tuned."""
