"""The measures of non-stationarity, transcribed from their definitions in whole numbers.

A world is a list of rounds, each a K x K table of integers: ``P[a][b] / unit`` is the probability
that a is preferred to b. Gaps are integers over a common unit too, so nothing is rounded.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

World = list[list[list[int]]]


def changes(world: World) -> int:
    return sum(world[t] != world[t - 1] for t in range(1, len(world)))


def variation(world: World, unit: int) -> Fraction:
    K = len(world[0])
    total = 0
    for t in range(1, len(world)):
        total += max(abs(world[t][a][b] - world[t - 1][a][b]) for a in range(K) for b in range(K))
    return Fraction(total, unit)


def scores(P: list[list[int]], weight: list[int]) -> list[int]:
    """Over unit times the sum of the whole numbers ``weight``."""
    return [sum(P[a][b] * weight[b] for b in range(len(P))) for a in range(len(P))]


def score_winners(P: list[list[int]], weight: list[int]) -> set[int]:
    b = scores(P, weight)
    return {a for a in range(len(P)) if b[a] == max(b)}


def condorcet_winners(P: list[list[int]], unit: int) -> set[int]:
    return {a for a in range(len(P)) if all(2 * p >= unit for p in P[a])}


def gic_winners(P: list[list[int]]) -> set[int]:
    arms = range(len(P))
    return {c for c in arms if all(P[c][b] == max(P[a][b] for a in arms) for b in arms)}


def switches(winners: list[set[int]]) -> int:
    """The fewest changes of a sequence that names a winner of every round: over all sequences."""
    cost = dict.fromkeys(winners[0], 0)
    for current in winners[1:]:
        cost = {
            arm: min(count + (arm != before) for before, count in cost.items()) for arm in current
        }
    return min(cost.values())


def weighted_gaps(world: World, weights: list[list[int]]) -> list[list[int]]:
    """Gaps [t][a] over unit times the sum of the weight of the round."""
    table = []
    for P, weight in zip(world, weights, strict=True):
        b = scores(P, weight)
        table.append([max(b) - b[a] for a in range(len(P))])
    return table


def condorcet_gaps(world: World, unit: int) -> list[list[int]]:
    """Gaps [t][a] over twice the unit, to the first Condorcet winner of the round."""
    table = []
    for P in world:
        c = min(condorcet_winners(P, unit))
        table.append([2 * P[c][a] - unit for a in range(len(P))])
    return table


def first_unsafe(
    gaps: list[list[list[int]]], arm: int, begin: int, degree: int, factor: int, unit: int
) -> int:
    """The first s2 for which some [s1, s2], begin <= s1 < s2, and some weight are significant.

    ``gaps[w][t][a] / unit``; significant is ``S^degree >= factor (s2 - s1)^(degree - 1)``. The
    horizon if there is none.
    """
    horizon = len(gaps[0])
    for s2 in range(begin + 1, horizon):
        for table in gaps:
            total = table[s2][arm]
            for s1 in range(s2 - 1, begin - 1, -1):
                total += table[s1][arm]
                if total**degree >= factor * (s2 - s1) ** (degree - 1) * unit**degree:
                    return s2
    return horizon


def significant(
    gaps: list[list[list[int]]], degree: int, factor: int, unit: int
) -> tuple[list[int], list[int]]:
    """The starts of the phases and the last safe arm of each."""
    horizon, n_arms = len(gaps[0]), len(gaps[0][0])
    starts, last_safe = [], []
    begin = 0
    while begin < horizon:
        unsafe = [first_unsafe(gaps, a, begin, degree, factor, unit) for a in range(n_arms)]
        starts.append(begin)
        last_safe.append(unsafe.index(max(unsafe)))
        begin = max(unsafe)
    return starts, last_safe


def significant_stretches(
    gaps: list[list[list[int]]],
    starts: list[int],
    horizon: int,
    degree: int,
    factor: int,
    unit: int,
) -> list[int]:
    """The starts of the phases for gaps [w][n][a] that are constant on few, long stretches.

    For a fixed s2 the slack is convex in s1 along a stretch and for a fixed s1 in s2, so that
    only the ends of stretches are tried as s1, and s2 is bisected. One start a phase: for worlds
    in which phases do not repeat by the million.
    """
    ends = [*starts[1:], horizon]

    def total(table: list[list[int]], arm: int, s1: int, s2: int) -> int:
        return sum(
            table[n][arm] * max(0, min(ends[n], s2 + 1) - max(starts[n], s1))
            for n in range(len(starts))
        )

    def first_unsafe(arm: int, begin: int) -> int:
        for n in range(len(starts)):
            found = [ends[n]]
            edges = {s for start in starts[: n + 1] for s in (start - 1, start) if s > begin}
            for table in gaps:
                for s1 in {begin, *edges}:
                    low, high = max(starts[n], s1 + 1), ends[n] - 1

                    def unsafe(s2: int, s1: int = s1, table: list[list[int]] = table) -> bool:
                        needed = factor * (s2 - s1) ** (degree - 1) * unit**degree
                        return total(table, arm, s1, s2) ** degree >= needed

                    if high < low:
                        continue
                    if unsafe(low):
                        found.append(low)
                    elif unsafe(high):
                        found.append(bisect_left(range(high + 1), True, low, high, key=unsafe))
            if min(found) < ends[n]:
                return min(found)
        return horizon

    begins, begin = [], 0
    while begin < horizon:
        begins.append(begin)
        begin = max(first_unsafe(arm, begin) for arm in range(len(gaps[0][0])))
    return begins


def significant_loops(
    gaps: NDArray[np.float64], degree: int, factor: float
) -> tuple[list[int], list[int]]:
    """The same in floats, ``gaps[w, t, a]``, in loops that a compiler understands."""
    n_weights, horizon, n_arms = gaps.shape
    starts, last_safe = [0], [0]
    begin = 0
    while begin < horizon:
        shift = -1
        for arm in range(n_arms):
            unsafe = horizon
            for w in range(n_weights):
                for s2 in range(begin + 1, unsafe):
                    total = gaps[w, s2, arm]
                    for s1 in range(s2 - 1, begin - 1, -1):
                        total += gaps[w, s1, arm]
                        needed = factor * float(s2 - s1) ** (degree - 1)
                        if total**degree >= needed * (1 - 1e-12):
                            unsafe = s2
                            break
                    if unsafe == s2:
                        break
            if unsafe > shift:
                shift = unsafe
                last_safe[-1] = arm
        begin = shift
        if begin < horizon:
            starts.append(begin)
            last_safe.append(0)
    return starts, last_safe


def significant_weighted(
    world: World, weights: list[list[int]], unit: int
) -> tuple[list[int], list[int]]:
    """SKW for whole-number weights, one per round, all with the same sum."""
    K = len(world[0])
    return significant([weighted_gaps(world, weights)], 3, K, unit * sum(weights[0]))


def significant_unknown(world: World, unit: int) -> tuple[list[int], list[int]]:
    """SUW with the K point masses."""
    K = len(world[0])
    masses = [[int(b == w) for b in range(K)] for w in range(K)]
    gaps = [weighted_gaps(world, [mass] * len(world)) for mass in masses]
    return significant(gaps, 3, K**2, unit)


def significant_condorcet(world: World, unit: int) -> tuple[list[int], list[int]]:
    K = len(world[0])
    return significant([condorcet_gaps(world, unit)], 2, K, 2 * unit)


def approximate_winner(world: World, unit: int) -> tuple[list[int], list[int]]:
    """The starts of the phases and the arm that stays an approximate winner longest in each."""
    horizon, K = len(world), len(world[0])

    def approximates(x: int, s: int, begin: int) -> bool:
        P = world[s]
        best = P[min(gic_winners(P))]
        return all(abs(best[a] - P[x][a]) ** 3 * (s - begin) <= K**2 * unit**3 for a in range(K))

    def fails(x: int, begin: int) -> int:
        for s in range(begin + 1, horizon):
            if not approximates(x, s, begin):
                return s
        return horizon

    starts, last = [], []
    begin = 0
    while begin < horizon:
        ends = [fails(x, begin) for x in range(K)]
        starts.append(begin)
        last.append(ends.index(max(ends)))
        begin = max(ends)
    return starts, last


def aligned(starts: list[int], weights: list[list[int]]) -> bool:
    """Whether the weights are constant inside every phase."""
    ends = [*starts[1:], len(weights)]
    return all(
        weights[t] == weights[start]
        for start, end in zip(starts, ends, strict=True)
        for t in range(start, end)
    )
