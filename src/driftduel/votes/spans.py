"""What votes say of any span of a log: sums over cells of it, added up.

A log is cut into cells of about as many rounds each, never inside one time. A span is some cells
that follow each other. By the names of `driftduel.votes.weighted` and
`driftduel.votes.pairwise`, with the level of one bound:

- by propensities, arm a is proved to be behind c if the mixture of the sums of Z and Z^2 reaches
  1 / level; the bounds of a score take the guess 1/2;
- by the means of pairs, if what is known of the gap is above sqrt(R ln(1 / level) / 2).

Both hold for the average over the span, whatever drift there was in it; with means of pairs, over
the votes of each pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.log import Log
from driftduel.votes.mixtures import deviation, log_wealth
from driftduel.votes.pairwise import ratio
from driftduel.votes.weighted import Floats, Ints, Sums, sides, sums_of

MOST_DATED = 500
"""Of which a table for every pair and cell still fits in memory."""

CHALLENGERS = 5
"""How many of the arms that are ahead an arm is compared with; bounds hold for all."""


class Spans(Protocol):
    """What votes say of the cells from one to before another."""

    def shown(self, begin: int, end: int) -> NDArray[np.bool_]:
        """Tell which arms were in a vote."""

    def scores(self, begin: int, end: int) -> Floats:
        """Return the estimate of every arm's score; nan where it cannot be told."""

    def bounds(self, begin: int, end: int, level: float) -> tuple[Floats, Floats]:
        """Return bounds of every arm's score; each is wrong with the level at most."""

    def behind(self, begin: int, end: int, level: float) -> NDArray[np.bool_]:
        """Tell which arms are proved to be behind another."""


class WeightedSpans:
    """Spans of a log with propensities."""

    def __init__(self, log: Log, weight: Floats, propensity: Floats | float, starts: Ints) -> None:
        chances = np.broadcast_to(np.asarray(propensity, dtype=np.float64), len(log))
        self._weight = weight
        self._sums = Sums(*map(_cumulated, sums_of(log, weight, chances, starts)))
        values = (log.count * (outcome / (2 * chances)) ** 2 for _, _, outcome in sides(log))
        self._direct = _cumulated(_by_pair(log, values, starts))
        votes = (log.count, log.count)
        self._met = _cumulated(_by_pair(log, votes, starts).sum(axis=2))

    def shown(self, begin: int, end: int) -> NDArray[np.bool_]:
        """Tell which arms were in a vote."""
        return np.asarray(self._met[end] > self._met[begin])

    def scores(self, begin: int, end: int) -> Floats:
        """Return the self-normalised estimates."""
        rounds, gains, losses, _, _ = self._between(begin, end)
        won, lost = (rounds * self._weight / 2 + part for part in (gains, losses))
        both = won + lost
        found = np.divide(won, both, out=np.full(won.shape, np.nan), where=both > 0)
        found[~self.shown(begin, end)] = np.nan
        return found

    def bounds(self, begin: int, end: int, level: float) -> tuple[Floats, Floats]:
        """Return bounds of every arm's score; each is wrong with the level at most."""
        rounds, gains, losses, gains_squared, losses_squared = self._between(begin, end)
        ends = []
        base = self._weight / 2 - 0.5
        for part, squared in ((gains, gains_squared), (losses, losses_squared)):
            variance = np.maximum(rounds * base**2 + 2 * base * part + squared, 0)
            total = rounds * self._weight / 2 + part
            ends.append(np.clip((total - deviation(variance, level)) / rounds, 0, 1))
        return ends[0], 1 - ends[1]

    def behind(self, begin: int, end: int, level: float) -> NDArray[np.bool_]:
        """Tell which arms are proved to be behind another."""
        rounds, gains, losses, gains_squared, losses_squared = self._between(begin, end)
        direct = self._direct[end] - self._direct[begin]
        ahead = _first(self.scores(begin, end))
        weight = self._weight
        base = (weight[ahead, None] + weight) / 2 - 1
        both = gains[ahead, None] + losses
        squares = gains_squared[ahead, None] + losses_squared
        squares = squares + 2 * weight[ahead, None] * weight * direct[ahead]
        excess = rounds * base + both
        variance = np.maximum(rounds * base**2 + 2 * base * both + squares, 0)
        proved = (excess > 0) & (log_wealth(excess, variance) >= -math.log(level))
        proved[np.arange(len(ahead)), ahead] = False
        return np.asarray(proved.any(axis=0))

    def _between(self, begin: int, end: int) -> tuple[float, Floats, Floats, Floats, Floats]:
        rounds, *parts = (part[end] - part[begin] for part in self._sums)
        return float(rounds), parts[0], parts[1], parts[2], parts[3]


class PairwiseSpans:
    """Spans of a log of which nothing is known but that pairs did not follow the votes."""

    def __init__(self, log: Log, weight: Floats, starts: Ints) -> None:
        self._weight = weight
        values = (log.count * outcome for _, _, outcome in sides(log))
        self._wins = _cumulated(_by_pair(log, values, starts))

    def shown(self, begin: int, end: int) -> NDArray[np.bool_]:
        """Tell which arms were in a vote."""
        return np.asarray(self._met(begin, end)[1].sum(axis=1) > 0)

    def scores(self, begin: int, end: int) -> Floats:
        """Return the weighted means over the pairs that met; nan for who met nobody."""
        means, met = self._met(begin, end)
        known = np.where(met > 0, self._weight, 0.0)
        np.fill_diagonal(known, 0.0)
        total = known.sum(axis=1)
        won = np.where(met > 0, known * means, 0.0).sum(axis=1)
        share = np.divide(won, total, out=np.full(total.shape, np.nan), where=total > 0)
        return np.asarray(self._weight / 2 + (1 - self._weight) * share)

    def bounds(self, begin: int, end: int, level: float) -> tuple[Floats, Floats]:
        """Return bounds of every arm's score; each is wrong with the level at most."""
        won, lost, variances, _ = self._known(begin, end)
        spread = np.sqrt(-math.log(level) / 2 * variances)
        return np.clip(won - spread, 0, 1), 1 - np.clip(lost - spread, 0, 1)

    def behind(self, begin: int, end: int, level: float) -> NDArray[np.bool_]:
        """Tell which arms are proved to be behind another."""
        won, lost, variances, met = self._known(begin, end)
        ahead = _first(won - lost)
        weight = self._weight
        direct = ratio(2 * weight[ahead, None] * weight, met[ahead])
        spread = np.sqrt(-math.log(level) / 2 * (variances[ahead, None] + variances + direct))
        proved = won[ahead, None] + lost - 1 > spread
        proved[np.arange(len(ahead)), ahead] = False
        return np.asarray(proved.any(axis=0))

    def _met(self, begin: int, end: int) -> tuple[Floats, Floats]:
        """Return the means of all pairs and how often they met."""
        wins = self._wins[end] - self._wins[begin]
        met = wins + wins.T
        return ratio(wins, met), met

    def _known(self, begin: int, end: int) -> tuple[Floats, Floats, Floats, Floats]:
        means, met = self._met(begin, end)
        known = np.where(met > 0, self._weight, 0.0)
        np.fill_diagonal(known, 0.0)
        won = self._weight / 2 + (known * means).sum(axis=1)
        lost = self._weight / 2 + (known * (1 - means)).sum(axis=1)
        return won, lost, ratio(self._weight**2, met).sum(axis=1), met


def cell_starts(log: Log, cells: int) -> Ints:
    """Return the rows that begin cells of about as many rounds; a cell of one time may be empty.

    Examples
    --------
    >>> log = Log(["a", "b"], [1, 2, 2, 3, 4, 5], [0] * 6, [1] * 6, [1] * 6)
    >>> cell_starts(log, 3)
    array([0, 3, 4])
    """
    begins = np.append(0, np.flatnonzero(np.diff(log.time)) + 1)
    passed = np.append(0.0, np.cumsum(log.count))[begins]
    wanted = np.arange(cells) / cells * log.count.sum()
    # The nearest beginning of a time.
    after = np.minimum(np.searchsorted(passed, wanted), len(begins) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(wanted - passed[before] < passed[after] - wanted, before, after)
    return np.asarray(begins[nearest], dtype=np.int64)


def _by_pair(log: Log, values: Iterable[Floats], starts: Ints) -> Floats:
    """Return the sum of values of arms against others in each cell, (B, K, K); serves are none."""
    n_arms, n_cells = log.n_arms, len(starts)
    cell = np.zeros(len(log), dtype=np.int64)
    np.add.at(cell, starts[1:], 1)
    cell = np.cumsum(cell) * n_arms
    found = np.zeros(n_cells * n_arms**2)
    asked = log.left != log.right
    for (arms, others, _), value in zip(sides(log), values, strict=True):
        found += np.bincount((cell + arms) * n_arms + others, value * asked, found.size)
    return found.reshape(n_cells, n_arms, n_arms)


def _cumulated(parts: Floats) -> Floats:
    """Return the sums of the first cells, of none first."""
    return np.concatenate([np.zeros((1, *parts.shape[1:])), np.cumsum(parts, axis=0)])


def _first(scores: Floats) -> NDArray[np.intp]:
    """Return a few arms that are ahead."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    return np.argsort(-known, kind="stable")[:CHALLENGERS]
