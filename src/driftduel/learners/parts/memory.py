"""What learners that forget have in common: weights that grow, windows, greedy exploring."""

from __future__ import annotations

import numpy as np

from driftduel._jit import inline_kernel
from driftduel.learners.ranges import AN_ARM, CHANCE, FLAG, OUTCOME, Ranges

Ticket = tuple[float, float]
"""Propensity, and 1 if the duel explores."""

HEAVIEST = 1e100
"""The weight of a new outcome at which all weights are divided by it."""


EXPLORATION = np.dtype([("left", "i8"), ("right", "i8"), ("outcome", "f8")], align=True)

WINDOW_RANGES: Ranges = {"left": AN_ARM, "right": AN_ARM, "outcome": OUTCOME}
GREEDY_TICKET = (CHANCE, FLAG)


@inline_kernel
def leader_or_any(
    leader: int, rate: float, n_arms: int, rng: np.random.Generator
) -> tuple[int, int, Ticket]:
    """Return the leader twice, or at the rate to explore two arms drawn from all."""
    explore = rng.random() < rate
    left = leader
    right = leader
    chance = rate / (n_arms * n_arms)
    if explore:
        left = int(rng.random() * n_arms)
        right = int(rng.random() * n_arms)
    if left == leader and right == leader:
        chance += 1.0 - rate
    return left, right, (chance, 1.0 * explore)
