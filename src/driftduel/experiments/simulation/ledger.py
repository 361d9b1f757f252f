"""The record of who was played when, small whatever the horizon, exact for any criterion.

Rounds are cut into segments wherever the world, the criterion or a point of interest begins.
Within a segment regret depends on how often each pair was played, not on the order, so counts
are enough. The ledger keeps one of three records, the first that fits:

- counts of pairs per segment, from which every kind of regret follows;
- the pair of every round, for streams that change all the time and for many arms;
- counts of arms per segment, enough for regret but not for weak or binary regret.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import jit
from driftduel._support.limits import MOST_COUNTS

_LARGEST = 2**24
"""Entries of a record; 64 MiB of counts."""

_NEAR = 2**14
"""Counts of pairs that the processor keeps near; counting among more is slower than a list."""

_LARGEST_COUNT = np.iinfo(np.int32).max

_MEAN, _SMALLER, _LARGER = range(3)
"""What counts of the gaps of a pair."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Ledger:
    """Collects the plays of one run.

    Parameters
    ----------
    n_arms, horizon : int
        Size of the run.
    cuts : array of int
        The rounds at which segments begin, increasing, the first 0.
    """

    def __init__(self, n_arms: int, horizon: int, cuts: Ints) -> None:
        self.n_arms = n_arms
        self.cuts = cuts
        self.pairs: NDArray[Any] | None = None
        self.rounds: NDArray[np.int32] | None = None
        self.arms: NDArray[Any] | None = None
        self._plays = np.zeros((1, n_arms**2), np.int64)
        longest = int(np.diff(cuts, append=horizon).max())
        counts = np.int32 if 2 * longest <= _LARGEST_COUNT else np.int64
        fits = len(cuts) * n_arms**2 <= _LARGEST
        if fits and (n_arms**2 <= _NEAR or horizon > _LARGEST):
            self.pairs = np.zeros((len(cuts), n_arms**2), counts)
        elif horizon <= _LARGEST:
            self.rounds = np.zeros(horizon, np.int32)
        elif len(cuts) * n_arms > MOST_COUNTS:
            raise ValueError(
                f"counts of {n_arms:,} arms over {len(cuts):,} segments are too many to keep, ask "
                "for fewer points or a stream that changes less often"
            )
        else:
            self.arms = np.zeros((len(cuts), n_arms), counts)

    def add(self, first: int, pairs: NDArray[np.int32]) -> None:
        """Take in the pairs ``left * K + right`` of the rounds from ``first`` on."""
        if self.pairs is not None:
            _count(self.pairs, self.cuts, first, pairs)
        elif self.rounds is not None:
            self.rounds[first : first + len(pairs)] = pairs
        elif self.arms is not None:
            _count(self._plays, self.cuts[:1], first, pairs)
            _count(self.arms, self.cuts, first, pairs // self.n_arms)
            _count(self.arms, self.cuts, first, pairs % self.n_arms)

    @property
    def plays(self) -> Ints:
        """How often each ordered pair was played in all."""
        plays = self._plays.copy()
        if self.pairs is not None:
            plays = self.pairs.sum(axis=0, dtype=np.int64)
        elif self.rounds is not None:
            _count(plays, self.cuts[:1], 0, self.rounds)
        return plays.reshape(self.n_arms, self.n_arms)

    def regret(
        self, rows: Floats, begins: Ints, *, weak: bool = False, binary: bool = False
    ) -> Floats:
        """Return the regret of each segment, given the gaps of the arms over time.

        Parameters
        ----------
        rows : array of shape (R, K)
            Gaps of the arms.
        begins : array of shape (R,)
            The round from which each row holds.
        weak : bool
            Count the better arm of a pair only.
        binary : bool
            The gaps are 0 for winners and 1 otherwise; count the worse arm of a pair unless weak.
        """
        what = _SMALLER if weak else _LARGER if binary else _MEAN
        if not np.isin(begins, self.cuts).all() and self.rounds is None:
            raise ValueError(
                "the weights change at rounds that the run did not keep apart; pass the "
                "criterion to simulate(criteria=...)"
            )
        if self.rounds is not None:
            return _regret_by_round(self.rounds, self.cuts, rows, begins, what)
        row = np.searchsorted(begins, self.cuts, side="right") - 1
        if self.pairs is not None:
            return _regret_by_pair(self.pairs, rows, row, what)
        assert self.arms is not None
        if what != _MEAN:
            kind = "weak" if weak else "binary"
            raise ValueError(
                f"{kind} regret needs the pairs of every segment; those of {self.n_arms} arms over "
                f"{len(self.cuts):,} segments are too many to keep, ask for fewer points"
            )
        return np.asarray((self.arms * rows[row]).sum(axis=1) / 2)


@jit
def _count(counts: NDArray[Any], cuts: Ints, first: int, codes: NDArray[np.int32]) -> None:
    segment = np.searchsorted(cuts, first, side="right") - 1
    n = 0
    while n < codes.shape[0]:
        end = codes.shape[0]
        if segment + 1 < cuts.shape[0]:
            end = min(end, cuts[segment + 1] - first)
        row = counts[segment]
        while n < end:
            row[codes[n]] += 1
            n += 1
        segment += 1


@jit
def _regret_by_pair(
    pairs: NDArray[Any], rows: Floats, row_of: NDArray[np.intp], what: int
) -> Floats:
    n_arms = rows.shape[1]
    result = np.zeros(pairs.shape[0])
    for segment in range(pairs.shape[0]):
        gaps = rows[row_of[segment]]
        total = 0.0
        for left in range(n_arms):
            for right in range(n_arms):
                count = pairs[segment, left * n_arms + right]
                if count > 0:
                    total += count * _of_pair(gaps[left], gaps[right], what)
        result[segment] = total
    return result


@jit
def _regret_by_round(
    rounds: NDArray[np.int32], cuts: Ints, rows: Floats, begins: Ints, what: int
) -> Floats:
    n_arms = rows.shape[1]
    result = np.zeros(cuts.shape[0])
    segment = 0
    row = 0
    for n in range(rounds.shape[0]):
        if segment + 1 < cuts.shape[0] and cuts[segment + 1] <= n:
            segment += 1
        if row + 1 < begins.shape[0] and begins[row + 1] <= n:
            row += 1
        left = rows[row, rounds[n] // n_arms]
        right = rows[row, rounds[n] % n_arms]
        result[segment] += _of_pair(left, right, what)
    return result


@jit
def _of_pair(left: float, right: float, what: int) -> float:
    if what == _MEAN:
        return (left + right) / 2
    return min(left, right) if what == _SMALLER else max(left, right)
