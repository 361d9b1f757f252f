"""Scores of arms from tosses, beside what was to be expected of them: no propensity is needed.

A *toss* of an arm is a vote whose opponent was drawn uniformly from the other arms. Let p be
chances that were forecast before it, and m the mean of p over all others. Then

    Y = m + X - p

has the mean b, the score of the arm, whatever was forecast, and is at least m - 1. Good forecasts
make its variance small. Bounds for the average of b over the tosses of an arm, at all times and
for all arms at once, are those of `driftduel.votes.mixtures` on the scale 1: three quarters of a
fortune are bet on Y, the rest on X alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.forecasts import Forecasts
from driftduel.votes.log import Log
from driftduel.votes.mixtures import Stake, least_total

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_PLAIN = 0.25


class Tossed(NamedTuple):
    """Scores of arms with bounds, and how many tosses each had; nan of who had none."""

    scores: Floats
    low: Floats
    high: Floats
    tosses: Floats


def of_tosses(
    log: Log, left_toss: Flags, right_toss: Flags, forecasts: Forecasts, alpha: float = 0.05
) -> Tossed:
    """Return scores from the tosses of a log; rows are votes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left = rng.integers(3, size=900)
    >>> right = (left + rng.integers(1, 3, size=900)) % 3
    >>> log = Log([*"abc"], range(900), left, right, rng.random(900) < 0.5 + 0.2 * (left - right))
    >>> from driftduel.votes.forecasts import of_past
    >>> all_of_them = np.ones(900, dtype=bool)
    >>> of_tosses(log, all_of_them, all_of_them, of_past(log)).scores.round(1)
    array([0.2, 0.5, 0.8])
    """
    n_arms = log.n_arms
    apart = forecasts.tables.copy()
    apart[:, np.arange(n_arms), np.arange(n_arms)] = 0.0
    means = apart.sum(axis=2) / (n_arms - 1)
    total, won, squares, count = np.zeros((4, n_arms))
    for arm, other, outcome, kept in (
        (log.left, log.right, log.outcome, left_toss),
        (log.right, log.left, 1 - log.outcome, right_toss),
    ):
        arms, weight, of = arm[kept], log.count[kept], forecasts.of_row[kept]
        missed = outcome[kept] - forecasts.tables[of, arms, other[kept]]
        total += np.bincount(arms, weight * (means[of, arms] + missed), n_arms)
        won += np.bincount(arms, weight * outcome[kept], n_arms)
        squares += np.bincount(arms, weight * missed**2, n_arms)
        count += np.bincount(arms, weight, n_arms)
    ends = []
    most = float(count.max(initial=1.0))
    for sums, wins in ((total, won), (count - total, count - won)):
        # Of wins X - 1/2 is told, whose square is known.
        stakes = [Stake(1 - _PLAIN, sums, squares, 1.0), Stake(_PLAIN, wins, count / 4, 1.0)]
        ends.append(least_total(stakes, alpha / (2 * n_arms), most))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.clip(total / count, 0, 1)
        low, high = np.clip(ends[0] / count, 0, 1), np.clip(1 - ends[1] / count, 0, 1)
    none = count == 0
    low[none], high[none] = 0.0, 1.0
    return Tossed(score, low, high, count)
