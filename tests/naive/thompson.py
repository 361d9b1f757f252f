"""D-TS and D-TS+ by the letter, and how the fast ones draw numbers.

`Letter` draws every preference of every pair from its posterior. It needs other random numbers
than the learner, which draws only what matters, so the two are compared by frequency. `DTS` and
`DTSPlus` draw what the learner draws, in its order, but compute all else again in every round; the
chance of a preference to be above 1/2 comes from integrating the density.
"""

from __future__ import annotations

import math

import numpy as np

from tests.naive.protocol import Oracle
from tests.naive.rucb import Counts as BaseCounts
from tests.naive.rucb import pick

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


class Counts(BaseCounts):
    last = 0

    def add(self, left, right, outcome):
        super().add(left, right, outcome)
        self.last = left

    def upper(self, i, j):
        """As for RUCB, but 0/0 counts as 1 once."""
        if i != j and self.duels(i, j) == 0:
            return 1.0
        return super().upper(i, j)

    def lower(self, i, j):
        return 1 - self.upper(j, i)


def mass(a, b, low, high):
    """The integral of x^(a-1) (1-x)^(b-1), scaled by its largest value on [0, 1].

    With x = sin^2 the powers are whole numbers, also where ties made a and b halves.
    """
    low, high = math.asin(math.sqrt(low)), math.asin(math.sqrt(high))
    angle = (low + high) / 2 + (high - low) / 2 * NODES

    def log_density(sine, cosine):
        return (2 * a - 1) * np.log(sine) + (2 * b - 1) * np.log(cosine)

    share = (2 * a - 1) / (2 * a + 2 * b - 2)
    top = log_density(math.sqrt(share), math.sqrt(1 - share))
    values = np.exp(log_density(np.sin(angle), np.cos(angle)) - top)
    return float((high - low) / 2 * (WEIGHTS * values).sum())


def above(a, b, point):
    upper, lower = mass(a, b, point, 1), mass(a, b, 0, point)
    return upper / (upper + lower)


def kl_to_half(p):
    return math.log(2) + sum(x * math.log(x) for x in (p, 1 - p) if x > 0)


class Common(Oracle):
    def __init__(self, n_arms, alpha, rng):
        self.K = n_arms
        self.counts = Counts(n_arms, alpha)
        self.rng = rng

    def candidates(self):
        arms = range(self.K)
        zeta = [sum(self.counts.upper(i, j) >= 0.5 for j in arms if j != i) for i in arms]
        return [i for i in arms if zeta[i] == max(zeta)]

    def tell(self, left, right, ticket, outcome):
        self.counts.add(left, right, outcome)

    def beta(self, i, j):
        return self.rng.beta(self.counts.wins[i, j] + 1, self.counts.wins[j, i] + 1)


class Letter(Common):
    def __init__(self, n_arms, alpha, rng, plus=False):
        super().__init__(n_arms, alpha, rng)
        self.plus = plus

    def ask(self):
        C = self.candidates()
        arms = range(self.K)
        theta = np.full((self.K, self.K), 0.5)
        for i in arms:
            for j in range(i + 1, self.K):
                theta[i, j] = self.beta(i, j)
                theta[j, i] = 1 - theta[i, j]
        z = (theta > 0.5).sum(axis=1)
        best = [i for i in C if z[i] == max(z[C])]
        left = min(best, key=lambda i: regret(theta, z, i)) if self.plus else pick(self.rng, best)
        fresh = [0.5 if i == left else self.beta(i, left) for i in arms]
        allowed = [i for i in arms if self.counts.lower(i, left) <= 0.5]
        return left, max(allowed, key=lambda i: fresh[i]), (None,)


def regret(theta, z, i):
    others = [j for j in range(len(z)) if j != i]
    return sum((2 * max(z) - z[i] - z[j]) / kl_to_half(theta[i, j]) for j in others)


class DTS(Common):
    def ask(self):
        C = self.candidates()
        left = C[0] if len(C) == 1 else self.first(C)
        best, right = 0.5, left
        for i in range(self.K):
            if i != left and self.counts.lower(i, left) <= 0.5:
                theta = self.second(i, left)
                if theta > best:
                    best, right = theta, i
        return left, right, (None,)

    def first(self, C):
        """The candidate with the fewest losses; a loser is drawn until that is clear."""
        last = self.counts.last if self.counts.last in C else C[0]
        result = {}
        losses = {}
        for i in [last] + [i for i in C if i != last]:
            for j in range(self.K):
                if j != i and (i, j) not in result and self.lost(result, i) <= self.least(losses):
                    result[i, j] = self.draw(i, j)
                    result[j, i] = 1 - result[i, j]
            losses[i] = self.lost(result, i)
        best = [i for i in C if losses[i] == self.least(losses)]
        return self.decide(best, result)

    def lost(self, result, i):
        return sum(result[i, j] < 0.5 for j in range(self.K) if (i, j) in result)

    def least(self, losses):
        return min(losses.values(), default=self.K)

    def draw(self, i, j):
        return 0 if self.rng.random() < 1 - self.chance_of(i, j) else 1

    def decide(self, best, result):
        return pick(self.rng, best)

    def chance_of(self, i, j):
        return above(self.counts.wins[i, j] + 1, self.counts.wins[j, i] + 1, 0.5)

    def second(self, i, left):
        chance = self.chance_of(i, left)
        if chance >= 0.1:
            return self.beta(i, left)
        if self.rng.random() >= chance:
            return 0
        tail = self.rng.random() * chance
        low, high = 0.5, 1.0
        for _ in range(52):
            point = (low + high) / 2
            a, b = self.counts.wins[i, left] + 1, self.counts.wins[left, i] + 1
            low, high = (point, high) if above(a, b, point) > tail else (low, point)
        return high


class DTSPlus(DTS):
    def draw(self, i, j):
        return self.beta(i, j)

    def decide(self, best, result):
        if len(best) == 1:
            return best[0]
        for i in range(self.K):
            result[i, i] = 0.5
            for j in range(i + 1, self.K):
                if (i, j) not in result:
                    result[i, j] = self.draw(i, j)
                    result[j, i] = 1 - result[i, j]
        theta = np.array([[result[i, j] for j in range(self.K)] for i in range(self.K)])
        z = (theta > 0.5).sum(axis=1)
        return min(best, key=lambda i: regret(theta, z, i))
