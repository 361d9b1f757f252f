"""Optimism about pairs: RUCB's upper bounds, who may be the winner by them, and whom it meets.

With u_ij = w_ij/N_ij + sqrt(alpha ln t / N_ij) and u_ii = 1/2, the arms C = {c : u_cj >= 1/2 for
all j} may be the winner; the right arm is the one most likely to beat the left one, argmax_j u_jc.
`driftduel.learners.rivals.rucb` says more. For learners that forget, duels have weights: those of a
window are taken back, or that of a new duel grows until all are divided by it (`parts.memory`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.memory import HEAVIEST
from driftduel.learners.parts.verdicts import (
    VERDICT_RANGES,
    Verdicts,
    lighten_verdicts,
    likely_winner,
    no_verdicts,
    weigh_duel,
)

Ticket = tuple[float]

UNPLAYED = 2.0
"""u_ij of a pair that never met: 0/0 + sqrt(alpha ln t / 0), with x/0 = 1."""

HOPES = np.dtype([("count", "i8"), ("favourite", "i8")], align=True)


class Optimism(NamedTuple):
    """Upper bounds of pairs, and who may be the winner by them."""

    verdicts: Verdicts
    rate: Floats  # (K, K) how often the column beat the row, w/N
    width: Floats  # (K, K) 1/sqrt(N)
    hopeful: Ints  # (K,) the arms of C first, in order
    hopes: Records  # (1,) HOPES: the size of C, and the arm of B or -1


OPTIMISM_RANGES: Ranges = {
    "verdicts": VERDICT_RANGES,
    "rate": ranges.real(0, UNPLAYED),
    "width": ranges.real(0, 2),
    "hopes": {"count": ranges.whole(0, "arms"), "favourite": ranges.AN_ARM_OR_NONE},
    "hopeful": ranges.arms_first("hopes.count"),
}
"""For duels that all count once."""

FORGETFUL_OPTIMISM_RANGES: Ranges = {
    **OPTIMISM_RANGES,
    "rate": ranges.real(0, 1, endless=True),
    "width": ranges.WEIGHT,
}
"""For duels that are taken back."""

FADING_OPTIMISM_RANGES: Ranges = {
    **FORGETFUL_OPTIMISM_RANGES,
    "verdicts": {**VERDICT_RANGES, "wins": ranges.WEIGHT},
}
"""For duels with weights."""


@inline_kernel
def choose_optimistically(optimism: Optimism, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw the left arm from those that may be the winner; reply with the best challenger."""
    n_arms = optimism.hopeful.shape[0]
    count = optimism.hopes[0]["count"]
    favourite = optimism.hopes[0]["favourite"]
    left = optimism.hopeful[0]
    chance = 1.0
    if count == 0:
        left = int(rng.random() * n_arms)
        chance = 1.0 / n_arms
    elif count > 1 and favourite < 0:
        left = optimism.hopeful[int(rng.random() * count)]
        chance = 1.0 / count
    elif count > 1:
        number = rng.random()
        left = favourite
        chance = 0.5
        if number >= 0.5:
            place = int((2.0 * number - 1.0) * (count - 1))
            left = optimism.hopeful[place]
            if left >= favourite:
                left = optimism.hopeful[place + 1]
            chance = 0.5 / (count - 1)
    if optimism.verdicts.arms[left]["victories"] == n_arms - 1:
        return left, left, (chance,)
    right, ties = _best_reply(optimism, rng, left)
    return left, right, (chance / ties,)


@inline_kernel
def _best_reply(optimism: Optimism, rng: np.random.Generator, left: int) -> tuple[int, int]:
    """Return the other arm most likely to beat ``left``, and with how many it tied."""
    root = math.sqrt(optimism.verdicts.clock[0]["bonus"])
    best = -1.0
    ties = 0
    right = left
    for arm in range(optimism.hopeful.shape[0]):
        bound = optimism.rate[left, arm] + root * optimism.width[left, arm]
        if arm != left and bound >= best:
            ties = ties + 1 if bound == best else 1
            best = bound
            right = arm
    if ties > 1:
        place = int(rng.random() * ties)
        for arm in range(optimism.hopeful.shape[0]):
            if arm != left and optimism.rate[left, arm] + root * optimism.width[left, arm] == best:
                if place == 0:
                    right = arm
                place -= 1
    return right, ties


@kernel
def find_hopeful(optimism: Optimism) -> None:
    """List the arms that nobody beats, and keep the favourite if it is one of them."""
    hopes = optimism.hopes[0]
    count = 0
    stays = False
    for arm in range(optimism.hopeful.shape[0]):
        if optimism.verdicts.arms[arm]["losses"] == 0:
            optimism.hopeful[count] = arm
            count += 1
            stays |= arm == hopes["favourite"]
    hopes["count"] = count
    if count == 1:
        hopes["favourite"] = optimism.hopeful[0]
    elif not stays:
        hopes["favourite"] = -1


@inline_kernel
def weigh(optimism: Optimism, left: int, right: int, outcome: float, weight: float) -> bool:
    """Add the outcome of a pair with a weight, and tell whether a verdict changed."""
    total, changed = weigh_duel(optimism.verdicts, left, right, outcome, weight)
    wins = optimism.verdicts.wins
    if total > 0.0:
        optimism.rate[left, right] = wins[right, left] / total
        optimism.rate[right, left] = wins[left, right] / total
        optimism.width[left, right] = optimism.width[right, left] = 1.0 / math.sqrt(total)
    else:
        optimism.rate[left, right] = optimism.rate[right, left] = np.inf
        optimism.width[left, right] = optimism.width[right, left] = 0.0
    return changed


@kernel
def lighten(optimism: Optimism, fading: Records) -> None:
    """Divide all weights by that of a new duel; a pair of next to no weight has never met."""
    verdicts = optimism.verdicts
    n_arms = optimism.hopeful.shape[0]
    lighten_verdicts(verdicts, fading[0]["unit"])
    for arm in range(n_arms):
        for other in range(arm):
            total = verdicts.wins[arm, other] + verdicts.wins[other, arm]
            forgotten = total < 1.0 / HEAVIEST
            if forgotten:
                verdicts.wins[arm, other] = verdicts.wins[other, arm] = 0.0
                optimism.rate[arm, other] = optimism.rate[other, arm] = np.inf
            width = 0.0 if forgotten else 1.0 / math.sqrt(total)
            optimism.width[arm, other] = optimism.width[other, arm] = width
    fading[0]["unit"] = 1.0


def no_bounds(n_arms: int, alpha: float, unplayed: float) -> Optimism:
    """Return what is known before the first round: every arm may be the winner."""
    square = (n_arms, n_arms)
    hopes = np.zeros(1, HOPES)
    hopes["count"] = n_arms
    hopes["favourite"] = -1
    return Optimism(
        verdicts=no_verdicts(n_arms, alpha),
        rate=np.full(square, unplayed),
        width=np.zeros(square),
        hopeful=np.arange(n_arms),
        hopes=hopes,
    )


def favourite_of(optimism: Optimism) -> int:
    """Return the favourite, or else the arm that is ahead of most others."""
    favourite = int(optimism.hopes[0]["favourite"])
    return favourite if favourite >= 0 else likely_winner(optimism.verdicts.wins)
