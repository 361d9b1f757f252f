"""The world: preference matrices over a horizon, as a palette and a timeline.

``palette[m]`` are the distinct matrices; stretch n is ruled by ``palette[which[n]]`` from round
``starts[n]`` until the next stretch begins. Every kind of world is this one type, so measures
and the simulator are written once. The form is canonical: neighbouring stretches differ, equal
matrices are stored once, in the order in which they first rule.

Arms may come and go: then ``offered[n]`` says which of them are on offer during stretch n, and
"best" means best among those.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import (
    BadParameter,
    as_credits,
    as_horizon,
    as_labels,
    as_starts,
    as_whole_numbers,
)
from driftduel._support.notebook import InNotebooks
from driftduel._support.text import count
from driftduel.matrix.criteria import Criterion, as_criterion, pair_regret
from driftduel.matrix.preferences import Array, as_matrix, as_palette
from driftduel.worlds.stream_file import read_stream, write_stream
from driftduel.worlds.timelines import Ints, as_offered, as_span, first_equal, gap_table


class Stream(InNotebooks):
    """Preference matrices P_t for the rounds 0 to horizon - 1.

    Parameters
    ----------
    palette : array_like of shape (M, K, K)
        The matrices.
    which : array_like of shape (N,)
        Which matrix rules each stretch.
    starts : array_like of shape (N,)
        First round of each stretch, increasing, the first 0.
    horizon : int
        Number of rounds.
    labels : sequence of str, optional
        Names of the arms.
    span : pair of date, optional
        The dates of the first and of the last round, for worlds made from real votes.
    credits : sequence of str
        The notices of the owners of the data it is made from, to show with whatever is made from
        it. Parts of a stream keep them. They do not matter to whether two streams are equal.
    offered : array_like of bool of shape (N, K), optional
        Which arms are on offer during each stretch, two at least; all of them if left out.

    Examples
    --------
    >>> P, Q = [[0.5, 0.6], [0.4, 0.5]], [[0.5, 0.3], [0.7, 0.5]]
    >>> s = Stream([P, Q], which=[0, 1, 0], starts=[0, 10, 20], horizon=100)
    >>> s
    Stream(2 arms, 100 rounds, 3 stretches of 2 matrices)
    >>> s.matrix(15)[0, 1]
    np.float64(0.3)
    >>> s[5:15] + s[:10]
    Stream(2 arms, 20 rounds, 3 stretches of 2 matrices)
    """

    palette: Array
    which: Ints
    starts: Ints
    horizon: int
    labels: tuple[str, ...] | None
    span: tuple[date, date] | None
    credits: tuple[str, ...]
    offered: NDArray[np.bool_] | None

    def __init__(
        self,
        palette: ArrayLike,
        which: ArrayLike,
        starts: ArrayLike,
        horizon: int,
        *,
        labels: Sequence[str] | None = None,
        span: tuple[date, date] | None = None,
        credits: Sequence[str] = (),
        offered: ArrayLike | None = None,
    ) -> None:
        matrices = as_palette(palette)
        horizon = as_horizon(horizon)
        stretches = as_starts(starts, "stream")
        rulers = as_whole_numbers(which, "stream: which")
        if len(stretches) != len(rulers):
            raise ValueError(f"stream: {len(stretches)} starts but {len(rulers)} in which")
        if stretches[-1] >= horizon:
            raise ValueError(
                f"stream: starts[{len(stretches) - 1}] = {stretches[-1]}, must be below the "
                f"horizon {horizon}"
            )
        if ((rulers < 0) | (rulers >= len(matrices))).any():
            n = int(np.flatnonzero((rulers < 0) | (rulers >= len(matrices)))[0])
            raise ValueError(
                f"stream: which[{n}] = {rulers[n]}, must be between 0 and {len(matrices) - 1}"
            )
        which = first_equal(matrices)[rulers]
        offers = as_offered(offered, len(stretches), matrices.shape[1])
        self._set(matrices, which, stretches, horizon, labels, span, credits, offered=offers)

    def _set(
        self,
        palette: Array,
        which: Ints,
        starts: Ints,
        horizon: int,
        labels: Sequence[str] | None,
        span: tuple[date, date] | None,
        credits: Sequence[str],
        own: bool = False,
        offered: NDArray[np.bool_] | None = None,
    ) -> None:
        """Store a valid timeline in canonical form; matrices that rule are distinct.

        An ``own`` palette is one that no caller can change, so it need not be copied.
        """
        differs = np.diff(which, prepend=-1) != 0
        if offered is not None and offered.all():
            offered = None
        if offered is not None:
            differs[1:] |= (offered[1:] != offered[:-1]).any(axis=1)
            offered = offered[differs]
        which, starts = which[differs], starts[differs]
        debut = np.full(len(palette), len(which))
        debut[which[::-1]] = np.arange(len(which))[::-1]
        order = np.argsort(debut, kind="stable")[: np.count_nonzero(debut < len(which))]
        rank = np.empty(len(palette), dtype=np.int64)
        rank[order] = np.arange(len(order))
        as_it_is = own and np.array_equal(order, np.arange(len(palette)))
        self.palette = palette if as_it_is else palette[order]
        self.which = rank[which]
        self.starts = starts
        self.offered = offered
        self.horizon = horizon
        self.labels = as_labels(labels, palette.shape[1])
        self.span = as_span(span)
        self.credits = as_credits(credits)
        self._freeze()

    def _freeze(self) -> None:
        for array in (self.palette, self.which, self.starts, self.offered):
            if array is not None:
                array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()  # numpy forgets it in copies and pickles

    @classmethod
    def _trusted(
        cls,
        palette: Array,
        which: Ints,
        starts: Ints,
        horizon: int,
        labels: Sequence[str] | None = None,
        span: tuple[date, date] | None = None,
        credits: Sequence[str] = (),
        own: bool = True,
        offered: NDArray[np.bool_] | None = None,
    ) -> Self:
        stream = cls.__new__(cls)
        stream._set(palette, which, starts, horizon, labels, span, credits, own, offered)
        return stream

    def _with(self, **changes: Any) -> Self:
        """Return this stream with some of its fields changed."""
        return self._trusted(
            **{name: getattr(self, name) for name in Stream.__annotations__} | changes
        )

    def _ruling(
        self, stretches: slice | NDArray[np.bool_]
    ) -> tuple[Ints, NDArray[np.bool_] | None]:
        """Return which matrices rule some stretches, and who is on offer in them."""
        return self.which[stretches], None if self.offered is None else self.offered[stretches]

    @classmethod
    def stationary(cls, P: ArrayLike, horizon: int, *, labels: Sequence[str] | None = None) -> Self:
        """Make a world that never changes.

        Examples
        --------
        >>> Stream.stationary([[0.5, 0.6], [0.4, 0.5]], horizon=10**9)
        Stream(2 arms, 1,000,000,000 rounds, stationary)
        """
        return cls(as_matrix(P)[None], [0], [0], horizon, labels=labels)

    @classmethod
    def piecewise(
        cls,
        matrices: ArrayLike,
        starts: ArrayLike,
        horizon: int,
        *,
        labels: Sequence[str] | None = None,
    ) -> Self:
        """Make a world in which ``matrices[n]`` rules from round ``starts[n]`` on.

        Examples
        --------
        >>> P, Q = [[0.5, 0.6], [0.4, 0.5]], [[0.5, 0.3], [0.7, 0.5]]
        >>> Stream.piecewise([P, Q], starts=[0, 30], horizon=100)
        Stream(2 arms, 100 rounds, 2 stretches of 2 matrices)
        """
        palette = as_palette(matrices)
        return cls(palette, np.arange(len(palette)), starts, horizon, labels=labels)

    @classmethod
    def sequence(cls, matrices: ArrayLike, *, labels: Sequence[str] | None = None) -> Self:
        """Make a world with one matrix a round, shape (T, K, K)."""
        palette = as_palette(matrices)
        rounds = np.arange(len(palette))
        which = first_equal(palette)
        return cls._trusted(palette, which, rounds, len(palette), labels, own=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What the arms are called: their labels, or their numbers without labels.

        Examples
        --------
        >>> Stream.stationary([[0.5, 0.7], [0.3, 0.5]], 10).names
        ('0', '1')
        """
        return tuple(map(str, range(self.n_arms))) if self.labels is None else self.labels

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return int(self.palette.shape[1])

    @property
    def n_stretches(self) -> int:
        """Number of stretches; neighbouring ones differ in their matrix or their arms on offer."""
        return len(self.starts)

    @property
    def ends(self) -> Ints:
        """The round after the last round of each stretch."""
        return np.append(self.starts[1:], self.horizon)

    def stretch_at(self, round_: int) -> int:
        """Return the index of the stretch that a round belongs to."""
        if not 0 <= round_ < self.horizon:
            raise ValueError(f"round is {round_}, must be between 0 and {self.horizon - 1}")
        return int(np.searchsorted(self.starts, round_, side="right")) - 1

    def matrix(self, round_: int) -> Array:
        """Return the preference matrix of a round (read only)."""
        return np.asarray(self.palette[self.which[self.stretch_at(round_)]])

    def offered_at(self, round_: int) -> Ints:
        """Return the arms on offer in a round."""
        stretch = self.stretch_at(round_)
        return (
            np.arange(self.n_arms) if self.offered is None else self.offered[stretch].nonzero()[0]
        )

    def offering(self, offered: ArrayLike, starts: ArrayLike = (0,)) -> Self:
        """Return the same world with arms that come and go.

        Parameters
        ----------
        offered : array_like of bool of shape (n, K)
            Which arms are on offer, two at least.
        starts : array_like of shape (n,)
            The rounds from which each row holds, the first 0.

        Examples
        --------
        >>> s = Stream.stationary([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], 100)
        >>> s = s.offering([[True, True, False], [False, True, True]], starts=[0, 60])
        >>> s.offered_at(59), s.offered_at(60)
        (array([0, 1]), array([1, 2]))
        """
        turns = as_starts(starts, "offered")
        rows = as_offered(offered, len(turns), self.n_arms)
        turns = turns[turns < self.horizon]
        begins = np.union1d(self.starts, turns)
        which = self.which[np.searchsorted(self.starts, begins, side="right") - 1]
        assert rows is not None
        rows = rows[np.searchsorted(turns, begins, side="right") - 1]
        return self._with(which=which, starts=begins, offered=rows)

    def offers(self) -> list[tuple[int, int, Ints]]:
        """Return which arms are on offer when: first round, end, arms."""
        if self.offered is None:
            return [(0, self.horizon, np.arange(self.n_arms))]
        differs = np.append(True, (self.offered[1:] != self.offered[:-1]).any(axis=1))
        firsts = self.starts[differs]
        ends = np.append(firsts[1:], self.horizon)
        return [
            (int(first), int(end), row.nonzero()[0])
            for first, end, row in zip(firsts, ends, self.offered[differs], strict=True)
        ]

    def among(self, arms: Ints) -> Self:
        """Return the world of some arms alone, in order; all of them are on offer there."""
        palette = np.ascontiguousarray(self.palette[:, arms[:, None], arms])
        labels = None if self.labels is None else [self.labels[arm] for arm in arms]
        which = first_equal(palette)[self.which]
        return self._with(palette=palette, which=which, labels=labels, offered=None)

    def date(self, round_: int) -> date | None:
        """Return the date of a round, or None if the stream has no dates."""
        if self.span is None:
            return None
        self.stretch_at(round_)
        first, last = self.span
        share = round_ / max(1, self.horizon - 1)
        return first + timedelta(days=round((last - first).days * share))

    def __len__(self) -> int:
        return self.horizon

    def __getitem__(self, rounds: slice) -> Self:
        if not isinstance(rounds, slice):
            raise TypeError("a stream is sliced by rounds, s[a:b]; s.matrix(t) gives one matrix")
        begin, end, step = rounds.indices(self.horizon)
        if step != 1:
            raise ValueError(f"slice step is {step}, must be 1")
        if end <= begin:
            raise ValueError(f"slice [{begin}:{end}] holds no round")
        first, last = self.stretch_at(begin), self.stretch_at(end - 1)
        starts = np.maximum(self.starts[first : last + 1] - begin, 0)
        begin_date, end_date = self.date(begin), self.date(end - 1)
        span = None if begin_date is None or end_date is None else (begin_date, end_date)
        which, offered = self._ruling(slice(first, last + 1))
        return self._with(
            which=which, starts=starts, horizon=end - begin, span=span, offered=offered
        )

    def __add__(self, other: Stream) -> Self:
        if not isinstance(other, Stream):
            return NotImplemented
        if other.n_arms != self.n_arms:
            raise ValueError(f"streams of {self.n_arms} and {other.n_arms} arms do not join")
        if None not in (self.labels, other.labels) and self.labels != other.labels:
            raise ValueError("streams with different arm labels do not join")
        horizon = as_horizon(self.horizon + other.horizon)
        palette = np.concatenate([self.palette, other.palette])
        which = np.concatenate([self.which, other.which + len(self.palette)])
        starts = np.concatenate([self.starts, other.starts + self.horizon])
        labels = self.labels or other.labels
        owners = self.credits + other.credits
        which = first_equal(palette)[which]
        offered = None
        if self.offered is not None or other.offered is not None:
            offered = np.concatenate([self._all_offered(), other._all_offered()])
        return self._trusted(
            palette, which, starts, horizon, labels, credits=owners, offered=offered
        )

    def _all_offered(self) -> NDArray[np.bool_]:
        if self.offered is None:
            return np.ones((self.n_stretches, self.n_arms), np.bool_)
        return self.offered

    def stretch(self, horizon: int) -> Self:
        """Return the same world over another number of rounds.

        Every change keeps its share of the horizon; a stretch too short to keep a round of its
        own disappears.

        Examples
        --------
        >>> P, Q = [[0.5, 0.6], [0.4, 0.5]], [[0.5, 0.3], [0.7, 0.5]]
        >>> Stream.piecewise([P, Q], starts=[0, 30], horizon=100).stretch(1000).starts
        array([  0, 300])
        """
        horizon = as_horizon(horizon)
        exact = [int(start) * horizon // self.horizon for start in self.starts]
        starts = np.array(exact, dtype=np.int64)
        kept = np.append(starts[1:], horizon) > starts
        which, offered = self._ruling(kept)
        return self._with(which=which, starts=starts[kept], horizon=horizon, offered=offered)

    def relabel(self, order: ArrayLike) -> Self:
        """Return the world in which arm k is what was arm ``order[k]``.

        Examples
        --------
        >>> s = Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 10, labels=["tea", "coffee"])
        >>> t = s.relabel([1, 0])
        >>> t.labels, t.matrix(0)[1, 0]
        (('coffee', 'tea'), np.float64(0.6))
        """
        arms = as_whole_numbers(order, "order")
        if sorted(arms.tolist()) != list(range(self.n_arms)):
            raise ValueError(f"order must name each arm 0 to {self.n_arms - 1} once")
        labels = None if self.labels is None else [self.labels[a] for a in arms]
        palette = np.ascontiguousarray(self.palette[:, arms[:, None], arms])
        offered = None if self.offered is None else self.offered[:, arms]
        return self._with(palette=palette, labels=labels, offered=offered)

    def regret(
        self,
        left: ArrayLike,
        right: ArrayLike,
        criterion: Criterion | str = "borda",
        *,
        weak: bool = False,
        binary: bool = False,
    ) -> Array:
        """Return the cumulative dynamic regret of playing ``left[t]``, ``right[t]`` at round t.

        Parameters
        ----------
        left, right : array_like of shape (n,)
            The arms played in the first n rounds.
        criterion : Criterion or str
            What "best" means.
        weak : bool
            Count the better of the two arms only, instead of their mean.
        binary : bool
            Count 1 for a round unless both arms are winners; if weak, unless one of them is.

        Examples
        --------
        >>> s = Stream.stationary([[0.5, 0.7], [0.3, 0.5]], 10)
        >>> s.regret([0, 0, 1], [0, 1, 1], "condorcet")
        array([0. , 0.1, 0.3])
        """
        first, second = self._as_arms(left, "left"), self._as_arms(right, "right")
        n_rounds = len(first)
        if len(second) != n_rounds:
            raise ValueError(f"left has {n_rounds} rounds but right has {len(second)}")
        if n_rounds > self.horizon:
            raise ValueError(f"{n_rounds} rounds played, the horizon is {self.horizon}")
        if self.offered is not None:
            stretch = np.searchsorted(self.starts, np.arange(n_rounds), side="right") - 1
            for name, arms in (("left", first), ("right", second)):
                for n in np.flatnonzero(~self.offered[stretch, arms]):
                    raise ValueError(f"{name}[{n}] = {arms[n]}, which is not on offer then")
        gaps, begins = self[:n_rounds].gap_rows(criterion, binary=binary)
        row = np.searchsorted(begins, np.arange(n_rounds), side="right") - 1
        losses = pair_regret(gaps[row, first], gaps[row, second], weak=weak, binary=binary)
        return np.cumsum(losses)

    def _as_arms(self, values: ArrayLike, name: str) -> Ints:
        arms = as_whole_numbers(values, name)
        for n in np.flatnonzero((arms < 0) | (arms >= self.n_arms)):
            raise ValueError(f"{name}[{n}] = {arms[n]}, must be between 0 and {self.n_arms - 1}")
        return arms

    def gap_rows(
        self, criterion: Criterion | str = "borda", *, binary: bool = False
    ) -> tuple[Array, Ints]:
        """Return the gaps of the arms over time: rows (R, K), and the round each row begins.

        A row begins wherever the world or the criterion changes. Binary rows hold 0 for winners
        and 1 for the other arms. Only arms on offer are compared, and the others have 1.
        """
        measure = as_criterion(criterion)
        measure.check_arms(self.n_arms)
        turns = measure.changes()
        begins = np.union1d(self.starts, turns[turns < self.horizon])
        matrix = self.which[np.searchsorted(self.starts, begins, side="right") - 1]
        if self.offered is None:
            return gap_table(self.palette, matrix, measure, begins, binary), begins
        rows = np.ones((len(begins), self.n_arms))
        for first, end, arms in self.offers():
            low, high = np.searchsorted(begins, [first, end])
            used, row = np.unique(matrix[low:high], return_inverse=True)
            palette = self.palette[used[:, None, None], arms[:, None], arms]
            try:
                among = measure.among(arms)
            except BadParameter as error:
                raise ValueError(f"round {first}: {error}") from None
            rows[low:high, arms] = gap_table(palette, row, among, begins[low:high], binary)
        return rows, begins

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the stream to an ``.npz`` file, whole or not at all."""
        write_stream(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a stream that `save` wrote."""
        return read_stream(cls, path)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Stream)
            and self.horizon == other.horizon
            and self.labels == other.labels
            and self.span == other.span
            and np.array_equal(self.palette, other.palette)
            and np.array_equal(self.which, other.which)
            and np.array_equal(self.starts, other.starts)
            and (self.offered is None) == (other.offered is None)
            and (self.offered is None or np.array_equal(self.offered, other._all_offered()))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        matrices = count(len(self.palette), "matrix", "matrices")
        timeline = "stationary"
        if self.n_stretches > 1:
            timeline = f"{self.n_stretches:,} stretches of {matrices}"
        dates = "" if self.span is None else f", {self.span[0]} to {self.span[1]}"
        arms = f"{self.n_arms} arms" + ("" if self.offered is None else " that come and go")
        return f"Stream({arms}, {count(self.horizon, 'round')}, {timeline}{dates})"
