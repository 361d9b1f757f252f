"""Winner Stays and Beat the Winner from their rules, everything anew each round.

Each is made with a generator last, and has ``pair(rng)`` and ``tell(left, right, outcome, rng)``;
numbers are drawn in the order in which choices are made, the first pair at once.
"""

from __future__ import annotations

import math


class WinnerStays:
    """The two arms with the most wins minus losses; outcomes may come late."""

    def __init__(self, n_arms, beta, rng):
        self.n_arms = n_arms
        self.beta = beta
        self.results = [[] for _ in range(n_arms)]
        self.stage = 1
        self.rest = 0
        self.i = self.j = None
        self.pick(rng)

    def lead(self, arm):
        return sum(self.results[arm])

    def argmax(self, arms, rng):
        most = max(map(self.lead, arms))
        equal = [arm for arm in arms if self.lead(arm) == most]
        for old in (self.i, self.j):
            if old in equal:
                return old
        return equal[int(rng.random() * len(equal))] if len(equal) > 1 else equal[0]

    def pick(self, rng):
        arms = range(self.n_arms)
        i = self.argmax(arms, rng)
        j = self.argmax([arm for arm in arms if arm != i], rng)
        self.i, self.j = i, j

    def pair(self, rng):
        return self.i, self.i if self.rest else self.j

    def tell(self, left, right, outcome, rng):
        if left == right:
            self.rest = max(0, self.rest - 1)
            return
        self.results[left].append(outcome - (1 - outcome))
        self.results[right].append((1 - outcome) - outcome)
        self.pick(rng)
        while self.beta and self.lead(self.i) >= (self.n_arms - 1) * self.stage:
            self.rest += math.floor(self.beta**self.stage)
            self.stage += 1


class BeatTheWinner:
    """Races to r wins; told only outcomes of the race that is on."""

    def __init__(self, n_arms, reset, beta, rng):
        self.n_arms = n_arms
        self.reset = reset
        self.beta = beta
        self.begin(rng)

    def begin(self, rng):
        arms = list(range(self.n_arms))
        for place in range(self.n_arms - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            arms[place], arms[other] = arms[other], arms[place]
        self.incumbent, self.challenger, *self.queue = arms
        self.r = 1
        self.rest = 0
        self.race = []

    def pair(self, rng):
        return self.incumbent, self.incumbent if self.rest else self.challenger

    def tell(self, left, right, outcome, rng):
        if left == right:
            self.rest -= 1
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
        self.race = []
