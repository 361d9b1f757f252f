"""Changes of matrix and of winner: L, V_T, S_B, S_C and the approximate winner phases.

- L: rounds at which the matrix changes; V_T: the sum of the largest change of an entry.
- S_B, S_C: changes of winner, with ties the fewest possible. The arms that won every round since
  the last change are kept; when none is left, that is a change, and all current winners start
  again.
- S_approx [defn:approximate-winner-changes]: under GIC, a phase lasts while one arm x has
  ``abs(P_s[a*, a] - P_s[x, a]) <= (K^2 / (s - start))^(1/3)`` for every arm a at all its rounds s,
  a* the arm that maximises every column. The largest of these differences is the shortfall of x.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import jit
from driftduel.matrix.preferences import Array
from driftduel.worlds.measures.phases import Ints, Phases
from driftduel.worlds.measures.shown import Shown
from driftduel.worlds.measures.significant import REACH
from driftduel.worlds.stream import Stream


def total_variation(stream: Stream) -> float:
    """Return V_T: the largest change of an entry, summed over the rounds."""
    return float(_variation(stream.palette, stream.which).sum())


def winner_switches(winners: NDArray[np.bool_], which: Ints) -> int:
    """Return the fewest changes of winner, for a table (M, K) of who wins under each matrix."""
    return int(_switches(winners, which))


def approximate_phases(stream: Shown, shortfall: Array) -> Phases:
    """Return the approximate winner phases of a stream in which GIC holds throughout."""
    starts, arms = _approximate(shortfall, stream.which, stream.starts, stream.horizon)
    lengths = np.diff(starts, append=stream.horizon)
    return Phases(np.stack([starts, lengths, np.ones_like(starts)], axis=1), arms)


@jit
def _variation(palette: Array, which: Ints) -> Array:
    """Return the largest change of an entry at each boundary between stretches."""
    n_arms = palette.shape[1]
    largest = np.zeros(len(which) - 1)
    for n in range(1, len(which)):
        step = 0.0
        for a in range(n_arms):
            for b in range(n_arms):
                step = max(step, abs(palette[which[n], a, b] - palette[which[n - 1], a, b]))
        largest[n - 1] = step
    return largest


@jit
def _switches(winners: NDArray[np.bool_], which: Ints) -> int:
    unbroken = winners[which[0]].copy()
    count = 0
    for m in which:
        left = unbroken & winners[m]
        if not left.any():
            count += 1
            left = winners[m].copy()
        unbroken = left
    return count


@jit
def _approximate(shortfall: Array, which: Ints, starts: Ints, horizon: int) -> tuple[Ints, Ints]:
    """Return the start of each phase and the arm that stays an approximate winner longest.

    Under GIC some arm has no shortfall in a stretch, so a phase outlives the stretch in which it
    starts and there are no more phases than stretches.
    """
    n_arms = shortfall.shape[1]
    begins = np.empty(len(starts), np.int64)
    arms = np.empty(len(starts), np.int64)
    n_phases = 0
    stretch = 0
    begin = starts[0]
    while begin < horizon:
        while stretch + 1 < len(starts) and starts[stretch + 1] <= begin:
            stretch += 1
        change = begin
        last = 0
        for arm in range(n_arms):
            fails = _first_failure(
                shortfall[:, arm], which, starts, horizon, begin, stretch, n_arms
            )
            if fails > change:
                change = fails
                last = arm
            if fails == horizon:
                break
        begins[n_phases] = begin
        arms[n_phases] = last
        n_phases += 1
        begin = change
    return begins[:n_phases].copy(), arms[:n_phases].copy()


@jit
def _first_failure(
    shortfall: Array, which: Ints, starts: Ints, horizon: int, begin: int, stretch: int, n_arms: int
) -> int:
    """Return the first round at which an arm is no approximate winner, else the horizon.

    Powers are compared, ``shortfall^3 (s - begin) > K^2``; equality, up to `REACH`, is no failure.
    """
    limit = n_arms * n_arms * (1 + REACH)
    for n in range(stretch, len(starts)):
        end = starts[n + 1] if n + 1 < len(starts) else horizon
        cube = shortfall[which[n]] ** 3
        if cube * (end - 1 - begin) <= limit:
            continue
        age = max(int(limit / cube), starts[n] - begin, 0)
        while cube * age <= limit:
            age += 1
        return int(begin + age)
    return horizon
