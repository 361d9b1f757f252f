"""The one primitive: evidence that a linear combination of constant means is above a bound.

A *stratum* e is a coin of constant mean p_e with s_e wins in n_e outcomes between 0 and 1. Someone
who bets at fixed odds exp(l) that the mean is above p, with l drawn from `BETS`, owns

    U(s, n, p) = mean over l of exp(l s) / (1 - p + p exp(l))^n

after starting with 1, and who bets that it is below owns D(s, n, p) = U(n - s, n, 1 - p). At the
true mean neither gains on average: given the past an outcome x of mean p has the mean of exp(l x)
below 1 - p + p exp(l), as exp(l x) is convex in x. The evidence that sum c_e p_e > m is

    E = min over p in [0, 1]^d with c.p <= m of
        the product of U_e(p_e) where c_e > 0 and of D_e(p_e) where c_e < 0

If the sum is in truth at most m, the true p is among those of the minimum, so E is at most a
product of fortunes, and ever reaches 1 / alpha with probability alpha at most (Ville 1939), whoever
chose whom to compare and when to look. Among the bets is one of nothing: without it a stratum of
many votes could lose without bound at means that are far from the truth.

If the means move, ln(1 - p + p exp(l)) is concave in p, so that the fortune at the average of the
means so far is at most the one at the means themselves: E then is evidence about the averages.

Each stratum pays for its own mixture of bets. Of many strata it is cheaper to draw l once for all
and to bet at exp(l |c_e| / max |c|) in each, which gives

    E' = mean over l of the least product over p of exp(l s) / (1 - p + p exp(l))^n

below the least of the mean, and so below a fortune as well (`least_joint`).

ln U and ln D are convex, so ln E is a separable convex programme. What is returned is a value of
its dual, which is never above the minimum: to stop early costs power and never proves too much.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.compile.jit import items, kernel
from driftduel.votes.checks import as_amounts

Floats = NDArray[np.float64]

BETS = np.concatenate([[0.0], np.geomspace(0.03, 4.0, 9)])
"""Logarithms of the odds that are bet at."""

_BETS, _GAINS = items(BETS), items(np.expm1(BETS))
_N_BETS = len(BETS)

HALVINGS = 30
"""Of the range of the price of the constraint, and of that of a mean."""

_FALL_HALVINGS = 18
"""Enough for ln E to be exact but for 1e-3 or so, in the many places where a change may be."""

_LEAST_PRICE = math.log(1e-3)
"""Below it the constraint costs next to nothing: the sum is hardly above the bound."""


def log_evidence(
    coefficients: ArrayLike,
    wins: ArrayLike,
    votes: ArrayLike,
    bound: float,
    *,
    halvings: int = HALVINGS,
) -> float:
    """Return a lower bound of ln E, tight but for 1e-4 or so; minus infinity proves nothing.

    Parameters
    ----------
    coefficients : array_like of shape (d,)
        c_e of each stratum, not 0.
    wins, votes : array_like of shape (d,)
        s_e and n_e: the sum of the outcomes, a tie as 1/2, and how many they are.
    bound : float
        The m that the sum is said to be above.
    halvings : int
        How long the minimum is searched for; fewer never give more.

    Examples
    --------
    60 of 100 tosses of one coin and 40 of 100 of another, and that the first is the better:

    >>> round(log_evidence([1, -1], [60, 40], [100, 100], 0), 2)
    1.56
    >>> round(log_evidence([1, -1], [600, 400], [1000, 1000], 0), 2)
    34.84
    """
    weights = np.asarray(coefficients, dtype=np.float64)
    won, played = as_amounts(wins, "wins"), as_amounts(votes, "votes")
    if not weights.shape == won.shape == played.shape or weights.ndim != 1:
        raise ValueError(
            f"coefficients, wins and votes: of shapes {weights.shape}, {won.shape} and "
            f"{played.shape}, must be as many numbers each"
        )
    if not np.isfinite(weights).all() or (weights == 0).any():
        raise ValueError("coefficients: one is 0 or no number, must be others")
    if (won > played).any():
        raise ValueError("wins: more than votes in a stratum, must be at most as many")
    return float(least_evidence(weights, won, played, float(bound), int(halvings)))


@kernel
def log_above(wins: float, votes: float, mean: float) -> tuple[float, float]:
    """Return ln U at a mean, and its slope in the mean; ln D is that of the losses at 1 - mean."""
    top, total, slope = -math.inf, 0.0, 0.0
    for k in range(_N_BETS):
        factor = 1.0 + mean * _GAINS[k]
        log = _BETS[k] * wins - votes * math.log(factor)
        if log > top:
            shrunk = math.exp(top - log)
            total, slope, top = total * shrunk, slope * shrunk, log
        weight = math.exp(log - top)
        total += weight
        slope += weight * _GAINS[k] / factor
    return top + math.log(total / _N_BETS), -votes * slope / total


@kernel
def least_at_price(
    coefficient: float, wins: float, votes: float, price: float, halvings: int
) -> tuple[float, float]:
    """Return the least of ln U or ln D plus price times c p over p, from below, and where it is."""
    up = coefficient > 0.0
    if votes <= 0.0:
        mean = 0.0 if up else 1.0
        return price * coefficient * mean, mean
    low, high = 0.0, 1.0
    least, mean = -math.inf, 0.5
    for _ in range(halvings):
        mean = 0.5 * (low + high)
        if up:
            value, slope = log_above(wins, votes, mean)
        else:
            value, slope = log_above(votes - wins, votes, 1.0 - mean)
            slope = -slope
        value += price * coefficient * mean
        slope += price * coefficient
        # The least lies in this half, and a convex function above its tangent.
        least = max(least, value - abs(slope) * 0.5 * (high - low))
        if slope > 0.0:
            high = mean
        else:
            low = mean
    return least, mean


@kernel
def least_evidence(
    coefficients: Floats, wins: Floats, votes: Floats, bound: float, halvings: int
) -> float:
    """Return the largest value of the dual that was met; see `log_evidence`."""
    n_strata = coefficients.shape[0]
    steepest, least_sum = 0.0, 0.0
    for e in range(n_strata):
        size = abs(coefficients[e])
        steepest = max(steepest, votes[e] * _GAINS[_N_BETS - 1] / size)
        least_sum += min(coefficients[e], 0.0)
    if least_sum > bound:
        return math.inf  # no means sum up to so little
    found = 0.0
    for e in range(n_strata):
        found += least_at_price(coefficients[e], wins[e], votes[e], 0.0, halvings)[0]
    if steepest == 0.0:
        return found
    # From a price at which every mean is as small as it can be, to one of hardly anything.
    low, high = _LEAST_PRICE, max(math.log(steepest), _LEAST_PRICE)
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        price = math.exp(middle)
        value, total = evidence_at(coefficients, wins, votes, bound, price, halvings)
        found = max(found, value)
        if total > bound:
            low = middle
        else:
            high = middle
    return found


@kernel
def evidence_at(
    coefficients: Floats, wins: Floats, votes: Floats, bound: float, price: float, halvings: int
) -> tuple[float, float]:
    """Return the value of the dual at a price, which bounds ln E from below, and the sum there."""
    value, total = -price * bound, 0.0
    for e in range(coefficients.shape[0]):
        least, mean = least_at_price(coefficients[e], wins[e], votes[e], price, halvings)
        value += least
        total += coefficients[e] * mean
    return value, total


@kernel
def near_least(
    coefficients: Floats, wins: Floats, votes: Floats, bound: float, means: Floats
) -> float:
    """Write means that the claim denies, close to the votes; return a price close to the best.

    If votes were normal these would be the least and its price: shares of wins, moved by as much as
    the price asks for in units of their variance, and from there to where means can be.
    """
    ahead, variance, least = -bound, 0.0, 0.0
    for e in range(coefficients.shape[0]):
        means[e] = (wins[e] + 0.5) / (votes[e] + 1.0)
        ahead += coefficients[e] * means[e]
        variance += coefficients[e] ** 2 * means[e] * (1.0 - means[e]) / (votes[e] + 1.0)
        least += min(coefficients[e], 0.0)
    price, total = max(ahead, 0.0) / variance, 0.0
    for e in range(coefficients.shape[0]):
        spread = means[e] * (1.0 - means[e]) / (votes[e] + 1.0)
        means[e] = min(max(means[e] - price * coefficients[e] * spread, 0.0), 1.0)
        total += coefficients[e] * means[e]
    if total > bound:
        part = (total - bound) / (total - least)
        for e in range(coefficients.shape[0]):
            end = 0.0 if coefficients[e] > 0.0 else 1.0
            means[e] += part * (end - means[e])
    return price


@kernel
def most_evidence(
    coefficients: Floats, wins: Floats, votes: Floats, means: Floats
) -> tuple[float, float]:
    """Return ln E and ln E' at means that the claim denies, which bound the least from above."""
    alone, largest = 0.0, 0.0
    for e in range(coefficients.shape[0]):
        largest = max(largest, abs(coefficients[e]))
        if coefficients[e] > 0.0:
            alone += log_above(wins[e], votes[e], means[e])[0]
        else:
            alone += log_above(votes[e] - wins[e], votes[e], 1.0 - means[e])[0]
    top, total = 0.0, 1.0  # the bet of nothing
    for k in range(1, _N_BETS):
        log = 0.0
        for e in range(coefficients.shape[0]):
            up = coefficients[e] > 0.0
            won = wins[e] if up else votes[e] - wins[e]
            bet = _BETS[k] * abs(coefficients[e]) / largest
            chance = means[e] if up else 1.0 - means[e]
            log += bet * won - votes[e] * math.log1p(chance * math.expm1(bet))
        if log > top:
            total, top = total * math.exp(top - log), log
        total += math.exp(log - top)
    return alone, top + math.log(total / _N_BETS)


@kernel
def least_joint(
    coefficients: Floats, wins: Floats, votes: Floats, bound: float, halvings: int
) -> float:
    """Return a lower bound of ln E', where one bet is drawn for all strata.

    At a price the least is known exactly, as a bet at fixed odds has a slope that can be inverted.
    """
    n_strata = coefficients.shape[0]
    largest, reach = 0.0, bound
    for e in range(n_strata):
        largest = max(largest, abs(coefficients[e]))
        # In chances to win the bet, which are 1 - p where it is that the mean is below.
        reach -= min(coefficients[e], 0.0)
    if reach < 0.0:
        return math.inf
    top, total = 0.0, 1.0  # the bet of nothing
    for k in range(1, _N_BETS):
        steepest = 1e-300
        for e in range(n_strata):
            size = abs(coefficients[e])
            gain = math.expm1(_BETS[k] * size / largest)
            steepest = max(steepest, votes[e] * gain / size)
        found = _joint_at_price(coefficients, wins, votes, _BETS[k] / largest, reach, 0.0)[0]
        low, high = _LEAST_PRICE, max(math.log(steepest), _LEAST_PRICE)
        for _ in range(halvings):
            middle = 0.5 * (low + high)
            price = math.exp(middle)
            value, sum_ = _joint_at_price(
                coefficients, wins, votes, _BETS[k] / largest, reach, price
            )
            found = max(found, value)
            if sum_ > reach:
                low = middle
            else:
                high = middle
        if found > top:
            total, top = total * math.exp(top - found), found
        total += math.exp(found - top)
    return top + math.log(total / _N_BETS)


@kernel
def _joint_at_price(
    coefficients: Floats, wins: Floats, votes: Floats, bet: float, reach: float, price: float
) -> tuple[float, float]:
    """Return the least at a price, and the sum of sizes times chances to win where it is."""
    value, total = -price * reach, 0.0
    for e in range(coefficients.shape[0]):
        size = abs(coefficients[e])
        won = wins[e] if coefficients[e] > 0.0 else votes[e] - wins[e]
        gain = math.expm1(bet * size)
        chance = 1.0
        if price > 0.0:
            chance = min(max(votes[e] / (price * size) - 1.0 / gain, 0.0), 1.0)
        value += bet * size * won - votes[e] * math.log1p(chance * gain) + price * size * chance
        total += size * chance
    return value, total


@kernel
def log_fall(wins: float, votes: float, later_wins: float, later_votes: float) -> float:
    """Return a lower bound of ln of min over b of U(first; b) D(rest; b): that a coin fell.

    It is what `least_evidence` gives for the first part above the rest, in one search instead of
    two, as both parts share one mean at the least.
    """
    low, high = 0.0, 1.0
    least = -math.inf
    for _ in range(_FALL_HALVINGS):
        mean = 0.5 * (low + high)
        value, slope = log_above(wins, votes, mean)
        below, change = log_above(later_votes - later_wins, later_votes, 1.0 - mean)
        value, slope = value + below, slope - change
        least = max(least, value - abs(slope) * 0.5 * (high - low))
        if slope > 0.0:
            high = mean
        else:
            low = mean
    return least
