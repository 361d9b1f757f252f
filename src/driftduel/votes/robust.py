"""Narrower scores from votes with propensities, by what was to be expected of them.

Let p be the chances of pairs that were forecast before a round (`driftduel.votes.forecasts`), pi
the propensity of the ordered pair that was asked and w the weight. If arm a met c != a and its
outcome was X, then with s = w_c / (2 pi), and s = 0 for who was not asked,

    Y = m + s (X - p(a, c)),    m = w_a / 2 + sum over c != a of w_c p(a, c)

has the mean b(a, w) whatever was forecast, if both orders of every pair with w_c > 0 could be asked
(doubly robust pseudo-outcomes, Waudby-Smith et al. 2210.10768). Good forecasts make its variance
small; bad ones cost width, never truth.

Where no pair was ever rarer than rho, Y - m is at least -S, S = max w / (2 rho), and the bounds are
those of `driftduel.votes.mixtures` on that scale, with the guess m: three quarters of a fortune are
bet on Y, the rest on the plain Y of `driftduel.votes.weighted`. For the gap between arms c and a
the two Y are subtracted; where these two meet the sizes add up, so S = (w_c + w_a) / (2 rho) there.

Forecasts are given, or from the votes before by the likely model, or one half. In each block those
of the kinds at hand are taken whose sum of (s (X - p))^2 over earlier blocks is least, so that who
forecasts badly is soon not listened to. The score is estimated by

    mean of m + (1 - w_a) sum s (X - p) / sum s
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.forecasts import Forecasts, block_starts, blocks_of, even, of_past
from driftduel.votes.log import Log
from driftduel.votes.mixtures import Stake, least_total
from driftduel.votes.weighted import Floats, WeightedVotes, proved_sums, sides

_PLAIN = 0.25
"""The share of a fortune that is bet without forecasts."""


class RobustVotes(WeightedVotes):
    """Votes of a log beside what was to be expected of them.

    Parameters
    ----------
    log : Log
        The rounds, serves included.
    weight : ndarray of shape (K,)
        The reference weight.
    propensity : ndarray or float
        Of each round, or of all.
    rarest : float
        What no propensity of a pair that counts was ever below, asked or not.
    predictions : Forecasts, optional
        What somebody expected of each round, who did not know how it ended.
    """

    def __init__(
        self,
        log: Log,
        weight: Floats,
        propensity: Floats | float,
        rarest: float,
        predictions: Forecasts | None = None,
    ) -> None:
        super().__init__(log, weight, propensity, rarest)
        kinds = [even(log), of_past(log)]
        if predictions is not None:
            kinds.insert(0, predictions)
        left, right = log.left, log.right
        asked = left != right
        expected = np.stack([kind.tables[kind.of_row, left, right] for kind in kinds])
        # What a vote tells of its left arm for each unit of the other's weight.
        missed = np.where(asked, (log.outcome - expected) / (2 * self._propensity), 0.0)
        size = weight[left] ** 2 + weight[right] ** 2
        taken = _best_so_far(log, log.count * size * missed**2)
        self._missed = missed[taken, np.arange(len(log))]
        self._expected = _expected(log, weight, kinds, taken)

    def scores(self) -> Floats:
        """Return the estimate of every arm's score; nan of who was never asked."""
        log, weight = self._log, self._weight
        found, asked = np.zeros((2, len(weight)))
        share = np.where(log.left != log.right, log.count / (2 * self._propensity), 0.0)
        for (arms, others, _), missed in zip(sides(log), self._by_side(), strict=True):
            found += np.bincount(arms, log.count * weight[others] * missed, len(weight))
            asked += np.bincount(arms, share * weight[others], len(weight))
        off = np.divide(found, asked, out=np.full(found.shape, np.nan), where=asked > 0)
        return np.asarray(self._expected / log.count.sum() + (1 - weight) * off)

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """Return bounds that hold for all arms and at all times with 1 - alpha."""
        gains, squares = self._residuals()
        sums, n = self._blocks, float(self._log.count.sum())
        scale = float(self._weight.max()) / (2 * self._rarest)
        ends = []
        for total, won, squared in (
            (self._expected + gains, sums.gains, sums.gains_squared),
            (n - self._expected - gains, sums.losses, sums.losses_squared),
        ):
            plain = proved_sums(sums.rounds, won, squared, self._weight)
            stakes = [Stake(1 - _PLAIN, total, squares, scale), Stake(_PLAIN, *plain, 1.0)]
            ends.append(least_total(stakes, alpha / (2 * len(self._weight)), n) / n)
        return np.clip(ends[0], 0, 1), np.clip(1 - ends[1], 0, 1)

    def leads(self, arm: int, alpha: float) -> Floats:
        """Return lower bounds of the lead of an arm over each; nan over itself.

        All leads of all arms hold at all times with 1 - alpha.
        """
        weight, n_arms = self._weight, len(self._weight)
        n = float(self._log.count.sum())
        gains, squares = self._residuals()
        total = self._expected[arm] - self._expected + gains[arm] - gains
        # A vote between the two tells of both at once.
        variance = squares[arm] + squares + 2 * weight[arm] * weight * self._met(arm)
        scale = np.maximum(weight[arm] + weight, weight.max()) / (2 * self._rarest)
        stakes = [
            Stake(1 - _PLAIN, total, variance, scale),
            Stake(_PLAIN, *self._lead_sums(arm), 1.0),
        ]
        least = least_total(stakes, alpha / (n_arms * (n_arms - 1)), n) / n
        least[arm] = np.nan
        return np.asarray(least)

    def _by_side(self) -> tuple[Floats, Floats]:
        """Return what votes tell of left arms and of right ones, without the other's weight."""
        return self._missed, -self._missed

    def _residuals(self) -> tuple[Floats, Floats]:
        """Return the sums of Y - m and of its square, of each arm."""
        log, weight = self._log, self._weight
        gains, squares = np.zeros((2, len(weight)))
        for (arms, others, _), missed in zip(sides(log), self._by_side(), strict=True):
            value = weight[others] * missed
            gains += np.bincount(arms, log.count * value, len(weight))
            squares += np.bincount(arms, log.count * value**2, len(weight))
        return gains, squares

    def _met(self, arm: int) -> Floats:
        """Return the sum of ((X - p) / (2 pi))^2 over the votes of an arm with each other arm."""
        log = self._log
        found = np.zeros(len(self._weight))
        for arms, others, _ in sides(log):
            mine = arms == arm
            value = log.count[mine] * self._missed[mine] ** 2
            found += np.bincount(others[mine], value, len(found))
        return found


def _best_so_far(log: Log, loss: Floats) -> NDArray[np.intp]:
    """Return which kind of forecast each row has, from (F, n) losses: the best until its block."""
    starts = block_starts(log.time)
    before = np.concatenate([np.zeros((len(loss), 1)), np.cumsum(loss, axis=1)], axis=1)
    return np.asarray(before[:, starts].argmin(axis=0)[blocks_of(starts, len(log))])


def _expected(
    log: Log, weight: Floats, kinds: Sequence[Forecasts], taken: NDArray[np.intp]
) -> Floats:
    """Return the sum of m of each arm."""
    found = log.count.sum() * weight / 2
    for number, kind in enumerate(kinds):
        mine = taken == number
        rows = np.bincount(kind.of_row[mine], log.count[mine], len(kind.tables))
        used = np.flatnonzero(rows)
        table = np.tensordot(rows[used], kind.tables[used], axes=1)
        np.fill_diagonal(table, 0.0)
        found = found + table @ weight
    return np.asarray(found)
