"""On ties there is nothing to find, and the default constants find next to nothing.

At most 1 run in 100 may evict an arm. With 60 runs and a true rate of 1 % more than 6 loud runs
have a chance below 1e-5.
"""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd


def skewed(n_arms):
    weight = np.full(n_arms, 0.05 / (n_arms - 1))
    weight[0] = 0.95
    return dd.Weighted(weight)


@pytest.mark.large
@pytest.mark.parametrize("horizon", [None, 100, 1000, 10_000])
@pytest.mark.parametrize("criterion", ["borda", "condorcet", "skewed"])
@pytest.mark.parametrize("n_arms", [2, 5, 20])
def test_few_runs_on_ties_evict_an_arm(n_arms, criterion, horizon):
    target = skewed(n_arms) if criterion == "skewed" else criterion
    ties = dd.Stream.stationary(np.full((n_arms, n_arms), 0.5), horizon or 10_000)
    runs = dd.simulate_many(
        dd.MetaBosse(n_arms, horizon, criterion=target), ties, range(60), points=1
    )
    assert sum(len(run.evictions) > 0 for run in runs) <= 6


@pytest.mark.large
def test_bosse_without_a_horizon_keeps_the_winner():
    world = dd.worlds.synthetic.one_winner(n_arms=5, horizon=100_000, margin=0.2, winner=2)
    runs = dd.simulate_many(dd.Bosse(5), world, range(20), points=1)
    assert all(run.best == 2 for run in runs)
