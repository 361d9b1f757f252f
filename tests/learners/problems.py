"""Small random problems for the learners, with much going on in few rounds."""

from __future__ import annotations

import numpy as np

import driftduel as dd
from driftduel.learners.paper.bosse import Constants
from driftduel.matrix.weights import WeightSequence

CRITERIA = ("borda", "weight", "weights", "condorcet")


def random_weight(rng, n_arms):
    weight = rng.dirichlet(np.full(n_arms, 0.7))
    weight[(rng.random(n_arms) < 0.3) | (weight < 0.02)] = 0
    if weight.sum() == 0:
        weight[rng.integers(n_arms)] = 1
    return weight / weight.sum()


def random_criterion(rng, kind, n_arms, horizon):
    if kind == "borda":
        return dd.Borda()
    if kind == "condorcet":
        return dd.Condorcet()
    if kind == "weight":
        return dd.Weighted(random_weight(rng, n_arms))
    starts = np.flatnonzero(rng.random(horizon) < rng.choice([0.05, 0.5, 1.0]))
    starts = np.union1d([0], starts)
    weights = [random_weight(rng, n_arms) for _ in starts]
    return dd.Weighted(WeightSequence(weights, starts))


def random_learner(rng, learner, kind, refresh=1 / 32, **settings):
    """A learner that evicts and restarts often; its constant is not round, so nothing ties."""
    n_arms = int(rng.integers(2, 6))
    horizon = int(rng.integers(2, 150))
    scale = float(rng.uniform(0.01, 0.12 if kind == "condorcet" else 0.25))
    constants = Constants(
        scale,
        point_mass_range=int(rng.integers(1, 3)),
        cap=float(rng.choice([0.5, 0.5, 1.0])),
        refresh=refresh,
        least_rounds=2,
    )
    if learner is dd.MetaBosse:
        settings["replay_rate"] = float(rng.choice([0.1, 0.3, 1.0, 3.0, 9.0]))
    return learner(
        n_arms,
        horizon,
        criterion=random_criterion(rng, kind, n_arms, horizon),
        seed=int(rng.integers(2**31)),
        constants=constants,
        estimator=str(rng.choice(["centred", "raw"])),
        **settings,
    )
