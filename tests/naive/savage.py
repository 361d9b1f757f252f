"""SAVAGE for Copeland and Borda by the letter: all bounds computed again in every round."""

from __future__ import annotations

import math
from itertools import combinations

from tests.naive.protocol import Oracle


class SAVAGE(Oracle):
    def __init__(self, K, horizon, delta, copeland, rng):
        self.K, self.horizon, self.delta, self.copeland = K, horizon, delta, copeland
        self.pairs = list(combinations(range(K), 2))
        self.N = len(self.pairs)
        self.outcomes = {pair: [] for pair in self.pairs}
        self.active = list(range(K))
        self.choice = None

    def interval(self, i, j):
        """What is known of the chance of i to beat j."""
        outcomes = self.outcomes[min(i, j), max(i, j)]
        n = len(outcomes)
        if n == 0:
            return 0.0, 1.0
        eta = math.pi**2 * self.N * n**2 / 3 if self.horizon is None else 2 * self.N * self.horizon
        c = math.sqrt(math.log(eta / self.delta) / (2 * n))
        rate = sum(outcomes) / n if i < j else 1 - sum(outcomes) / n
        return max(rate - c, 0.0), min(rate + c, 1.0)

    def bounds(self, i):
        known = [self.interval(i, j) for j in range(self.K) if j != i]
        if self.copeland:
            return sum(low > 0.5 for low, _ in known), sum(high >= 0.5 for _, high in known)
        return tuple(sum(column) / (self.K - 1) for column in zip(*known, strict=True))

    def ask(self):
        if self.choice is not None:
            return self.choice, self.choice, (1,)
        return *min(self.pairs, key=lambda pair: (len(self.outcomes[pair]), pair)), (1,)

    def tell(self, left, right, ticket, outcome):
        if self.choice is not None or (left, right) not in self.pairs:
            return
        self.outcomes[left, right].append(outcome)
        bounds = [self.bounds(i) for i in range(self.K)]
        limit = max(bounds[i][0] for i in self.active)
        inside = [i for i in self.active if bounds[i][1] >= limit]
        self.pairs = [
            pair
            for pair in self.pairs
            if not self.decided(*pair) and not set(pair).isdisjoint(inside)
        ]
        self.active = inside
        if not self.pairs or len(inside) == 1:
            self.choice = next(i for i in inside if bounds[i][0] == limit)
            self.active = [self.choice]

    def decided(self, i, j):
        low, high = self.interval(i, j)
        return self.copeland and not low <= 0.5 <= high
