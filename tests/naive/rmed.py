"""RMED1 and RMED2FH by the letter: all divergences computed anew in every round, lists as lists."""

from __future__ import annotations

import math


def kl(p, q):
    """Binary relative entropy."""
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


class Counts:
    def __init__(self, n_arms):
        self.wins = {(i, j): 0.0 for i in range(n_arms) for j in range(n_arms)}
        self.t = 0
        self.played = None

    def add(self, left, right, outcome):
        self.t += 1
        self.played = left
        if left != right:
            self.wins[left, right] += outcome
            self.wins[right, left] += 1 - outcome

    def duels(self, i, j):
        return self.wins[i, j] + self.wins[j, i]

    def rate(self, i, j):
        return self.wins[i, j] / self.duels(i, j)


class RMED:
    """RMED1; with a horizon, RMED2FH. ``width`` is f(K)."""

    chance = 1

    def __init__(self, n_arms, width, horizon=None, alpha=3):
        self.K, self.width = n_arms, width
        self.counts = Counts(n_arms)
        self.pairs = [(i, j) for i in range(n_arms) for j in range(i + 1, n_arms)]
        self.loglog = None
        if horizon is not None:
            self.loglog = 1.0 if horizon < 16 else math.log(math.log(horizon))
            self.pairs = [p for p in self.pairs for _ in range(math.ceil(alpha * self.loglog))]
        self.LC = self.LR = list(range(n_arms))
        self.LN = []
        self.bhat = None

    def divergence(self, i):
        others = [j for j in range(self.K) if j != i and self.counts.duels(i, j)]
        losing = [j for j in others if self.counts.rate(i, j) <= 0.5]
        return sum(self.counts.duels(i, j) * kl(self.counts.rate(i, j), 0.5) for j in losing)

    def likely(self):
        # Divergences that differ by rounding alone are equal, and the first arm counts.
        divergences = [self.divergence(i) for i in range(self.K)]
        return next(i for i in range(self.K) if divergences[i] <= min(divergences) + 1e-12)

    def choose(self):
        t = self.counts.t
        if t < len(self.pairs):
            return self.pairs[t]
        rate, duels = self.counts.rate, self.counts.duels
        star = self.likely()
        if t > len(self.pairs):
            self.LR = [j for j in self.LR if j != self.counts.played]
            for j in range(self.K):
                if j not in self.LR and j not in self.LN:
                    gap = self.divergence(j) - self.divergence(star)
                    if gap <= math.log(t) + self.width:
                        self.LN.append(j)
            if not self.LR:
                self.LC = self.LR = sorted(self.LN)
                self.LN = []
        elif self.loglog is not None:
            self.bhat = [self.cheapest(i, star) for i in range(self.K)]
        i = self.LR[0]
        O = [j for j in range(self.K) if j != i and rate(i, j) <= 0.5]  # noqa: E741
        if self.bhat is not None:
            b = self.bhat[i]
            with_star = duels(i, star) if i != star else 0
            if b in O and with_star >= duels(i, b) / self.loglog:
                return i, b
        if star in O or not O:
            return i, star
        others = [j for j in range(self.K) if j != i]
        return i, min(others, key=lambda j: rate(i, j))

    def cheapest(self, i, star):
        def gap(j):
            return 0 if j == star else abs(0.5 - self.counts.rate(star, j))

        def price(j):
            plus = kl(self.counts.rate(i, j), 0.5) if self.counts.rate(i, j) < 0.5 else 0
            return (gap(i) + gap(j)) / plus if plus > 0 else math.inf

        others = [j for j in range(self.K) if j != i]
        least = min(map(price, others))
        return next(j for j in others if price(j) <= least * (1 + 1e-12)) if least < math.inf else i
