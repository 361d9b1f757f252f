"""Learners that are told features, by the letter: sums over all pairs and pseudo-inverses."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.naive.exponential import pick
from tests.naive.protocol import Oracle


def differences(X):
    """phi_ij of all ordered pairs, scaled so that the longest has length 1."""
    K = len(X)
    phi = np.array([[X[i] - X[j] for j in range(K)] for i in range(K)], float)
    return phi / max(np.linalg.norm(phi[i, j]) for i in range(K) for j in range(K))


def rank_and_least(phi):
    """d, and the least eigenvalue but for zeros of sum phi phi^T / K^2."""
    K = len(phi)
    values = np.linalg.eigvalsh(sum(np.outer(p, p) for p in phi.reshape(K * K, -1)) / K**2)
    positive = [value for value in values if value > 1e-12 * max(values)]
    return len(positive), positive[0]


class BEXP3(Oracle):
    def __init__(self, X, T, rng):
        self.phi, self.K, self.rng = differences(X), len(X), rng
        d, least = rank_and_least(self.phi)
        self.eta = math.log(self.K) ** (2 / 3) * d ** (-1 / 3) * T ** (-2 / 3)
        self.gamma = min(1, math.sqrt(self.eta * d / least))
        self.S = np.zeros(self.K)

    def q(self):
        weights = np.exp(self.eta * (self.S - self.S.max()))
        return (1 - self.gamma) * weights / weights.sum() + self.gamma / self.K

    def ask(self):
        q = self.q()
        i, j = (pick(list(q), 0, self.rng.random()) for _ in range(2))
        return i, j, (q[i] * q[j],)

    def tell(self, i, j, ticket, outcome):
        q, phi, arms = self.q(), self.phi, range(self.K)
        Q = sum(q[a] * q[b] * np.outer(phi[a, b], phi[a, b]) for a in arms for b in arms)
        theta = np.linalg.pinv(Q, hermitian=True, rcond=1e-10) @ phi[i, j] * (outcome - 0.5)
        theta *= q[i] * q[j] / ticket[0]
        for a in arms:
            self.S[a] += np.mean([phi[a, b] @ theta for b in arms])

    def best(self):
        clear = np.sort(self.S)[-1] - np.sort(self.S)[-2] > 1e-6
        return int(self.S.argmax()) if clear else None


def design(phi, d):
    """A G-optimal design over pairs i < j by Titterington's multiplication."""
    pairs = list(itertools.combinations(range(len(phi)), 2))
    pi = [1 / len(pairs)] * len(pairs)
    for _ in range(300):
        V = sum(p * np.outer(phi[pair], phi[pair]) for p, pair in zip(pi, pairs, strict=True))
        inverse = np.linalg.pinv(V, hermitian=True, rcond=1e-10)
        variances = [phi[pair] @ inverse @ phi[pair] for pair in pairs]
        if max(variances) <= 1.01 * d:
            break
        pi = [p * v / d for p, v in zip(pi, variances, strict=True)]
    pi = [p if p >= 0.25 / len(pairs) else 0 for p in pi]
    return {pair: p / sum(pi) for pair, p in zip(pairs, pi, strict=True) if p}


class BETCGLM(Oracle):
    def __init__(self, X, T, rng):
        self.X, self.phi, self.K, self.rng = np.array(X, float), differences(X), len(X), rng
        d, least = rank_and_least(self.phi)
        total = (d * T) ** (2 / 3)  # d / eps^2
        self.pilot = math.ceil(min((d + math.log(T)) / least, total) - 1e-6)
        shares = design(self.phi, d)
        self.todo = [[pair, math.ceil(p * total - 1e-6)] for pair, p in sorted(shares.items())]
        self.log, self.choice = [], None

    def ask(self):
        if self.choice is not None:
            return self.choice, self.choice, (1.0,)
        if self.pilot:
            i = int(self.rng.random() * self.K)
            j = [k for k in range(self.K) if k != i][int(self.rng.random() * (self.K - 1))]
            return i, j, (1 / (self.K * (self.K - 1)),)
        return (*self.todo[0][0], (1.0,))

    def tell(self, i, j, ticket, outcome):
        if self.choice is not None:
            return
        self.log.append((i, j, outcome))
        if self.pilot:
            self.pilot -= 1
        elif (min(i, j), max(i, j)) == self.todo[0][0]:
            self.todo[0][1] -= 1
            if self.todo[0][1] == 0:
                self.todo.pop(0)
            if not self.todo:
                self.choice = int(self.utilities().argmax())

    def utilities(self):
        """Newton's method on the whole log, with the ridge on the variance of utilities."""
        X = self.X - self.X.mean(axis=0)
        X = X / np.abs(X).max()
        theta = np.zeros(X.shape[1])
        P = np.array([X[i] - X[j] for i, j, _ in self.log])
        y = np.array([outcome for _, _, outcome in self.log])
        C = 1e-3 * X.T @ X / self.K

        def loss(theta):
            z = P @ theta
            return (np.logaddexp(0, z) - y * z).sum() + theta @ C @ theta / 2

        for _ in range(100):
            p = 1 / (1 + np.exp(-(P @ theta)))
            hessian = (P.T * (p * (1 - p))) @ P + C
            step = np.linalg.pinv(hessian, hermitian=True, rcond=1e-12) @ (
                P.T @ (p - y) + C @ theta
            )
            share = 1.0
            while share > 1e-9 and loss(theta - share * step) >= loss(theta):
                share /= 2
            theta = theta - share * step
        return X @ theta
