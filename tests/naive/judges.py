"""What a judge lets expect of votes, by the definitions of `driftduel.votes.judges` with loops."""

from __future__ import annotations

import math


def call(answers, case, one, other, at):
    """Return u: twice the mean of what stands in both orders, less one; 0 if nothing does."""
    both = []
    for a, b in ((one, other), (other, one)):
        told = [
            (when, said)
            for left, right, said, when, where in zip(
                answers.left, answers.right, answers.outcome, answers.time, answers.case,
                strict=True,
            )
            if (left, right, where) == (a, b, case)
        ]  # fmt: skip
        if told:
            until = [said for when, said in told if when <= at]
            said = until[-1] if until else told[0][1]
            both.append(said if a == one else 1 - said)
    return 2 * sum(both) / len(both) - 1 if both else 0.0


def expected(answers, log, cases, past, starts, one, other, row):
    """Return the chance of ``one`` over ``other`` that is expected of a row."""
    begins = list(starts)
    block = max(n for n, begin in enumerate(begins) if begin <= row)

    def features(row, one, other):
        of = max(n for n, begin in enumerate(begins) if begin <= row)
        p = min(max(past.tables[of][one, other], 1e-3), 1 - 1e-3)
        u = call(answers, cases[row], one, other, log.time[begins[of]])
        return math.log(p / (1 - p)), u, of

    rows = []
    for earlier in range(begins[block]):
        left, right = log.left[earlier], log.right[earlier]
        if left == right:
            continue
        a, u, of = features(earlier, left, right)
        weight = log.count[earlier] * 0.5 ** ((block - 1 - of) / 32)
        rows.append((a, u, weight, log.outcome[earlier]))
    x, y = mode(rows)
    a, u, _ = features(row, one, other)
    return sigma(x * a + y * u)


def sigma(z):
    return min(max(1 / (1 + math.exp(-z)), 1e-3), 1 - 1e-3)


def mode(rows):
    """Return the coefficients of most likelihood and prior, by halving what each can be in turn."""

    def slope(x, y, which):
        total = -4.0 * (x - 1.0) if which == 0 else -y
        for a, u, weight, won in rows:
            total += weight * (won - 1 / (1 + math.exp(-x * a - y * u))) * (a, u)[which]
        return total

    x, y = 1.0, 0.0
    for _ in range(60):
        low, high = -50.0, 50.0
        for _ in range(60):
            x = (low + high) / 2
            low, high = (x, high) if slope(x, y, 0) > 0 else (low, x)
        low, high = -50.0, 50.0
        for _ in range(60):
            y = (low + high) / 2
            low, high = (y, high) if slope(x, y, 1) > 0 else (low, y)
    return x, y
