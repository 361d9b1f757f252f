"""DRIFTDUEL by the letter: every duel is kept, and what is known is counted again from the list.

Where rounding could decide otherwise than in the learner, which adds up in another order, the
oracle raises `tests.naive.protocol.TooCloseError`. What the recipe leaves open is marked *Choice*.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from tests.naive.protocol import Oracle, TooCloseError
from tests.naive.replays import METABOSSE, next_age

REPLAY_LENGTHS = [2 << power for power in range(40)]
FOREVER = math.inf


def apart(a, b, by=1e-9):
    """Return the first of two numbers that are clearly not the same."""
    if abs(a - b) <= by:
        raise TooCloseError
    return a


def tied(a, b, by):
    """Whether two numbers are exactly the same; if not, they have to be clearly not."""
    return a == b or apart(a, b, by) == b


def kl(p, q):
    p, q = (min(max(x, 1e-9), 1 - 1e-9) for x in (p, q))
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def log_ratio(outcome, new, old):
    """The log likelihood of an outcome under a new chance less that under an old one."""
    # Choice: a tie is half a win and half a loss.
    won, lost = math.log(new / old), math.log((1 - new) / (1 - old))
    return outcome * won + (1 - outcome) * lost


def log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def bayes_factor(before, since):
    """How much likelier duels since (won, lost) are with a chance of their own, Beta(1, 1)."""
    (won0, lost0), (won1, lost1) = before, since
    alone = log_beta(1 + won1, 1 + lost1) - log_beta(1, 1)
    both = log_beta(1 + won0 + won1, 1 + lost0 + lost1) - log_beta(1 + won0, 1 + lost0)
    return alone - both


def likelihood_ratio(before, since):
    """How much better two means explain tosses (n, sum) than one, if the mean fell."""
    (n0, sum0), (n1, sum1) = before, since
    if n0 < 4 or n1 < 4 or sum1 / n1 >= sum0 / n0:
        return 0.0
    mean = (sum0 + sum1) / (n0 + n1)
    return n0 * kl(sum0 / n0, mean) + n1 * kl(sum1 / n1, mean)


@dataclass
class Met:
    """A duel of two arms, for whom it was a toss, and how odd it was when it was told."""

    round: int
    left: int
    right: int
    outcome: float
    tossed: tuple[int, ...]
    odd: float = 0.0
    odd_for_leader: dict[str, float] = field(default_factory=dict)
    """Log ratios for chances of 1/2, of 1 - p and of 3/4 - p/2; none if p is not above 1/2."""
    opponent: int = -1
    """Of the leader, if it took part."""

    def value(self, arm):
        return self.outcome if arm == self.left else 1 - self.outcome


@dataclass
class Alarm:
    """Here duels before a place of the list, which is the first young one, lost weight."""

    young_from: int


class Turn:
    """Here the reference weight changed."""


@dataclass
class Trial:
    """Who is accused, and the places of the list that divide its tosses and duels."""

    accused: int
    first: int
    moment: int
    pairs_moment: int
    opened: int
    """The place at which the moment was set last."""
    before: dict[tuple[int, int], float]
    """Wins before the moment."""
    counted: bool = False
    budget: float = 0.0
    budget_from: int = 0


@dataclass
class Exit:
    """An eviction, with the fields of the learner's."""

    round: int
    arm: int
    beaten_by: int
    start: int
    base: int
    statistic: float
    threshold: float


class DriftDuel(Oracle):
    def __init__(self, n_arms, constants, false_restarts, weights, starts, scored, weak, rng):
        self.K, self.constants, self.rng, self.scored = n_arms, constants, rng, scored
        self.weak = weak
        self.weights, self.starts, self.row = weights, [*starts, FOREVER], 0
        self.uniform = all(max(weight) - min(weight) < 1e-12 for weight in weights)
        self.likely_at = constants.likely + math.log(n_arms)
        self.proved_at = constants.proof + math.log(n_arms / false_restarts)
        self.arms = range(n_arms)
        self.pairs = list(itertools.permutations(self.arms, 2))
        self.past, self.cache = [], {}
        self.round, self.alarmed, self.alarms, self.shifts = 0, 0, 0, 0
        self.young_from, self.odd_from, self.watched_from = 0, 0, 0
        self.trial, self.failed = None, 0
        self.by_scores, self.by_scores_since = False, 0
        self.settled, self.led = False, 0
        self.weighed = 0
        self.replay_start, self.replay_end = 0, 0
        self.episodes, self.replays = [0], []
        self.evictions, self.activations, self.changes = [], [], []
        self.noted, self.back = dict.fromkeys(self.arms, -1), dict.fromkeys(self.arms, -1)
        self.active = list(self.arms)
        self.reached = set()
        # Choice: replays are drawn first, then the leader, then the first challenger to look at.
        self.draw_replays()
        self.leader = self.strongest = int(rng.random() * n_arms)
        self.make_plan()

    def best(self):
        return self.leader

    # What is known, from the list.

    def known(self, name, count):
        """Count something unless this was done since the list grew."""
        if self.cache.get("length") != len(self.past):
            self.cache = {"length": len(self.past)}
        if name not in self.cache:
            self.cache[name] = count()
        return self.cache[name]

    def duels(self, first=0, last=None):
        return [event for event in self.past[first:last] if isinstance(event, Met)]

    def won_between(self, first, last=None):
        """Wins of each arm over each other in a part of the list."""
        won = dict.fromkeys(self.pairs, 0.0)
        for duel in self.duels(first, last):
            won[duel.left, duel.right] += duel.outcome
            won[duel.right, duel.left] += 1 - duel.outcome
        return won

    def young(self):
        return self.known("young", lambda: self.won_between(self.young_from))

    @property
    def wins(self):
        return self.known("wins", self.count_wins)

    def count_wins(self):
        wins = dict.fromkeys(self.pairs, 0.0)
        for place, event in enumerate(self.past):
            if isinstance(event, Met):
                i, j = event.left, event.right
                if wins[i, j] + wins[j, i] > self.constants.most:
                    wins[i, j] *= 1 - 1 / self.constants.most
                    wins[j, i] *= 1 - 1 / self.constants.most
                wins[i, j] += event.outcome
                wins[j, i] += 1 - event.outcome
            elif isinstance(event, Alarm):
                young = self.won_between(event.young_from, place)
                for pair in self.pairs:
                    old = max(0.0, wins[pair] - young[pair])
                    wins[pair] = self.constants.keep * old + young[pair]
        return wins

    def evidence(self, i):
        """I_i: the sum of N kl(W_ij / N, 1/2) over the arms ahead of i."""
        return self.known("evidence", lambda: [self.count_evidence(arm) for arm in self.arms])[i]

    def count_evidence(self, i):
        total = 0.0
        for j in self.arms:
            if j != i and self.wins[j, i] > self.wins[i, j]:
                n = self.wins[i, j] + self.wins[j, i]
                share = self.wins[i, j] / n
                loss = (1 - share) * math.log(2 * (1 - share))
                total += n * (loss + (share * math.log(2 * share) if share > 0 else 0.0))
        return total

    def recent_rate(self, arm):
        """The win rate of recent duels, each fading by .98 a duel of the arm, and two even ones."""
        n, won = 0.0, 0.0
        for duel in self.duels():
            if arm in (duel.left, duel.right):
                n, won = 0.98 * n + 1, 0.98 * won + duel.value(arm)
        return (won + 1) / (n + 2)

    def tosses(self, arm, first=0, last=None):
        """The number and the sum of an arm's tosses in a part of the list."""
        values = [duel.value(arm) for duel in self.duels(first, last) if arm in duel.tossed]
        return len(values), sum(values)

    def faded_tosses(self, arm):
        n, total = 0.0, 0.0
        for event in self.past:
            if not isinstance(event, Met):
                # Choice: tosses against another weight count as those before an alarm.
                n, total = n * self.constants.keep, total * self.constants.keep
            elif arm in event.tossed:
                n, total = n + 1, total + event.value(arm)
        return n, total

    def score(self, arm):
        """The score and its variance."""
        return self.known(("score", self.row), lambda: [self.count_score(i) for i in self.arms])[
            arm
        ]

    def count_score(self, i):
        # Choice: an opponent counts by K / (K - 1) of its weight, 1 / (K - 1) for Borda, and what
        # is missing to 1 counts as even.
        n, total = self.faded_tosses(i)
        mean = (total + 1) / (n + 2)
        score, unseen, variance = 0.5, 0.0, 0.0
        for k in self.arms:
            if k == i:
                continue
            share = self.weights[self.row][k] * self.K / (self.K - 1)
            duels = self.wins[i, k] + self.wins[k, i]
            chance = (self.wins[i, k] + mean) / (duels + 1)
            score += share * (chance - 0.5)
            unseen += share / (duels + 1)
            variance += share**2 * duels * max(0.04, chance * (1 - chance)) / (duels + 1) ** 2
        return score, unseen**2 / (4 * (n + 2)) + variance

    def ahead(self, i, j):
        """By how many standard deviations the score of i is above that of j."""
        (score_i, variance_i), (score_j, variance_j) = self.score(i), self.score(j)
        return (score_i - score_j) / math.sqrt(variance_i + variance_j)

    def age(self):
        return self.round - self.alarmed + 1

    # Asking.

    def ask(self):
        number = self.rng.random()
        total = sum(self.plan.values())
        if number >= total and not self.weak:
            return self.leader, self.leader, (1 - total, ())
        kind = self.kind_of(number) if number < total else "rest"
        self.reached.add(kind)
        arm, other, tossed = self.leader, None, True
        if kind == "trial":
            arm = self.trial.accused
        elif kind == "look":
            if self.by_scores and not self.weak and self.rng.random() < 0.5:
                arm = self.strongest
            # Choice: for a weight that is not uniform half the looks are at any other arm.
            if not self.uniform and self.rng.random() < 0.5:
                others = [j for j in self.arms if j != arm]
                other, tossed = others[int(self.rng.random() * len(others))], False
        elif kind == "audit":
            arm = self.audited
        elif kind == "background":
            arm = int(self.rng.random() * self.K)
        elif kind == "rest":
            pass  # the leader is tossed for where it would play itself
        elif kind == "extra":
            other, tossed = self.draw(self.extras, sum(self.extras.values())), False
        else:
            other, tossed = self.challenger, False
        if other is None:
            weights = self.opponents(arm)
            if self.uniform or self.is_alone(arm):
                other = list(weights)[int(self.rng.random() * len(weights))]
            else:
                other = self.draw(weights, 1 - self.weights[self.row][arm])
        chance = self.chance_of(arm, other)
        # Choice: a background toss is a toss for both arms if the weight is uniform.
        whose = (arm, other) if kind == "background" and self.uniform else (arm,)
        whose = whose if tossed else ()
        if self.rng.random() < 0.5:
            return arm, other, (chance, whose)
        return other, arm, (chance, whose)

    def kind_of(self, number):
        for kind, chance in self.plan.items():
            number -= chance
            if number < 0:
                return kind
        raise TooCloseError

    def draw(self, weights, total):
        number = self.rng.random() * total
        for arm, weight in weights.items():
            number -= weight
            if number < 0:
                return arm
        raise TooCloseError

    def is_alone(self, arm):
        # Choice: if nobody else weighs anything, the opponent is any other arm.
        return 1 - self.weights[self.row][arm] < 1e-9

    def opponents(self, arm):
        """The weights by which the opponent of a toss is drawn."""
        if self.uniform or self.is_alone(arm):
            return {j: 1.0 for j in self.arms if j != arm}
        weights = self.weights[self.row]
        return {j: weights[j] for j in self.arms if j != arm and weights[j] > 0}

    def chance_of(self, left, right):
        """Add up all ways to a pair; both sides are as likely."""
        return sum(
            chance / 2 for chance, *pair in self.ways() if pair in ([left, right], [right, left])
        )

    def ways(self):
        """The chance of each way to a duel of two arms, with the arm it is for and the other."""
        plan, K = self.plan, self.K
        tossed = [(plan["background"] / K, arm) for arm in self.arms]
        if plan["trial"] > 0:
            tossed.append((plan["trial"], self.trial.accused))
        tossed.append((plan["audit"], self.audited))
        if self.weak:
            tossed.append((max(0.0, 1 - sum(plan.values())), self.leader))
        both = self.by_scores and not self.weak
        lookers = [self.leader, self.strongest] if both else [self.leader]
        for arm in lookers:
            look = plan["look"] / len(lookers)
            if not self.uniform:
                look /= 2
                for j in self.arms:
                    if j != arm:
                        yield look / (K - 1), arm, j
            tossed.append((look, arm))
        for chance, arm in tossed:
            weights = self.opponents(arm)
            for j, weight in weights.items():
                total = sum(weights.values())
                yield chance * weight / total, arm, j
        if plan["challenge"] > 0:
            yield plan["challenge"], self.leader, self.challenger
        for j, weight in self.extras.items():
            yield plan["extra"] * weight / sum(self.extras.values()), self.leader, j

    # Telling.

    def tell(self, left, right, ticket, outcome):
        self.round += 1
        if left != right:
            duel = Met(self.round - 1, left, right, outcome, ticket[1])
            self.note_odds(duel)
            self.past.append(duel)
            self.calm()
        # Choice: a plan is made again after one or some duels of two arms, and at times.
        met = len(self.duels())
        if self.round < self.wake and (left == right or met < self.due):
            return
        if met > self.weighed:
            self.weighed = met
            self.weigh_duels()
        if self.round >= self.starts[self.row + 1]:
            self.turn()
        self.take_replays()
        self.make_plan()

    def note_odds(self, duel):
        """Note how well other chances predict this duel, before it counts."""
        i, j = duel.left, duel.right
        young_won, young_lost = self.young()[i, j], self.young()[j, i]
        old_won = max(0.0, self.wins[i, j] - young_won)
        old_lost = max(0.0, self.wins[j, i] - young_lost)
        young = (young_won + 1) / (young_won + young_lost + 2)
        old = (old_won + 1) / (old_won + old_lost + 2)
        duel.odd = log_ratio(duel.outcome, young, old)
        if self.leader not in (i, j):
            return
        duel.opponent = other = j if self.leader == i else i
        won, lost = self.wins[self.leader, other], self.wins[other, self.leader]
        p = (won + 2) / (won + lost + 4)
        if p > 0.5:
            value = duel.value(self.leader)
            for name, chance in (("level", 0.5), ("turned", 1 - p), ("pair", 0.75 - p / 2)):
                duel.odd_for_leader[name] = log_ratio(value, chance, p)

    def surprise(self):
        """G, which was 0 where the young duels begin."""
        return sum(duel.odd for duel in self.duels(self.young_from))

    def leader_surprise(self, name, opponent=None):
        """A CUSUM of the leader's duels since it leads or since an alarm."""
        total = 0.0
        for duel in self.duels(self.odd_from):
            if duel.odd_for_leader and opponent in (None, duel.opponent):
                total = max(0.0, total + duel.odd_for_leader[name])
        return total

    def largest_surprise(self):
        return max(self.surprise(), self.leader_surprise("level"), self.leader_surprise("turned"))

    def calm(self):
        """Let the young duels restart if nothing is odd about them."""
        # Choice: ratios whose product is 1 add up to 0, whatever rounding makes of them.
        if self.surprise() <= 1e-9:
            self.young_from = len(self.past)
            self.cache = {}

    def weigh_duels(self):
        """Draw the consequences of duels of two arms."""
        threshold = self.constants.alarm + self.constants.more_alarm * math.log(1 + self.alarms)
        if apart(self.largest_surprise(), threshold) > threshold:
            self.reached.add("alarm")
            # A running trial of somebody else is not overwritten.
            if self.trial is None or self.trial.accused == self.leader:
                self.open_test(self.leader)
            else:
                self.reached.add("alarm during a trial")
            self.past.append(Alarm(self.young_from))
            self.alarms += 1
            self.alarmed = self.round
            self.young_from = self.odd_from = self.watched_from = len(self.past)
        self.lead_on()
        self.decide()

    def lead_on(self):
        old = self.leader
        self.find_leader()
        if self.leader == old:
            return
        watched = self.tosses(old, self.watched_from, max(self.watched_from, self.young_from))
        if self.trial is None and self.settled and watched[0] >= 12:
            self.reached.add("deposed")
            self.open_test(old)
        self.odd_from = self.watched_from = len(self.past)
        self.settled, self.led = False, self.round

    def find_leader(self):
        self.find_strongest()
        if not self.scored:
            self.leader = self.strongest
            return
        # Choice: of equal scores the leader's counts, or the strongest arm's, then the first.
        best = self.leader if self.by_scores else self.strongest
        for arm in self.arms:
            if self.faded_tosses(arm)[0] > 3 and self.score(arm)[0] > self.score(best)[0]:
                best = arm
        sway = best != self.strongest and (
            apart(self.ahead(best, self.strongest), self.constants.sway) > self.constants.sway
        )
        if self.by_scores or sway:
            self.expect_no_rival(best)
        if self.by_scores:
            if self.score(self.strongest)[0] >= self.score(best)[0]:
                self.reached.add("back from scores")
                self.by_scores, self.by_scores_since, best = False, 0, self.strongest
        elif sway:
            self.reached.add("by scores")
            self.by_scores, self.by_scores_since = True, self.round
        else:
            best = self.strongest
        self.leader = best

    def expect_no_rival(self, best):
        for arm in self.arms:
            if arm != best and (arm == self.strongest or self.faded_tosses(arm)[0] > 3):
                apart(self.score(arm)[0], self.score(best)[0], 1e-11)

    def find_strongest(self):
        """Keep it unless some arm has less evidence against it by .2 ln(age + K); then the least.

        Of arms with equal evidence but for rounding the one with the best recent rate counts.
        """
        bar = self.evidence(self.strongest)
        if bar == 0:
            return
        bar -= self.constants.depose * math.log(self.age() + self.K)
        better = [
            arm
            for arm in self.arms
            if arm != self.strongest and apart(self.evidence(arm), bar) <= bar
        ]
        if better:
            least = min(self.evidence(arm) for arm in better)
            first = [arm for arm in better if self.evidence(arm) < least + 1e-9]
            self.strongest = max(first, key=self.recent_rate)

    # The trial.

    def open_test(self, leader):
        moment = max(self.watched_from, self.young_from)
        young = self.young()
        if self.trial is not None:
            # A second alarm about the same leader only moves the moment.
            self.reached.add("moment moved")
            first = self.trial.first
            since = self.won_between(self.trial.pairs_moment)
            known = {pair: self.trial.before[pair] + since[pair] for pair in self.pairs}
        else:
            first, known = self.watched_from, self.wins
        before = {pair: max(0.0, known[pair] - young[pair]) for pair in self.pairs}
        self.trial = Trial(leader, first, moment, self.young_from, len(self.past), before)

    def decide(self):
        trial = self.trial
        if trial is None or trial.accused == self.leader:
            return
        before = self.tosses(trial.accused, trial.first, trial.moment)
        since = self.tosses(trial.accused, trial.moment)
        if trial.budget == 0:
            lead = max(0.05, before[1] / before[0] - 0.5) if before[0] > 0 else 0.05
            cost = self.constants.trial_cost * (self.proved_at + 3) / (2 * lead**2)
            # Choice: one toss at least.
            trial.budget = max(1.0, min(self.constants.most_trial / (1 + self.failed), cost))
            trial.budget_from = len(self.past)
        evidence = max(likelihood_ratio(before, since), self.pairs_evidence())
        evidence -= math.log(1 + len(self.duels()) / max(1, since[0]))
        if apart(evidence, self.likely_at) >= self.likely_at and self.is_clear():
            if not trial.counted:
                self.reached.add("likely")
                trial.counted = True
                self.shifts += 1
            # Choice: who is still challenged may not be the one who took over.
            if self.settled and apart(evidence, self.proved_at) >= self.proved_at:
                self.restart()
                return
        if self.spent() >= trial.budget:
            self.reached.add("failed")
            self.trial = None
            self.failed += 1

    def pairs_evidence(self):
        """The log Bayes factor of the accused's pairs with enough duels before.

        Choice: that of the duels since the moment when it was set; what is told later adds the
        ratio of its predictive chances, which is the same but for ties.
        """
        trial = self.trial
        a, before = trial.accused, trial.before
        total = 0.0
        for j in self.arms:
            if j == a or before[a, j] + before[j, a] < self.constants.old_duels:
                continue
            then = self.won_between(trial.pairs_moment, trial.opened)
            won, lost = then[a, j], then[j, a]
            total += bayes_factor((before[a, j], before[j, a]), (won, lost))
            for duel in self.duels(trial.opened):
                if {duel.left, duel.right} != {a, j}:
                    continue
                value = duel.value(a)
                alone = (won + 1) / (won + lost + 2)
                both_won, both_lost = won + before[a, j], lost + before[j, a]
                total += log_ratio(value, alone, (both_won + 1) / (both_won + both_lost + 2))
                won, lost = won + value, lost + 1 - value
        return total

    def spent(self):
        # Choice: any toss for the accused counts, not only those of the trial's own rounds.
        return self.tosses(self.trial.accused, self.trial.budget_from)[0]

    def is_clear(self):
        accused, clear = self.trial.accused, self.constants.clear
        if self.scored:
            return apart(self.ahead(self.leader, accused), clear) > clear
        lead = self.evidence(accused) - self.evidence(self.leader)
        # Evidence of clear^2 / 2 is worth so many standard deviations.
        return apart(lead, clear**2 / 2) >= clear**2 / 2

    def restart(self):
        self.reached.add("restart")
        self.episodes.append(self.round)
        self.changes.append((self.round, self.trial.accused, self.leader, self.dating_tosses()))
        self.trial, self.failed, self.alarms = None, 0, 0
        self.draw_replays()

    def dating_tosses(self):
        """The tosses against the present weight: round, arm and outcome."""
        turns = [place for place, event in enumerate(self.past) if isinstance(event, Turn)]
        duels = self.duels(turns[-1] if turns else 0)
        # Choice: in a duel that is a toss for both arms the left one comes first.
        return [
            (duel.round, arm, duel.value(arm))
            for duel in duels
            for arm in (duel.left, duel.right)
            if arm in duel.tossed
        ]

    # Weights and replays.

    def turn(self):
        """Choice: a known change of the weight makes tosses so far count for little."""
        self.reached.add("turn")
        self.row += 1
        self.past.append(Turn())
        self.watched_from = len(self.past)
        if self.trial is not None:
            self.trial.first = self.trial.moment = len(self.past)
        self.lead_on()

    def draw_replays(self):
        self.replay_at = {length: self.next_replay(length, 0) for length in REPLAY_LENGTHS}

    def next_replay(self, length, age):
        coin = METABOSSE.times(self.constants.replay_rate)
        return self.episodes[-1] + next_age(self.rng, coin, length, max(age, length // 2 - 1))

    def take_replays(self):
        due = [length for length, at in self.replay_at.items() if at <= self.round]
        for length in due:
            self.replay_at[length] = self.next_replay(length, self.round - self.episodes[-1])
        if due:
            self.reached.add("replay")
            self.replays.append((self.round, max(due)))
            self.replay_start = self.round
            self.replay_end = max(self.replay_end, self.round + max(due))

    # The plan.

    def make_plan(self):
        constants, K = self.constants, self.K
        f = constants.hope * math.log(self.age() + K)
        # Choice: of equal prospects or variances the first from a random arm on counts.
        offset = int(self.rng.random() * K)
        order = [(offset + step) % K for step in self.arms]
        bar = f + constants.share * self.evidence(self.leader)
        challengers = self.challengers(order, bar)
        self.challenger = self.best_challenger(challengers, f)
        if not challengers:
            self.settled = True
        audit = self.audit_rate(order)
        usual = self.look_rate()
        # Choice: a surprise counts up to 20.
        look = usual * math.exp(constants.urge * min(20.0, self.largest_surprise()))
        look = min(1.0, look)
        background = self.background_rate(usual)
        self.extras = {}
        plan = dict.fromkeys(("trial", "look", "audit", "background", "extra", "challenge"), 0.0)
        if challengers:
            share = 1.0
            patience = constants.patience * K
            if self.age() > patience and apart(self.evidence(self.leader), f) < f:
                self.reached.add("throttle")
                share = min(1.0, (patience / self.age()) ** constants.throttle + audit + look)
            # Choice: background tosses go on, as a replay needs them.
            background = min(background, 1 - audit)
            rest = 1 - audit - background
            look = max(constants.mixed, look)
            plan["audit"], plan["background"] = share * audit, share * background
            plan["look"], plan["challenge"] = share * rest * look, share * rest * (1 - look)
        else:
            self.extras = self.extra_weights()
            extra = min(1.0, look * sum(self.extras.values()) / (K - 1))
            if self.is_trying():
                plan["trial"] = constants.trial_share
            # Choice: rates that add up to more than 1 share the rounds in proportion.
            share = (1 - plan["trial"]) / max(1.0, look + audit + background + extra)
            plan["look"], plan["audit"] = share * look, share * audit
            plan["background"], plan["extra"] = share * background, share * extra
        self.plan = plan
        self.set_active(order, bar)
        self.set_wake()
        # Choice: where much was undecided for long, a plan holds for some duels.
        undecided = (
            max(len(challengers), self.doubtful) if self.age() > constants.patience * K else 0
        )
        self.due = len(self.duels()) + 1 + undecided // 2

    def is_trying(self):
        trial = self.trial
        return trial is not None and trial.accused != self.leader and self.spent() < trial.budget

    def challengers(self, order, bar):
        if self.by_scores:
            return []
        return [arm for arm in order if arm != self.leader and apart(self.evidence(arm), bar) < bar]

    def best_challenger(self, challengers, f):
        prior = self.constants.prior
        prospects = {}
        for j in challengers:
            n = self.wins[self.leader, j] + self.wins[j, self.leader] + prior
            chance = (self.wins[j, self.leader] + prior * self.recent_rate(j)) / n
            prospects[j] = chance + math.sqrt(f / (2 * n))
        return self.first_largest(prospects)

    def first_largest(self, values):
        if not values:
            return None
        largest = max(values.values())
        return next(arm for arm, value in values.items() if tied(value, largest, 1e-12))

    def is_doubtful(self, arm):
        doubt = self.doubt_of(arm)
        return apart(self.ahead(self.leader, arm), doubt) < doubt

    def doubt_of(self, arm):
        if self.by_scores and arm == self.strongest:
            return self.constants.return_doubt
        return self.constants.doubt

    def audit_rate(self, order):
        self.audited = leader = self.leader
        self.doubtful = 0
        if not self.scored:
            return 0.0
        doubtful = {
            arm: self.score(arm)[1] for arm in order if arm != leader and self.is_doubtful(arm)
        }
        if not doubtful:
            return 0.0
        k = self.doubtful = len(doubtful)
        score, variance = self.score(leader)
        widest = self.first_largest(doubtful)
        own = variance * math.sqrt(k)
        # Before the first duel a uniform weight makes all variances the same.
        same = self.uniform and not self.past
        if not same and apart(doubtful[widest], own, 1e-12) > own:
            self.audited = widest
        g = min(0.5, max(0.02, score - 0.5 - math.sqrt(variance) / 2))
        # Choice: the age counts from the last alarm, and from when the leader leads by its score.
        age = min(self.age(), self.round - self.by_scores_since + 1)
        return min(1.0, self.constants.audit * (4 * g) ** (-2 / 3) * ((k + 1) / age) ** (1 / 3))

    def look_rate(self):
        constants, K = self.constants, self.K
        leads = []
        for j in self.arms:
            if j != self.leader:
                won, lost = self.wins[self.leader, j], self.wins[j, self.leader]
                leads.append((won + 1) / (won + lost + 2) - 0.5)
        lead = min(0.5, max(0.02, sum(leads) / (K - 1)))
        hazard = (constants.hazard + constants.shift_hazard * self.shifts) / (self.round + 1)
        return constants.watch * math.sqrt(hazard) * math.sqrt(K - 1) * math.sqrt(0.25 / lead)

    def background_rate(self, look):
        rate = self.constants.background * look if self.scored else 0.0
        if self.round < self.replay_end:
            # Choice: a replay explores as BOSSE does.
            rate = max(rate, (self.K / (self.round - self.replay_start + 1)) ** (1 / 3))
        return min(1.0, rate)

    def extra_weights(self):
        weights = {}
        for arm in self.arms:
            odd = self.leader_surprise("pair", arm)
            if arm != self.leader and odd > 0:
                weights[arm] = math.exp(self.constants.pair_urge * min(20.0, odd)) - 1
        return weights

    def set_wake(self):
        """Choice: without a duel of two arms a plan holds for a sixteenth of the age."""
        stretch = max(1, min(self.round, self.age()) // 16)
        self.wake = min(self.round + stretch, self.starts[self.row + 1], *self.replay_at.values())
        if self.replay_end > self.round:
            self.wake = min(self.wake, self.replay_end)

    def set_active(self, order, bar):
        """Choice: all of this; it is about the journal alone."""
        active = [
            arm
            for arm in self.arms
            if arm == self.leader
            or (not self.by_scores and self.evidence(arm) < bar)
            or (self.scored and self.is_doubtful(arm))
        ]
        start = max(self.alarmed, self.episodes[-1])
        for arm in order:
            if arm in active and arm not in self.active and self.back[arm] < self.noted[arm]:
                self.back[arm] = self.noted[arm]
                self.activations.append((self.round, arm))
            if arm in self.active and arm not in active and self.noted[arm] < start:
                self.noted[arm] = start
                why = self.evidence(arm), bar
                if self.scored:
                    why = self.ahead(self.leader, arm), self.doubt_of(arm)
                last = self.round - 1
                self.evictions.append(Exit(last, arm, self.leader, min(start, last), start, *why))
        self.active = active
