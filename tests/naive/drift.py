"""Evidence of drift by its definition: every player, every vote, every likelihood once more."""

from __future__ import annotations

import math

STEPS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
SIDES = (0.0, 0.1, 0.2, 0.4)


def log_evidence(votes, n_arms, *, sides=True):
    """ln E after each time of votes ``(time, left, right, outcome)`` in the order of time."""
    if not sides:
        votes = [(t, a, b, x) if a < b else (t, b, a, 1 - x) for t, a, b, x in votes]
    kinds = [(step, side) for step in STEPS for side in (SIDES if sides else (0.0,))]
    strengths = {kind: [0.0] * n_arms for kind in kinds}
    likelihoods = dict.fromkeys(kinds, 1.0)
    found = []
    for time in sorted({vote[0] for vote in votes}):
        now = [vote for vote in votes if vote[0] == time]
        chances = {
            kind: [_chance(strengths[kind], kind[1], a, b) for _, a, b, _ in now] for kind in kinds
        }
        for kind in kinds:
            for (_, _, _, x), p in zip(now, chances[kind], strict=True):
                likelihoods[kind] *= p**x * (1 - p) ** (1 - x)
            for _, a, b, x in now:
                move = kind[0] * (x - _chance(strengths[kind], kind[1], a, b))
                strengths[kind][a] += move
                strengths[kind][b] -= move
        predicted = sum(likelihoods.values()) / len(kinds)
        greatest = 1.0
        past = [vote for vote in votes if vote[0] <= time]
        for pair in {vote[1:3] for vote in past}:
            outcomes = [x for _, *both, x in past if tuple(both) == pair]
            mean = sum(outcomes) / len(outcomes)
            for x in outcomes:
                greatest *= mean**x * (1 - mean) ** (1 - x)
        found.append(math.log(predicted / greatest))
    return found


def _chance(strengths, side, left, right):
    return 1 / (1 + math.exp(strengths[right] - strengths[left] - side))
