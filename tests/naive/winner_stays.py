"""Winner Stays and Beat the Winner from their rules, everything again each round."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle


class WinnerStays(Oracle):
    """The two arms with the most wins minus losses."""

    def __init__(self, n_arms, beta, rng):
        self.n_arms, self.beta, self.rng = n_arms, beta, rng
        self.results = [[] for _ in range(n_arms)]
        self.stage = 1
        self.rest = 0
        self.i = self.j = None
        self.pick()

    def best(self):
        return self.i

    def lead(self, arm):
        return sum(self.results[arm])

    def argmax(self, arms):
        most = max(map(self.lead, arms))
        equal = [arm for arm in arms if self.lead(arm) == most]
        for old in (self.i, self.j):
            if old in equal:
                return old
        return equal[int(self.rng.random() * len(equal))] if len(equal) > 1 else equal[0]

    def pick(self):
        arms = range(self.n_arms)
        i = self.argmax(arms)
        j = self.argmax([arm for arm in arms if arm != i])
        self.i, self.j = i, j

    def ask(self):
        return self.i, self.i if self.rest else self.j, (1,)

    def tell(self, left, right, ticket, outcome):
        if left == right:
            self.rest = max(0, self.rest - 1)
            return
        self.results[left].append(outcome - (1 - outcome))
        self.results[right].append((1 - outcome) - outcome)
        self.pick()
        while self.beta and self.lead(self.i) >= (self.n_arms - 1) * self.stage:
            self.rest += math.floor(self.beta**self.stage)
            self.stage += 1


class BeatTheWinner(Oracle):
    """Races to r wins; only outcomes of the race that is on count."""

    def __init__(self, n_arms, reset, beta, rng):
        self.reset, self.beta = reset, beta
        arms = list(range(n_arms))
        for place in range(n_arms - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            arms[place], arms[other] = arms[other], arms[place]
        self.incumbent, self.challenger, *self.queue = arms
        self.r = 1
        self.rest = 0
        self.race, self.number = [], 1

    def best(self):
        return self.incumbent

    def ask(self):
        right = self.incumbent if self.rest else self.challenger
        return self.incumbent, right, (1, self.number)

    def tell(self, left, right, ticket, outcome):
        if ticket[1] != self.number:
            return
        if left == right:
            self.rest = max(0, self.rest - 1)
            return
        self.race.append(outcome)
        if sum(self.race) >= self.r:
            self.finish(self.incumbent, self.challenger, self.r + 1)
        elif sum(1 - o for o in self.race) >= self.r:
            self.finish(self.challenger, self.incumbent, 1 if self.reset else self.r + 1)

    def finish(self, winner, loser, r):
        self.rest = math.floor(self.beta**self.r) if self.beta else 0
        self.queue.append(loser)
        self.incumbent, self.challenger = winner, self.queue.pop(0)
        self.r = r
        self.race, self.number = [], self.number + 1
