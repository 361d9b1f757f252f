"""Monitored Dueling Bandits and DETECT from their rules, windows as lists."""

from __future__ import annotations

import math
from itertools import combinations

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


class MDB:
    def __init__(self, n_arms, window, threshold, rate, beta, rng):
        self.n_arms, self.window, self.threshold, self.beta = n_arms, window, threshold, beta
        self.pairs = list(combinations(range(n_arms), 2))
        for place in range(len(self.pairs) - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            self.pairs[place], self.pairs[other] = self.pairs[other], self.pairs[place]
        self.period = math.floor(len(self.pairs) / rate)
        self.rounds = 0
        self.episodes = [0]
        self.begin(rng)

    def begin(self, rng):
        self.inner = WinnerStays(self.n_arms, self.beta, rng)
        self.seen = {pair: [] for pair in self.pairs}
        self.tau = 1

    @property
    def best(self):
        return self.inner.i

    def monitors(self):
        return (self.tau - 1) % self.period < len(self.pairs)

    def pair(self, rng):
        if self.monitors():
            return self.pairs[(self.tau - 1) % self.period]
        return self.inner.pair(rng)

    def tell(self, left, right, outcome, rng):
        self.rounds += 1
        if not self.monitors():
            self.inner.tell(left, right, outcome, rng)
            self.tau += 1
            return
        self.tau += 1
        self.seen[left, right].append(outcome)
        if differ(self.seen[left, right], self.window, self.threshold):
            self.begin(rng)
            self.episodes.append(self.rounds)


class DETECT:
    def __init__(self, n_arms, window, threshold, exploration, rng):
        self.n_arms, self.window, self.threshold = n_arms, window, threshold
        self.exploration = exploration
        self.rounds = 0
        self.episodes = [0]
        self.begin(rng)

    def begin(self, rng):
        self.inner = BeatTheWinner(self.n_arms, False, None, rng)
        self.seen = {arm: [] for arm in range(self.n_arms)}
        self.tau = 0

    @property
    def best(self):
        return self.inner.incumbent

    def pair(self, rng):
        if self.tau < self.exploration:
            return self.inner.pair(rng)
        others = [arm for arm in range(self.n_arms) if arm != self.best]
        return self.best, others[(self.tau - self.exploration) % len(others)]

    def tell(self, left, right, outcome, rng):
        self.rounds += 1
        if self.tau < self.exploration:
            self.inner.tell(left, right, outcome, rng)
            self.tau += 1
            return
        self.tau += 1
        self.seen[right].append(outcome)
        if differ(self.seen[right], self.window, self.threshold):
            self.begin(rng)
            self.episodes.append(self.rounds)
