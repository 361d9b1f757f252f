"""RR-DB, SAVAGE, Interleaved Filter and Beat the Mean from their rules, all again each round."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations

from tests.naive.protocol import Oracle


class LeastCompared(Oracle):
    """Duel the least compared pair left; who is below 1/2 by more than a radius is out."""

    def __init__(self, n_arms, radius):
        self.active = list(range(n_arms))
        self.radius = radius
        self.log = defaultdict(list)
        self.rounds = 0

    def outcomes(self, a, b):
        """What a scored in its duels with b."""
        return self.log[a, b] + [1 - outcome for outcome in self.log[b, a]]

    def ask(self):
        if len(self.active) == 1:
            return self.active[0], self.active[0], (1,)
        pairs = combinations(self.active, 2)
        return *min(pairs, key=lambda pair: (len(self.outcomes(*pair)), pair)), (1,)

    def tell(self, left, right, ticket, outcome):
        self.rounds += 1
        if left == right or left not in self.active or right not in self.active:
            return
        self.log[left, right].append(outcome)
        out = set()
        for a in self.active:
            for b in self.active:
                scores = self.outcomes(a, b)
                if a != b and scores:
                    rate = sum(scores) / len(scores)
                    if rate + self.radius(len(scores), self.rounds) < 0.5:
                        out.add(a)
        self.active = [a for a in self.active if a not in out]


def rrdb(n_arms, delta, rng):
    return LeastCompared(n_arms, lambda n, t: math.sqrt(math.log(n_arms * t / delta) / n))


def savage(n_arms, delta, horizon, rng):
    pairs = n_arms * (n_arms - 1) / 2

    def radius(n, t):
        eta = 2 * pairs * horizon if horizon else math.pi**2 * pairs * n**2 / 3
        return math.sqrt(math.log(eta / delta) / (2 * n))

    return LeastCompared(n_arms, radius)


class InterleavedFilter(Oracle):
    """A candidate duels the others in turn; arms are judged when all had their turn."""

    def __init__(self, n_arms, horizon, scale, rng):
        self.candidate = int(rng.random() * n_arms)
        self.others = [a for a in range(n_arms) if a != self.candidate]
        self.waiting = list(self.others)
        self.scores = {b: [] for b in self.others}
        self.log = math.log(horizon * n_arms**2)
        self.scale = scale

    @property
    def active(self):
        return sorted([self.candidate, *self.others])

    def best(self):
        return self.candidate

    def ask(self):
        return self.candidate, self.waiting[0] if self.others else self.candidate, (1,)

    def rate(self, b):
        return sum(self.scores[b]) / len(self.scores[b])

    def radius(self, b):
        return math.sqrt(self.scale * self.log / len(self.scores[b]))

    def tell(self, left, right, ticket, outcome):
        if left != self.candidate or right not in self.others:
            return
        self.scores[right].append(outcome)
        if self.waiting[0] == right:
            self.waiting.pop(0)
        if self.waiting:
            return
        self.others = [b for b in self.others if not self.rate(b) - self.radius(b) > 0.5]
        better = [b for b in self.others if self.rate(b) + self.radius(b) < 0.5]
        if better:
            self.candidate = better[0]
            self.others = [b for b in self.others if b != self.candidate and not self.rate(b) > 0.5]
            self.scores = {b: [] for b in self.others}
        self.waiting = list(self.others)


class BeatTheMean(Oracle):
    """The arm that was first least often duels a random arm left; the worst arm leaves."""

    def __init__(self, n_arms, horizon, gamma, scale, rng):
        self.active = list(range(n_arms))
        self.log = defaultdict(list)
        self.rng = rng
        self.width = scale * gamma**2, math.log(2 * horizon * n_arms)

    def scores(self, arm):
        return [outcome for other in self.active for outcome in self.log[arm, other]]

    def rate(self, arm):
        scores = self.scores(arm)
        return sum(scores) / len(scores) if scores else 0.5

    def ask(self):
        first = min(self.active, key=lambda arm: (len(self.scores(arm)), arm))
        right = self.active[int(self.rng.random() * len(self.active))]
        return first, right, (1 / len(self.active),)

    def tell(self, left, right, ticket, outcome):
        if len(self.active) == 1 or left not in self.active or right not in self.active:
            return
        self.log[left, right].append(outcome)
        fewest = min(len(self.scores(arm)) for arm in self.active)
        if fewest == 0:
            return
        factor, log = self.width
        radius = factor * math.sqrt(log / fewest)
        worst = min(self.active, key=lambda arm: (self.rate(arm), arm))
        if self.rate(worst) + radius <= max(map(self.rate, self.active)) - radius:
            self.active.remove(worst)
