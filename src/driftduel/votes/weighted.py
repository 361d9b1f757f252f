"""Scores from votes with propensities: each vote weighs as much as its pair was improbable.

Let pi be the propensity of the ordered pair that was asked in a round and w the weight. If arm a
met c != a and its outcome was X, then

    s = w_c / (2 pi),    Y+ = w_a / 2 + s X,    Y- = w_a / 2 + s (1 - X)

and s = 0 otherwise. Given the past, E[Y+] = b(a, w) and E[Y-] = 1 - b(a, w), under drift and
however the pairs were chosen, if both orders of every pair with w_c > 0 could be asked; the 1/2
averages the two. If some could not, both means are only smaller, so that bounds for the score
still hold: they stay wide. The score itself is estimated by sum Y+ / sum (Y+ + Y-)
(self-normalised, SNIPS), the bounds are those of `driftduel.votes.mixtures`.

The guess that these need is the mean of Y in the rounds before a block of rounds, and of one more,
1/2, at most 1. Blocks begin with rounds 2^j and 3/2 2^j, or where the time is another for the first
time after that: rounds of one time have no order. So sums over blocks are all that is needed.

For the gap between arms c and a, Z = Y+ of c + Y- of a - 1 has the mean b(c) - b(a) and is -1 at
least; the guess is 0.

Overlap: the mean of s over the rounds is 1 - w_a if every pair could be asked. It is tested by the
same mixture, upwards as it is and downwards on the scale of the smallest propensity in the log: a
pair still rarer than that is not told from one that could not be asked.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.text import listing
from driftduel.votes.log import Log
from driftduel.votes.mixtures import deviation, log_wealth

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


WRONG = "the propensities are wrong"
"""How the doubt begins that makes bounds claim too much."""

_SELDOM = 0.5
"""A pair that could be asked in less than this share of the rounds is named as missing."""


class Sums(NamedTuple):
    """Sums over blocks of rounds; (B,) and (B, K)."""

    rounds: Floats
    gains: Floats  # of s X
    losses: Floats  # of s (1 - X)
    gains_squared: Floats  # of (s X)^2
    losses_squared: Floats


class WeightedVotes:
    """Votes of a log by the weights that their propensities give them.

    Parameters
    ----------
    log : Log
        The rounds, serves included.
    weight : ndarray of shape (K,)
        The reference weight.
    propensity : ndarray or float
        Of each round, or of all.
    rarest : float, optional
        What no propensity was ever below, asked or not; the least in the log if it is left out.
    """

    def __init__(
        self,
        log: Log,
        weight: Floats,
        propensity: Floats | float,
        rarest: float | None = None,
    ) -> None:
        self._log = log
        self._weight = weight
        self._propensity = np.broadcast_to(np.asarray(propensity, dtype=np.float64), len(log))
        self._rarest = float(self._propensity.min()) if rarest is None else rarest

    def scores(self) -> Floats:
        """Return the self-normalised estimate of every arm's score; nan if nothing is known."""
        won, lost = self._totals()
        both = won + lost
        return np.divide(won, both, out=np.full(won.shape, np.nan), where=both > 0)

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """Return bounds that hold for all arms and at all times with 1 - alpha."""
        sums, share = self._blocks, alpha / (2 * len(self._weight))
        low = _proved(sums.rounds, sums.gains, sums.gains_squared, self._weight, share)
        high = 1 - _proved(sums.rounds, sums.losses, sums.losses_squared, self._weight, share)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def leads(self, arm: int, alpha: float) -> Floats:
        """Return lower bounds of the lead of an arm over each; nan over itself.

        All leads of all arms hold at all times with 1 - alpha.
        """
        n_arms = len(self._weight)
        excess, variance = self._lead_sums(arm)
        least = excess - deviation(variance, alpha / (n_arms * (n_arms - 1)))
        least = np.clip(least / self._blocks.rounds.sum(), -1, 1)
        least[arm] = np.nan
        return np.asarray(least)

    def ahead(self, arm: int, alpha: float) -> NDArray[np.bool_]:
        """Tell of which arms one is proved to be ahead.

        Of the best arm any other is ever said to be with probability alpha at most: these are as
        many leads as there are others, where `leads` holds for all pairs.
        """
        return np.asarray(self.leads(arm, alpha * len(self._weight)) > 0)

    def doubts(self, alpha: float) -> list[str]:
        """Return what speaks against each arm's figures, empty if nothing does.

        If every pair could be asked as the propensities say, somebody is ever doubted with
        probability alpha at most.
        """
        rest = 1 - self._weight
        sums = self._blocks
        n = sums.rounds.sum()
        excess = (sums.gains + sums.losses).sum(axis=0) - n * rest
        squares = self._shares_squared() - 2 * rest * (excess + n * rest) + n * rest**2
        scale = max(1.0, float(self._weight.max() / (2 * self._rarest)))
        bar = math.log(2 * len(rest) / alpha)
        squares = np.maximum(squares, 0)  # rounding
        too_often = log_wealth(excess, squares) >= bar
        too_seldom = log_wealth(-excess / scale, squares / scale**2) >= bar
        return [
            self._too_often(arm) if often else self._too_seldom(arm) if seldom else ""
            for arm, (often, seldom) in enumerate(zip(too_often, too_seldom, strict=True))
        ]

    @property
    def _blocks(self) -> Sums:
        if not hasattr(self, "_sums"):
            starts = block_starts(self._log.time)
            self._sums = sums_of(self._log, self._weight, self._propensity, starts)
        return self._sums

    def _totals(self) -> tuple[Floats, Floats]:
        """Return the sums of Y+ and of Y-."""
        sums = self._blocks
        free = sums.rounds.sum() * self._weight / 2
        return free + sums.gains.sum(axis=0), free + sums.losses.sum(axis=0)

    def _lead_sums(self, arm: int) -> tuple[Floats, Floats]:
        """Return the sums of Z and of Z^2 for the lead of an arm over each."""
        sums, weight = self._blocks, self._weight
        both = sums.gains[:, arm].sum() + sums.losses.sum(axis=0)
        squares = sums.gains_squared[:, arm].sum() + sums.losses_squared.sum(axis=0)
        # A duel of the two is a gain for one and a loss for the other at once.
        squares = squares + 2 * weight[arm] * weight * self._direct(arm)
        base, n = (weight[arm] + weight) / 2 - 1, sums.rounds.sum()
        return n * base + both, np.maximum(n * base**2 + 2 * base * both + squares, 0)

    def _direct(self, arm: int) -> Floats:
        """Return the sum of (X / (2 pi))^2 over the duels of an arm with each other arm."""
        log, n_arms = self._log, len(self._weight)
        found = np.zeros(n_arms)
        for arms, others, outcome in sides(log):
            mine = (arms == arm) & (others != arm)
            value = (outcome[mine] / (2 * self._propensity[mine])) ** 2
            found += np.bincount(others[mine], log.count[mine] * value, n_arms)
        return found

    def _possible(self, arm: int) -> Floats:
        """Return an estimate of the share of rounds in which an arm could meet each other arm."""
        log = self._log
        found = np.zeros(log.n_arms)
        for arms, others, _ in sides(log):
            mine = arms == arm
            found += np.bincount(
                others[mine], log.count[mine] / (2 * self._propensity[mine]), log.n_arms
            )
        return np.asarray(found / log.count.sum())

    def _shares_squared(self) -> Floats:
        """Return the sum of s^2 of each arm."""
        log, n_arms = self._log, len(self._weight)
        found = np.zeros(n_arms)
        for arms, others, _ in sides(log):
            share = np.where(arms != others, self._weight[others] / (2 * self._propensity), 0.0)
            found += np.bincount(arms, log.count * share**2, n_arms)
        return found

    def _too_often(self, arm: int) -> str:
        name = self._log.arms[arm]
        return f"{WRONG}: {name} was shown more often than they allow"

    def _too_seldom(self, arm: int) -> str:
        log = self._log
        as_left = np.bincount(log.right[log.left == arm], minlength=log.n_arms) > 0
        as_right = np.bincount(log.left[log.right == arm], minlength=log.n_arms) > 0
        wanted = (self._weight > 0) & (np.arange(log.n_arms) != arm)
        never = wanted & ~as_left & ~as_right
        one_side = wanted & (as_left ^ as_right)
        seldom = wanted & as_left & as_right & (self._possible(arm) < _SELDOM)
        lacks = [
            f"{words} {listing([log.arms[other] for other in np.flatnonzero(who)])}{end}"
            for words, who, end in (
                ("never met", never, ""),
                ("met", one_side, " on one side only"),
                ("could meet", seldom, " in a part of the rounds only"),
            )
            if who.any()
        ]
        reason = " and ".join(lacks) or "was shown less often than the propensities say"
        return f"no overlap: these votes cannot tell the score of {log.arms[arm]}, which {reason}"


def sums_of(log: Log, weight: Floats, propensity: Floats, starts: Ints) -> Sums:
    """Return the sums over the blocks that begin with given rows, the first with row 0."""
    n_arms, n_blocks = len(weight), len(starts)
    block = np.zeros(len(log), dtype=np.int64)
    np.add.at(block, starts[1:], 1)  # an empty block begins where the next one does
    block = np.cumsum(block)
    sums = np.zeros((4, n_blocks * n_arms))
    for arms, others, outcome in sides(log):
        cell = block * n_arms + arms
        share = np.where(arms != others, weight[others] / (2 * propensity), 0.0)
        for place, values in enumerate((share * outcome, share * (1 - outcome))):
            sums[place] += np.bincount(cell, log.count * values, sums.shape[1])
            sums[place + 2] += np.bincount(cell, log.count * values**2, sums.shape[1])
    rounds = np.bincount(block, log.count, n_blocks).astype(np.float64)
    return Sums(rounds, *sums.reshape(4, n_blocks, n_arms))


def sides(log: Log) -> tuple[tuple[Ints, Ints, Floats], tuple[Ints, Ints, Floats]]:
    """Return arms, their opponents and their outcomes, of the left arms and of the right ones."""
    return (log.left, log.right, log.outcome), (log.right, log.left, 1 - log.outcome)


def block_starts(time: Floats) -> Ints:
    """Return the rounds that begin blocks: 0, 1, 2, 3, 4, 6, 8, 12, ... where a new time begins.

    Examples
    --------
    >>> block_starts(np.arange(20.0))
    array([ 0,  1,  2,  3,  4,  6,  8, 12, 16])
    >>> block_starts(np.repeat([1.0, 2.0], 5))
    array([0, 5])
    """
    wanted = [0, 1]
    power = 2
    while power < len(time):
        wanted += [power, power + power // 2]
        power *= 2
    begins = np.append(0, np.flatnonzero(np.diff(time)) + 1)
    places = np.searchsorted(begins, wanted)
    return np.unique(begins[places[places < len(begins)]])


def _proved(rounds: Floats, gains: Floats, squared: Floats, weight: Floats, alpha: float) -> Floats:
    """Return the lower bound of the mean of Y = w / 2 + s X for each arm."""
    total, variance = proved_sums(rounds, gains, squared, weight)
    return np.asarray((total - deviation(variance, alpha)) / rounds.sum())


def proved_sums(
    rounds: Floats, gains: Floats, squared: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Return the sums of Y = w / 2 + s X and of its squared distance from the guess, by arm."""
    total = rounds[:, None] * weight / 2 + gains
    square = rounds[:, None] * weight**2 / 4 + weight * gains + squared
    before = np.cumsum(total, axis=0) - total
    passed = np.cumsum(rounds) - rounds
    guess = np.minimum((before + 0.5) / (passed[:, None] + 1), 1)
    variance = (square - 2 * guess * total + rounds[:, None] * guess**2).sum(axis=0)
    return total.sum(axis=0), np.maximum(variance, 0)
