"""Which comparisons are decided: upper confidence bounds of pairs, held against one half.

RUCB, MergeRUCB, D-TS and CCB know of a pair with N duels and w wins of i over j

    u_ij = w/N + sqrt(alpha ln t / N),    l_ij = 1 - u_ji,

and ask of nearly all pairs no more than whether u_ij is below 1/2: whether i is beaten by j. That
is so if and only if j is ahead and N (1/2 - w/N)^2, here the margin of the pair, is above the
bonus alpha ln t. A duel changes the margin of one pair, and the bonus only grows: time can lift a
verdict, and the smallest margin of a verdict says when. So nothing is computed again for all
pairs; a round costs O(1) where no verdict is lifted, and O(K) for each arm that has one lifted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Flags, Floats, Ints, Records

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("alpha", "f8"),
        ("offset", "f8"),  # what is added to the number of outcomes under the logarithm
        ("bonus", "f8"),  # alpha ln(round + offset)
        ("next", "f8"),  # no verdict is lifted while the bonus is below
    ],
    align=True,
)

ARM = np.dtype(
    [
        ("losses", "i8"),  # how many arms it is beaten by
        ("victories", "i8"),  # how many arms are beaten by it
        ("next", "f8"),  # at most the smallest margin of its losses
    ],
    align=True,
)


class Verdicts(NamedTuple):
    """Counts of duels and what is decided by them."""

    clock: Records  # (1,) CLOCK
    arms: Records  # (K,) ARM
    wins: Floats  # (K, K) wins of the row over the column
    margin: Floats  # (K, K) N (1/2 - w/N)^2 where the row is behind the column, else 0
    beaten: Flags  # (K, K) whether the row is beaten by the column


VERDICT_RANGES: Ranges = {
    "clock": {
        "round": ranges.COUNT,
        "alpha": ranges.FIXED,
        "offset": ranges.FIXED,
        "bonus": ranges.WEIGHT,
        "next": ranges.real(0, ranges.LARGEST, endless=True),
    },
    "wins": ranges.SUM,
    "margin": ranges.WEIGHT,
    "beaten": ranges.FLAG,
    "arms": {
        "losses": ranges.equal_to("the number that beat it", lambda k: k.state.beaten.sum(axis=1)),
        "victories": ranges.equal_to("the number it beats", lambda k: k.state.beaten.sum(axis=0)),
        "next": ranges.real(0, ranges.LARGEST, endless=True),
    },
}


def no_verdicts(n_arms: int, alpha: float, extra: float = 0.0) -> Verdicts:
    """Return what is known before the first round, in which the bonus is alpha ln(1 + extra)."""
    clock = np.zeros(1, CLOCK)
    clock["alpha"] = alpha
    clock["offset"] = 1 + extra
    clock["bonus"] = alpha * math.log(1 + extra)
    clock["next"] = np.inf
    arms = np.zeros(n_arms, ARM)
    arms["next"] = np.inf
    square = (n_arms, n_arms)
    return Verdicts(clock, arms, np.zeros(square), np.zeros(square), np.zeros(square, np.bool_))


@inline_kernel
def count_duel(verdicts: Verdicts, left: int, right: int, outcome: float) -> bool:
    """Take in an outcome, go on to the next round, and tell whether a verdict changed."""
    clock = verdicts.clock[0]
    clock["round"] += 1
    clock["bonus"] = clock["alpha"] * math.log(clock["round"] + clock["offset"])
    changed = False
    if left != right:
        verdicts.wins[left, right] += outcome
        verdicts.wins[right, left] += 1.0 - outcome
        lead = verdicts.wins[left, right] - verdicts.wins[right, left]
        margin = lead * lead / (4.0 * (verdicts.wins[left, right] + verdicts.wins[right, left]))
        changed = update_verdict(verdicts, left, right, margin if lead < 0.0 else 0.0)
        changed |= update_verdict(verdicts, right, left, margin if lead > 0.0 else 0.0)
    return changed | lift_due(verdicts)


@inline_kernel
def lift_due(verdicts: Verdicts) -> bool:
    """Lift verdicts if the bonus has reached a margin; tell whether a verdict changed."""
    clock = verdicts.clock[0]
    return clock["bonus"] >= clock["next"] and lift(verdicts)


@inline_kernel
def weigh_duel(
    verdicts: Verdicts, left: int, right: int, outcome: float, weight: float
) -> tuple[float, bool]:
    """Add the outcome of a pair with a weight; return the pair's weight, and if a verdict changed.

    For learners that forget: the duels of a window are taken back, or that of a new duel grows.
    """
    wins = verdicts.wins
    wins[left, right] += weight * outcome
    wins[right, left] += weight * (1.0 - outcome)
    total = wins[left, right] + wins[right, left]
    margin = 0.0
    lead = 0.0
    if total > 0.0:
        lead = wins[left, right] - wins[right, left]
        margin = lead * lead / (4.0 * total)
    changed = update_verdict(verdicts, left, right, margin if lead < 0.0 else 0.0)
    changed |= update_verdict(verdicts, right, left, margin if lead > 0.0 else 0.0)
    return total, changed


@kernel
def lighten_verdicts(verdicts: Verdicts, unit: float) -> None:
    """Divide all weights by that of a new duel."""
    n_arms = verdicts.arms.shape[0]
    for arm in range(n_arms):
        verdicts.arms[arm]["next"] /= unit
        for other in range(n_arms):
            verdicts.wins[arm, other] /= unit
            verdicts.margin[arm, other] /= unit
    verdicts.clock[0]["bonus"] /= unit
    verdicts.clock[0]["next"] /= unit


@inline_kernel
def update_verdict(verdicts: Verdicts, loser: int, winner: int, margin: float) -> bool:
    """Note the margin by which an arm is behind another; tell whether the verdict changed."""
    clock = verdicts.clock[0]
    verdicts.margin[loser, winner] = margin
    beaten = margin > clock["bonus"]
    if beaten:
        verdicts.arms[loser]["next"] = min(verdicts.arms[loser]["next"], margin)
        clock["next"] = min(clock["next"], margin)
    changed = beaten != verdicts.beaten[loser, winner]
    if changed:
        step = 1 if beaten else -1
        verdicts.beaten[loser, winner] = beaten
        verdicts.arms[loser]["losses"] += step
        verdicts.arms[winner]["victories"] += step
    return changed


@kernel
def lift(verdicts: Verdicts) -> bool:
    """Lift the verdicts whose margin the bonus has reached."""
    clock = verdicts.clock[0]
    n_arms = verdicts.arms.shape[0]
    changed = False
    clock["next"] = np.inf
    for loser in range(n_arms):
        arm = verdicts.arms[loser]
        if arm["next"] <= clock["bonus"]:
            arm["next"] = np.inf
            for winner in range(n_arms):
                if verdicts.beaten[loser, winner]:
                    if verdicts.margin[loser, winner] <= clock["bonus"]:
                        verdicts.beaten[loser, winner] = False
                        arm["losses"] -= 1
                        verdicts.arms[winner]["victories"] -= 1
                        changed = True
                    else:
                        arm["next"] = min(arm["next"], verdicts.margin[loser, winner])
        clock["next"] = min(clock["next"], arm["next"])
    return changed


@kernel
def list_least_beaten(verdicts: Verdicts, candidates: Ints) -> int:
    """List the arms that are beaten by the fewest others, in order; return how many they are."""
    arms = verdicts.arms
    fewest = arms[0]["losses"]
    for arm in range(arms.shape[0]):
        fewest = min(fewest, arms[arm]["losses"])
    count = 0
    for arm in range(arms.shape[0]):
        if arms[arm]["losses"] == fewest:
            candidates[count] = arm
            count += 1
    return count


def likely_winner(wins: Floats) -> int:
    """Return the arm that is ahead of most others, the first of them if several are.

    Examples
    --------
    >>> likely_winner(np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 2.0], [1.0, 1.0, 0.0]]))
    1
    """
    return int((wins > wins.T).sum(axis=1).argmax())
