"""Votes as they were cast: choosing their arms, counting who beat whom.

`driftduel.votes.reading` reads them from files, `driftduel.votes.smoothing` makes a world
of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as clock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import LONGEST, as_credits, check_printable
from driftduel._support.limits import MOST_ARMS
from driftduel._support.text import count, did_you_mean, number

if TYPE_CHECKING:
    import polars as pl

    from driftduel.worlds.stream import Stream

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_ARRAYS = ("time", "left", "right", "outcome", "count", "propensity")
_EPOCH = date(1970, 1, 1)
_FEW_DAYS, _MINUTES = 14, 1440
_FARTHEST = 1e300  # so that the time from the first vote to the last is a number
OUTCOMES = "must be 1 (left preferred), 0 (right preferred) or 0.5 (tie)"


class BadRow(ValueError):  # noqa: N818
    """A row makes no sense; who made rows of a table knows where in the table it stands."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(row, reason)
        self.row = row
        self.reason = reason

    def __str__(self) -> str:
        return f"row {self.row + 1}: {self.reason}"


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """Votes between pairs of arms, in the order of time.

    A row whose two arms are the same is a serve: nobody was asked. It counts as nothing for scores
    and is a round all the same, which matters to who reads propensities.

    Parameters
    ----------
    arms : sequence of str
        The labels of the arms.
    time : array_like of shape (n,) or None
        When each vote was cast: days since 1970-01-01 if ``dated``, any unit otherwise. None if
        nobody knows; then all votes are of time 0.
    left, right : array_like of shape (n,)
        The arms shown, as indices into ``arms``.
    outcome : array_like of shape (n,)
        1 left preferred, 0 right preferred, 0.5 tie.
    count : array_like of shape (n,), optional
        How many votes each entry stands for; 1 if left out.
    propensity : array_like of shape (n,), optional
        The probability of each ordered pair at the time of asking, as in ``Duel.propensity``. None
        if it is not known.
    dated : bool
        Whether the times are dates.
    credits : sequence of str
        The notices of the owners of the votes; the world made from them has them too.
    sides : bool
        Whether it is known who was shown left. If not, ``left`` and ``right`` mean nothing more
        than one and the other.
    extras : polars.DataFrame, optional
        What else is known of each vote, such as its voter or its language; one row an entry.
    notes : sequence of str
        What is to be said of how the votes were read.

    Examples
    --------
    >>> log = Log(["tea", "coffee"], time=[3, 1], left=[0, 1], right=[1, 0], outcome=[1, 0.5])
    >>> log
    Log(2 arms, 2 votes, time 1 to 3)
    >>> log.outcome
    array([0.5, 1. ])
    """

    arms: tuple[str, ...]
    time: Array
    left: Ints
    right: Ints
    outcome: Array
    count: Array
    propensity: Array | None
    dated: bool
    credits: tuple[str, ...]
    timed: bool
    sides: bool
    notes: tuple[str, ...]
    _extras: pl.DataFrame | None
    _extra_rows: NDArray[np.integer] | None  # which row of them each entry has; None: its own

    def __init__(
        self,
        arms: Sequence[str],
        time: ArrayLike | None,
        left: ArrayLike,
        right: ArrayLike,
        outcome: ArrayLike,
        count: ArrayLike | None = None,
        *,
        propensity: ArrayLike | None = None,
        dated: bool = False,
        credits: Sequence[str] = (),
        sides: bool = True,
        extras: pl.DataFrame | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        labels = as_arms(arms)
        shown = _as_floats(left, "left", whole=True)
        when = np.zeros(len(shown)) if time is None else _as_floats(time, "time")
        fields = {
            "left": shown,
            "right": _as_floats(right, "right", whole=True),
            "outcome": _as_floats(outcome, "outcome"),
            "count": np.ones(len(when)) if count is None else _as_floats(count, "count"),
        }
        if propensity is not None:
            fields["propensity"] = _as_floats(propensity, "propensity")
        for name, values in fields.items():
            if len(values) != len(when):
                raise ValueError(f"log: {len(when)} times but {len(values)} in {name}")
        if extras is not None and extras.height != len(when):
            raise ValueError(f"log: {len(when)} times but {extras.height} in extras")
        if len(when) == 0:
            raise ValueError("log: holds no votes, at least one is needed")
        for name in ("left", "right"):
            arm = fields[name]
            known = (arm >= 0) & (arm < len(labels)) & (arm == np.floor(arm))
            check_rows(known, name, arm, f"must be a whole number from 0 to {len(labels) - 1}")
        check_rows(np.isfinite(when), "time", when, "must be finite")
        check_rows(np.abs(when) <= _FARTHEST, "time", when, "must be within 1e300 of 0")
        won = fields["outcome"]
        check_rows((won == 0) | (won == 1) | (won == 0.5), "outcome", won, OUTCOMES)
        counts = fields["count"]
        whole = (counts >= 1) & (np.floor(counts) == counts) & np.isfinite(counts)
        check_rows(whole, "count", counts, "must be a whole number, at least 1")
        check_rows(counts <= LONGEST, "count", counts, "must be at most 2**62")
        if counts.sum() > LONGEST:
            raise ValueError(f"count: {counts.sum():g} votes in all, must be at most 2**62")
        if "propensity" in fields:
            chances = fields["propensity"]
            probable = (chances > 0) & (chances <= 1)
            check_rows(probable, "propensity", chances, "must be above 0 and at most 1")
        if not (fields["left"] != fields["right"]).any():
            raise ValueError(
                "log: holds no votes between two different arms, at least one is needed"
            )
        # Most logs are in order already, and sorting is what takes longest.
        order = None if (when[1:] >= when[:-1]).all() else np.argsort(when, kind="stable")
        arrays: dict[str, NDArray[np.generic]] = {"time": when, **fields}
        for name, array in arrays.items():
            kind = np.int64 if name in ("left", "right") else np.float64
            arrays[name] = (array if order is None else array[order]).astype(kind)
        self._fill(
            arrays,
            arms=labels,
            dated=bool(dated),
            credits=as_credits(credits),
            timed=time is not None,
            sides=bool(sides),
            notes=tuple(notes),
            _extras=extras,
            _extra_rows=None if extras is None else order,
        )

    def _fill(self, arrays: Mapping[str, NDArray[np.generic] | None], **others: object) -> None:
        object.__setattr__(self, "propensity", None)
        for name, array in arrays.items():
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)
        for name, value in others.items():
            object.__setattr__(self, name, value)

    @property
    def extras(self) -> pl.DataFrame | None:
        """What else is known of each vote, one row an entry; None if nothing is.

        Examples
        --------
        >>> import polars as pl
        >>> said = pl.DataFrame({"voter": ["ann", "bob"]})
        >>> Log(["tea", "milk"], [3, 1], [0, 1], [1, 0], [1, 1], extras=said).extras["voter"][0]
        'bob'
        """
        if self._extras is None or self._extra_rows is None:
            return self._extras
        return self._extras[self._extra_rows]

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return len(self.arms)

    @property
    def n_votes(self) -> int:
        """Number of votes, each entry as often as it counts; serves are none."""
        return int(self.count[self.left != self.right].sum())

    @property
    def n_serves(self) -> int:
        """Number of duels of an arm with itself, in which nobody was asked."""
        return int(self.count[self.left == self.right].sum())

    @property
    def votes(self) -> Log:
        """The log without its serves, itself if it holds none.

        Examples
        --------
        >>> log = Log(["tea", "milk"], [1, 2, 3], [0, 1, 0], [1, 1, 0], [1, 0.5, 0.5])
        >>> log, log.votes
        (Log(2 arms, 1 vote and 2 serves, time 1 to 3), Log(2 arms, 1 vote, time 1 to 1))
        """
        asked = self.left != self.right
        return self if asked.all() else self.rows(asked)

    @property
    def frame(self) -> pl.DataFrame:
        """The log as a table: when, who was shown left and right, how it ended, and all else.

        The columns are ``time`` (dates, where times are dates), ``left``, ``right``, ``left_won``,
        ``count``, ``propensity`` if it is known, and those of `extras`. `driftduel.votes.read` reads
        it back; ``.to_pandas()`` is for pandas.

        Examples
        --------
        >>> log = Log(["tea", "milk"], [0, 1.5], [0, 1], [1, 0], [1, 0.5], dated=True)
        >>> log.frame.rows()
        [(datetime.datetime(1970, 1, 1, 0, 0), 'tea', 'milk', 1.0, 1.0), (datetime.datetime(1970, 1, 2, 12, 0), 'milk', 'tea', 0.5, 1.0)]
        """  # noqa: E501
        from driftduel.votes.frames import frame_of

        return frame_of(self)

    @property
    def span(self) -> tuple[date, date] | None:
        """The dates of the first and of the last vote, or None if times are not dates."""
        if not self.dated:
            return None
        first, last = (_date(float(t)) for t in self.time[[0, -1]])
        return first, last

    def moment(self, time: float) -> date | float:
        """Return a time of the log as a date if it has dates, else as it is.

        In a log of a few days with times of day it is a date and time, to the minute.

        Examples
        --------
        >>> Log(["a", "b"], [0.25, 1.5], [0, 0], [1, 1], [1, 0], dated=True).moment(0.25)
        datetime.datetime(1970, 1, 1, 6, 0)
        >>> Log(["a", "b"], [0.25, 99.5], [0, 0], [1, 1], [1, 0], dated=True).moment(0.25)
        datetime.date(1970, 1, 1)
        """
        if not self.dated:
            return time
        ends = self.time[[0, -1]]
        if ends[1] - ends[0] >= _FEW_DAYS or not (ends % 1).any():
            return _date(time)
        minutes = int(np.floor(time * _MINUTES + 1e-6))  # a float may lie just before its minute
        return datetime.combine(_EPOCH, clock()) + timedelta(minutes=minutes)

    @property
    def left_share(self) -> float:
        """The share of the votes that the left arm won; ties count half."""
        asked = self.left != self.right
        return float(np.average(self.outcome[asked], weights=self.count[asked]))

    def __len__(self) -> int:
        return len(self.time)

    def select(self, arms: Sequence[str]) -> Log:
        """Return the votes between the given arms, which become arms 0, 1, ... in that order.

        If propensities are known, other rounds stay as serves: in them none of these was asked.

        Examples
        --------
        >>> log = Log(["a", "b", "c"], [1, 2, 3], [0, 0, 1], [1, 2, 2], [1, 1, 0])
        >>> log.select(["c", "a"]).head_to_head()
        array([[0., 0.],
               [1., 0.]])
        >>> log.select(["a", "z"])
        Traceback (most recent call last):
            ...
        ValueError: arms: 'z' is not in the log, known are: a, b, c
        """
        labels = as_arms(arms)
        for label in labels:
            if label not in self.arms:
                raise ValueError(
                    f"arms: {label!r} is not in the log{did_you_mean(label, self.arms)}, known "
                    f"are: {', '.join(self.arms)}"
                )
        new = np.full(self.n_arms, -1, dtype=np.int64)
        new[[self.arms.index(label) for label in labels]] = np.arange(len(labels))
        left, right = new[self.left], new[self.right]
        kept = (left >= 0) & (right >= 0)
        if not (kept & (left != right)).any():
            raise ValueError(f"arms: the log holds no vote between {', '.join(labels)}")
        if self.propensity is None or kept.all():
            return self._of(labels, left, right, kept)
        # A propensity is of all pairs of the round, so that the round has to stay.
        left, right = np.where(kept, left, 0), np.where(kept, right, 0)
        found = self._of(labels, left, right, slice(None))
        outcome = np.where(kept, self.outcome, 0.5)
        outcome.setflags(write=False)
        object.__setattr__(found, "outcome", outcome)
        return found

    def rows(self, kept: slice | NDArray[np.bool_]) -> Log:
        """Return some of the rows, of the same arms; a vote must be among them.

        Examples
        --------
        >>> log = Log(["a", "b", "c"], [1, 2, 3], [0, 0, 1], [1, 2, 2], [1, 1, 0])
        >>> log.rows(log.time >= 2)
        Log(3 arms, 2 votes, time 2 to 3)
        """
        return self._of(self.arms, self.left, self.right, kept)

    def with_credits(self, *credits: str) -> Log:
        """Return the same votes with these notices, to be shown with results made from them.

        Examples
        --------
        >>> Log(["a", "b"], [1], [0], [1], [1]).with_credits("By us.").credits
        ('By us.',)
        """
        found = copy(self)
        object.__setattr__(found, "credits", as_credits(credits))
        return found

    def _of(
        self, arms: Sequence[str], left: Ints, right: Ints, kept: slice | NDArray[np.bool_]
    ) -> Log:
        """Return some of the rows, which were checked and sorted when this log was made."""
        parts = {name: getattr(self, name) for name in _ARRAYS} | {"left": left, "right": right}
        if not (left[kept] != right[kept]).any():
            raise ValueError(
                "log: holds no votes between two different arms, at least one is needed"
            )
        found: Log = object.__new__(Log)
        found._fill(
            {name: None if array is None else array[kept] for name, array in parts.items()},
            arms=as_arms(arms),
            dated=self.dated,
            credits=self.credits,
            timed=self.timed,
            sides=self.sides,
            notes=self.notes,
            _extras=self._extras,
            _extra_rows=self._extra_rows_of(kept),
        )
        return found

    def _extra_rows_of(self, kept: slice | NDArray[np.bool_]) -> NDArray[np.integer] | None:
        if self._extras is None:
            return None
        if self._extra_rows is not None:
            return self._extra_rows[kept]
        return np.arange(len(self))[kept] if isinstance(kept, slice) else np.flatnonzero(kept)

    def head_to_head(self) -> Array:
        """Return how many votes row won against column, ties half; shape (K, K).

        Examples
        --------
        >>> Log(["a", "b"], [1, 2], [0, 1], [1, 0], [1, 0.5], count=[3, 2]).head_to_head()
        array([[0., 4.],
               [1., 0.]])
        """
        wins = np.zeros((self.n_arms, self.n_arms))
        np.add.at(wins, (self.left, self.right), self.count * self.outcome)
        np.add.at(wins, (self.right, self.left), self.count * (1 - self.outcome))
        np.fill_diagonal(wins, 0.0)
        return wins

    def stream(
        self,
        horizon: int,
        bandwidth: float | None = None,
        *,
        arms: Sequence[str] | None = None,
        pseudo_count: float = 1.0,
        points: int | None = None,
        remove_bias: bool = False,
    ) -> Stream:
        """Return the world these votes tell of; see `driftduel.worlds.stream_from_log`."""
        from driftduel.votes.from_log import stream_from_log

        return stream_from_log(
            self,
            horizon,
            bandwidth,
            arms=arms,
            pseudo_count=pseudo_count,
            points=points,
            remove_bias=remove_bias,
        )

    def as_times(self, times: ArrayLike) -> Array:
        """Return moments in the unit of `time`: dates or ISO strings if dated, else numbers.

        Examples
        --------
        >>> log = Log(["a", "b"], [0, 9], [0, 0], [1, 1], [1, 0], dated=True)
        >>> log.as_times(["1970-01-03"])
        array([2.])
        """
        if not self.dated:
            return _as_floats(times, "times")
        values = np.atleast_1d(np.asarray(times))
        try:
            if values.dtype.kind in "biufc":
                raise ValueError
            return as_days(values.astype("datetime64[us]"))
        except (TypeError, ValueError):
            raise ValueError("times: must be dates, as the times of the log are") from None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Log)
            and self.arms == other.arms
            and self.dated == other.dated
            and self.timed == other.timed
            and self.sides == other.sides
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def period(self) -> str:
        """From when to when, in words."""
        if not self.timed:
            return "no times"
        if self.span is None:
            return f"time {number(self.time[0])} to {number(self.time[-1])}"
        return f"{self.span[0]} to {self.span[1]}"

    def __repr__(self) -> str:
        votes = count(self.n_votes, "vote")
        if self.n_serves:
            votes += f" and {count(self.n_serves, 'serve')}"
        return f"Log({self.n_arms} arms, {votes}, {self.period})"


def as_arms(arms: Sequence[str]) -> tuple[str, ...]:
    """Return labels as a tuple after checking that there are two at least, all different."""
    if isinstance(arms, str):
        raise ValueError(f"arms: must be a list of labels, not the text {arms!r}")
    labels = tuple(str(arm) for arm in arms)
    if len(labels) < 2:
        raise ValueError(f"arms: there is {len(labels)}, at least 2 are needed")
    if len(labels) > MOST_ARMS:
        raise ValueError(f"arms: there are {len(labels):,}, must be at most {MOST_ARMS:,}")
    check_printable(labels, "arms")
    if len(set(labels)) != len(labels):
        twice = next(label for n, label in enumerate(labels) if label in labels[:n])
        raise ValueError(f"arms: {twice!r} is named twice")
    return labels


def _date(time: float) -> date:
    return _EPOCH + timedelta(days=float(np.floor(time)))


def as_days(stamps: NDArray[np.datetime64]) -> Array:
    """Return dates or times as days since 1970-01-01."""
    if np.isnat(stamps).any():
        raise ValueError("times: must be dates, one is missing")
    return np.asarray(stamps.astype("datetime64[us]").astype(np.int64) / 86_400e6)


def _as_floats(values: ArrayLike, name: str, *, whole: bool = False) -> Array:
    """Return values as an array, which may be the one given; whole numbers stay so if allowed."""
    integers = whole and isinstance(values, np.ndarray) and values.dtype.kind == "i"
    try:
        array = np.array(values, dtype=None if integers else np.float64, ndmin=1, copy=None)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: must be a list of numbers") from None
    if array.ndim != 1:
        raise ValueError(f"{name}: must be a list of numbers")
    return array


def check_rows(fine: NDArray[np.bool_], name: str, values: Array, rule: str) -> None:
    """Raise BadRow that names the first row that is not ``fine``, its value and the rule."""
    if not fine.all():
        row = first_true(~fine)
        raise BadRow(row, f"{name} is {values[row]:g}, {rule}")


def first_true(flags: NDArray[np.bool_]) -> int:
    """Return the index of the first true flag."""
    return int(np.flatnonzero(flags)[0])
