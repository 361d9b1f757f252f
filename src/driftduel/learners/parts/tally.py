"""What can be proved of scores to people: tosses counted since the last proved change.

A *toss* for an arm is a duel with an opponent drawn by the reference weight from the other arms,
whatever made the learner toss for it; duels with a chosen rival are no tosses. So tosses are coins
whose chance is the arm's score against the others, and `driftduel.votes.sequences` has
intervals for it that hold at every moment. For Condorcet the pairs are counted instead: a duel of
two arms is a coin of their own, however they were chosen. What is counted here changes nothing
that is played.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.ranges import AN_ARM_OR_NONE, COUNT, SUM, Ranges, halves
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.verdict.standing import ENOUGH
from driftduel.votes.decisions import is_decided, votes_until_decided
from driftduel.votes.sequences import interval, simultaneous

ALPHA = 0.05
"""The probability that any interval of a report is ever wrong, since counting began."""

REIGN = 30
"""Rounds that an arm led which is told as the one before."""

NOBODY = -1

LEADS = np.dtype(
    [
        ("since", "i8"),  # the round at which counting began
        ("leader", "i8"),
        ("led", "i8"),  # since which round
        ("before", "i8"),  # who led before for some time
        ("before_led", "i8"),
        ("earlier", "i8"),  # and before that
    ],
    align=True,
)

TOSSES = np.dtype([("tosses", "i8"), ("wins", "f8")], align=True)


class Tally(NamedTuple):
    """Tosses of arms, or wins of pairs, and who led."""

    leads: Records  # (1,) LEADS
    arms: Records  # (K,) TOSSES
    pairs: Floats  # (K, K) wins of the row over the column, or nothing where scores are counted


TALLY_RANGES: Ranges = {
    "leads": {
        **dict.fromkeys(("since", "led", "before_led"), COUNT),
        **dict.fromkeys(("leader", "before", "earlier"), AN_ARM_OR_NONE),
    },
    "arms": {"tosses": COUNT, "wins": halves(0, "arms.tosses")},
    "pairs": SUM,
}


def no_tally(n_arms: int, *, of_pairs: bool = False, since: int = 0) -> Tally:
    """Return what there is before the first toss."""
    leads = np.zeros(1, LEADS)
    leads["since"] = since
    leads["leader"] = leads["before"] = leads["earlier"] = NOBODY
    side = n_arms if of_pairs else 0
    return Tally(leads, np.zeros(n_arms, TOSSES), np.zeros((side, side)))


@inline_kernel
def count_toss(tally: Tally, arm: int, value: float) -> None:
    """Count a toss for an arm."""
    tally.arms[arm]["tosses"] += 1
    tally.arms[arm]["wins"] += value


@inline_kernel
def count_pair(tally: Tally, left: int, right: int, outcome: float) -> None:
    """Count a duel of two arms, where pairs are counted."""
    if tally.pairs.shape[0] > 0:
        tally.pairs[left, right] += outcome
        tally.pairs[right, left] += 1.0 - outcome


@kernel
def note_leader(tally: Tally, leader: int, round_: int) -> None:
    """Note who leads after a round, and who did before; a short reign is as if it was not."""
    leads = tally.leads[0]
    if leader == leads["leader"]:
        return
    led = round_
    if leads["leader"] != NOBODY and round_ - leads["led"] >= REIGN:
        leads["earlier"] = leads["before"]
        leads["before"] = leads["leader"]
        leads["before_led"] = leads["led"]
    elif leads["before"] == leader:
        led = leads["before_led"]
        leads["before"] = leads["earlier"]
        leads["earlier"] = NOBODY
    leads["leader"] = leader
    leads["led"] = led


@kernel
def count_anew(tally: Tally, round_: int) -> None:
    """Begin to count after a round: tosses so far were about another world."""
    tally.leads[0]["since"] = round_
    tally.arms["tosses"][:] = 0
    tally.arms["wins"][:] = 0.0
    tally.pairs[:] = 0.0


def findings(
    tally: Tally, arms: Sequence[int], n_arms: int, leader: int, rounds: int
) -> dict[str, Any]:
    """Return what a report says of scores, by arm; see `driftduel.learners.contract.report.Report`.

    Parameters
    ----------
    tally : Tally
        What was counted, by rows.
    arms : sequence of int
        The arm of each row.
    n_arms : int
        How many arms there are, with those that have no row.
    leader : int
        The row of the best arm.
    rounds : int
        How many outcomes were told.

    Examples
    --------
    >>> tally = no_tally(2)
    >>> for _ in range(100):
    ...     count_toss(tally, 0, 1.0)
    ...     count_toss(tally, 1, 0.0)
    >>> found = findings(tally, [0, 1], 2, leader=0, rounds=100)
    >>> found["scores"], found["duels"], found["decided"]
    ((1.0, 0.0), (100, 100), True)
    """
    leads = tally.leads[0]
    since = int(leads["since"])
    missing: int | None = None
    if tally.pairs.size:
        wins = tally.pairs[:, leader]
        duels = np.rint(wins + tally.pairs[leader])  # of graded outcomes, sums are rounded
        # Whoever leads next is compared with all others too, so all pairs have to hold.
        low, high = interval(wins, duels, ALPHA / (len(arms) * (len(arms) - 1) / 2))
        others = np.arange(len(arms)) != leader
        decided = bool((high[others] < 0.5).all() and (duels[others] >= ENOUGH).all())
    else:
        wins, duels = tally.arms["wins"], tally.arms["tosses"].astype(np.float64)
        low, high = simultaneous(wins, duels, ALPHA)
        decided = is_decided(low, high, leader) and bool((duels >= ENOUGH).all())
        if duels.all():
            pace = duels / (rounds - since)
            missing = votes_until_decided(wins, duels, pace, ALPHA, leader)
        if missing is not None:
            missing = max(missing, math.ceil(float(((ENOUGH - duels) / pace).max())))
    scores: list[float | None] = [None] * n_arms
    intervals, counts = [(0.0, 1.0)] * n_arms, [0] * n_arms
    for row, arm in enumerate(arms):
        if duels[row] > 0:
            scores[arm] = float(wins[row] / duels[row])
        intervals[arm] = (float(low[row]), float(high[row]))
        counts[arm] = int(duels[row])
    return {
        "scores": tuple(scores),
        "intervals": tuple(intervals),
        "duels": tuple(counts),
        "counted_since": since,
        "level": 1.0 - ALPHA,
        "scored_against": "the best" if tally.pairs.size else "the others",
        "decided": decided,
        "missing": missing,
        "before": None if leads["before"] == NOBODY else arms[leads["before"]],
    }
