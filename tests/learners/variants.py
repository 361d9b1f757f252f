"""Every learner of the package, some of them in several ways, for the tests that take all."""

from __future__ import annotations

import numpy as np

import driftduel as dd


def two_weights(n_arms):
    """A weight that is not uniform and leaves out an arm, and later the uniform one."""
    skewed = np.arange(n_arms) / np.arange(n_arms).sum()
    return dd.Weighted(dd.WeightSequence([skewed, np.full(n_arms, 1 / n_arms)], [0, 120]))


def rows(n_arms):
    """Two features, of which the second is nearly the square of the first."""
    return [[arm, arm * arm + 0.5 * (arm % 2)] for arm in range(n_arms)]


VARIANTS = {
    **{name: (lambda n, t, seed, kind=kind: kind(n, t, seed=seed))
       for name, kind in dd.all_learners().items()},
    "MetaBosse Condorcet": lambda n, t, seed: dd.MetaBosse(
        n, t, seed=seed, criterion="condorcet", constants=QUICK
    ),
    "MetaBosse weighted": lambda n, t, seed: dd.MetaBosse(
        n, t, seed=seed, criterion=two_weights(n), constants=QUICK
    ),
    "DriftDuel condorcet": lambda n, t, seed: dd.DriftDuel(n, t, seed=seed, criterion="condorcet"),
    "DriftDuel weighted": lambda n, t, seed: dd.DriftDuel(
        n, t, seed=seed, criterion=two_weights(n), calibration=HASTY
    ),
    "DriftDuel hasty": lambda n, t, seed: dd.DriftDuel(n, t, seed=seed, calibration=HASTY),
    "DriftDuel hasty condorcet": lambda n, t, seed: dd.DriftDuel(
        n, t, seed=seed, criterion="condorcet", calibration=HASTY
    ),
    "DriftDuel weak": lambda n, t, seed: dd.DriftDuel(
        n, t, seed=seed, regret="weak", calibration=HASTY
    ),
    "UniformOpponent weighted": lambda n, t, seed: dd.learners.UniformOpponent(
        n, t, seed=seed, criterion=two_weights(n), bandit="exp3s", n_phases=min(3, t)
    ),
    "Gate ucb": lambda n, t, seed: dd.learners.Gate(
        n, t, seed=seed, bandit="discounted-ucb", memory=50
    ),
    "ADSWITCH hasty": lambda n, t, seed: dd.learners.ADSWITCH(
        n, t, seed=seed, criterion=two_weights(n), constant=0.05, exploration=0.9
    ),
    "MASTER hasty": lambda n, t, seed: dd.learners.MASTER(
        n, t, seed=seed, scale=0.0005, exploration=0.9
    ),
    "BEXP3 of two features": lambda n, t, seed: dd.learners.BEXP3(
        n, t, seed=seed, features=rows(n)
    ),
    "BETCGLM of two features": lambda n, t, seed: dd.learners.BETCGLM(
        n, t, seed=seed, features=rows(n)
    ),
    "UCBTS top cycle": lambda n, t, seed: dd.learners.UCBTS(n, t, seed=seed, criterion="top-cycle"),
    "UCBTS banks": lambda n, t, seed: dd.learners.UCBTS(n, t, seed=seed, criterion="banks"),
    "MetaBosse quick": lambda n, t, seed: dd.MetaBosse(n, t, seed=seed, constants=QUICK),
}  # fmt: skip
HASTY = dd.learners.Calibration(
    alarm=0.5, proof=-9.0, likely=-4.0, watch=1.0, replay_rate=1.0, trial_share=0.5
)
"""Thresholds so low that the learner looks again and restarts within a short check."""
QUICK = dd.learners.Constants(scale=0.02)
"""Constants so small that arms are evicted and episodes begin within a short check."""
