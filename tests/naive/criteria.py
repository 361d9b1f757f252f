"""Scores, gaps and regret by their definitions, one loop per symbol, in exact fractions.

Matrices and weights are nested lists of numbers that a `Fraction` can hold exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tests.naive.preferences import condorcet_winners

Matrix = Sequence[Sequence[float | Fraction]]
Weight = Sequence[float | Fraction]


def score(P: Matrix, a: int, weight: Weight) -> Fraction:
    """b(a, w) = sum over a' of P[a][a'] w[a']."""
    total = Fraction(0)
    for other in range(len(P)):
        total += Fraction(P[a][other]) * Fraction(weight[other])
    return total


def scores(P: Matrix, weight: Weight) -> list[Fraction]:
    return [score(P, a, weight) for a in range(len(P))]


def gaps(P: Matrix, weight: Weight) -> list[Fraction]:
    """max over a' of b(a', w), minus b(a, w)."""
    return [max(scores(P, weight)) - score(P, a, weight) for a in range(len(P))]


def winners(P: Matrix, weight: Weight) -> list[int]:
    return [a for a in range(len(P)) if gaps(P, weight)[a] == 0]


def borda_weight(P: Matrix) -> list[Fraction]:
    """1/K on every arm, the arm itself included."""
    return [Fraction(1, len(P)) for _ in P]


def regret(P: Matrix, weight: Weight, i: int, j: int) -> Fraction:
    """max over a of b(a, w), minus the mean of b(i, w) and b(j, w)."""
    return max(scores(P, weight)) - (score(P, i, weight) + score(P, j, weight)) / 2


def weak_regret(P: Matrix, weight: Weight, i: int, j: int) -> Fraction:
    """The same for the better of the two arms."""
    return max(scores(P, weight)) - max(score(P, i, weight), score(P, j, weight))


def condorcet_regret(P: Matrix, i: int, j: int) -> Fraction:
    """(P[c][i] + P[c][j] - 1) / 2, c the first Condorcet winner."""
    c = condorcet_winners(P)[0]
    return (Fraction(P[c][i]) + Fraction(P[c][j]) - 1) / 2


def dynamic_regret(
    world: Callable[[int], Matrix],
    weight: Callable[[int], Weight],
    left: Sequence[int],
    right: Sequence[int],
    of_a_round: Callable[[Matrix, Weight, int, int], Fraction] = regret,
) -> list[Fraction]:
    """The regret of a round, summed over the rounds so far; one number for every round."""
    total = Fraction(0)
    sums = []
    for t in range(len(left)):
        total += of_a_round(world(t), weight(t), left[t], right[t])
        sums.append(total)
    return sums


def copeland_score(P: Matrix, a: int) -> Fraction:
    """How many other arms a beats, ties counted half, of K - 1."""
    total = Fraction(0)
    for other in range(len(P)):
        if other != a and P[a][other] > Fraction(1, 2):
            total += 1
        elif other != a and P[a][other] == Fraction(1, 2):
            total += Fraction(1, 2)
    return total / (len(P) - 1)


def copeland_gaps(P: Matrix) -> list[Fraction]:
    scores_ = [copeland_score(P, a) for a in range(len(P))]
    return [max(scores_) - score_ for score_ in scores_]


def strong_binary_regret(winners_: Sequence[int], i: int, j: int) -> int:
    """0 only if both arms are winners."""
    return 0 if i in winners_ and j in winners_ else 1


def weak_binary_regret(winners_: Sequence[int], i: int, j: int) -> int:
    """0 if a winner is one of the two arms."""
    return 0 if i in winners_ or j in winners_ else 1
