"""Confidence sequences for the mean of outcomes: intervals that hold at every moment at once.

With s wins in n tosses, the interval holds every mean m whose evidence is below 1/alpha:

    E(m) = B(s + 1/2, n - s + 1/2) / (B(1/2, 1/2) m^s (1 - m)^(n - s))

E(m) is what a gambler owns who began with 1 and bets against m, his bets mixed by a Beta(1/2, 1/2)
distribution (Robbins 1970). If the mean given the past is m in every toss, he does not gain on
average, and by Ville's inequality he ever owns 1/alpha with probability alpha at most. So the truth
is in the interval at all times with probability 1 - alpha, whoever chose which arm to toss and when
to look.

Ties count half a win. Let x in [0, 1] be an outcome of mean m, and the gambler believe in p. His
fortune is multiplied by (p/m)^x ((1-p)/(1-m))^(1-x), which is convex in x, hence at most
x p/m + (1-x) (1-p)/(1-m), whose mean is p + (1-p) = 1. So he does not gain from outcomes between 0
and 1 either, and the interval holds for them; it is only wider than it would have to be.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel.votes.checks import as_amounts, as_level

Floats = NDArray[np.float64]

_HALVINGS = 41
"""Of an interval of length 1, until it is shorter than 1e-12."""


def interval(wins: ArrayLike, tosses: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each arm, which hold at all times with 1 - alpha.

    Under drift it is an interval for the average of the means so far: see docs/proved-intervals.md.

    Parameters
    ----------
    wins : array_like
        The sum of the outcomes of each arm, a tie as 1/2.
    tosses : array_like
        How many outcomes that is of each arm. The count begins at a moment that was chosen without
        knowledge of the outcomes after it.
    alpha : float
        The probability that the mean of an arm is ever outside.

    Examples
    --------
    >>> low, high = interval([0, 6, 60, 600.5], [0, 10, 100, 1000], alpha=0.05)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.178, 0.434, 0.543]), array([1.   , 0.931, 0.751, 0.656]))
    """
    won, played = _counts(wins, tosses)
    alpha = as_level(alpha)
    lost = played - won
    share = np.divide(won, played, out=np.full(won.shape, 0.5), where=played > 0)
    # The means inside are those whose likelihood is above this.
    bar = log_mixture(won, lost) + math.log(alpha)
    return _end(0.0, share, won, lost, bar), _end(1.0, share, won, lost, bar)


def simultaneous(wins: ArrayLike, tosses: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of intervals of which all hold at all times with 1 - alpha.

    Each of K arms gets alpha / K.

    Examples
    --------
    >>> low, high = simultaneous([60, 40], [100, 100], alpha=0.05)
    >>> low.round(3), high.round(3)
    (array([0.424, 0.24 ]), array([0.76 , 0.576]))
    """
    won, played = _counts(wins, tosses)
    return interval(won, played, as_level(alpha) / max(won.size, 1))


def log_evidence(wins: ArrayLike, tosses: ArrayLike, mean: ArrayLike) -> Floats:
    """Return the logarithm of the evidence against a mean, E(m) above.

    Examples
    --------
    >>> low, high = interval(60, 100, alpha=0.05)
    >>> (1 / np.exp(log_evidence(60, 100, [low, high]))).round(6)
    array([0.05, 0.05])
    """
    won, played = _counts(wins, tosses)
    means = as_amounts(mean, "mean")
    if np.any(means > 1):
        raise ValueError(f"mean: {means.max():g} is among them, must be at most 1")
    return log_mixture(won, played - won) - _log_likelihood(won, played - won, means)


def _counts(wins: ArrayLike, tosses: ArrayLike) -> tuple[Floats, Floats]:
    won, played = np.broadcast_arrays(as_amounts(wins, "wins"), as_amounts(tosses, "tosses"))
    if np.any(won > played):
        at = np.unravel_index(np.argmax(won - played), won.shape)
        raise ValueError(f"wins: {won[at]:g} of {played[at]:g} tosses, must be at most the tosses")
    return won, played


def log_mixture(won: Floats, lost: Floats) -> Floats:
    """Return ln B(s + 1/2, n - s + 1/2) / B(1/2, 1/2); the divisor is pi."""
    return _log_gamma(won + 0.5) + _log_gamma(lost + 0.5) - _log_gamma(won + lost + 1) - _LOG_PI


_log_gamma = np.vectorize(math.lgamma, otypes=[np.float64])
_LOG_PI = math.log(math.pi)


def _log_likelihood(won: Floats, lost: Floats, mean: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 ln 0 is 0
        gained = np.where(won > 0, won * np.log(mean), 0.0)
        return gained + np.where(lost > 0, lost * np.log1p(-mean), 0.0)


def _end(outside: float, share: Floats, won: Floats, lost: Floats, bar: Floats) -> Floats:
    """Return the end of the interval between a mean that may be outside and the share of wins.

    The likelihood grows towards the share of wins, where it is above any mixture. The outer of the
    last two means is taken, so that rounding never leaves the truth out.
    """
    out, inside = np.full(share.shape, outside), share
    for _ in range(_HALVINGS):
        middle = (out + inside) / 2
        is_in = _log_likelihood(won, lost, middle) > bar
        out, inside = np.where(is_in, out, middle), np.where(is_in, middle, inside)
    return out
