"""Which votes are tosses of an arm: its opponent was drawn alike from the others on offer.

Of a log with the columns ``left_toss`` and ``right_toss``, as `driftduel arena export` writes
them, that is known vote by vote. Which others were on offer is told by the column ``generation``:
the tosses of an arm are one coin as long as the options are the same, and begin again when these
change.

As nobody knows how often they will, era e = 0, 1, ... of the options has the share .6, or
.4 / (e (e + 1)), and each of its arms the same part of that; all of them together have 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.log import Log

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

COLUMNS = ("left_toss", "right_toss")
ERA = "generation"

_FIRST, _LATER = 0.6, 0.4


class Tosses(NamedTuple):
    """Which votes are tosses, vote by vote, and what part of the level each arm of an era has."""

    left: Flags
    right: Flags
    era: Ints
    shares: Floats  # (E,)

    def tables(self, log: Log, begin: int, end: int) -> tuple[Floats, Floats] | None:
        """Return how many tosses of the row met the column and were won, from one vote to another.

        None if the options changed meanwhile, or some arm was not there.
        """
        part = slice(begin, end)
        if self.era[part].max() > self.era[part].min():
            return None
        met, won = np.zeros((2, log.n_arms, log.n_arms))
        sides = (
            (self.left, log.left, log.right, log.outcome),
            (self.right, log.right, log.left, 1 - log.outcome),
        )
        for is_toss, arms, others, outcome in sides:
            counts = log.count[part] * is_toss[part]
            np.add.at(met, (arms[part], others[part]), counts)
            np.add.at(won, (arms[part], others[part]), counts * outcome[part])
        return (met, won) if (met.sum(axis=0) > 0).all() else None


def all_tosses(n_votes: int, n_arms: int) -> Tosses:
    """Return that all votes are tosses of both arms, among the same ones all the time."""
    every = np.ones(n_votes, dtype=np.bool_)
    return Tosses(every, every, np.zeros(n_votes, dtype=np.int64), np.array([1 / n_arms]))


def tosses(left: Flags, right: Flags, era: Ints, offered: Ints) -> Tosses:
    """Return tosses of eras; ``offered`` says how many arms were on offer in each.

    Examples
    --------
    >>> both = np.array([True, True])
    >>> tosses(both, both, np.array([0, 1]), np.array([2, 4])).shares
    array([0.3 , 0.05])
    """
    number = np.arange(len(offered))
    shares = np.where(number == 0, _FIRST, _LATER / np.maximum(number * (number + 1), 1))
    return Tosses(left, right, era, shares / np.maximum(offered, 1))


def tosses_of(log: Log) -> Tosses | None:
    """Return which votes of a log are tosses, None if its columns do not tell.

    Examples
    --------
    >>> import polars as pl
    >>> extras = pl.DataFrame({"left_toss": ["true", "false"], "right_toss": ["false", "false"]})
    >>> log = Log(["tea", "milk"], [1, 2], [0, 1], [1, 0], [1, 1], extras=extras)
    >>> tosses_of(log).left.tolist()
    [True, False]
    """
    extras = log.extras
    if extras is None or not {*COLUMNS} <= {*extras.columns}:
        return None
    left, right = (_flags(extras[name].to_list()) for name in COLUMNS)
    era = np.zeros(len(log), dtype=np.int64)
    if ERA in extras.columns:
        told = np.array([_number(value) for value in extras[ERA].to_list()])
        # Of a vote of which the era is not told nobody knows who could have been its opponent.
        left, right = left & (told >= 0), right & (told >= 0)
        least = told[told >= 0].min(initial=told.max(initial=0))
        era = np.maximum(told - least, 0)
    return tosses(left, right, era, np.full(int(era.max(initial=0)) + 1, log.n_arms))


def _flags(values: list[object]) -> Flags:
    return np.array([str(value).lower() in ("true", "1") for value in values], dtype=np.bool_)


def _number(value: object) -> int:
    """Return the number of an era, -1 if it is none, or far from what any poll has."""
    text = str(value)
    return int(text) if text.isdigit() and len(text) < 7 else -1
