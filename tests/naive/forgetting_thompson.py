"""D-TS that forgets, by the letter: counts are summed again from a list of all duels.

`ForgettingDTS` draws as D-TS does, but preferences in place of coins, and in the second step a
number first where a bound on the chance to be above 1/2 is small. A `Letter` draws everything.
"""

from __future__ import annotations

import math

from tests.naive import thompson
from tests.naive.forgetting_condorcet import Counts as WeighedCounts
from tests.naive.rucb import pick


class Wins:
    """The weighed wins, as a function for the counts and as a table for D-TS."""

    def __init__(self, sums):
        self.sums = sums

    def __call__(self, i, j):
        return self[i, j]

    def __getitem__(self, pair):
        return self.sums().get(pair, 0.0)


class Counts(WeighedCounts):
    last = 0

    def __init__(self, n_arms, alpha, weight_of_age):
        super().__init__(n_arms, alpha, weight_of_age)
        self.wins = Wins(self.sums)

    def add(self, left, right, outcome):
        super().add(left, right, outcome)
        self.last = left

    def lower(self, i, j):
        return 1 - self.upper(j, i)


def discounting(memory):
    return lambda age: (1 - 1 / memory) ** age


def within(window):
    return lambda age: float(age < window)


class ForgettingDTS(thompson.DTSPlus):
    """D-TS with weights by age; see `discounting` and `within`."""

    def __init__(self, n_arms, alpha, weight_of_age, rng):
        super().__init__(n_arms, alpha, rng)
        self.counts = Counts(n_arms, alpha, weight_of_age)

    def decide(self, best, result):
        return pick(self.rng, best)

    def second(self, i, left):
        a, b = self.counts.wins[i, left] + 1, self.counts.wins[left, i] + 1
        limit = math.exp(-((b - a) ** 2) * (a + b + 1) / (2 * (a + b) ** 2)) if a < b else 1.0
        if limit >= 0.1:
            return self.beta(i, left)
        number = self.rng.random()
        if number >= limit or number >= thompson.above(a, b, 0.5):
            return 0
        low, high = 0.5, 1.0
        for _ in range(52):
            point = (low + high) / 2
            low, high = (point, high) if thompson.above(a, b, point) > number else (low, point)
        return high


class Letter(thompson.Letter):
    def __init__(self, n_arms, alpha, weight_of_age, rng):
        super().__init__(n_arms, alpha, rng)
        self.counts = Counts(n_arms, alpha, weight_of_age)
