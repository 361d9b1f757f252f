"""Scores from votes without propensities: the mean of every pair of arms first, then the weight.

The score of arm a is w_a / 2 + sum over c of w_c p(a, c). If who met whom did not depend on the
votes, and who wins not on when they met, then, given who met whom, the votes of a pair are
independent with the mean p, and the estimate with the means of the pairs in place of p is
unbiased. By Hoeffding's inequality it is off by x or more with probability exp(-2 x^2 / R) at
most,

    R = sum over c of w_c^2 / n(a, c),

n being the number of votes of a pair. A mean of more and more such votes is a martingale if time
runs backwards, so by Doob's inequality the same holds for all times after n votes at once. Let
1.25^j be the largest such power up to the number of votes: R is taken when so many were cast, and
x with alpha / ((j + 1) (j + 2)). The sum over all j is alpha, and the bounds hold at all times.

Whether an arm is ahead of another is decided by the evidence of its gap
(`driftduel.votes.proof.leads`), which takes fewer votes than until such a bound is above 0.

A pair that had not met by then may be anything from 0 to 1. The gap of arms c and a is a sum over
the pairs of either, that of the two with the weight w_a + w_c.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from driftduel._support.text import listing
from driftduel.votes.log import Log
from driftduel.votes.proof.leads import log_lead
from driftduel.worlds.checks import check_arms

Floats = NDArray[np.float64]

STEP = 1.25
"""By how much the votes grow until the bounds are computed again."""


class PairwiseMeans:
    """Means of the votes of every pair of arms.

    Parameters
    ----------
    log : Log
        The votes.
    weight : ndarray of shape (K,)
        The reference weight.
    """

    def __init__(self, log: Log, weight: Floats) -> None:
        check_arms(log.n_arms, "select some of them")
        log = log.votes
        self._arms, self._weight = log.arms, weight
        self._wins = wins = log.head_to_head()
        met = wins + wins.T
        self._means = np.divide(wins, met, out=np.full(wins.shape, np.nan), where=met > 0)
        self._look = math.floor(math.log(log.n_votes) / math.log(STEP) + 1e-9)
        self._early = _first_votes(log, STEP**self._look)

    def scores(self) -> Floats:
        """Return the weighted mean of every arm's means, nan if it did not meet all it should."""
        parts = self._weight * self._means
        parts[:, self._weight == 0] = 0
        np.fill_diagonal(parts, self._weight / 2)
        return np.asarray(parts.sum(axis=1))

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """Return bounds that hold for all arms and at all times with 1 - alpha."""
        spread = np.sqrt(self._log_share(alpha, 2 * len(self._weight)) / 2 * self._variances())
        low = self._known_part(self._means) - spread
        high = 1 - (self._known_part(1 - self._means) - spread)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def leads(self, arm: int, alpha: float) -> Floats:
        """Return lower bounds of the lead of an arm over each; nan over itself.

        All leads of all arms hold at all times with 1 - alpha.
        """
        weight, n_arms = self._weight, len(self._weight)
        variances = self._variances()
        direct = ratio(2 * weight[arm] * weight, self._early[arm])
        bar = self._log_share(alpha, n_arms * (n_arms - 1)) / 2
        spread = np.sqrt(bar * (variances[arm] + variances + direct))
        won, lost = self._known_part(self._means), self._known_part(1 - self._means)
        least = np.clip(won[arm] + lost - 1 - spread, -1, 1)
        least[arm] = np.nan
        return np.asarray(least)

    def ahead(self, arm: int, alpha: float) -> NDArray[np.bool_]:
        """Tell of which arms one is proved to be ahead, by the evidence of its gap to each.

        Of the best arm any other is ever said to be with probability alpha at most.
        """
        n_arms, bar = len(self._weight), math.log(len(self._weight) / alpha)
        leads = (
            -math.inf
            if other == arm
            else log_lead(self._wins, arm, other, weight=self._weight, bar=bar)
            for other in range(n_arms)
        )
        return np.array([evidence >= bar for evidence in leads])

    def doubts(self, alpha: float) -> list[str]:
        """Return which arms each should have met and did not; ``alpha`` does not matter."""
        lacks = np.isnan(self._means) & (self._weight > 0)
        np.fill_diagonal(lacks, val=False)
        return [
            "no overlap: these votes cannot tell the score of "
            f"{self._arms[arm]}, which never met {listing([self._arms[c] for c in others])}"
            if len(others := np.flatnonzero(lacks[arm]))
            else ""
            for arm in range(len(self._arms))
        ]

    def _log_share(self, alpha: float, parts: int) -> float:
        return math.log(parts * (self._look + 1) * (self._look + 2) / alpha)

    def _known_part(self, means: Floats) -> Floats:
        """Return each arm's score with 0 for pairs that had not met when the bounds were made."""
        parts = np.where(self._early > 0, self._weight * means, 0.0)
        np.fill_diagonal(parts, self._weight / 2)
        return np.asarray(parts.sum(axis=1))

    def _variances(self) -> Floats:
        return np.asarray(ratio(self._weight**2, self._early).sum(axis=1))


def ratio(above: Floats, below: Floats) -> Floats:
    """Return a ratio, 0 where nothing is below."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    return np.divide(above, below, out=np.zeros(shape), where=below > 0)


def _first_votes(log: Log, votes: float) -> Floats:
    """Return how often each pair met among the first votes.

    Votes of one time have no order; of those in the middle every pair counts the same share.
    """
    before = np.cumsum(log.count)
    edges = np.append(np.flatnonzero(np.diff(log.time)) + 1, len(log))
    totals = before[edges - 1]
    last = min(int(np.searchsorted(totals, votes)), len(edges) - 1)
    begin = 0 if last == 0 else int(edges[last - 1])
    end = int(edges[last])
    early = _met(log, slice(0, begin))
    within = _met(log, slice(begin, end))
    passed = 0.0 if last == 0 else float(totals[last - 1])
    share = min((votes - passed) / (float(totals[last]) - passed), 1.0)
    return np.asarray(early + np.floor(share * within + 1e-9))


def _met(log: Log, rows: slice) -> Floats:
    size = log.n_arms**2
    key = log.left[rows] * log.n_arms + log.right[rows]
    met = np.bincount(key, log.count[rows], size).reshape(log.n_arms, log.n_arms)
    return np.asarray(met + met.T)
