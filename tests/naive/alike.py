"""The e-value against "groups do not differ", by its definition with exact numbers."""

from __future__ import annotations

from fractions import Fraction


def e_value(votes):
    """Return the product of the wealths; a vote is (left, right, who won: 1, 0 or 1/2, group)."""
    cells = {}
    for pair in {frozenset((left, right)) for left, right, _, _ in votes}:
        first = min(pair)
        mine = [
            (group, outcome if left == first else 1 - outcome)
            for left, right, outcome, group in votes
            if frozenset((left, right)) == pair and outcome in (0, 1)
        ]
        n = 0
        while n + 1 < len(mine):
            (group, won), (other, later) = mine[n], mine[n + 1]
            if group == other:
                n += 1
                continue
            if won != later:
                winner = group if won == 1 else other
                cells.setdefault((pair, frozenset((group, other))), []).append(winner)
            n += 2
    wealth = Fraction(1)
    for winners in cells.values():
        for n, winner in enumerate(winners):
            before = winners[:n].count(winner)
            wealth *= 2 * (before + Fraction(1, 2)) / (n + 1)
    return wealth
