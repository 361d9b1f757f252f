"""Evidence for a linear combination of means by the definition and a generic convex solver."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import LinearConstraint, minimize

BETS = [0.0] + [0.03 * (4 / 0.03) ** (k / 8) for k in range(9)]


def above(wins, votes, mean):
    """What who bets on a mean above this one owns, as a logarithm."""
    logs = [bet * wins - votes * math.log(1 - mean + mean * math.exp(bet)) for bet in BETS]
    top = max(logs)
    return top + math.log(sum(math.exp(one - top) for one in logs) / len(BETS))


def below(wins, votes, mean):
    return above(votes - wins, votes, 1 - mean)


def log_joint(coefficients, wins, votes, bound):
    """The mean over bets of the least fortune if the same bet is made in all strata."""
    largest = max(map(abs, coefficients))
    logs = []
    for bet in BETS:

        def one(wins, votes, mean, odds):
            return odds * wins - votes * math.log(1 - mean + mean * math.exp(odds))

        def alone(coefficient, wins, votes, mean, bet=bet, one=one):
            odds = bet * abs(coefficient) / largest
            if coefficient > 0:
                return one(wins, votes, mean, odds)
            return one(votes - wins, votes, 1 - mean, odds)

        logs.append(_least(alone, coefficients, wins, votes, bound))
    if math.inf in logs:
        return math.inf
    top = max(logs)
    return top + math.log(sum(math.exp(one - top) for one in logs) / len(BETS))


def log_evidence(coefficients, wins, votes, bound):
    """The least fortune over all means that sum up to the bound at most."""

    def alone(coefficient, wins, votes, mean):
        return (above if coefficient > 0 else below)(wins, votes, mean)

    return _least(alone, coefficients, wins, votes, bound)


def _least(alone, coefficients, wins, votes, bound):
    def fortune(means):
        return sum(
            alone(c, s, n, min(max(p, 0.0), 1.0))
            for c, s, n, p in zip(coefficients, wins, votes, means, strict=True)
        )

    coefficients = np.asarray(coefficients, dtype=float)
    least = np.where(coefficients > 0, 0.0, 1.0)
    if coefficients @ least > bound:
        return math.inf
    found = []
    for share in (0.0, 0.5, 0.99):
        # From the means that sum up to least towards those that were seen.
        seen = np.divide(wins, votes, out=np.full(len(least), 0.5), where=np.asarray(votes) > 0)
        start = least + share * (seen - least)
        while coefficients @ start > bound:
            start = (start + least) / 2
        answer = minimize(
            fortune,
            start,
            method="SLSQP",
            bounds=[(0, 1)] * len(least),
            constraints=[LinearConstraint(coefficients, -np.inf, bound)],
            options={"maxiter": 300, "ftol": 1e-12},
        )
        means = np.clip(answer.x, 0, 1)
        excess = max(coefficients @ means - bound, 0.0)
        if excess > 0:  # rounding only: back inside
            means = means + excess / (coefficients @ (means - least)) * (least - means)
        found.append(fortune(means))
    return min(found)
