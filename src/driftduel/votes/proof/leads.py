"""Whether votes prove that an arm is best, at every look, from the gap to each other arm.

The gap of arm i over j by the weight w is, with p the chance that the first of two wins,

    (w_i + w_j) (p_ij - 1/2) + sum over the others k of w_k (p_ik - p_jk)

so that "above 0" is a statement about a sum of constant means, for which
`driftduel.votes.proof.evidence` has the evidence. The strata are all votes of the pair {i, j}, and
of i and of j those against each *class* of others: of one arm all votes with it, of several of the
same weight those with an opponent drawn alike from them, of which the mean is the mean of the
class. Each vote is in one stratum only: to multiply the evidence of all tosses of i by that of all
of j would count the votes between the two twice. Of more than `FEW` strata half a fortune is bet
jointly.

An arm is proved to be best of the set S if for every other one ln E >= ln(|S| / alpha): another one
than the best is ever called so with probability alpha at most. If tastes drifted it is so on
average since the count began.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import items
from driftduel.votes.proof.evidence import (
    HALVINGS,
    evidence_at,
    least_evidence,
    least_joint,
    most_evidence,
    near_least,
)

Floats = NDArray[np.float64]

FEW = 3
"""Strata that are bet on one by one; of more, half of the fortune is bet on all by one bet."""

_CLOSE = 1e-6
"""Far above the rounding of a bound, and far below what a vote adds to the evidence."""

_MOST_LOOKS = 12


class Strata(NamedTuple):
    """A sum of constant means that is said to be above a bound."""

    coefficients: Floats
    wins: Floats
    votes: Floats
    bound: float


def log_lead(
    wins: Floats,
    leader: int,
    rival: int,
    *,
    weight: Floats | None = None,
    tosses: tuple[Floats, Floats] | None = None,
    classes: Sequence[Sequence[int]] | None = None,
    bar: float | None = None,
) -> float:
    """Return ln of the evidence that an arm is ahead of another.

    Parameters
    ----------
    wins : ndarray of shape (K, K)
        Votes that the row won over the column, a tie as 1/2 for each.
    leader, rival : int
        The two.
    weight : ndarray of shape (K,), optional
        The reference weight; even if left out.
    tosses : tuple of two ndarray of shape (K, K), optional
        Of votes with an opponent drawn alike for the row: how many met the column, and were won.
    classes : sequence of sequences of int, optional
        Others that were always drawn alike, with the same weight; each alone if left out.
    bar : float, optional
        What matters is whether the evidence reaches this. If that is found out early, as it
        mostly is, the evidence is said to be infinite, above or below.

    Examples
    --------
    >>> wins = np.array([[0, 70, 65], [30, 0, 50], [35, 50, 0]], dtype=float)
    >>> round(log_lead(wins, 0, 1), 2), round(log_lead(wins, 1, 2), 2) < 0
    (5.89, True)
    """
    problem = strata(wins, leader, rival, weight=weight, tosses=tosses, classes=classes)
    columns = items(problem.coefficients), items(problem.wins), items(problem.votes)
    if bar is not None and np.minimum(problem.coefficients, 0).sum() < problem.bound:
        decided = _decided(problem, bar)
        if decided is not None:
            return math.inf if decided else -math.inf
    alone = float(least_evidence(*columns, problem.bound, HALVINGS))
    if len(problem.coefficients) <= FEW:
        return alone
    joint = least_joint(*columns, problem.bound, HALVINGS)
    return float(np.logaddexp(alone, joint) - math.log(2.0))


def _decided(problem: Strata, bar: float) -> bool | None:
    """Tell whether evidence reaches a bar; None if it is too close to tell early.

    First by two bounds where the least about is. If these do not tell, the dual is looked at where
    its tangents meet: it is concave, so that they bound it from above (Kelley 1960).
    """
    columns = items(problem.coefficients), items(problem.wins), items(problem.votes)
    few = len(problem.coefficients) <= FEW
    means = items(np.empty(len(problem.coefficients)))
    price = float(near_least(*columns, problem.bound, means))
    value, total = evidence_at(*columns, problem.bound, price, HALVINGS)
    need = bar if few else bar + math.log(2.0)
    if value >= need:
        return True
    alone, joint = most_evidence(*columns, means)
    most = float(alone if few else np.logaddexp(alone, joint) - math.log(2.0))
    if most < bar - _CLOSE:
        return False
    if not few:
        joint = float(least_joint(*columns, problem.bound, HALVINGS))
        if joint >= need:
            return True
        need = bar + math.log(2.0 - math.exp(joint - bar))
    low: tuple[float, float, float] | None = None
    high: tuple[float, float, float] | None = None
    for _ in range(_MOST_LOOKS):
        if value >= need:
            return True
        slope = total - problem.bound
        if slope > 0:
            low = price, value, slope
        else:
            high = price, value, slope
        if low is None or high is None:
            price = 1.5 * price + _CLOSE if slope > 0 else price / 1.5
        else:
            price = (high[1] - low[1] + low[2] * low[0] - high[2] * high[0]) / (low[2] - high[2])
            if low[1] + low[2] * (price - low[0]) < need - _CLOSE:
                return False
        value, total = evidence_at(*columns, problem.bound, price, HALVINGS)
    return None


def strata(
    wins: Floats,
    leader: int,
    rival: int,
    *,
    weight: Floats | None = None,
    tosses: tuple[Floats, Floats] | None = None,
    classes: Sequence[Sequence[int]] | None = None,
) -> Strata:
    """Return what the gap of an arm over another is the sum of; see `log_lead`."""
    n_arms = len(wins)
    weights = np.full(n_arms, 1 / n_arms) if weight is None else weight
    others = [arm for arm in range(n_arms) if arm not in (leader, rival)]
    groups = [[arm] for arm in others] if classes is None else classes
    met = wins + wins.T
    direct = weights[leader] + weights[rival]
    parts = [(direct, wins[leader, rival], met[leader, rival])]
    for group in groups:
        among = [arm for arm in group if arm in others]
        if not among:
            continue
        share = float(weights[among].sum())
        for arm, sign in ((leader, share), (rival, -share)):
            won, played = (wins, met) if len(among) == 1 or tosses is None else tosses[::-1]
            parts.append((sign, won[arm, among].sum(), played[arm, among].sum()))
    coefficients, won, played = np.array([one for one in parts if one[0] != 0]).T.copy()
    # In units of the largest coefficient, so that prices are alike whatever the weight.
    unit = np.abs(coefficients).max()
    return Strata(coefficients / unit, won, played, float(direct / 2 / unit))


def proved_best(
    wins: Floats,
    scores: Floats,
    alpha: float,
    *,
    weight: Floats | None = None,
    tosses: tuple[Floats, Floats] | None = None,
    classes: Sequence[Sequence[int]] | None = None,
) -> int | None:
    """Return the arm that is proved to be best, None if none is.

    Parameters
    ----------
    wins, weight, tosses, classes
        As for `log_lead`.
    scores : ndarray of shape (K,)
        Estimates: the first is the one that is judged, and its nearest rivals first.
    alpha : float
        The probability that another than the best is ever called so.

    Examples
    --------
    >>> wins = np.array([[0, 70, 65], [30, 0, 50], [35, 50, 0]], dtype=float)
    >>> proved_best(wins, wins.sum(axis=1), alpha=0.05)
    0
    >>> proved_best(wins / 4, wins.sum(axis=1), alpha=0.05) is None
    True
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-known, kind="stable")
    leader, bar = int(order[0]), math.log(len(wins) / alpha)
    for rival in map(int, order[1:]):
        evidence = log_lead(
            wins, leader, rival, weight=weight, tosses=tosses, classes=classes, bar=bar
        )
        if evidence < bar:
            return None
    return leader
