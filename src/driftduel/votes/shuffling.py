"""Votes with their dates shuffled: what a world without change might have sent instead.

If the chance that one arm beats another never changes, the outcomes of the duels between the two
could have come in any order. So the outcomes of each pair are shuffled over the dates on which it
was shown, those of both orders apart. Who was shown when, and on which side, stays as it was: an
arm that came late, or moved from left to right, is no change of taste.
"""

from __future__ import annotations

import math

import numpy as np

from driftduel.votes.log import Array, Ints, Log
from driftduel.votes.smoothing import add_up

_MANY = 20_000
"""Cells, of a pair at one time, that are shuffled as they are; of more, times are rounded."""

_MUCH = 10**6
"""Pairs of times at which one pair of arms met, likewise."""

_PARTS = 250
"""Parts of the time that they are rounded to, at least."""

_PARTS_PER_BANDWIDTH = 8
_MOST_PARTS = 10_000

_MOST_DRAWN = 10**9
"""Votes of a pair below which numpy deals them; of more, shares differ by less than 1/30,000."""


class Shuffler:
    """Shuffles the outcomes of a log over its dates, again and again.

    Parameters
    ----------
    log : Log
        The votes.
    bandwidth : float
        The narrowest that the shuffled logs will be smoothed with; infinite if that is not known.

    Attributes
    ----------
    n_pairs, n_cells : int
        Ordered pairs that met, and at how many times they did, in all.
    work : float
        Pairs of times at which one pair of arms met: what choosing a bandwidth grows with.

    Examples
    --------
    >>> log = Log(["tea", "milk"], [1, 2, 3, 4], [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0])
    >>> shuffled = Shuffler(log).shuffled(np.random.default_rng(1))
    >>> shuffled.outcome, shuffled.time
    (array([0., 1., 1., 0.]), array([1., 2., 3., 4.]))
    """

    def __init__(self, log: Log, bandwidth: float = math.inf) -> None:
        log = self._log = log.votes
        pair = log.left * log.n_arms + log.right
        times, when = np.unique(log.time, return_inverse=True)
        keys, cell = np.unique(pair * len(times) + when, return_inverse=True)
        if len(times) > _PARTS and (len(keys) > _MANY or _work(log, when) > _MUCH):
            times, when = _rounded(log, bandwidth)
            keys, cell = np.unique(pair * len(times) + when, return_inverse=True)
        pairs, moments = np.divmod(keys, len(times))
        self._left, self._right = np.divmod(pairs, log.n_arms)
        self._time: Array = times[moments]
        self._votes = _added(cell, log.count, len(keys))
        self._won = _added(cell, log.count * (log.outcome == 1), len(keys))
        self._tied = _added(cell, log.count * (log.outcome == 0.5), len(keys))
        self._begins = np.flatnonzero(np.diff(pairs, prepend=-1, append=-1))
        self.n_cells = len(keys)
        self.n_pairs = len(self._begins) - 1
        self.work = _work(log, when)

    def shuffled(self, rng: np.random.Generator) -> Log:
        """Return the votes with their outcomes shuffled."""
        won, tied = self._won.copy(), self._tied.copy()
        for begin, end in zip(self._begins[:-1], self._begins[1:], strict=True):
            if end - begin > 1:
                cells = slice(begin, end)
                won[cells] = _dealt(self._votes[cells], won[cells], rng)
                tied[cells] = _dealt(self._votes[cells] - won[cells], tied[cells], rng)
        lost = self._votes - won - tied
        counts = np.concatenate([won, tied, lost])
        outcome = np.repeat([1.0, 0.5, 0.0], self.n_cells)
        kept = counts > 0
        columns = (np.tile(column, 3) for column in (self._time, self._left, self._right))
        time, left, right = (column[kept] for column in columns)
        return Log(
            self._log.arms, time, left, right, outcome[kept], counts[kept], dated=self._log.dated
        )


def _work(log: Log, when: Ints) -> float:
    """Return how many pairs of times there are at which one pair of arms met, in either order."""
    pair = np.minimum(log.left, log.right) * log.n_arms + np.maximum(log.left, log.right)
    met = np.unique(pair * (int(when.max()) + 1) + when) // (int(when.max()) + 1)
    return float((np.unique(met, return_counts=True)[1].astype(np.float64) ** 2).sum())


def _rounded(log: Log, bandwidth: float) -> tuple[Array, Ints]:
    """Return moments in equal steps from the first vote to the last, and the nearest of each."""
    first, last = log.time[0], log.time[-1]
    parts = math.ceil(min(_PARTS_PER_BANDWIDTH * (last - first) / bandwidth, _MOST_PARTS))
    parts = max(parts, _PARTS)
    nearest = np.rint((log.time - first) / (last - first) * (parts - 1)).astype(np.int64)
    return np.linspace(first, last, parts), nearest


def _added(cell: Ints, votes: Array, n_cells: int) -> Ints:
    return add_up(cell, votes, n_cells).astype(np.int64)


def _dealt(votes: Ints, hits: Ints, rng: np.random.Generator) -> Ints:
    """Return as many hits in all, spread over votes at random."""
    total, n_hits = int(votes.sum()), int(hits.sum())
    if n_hits in (0, total):
        return hits if n_hits == 0 else votes
    if total >= _MOST_DRAWN:
        return np.rint(votes * (n_hits / total)).astype(np.int64)
    return rng.multivariate_hypergeometric(votes, n_hits, method="marginals")
