"""Tournament solutions by their definitions, over all sets and orders of arms, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

HALF = Fraction(1, 2)

Matrix = Sequence[Sequence[Fraction]]


def subsets(arms: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All sets of arms but the empty one, the smallest first."""
    for size in range(1, len(arms) + 1):
        yield from combinations(arms, size)


def top_cycle(P: Matrix) -> list[int]:
    """The smallest set whose members beat everyone outside."""
    arms = range(len(P))
    for members in subsets(arms):
        if all(P[a][b] > HALF for a in members for b in arms if b not in members):
            return list(members)
    raise AssertionError("all arms together are such a set")


def uncovered_set(P: Matrix) -> list[int]:
    """Who is covered by nobody."""

    def result(a: int, b: int) -> int:
        return (P[a][b] > HALF) - (P[a][b] < HALF)

    def covers(c: int, a: int) -> bool:
        return result(c, a) > 0 and all(result(c, b) >= result(a, b) for b in range(len(P)))

    return [a for a in range(len(P)) if not any(covers(c, a) for c in range(len(P)))]


def copeland_set(P: Matrix) -> list[int]:
    """Who wins most, a tie counted half."""
    points = [sum(Fraction((p > HALF) + (p >= HALF), 2) for p in row) for row in P]
    return [a for a in range(len(P)) if points[a] == max(points)]


def banks_set(P: Matrix) -> list[int]:
    """The top of every chain that no arm beats as a whole."""
    arms = range(len(P))
    tops = set()
    for members in subsets(arms):
        if any(all(P[a][b] > HALF for b in members) for a in arms if a not in members):
            continue
        for order in permutations(members):
            if all(P[a][b] > HALF for a, b in combinations(order, 2)):
                tops.add(order[0])
    return sorted(tops)


def von_neumann_winners(P: Matrix) -> list[list[Fraction]]:
    """The corners of the set of distributions v with sum_c v[c] (P[c][a] - 1/2) >= 0 for all a.

    In a corner with m arms in its support, m - 1 of the inequalities are equations.
    """
    arms = range(len(P))
    corners = []
    for support in subsets(arms):
        for tight in combinations(arms, len(support) - 1):
            rows = [[P[c][a] - HALF for c in support] + [Fraction(0)] for a in tight]
            rows.append([Fraction(1)] * (len(support) + 1))
            solution = solved(rows)
            if solution is None or min(solution) <= 0:
                continue
            v = [Fraction(0)] * len(P)
            for arm, share in zip(support, solution, strict=True):
                v[arm] = share
            if all(sum(v[c] * (P[c][a] - HALF) for c in arms) >= 0 for a in arms):
                corners.append(v)
    return [v for n, v in enumerate(corners) if v not in corners[:n]]


def solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """Solve n equations with n unknowns, the right side last; None if there is not one solution."""
    rows = [list(row) for row in rows]
    n = len(rows)
    for column in range(n):
        pivot = next((r for r in range(column, n) if rows[r][column] != 0), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for r in range(n):
            if r != column:
                factor = rows[r][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[column], strict=True)]
    return [row[-1] for row in rows]
