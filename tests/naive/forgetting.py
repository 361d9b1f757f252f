"""Scores of arms from a list of explorations, each with its weight, summed anew every time.

An exploration is (left, right, outcome), the oldest first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Exploration = tuple[int, int, float]


def discounted(log: Sequence[Exploration], discount: float) -> list[float]:
    """The weight of each exploration: 1 for the latest, less by the discount for each before."""
    return [discount ** (len(log) - 1 - n) for n in range(len(log))]


def in_window(log: Sequence[Exploration], window: int) -> list[float]:
    """The weight of each exploration: 1 for the latest ones, 0 for those before."""
    return [1.0 if len(log) - n <= window else 0.0 for n in range(len(log))]


def weight(log: Sequence[Exploration], weights: list[float], arm: int, both: bool) -> float:
    total = 0.0
    for (left, right, _), w in zip(log, weights, strict=True):
        total += w * (left == arm)
        total += w * (right == arm) * both
    return total


def score(log: Sequence[Exploration], weights: list[float], arm: int, both: bool) -> float:
    """The share of wins, 1/2 for an arm without explorations."""
    wins = 0.0
    for (left, right, outcome), w in zip(log, weights, strict=True):
        wins += w * outcome * (left == arm)
        wins += w * (1 - outcome) * (right == arm) * both
    seen = weight(log, weights, arm, both)
    return wins / seen if seen > 0 else 0.5


def bound(log: Sequence[Exploration], weights: list[float], arm: int, c: float) -> float:
    """score + c sqrt(ln(total weight) / weight); infinite for an arm without explorations."""
    seen = weight(log, weights, arm, both=False)
    if seen == 0:
        return math.inf
    total = max(sum(weights), 1.0)
    return score(log, weights, arm, both=False) + c * math.sqrt(math.log(total) / seen)
