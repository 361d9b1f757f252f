"""Bradley-Terry with reliable voters, by its likelihood and one number at a time."""

from __future__ import annotations

import math


def height(votes, s, r):
    """Return the logarithm of likelihood and prior; votes are (winner, loser, voter, count)."""
    total = -0.5 * sum(x * x for x in s) + 3.0 * sum(math.log(x) for x in r)
    for winner, loser, voter, count in votes:
        p = 1 / (1 + math.exp(s[loser] - s[winner]))
        total += count * math.log(r[voter] * p + (1 - r[voter]) * (1 - p))
    return total


def climbed(votes, s, r, sweeps=60):
    """Return where it is highest, by golden sections along each number in turn."""
    s, r = list(s), list(r)
    for _ in range(sweeps):
        for k in range(len(s)):
            s[k] = highest(lambda x, k=k: height(votes, [*s[:k], x, *s[k + 1 :]], r), -6, 6)
        for v in range(len(r)):
            r[v] = highest(
                lambda x, v=v: height(votes, s, [*r[:v], x, *r[v + 1 :]]), 0.5, 1 - 1e-12
            )
    return s, r


def highest(of, low, high):
    ratio = (math.sqrt(5) - 1) / 2
    one, other = high - ratio * (high - low), low + ratio * (high - low)
    a, b = of(one), of(other)
    for _ in range(60):
        if a > b:
            high, other, b = other, one, a
            one = high - ratio * (high - low)
            a = of(one)
        else:
            low, one, a = one, other, b
            other = low + ratio * (high - low)
            b = of(other)
    return (low + high) / 2


def scores(s):
    return [
        sum(1 / (1 + math.exp(b - a)) for j, b in enumerate(s) if j != i) / (len(s) - 1)
        for i, a in enumerate(s)
    ]
