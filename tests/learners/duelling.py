"""Playing a learner beside its slow twin, with the same random numbers and the same outcomes."""

from __future__ import annotations

import numpy as np

import driftduel as dd
from driftduel.learners.base import learner_generator


def random_matrix(rng, n_arms):
    """A matrix with clear, close and equal pairs, now and then without a Condorcet winner."""
    upper = rng.choice([0.0, 0.1, 0.4, 0.5, 0.6, 0.9, 1.0], (n_arms, n_arms))
    return np.triu(upper, 1) + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2


def play_beside(learner, make_twin, world, horizon, seed, compare=None):
    """Ask both for every duel; they must agree, also on its propensity if the twin has one.

    A tenth of the outcomes are ties. ``compare(state, twin)`` looks at more after each choice.
    """
    twin_rng = learner_generator(learner.seed)
    twin = make_twin(twin_rng)
    script = np.random.default_rng(seed)
    for t in range(horizon):
        matrix = world if world.ndim == 2 else world[t * len(world) // horizon]
        duel = learner.ask()
        twin.pair = twin.choose()
        assert (duel.left, duel.right) == twin.pair, f"round {t + 1}"
        chance = getattr(twin, "chance", None)
        if chance is not None:
            assert duel.propensity is not None
            assert abs(duel.propensity - chance) < 1e-12
        if compare is not None:
            compare(learner.session.state, twin)
        outcome = float(script.random() < matrix[duel.left, duel.right])
        if script.random() < 0.1:
            outcome = 0.5
        learner.tell(duel, outcome)
        twin.counts.add(duel.left, duel.right, outcome)
    assert learner.session.rng.bit_generator.state == twin_rng.bit_generator.state
    return twin


ARITHMETIC = 0.5 + 0.05 * (np.arange(8)[None, :] - np.arange(8)[:, None])
"""The matrix of Komiyama et al.: eight arms in a row, every neighbour a little worse."""


def final_and_late_regret(learner, matrix, horizon, seeds):
    """Return per seed the Condorcet regret, and that of the last quarter of the rounds."""
    world = dd.Stream.stationary(matrix, horizon)
    curves = np.array(
        [dd.simulate(learner, world, seed, points=4).regret("condorcet") for seed in seeds]
    )
    return curves[:, -1], curves[:, -1] - curves[:, -2]
