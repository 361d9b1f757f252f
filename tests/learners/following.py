"""Driving a learner and its slow oracle side by side with the same random numbers."""

from __future__ import annotations

import numpy as np

from driftduel.learners.base import learner_generator


def follow(learner, oracle_of, *args, seed, n_rounds=400, delay=0.0, changes=0.004):
    """Ask both for each duel and tell both the same; yield the oracle after each round.

    Outcomes come at once, or with ``delay`` above 0 late and in any order. The oracle is made by
    ``oracle_of(*args, rng)`` with the numbers that `Learner.start` gets. Preferences are drawn
    anew in a share ``changes`` of all rounds.
    """
    rng = learner_generator(learner.seed)
    oracle = oracle_of(*args, rng)
    script = np.random.default_rng(seed)
    ties = script.random() * 0.3
    matrix = random_matrix(script, learner.n_arms)
    waiting = []
    for t in range(n_rounds):
        if script.random() < changes:
            matrix = random_matrix(script, learner.n_arms)
        duel = learner.ask()
        assert (duel.left, duel.right) == tuple(oracle.pair(rng)), f"round {t}"
        waiting.append(duel)
        while waiting and script.random() >= delay:
            told = waiting.pop(script.integers(len(waiting)))
            won = float(script.random() < matrix[told.left, told.right])
            outcome = 0.5 if script.random() < ties else won
            learner.tell(told, outcome)
            oracle.tell(told.left, told.right, outcome, rng)
        yield oracle
    assert learner.session.rng.bit_generator.state == rng.bit_generator.state


def random_matrix(rng, n_arms):
    """Clear and less clear preferences; a winner may or may not exist."""
    upper = np.triu(rng.choice([0.0, 0.2, 0.5, 0.8, 0.9, 1.0], (n_arms, n_arms)), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
