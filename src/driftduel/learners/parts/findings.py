"""What a report says of scores: from the votes that a learner counted, over the life of a poll.

Of scores against the others `driftduel.votes.proof.decided` tells it. For Condorcet each pair is a
coin of its own, however pairs were chosen and whoever is on offer, and the best arm is decided if
the interval of every other one's share of wins against it lies below 1/2. Of the level of a count,
.6 are shared by the pairs of arms that were on offer when it began, and of the rest
1 / (m (m + 1)) by the m pairs of arm m with earlier ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftduel.learners.parts.arrays import Floats
from driftduel.learners.parts.tally import NOBODY, Tally
from driftduel.verdict.standing import ENOUGH
from driftduel.votes.decisions import is_decided, votes_until_decided
from driftduel.votes.proof.counts import Counts, no_counts
from driftduel.votes.proof.decided import judge
from driftduel.votes.sequences import interval, simultaneous

ALPHA = 0.05
"""The probability that anything in the reports of a learner is ever wrong."""

_FIRST = 0.6
"""The share of the level that pairs have which were there from the beginning."""


def counts_of(
    kept: Counts | None, tally: Tally, arms: Sequence[int], n_arms: int, told: int
) -> Counts:
    """Return all votes of the present count.

    Parameters
    ----------
    kept : Counts or None
        What was counted until the arms on offer last changed.
    tally : Tally
        What was counted since, by rows.
    arms : sequence of int
        The arm of each row.
    n_arms : int
        How many arms there are, with those that have no row.
    told : int
        How many outcomes were told.
    """
    since = int(tally.leads[0]["since"])
    number = int(tally.number[0])
    if kept is None or kept.number != number:
        kept = no_counts(n_arms, arms, number, since)
    return kept.grown_to(n_arms).with_votes(arms, tally.pairs, tally.tossed, tally.won, told)


def findings(
    counts: Counts,
    tally: Tally,
    arms: Sequence[int],
    leader: int,
    weight: Floats | None = None,
) -> dict[str, Any]:
    """Return what a report says of scores, by arm; see `driftduel.learners.contract.report.Report`.

    Parameters
    ----------
    counts : Counts
        All votes of the present count.
    tally : Tally
        Who led before.
    arms : sequence of int
        The arms on offer, in the order of rows.
    leader : int
        The row of the best arm.
    weight : ndarray, optional
        The reference weight of the arms on offer.

    Examples
    --------
    >>> from driftduel.learners.parts.tally import count_vote, no_tally
    >>> tally = no_tally(2)
    >>> for _ in range(100):
    ...     count_vote(tally, 0, 1, 1.0, True, True)
    >>> found = findings(counts_of(None, tally, [0, 1], 2, 100), tally, [0, 1], leader=0)
    >>> found["scores"], found["duels"], found["decided"]
    ((1.0, 0.0), (100, 100), True)
    """
    before = int(tally.leads[0]["before"])
    known = {
        "counted_since": counts.since,
        "level": 1.0 - ALPHA,
        "before": None if before == NOBODY else arms[before],
    }
    if tally.tossed.shape[0] == 0:
        return known | _against_the_best(counts, arms, leader)
    judged = judge(counts, arms, arms[leader], ALPHA, weight)
    n_arms = len(counts.alike)
    return known | {
        "scores": tuple(judged.scores.get(arm) for arm in range(n_arms)),
        "intervals": tuple(judged.intervals.get(arm, (0.0, 1.0)) for arm in range(n_arms)),
        "duels": tuple(judged.compared.get(arm, 0) for arm in range(n_arms)),
        "scored_against": "the others",
        "front": judged.front,
        "apart": judged.apart,
        "rivals": judged.rivals,
        "decided": judged.decided,
        "missing": judged.missing,
        "missing_between": judged.between,
    }


def _against_the_best(counts: Counts, arms: Sequence[int], leader: int) -> dict[str, Any]:
    """Return what is known of the best arm from its votes with each other one."""
    best = arms[leader]
    n_arms = len(counts.alike)
    level = counts.level(ALPHA)
    scores: list[float | None] = [None] * n_arms
    intervals, compared = [(0.0, 1.0)] * n_arms, [0] * n_arms
    for arm in arms:
        wins, votes = counts.wins[arm, best], counts.wins[arm, best] + counts.wins[best, arm]
        if arm != best:
            low, high = interval(wins, votes, level * _share(counts.first, arm, best))
            intervals[arm] = float(low), float(high)
        compared[arm] = round(float(votes))  # of graded outcomes, sums are rounded
        if votes > 0:
            scores[arm] = float(wins / votes)
    others = [arm for arm in arms if arm != best]
    rivals = [arm for arm in others if compared[arm] < ENOUGH or intervals[arm][1] >= 0.5]
    return {
        "scores": tuple(scores),
        "intervals": tuple(intervals),
        "duels": tuple(compared),
        "scored_against": "the best",
        "rivals": tuple(sorted(rivals, key=lambda arm: -intervals[arm][1])),
        "decided": not rivals,
        "missing": None,
    }


def _share(first: Sequence[int], one: int, other: int) -> float:
    """Return the share of the level that a pair has; those of all pairs sum up to less than 1."""
    if one in first and other in first:
        return _FIRST / (len(first) * (len(first) - 1) / 2)
    later = max(one, other)
    return (1 - _FIRST) / (later * later * (later + 1))


def findings_of_tosses(
    tally: Tally, arms: Sequence[int], n_arms: int, leader: int, rounds: int
) -> dict[str, Any]:
    """Return what reports said until decisions went by the gap: rules 1 and 2 of arenas.

    Votes were counted from nothing when the arms on offer changed, each count at the whole level,
    and the best arm was decided when its interval lay above all others.
    """
    leads = tally.leads[0]
    since = int(leads["since"])
    missing: int | None = None
    wins = tally.won.sum(axis=1)
    duels = tally.tossed.sum(axis=1).astype(np.float64)
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
    few = [row for row in range(len(arms)) if duels[row] < ENOUGH]
    rivals = [
        arms[row]
        for row in range(len(arms))
        if row != leader and (row in few or leader in few or high[row] >= low[leader])
    ]
    return {
        "scores": tuple(scores),
        "intervals": tuple(intervals),
        "duels": tuple(counts),
        "counted_since": since,
        "level": 1.0 - ALPHA,
        "scored_against": "the others",
        "rivals": tuple(sorted(rivals, key=lambda arm: -intervals[arm][1])),
        "decided": decided,
        "missing": missing,
        "before": None if leads["before"] == NOBODY else arms[leads["before"]],
    }
