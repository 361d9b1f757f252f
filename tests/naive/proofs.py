"""Changes and leads that are proved at every look, by their definitions."""

from __future__ import annotations

import math

from scipy.optimize import minimize_scalar

from tests.naive.evidence import above, below, log_evidence, log_joint

NORM = sum((m + 3) ** -1.2 for m in range(1, 200_000)) + 200_003**-0.2 / 0.2


def change(outcomes, starts=None):
    """ln of the sums of w_m E_m that a coin fell, and that it rose, over starts after 4 m votes."""
    sums = [0.0, 0.0]
    n = len(outcomes)
    for m in range(1, (n - 1) // 4 + 1) if starts is None else starts:
        first, rest = outcomes[: 4 * m], outcomes[4 * m :]
        weight = (m + 3) ** -1.2 / NORM
        for turn, (one, other) in enumerate(((above, below), (below, above))):
            sums[turn] += weight * math.exp(_least(one, other, first, rest))
    return tuple(math.log(total) if total > 0 else -math.inf for total in sums)


def _least(one, other, first, rest):
    def fortune(mean):
        return one(sum(first), len(first), mean) + other(sum(rest), len(rest), mean)

    return min(
        minimize_scalar(fortune, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}).fun,
        fortune(0.0),
        fortune(1.0),
    )


def lead(votes, weight, leader, rival, pooled):
    """ln of the evidence of votes ``(left, right, outcome)`` that an arm is ahead of another."""
    n_arms = len(weight)
    others = [arm for arm in range(n_arms) if arm not in (leader, rival)]
    strata = [(weight[leader] + weight[rival], {leader}, {rival}, leader)]
    for arm, sign in ((leader, 1), (rival, -1)):
        groups = [others] if pooled else [[k] for k in others]
        strata += [(sign * sum(weight[k] for k in g), {arm}, set(g), arm) for g in groups if g]
    columns = []
    for coefficient, arms, opponents, arm in strata:
        outcomes = [
            x if a == arm else 1 - x
            for a, b, x in votes
            if (a in arms and b in opponents) or (b in arms and a in opponents)
        ]
        columns.append((coefficient, sum(outcomes), len(outcomes)))
    columns = [one for one in columns if one[0] != 0]
    bound = (weight[leader] + weight[rival]) / 2
    problem = (*zip(*columns, strict=True), bound)
    if len(columns) <= 3:
        return log_evidence(*problem)
    return math.log((math.exp(log_evidence(*problem)) + math.exp(log_joint(*problem))) / 2)
