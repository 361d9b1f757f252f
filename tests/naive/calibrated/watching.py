"""What both forms of CALIBRATED METABOSSE do: replays, proofs, and how much to watch."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle, TooCloseError
from tests.naive.replays import METABOSSE, next_age

REPLAY_LENGTHS = [2 << power for power in range(40)]
FOREVER = math.inf


def apart(a, b, by=1e-9):
    if abs(a - b) <= by:
        raise TooCloseError
    return a


def log_likelihood(n, total, chance):
    """Of n tosses, whose outcomes less 1/2 add up to ``total``, if each is won by this chance."""
    wins, losses = n / 2 + total, n / 2 - total
    result = 0.0
    if wins > 1e-9 * n:
        result += wins * math.log(chance)
    if losses > 1e-9 * n:
        result += losses * math.log(1 - chance)
    return result


def ratio(before, after):
    """How much better two chances explain tosses (n, total) than one does."""
    if before[0] < 1 or after[0] < 1:
        return 0.0
    both = before[0] + after[0], before[1] + after[1]
    two, one = 0.0, 0.0
    for n, total in (before, after):
        two += log_likelihood(n, total, total / n + 0.5)
        one += log_likelihood(n, total, both[1] / both[0] + 0.5)
    return two - one


def drop(before, after):
    if before[0] < 1 or after[0] < 1 or after[1] / after[0] >= before[1] / before[0]:
        return 0.0
    return ratio(before, after)


class Watcher(Oracle):
    """What the two have in common."""

    def __init__(self, n_arms, constants, false_restarts, tick, rng):
        self.K, self.constants, self.rng, self.tick = n_arms, constants, rng, tick
        self.proof = constants.proof + math.log(n_arms / false_restarts)
        self.likely = constants.likely + math.log(n_arms)
        self.round, self.wake = 0, 1
        self.episodes, self.replays, self.evictions, self.changes = [0], [], [], []
        self.leader, self.led = 0, 0
        self.base, self.alarms, self.shifts = 0, 0, 0
        self.counted, self.accused, self.changed = False, None, 0
        self.replay_start, self.replay_end = 0, 0
        self.active, self.told = list(range(n_arms)), {}
        self.watch, self.gap, self.fading = 0.0, 0.0, 0.0
        self.draw_replays()

    def best(self):
        return self.leader

    def draw_replays(self):
        self.replay_at = {length: self.next_replay(length, 0) for length in REPLAY_LENGTHS}

    def next_replay(self, length, age):
        coin = METABOSSE.times(self.constants.replay_rate)
        return self.episodes[-1] + next_age(self.rng, coin, length, max(age, length // 2 - 1))

    def replay_is_due(self):
        due = [length for length, at in self.replay_at.items() if at <= self.round]
        for length in due:
            self.replay_at[length] = self.next_replay(length, self.round - self.episodes[-1])
        if due:
            self.replays.append((self.round, max(due)))
            self.replay_start = self.round
            self.replay_end = max(self.replay_end, self.round + max(due))
        return bool(due)

    def replaying(self):
        return self.round < self.replay_end

    def start(self):
        return self.replay_start if self.replaying() else self.base

    def alarm_at(self, looks, length):
        return self.constants.alarm + math.log(1 + looks / length) / 2 + math.log(1 + self.alarms)

    def weigh_proof(self, statistic, looks, length):
        if not self.counted and apart(statistic, self.likely, 1e-6) > self.likely:
            self.counted = True
            self.shifts += 1
            self.wake = self.round
        threshold = self.proof + math.log(1 + looks / max(1, length))
        if apart(statistic, threshold, 1e-6) < threshold:
            return False
        self.episodes.append(self.round)
        self.changes.append((self.round, self.changed, self.accused, self.leader))
        self.alarms = 0
        self.wake = self.round
        self.draw_replays()
        return True

    def set_fading(self):
        shares = self.constants.slow_fade + self.constants.fade * self.shifts
        self.fading = min(0.1, shares / (self.round + 10))

    def set_watch(self, lead):
        self.gap = min(0.5, max(0.02, lead))
        hazard = (1 + 2 * self.shifts) / (self.round + 1)
        rate = math.sqrt(self.constants.alarm * hazard / 2) / self.gap
        self.watch = min(1.0, self.constants.watch * rate)

    def set_wake(self, share, *rounds):
        self.wake = min(self.round + max(1, share), *self.replay_at.values(), *rounds)
        if self.replaying():
            self.wake = min(self.wake, self.replay_end)

    def evict(self, arm, by_how_much, enough):
        """Note an eviction, once for each base."""
        if self.told.get(arm, -1) < self.start():
            self.told[arm] = self.start()
            beaten_by = self.leader
            self.evictions.append((self.round - 1, arm, beaten_by, by_how_much, enough))
