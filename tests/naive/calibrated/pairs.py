"""CALIBRATED METABOSSE for Condorcet, from the list of all duels."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from tests.naive.calibrated.watching import Watcher, apart, drop
from tests.naive.protocol import TooCloseError
from tests.naive.rucb import RUCB


@dataclass
class Met:
    """A duel, and what is left of its weight."""

    left: int
    right: int
    outcome: float
    watching: bool
    weight: float = 1.0


class Pairs(Watcher, RUCB):
    def __init__(self, n_arms, constants, false_restarts, rng):
        Watcher.__init__(self, n_arms, constants, false_restarts, 2, rng)
        self.n_arms = n_arms
        self.duels, self.sums = [], {}
        self.episode_began, self.watched_since, self.checked = 0, 0, 0
        self.trial = None
        self.growth, self.fresh = 1.0, 0
        RUCB.__init__(self, self, rng)

    def upper(self, i, j):
        if i == j:
            return 0.5
        n, wins = self.weight(i, j)
        if n == 0:
            return math.inf
        width = math.sqrt(self.constants.optimism * math.log(self.remembered() + 1) / n)
        return apart(wins / n + width, 0.5, 1e-11)

    def weight(self, i, j):
        """The weight of the duels of i and j, and that of those which i won."""
        if not self.sums:
            self.sums = dict.fromkeys(itertools.product(range(self.K), repeat=2), 0.0)
            for duel in self.duels:
                if duel.left != duel.right:
                    self.sums[duel.left, duel.right] += duel.weight * duel.outcome
                    self.sums[duel.right, duel.left] += duel.weight * (1 - duel.outcome)
        return self.sums[i, j] + self.sums[j, i], self.sums[i, j]

    def remembered(self):
        return sum(duel.weight for duel in self.duels)

    def reweigh(self, factor):
        for duel in self.duels:
            duel.weight *= factor
        self.sums = {}

    def beats(self, i, j):
        return self.upper(j, i) < 0.5

    def ask(self):
        watching, on_trial, chance = False, False, None
        if self.trial:
            on_trial = self.rng.random() < 0.5
        if on_trial and self.trial["by"] == "pair":
            pair = self.trial["new"], self.accused
        elif on_trial:
            watching = True
            pair = self.accused, int(self.rng.random() * self.K)
        elif self.replaying() and len(self.active) > 1:
            others = [arm for arm in self.active if arm != self.leader]
            pair = self.leader, others[int(self.rng.random() * len(others))]
            chance = 1 / len(others)
        else:
            *pair, watching, chance = self.ask_as_rucb()
        return *pair, (None if self.trial else chance, watching)

    def ask_as_rucb(self):
        watching = False
        left, right, (chance,) = RUCB.ask(self)
        replies = sorted(self.upper(j, left) for j in range(self.K))
        if replies[-1] != replies[-2] and replies[-1] - replies[-2] < 1e-11:
            raise TooCloseError
        if left == right:
            number = self.rng.random()
            if number < self.watch:
                right = int(number / self.watch * self.K)
                watching = True
            chance *= self.watch / self.K + (1 - self.watch) * (left == right)
        return left, right, watching, chance

    def tell(self, left, right, ticket, outcome):
        self.reweigh(1 / self.growth)
        even = 0.5 if left == right else outcome
        self.duels.append(Met(left, right, even, ticket[1]))
        self.round += 1
        self.settle()

    def settle(self):
        self.hope()
        watched = self.watched()
        if len(watched) > self.checked and len(watched) % self.tick == 0:
            self.checked = len(watched)
            self.test_blocks(watched)
        if self.replay_is_due():
            self.fresh = self.round
        if self.replaying():
            self.judge_replay()
        leader = self.leader
        self.set_leader()
        if self.trial:
            self.hear_trial()
        self.set_active()
        if self.round >= self.wake or self.leader != leader:
            self.set_rates()

    def watched(self):
        """The outcomes of the leader's tosses since it is watched, and their rounds."""
        return [
            (duel.outcome - 0.5, number)
            for number, duel in enumerate(self.duels, 1)
            if number > self.watched_since and duel.watching and duel.left == self.leader
        ]

    def test_blocks(self, watched):
        looks = len(watched)
        length = 4 * self.tick
        while True:
            begin = looks - length
            if begin > 0:
                values = [value for value, _ in watched]
                before, after = (begin, sum(values[:begin])), (length, sum(values[begin:]))
                threshold = self.alarm_at(looks, length)
                if apart(drop(before, after), threshold, 1e-6) > threshold:
                    self.look_again(watched[begin - 1][1])
                    return
            if looks % (length // 2) != 0:
                return
            length *= 2

    def look_again(self, changed):
        self.reweigh(self.constants.keep)
        self.hope()
        self.alarms += 1
        self.changed, self.base, self.replay_end = changed, self.round, 0
        self.replays.append((self.round, self.round - changed))
        self.watch_from_here()

    def judge_replay(self):
        for arm in range(self.K):
            n, total = self.in_episode(self.leader, arm, self.fresh)
            if total < 0 and 2 * total * total >= self.likely * n:
                self.look_again(self.replay_start)
                return

    def watch_from_here(self):
        self.watched_since, self.checked = self.round, 0

    def set_leader(self):
        best = self.leader
        if self.B:
            (best,) = self.B
        elif self.C and any(self.beats(j, best) for j in range(self.K)):
            best = self.C[0]
        if best != self.leader:
            if self.trial is None:
                self.open_trial(self.leader, best)
            self.leader, self.led = best, self.round
            self.replay_end = 0
            self.watch_from_here()

    def in_episode(self, old, new=None, after=0):
        """The duels of an arm with another in this episode, or its tosses, and their sum."""
        n, total = 0, 0.0
        for duel in self.duels[max(self.episode_began, after) :]:
            if new is None and duel.watching and duel.left == old:
                n, total = n + 1, total + duel.outcome - 0.5
            elif new is not None and old != new and {duel.left, duel.right} == {old, new}:
                sign = 1 if duel.left == old else -1
                n, total = n + 1, total + sign * (duel.outcome - 0.5)
        return n, total

    def open_trial(self, old, new):
        duels, tosses = self.in_episode(old, new), self.in_episode(old)
        clear = 2 * duels[1] / math.sqrt(duels[0]) if duels[0] >= 3 else 0.0
        if (duels[0] >= 12 and clear > 2) or (tosses[0] < 12 and clear > 1.5):
            by, before = "pair", duels
        elif tosses[0] >= 12:
            by, before = "score", tosses
        else:
            return
        end = 2 * max(1, self.proof) / max(0.05, before[1] / before[0]) ** 2
        self.trial = {"by": by, "new": new, "began": self.round, "before": before, "end": end}
        self.accused, self.counted = old, False
        if self.alarms == 0 or self.base < self.led:
            self.changed = self.round

    def hear_trial(self):
        trial = self.trial
        other = trial["new"] if trial["by"] == "pair" else None
        n, total = self.in_episode(self.accused, other, trial["began"])
        n_before, total_before = trial["before"]
        if other is not None:
            refuted = n >= 4 and 2 * total > math.sqrt(n)
        else:
            refuted = n >= 8 and total * n_before >= total_before * n
        if self.leader == self.accused or refuted or n > trial["end"]:
            self.trial = None
        elif self.weigh_proof(drop(trial["before"], (n, total)), n_before + n, n):
            self.trial = None
            self.base = self.episode_began = self.fresh = self.round

    def set_active(self):
        if not self.replaying():
            self.replay_end = 0
        active = []
        for arm in range(self.K):
            if arm == self.leader:
                plays = True
            elif self.replaying():
                n, total = self.in_episode(self.leader, arm, self.fresh)
                plays = n == 0 or 2 * total < self.constants.doubt * math.sqrt(n)
            else:
                plays = not self.beats(self.leader, arm)
            if plays:
                active.append(arm)
            elif arm in self.active:
                n, wins = self.weight(arm, self.leader)
                bonus = self.constants.optimism * math.log(self.remembered() + 1)
                self.evict(arm, n * max(0.0, 0.5 - wins / n) ** 2, bonus)
        self.active = active

    def set_rates(self):
        leads = []
        for arm in range(self.K):
            n, wins = self.weight(self.leader, arm)
            if n > 0:
                leads.append(max(0.0, wins / n - 0.5))
        self.set_watch(sum(leads) / max(1, len(leads)))
        self.set_fading()
        self.growth = 1 + self.fading
        self.set_wake(self.round // 16)
