"""Significant shifts of the von Neumann winner, from their definition, for two or three arms.

All mixtures that are still safe in a phase are kept as the corners of a polygon (a segment for two
arms), from which every interval and every arm cuts off those on which the arm gains too much.
"""

from __future__ import annotations

import math
from itertools import product

Mixture = tuple[float, ...]

LEFT_OVER = 1e-11
"""The share of a threshold that must be left over, as in the library."""


def phase_starts(rounds: list[list[list[float]]]) -> list[int]:
    """Return the first round of each phase; ``rounds`` holds P of each round."""
    n_arms = len(rounds[0])
    starts = [0]
    safe = simplex(n_arms)
    t = 0
    while t < len(rounds):
        for s1, arm in product(range(starts[-1], t), range(n_arms)):
            threshold = math.sqrt(n_arms * (t - s1))
            row = [
                sum(rounds[s][arm][b] - 0.5 for s in range(s1, t + 1)) / threshold
                for b in range(n_arms)
            ]
            safe = cut(safe, row)
        if safe:
            t += 1
        else:  # the round closes a phase and begins the next, in which it is looked at again
            starts.append(t)
            safe = simplex(n_arms)
    return starts


def simplex(n_arms: int) -> list[Mixture]:
    return [tuple(float(a == b) for b in range(n_arms)) for a in range(n_arms)]


def cut(corners: list[Mixture], row: list[float]) -> list[Mixture]:
    """Return what of a polygon fulfils ``row v <= 1 - LEFT_OVER`` (Sutherland & Hodgman)."""
    left = [1 - LEFT_OVER - sum(r * x for r, x in zip(row, v, strict=True)) for v in corners]
    if min(left, default=0) >= 0:
        return corners
    kept = []
    for i in range(len(corners)):
        j = (i + 1) % len(corners)
        if left[i] >= 0:
            kept.append(corners[i])
        if (left[i] >= 0) != (left[j] >= 0):
            share = left[i] / (left[i] - left[j])
            kept.append(
                tuple(x + share * (y - x) for x, y in zip(corners[i], corners[j], strict=True))
            )
    return kept
