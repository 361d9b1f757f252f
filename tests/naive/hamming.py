"""Hamming-LUCB by the letter: means, bounds and order again in every round."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle


class HammingLUCB(Oracle):
    def __init__(self, n, k, h, delta, rng):
        self.n, self.k, self.h, self.delta, self.rng = n, k, h, delta, rng
        self.tosses = [[] for _ in range(n)]
        self.choice = None
        self.due = [0]

    @property
    def active(self):
        return list(range(self.n)) if self.choice is None else [self.choice]

    def mean(self, i):
        return sum(self.tosses[i]) / len(self.tosses[i]) if self.tosses[i] else 0.5

    def best(self):
        return (
            max(range(self.n), key=lambda i: (self.mean(i), -i))
            if self.choice is None
            else self.choice
        )

    def alpha(self, i):
        u, d = len(self.tosses[i]), self.delta / self.n
        beta = (
            math.log(1 / d) + 0.75 * math.log(math.log(1 / d)) + 1.5 * math.log(1 + math.log(u / 2))
        )
        return math.sqrt(max(beta, 0) / (2 * u))

    def ask(self):
        if self.choice is not None:
            return self.choice, self.choice, (1,)
        left = self.due[0]
        others = [arm for arm in range(self.n) if arm != left]
        return left, others[int(self.rng.random() * (self.n - 1))], (1 / (self.n - 1),)

    def tell(self, left, right, ticket, outcome):
        if self.choice is not None or left != self.due[0]:
            return
        self.tosses[left].append(outcome)
        self.due.pop(0)
        if self.due:
            return
        fresh = [i for i in range(self.n) if not self.tosses[i]]
        if fresh:
            self.due = fresh[:1]
            return
        n, k, h = self.n, self.k, self.h
        order = sorted(range(n), key=lambda i: (-self.mean(i), i))
        lower = {i: self.mean(i) - self.alpha(i) for i in order[: k - h]}
        upper = {i: self.mean(i) + self.alpha(i) for i in reversed(order[k + h :])}
        d1 = min(lower, key=lambda i: lower[i])
        # Of equals the last counts first, then the first of the others.
        last = order[-1]
        d2 = last if upper[last] == max(upper.values()) else max(
            (i for i in order[k + h :]), key=lambda i: upper[i]
        )  # fmt: skip
        if lower[d1] >= upper[d2]:
            self.choice = order[0]
            return
        self.due = [
            max([d1, *order[k - h : k]], key=self.alpha),
            max([d2, *order[k : k + h]], key=self.alpha),
        ]
