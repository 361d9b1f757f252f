"""Maxing by its definitions: every match and every stage a list of outcomes."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle


class Tossing(Oracle):
    """Borda maxing; Borda ranking if it does not halve."""

    def __init__(self, K, epsilon, delta, halving, rng):
        self.K, self.rng, self.halving = K, rng, halving
        self.active = list(range(K))
        if halving:
            self.epsilon, self.delta = epsilon / 4, delta / 2
            self.tosses = 4 / self.epsilon**2 * math.log(3 / self.delta)
        else:
            self.epsilon = self.delta = None
            self.tosses = 2 / epsilon**2 * math.log(2 * K / delta)
        self.log = {arm: [] for arm in self.active}
        self.stages = 0

    def mean(self, arm):
        return sum(self.log[arm]) / len(self.log[arm]) if self.log[arm] else 0.5

    def ranked(self):
        return sorted(self.active, key=lambda arm: (-self.mean(arm), arm))

    def best(self):
        return self.ranked()[0]

    def turn(self):
        return min(self.active, key=lambda arm: (len(self.log[arm]), arm))

    def ask(self):
        if len(self.active) == 1:
            return self.active[0], self.active[0], (1,)
        left = self.turn()
        others = [arm for arm in range(self.K) if arm != left]
        return left, others[int(self.rng.random() * (self.K - 1))], (1 / (self.K - 1),)

    def tell(self, left, right, ticket, outcome):
        if len(self.active) == 1 or left != self.turn():
            return
        self.log[left].append(outcome)
        if all(len(self.log[arm]) >= math.ceil(self.tosses) for arm in self.active):
            self.stages += 1
            n = math.ceil(len(self.active) / 2) if self.halving else 1
            self.active = sorted(self.ranked()[:n])
            self.log = {arm: [] for arm in self.active}
            if self.halving:
                self.epsilon *= 3 / 4
                self.delta /= 2
                self.tosses = 4 / self.epsilon**2 * math.log(3 / self.delta)


def over(outcomes, budget, middle, slack, delta):
    n = len(outcomes)
    lead = abs(sum(outcomes) / n - 0.5 - middle)
    return n >= budget or lead > math.sqrt(math.log(4 * n**2 / delta) / (2 * n)) - slack


def shuffled(arms, rng):
    """Arms in random order: each changes places with one before it or itself, the last first."""
    for last in range(len(arms) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        arms[last], arms[other] = arms[other], arms[last]
    return arms


class SeqEliminate(Oracle):
    def __init__(self, K, epsilon, delta, rng):
        self.epsilon, self.delta = epsilon, delta / K
        self.anchor, *self.challengers = shuffled(list(range(K)), rng)
        self.outcomes = []
        self.changes = 0

    @property
    def active(self):
        return sorted([self.anchor, *self.challengers])

    def best(self):
        return self.anchor

    def ask(self):
        left = self.challengers[0] if self.challengers else self.anchor
        return left, self.anchor, (1,)

    def tell(self, left, right, ticket, outcome):
        if not self.challengers or (left, right) != (self.challengers[0], self.anchor):
            return
        self.outcomes.append(outcome)
        budget = 2 * math.log(2 / self.delta) / self.epsilon**2
        if over(self.outcomes, budget, self.epsilon / 2, 0, self.delta):
            challenger = self.challengers.pop(0)
            if sum(self.outcomes) / len(self.outcomes) > 0.5 + self.epsilon / 2:
                self.anchor = challenger
                self.changes += 1
            self.outcomes = []


class Knockout(Oracle):
    """The winners of a round are shuffled and paired in that order."""

    def __init__(self, K, epsilon, delta, gamma, rng):
        self.epsilon, self.delta, self.gamma, self.rng = epsilon, delta, gamma, rng
        self.r = 1
        self.waiting = shuffled(list(range(K)), rng)
        self.through, self.outcomes = [], []

    @property
    def active(self):
        return sorted(self.through + self.waiting)

    def best(self):
        return (self.through + self.waiting)[0]

    def ask(self):
        if len(self.active) == 1:
            return self.active[0], self.active[0], (1,)
        return *self.waiting[:2], (1,)

    def tell(self, left, right, ticket, outcome):
        if len(self.active) == 1 or [left, right] != self.waiting[:2]:
            return
        self.outcomes.append(outcome)
        epsilon = (2 ** (1 / 3) - 1) * self.epsilon / (self.gamma * 2 ** (self.r / 3))
        delta = self.delta / 2**self.r
        if over(self.outcomes, math.log(2 / delta) / (2 * epsilon**2), 0, epsilon, delta):
            self.through.append(left if sum(self.outcomes) >= len(self.outcomes) / 2 else right)
            self.waiting, self.outcomes = self.waiting[2:], []
            if len(self.waiting) < 2:
                self.waiting, self.through = shuffled(self.through + self.waiting, self.rng), []
                self.r += 1
