"""DRIFTDUEL by the letter: every duel is kept, and what is known is counted again from the list.

Where rounding could decide otherwise than in the learner, which adds up in another order, the
oracle raises `tests.naive.protocol.TooCloseError`. What the recipe leaves open is marked *Choice*.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from tests.naive.driftduel_known import Alarm, Met, Rise, Turn, apart, even_evidence, tied
from tests.naive.driftduel_trial import Tried
from tests.naive.protocol import TooCloseError
from tests.naive.replays import METABOSSE, next_age

REPLAY_LENGTHS = [2 << power for power in range(40)]
FOREVER = math.inf
KINDS = ("trial", "look", "audit", "background", "extra", "challenge", "retest", "rise")


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


class DriftDuel(Tried):
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
        self.young_from, self.odd_from, self.watched_from, self.rises_from = 0, 0, 0, 0
        self.recent_start = {}
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
            arm = self.tried()
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
        elif kind == "rise":
            arm = self.draw(self.rises, sum(self.rises.values()))
        elif kind == "retest":
            arm, other, tossed = self.contested, self.blocker, self.blocker is None
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
            tossed.append((plan["trial"], self.tried()))
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
        for arm, weight in self.rises.items():
            tossed.append((plan["rise"] * weight / sum(self.rises.values()), arm))
        if plan["retest"] > 0 and self.blocker is None:
            tossed.append((plan["retest"], self.contested))
        elif plan["retest"] > 0:
            yield plan["retest"], self.contested, self.blocker
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
            if self.trial is not None:
                duel.spent = duel.tossed.count(self.tried())
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

    def calm(self):
        """Let the young duels restart if nothing is odd about them."""
        # Choice: ratios whose product is 1 add up to 0, whatever rounding makes of them.
        if self.surprise() <= 1e-9:
            self.young_from = len(self.past)
            self.cache = {}

    def weigh_duels(self):
        """Draw the consequences of duels of two arms."""
        self.judge_rises()
        threshold = self.constants.alarm + self.constants.more_alarm * math.log(1 + self.alarms)
        if apart(self.largest_surprise(), threshold) > threshold:
            self.reached.add("alarm")
            # A running trial of somebody else is not overwritten.
            if self.trial is None or self.trial.accused == self.leader:
                self.open_test(self.leader)
            else:
                self.reached.add("alarm during a trial")
            self.past.append(Alarm(self.young_from, self.round))
            self.alarms += 1
            self.alarmed = self.round
            self.young_from = self.odd_from = self.watched_from = len(self.past)
            self.note_recent()
        self.lead_on()
        self.decide()

    def judge_rises(self):
        """Let what was known of arms that have risen count for little."""
        bar = self.constants.rise + math.log(self.K)
        risen = []
        for arm in self.arms:
            rise, leap, _, odd, _ = self.rise(arm)
            if self.scored and arm != self.leader and apart(max(rise, leap), bar) > bar:
                self.reached.add("risen")
                risen.append(Rise(arm, self.leader, odd))
        self.past.extend(risen)

    def lead_on(self):
        old = self.leader
        self.find_leader()
        if self.leader == old:
            return
        watched = self.tosses(old, self.watched_from, max(self.watched_from, self.young_from))
        if self.settled and watched[0] >= 12:
            if self.trial is None:
                self.reached.add("deposed")
                self.open_test(old)
            elif self.trial.accused == old and watched[0] > self.tosses_before_moment()[0]:
                # Choice: if it was tossed for more often in calm than before the moment.
                self.reached.add("deposed at last")
                self.open_test(old)
        self.odd_from = self.watched_from = len(self.past)
        self.note_recent()
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

    # Weights and replays.

    def turn(self):
        """Choice: a known change of the weight makes tosses so far count for little."""
        self.reached.add("turn")
        self.row += 1
        self.past.append(Turn())
        self.watched_from = self.rises_from = len(self.past)
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
        self.goal = self.score(self.leader)[0]
        f = constants.hope * math.log(self.age() + K)
        # Choice: of equal prospects or variances the first from a random arm on counts.
        offset = int(self.rng.random() * K)
        order = [(offset + step) % K for step in self.arms]
        bar = f + constants.share * self.evidence(self.leader)
        hopeful = self.hopeful(order, bar)
        challengers = [arm for arm in hopeful if not self.is_far_behind(arm)]
        # Choice: if all are far behind by their scores, the best of those is the challenger.
        self.challenger = self.best_challenger(challengers or hopeful, f)
        if not challengers:
            self.settled = True
        audit = self.audit_rate(order)
        usual = self.look_rate()
        # Choice: a surprise counts up to 20.
        look = usual * math.exp(constants.urge * min(20.0, self.largest_surprise()))
        look = min(1.0, look)
        background = self.background_rate(usual)
        self.extras, self.rises = {}, {}
        retest = self.set_contested(order, hopeful, look)
        if challengers:
            self.reached.add("challenged")
            plan = self.plan_of_challenges(f, audit, look, background, retest)
        else:
            plan = self.plan_of_watch(f, audit, look, background, retest)
        if self.scored and self.contested is not None:
            self.reached.add("even for long")
            plan["challenge"] = plan["retest"] = plan["challenge"] / 2
        self.plan = plan
        self.set_active(order, bar, challengers)
        self.set_wake()
        # Choice: where much was undecided for long, a plan holds for some duels.
        undecided = (
            max(len(challengers), self.doubtful) if self.age() > constants.patience * K else 0
        )
        self.due = len(self.duels()) + 1 + undecided // 2

    def plan_of_challenges(self, f, audit, look, background, retest):
        plan = dict.fromkeys(KINDS, 0.0)
        share = self.throttle(f, audit + look)
        # Choice: background tosses go on, as a replay needs them.
        background = min(background, 1 - audit)
        rest = 1 - audit - background
        look = max(self.constants.mixed, look)
        plan["audit"], plan["background"] = share * audit, share * background
        plan["look"], challenge = share * rest * look, share * rest * (1 - look)
        # Choice: at most half the challenges make way for retests.
        plan["retest"] = challenge * min(0.5, retest)
        plan["challenge"] = challenge - plan["retest"]
        return plan

    def plan_of_watch(self, f, audit, look, background, retest):
        plan = dict.fromkeys(KINDS, 0.0)
        self.extras = self.extra_weights()
        extra = min(1.0, look * sum(self.extras.values()) / (self.K - 1))
        self.rises = self.rise_weights()
        rise = min(1.0, background * sum(self.rises.values()) / self.K)
        if self.is_trying():
            plan["trial"] = self.constants.trial_share
        # Choice: rates that add up to more than 1 share the rounds in proportion.
        total = look + audit + background + extra + retest + rise
        share = (1 - plan["trial"]) / max(1.0, total)
        plan["look"], plan["audit"] = share * look, share * audit
        plan["background"], plan["extra"] = share * background, share * extra
        plan["retest"], plan["rise"] = share * retest, share * rise
        if self.challenger is not None:
            self.reached.add("far behind")
            # Choice: of the rounds that are left.
            left = max(0.0, 1 - plan["trial"] - share * total)
            plan["challenge"] = left * self.constants.behind_share * self.throttle(f, 0.0)
        return plan

    def throttle(self, f, others):
        patience = self.constants.patience * self.K
        if self.age() <= patience or apart(self.evidence(self.leader), f) >= f:
            return 1.0
        self.reached.add("throttle")
        return min(1.0, (patience / self.age()) ** self.constants.throttle + others)

    def set_contested(self, order, hopeful, look):
        """Set who is contested and who blocks it; return the rate of retests for Condorcet."""
        self.contested = self.blocker = None
        leader = self.leader
        met = {j: self.wins[leader, j] + self.wins[j, leader] for j in order if j != leader}
        if self.scored:
            arm = self.challenger
            long = arm is not None and met[arm] > self.constants.even_duels
            if long and apart(self.ahead(leader, arm), 1.0) > 1.0:
                self.contested = arm
            return 0.0
        contested = {
            j: -self.evidence(j)
            for j, n in met.items()
            if j not in hopeful and n >= 6 and self.wins[j, leader] >= (n - math.sqrt(n)) / 2
        }
        arm = self.first_largest(contested)
        if arm is None:
            return 0.0
        blockers = {
            k: even_evidence(self.wins[arm, k], self.wins[k, arm])
            for k in self.arms
            if k not in (arm, leader) and self.wins[k, arm] > self.wins[arm, k]
        }
        blocker = self.first_largest(blockers)
        bar = math.log(self.age() + self.K)
        if blocker is None or apart(blockers[blocker], bar) >= bar:
            return 0.0
        self.contested, self.blocker = arm, blocker
        return min(1.0, self.constants.retest * look)

    def is_trying(self):
        trial = self.trial
        return trial is not None and trial.accused != self.leader and self.spent() < trial.budget

    def hopeful(self, order, bar):
        if self.by_scores:
            return []
        return [arm for arm in order if arm != self.leader and apart(self.evidence(arm), bar) < bar]

    def is_far_behind(self, arm):
        behind = self.constants.behind
        return self.scored and apart(self.ahead(self.leader, arm), behind) > behind

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
        # Choice: a toss that is a tie tells nothing.
        undecided = (k + 1) * self.decided_share(leader) / age
        return min(1.0, self.constants.audit * (4 * g) ** (-2 / 3) * undecided ** (1 / 3))

    def look_rate(self):
        constants, K = self.constants, self.K
        lead = self.mean_lead()
        changes = constants.hazard + constants.shift_hazard * self.shifts**constants.shift_power
        hazard = changes / (self.round + 1)
        return constants.watch * math.sqrt(hazard) * math.sqrt(K - 1) * math.sqrt(0.25 / lead)

    def background_rate(self, look):
        rate = 0.0
        if self.scored:
            # Choice: the age of the episode counts from K on.
            floor = (self.K / (self.round - self.episodes[-1] + self.K)) ** (1 / 3)
            rate = max(self.constants.background * look, self.constants.floor * floor)
        if self.round < self.replay_end:
            # Choice: a replay explores as BOSSE does.
            rate = max(rate, (self.K / (self.round - self.replay_start + 1)) ** (1 / 3))
        return min(1.0, rate)

    def mean_lead(self):
        leads = []
        for j in self.arms:
            if j != self.leader:
                won, lost = self.wins[self.leader, j], self.wins[j, self.leader]
                # Choice: where many duels are ties, more looks are needed, as for a small lead.
                ties = self.ties[self.leader, j]
                leads.append((won + ties / 2 + 1) / (won + lost + ties + 2) - 0.5)
        return min(0.5, max(0.02, sum(leads) / (self.K - 1)))

    def extra_weights(self):
        weights = {}
        for arm in self.arms:
            if arm == self.leader:
                continue
            odd = self.leader_surprise("pair", arm)
            close = self.mean_lead() / min(0.5, max(0.02, self.recent_lead(arm)))
            weight = close**self.constants.close
            weight *= math.exp(self.constants.pair_urge * min(20.0, odd))
            # Choice: without a surprise nobody of an average lead is met more often.
            if weight > 1 and (odd > 0 or close > 1):
                weights[arm] = weight - 1
        return weights

    def rise_weights(self):
        weights = {}
        for arm in self.arms:
            odd = max(self.rise(arm)[:2])
            if arm != self.leader and odd > 0:
                weights[arm] = math.exp(min(20.0, odd)) - 1
        return weights

    def set_wake(self):
        """Choice: without a duel of two arms a plan holds for a sixteenth of the age."""
        stretch = max(1, min(self.round, self.age()) // 16)
        self.wake = min(self.round + stretch, self.starts[self.row + 1], *self.replay_at.values())
        if self.replay_end > self.round:
            self.wake = min(self.wake, self.replay_end)

    def set_active(self, order, bar, challengers):
        """Choice: all of this; it is about the journal alone."""
        active = [
            arm
            for arm in self.arms
            if arm == self.leader or arm in challengers or (self.scored and self.is_doubtful(arm))
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
