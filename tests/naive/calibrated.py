"""CALIBRATED METABOSSE by the letter: every duel is kept, and all is counted anew from the list.

`Scores` is the learner for a known weight, `Pairs` the one for Condorcet. Both draw the random
numbers that the learner draws, in its order. Where rounding could decide otherwise than in the
learner, which adds up in another order, they raise `TooCloseError`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from driftduel.learners.parts.reference import alias_table
from tests.naive import rucb

REPLAY_LENGTHS = [2 << power for power in range(40)]
FOREVER = math.inf


class TooCloseError(Exception):
    """Two numbers that have to be compared are equal but for rounding."""


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


class Watcher:
    """What the two have in common."""

    def __init__(self, n_arms, constants, false_restarts, tick, rng):
        self.K, self.constants, self.rng, self.tick = n_arms, constants, rng, tick
        self.proof = constants.proof + math.log(n_arms / false_restarts)
        self.likely = constants.likely + math.log(n_arms)
        self.counts = self
        self.round, self.wake = 0, 1
        self.episodes, self.replays, self.evictions, self.changes = [0], [], [], []
        self.leader, self.led = 0, 0
        self.base, self.alarms, self.shifts = 0, 0, 0
        self.counted, self.accused, self.changed = False, None, 0
        self.replay_start, self.replay_end = 0, 0
        self.active, self.told = list(range(n_arms)), {}
        self.watch, self.gap, self.fading = 0.0, 0.0, 0.0
        self.draw_replays()

    def draw_replays(self):
        self.replay_at = {length: self.next_replay(length, 0) for length in REPLAY_LENGTHS}

    def next_replay(self, length, age):
        """The next round of a replay; tests/learners/test_replays.py tests the law of this."""
        if self.constants.replay_rate == 0:
            return FOREVER
        age = max(age, length // 2 - 1)

        def chance(age):
            return min(1.0, self.constants.replay_rate * length ** (-1 / 3) * age ** (-2 / 3))

        while True:
            bound = chance(age + 1.0)
            skipped = 0
            if bound < 1:
                skipped = math.floor(math.log1p(-self.rng.random()) / math.log1p(-bound))
            age += 1 + skipped
            if age >= 2**61:
                return FOREVER
            if self.rng.random() * bound < chance(float(age)):
                return self.episodes[-1] + age

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

    def choose(self):
        number = self.rng.random()
        self.ticket = []
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
            self.ticket = ["left", "right"] if both else ["right" if swap else "left"]
        self.chance = self.chance_of(left, right)
        return left, right

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

    def add(self, left, right, outcome, ticket=None):
        ticket = self.ticket if ticket is None else ticket
        self.round += 1
        if ticket:
            self.fade()
            self.looks += 1
            value = outcome - 0.5 if left != right else 0.0
            if "left" in ticket:
                self.tosses.append(Toss(left, value, self.looks))
            if "right" in ticket:
                self.tosses.append(Toss(right, -value, self.looks))
        tested = bool(ticket) and self.looks % self.tick == 0
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
        n, total = self.reference
        more, gain = count(self.of(self.leader, self.watched_since, look))
        return drop((n + more, total + gain), count(self.of(self.leader, look)))

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
                if statistic != largest and apart(statistic, largest) > largest:
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


@dataclass
class Met:
    """A duel, and what is left of its weight."""

    left: int
    right: int
    outcome: float
    watching: bool
    weight: float = 1.0


class Pairs(Watcher, rucb.RUCB):
    def __init__(self, n_arms, constants, false_restarts, rng):
        super().__init__(n_arms, constants, false_restarts, 2, rng)
        self.n_arms, self.B = n_arms, set()
        self.duels, self.sums = [], {}
        self.episode_began, self.watched_since, self.checked = 0, 0, 0
        self.trial = None
        self.growth, self.fresh = 1.0, 0

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

    def choose(self):
        self.ticket, on_trial = False, False
        if self.trial:
            on_trial = self.rng.random() < 0.5
        if on_trial and self.trial["by"] == "pair":
            pair = self.trial["new"], self.accused
        elif on_trial:
            self.ticket = True
            pair = self.accused, int(self.rng.random() * self.K)
        elif self.replaying() and len(self.active) > 1:
            others = [arm for arm in self.active if arm != self.leader]
            pair = self.leader, others[int(self.rng.random() * len(others))]
            self.chance = 1 / len(others)
        else:
            pair = self.choose_as_rucb()
        if self.trial:
            self.chance = None
        return pair

    def choose_as_rucb(self):
        left, right = rucb.RUCB.choose(self)
        replies = sorted(self.upper(j, left) for j in range(self.K))
        if replies[-1] != replies[-2] and replies[-1] - replies[-2] < 1e-11:
            raise TooCloseError
        if left == right:
            number = self.rng.random()
            if number < self.watch:
                right = int(number / self.watch * self.K)
                self.ticket = True
            self.chance *= self.watch / self.K + (1 - self.watch) * (left == right)
        return left, right

    def add(self, left, right, outcome, ticket=None):
        self.reweigh(1 / self.growth)
        even = 0.5 if left == right else outcome
        self.duels.append(Met(left, right, even, self.ticket if ticket is None else ticket))
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

    def hope(self):
        """Who may be the winner, and who is alone in that or was and still may be."""
        arms = range(self.K)
        self.C = [c for c in arms if not any(self.beats(j, c) for j in arms)]
        self.B &= set(self.C)
        if len(self.C) == 1:
            self.B = set(self.C)

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
