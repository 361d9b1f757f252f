"""What learners that forget have in common: weights that grow, windows, greedy exploring."""

from __future__ import annotations

import math

import numpy as np

from driftduel._support.compile.jit import inline_kernel
from driftduel.learners.contract.ranges import AN_ARM, CHANCE, FIXED, FLAG, OUTCOME, Ranges, real
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.verdicts import Verdicts

Ticket = tuple[float, float]
"""Propensity, and 1 if the duel explores."""

HEAVIEST = 1e100
"""The weight of a new outcome at which all weights are divided by it."""

EXPLORATION = np.dtype([("left", "i8"), ("right", "i8"), ("outcome", "f8")], align=True)

WINDOW_RANGES: Ranges = {"left": AN_ARM, "right": AN_ARM, "outcome": OUTCOME}

FADING = np.dtype(
    [
        ("unit", "f8"),  # the weight of a new duel
        ("growth", "f8"),  # 1/discount
        ("rounds", "f8"),  # n, the discounted number of rounds
    ],
    align=True,
)

FADING_RANGES: Ranges = {
    "unit": real(1, HEAVIEST),
    "growth": FIXED,
    "rounds": real(0, "told"),
}
GREEDY_TICKET = (CHANCE, FLAG)


def no_fading(growth: float) -> Records:
    """Return the weight of the first duel, one, and by how much it grows a round."""
    fading = np.zeros(1, FADING)
    fading["unit"] = 1.0
    fading["growth"] = growth
    return fading


def wins_in_window(window: Records, n_arms: int) -> Floats:
    """Return the wins of the row over the column in a window, for duels that count once."""
    duels = window[window["left"] != window["right"]]
    wins = np.zeros((n_arms, n_arms))
    np.add.at(wins, (duels["left"], duels["right"]), duels["outcome"])
    np.add.at(wins, (duels["right"], duels["left"]), 1.0 - duels["outcome"])
    return wins


@inline_kernel
def fade(verdicts: Verdicts, fading: Records) -> None:
    """Go on to the next round: a new duel weighs more, and so does the bonus of all pairs."""
    clock = verdicts.clock[0]
    now = fading[0]
    now["unit"] *= now["growth"]
    now["rounds"] = now["rounds"] / now["growth"] + 1.0
    clock["round"] += 1
    clock["bonus"] = clock["alpha"] * math.log(now["rounds"] + 1.0) * now["unit"]


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
