"""A slow transcription of the experimental tracker of the von Neumann winner.

Every toss is kept with the age at which it was told, and every block is summed again.
"""

from __future__ import annotations

import math

from tests.naive.exponential import VersatileDB, pick
from tests.naive.protocol import Oracle


class VonNeumannTracker(Oracle):
    def __init__(self, K, rng):
        self.K, self.rng = K, rng
        self.t, self.episodes, self.number = 0, [0], 0
        self.begin()

    def begin(self):
        self.inner = VersatileDB(self.K, self.rng)
        self.age, self.played = 0, []
        self.weight, self.made = [1 / self.K] * self.K, []
        self.tosses = []

    def ask(self):
        rate = min(1, 2 * (self.K / (self.age + 1)) ** (1 / 3))
        p = [self.inner.chances(0), self.inner.chances(1)]
        tossed = self.rng.random() < rate
        if tossed:
            left = int(self.rng.random() * self.K)
            right = pick(self.weight, 0, self.rng.random())
        else:
            left = pick(p[0], 0, self.rng.random())
            right = pick(p[1], 0, self.rng.random())
        chance = rate / self.K * self.weight[right] + (1 - rate) * p[0][left] * p[1][right]
        against = len(self.made) if tossed else None
        return left, right, (chance, p[0][left], p[1][right], self.number, against)

    def tell(self, left, right, ticket, outcome):
        _, p_left, p_right, number, against = ticket
        self.t += 1
        if number != self.number:
            return
        if against is None:
            self.inner.tell(left, right, (None, p_left, p_right), outcome)
            self.played += [left, right]
        elif against == len(self.made) > 0:
            self.tosses.append((self.age, left, outcome - 0.5))
            if self.alarm(left):
                self.episodes.append(self.t)
                self.number += 1
                self.begin()
                return
        self.age += 1
        if self.age >= 32 * self.K and math.log2(self.age).is_integer():
            self.made.append(self.age)
            self.tosses = []
            if self.played:
                share = len(self.played)
                self.weight = [self.played.count(arm) / share for arm in range(self.K)]

    def alarm(self, arm):
        """Whether the arm gained too much on w in some running block, as of the last toss."""
        made = self.made[-1]
        owed = 2 * math.sqrt(self.K * math.log(self.K) / made)
        length = 1
        while length <= made:
            if length >= 32 * self.K:
                begin = self.age // length * length
                gains = [gain for age, who, gain in self.tosses if who == arm and age >= begin]
                if gains and sum(gains) >= 2.5 * math.sqrt(len(gains)) + owed * len(gains):
                    return True
            length *= 2
        return False

    def best(self):
        sums = [a + b for a, b in zip(*self.inner.losses, strict=True)]
        return sums.index(min(sums))
