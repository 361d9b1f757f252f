"""Doubler and MultiSBM by the letter, with bandits as lists of (arm, reward)."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle


class UCB:
    def __init__(self, K, alpha):
        self.K, self.alpha, self.log = K, alpha, []

    def rewards(self, arm):
        return [reward for played, reward in self.log if played == arm]

    def index(self, arm):
        mine = self.rewards(arm)
        if not mine:
            return math.inf
        return sum(mine) / len(mine) + math.sqrt(self.alpha * math.log(len(self.log)) / len(mine))

    def choice(self):
        return max(range(self.K), key=lambda arm: (self.index(arm), -arm))


class MultiSBM(Oracle):
    def __init__(self, K, alpha, rng):
        self.bandits = [UCB(K, alpha) for _ in range(K)]
        self.x = 0

    def ask(self):
        return self.x, self.bandits[self.x].choice(), (1,)

    def tell(self, left, right, ticket, outcome):
        self.bandits[left].log.append((right, 1 - outcome))
        self.x = right


class Doubler(Oracle):
    def __init__(self, K, alpha, rng):
        self.K, self.alpha, self.rng = K, alpha, rng
        self.before = [int(rng.random() * K)]
        self.bandit = UCB(K, alpha)
        self.i = 1

    def ask(self):
        # The place in the sorted list that a uniform number stands for.
        left = sorted(self.before)[int(self.rng.random() * len(self.before))]
        return left, self.bandit.choice(), (self.before.count(left) / len(self.before),)

    def tell(self, left, right, ticket, outcome):
        self.bandit.log.append((right, 1 - outcome))
        if len(self.bandit.log) == 2**self.i:
            self.before = [arm for arm, _ in self.bandit.log]
            self.bandit = UCB(self.K, self.alpha)
            self.i += 1
