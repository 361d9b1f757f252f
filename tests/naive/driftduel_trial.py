"""The trial of DRIFTDUEL by the letter: whether the leader of before fell, or the new one rose."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.naive.driftduel_known import Calm, Known, Turn, apart, decisive, log_ratio


def kl(p, q):
    p, q = (min(max(x, 1e-9), 1 - 1e-9) for x in (p, q))
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


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


class Tried(Known):
    """Needs what `Known` needs, and ``proved_at``, ``likely_at``, ``leader`` and ``settled``."""

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
        before = self.tosses_before_moment()
        since = self.tosses(trial.accused, trial.moment)
        if trial.budget == 0:
            lead = max(0.05, before[1] / before[0] - 0.5) if before[0] > 0 else 0.05
            cost = self.constants.trial_cost * (self.proved_at + 3) / (2 * lead**2)
            # Choice: one toss at least.
            trial.budget = max(1.0, min(self.constants.most_trial / (1 + self.failed), cost))
            trial.budget_from = len(self.past)
        evidence = max(likelihood_ratio(before, since), self.pairs_evidence())
        evidence -= self.looks(since)
        # Choice: a leader that has risen is heard as well, with its calm and its odd tosses.
        *_, calm, odd, risen = self.rise(self.leader)
        if risen and before[0] >= 12:
            self.reached.add("risen leader")
            lost = [(n, n - total) for n, total in (calm, odd)]
            evidence = max(evidence, likelihood_ratio(*lost) - self.looks(odd))
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
            self.past.append(Calm(self.leader))

    def tosses_before_moment(self):
        return self.tosses(self.trial.accused, self.trial.first, self.trial.moment)

    def pairs_evidence(self):
        """The log Bayes factor of the accused's pairs with enough duels before.

        Choice: that of the duels since the moment when it was set; what is told later adds the
        ratio of its predictive chances, which is the same but for graded outcomes.
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
                decided = decisive(value)
                won, lost = won + decided * (value > 0.5), lost + decided * (value < 0.5)
        return total

    def looks(self, since):
        return math.log(1 + len(self.duels()) / max(1, since[0]))

    def tried(self):
        """For whom a trial tosses: a leader that has risen, or the accused."""
        return self.leader if self.rise(self.leader)[-1] else self.trial.accused

    def spent(self):
        # Choice: any toss for who is tried counts, not only those of the trial's own rounds.
        return sum(duel.spent for duel in self.duels(self.trial.budget_from))

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
        self.rises_from, self.cache = len(self.past), {}
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
