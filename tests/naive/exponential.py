"""Slow transcriptions of D-EXP3, DEX3, the sparring learners, REX3 and Versatile-DB.

Each draws a number for its left arm and then one for its right arm, and computes its chances again
from the formulas in every round. A ticket holds the chance of the pair and those of its two arms.
"""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle

EULER = math.exp(1)


def pick(chances, gamma, number):
    """Spend the first gamma of the unit interval on exploring, the rest on the weights."""
    K = len(chances)
    if number < gamma:
        return math.floor(K * number / gamma)
    preferred = [(p - gamma / K) / (1 - gamma) for p in chances]
    target = (number - gamma) / (1 - gamma)
    return next((k for k in range(K) if target < math.fsum(preferred[: k + 1])), K - 1)


def softmax(values):
    top = max(values)
    exponentials = [math.exp(value - top) for value in values]
    return [x / math.fsum(exponentials) for x in exponentials]


def mixed(shares, gamma):
    return [(1 - gamma) * share + gamma / len(shares) for share in shares]


class DEXP3(Oracle):
    """Scores are sums of estimates; ``beta`` is 0 for the plain form."""

    def __init__(self, K, T, beta, rng):
        self.K, self.rng, self.beta = K, rng, beta
        self.eta = (math.log(K) / (T * math.sqrt(K))) ** (2 / 3)
        self.gamma = min(1.0, math.sqrt(self.eta * K))
        self.S = [0.0] * K

    def chances(self):
        return mixed(softmax([self.eta * s for s in self.S]), self.gamma)

    def ask(self):
        q = self.chances()
        x, y = pick(q, self.gamma, self.rng.random()), pick(q, self.gamma, self.rng.random())
        return x, y, (q[x] * q[y],)

    def tell(self, x, y, ticket, outcome):
        q = self.chances()
        self.S[x] += outcome / (self.K * ticket[0])
        for k in range(self.K):
            self.S[k] += self.beta / q[k]


class Rexp3(DEXP3):
    """D-EXP3 for a batch of rounds, restarted after each."""

    def __init__(self, K, T, V, rng):
        self.batch = min(T, math.ceil(((K * math.log(K)) ** (1 / 3) * T / (3 * V)) ** (3 / 4)))
        self.told = 0
        super().__init__(K, self.batch, 0.0, rng)

    def tell(self, x, y, ticket, outcome):
        super().tell(x, y, ticket, outcome)
        self.told += 1
        if self.told % self.batch == 0:
            self.S = [0.0] * self.K


class AnytimeDEXP3(DEXP3):
    """D-EXP3 with the rates of t rounds in round t."""

    def __init__(self, K, rng):
        super().__init__(K, 1, 0.0, rng)
        self.t = 1

    def chances(self):
        self.eta = (math.log(self.K) / (self.t * math.sqrt(self.K))) ** (2 / 3)
        self.gamma = min(1.0, math.sqrt(self.eta * self.K))
        return super().chances()

    def ask(self):
        q = self.chances()
        x, y = pick(q, 0.0, self.rng.random()), pick(q, 0.0, self.rng.random())
        return x, y, (q[x] * q[y],)

    def tell(self, x, y, ticket, outcome):
        super().tell(x, y, ticket, outcome)
        self.t += 1


class DEX3(Oracle):
    """Two players; ``alpha`` is 0 for DEX3.P and SparringEXP3, ``beta`` for SparringEXP3."""

    def __init__(self, K, eta, gamma, beta, alpha, rng, borda=False):
        self.K, self.rng, self.borda = K, rng, borda
        self.eta, self.gamma, self.beta, self.alpha = eta, min(1.0, gamma), beta, alpha
        self.W = {+1: [1.0] * K, -1: [1.0] * K}

    def chances(self):
        return {
            i: mixed([w / math.fsum(self.W[i]) for w in self.W[i]], self.gamma) for i in (+1, -1)
        }

    def ask(self):
        p = self.chances()
        row = pick(p[+1], self.gamma, self.rng.random())
        column = pick(p[-1], self.gamma, self.rng.random())
        chances = p[+1][row], p[-1][column]
        return row, column, (chances[0] * chances[1], *chances)

    def tell(self, row, column, ticket, outcome):
        p = self.chances()
        for i, arm, reward, own, other in (
            (+1, row, outcome, *ticket[1:]),
            (-1, column, 1 - outcome, *ticket[:0:-1]),
        ):
            total = math.fsum(self.W[i])
            new = []
            for k in range(self.K):
                g = self.beta / p[i][k]
                if k == arm:
                    g += reward / (self.K * own * other) if self.borda else reward / own
                new.append(self.W[i][k] * math.exp(self.eta * g) + EULER * self.alpha * total)
            self.W[i] = [w / max(new) for w in new]


def dex3p(K, T, rng):
    eta = math.sqrt(math.log(K) / (K * T)) / 2
    return DEX3(K, eta, 2 * eta * K, math.sqrt(math.log(K) / (K * T)), 0, rng)


def sparring_exp3(K, T, rng):
    eta = math.sqrt(math.log(K) / (K * T)) / 2
    return DEX3(K, eta, 2 * eta * K, 0, 0, rng)


def dex3s(K, T, S, V, rng):
    if V is not None:
        eta = V ** (1 / 3) / (4 * K ** (2 / 3) * T ** (1 / 3))
    elif S is not None:
        eta = math.sqrt(S / (K * T))
    else:
        eta = 1 / math.sqrt(K * T)
    return DEX3(K, eta, 2 * eta * K, eta, 1 / T, rng)


def borda_dex3s(K, T, S, delta, rng):
    eta = (S * math.log(K) / (T * math.sqrt(2 * K))) ** (2 / 3)
    beta = (
        S ** (1 / 3)
        * math.sqrt(math.log(2 * K / delta))
        / ((2 * eta) ** (1 / 4) * K ** (3 / 4) * math.sqrt(T))
    )
    return DEX3(K, eta, math.sqrt(2 * eta * K), beta, 1 / (K * T), rng, borda=True)


def dexp3s(K, T, S, rng):
    eta = (S * math.log(K * T / S) / (T * math.sqrt(K))) ** (2 / 3)
    return DEX3(K, eta, math.sqrt(eta * K), 0, 1 / (K * T), rng, borda=True)


class REX3(Oracle):
    """``gamma(t)`` is the exploration after t outcomes."""

    def __init__(self, K, gamma, rng):
        self.K, self.rng, self.gamma = K, rng, gamma
        self.logs = [0.0] * K
        self.t = 0

    def chances(self):
        return mixed(softmax(self.logs), self.gamma(self.t))

    def ask(self):
        p, gamma = self.chances(), self.gamma(self.t)
        a, b = pick(p, gamma, self.rng.random()), pick(p, gamma, self.rng.random())
        return a, b, (p[a] * p[b], p[a], p[b])

    def tell(self, a, b, ticket, outcome):
        psi = 2 * outcome - 1  # +1, -1, and 0 of a tie
        if a != b:
            gamma = self.gamma(self.t)
            self.logs[a] += (gamma / self.K) * psi / (2 * ticket[1])
            self.logs[b] -= (gamma / self.K) * psi / (2 * ticket[2])
        self.t += 1


class SparringUCB(Oracle):
    """Keeps the rewards of every arm and side; an arm without one has an infinite index."""

    def __init__(self, K, alpha, rng):
        self.K, self.rng, self.alpha = K, rng, alpha
        self.rewards = [[[] for _ in range(K)] for _ in range(2)]

    def indices(self, side):
        t = sum(len(rewards) for rewards in self.rewards[side])
        return [
            sum(r) / len(r) + math.sqrt(self.alpha * math.log(t)) * (1 / math.sqrt(len(r)))
            if r
            else math.inf
            for r in self.rewards[side]
        ]

    def ask(self):
        chosen, chance = [], 1.0
        for side in range(2):
            indices = self.indices(side)
            best = [k for k in range(self.K) if indices[k] == max(indices)]
            if len(best) == 1:
                chosen.append(best[0])
            else:
                chosen.append(best[math.floor(self.rng.random() * len(best))])
            chance /= len(best)
        return *chosen, (chance,)

    def tell(self, left, right, ticket, outcome):
        self.rewards[0][left].append(outcome)
        self.rewards[1][right].append(1 - outcome)


class Thompson(Oracle):
    """Wins and losses are told apart by the side that chose, or are shared by both sides."""

    def __init__(self, K, shared, rng):
        self.K, self.rng = K, rng
        first = dict.fromkeys(range(K), (1.0, 1.0))
        self.sides = [first, first if shared else dict(first)]

    def ask(self):
        chosen = []
        for side in self.sides:
            theta = [self.rng.beta(*side[k]) for k in range(self.K)]
            chosen.append(theta.index(max(theta)))
        return *chosen, (None,)

    def tell(self, left, right, ticket, outcome):
        for side, arm, won in ((0, left, outcome), (1, right, 1 - outcome)):
            wins, losses = self.sides[side][arm]
            self.sides[side][arm] = (wins + won, losses + 1 - won)


class VersatileDB(Oracle):
    """x by bisection: the chances sum to less than 1 far below all losses, to more just below."""

    def __init__(self, K, rng):
        self.K, self.rng = K, rng
        self.losses = [[0.0] * K, [0.0] * K]
        self.t = 1

    def chances(self, side):
        L = self.losses[side]
        eta = 2 / math.sqrt(self.t)
        low, high = min(L) - 2 * math.sqrt(self.K) / eta - 1, min(L)
        for _ in range(100):
            x = (low + high) / 2
            if x >= min(L) or math.fsum(4 / (eta * (loss - x)) ** 2 for loss in L) > 1:
                high = x
            else:
                low = x
        return [4 / (eta * (loss - low)) ** 2 for loss in L]

    def ask(self):
        p = [self.chances(0), self.chances(1)]
        left, right = (pick(p[side], 0, self.rng.random()) for side in range(2))
        chances = p[0][left], p[1][right]
        return left, right, (chances[0] * chances[1], *chances)

    def tell(self, left, right, ticket, outcome):
        self.losses[0][left] += (1 - outcome) / ticket[1]
        self.losses[1][right] += outcome / ticket[2]
        self.t += 1
