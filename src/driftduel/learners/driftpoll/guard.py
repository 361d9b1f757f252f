"""The guard asks whether one strength for each arm explains who beats whom, and where not.

For each pair it is remembered by how much outcomes differ from what strengths predict. Where that
would have predicted better, the log-odds rise that strengths are not enough: those of the pair and
those of all. Votes on a suspected pair, whose arms were not drawn alike, count for less.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.ranges import Ranges, real
from driftduel.learners.driftpoll.bank import believable, chance_to_win, log_likelihood
from driftduel.learners.parts.arrays import Floats, Records

FADING = 0.99
"""What is left of what is known of a pair after each vote on it."""

CAUTION = 25.0
"""Votes that say that a pair is as predicted."""

START, LEAST, LEAST_OF_PAIR, MOST = -2.0, -5.0, -4.0, 8.0
"""Log-odds at first, and how far they go."""

PAIR = np.dtype(
    [
        ("residual", "f8"),  # how much more than predicted the later arm won, fading
        ("votes", "f8"),  # on how many votes, fading
        ("odds", "f8"),  # log-odds that strengths do not explain this pair
    ],
    align=True,
)


class Guard(NamedTuple):
    """What is known of pairs beyond strengths."""

    odds: Floats  # (1,) log-odds that strengths do not explain pairs
    pairs: Records  # (K (K - 1) / 2,) PAIR


GUARD_RANGES: Ranges = {
    "odds": real(LEAST, MOST),
    "pairs": {
        "residual": real(-100.1, 100.1),
        "votes": real(0, 100.1),
        "odds": real(LEAST_OF_PAIR, MOST),
    },
}


def no_suspicion(n_arms: int) -> Guard:
    """Return what is known before the first vote."""
    pairs = np.zeros(n_arms * (n_arms - 1) // 2, PAIR)
    pairs["odds"] = START
    return Guard(np.full(1, START), pairs)


@inline_kernel
def place_of(left: int, right: int) -> int:
    """Return the place of a pair of different arms.

    Examples
    --------
    >>> place_of(0, 1), place_of(2, 1), place_of(1, 2)
    (0, 2, 2)
    """
    later = max(left, right)
    return later * (later - 1) // 2 + min(left, right)


@inline_kernel
def chance_of(odds: float) -> float:
    """Return the chance that log-odds stand for."""
    return 1.0 / (1.0 + math.exp(-odds))


@inline_kernel
def trust(guard: Guard, left: int, right: int) -> float:
    """Return the chance that strengths explain a pair, and all pairs."""
    return 1.0 - chance_of(max(guard.odds[0], guard.pairs[place_of(left, right)]["odds"]))


@inline_kernel
def surplus(guard: Guard, left: int, right: int) -> float:
    """Return by how much the left arm seems to win more often than strengths say."""
    pair = guard.pairs[place_of(left, right)]
    more = pair["residual"] / (pair["votes"] + CAUTION)
    return more if left > right else -more


@kernel
def guard_pair(
    guard: Guard, left: int, right: int, outcome: float, lead: float, spread: float
) -> None:
    """Take in the outcome of a duel whose left arm was ``lead`` stronger in the mean."""
    pair = guard.pairs[place_of(left, right)]
    plain = chance_to_win(lead)
    other = believable(plain + surplus(guard, left, right))
    gain = (log_likelihood(outcome, other) - log_likelihood(outcome, plain)) / spread
    guard.odds[0] = min(MOST, max(LEAST, guard.odds[0] + gain))
    pair["odds"] = min(MOST, max(LEAST_OF_PAIR, pair["odds"] + gain))
    residual = outcome - plain
    pair["residual"] = FADING * pair["residual"] + (residual if left > right else -residual)
    pair["votes"] = FADING * pair["votes"] + 1.0
