"""A learner and its slow transcription, played side by side on a world full of surprises."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftduel import simulate
from driftduel.learners.base import learner_generator
from tests.learners.problems import random_world


def generator_of(learner):
    """Return a generator that gives the numbers that the learner's own gives."""
    return learner_generator(learner.seed)


def side_by_side(learner, oracle, seed, n_asks, *, propensity=True, rel=1e-8):
    """Play both; outcomes are ties one time in ten, come late, out of order, or never.

    The pairs must be equal in every round and the propensities equal up to rounding, which the
    feedback of chances into estimates may magnify. Return the largest divided by the smallest.
    """
    script = np.random.default_rng([seed, 77])
    world = random_world(script, learner.n_arms, n_asks)
    waiting = []
    seen = []
    for matrix in world:
        duel = learner.ask()
        left, right, asked = oracle.ask()
        assert (duel.left, duel.right) == (left, right), f"after {learner.rounds} rounds"
        if propensity:
            assert duel.propensity == pytest.approx(float(np.prod(asked)), rel=rel)
            seen.append(duel.propensity)
        else:
            assert duel.propensity is None
        if script.random() < 0.95:
            waiting.append((duel, left, right, asked))
        while waiting and (script.random() < 0.7 or len(waiting) > 5):
            duel, left, right, asked = waiting.pop(script.integers(len(waiting)))
            tie = script.random() < 0.1
            outcome = 0.5 if tie else float(script.random() < matrix[left, right])
            learner.tell(duel, outcome)
            oracle.tell(left, right, asked, outcome)
    assert learner.rounds > n_asks // 2
    return max(seen) / min(seen) if seen else math.nan


def last_regret(learner, stream, seed, since=0.0):
    """Return the regret under the learner's criterion from a share of the horizon on."""
    regret = simulate(learner, stream, seed=seed, points=100).regret(learner.criterion)
    return regret[-1] - (regret[round(100 * since) - 1] if since else 0.0)
