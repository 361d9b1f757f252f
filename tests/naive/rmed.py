"""RMED1 and RMED2FH by the letter: all divergences computed in every round, lists as lists."""

from __future__ import annotations

import math
from itertools import combinations

from tests.naive.protocol import Oracle


def kl(p, q):
    """Binary relative entropy."""
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


class RMED(Oracle):
    """RMED1; with a horizon, RMED2FH. ``width`` is f(K)."""

    def __init__(self, n_arms, width, horizon, alpha, rng):
        self.K, self.width = n_arms, width
        self.wins = {(i, j): 0.0 for i in range(n_arms) for j in range(n_arms)}
        self.t = 0
        self.meetings, self.loglog = 1, None
        if horizon is not None:
            self.loglog = 1.0 if horizon < 16 else math.log(math.log(horizon))
            self.meetings = math.ceil(alpha * self.loglog)
        self.begun = False
        self.LC = self.LR = list(range(n_arms))
        self.LN = []
        self.bhat = None

    def duels(self, i, j):
        return self.wins[i, j] + self.wins[j, i]

    def rate(self, i, j):
        return self.wins[i, j] / self.duels(i, j)

    def divergence(self, i):
        others = [j for j in range(self.K) if j != i and self.duels(i, j)]
        losing = [j for j in others if self.rate(i, j) <= 0.5]
        return sum(self.duels(i, j) * kl(self.rate(i, j), 0.5) for j in losing)

    def best(self):
        # Divergences that differ by rounding alone are equal, and the first arm counts.
        divergences = [self.divergence(i) for i in range(self.K)]
        return next(i for i in range(self.K) if divergences[i] <= min(divergences) + 1e-12)

    def few(self):
        """The pairs that met too few times to begin."""
        pairs = combinations(range(self.K), 2)
        return [pair for pair in pairs if self.duels(*pair) < self.meetings]

    def ask(self):
        if not self.begun:
            return *self.few()[0], (1,)
        return self.LR[0], self.opponent(self.LR[0]), (1,)

    def opponent(self, i):
        star = self.best()
        O = [j for j in range(self.K) if j != i and self.rate(i, j) <= 0.5]  # noqa: E741
        if self.bhat is not None:
            b = self.bhat[i]
            with_star = self.duels(i, star) if i != star else 0
            if b in O and with_star >= self.duels(i, b) / self.loglog:
                return b
        if star in O or not O:
            return star
        return min((j for j in range(self.K) if j != i), key=lambda j: self.rate(i, j))

    def tell(self, left, right, ticket, outcome):
        self.t += 1
        if left != right:
            self.wins[left, right] += outcome
            self.wins[right, left] += 1 - outcome
        if self.begun:
            self.pass_on(left)
        elif not self.few():
            self.begun = True
            if self.loglog is not None:
                self.bhat = [self.cheapest(i, self.best()) for i in range(self.K)]

    def pass_on(self, played):
        self.LR = [j for j in self.LR if j != played]
        limit = self.divergence(self.best()) + math.log(self.t) + self.width
        for j in range(self.K):
            if j not in self.LR and j not in self.LN and self.divergence(j) <= limit:
                self.LN.append(j)
        if not self.LR:
            self.LC = self.LR = sorted(self.LN)
            self.LN = []

    def cheapest(self, i, star):
        def gap(j):
            return 0 if j == star else abs(0.5 - self.rate(star, j))

        def price(j):
            plus = kl(self.rate(i, j), 0.5) if self.rate(i, j) < 0.5 else 0
            return (gap(i) + gap(j)) / plus if plus > 0 else math.inf

        others = [j for j in range(self.K) if j != i]
        least = min(map(price, others))
        return next(j for j in others if price(j) <= least * (1 + 1e-12)) if least < math.inf else i
