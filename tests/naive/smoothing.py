"""Kernel smoothing of votes, vote by vote from the formulas.

A vote is ``(time, left, right, outcome, count)``; a list of votes is in the order of time.
"""

from __future__ import annotations

import math
from fractions import Fraction

Vote = tuple[float, int, int, float, int]


def kernel(distance, bandwidth):
    return math.exp(-0.5 * (distance / bandwidth) ** 2)


def matrix(votes: list[Vote], n_arms, time, bandwidth, pseudo_count, bias=0.5):
    """P_t, with votes for a side weighted by how little its advantage explains them."""
    P = [[0.5] * n_arms for _ in range(n_arms)]
    for a in range(n_arms):
        for b in range(n_arms):
            if a == b:
                continue
            won = pseudo_count / 2
            lost = pseudo_count / 2
            for when, left, right, outcome, count in votes:
                near = count * kernel(time - when, bandwidth)
                for_left = near * outcome / (2 * bias)
                for_right = near * (1 - outcome) / (2 * (1 - bias))
                if (left, right) == (a, b):
                    won += for_left
                    lost += for_right
                if (left, right) == (b, a):
                    won += for_right
                    lost += for_left
            P[a][b] = won / (won + lost)
    return P


def left_bias(votes: list[Vote]):
    """Mantel and Haenszel over runs of 20 entries of one pair; None where it is undefined."""
    runs: dict[tuple[int, int, int], dict[str, Fraction]] = {}
    seen: dict[tuple[int, int], int] = {}
    for _, left, right, outcome, count in votes:
        a, b = sorted((left, right))
        before = seen.get((a, b), 0)
        seen[a, b] = before + 1
        table = runs.setdefault((a, b, before // 20), dict.fromkeys("ABCD", Fraction(0)))
        for_left = count * Fraction(outcome)
        for_right = count * (1 - Fraction(outcome))
        if left == a:
            table["A"] += for_left
            table["B"] += for_right
        else:
            table["C"] += for_right
            table["D"] += for_left
    for_left = sum(t["A"] * t["D"] / sum(t.values()) for t in runs.values())
    for_right = sum(t["B"] * t["C"] / sum(t.values()) for t in runs.values())
    if for_left == 0 or for_right == 0:
        return None
    ratio = math.sqrt(for_left / for_right)
    return ratio / (1 + ratio)


def held_out_loss(votes: list[Vote], n_arms, bandwidth, pseudo_count, folds, bias=0.5):
    """Mean log-loss when the votes of a fold are predicted from the others, times as clusters."""
    moments = sorted({vote[0] for vote in votes})
    fold = {moment: n % folds for n, moment in enumerate(moments)}
    beta = math.log(bias / (1 - bias))
    total = 0.0
    for when, left, right, outcome, count in votes:
        others = [vote for vote in votes if fold[vote[0]] != fold[when]]
        fair = matrix(others, n_arms, when, bandwidth, pseudo_count, bias)[left][right]
        left_wins = 1 / (1 + (1 - fair) / fair * math.exp(-beta))
        total -= count * outcome * math.log(left_wins)
        total -= count * (1 - outcome) * math.log(1 - left_wins)
    return total / sum(vote[4] for vote in votes)
