"""When a poll is decided, and about how many votes it takes until then.

A poll is decided when the interval of the leader lies above that of every other arm; with intervals
that hold simultaneously at all times (`driftduel.votes.sequences.simultaneous`) a wrong leader
is ever called decided with probability alpha at most, whoever leads when.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from driftduel._support.checks import as_count
from driftduel.votes.checks import as_amounts
from driftduel.votes.sequences import simultaneous

_FAR = 10**9
"""After more votes than this nobody waits."""


def is_decided(low: ArrayLike, high: ArrayLike, leader: int) -> bool:
    """Tell whether the leader's interval lies above every other arm's.

    Examples
    --------
    >>> is_decided([0.55, 0.3, 0.1], [0.7, 0.54, 0.2], leader=0)
    True
    >>> is_decided([0.55, 0.3, 0.1], [0.7, 0.56, 0.2], leader=0)
    False
    """
    lows, highs = as_amounts(low, "low"), as_amounts(high, "high")
    as_count(leader, "leader", 0, lows.size - 1)
    return bool(np.all(lows[leader] > np.delete(highs, leader)))


def votes_until_decided(
    wins: ArrayLike, tosses: ArrayLike, shares: ArrayLike, alpha: float, leader: int
) -> int | None:
    """Return about how many more votes it takes until the leader is decided.

    That is when the intervals come apart if every arm goes on winning as it did and gets its share
    of the votes. Two digits are given, as more would be pretence; 0 if it is decided.

    Parameters
    ----------
    wins, tosses : array_like
        Of each arm, as for `driftduel.votes.sequences.interval`.
    shares : array_like
        How many tosses of each arm a vote brings, on average.
    alpha : float
        The level of all intervals together.
    leader : int
        The arm that is to be decided.

    Returns
    -------
    int or None
        None if it would never come to that, or after more than a thousand million votes.

    Examples
    --------
    >>> votes_until_decided([120, 80], [200, 200], [0.5, 0.5], alpha=0.05, leader=0)
    280
    >>> votes_until_decided([101, 99], [200, 200], [0.5, 0.5], alpha=0.05, leader=1) is None
    True
    """
    won, played = as_amounts(wins, "wins"), as_amounts(tosses, "tosses")
    rates = as_amounts(shares, "shares")
    scores = np.divide(won, played, out=np.full(won.shape, 0.5), where=played > 0)

    def comes_apart(votes: int) -> bool:
        later = played + rates * votes
        return is_decided(*simultaneous(scores * later, later, alpha), leader)

    if comes_apart(0):
        return 0
    few, many = 0, 1
    while not comes_apart(many):
        few, many = many, 2 * many
        if few > _FAR:
            return None
    while many - few > max(1, many // 200):
        middle = (few + many) // 2
        few, many = (few, middle) if comes_apart(middle) else (middle, many)
    return round(many, 2 - len(str(many)))
