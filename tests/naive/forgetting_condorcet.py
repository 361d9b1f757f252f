"""Counts of pairs from a list of all duels, each with its weight, summed again every time."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle
from tests.naive.rucb import RUCB


class Counts:
    """Who beat whom, by weight; u_ij is infinite for a pair of no weight."""

    def __init__(self, n_arms, alpha, weight_of_age):
        self.n_arms, self.alpha, self.weight_of_age = n_arms, alpha, weight_of_age
        self.duels = []

    def add(self, left, right, outcome):
        self.duels.append((left, right, outcome))
        self.__dict__.pop("known", None)

    def wins(self, i, j):
        return self.sums().get((i, j), 0.0)

    def sums(self):
        """The weights of the wins of each arm over each other, added up once a round."""
        if "known" not in self.__dict__:
            self.known = {}
            for n, (left, right, outcome) in enumerate(self.duels):
                weight = self.weight_of_age(len(self.duels) - 1 - n)
                for pair, won in (((left, right), outcome), ((right, left), 1 - outcome)):
                    self.known[pair] = self.known.get(pair, 0.0) + weight * won
        return self.known

    def rounds(self):
        return sum(self.weight_of_age(age) for age in range(len(self.duels)))

    def upper(self, i, j):
        if i == j:
            return 0.5
        n = self.wins(i, j) + self.wins(j, i)
        if n == 0:
            return math.inf
        return self.wins(i, j) / n + math.sqrt(self.alpha * math.log(self.rounds() + 1) / n)


def discounted_rucb(n_arms, alpha, memory, rng):
    return RUCB(Counts(n_arms, alpha, lambda age: (1 - 1 / memory) ** age), rng)


def sliding_rucb(n_arms, alpha, window, rng):
    return RUCB(Counts(n_arms, alpha, lambda age: float(age < window)), rng)


class Greedy(Oracle):
    """Epsilon-greedy: the leader stays until another arm is ahead of more others."""

    def __init__(self, n_arms, exploration, memory, rng):
        self.explored = Counts(n_arms, 1.0, lambda age: (1 - 1 / memory) ** age)
        self.n_arms, self.exploration, self.rng = n_arms, exploration, rng
        self.leader = 0

    def best(self):
        return self.leader

    def ask(self):
        exploring = self.rng.random() < self.exploration
        pair = self.leader, self.leader
        if exploring:
            pair = int(self.rng.random() * self.n_arms), int(self.rng.random() * self.n_arms)
        by_chance = self.exploration / self.n_arms**2
        chance = by_chance + (1 - self.exploration) * (pair == (self.leader, self.leader))
        return *pair, (chance, exploring)

    def tell(self, left, right, ticket, outcome):
        if ticket[1]:
            self.explored.add(left, right, outcome)
            wins, arms = self.explored.wins, range(self.n_arms)
            ahead = [sum(wins(i, j) > wins(j, i) + 1e-9 for j in arms if j != i) for i in arms]
            if max(ahead) > ahead[self.leader]:
                self.leader = ahead.index(max(ahead))
