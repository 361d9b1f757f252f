"""The made-up worlds by kind, and how often they change, for their tests."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from driftduel.matrix.preferences import gic_winners
from driftduel.worlds import synthetic

properties = settings(max_examples=100, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32)

DRIFTING = [
    synthetic.random_walk,
    synthetic.sinusoidal,
    synthetic.one_entry_drift,
    synthetic.handover,
]
WORLDS = [
    synthetic.one_winner,
    synthetic.bradley_terry_luce,
    synthetic.random_utilities,
    synthetic.random_member,
    synthetic.switching,
    *DRIFTING,
    synthetic.spurious_switches,
    synthetic.wobble,
    synthetic.alternation,
    synthetic.bursts,
]


def winner_per_stretch(stream, criterion):
    return [int(criterion.winners(stream.palette[m])[0]) for m in stream.which]


def total_variation(stream):
    matrices = stream.palette[stream.which]
    return np.abs(np.diff(matrices, axis=0)).max(axis=(1, 2)).sum()


def approximate_phases(stream):
    """Count phases in which one arm stays within (K^2 / (s - start))^(1/3) of the winner's row."""
    n_arms, start, count = stream.n_arms, 0, 1
    safe = set(range(n_arms))
    for s in range(stream.horizon):
        P = stream.matrix(s)
        best = P[gic_winners(P)[0]]
        if s > start:
            bound = (n_arms**2 / (s - start)) ** (1 / 3)
            safe = {x for x in safe if np.abs(best - P[x]).max() <= bound + 1e-12}
        if not safe:
            start, count, safe = s, count + 1, set(range(n_arms))
    return count
