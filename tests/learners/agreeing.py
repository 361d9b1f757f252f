"""Playing a learner and its slow transcription side by side, with the same random numbers."""

from __future__ import annotations

import os

import numpy as np

from driftduel.learners.base import learner_generator

COMPILED = not os.environ.get("NUMBA_DISABLE_JIT")


def random_matrix(rng, n_arms):
    """A matrix with certain wins, ties and anything between."""
    upper = np.triu(rng.choice([0.0, 0.2, 0.5, 0.9, 1.0, rng.random()], (n_arms, n_arms)), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2


def random_outcome(rng, chance):
    """A win or a loss, and now and then a tie."""
    return 0.5 if rng.random() < 0.1 else float(rng.random() < chance)


def agree(learner, naive, rng, n_rounds):
    """Play both and compare the pairs; the world changes twice. Returns the pairs."""
    worlds = [random_matrix(rng, learner.n_arms) for _ in range(3)]
    pairs = []
    expected = next(naive)
    for n in range(n_rounds):
        duel = learner.ask()
        pairs.append((duel.left, duel.right))
        assert pairs[-1] == expected, f"round {n}"
        outcome = random_outcome(rng, worlds[3 * n // n_rounds][duel.left, duel.right])
        learner.tell(duel, outcome)
        expected = naive.send(outcome)
    return pairs


def numbers_of(learner):
    """The random numbers that a learner will draw, from the first."""
    return learner_generator(learner.seed).random
