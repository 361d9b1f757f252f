"""Phases of a stream, kept as runs of equal phases.

A constant stretch can hold millions of significant phases, all of one length. A run is
``(start, step, count)``: ``count`` phases of ``step`` rounds each, the first of which begins at
``start``. Runs follow each other without a hole and the last one ends at the horizon.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.text import count

Ints = NDArray[np.int64]

_SHOWN = 4


class Phases:
    """The phases of a stream: where they start, and which arm stays good longest in each.

    Parameters
    ----------
    runs : iterable of (int, int, int)
        Start, step and count of each run.
    arms : array_like of int
        The last safe arm of the phases of each run.

    Examples
    --------
    Three phases of 10 rounds and one of 70:

    >>> p = Phases([(0, 10, 3), (30, 70, 1)], arms=[1, 0])
    >>> len(p), p.changes, p.horizon
    (4, 3, 100)
    >>> p.starts, p.last_safe
    (array([ 0, 10, 20, 30]), array([1, 1, 1, 0]))
    >>> p
    Phases(4 phases of 100 rounds, starting at 0, 10, 20, 30)
    """

    def __init__(self, runs: Iterable[tuple[int, int, int]] | Ints, arms: ArrayLike) -> None:
        table = np.array(runs if isinstance(runs, np.ndarray) else list(runs), dtype=np.int64)
        last = np.array(arms, dtype=np.int64)
        if table.ndim != 2 or table.shape[1] != 3 or len(table) == 0:
            raise ValueError("phases: runs must be (start, step, count), one at least")
        if last.shape != (len(table),):
            raise ValueError(f"phases: {len(table)} runs but arms of shape {last.shape}")
        starts, steps, counts = table.T
        if (steps < 1).any() or (counts < 1).any():
            raise ValueError("phases: the step and the count of a run must be at least 1")
        ends = starts + steps * counts
        if starts[0] != 0 or (starts[1:] != ends[:-1]).any():
            raise ValueError("phases: runs must start at 0 and follow each other without a hole")
        same = (steps[1:] == steps[:-1]) & (last[1:] == last[:-1])
        kept = np.flatnonzero(np.append(True, ~same))
        self._starts = np.ascontiguousarray(starts[kept])
        self._steps = np.ascontiguousarray(steps[kept])
        self._counts = np.add.reduceat(counts, kept)
        self._arms = last[kept]
        self._horizon = int(ends[-1])

    @property
    def runs(self) -> list[tuple[int, int, int]]:
        """The runs as (start, step, count), as few as possible."""
        columns = (self._starts.tolist(), self._steps.tolist(), self._counts.tolist())
        return list(zip(*columns, strict=True))

    @property
    def run_arms(self) -> list[int]:
        """The last safe arm of the phases of each run; `last_safe` may be millions long."""
        return [int(arm) for arm in self._arms]

    @property
    def horizon(self) -> int:
        """Number of rounds."""
        return self._horizon

    @property
    def changes(self) -> int:
        """Number of changes: one less than the number of phases."""
        return len(self) - 1

    @property
    def starts(self) -> Ints:
        """First round of each phase; the first is 0."""
        return self._spread(self._starts) + self._within() * self._spread(self._steps)

    @property
    def lengths(self) -> Ints:
        """Number of rounds of each phase."""
        return self._spread(self._steps)

    @property
    def last_safe(self) -> Ints:
        """The last safe arm of each phase: the one that becomes unsafe last.

        In the last phase, which the horizon cuts short, it is an arm that is still safe. Of
        several such arms it is the one with the lowest index.
        """
        return self._spread(self._arms)

    def sum_of_powers(self, exponent: float) -> float:
        """Return the sum of length ** exponent over the phases, as regret bounds need it.

        Examples
        --------
        >>> Phases([(0, 9, 1000)], arms=[0]).sum_of_powers(1 / 2)
        3000.0
        """
        return float((self._counts * self._steps.astype(np.float64) ** exponent).sum())

    def starts_at(self, rounds: ArrayLike) -> NDArray[np.bool_]:
        """Tell for every round whether a phase starts there.

        Examples
        --------
        >>> Phases([(0, 10, 3), (30, 70, 1)], arms=[1, 0]).starts_at([10, 15, 30, 40])
        array([ True, False,  True, False])
        """
        asked = np.asarray(rounds, dtype=np.int64)
        if ((asked < 0) | (asked >= self._horizon)).any():
            raise ValueError(f"rounds must be between 0 and {self._horizon - 1}")
        run = np.searchsorted(self._starts, asked, side="right") - 1
        return np.asarray((asked - self._starts[run]) % self._steps[run] == 0)

    def _spread(self, values: Ints) -> Ints:
        return np.repeat(values, self._counts)

    def _within(self) -> Ints:
        """Return the place of each phase within its run."""
        firsts = np.cumsum(self._counts) - self._counts
        return np.arange(len(self)) - self._spread(firsts)

    def __len__(self) -> int:
        return int(self._counts.sum())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Phases)
            and self._horizon == other._horizon
            and np.array_equal(self._starts, other._starts)
            and np.array_equal(self._steps, other._steps)
            and np.array_equal(self._arms, other._arms)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown: list[int] = []
        for start, step, length in self.runs:
            shown += [start + k * step for k in range(min(length, _SHOWN + 1))]
            if len(shown) > _SHOWN:
                break
        starts = ", ".join(f"{start:,}" for start in shown[:_SHOWN])
        more = ", ..." if len(self) > _SHOWN else ""
        phases, rounds = count(len(self), "phase"), count(self._horizon, "round")
        return f"Phases({phases} of {rounds}, starting at {starts}{more})"
