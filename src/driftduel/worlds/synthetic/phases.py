"""When phases begin: evenly spaced, or at random rounds."""

from __future__ import annotations

import numpy as np

from driftduel._support.checks import BadParameter, as_count, as_horizon, one_of
from driftduel._support.limits import MOST_PHASES
from driftduel.worlds.timelines import Ints


def phase_starts(horizon: int, n_phases: int, spacing: str, rng: np.random.Generator) -> Ints:
    """Return the first rounds of phases: of equal length up to one round, or random."""
    horizon = as_horizon(horizon)
    n_phases = as_count(n_phases, "n_phases", 1, MOST_PHASES)
    if n_phases > horizon:
        raise BadParameter("n_phases", f"is {n_phases}, must be at most the horizon {horizon}")
    if one_of(spacing, "spacing", ("even", "random")) == "even":
        return even_starts(horizon, n_phases)
    switches = rng.choice(horizon - 1, n_phases - 1, replace=False, shuffle=False) + 1
    return np.concatenate([[0], np.sort(switches)]).astype(np.int64)


def even_starts(horizon: int, n_phases: int) -> Ints:
    """Return the first rounds of phases whose lengths differ by one round at most."""
    return np.array([n * horizon // n_phases for n in range(n_phases)], dtype=np.int64)
