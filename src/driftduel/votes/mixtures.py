"""Bounds for the average score from weighted votes, however large the weights, under drift too.

In round t let Y >= 0 have the mean b_t given the past, such as an outcome divided by the
probability of the pair (Horvitz and Thompson), and y in [0, 1] be a guess of Y made before. With

    psi(theta) = -ln(1 - theta) - theta,    V = sum of (Y - y)^2,    0 <= theta < 1

exp(theta sum(Y - b) - psi(theta) V) is a supermartingale: for x >= -1,
exp(theta x - psi(theta) x^2) is at most 1 + theta x (Fan, Grama and Liu 2015), here with x = Y - y,
and the mean of exp(theta (y - b)) (1 + theta (Y - y)) is at most 1 as 1 + u <= exp(u). So is a
mixture over theta_k = 2^-k, k = 1..25, with probabilities p_k in proportion to 1 / (k (k + 1)). By
Ville's inequality, sum(Y - b) reaches the root m of

    sum over k of p_k exp(theta_k m - psi(theta_k) V) = 1 / alpha

at any time with probability alpha at most. Nothing here asks the b_t to be equal. If it is known
that Y - y >= -S, all this holds of Y / S; and of several such Y of the same mean a gambler may
share his fortune between their mixtures (`least_total`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel.votes.checks import as_amounts, as_level

Floats = NDArray[np.float64]

_STEPS = 25
_HALVINGS = 50
"""Of a range not much longer than the root, until rounding is all that is left."""


def mean_bounds(gains: ArrayLike, losses: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """Return bounds for the average of b_t over all rounds, which hold at all times with 1 - alpha.

    Parameters
    ----------
    gains : array_like
        Y of each round along the last axis, at least 0, of mean b_t given the past.
    losses : array_like
        As many numbers of the mean 1 - b_t: the same for the opponent.
    alpha : float
        The probability that the average is ever outside, half of it on either side.

    Examples
    --------
    >>> outcomes = np.tile([1, 1, 1, 0], 500)
    >>> low, high = mean_bounds(outcomes, 1 - outcomes, alpha=0.05)
    >>> float(low.round(3)), float(high.round(3))
    (0.714, 0.786)
    """
    if np.shape(gains) != np.shape(losses):
        raise ValueError(
            f"gains and losses: of shapes {np.shape(gains)} and {np.shape(losses)}, "
            "must be of the same"
        )
    return _proved(gains, as_level(alpha) / 2), 1.0 - _proved(losses, as_level(alpha) / 2)


def running_sums(values: ArrayLike) -> tuple[Floats, Floats]:
    """Return the sums of Y and of V until each round, along the last axis.

    The guess of a round is the mean of the rounds before it and of one more, 1/2, at most 1.

    Examples
    --------
    >>> totals, variances = running_sums([1.0, 0.0, 3.0])
    >>> totals, variances.round(3)
    (array([1., 1., 4.]), array([0.25 , 0.812, 7.062]))
    """
    numbers = as_amounts(values, "values")
    if numbers.ndim == 0 or numbers.shape[-1] == 0:
        raise ValueError("values: there are none, must be one at least")
    totals = np.cumsum(numbers, axis=-1)
    guesses = np.minimum((totals - numbers + 0.5) / np.arange(1, numbers.shape[-1] + 1), 1.0)
    return totals, np.cumsum((numbers - guesses) ** 2, axis=-1)


def deviation(variance: ArrayLike, alpha: float) -> Floats:
    """Return m of each V: the sum of Y - b ever reaches it with probability alpha at most.

    Examples
    --------
    >>> deviation([0, 25, 2500], alpha=0.025).round(2)
    array([  8.58,  17.96, 185.98])
    """
    spread = as_amounts(variance, "variance")
    bar = -math.log(as_level(alpha))
    # Where one term of the sum alone is enough, the sum is as well.
    alone = (bar - _LOG_SHARES + _PSI * spread[..., None]) / _THETA
    low, high = np.zeros(spread.shape), alone.min(axis=-1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        reached = log_wealth(middle, spread) >= bar
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high


class Stake(NamedTuple):
    """A share of a fortune that is bet on one way to find the same sum of means.

    Attributes
    ----------
    share : float
        All shares sum up to 1.
    total, variance : ndarray
        The sums of Y and of (Y - y)^2.
    scale : ndarray or float
        S, if Y - y is at least -S.
    """

    share: float
    total: Floats
    variance: Floats
    scale: Floats | float


def least_total(stakes: Sequence[Stake], alpha: ArrayLike, most: float) -> Floats:
    """Return the least sum of b that is not refuted at a level, from -``most`` to ``most``.

    Examples
    --------
    >>> total, variance = np.array([60.0]), np.array([25.0])
    >>> least_total([Stake(1.0, total, variance, 1.0)], alpha=0.025, most=100.0).round(2)
    array([42.04])
    >>> halves = [Stake(0.5, total, variance, 1.0), Stake(0.5, total, variance / 4, 0.5)]
    >>> least_total(halves, alpha=0.025, most=100.0).round(2)
    array([50.29])
    """
    bar = -np.log(as_amounts(alpha, "alpha"))
    shape = np.broadcast_shapes(*(np.shape(stake.total) for stake in stakes), np.shape(bar))
    low, high = np.full(shape, -most), np.full(shape, most)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fortunes = [
            np.log(share)
            + log_wealth((total - middle) / scale, np.asarray(variance) / np.square(scale))
            for share, total, variance, scale in stakes
        ]
        refuted = np.logaddexp.reduce(fortunes, axis=0) >= bar
        low, high = np.where(refuted, middle, low), np.where(refuted, high, middle)
    return low


def log_wealth(excess: ArrayLike, variance: ArrayLike) -> Floats:
    """Return the logarithm of the mixture at a sum of Y - b and at V.

    Examples
    --------
    >>> round(float(np.exp(log_wealth(deviation(25, alpha=0.05), 25))), 6)
    20.0
    """
    terms = np.multiply.outer(np.asarray(excess), _THETA)
    terms = terms - np.multiply.outer(np.asarray(variance), _PSI) + _LOG_SHARES
    top = terms.max(axis=-1)
    return top + np.log(np.exp(terms - top[..., None]).sum(axis=-1))


def _proved(values: ArrayLike, alpha: float) -> Floats:
    """Return a lower bound for the average of b_t that holds at all times with 1 - alpha."""
    totals, variances = running_sums(values)
    least = totals[..., -1] - deviation(variances[..., -1], alpha)
    return np.clip(least / totals.shape[-1], 0.0, 1.0)


_K = np.arange(1, _STEPS + 1)
_THETA = 0.5**_K
_PSI = sum(_THETA**power / power for power in range(2, 64))  # exact where theta is tiny
_LOG_SHARES = np.log((_STEPS + 1) / _STEPS / (_K * (_K + 1.0)))
