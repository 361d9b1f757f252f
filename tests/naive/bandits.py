"""Bandits behind a gate by the letter: every number computed anew from the list of rewards."""

from __future__ import annotations

import math

from tests.naive.exponential import VersatileDB, mixed, pick
from tests.naive.protocol import Oracle


class Tsallis:
    def __init__(self, K):
        self.solver = VersatileDB(K, None)

    def chances(self):
        return self.solver.chances(0)

    def learn(self, arm, chance, reward):
        self.solver.losses[0][arm] += (1 - reward) / chance
        self.solver.t += 1


class EXP3S:
    def __init__(self, K, T, S):
        self.K, self.alpha = K, 1 / T
        self.gamma = min(1, math.sqrt(K * (S * math.log(K * T) + math.e) / ((math.e - 1) * T)))
        self.w = [1.0] * K

    def chances(self):
        return mixed([w / sum(self.w) for w in self.w], self.gamma)

    def learn(self, arm, chance, reward):
        xhat = [reward / chance if k == arm else 0 for k in range(self.K)]
        total = sum(self.w)
        self.w = [
            w * math.exp(self.gamma * x / self.K) + math.e * self.alpha / self.K * total
            for w, x in zip(self.w, xhat, strict=True)
        ]


class DiscountedUCB:
    def __init__(self, K, memory):
        self.K, self.keep, self.log = K, 1 - 1 / memory, []

    def chances(self):
        ages = [(arm, reward, len(self.log) - 1 - n) for n, (arm, reward) in enumerate(self.log)]
        N = [sum(self.keep**age for arm, _, age in ages if arm == k) for k in range(self.K)]
        X = [sum(reward * self.keep**age for arm, reward, age in ages if arm == k)
             for k in range(self.K)]  # fmt: skip
        bonus = 2 * math.log(max(sum(N), 1))
        index = [x / n + math.sqrt(bonus / n) if n else math.inf for x, n in zip(X, N, strict=True)]
        best = next(k for k in range(self.K) if index[k] >= max(index) * (1 - 1e-12))
        return [float(k == best) for k in range(self.K)]

    def learn(self, arm, chance, reward):
        self.log.append((arm, reward))


class Gate(Oracle):
    """``gamma(t)`` is the chance of a drawn opponent, ``weight(t)`` the distribution it is from."""

    def __init__(self, bandit, gamma, table, weight, rng):
        self.bandit, self.gamma, self.table, self.weight, self.rng = (
            bandit,
            gamma,
            table,
            weight,
            rng,
        )
        self.t = 1

    def ask(self):
        p = self.bandit.chances()
        left = p.index(1.0) if 1.0 in p else pick(p, 0, self.rng.random())
        gamma, w = self.gamma(self.t), self.weight(self.t)
        right, rewards = left, gamma >= 1 or self.rng.random() < gamma
        if rewards:
            right = self.table(self.t, self.rng.random() * len(w))
        chance = p[left] * (gamma * w[right] + (1 - gamma) * (left == right))
        return left, right, (chance, p[left], rewards)

    def tell(self, left, right, ticket, outcome):
        self.t += 1
        if ticket[2]:
            self.bandit.learn(left, ticket[1], 0.5 if left == right else outcome)
