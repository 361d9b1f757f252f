"""ECW-RMED by the letter, and the linear program behind its targets by trying every corner."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

from tests.naive.protocol import Oracle
from tests.naive.rmed import kl
from tests.naive.tournaments import solved

SAME = 1e-9


def first_least(values):
    """The first of the values that is the least but for rounding."""
    return next(n for n, value in enumerate(values) if value <= min(values) * (1 + SAME))


class ECWRMED(Oracle):
    def __init__(self, n_arms, alpha, beta, rng):
        self.K, self.alpha, self.beta = n_arms, alpha, beta
        self.wins = {(i, j): 0.0 for i in range(n_arms) for j in range(n_arms)}
        self.t = 1
        self.winner = 0
        self.pairs = list(combinations(range(n_arms), 2))
        self.planned = 0

    def duels(self, i, j):
        return self.wins[i, j] + self.wins[j, i]

    def rate(self, i, j):
        return self.wins[i, j] / self.duels(i, j)

    def best(self):
        self.ask()
        return self.winner

    def ask(self):
        few = self.alpha * math.sqrt(math.log(self.t))
        loglog = math.log(math.log(self.t)) if self.t > 2 else 0
        for i, j in self.pairs:
            met = self.duels(i, j)
            close = self.beta / max(1, loglog)
            if met == 0 or met < few or abs(self.rate(i, j) - 0.5) < close:
                return i, j, (1,)
        arms = range(self.K)
        L = [sum(self.rate(i, j) < 0.5 for j in arms if j != i) for i in arms]
        plans = {i: self.plan(i, L) for i in arms if L[i] == min(L)}
        costs = [
            sum(self.regret(*pair, L) * q for pair, q in plan.items()) for plan in plans.values()
        ]
        self.winner = list(plans)[first_least(costs)]
        plan = plans[self.winner]
        missing = {
            pair: plan.get(pair, plan.get(pair[::-1], 0)) * math.log(self.t) - self.duels(*pair)
            for pair in self.pairs
        }
        most = max(missing.values())
        if most <= 0:
            return self.winner, self.winner, (1,)
        self.planned += 1
        return *next(pair for pair in self.pairs if missing[pair] == most), (1,)

    def regret(self, i, j, L):
        return (L[i] + L[j] - 2 * min(L)) / (2 * (self.K - 1))

    def plan(self, i1, L):
        """How many duels a pair (loser, winner) needs, in units of ln t."""
        arms = range(self.K)
        plan = {(j, i1): 1 / kl(self.rate(j, i1), 0.5) for j in arms
                if j != i1 and self.rate(j, i1) < 0.5}  # fmt: skip
        for i2 in arms:
            S = [j for j in arms if j not in (i1, i2) and self.rate(i2, j) < 0.5]
            m = L[i2] - min(L) + 1
            if i2 == i1 or len(S) < m:
                continue
            c = [self.regret(i2, j, L) / kl(self.rate(i2, j), 0.5) for j in S]
            for j, share in zip(S, cheapest_shares(c, m), strict=True):
                plan[i2, j] = share / kl(self.rate(i2, j), 0.5)
        return {pair: q for pair, q in plan.items() if q > 0}

    def tell(self, left, right, ticket, outcome):
        self.t += 1
        if left != right:
            self.wins[left, right] += outcome
            self.wins[right, left] += 1 - outcome


def cheapest_shares(c, m):
    """x >= 0 of least sum c x such that every m of them sum to 1 at least: the closed form."""
    order = sorted(range(len(c)), key=lambda place: c[place])
    k = len(c) - m
    heads = range(k + 1, len(c) + 1)
    costs = [sum(c[place] for place in order[:h]) / (h - k) for h in heads]
    h = heads[first_least(costs)]
    return [1 / (h - k) if place in order[:h] else 0.0 for place in range(len(c))]


def least_cost(c, m):
    """The least sum c x by trying every corner of the linear program, in fractions."""
    n = len(c)
    sums = [[Fraction(place in some) for place in range(n)] + [Fraction(1)]
            for some in combinations(range(n), m)]  # fmt: skip
    zeros = [[Fraction(place == one) for place in range(n)] + [Fraction(0)] for one in range(n)]
    best = None
    for rows in combinations(sums + zeros, n):
        x = solved(list(rows))
        if x is None or min(x) < 0 or sum(sorted(x)[:m]) < 1:
            continue
        cost = sum(price * share for price, share in zip(c, x, strict=True))
        best = cost if best is None else min(best, cost)
    return best
