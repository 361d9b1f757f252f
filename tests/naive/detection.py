"""Monitored Dueling Bandits and DETECT from their rules, windows as lists."""

from __future__ import annotations

import math
from itertools import combinations

from tests.naive.protocol import Oracle
from tests.naive.winner_stays import BeatTheWinner, WinnerStays


def differ(window, length, threshold):
    """Whether the newer half of the last outcomes differs too much from the older half."""
    last = window[-length:]
    half = length // 2
    return len(last) == length and abs(sum(last[half:]) - sum(last[:half])) > threshold


def even_above(value):
    length = 2
    while length < value:
        length += 2
    return length


def mdb_tuning(T, M, K, delta):
    constant = math.log((4 * T + 2) * math.sqrt(T) / (math.sqrt(M) * K))
    window = even_above(8 * constant / delta**2)
    rate = (K - 1) / 2 * math.sqrt(M * window / T)
    return window, math.sqrt(window * constant / 2), rate


def detect_tuning(T, K, delta, p, variant):
    q = (2 * p - 1) ** 2
    if variant == 1:
        exploration = (math.log(T / ((1 - math.exp(-q)) * math.log(T))) / q + K - 1) ** 2
        window = even_above((16 * math.log(T) + 6) / delta**2)
        return window, math.sqrt(window * (math.log(T) + 3 / 8)), int(exploration)
    x = math.exp(-(T**0.25 - K + 1) * q) / (1 - math.exp(-q))
    log = math.log(2 * T / x)
    window = even_above(8 * log / delta**2)
    return window, math.sqrt(window / 2 * log), int(math.sqrt(T))


class Detector(Oracle):
    """Restarts when the window of a pair or an arm has changed; older duels do not count."""

    def __init__(self, n_arms, window, threshold, rng):
        self.n_arms, self.window, self.threshold, self.rng = n_arms, window, threshold, rng
        self.rounds = 0
        self.episodes = [0]

    def best(self):
        return self.inner.best()

    def tell(self, left, right, ticket, outcome):
        self.rounds += 1
        _, episode, watched, inner = ticket
        if episode != len(self.episodes):
            return
        if inner is not None:
            self.tell_inner(left, right, inner, outcome)
            return
        self.watch(right)
        self.seen[watched].append(outcome)
        if differ(self.seen[watched], self.window, self.threshold):
            self.begin()
            self.episodes.append(self.rounds)


class MDB(Detector):
    def __init__(self, n_arms, window, threshold, rate, beta, rng):
        super().__init__(n_arms, window, threshold, rng)
        self.beta = beta
        self.pairs = list(combinations(range(n_arms), 2))
        for place in range(len(self.pairs) - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            self.pairs[place], self.pairs[other] = self.pairs[other], self.pairs[place]
        self.period = math.floor(len(self.pairs) / rate)
        self.begin()

    def begin(self):
        self.inner = WinnerStays(self.n_arms, self.beta, self.rng)
        self.seen = {pair: [] for pair in self.pairs}
        self.tau = 1

    def ask(self):
        step = (self.tau - 1) % self.period
        if step < len(self.pairs):
            pair = self.pairs[step]
            return *pair, (1, len(self.episodes), pair, None)
        left, right, inner = self.inner.ask()
        return left, right, (1, len(self.episodes), None, inner)

    def tell_inner(self, left, right, inner, outcome):
        self.inner.tell(left, right, inner, outcome)
        self.tau += 1

    def watch(self, right):
        self.tau += 1


class DETECT(Detector):
    def __init__(self, n_arms, window, threshold, exploration, rng):
        super().__init__(n_arms, window, threshold, rng)
        self.exploration = exploration
        self.begin()

    def begin(self):
        self.inner = BeatTheWinner(self.n_arms, False, None, self.rng)
        self.seen = {arm: [] for arm in range(self.n_arms)}
        self.explored = self.turns = 0

    def rival(self):
        others = [arm for arm in range(self.n_arms) if arm != self.best()]
        return others[self.turns % len(others)]

    def ask(self):
        if self.explored < self.exploration:
            left, right, inner = self.inner.ask()
            return left, right, (1, len(self.episodes), None, inner)
        rival = self.rival()
        return self.best(), rival, (1, len(self.episodes), rival, None)

    def tell_inner(self, left, right, inner, outcome):
        if self.explored < self.exploration:
            self.inner.tell(left, right, inner, outcome)
            self.explored += 1

    def watch(self, right):
        if right == self.rival():
            self.turns += 1
