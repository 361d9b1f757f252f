"""Borda learners that forget, from a list of explorations, each with its weight, summed again."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle, TooCloseError

ROUNDING = 1e-9
"""Weights up to 1e100 are summed in another order: scores are equal but for the last digits."""


def largest(values):
    """The places of the largest value, but for rounding."""
    return [place for place, value in enumerate(values) if value >= max(values) - ROUNDING]


class Forgetting(Oracle):
    """Plays the leader, and now and then explores; only explorations teach.

    ``weight_of_age`` says how much an exploration counts. With a ``width`` it explores by an
    upper bound, without one by chance. Where weights are not whole numbers rounding may decide
    who leads among equals: ``leader`` then says whom the learner took.
    """

    def __init__(self, n_arms, exploration, weight_of_age, width, leader, rng):
        self.K, self.exploration, self.weight_of_age = n_arms, exploration, weight_of_age
        self.width, self.leader, self.rng = width, leader, rng
        self.log = []
        self.add_up()

    def add_up(self):
        """Find the weight and the wins of every arm."""
        self.weights, self.wins, self.total = [0.0] * self.K, [0.0] * self.K, 0.0
        for n, (left, right, outcome) in enumerate(self.log):
            weight = self.weight_of_age(len(self.log) - 1 - n)
            self.total += weight
            self.weights[left] += weight
            self.wins[left] += weight * outcome
            if self.width is None:
                self.weights[right] += weight
                self.wins[right] += weight * (1 - outcome)

    def score(self, arm):
        """The share of wins, 1/2 for an arm without explorations."""
        return self.wins[arm] / self.weights[arm] if self.weights[arm] > 0 else 0.5

    def bound(self, arm):
        """score + width sqrt(ln(total weight) / weight); infinite without explorations."""
        if self.weights[arm] == 0:
            return math.inf
        level = math.log(max(self.total, 1.0))
        return self.score(arm) + self.width * math.sqrt(level / self.weights[arm])

    def best(self):
        leaders = largest([self.score(arm) for arm in range(self.K)])
        if self.leader is not None and self.leader() in leaders:
            return self.leader()
        return leaders[0]

    def promising(self):
        bounds = [self.bound(arm) for arm in range(self.K)]
        first, *others = largest(bounds)
        if any(bounds[arm] != bounds[first] for arm in others):
            raise TooCloseError
        return first

    def ask(self):
        K, leader = self.K, self.best()
        exploring = self.rng.random() < self.exploration
        pair = leader, leader
        if self.width is None:
            if exploring:
                pair = int(self.rng.random() * K), int(self.rng.random() * K)
            by_chance = 1 / K**2
        else:
            if exploring:
                pair = self.promising(), int(self.rng.random() * K)
            by_chance = (pair[0] == self.promising()) / K
        chance = self.exploration * by_chance + (1 - self.exploration) * (pair == (leader, leader))
        return *pair, (chance, exploring)

    def tell(self, left, right, ticket, outcome):
        if ticket[1]:
            self.log.append((left, right, outcome))
            self.add_up()
