"""Bradley-Terry by the definitions: the iteration of Zermelo, and the deviance pair by pair."""

from __future__ import annotations

import math


def strengths(wins):
    """The logarithms of the worths of the highest likelihood, of sum 0 (Zermelo 1929)."""
    k = len(wins)
    worth = [1.0] * k
    for _ in range(20_000):
        for a in range(k):
            won = sum(wins[a][b] for b in range(k) if b != a)
            met = sum((wins[a][b] + wins[b][a]) / (worth[a] + worth[b]) for b in range(k) if b != a)
            worth[a] = won / met
    logs = [math.log(value) for value in worth]
    return [value - sum(logs) / k for value in logs]


def deviance(wins, strengths):
    """Twice by how much the log-likelihood of a chance for every pair is higher."""
    found = 0.0
    for a in range(len(wins)):
        for b in range(len(wins)):
            if a != b and wins[a][b]:
                share = wins[a][b] / (wins[a][b] + wins[b][a])
                rated = 1 / (1 + math.exp(strengths[b] - strengths[a]))
                found += 2 * wins[a][b] * math.log(share / rated)
    return found
