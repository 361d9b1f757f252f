"""CALIBRATED METABOSSE for a known weight, from the list of all tosses."""

from __future__ import annotations

import math
from dataclasses import dataclass

from driftduel.learners.parts.reference import alias_table
from tests.naive.calibrated.watching import FOREVER, Watcher, apart, drop, ratio
from tests.naive.protocol import TooCloseError


@dataclass
class Toss:
    """An outcome less 1/2 for the score of an arm, its look, counted from 1, and its weight."""

    arm: int
    value: float
    look: int
    weight: float = 1.0


def add_up(tosses):
    tosses = list(tosses)
    return sum(t.weight for t in tosses), sum(t.weight * t.value for t in tosses)


def count(tosses):
    tosses = list(tosses)
    return len(tosses), sum(t.value for t in tosses)


class Scores(Watcher):
    def __init__(self, n_arms, constants, false_restarts, weights, starts, rng):
        tick = max(2, 2 ** math.floor(math.log2(n_arms // 2)))
        super().__init__(n_arms, constants, false_restarts, tick, rng)
        self.weights, self.starts = weights, [*starts, FOREVER]
        self.uniform = all(max(weight) - min(weight) < 1e-12 for weight in weights)
        self.tosses, self.looks, self.row = [], 0, 0
        self.faded = 0
        # At these looks the learner keeps its sums, in blocks of up to so many levels.
        self.moments, self.round_of = {0: 40}, {0: 0}
        self.watched_since, self.reference = 0, (0, 0.0)
        self.since, self.before, self.fresh = 0, 0, 0
        self.suspect = False
        self.full, self.half = 1.0, 0.0

    def ask(self):
        number = self.rng.random()
        sides = []
        if number >= self.full + self.half:
            left = right = self.leader
        else:
            if number < self.full:
                arm, both = int(number / self.full * self.K), self.uniform
            else:
                place, both = (number - self.full) / self.half * 2, False
                arm = self.leader
                if place >= 1:
                    arm = self.active[int((place - 1) * len(self.active))]
            other = self.draw_reference()
            swap = self.rng.random() >= 0.5
            left, right = (other, arm) if swap else (arm, other)
            sides = ["left", "right"] if both else ["right" if swap else "left"]
        return left, right, (self.chance_of(left, right), sides)

    def draw_reference(self):
        number = self.rng.random() * self.K
        if self.uniform:
            return int(number)
        chance, other = alias_table(self.weights[self.row])
        arm = int(number)
        return arm if number - arm < chance[arm] else int(other[arm])

    def chance_of(self, left, right):
        """Add up all the ways in which a pair can come about."""
        total = (1 - self.full - self.half) * (left == right == self.leader)
        for arm, other in ((left, right), (right, left)):
            ways = [self.full / self.K, self.half / 2 * (arm == self.leader)]
            ways.append(self.half / 2 * (arm in self.active) / len(self.active))
            total += sum(ways) * self.weights[self.row][other] / 2
        return total

    def tell(self, left, right, ticket, outcome):
        sides = ticket[1]
        self.round += 1
        if sides:
            self.fade()
            self.looks += 1
            value = outcome - 0.5 if left != right else 0.0
            if "left" in sides:
                self.tosses.append(Toss(left, value, self.looks))
            if "right" in sides:
                self.tosses.append(Toss(right, -value, self.looks))
        tested = bool(sides) and self.looks % self.tick == 0
        if tested:
            self.test_blocks()
        if tested or self.round >= self.wake:
            self.settle()

    def fade(self):
        for toss in self.tosses:
            toss.weight /= 1 + self.fading * (self.round - self.faded)
        self.faded = self.round

    def of(self, arm, after=0, until=FOREVER):
        return (t for t in self.tosses if t.arm == arm and after < t.look <= until)

    def settle(self):
        while self.round >= self.starts[self.row + 1]:
            self.row += 1
        if self.replay_is_due():
            self.fresh = self.looks
        if self.replaying():
            self.judge_replay()
        self.fade()
        self.set_fading()
        self.set_leader()
        if self.suspect and self.leader != self.accused:
            self.seek_proof()
        self.set_active()
        self.set_rates()

    def test_blocks(self):
        """The blocks that end now, the shortest first: 4 ticks, 8 ticks, and so on."""
        levels = 1
        while self.looks % (self.tick * 2**levels) == 0:
            levels += 1
        self.round_of[self.looks] = self.round
        for level in range(levels):
            begin = self.looks - 4 * self.tick * 2**level
            if begin >= self.watched_since and self.moments[begin] > level:
                threshold = self.alarm_at(self.looks - self.watched_since, self.looks - begin)
                if apart(self.leader_drop(begin), threshold, 1e-6) > threshold:
                    self.moments[self.looks] = level
                    self.doubt_since_drop(level)
                    return
        self.moments[self.looks] = levels

    def leader_drop(self, look):
        return drop(*self.leader_around(look))

    def leader_around(self, look):
        """The number of the leader's tosses and their sum, before a look and after it."""
        n, total = self.reference
        more, gain = count(self.of(self.leader, self.watched_since, look))
        return (n + more, total + gain), count(self.of(self.leader, look))

    def doubt_since_drop(self, alarmed):
        """Find the moment that explains the drop best among those that are kept.

        Of each level the last four multiples are; at the level of the alarm and above, the look
        of now has not yet taken the place of the fourth before it.
        """
        kept = []
        for look, levels in self.moments.items():
            for level in range(levels):
                age, step = self.looks - look, self.tick * 2**level
                if age < 4 * step or (age == 4 * step and level >= alarmed):
                    kept.append((level, look // step % 4, look))
        best, largest = None, 0.0
        for _, _, look in sorted(kept):
            if self.watched_since <= look < self.looks:
                statistic = self.leader_drop(look)
                # The same tosses give the same number; others may tie but for rounding.
                same = best is not None and self.leader_around(look) == self.leader_around(best)
                if statistic > 0 and not same and apart(statistic, largest) > largest:
                    best, largest = look, statistic
        self.look_again(best, self.round_of[best])

    def look_again(self, look, since):
        """Doubt what was tossed up to a look, in the round ``since``."""
        for arm in range(self.K):
            n_fresh, _ = count(self.of(arm, look))
            known, _ = add_up(self.of(arm))
            lighter = known < n_fresh - 1e-12
            for toss in self.of(arm):
                fresh = float(toss.look > look)
                rest = 0.0 if lighter else self.constants.keep * (toss.weight - fresh)
                toss.weight = fresh + rest
        if not self.suspect or self.accused != self.leader:
            self.before = self.since
        self.since, self.replay_end = look, 0
        self.suspect, self.counted, self.accused = True, False, self.leader
        self.changed, self.base = since, self.round
        self.alarms += 1
        self.replays.append((self.round, self.round - self.changed))
        self.watched_since, self.reference = self.looks, count(self.of(self.leader, look))

    def judge_replay(self):
        likely = 2 * self.likely
        n_leader, lead = count(self.of(self.leader, self.fresh))
        for arm in range(self.K):
            n, total = count(self.of(arm, self.fresh))
            if n > 0 and n_leader > 0:
                ahead = total / n - lead / n_leader
                if ahead > 0 and ahead * ahead >= likely * (0.25 / n + 0.25 / n_leader):
                    self.look_again(self.fresh, self.replay_start)
                    return

    def mean(self, arm):
        n, total = add_up(self.of(arm))
        return total / n if n > 0 else -1.0

    def set_leader(self):
        means = [self.mean(arm) for arm in range(self.K)]
        best = max(means)
        if sum(mean > best - 1e-9 for mean in means) > 1 and not self.exact(best):
            raise TooCloseError
        if best > means[self.leader]:
            self.leader = means.index(best)
            self.led = self.round
            self.watched_since, self.reference = self.looks, add_up(self.of(self.leader))

    def exact(self, mean):
        """Whether a mean has no rounding: all won, all lost, or all tosses of whole weight."""
        return abs(mean) in (0.5, 1) or all(toss.weight == 1 for toss in self.tosses)

    def seek_proof(self):
        n_old, old = count(self.of(self.accused, self.since))
        n_new, new = count(self.of(self.leader, self.since))
        if n_old == 0 or n_new == 0:
            return
        enough = 2.5 * math.sqrt(0.25 / n_old + 0.25 / n_new)
        if apart(new / n_new - old / n_old, enough, 1e-9) < enough:
            return
        fall, rise = self.change_of(self.accused), self.change_of(self.leader)
        both = fall + rise - 5 - math.log(self.K)
        if self.weigh_proof(max(fall, rise, both), self.looks, n_old + n_new):
            self.suspect = False

    def change_of(self, arm):
        return ratio(count(self.of(arm, self.before, self.since)), count(self.of(arm, self.since)))

    def set_active(self):
        if not self.replaying():
            self.replay_end = 0
        active = []
        for arm in range(self.K):
            behind, enough = self.behind(arm)
            if not self.replaying() and not self.exact(behind):
                apart(behind, enough, 1e-11)
            if behind < enough:
                active.append(arm)
            elif arm in self.active:
                self.evict(arm, behind, enough)
        self.active = active

    def behind(self, arm):
        leader = self.leader
        if self.replaying():
            (n, total), (n_leader, lead) = (count(self.of(a, self.fresh)) for a in (arm, leader))
        else:
            (n, total), (n_leader, lead) = (add_up(self.of(a)) for a in (arm, leader))
        if arm == leader or n == 0 or n_leader == 0:
            return 0.0, FOREVER
        deviation = math.sqrt(0.25 / n + 0.25 / n_leader)
        return lead / n_leader - total / n, self.constants.doubt * deviation

    def set_rates(self):
        n, total = add_up(self.of(self.leader))
        self.set_watch(total / n - 0.5 / math.sqrt(n) if n > 0 else 0.0)
        age = self.round - self.start() + 1
        self.full, self.half = 0.1 * self.watch, 0.9 * self.watch
        if len(self.active) > 1:
            ease = (self.gap / 0.25) ** (-2 / 3)
            spread = self.constants.spread * ease * (self.K / age) ** (1 / 3)
            learn = self.constants.learn * ease * (len(self.active) / age) ** (1 / 3)
            self.full, self.half = max(self.full, spread), max(self.half, learn)
        self.full = min(1.0, self.full)
        self.half = min(1.0 - self.full, self.half)
        self.set_wake(age // 16, self.starts[self.row + 1])
