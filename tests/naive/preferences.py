"""The classes CW, GIC, SST and STI, by their definitions and over all orders of the arms.

Nothing here is clever and nothing is fast: K arms have K! orders, so keep K at 6 or below. The
entries may be floats or fractions; with fractions and ``tolerance=0`` every answer is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from numbers import Real

HALF = Fraction(1, 2)

Matrix = Sequence[Sequence[Real]]


def condorcet_winners(P: Matrix, tolerance: float = 1e-12) -> list[int]:
    """Every arm c with P[c][a] >= 1/2 for all a."""
    arms = range(len(P))
    return [c for c in arms if all(P[c][a] >= HALF - tolerance for a in arms)]


def gic_winners(P: Matrix, tolerance: float = 1e-12) -> list[int]:
    """Every arm c with P[c][b] >= P[a][b] for all a and b."""
    arms = range(len(P))
    return [c for c in arms if all(P[c][b] >= P[a][b] - tolerance for a in arms for b in arms)]


def is_sst(P: Matrix, tolerance: float = 1e-12) -> bool:
    """Whether some order has P[i][k] >= max(P[i][j], P[j][k]) for all i, j, k in that order.

    As in Suk & Agarwal the three arms may coincide, so an arm stands before the arms it beats.
    """
    return any(
        all(
            P[i][k] >= P[i][j] - tolerance and P[i][k] >= P[j][k] - tolerance
            for i, j, k in combinations_with_replacement(order, 3)
        )
        for order in permutations(range(len(P)))
    )


def is_sti(P: Matrix, tolerance: float = 1e-12) -> bool:
    """Whether some order has d(i,k) <= d(i,j) + d(j,k) for all i, j, k in it, d = P - 1/2.

    An arm stands before the arms it beats.
    """
    return any(
        all(P[i][j] >= HALF - tolerance for i, j in combinations_with_replacement(order, 2))
        and all(
            P[i][k] - HALF <= (P[i][j] - HALF) + (P[j][k] - HALF) + tolerance
            for i, j, k in combinations_with_replacement(order, 3)
        )
        for order in permutations(range(len(P)))
    )


def is_sst_and_sti(P: Matrix, tolerance: float = 1e-12) -> bool:
    """Whether ONE order gives both SST and STI."""
    return any(
        all(
            P[i][k] >= P[i][j] - tolerance
            and P[i][k] >= P[j][k] - tolerance
            and P[i][k] - HALF <= (P[i][j] - HALF) + (P[j][k] - HALF) + tolerance
            for i, j, k in combinations_with_replacement(order, 3)
        )
        for order in permutations(range(len(P)))
    )
