"""What may make votes prove less than they seem to: copies, sides, and arms that came or went.

Bounds count every vote as cast apart from the others. Whether it was shows in the votes of a pair:
neighbours in time are to agree about as often as votes thirty further apart. If they agree far
more often, votes are there more than once, or one voter cast many in a row. Votes of one time have
no order and are shuffled.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from driftduel.verdict.standing import Copies
from driftduel.votes.figures import Sides, Taste
from driftduel.votes.log import Log
from driftduel.votes.sequences import interval

PARTS = 8
"""An arm was there all the time if it had a vote in each of so many parts of the log."""

_FEWEST_PER_ARM = 20

_APART = 30
"""Votes of a pair that are so far from each other count as apart."""
_FEWER = 0.7
"""Neighbours that differ this much more seldom than votes apart are taken for copies."""
_SURE = 5.0
_EXPECTED = 20
"""An arm is gone if so many votes of it were to be expected in the last part, and none came."""
_UNEVEN = 0.05
_MOST_ROWS = 1_000_000
"""The last rows of a log, among which copies are looked for."""


def too_few(log: Log) -> bool:
    """Tell whether the votes are too few to tell who was there all the time."""
    return log.n_votes < _FEWEST_PER_ARM * log.n_arms


def shown_in_parts(log: Log) -> NDArray[np.bool_]:
    """Return which arms had votes in each of equal parts of the votes; shape (parts, K)."""
    votes = log.votes
    edges = np.linspace(0, len(votes), min(PARTS, len(votes)) + 1).astype(int)
    shown = np.zeros((len(edges) - 1, log.n_arms), dtype=np.bool_)
    for part, (begin, end) in enumerate(pairwise(edges)):
        shown[part, votes.left[begin:end]] = shown[part, votes.right[begin:end]] = True
    return shown


def joined(log: Log) -> dict[str, float]:
    """Return the times of the first votes of arms that were not there from the beginning on."""
    if too_few(log):
        return {}
    votes = log.votes
    found = {}
    for arm in np.flatnonzero(~shown_in_parts(log)[0]):
        times = votes.time[(votes.left == arm) | (votes.right == arm)]
        if len(times):
            found[log.arms[arm]] = float(times[0])
    return found


def gone(log: Log) -> dict[str, float]:
    """Return the times of the last votes of arms that are not shown any more.

    Who is shown does not follow the votes, so that an arm of which votes were to be expected has
    gone. With propensities that is not known: a learner shows some arms seldom.

    Examples
    --------
    >>> left, right = [0, 1, 0] * 100 + [0] * 300, [1, 2, 2] * 100 + [1] * 300
    >>> gone(Log(["tea", "milk", "water"], range(600), left, right, [1] * 600))
    {'water': 299.0}
    """
    if log.propensity is not None:
        return {}
    votes = log.votes
    last_part = len(votes) // PARTS
    found = {}
    for arm in np.flatnonzero(~shown_in_parts(log)[-1]):
        rows = np.flatnonzero((votes.left == arm) | (votes.right == arm))
        if len(rows) and len(rows) / (rows[-1] - rows[0] + 1) * last_part >= _EXPECTED:
            found[log.arms[arm]] = float(votes.time[rows[-1]])
    return found


def copies(log: Log) -> Copies | None:
    """Return how often votes of a pair agree with the next one and with one apart, if suspect.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> outcome = rng.integers(2, size=300)
    >>> copies(Log(["tea", "milk"], range(300), [0] * 300, [1] * 300, outcome)) is None
    True
    >>> again = np.repeat(outcome, 3)
    >>> copies(Log(["tea", "milk"], range(900), [0] * 900, [1] * 900, again)).near
    0.83...
    """
    log = log.rows(slice(-_MOST_ROWS, None)) if len(log) > _MOST_ROWS else log
    clear = (log.left != log.right) & (log.outcome != 0.5)
    if not clear.any() or (log.count > 1).any():
        return None
    votes = log.rows(clear)
    order = np.random.default_rng(0).permutation(len(votes))
    order = order[np.argsort(votes.time[order], kind="stable")]
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    pair = (low * log.n_arms + high)[order]
    first_won = ((votes.left == low) == (votes.outcome == 1))[order]
    by_pair = np.argsort(pair, kind="stable")
    pair, first_won = pair[by_pair], first_won[by_pair]
    if len(pair) <= _APART:
        return None
    same = pair[:-_APART] == pair[_APART:]  # then all between are of the pair too
    n = int(same.sum())
    if n == 0:
        return None
    near = float((first_won[:-_APART] != first_won[1 : 1 - _APART])[same].mean())
    apart = float((first_won[:-_APART] != first_won[_APART:])[same].mean())
    spread = math.sqrt(max(near * (1 - near) + apart * (1 - apart), 1e-12) / n)
    if near < _FEWER * apart and apart - near > _SURE * spread:
        return Copies(near=1 - near, apart=1 - apart)
    return None


def side(log: Log, best: str | None, alpha: float) -> Sides:
    """Return the share of votes that the left arm won with its interval, and what that may do.

    The taste for a side is from pairs that were shown in both orders, with bounds by Hoeffding's
    inequality. The best arm is suspect if it profits from the taste, or may, where the taste cannot
    be told.
    """
    votes = log.votes
    won, n = float((votes.count * votes.outcome).sum()), float(votes.count.sum())
    least, most = low, high = tuple(float(end) for end in interval(won, n, alpha))
    taste = _taste(votes, alpha)
    shown_left, suspect = None, False
    if taste is not None:
        low, high = 0.5 + taste.low, 0.5 + taste.high
    if best is not None:
        arm = log.arms.index(best)
        left = float(votes.count[votes.left == arm].sum())
        met = left + float(votes.count[votes.right == arm].sum())
        shown_left = left / met if met else None
        if shown_left is not None:
            lean = shown_left - 0.5
            suspect = (low > 0.5 and lean > _UNEVEN) or (high < 0.5 and lean < -_UNEVEN)
    return Sides(
        left_share=won / n,
        low=least,
        high=most,
        taste=taste,
        shown_left=shown_left,
        suspect=suspect,
    )


def _taste(votes: Log, alpha: float) -> Taste | None:
    k = votes.n_arms
    cell = votes.left * k + votes.right
    met = np.bincount(cell, votes.count, k * k).reshape(k, k)
    won = np.bincount(cell, votes.count * votes.outcome, k * k).reshape(k, k)
    first, second = np.nonzero(np.triu((met > 0) & (met.T > 0)))
    if len(first) == 0:
        return None
    there, back = met[first, second], met[second, first]
    gain = (won[first, second] / there + won[second, first] / back - 1) / 2
    # Of a mean of n outcomes 1 / (4 n) bounds the variance, and what Hoeffding's inequality needs.
    weight = 1 / (1 / there + 1 / back)
    share = weight / weight.sum()
    taste = float((share * gain).sum())
    spread = math.sqrt(math.log(2 / alpha) / 8 / float(weight.sum()))
    return Taste(points=taste, low=taste - spread, high=taste + spread)
