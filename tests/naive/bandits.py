"""Bandits behind a gate by the letter: every number computed again from the list of rewards."""

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


class AdSwitch:
    """Blocks are cut again from the list of rewards, obligations are kept one by one."""

    def __init__(self, K, T, C, rng):
        self.K, self.T, self.C, self.rng = K, T, C, rng
        self.last, self.told, self.episode, self.began = [0] * K, 0, 0, []
        self.levels = math.ceil(math.log2(T)) + 2
        self.start()

    def start(self):
        self.log, self.blocks, self.obligations = [], [], []
        self.bad, self.episode = {}, self.episode + 1

    def chances(self):
        owed = {a for a, s, n in self.obligations
                if sum(arm == a for arm, _ in self.log[s:]) < n}  # fmt: skip
        eligible = [a for a in range(self.K) if a not in self.bad or a in owed]
        arm = min(eligible, key=lambda a: self.last[a])
        return [float(k == arm) for k in range(self.K)]

    def learn(self, arm, chance, reward):
        self.told += 1
        self.last[arm] = self.told
        self.log.append((arm, reward))
        for m in range(self.levels):
            if len(self.log) % 2**m:
                break
            if self.changed(self.log[-(2**m) :]):
                self.start()
                self.began.append(self.told)
                return
            self.find_bad(self.log[-(2**m) :])
        for a in sorted(self.bad):
            self.oblige(a)

    def changed(self, block):
        for a in range(self.K):
            x = [reward for arm, reward in block if arm == a]
            if not x:
                continue
            mean, radius = sum(x) / len(x), math.sqrt(2 * math.log(self.T) / len(x))
            if a in self.bad:
                old, gap = self.bad[a]
                if abs(mean - old) > gap / 4 + radius:
                    return True
            else:
                self.blocks.append((a, mean, radius))
                for other, before, width in self.blocks:
                    if other == a and abs(mean - before) > radius + width:
                        return True
        return False

    def find_bad(self, block):
        x = {a: [r for arm, r in block if arm == a] for a in range(self.K) if a not in self.bad}
        means = {a: sum(r) / len(r) for a, r in x.items() if r}
        for a, mean in means.items():
            n = len(x[a])
            if n > 1 and max(means.values()) - mean > math.sqrt(
                self.C * math.log(self.T) / (n - 1)
            ):
                self.bad[a] = mean, max(means.values()) - mean

    def oblige(self, a):
        """The largest i that is drawn decides; one number is enough for all of them."""
        u, survives = self.rng.random(), 1.0
        scale = math.sqrt(self.episode / (self.K * self.T * math.log(self.T)))
        checks = [i for i in range(1, 40) if 2**-i >= self.bad[a][1] / 16]
        for i in reversed(checks):
            survives *= 1 - min(1, 2**-i * scale)
            if u >= survives:
                n = math.ceil(2 ** (2 * i + 1) * math.log(self.T))
                self.obligations.append((a, len(self.log), n))
                return


class Master:
    """Instances are lists of what happened while each of them played."""

    def __init__(self, K, T, scale, rng):
        self.K, self.T, self.scale, self.rng, self.told, self.began = K, T, scale, rng, 0, []
        self.levels = math.floor(math.log2(T)) + 3
        self.start(0)

    def rho(self, t):
        return math.sqrt(self.K * math.log(self.T) / t) + self.K * math.log(self.T) / t

    def r(self, t):
        return self.scale * 6 * (math.log2(self.T) + 1) * math.log(self.T**2) * self.rho(t)

    def start(self, n):
        self.n, self.rewards, self.hopes, self.instances = n, [], [], {}
        self.schedule()

    def schedule(self):
        tau = len(self.rewards)
        for m in range(self.n, -1, -1):
            if tau % 2**m:
                continue
            self.instances.pop(m, None)
            if m == self.n or self.rng.random() < self.rho(2**self.n) / self.rho(2**m):
                self.instances[m] = tau, []

    def index(self):
        _, played = self.instances[min(self.instances)]
        x = [[reward for arm, reward in played if arm == a] for a in range(self.K)]
        return [sum(r) / len(r) + math.sqrt(2 * math.log(self.T) / len(r)) if r else math.inf
                for r in x]  # fmt: skip

    def chances(self):
        index = self.index()
        return [float(k == index.index(max(index))) for k in range(self.K)]

    def learn(self, arm, chance, reward):
        self.told += 1
        self.hopes.append(min(1, max(self.index())))
        self.rewards.append(reward)
        self.instances[min(self.instances)][1].append((arm, reward))
        t = len(self.rewards)
        changed = sum(self.hopes) - sum(self.rewards) >= 3 * self.r(t) * t
        for m, (since, _) in self.instances.items():
            if t == since + 2**m:
                changed |= sum(self.rewards[since:]) / 2**m >= min(self.hopes) + 9 * self.r(2**m)
        if changed:
            self.began.append(self.told)
            self.start(0)
        elif t == 2**self.n:
            self.start(min(self.n + 1, self.levels - 1))
        else:
            self.schedule()
