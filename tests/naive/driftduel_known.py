"""What DRIFTDUEL knows, counted again from the list of all duels: pairs, scores, surprises, rises.

What the recipe leaves open is marked *Choice*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tests.naive.protocol import Oracle, TooCloseError

ROUNDING = 1e-9


def apart(a, b, by=1e-9):
    """Return the first of two numbers that are clearly not the same."""
    if abs(a - b) <= by:
        raise TooCloseError
    return a


def tied(a, b, by):
    """Whether two numbers are exactly the same; if not, they have to be clearly not."""
    return a == b or apart(a, b, by) == b


def decisive(outcome):
    """How much of an outcome is a win of either arm; the rest is a tie."""
    return abs(2 * outcome - 1)


def log_ratio(outcome, new, old):
    """The log likelihood of who won under a new chance less that under an old one."""
    if outcome == 0.5:
        return 0.0
    return decisive(outcome) * math.log(new / old if outcome > 0.5 else (1 - new) / (1 - old))


def even_evidence(won, lost):
    """N kl(won / N, 1/2)."""
    total = 0.0
    for count in (won, lost):
        if count > 0:
            total += count * math.log(2 * count / (won + lost))
    return total


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
    odd_tosses: dict[int, tuple[float, float] | None] = field(default_factory=dict)
    """For each arm tossed for the log ratios of a rise and of a leap; None if there is none."""
    spent: int = 0
    """How many tosses of a trial it was."""

    def value(self, arm):
        return self.outcome if arm == self.left else 1 - self.outcome


@dataclass
class Alarm:
    """Here duels before a place of the list, which is the first young one, lost weight."""

    young_from: int
    round: int


class Turn:
    """Here the reference weight changed."""


@dataclass
class Rise:
    """Here an arm had risen; who led, and the arm's odd tosses and their sum."""

    arm: int
    leader: int
    odd: tuple[float, float]


@dataclass
class Calm:
    """Here a trial in which an arm had risen ended without a verdict."""

    arm: int


class Known(Oracle):
    """Needs ``K``, ``arms``, ``pairs``, ``constants``, ``scored`` and ``weights``."""

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
        return self.count_between(first, last)[0]

    def count_between(self, first, last=None):
        """Wins and ties."""
        won, ties = dict.fromkeys(self.pairs, 0.0), dict.fromkeys(self.pairs, 0.0)
        for duel in self.duels(first, last):
            self.count(won, ties, duel)
        return won, ties

    @staticmethod
    def count(won, ties, duel):
        # Choice: a graded outcome counts as partly a win and partly a tie.
        i, j, decided = duel.left, duel.right, decisive(duel.outcome)
        won[i, j] += decided * (duel.outcome > 0.5)
        won[j, i] += decided * (duel.outcome < 0.5)
        ties[i, j] += 1 - decided
        ties[j, i] = ties[i, j]

    def young(self):
        return self.known("young", lambda: self.won_between(self.young_from))

    @property
    def wins(self):
        return self.known("wins", self.count_wins)[0]

    @property
    def ties(self):
        return self.known("wins", self.count_wins)[1]

    def count_wins(self):
        constants = self.constants
        wins, ties = dict.fromkeys(self.pairs, 0.0), dict.fromkeys(self.pairs, 0.0)
        alarmed = 0
        for place, event in enumerate(self.past):
            if isinstance(event, Met):
                i, j = event.left, event.right
                n = wins[i, j] + wins[j, i] + ties[i, j]
                most = constants.most
                if n > most:
                    bar = constants.hope * math.log(event.round + 2 - alarmed + self.K)
                    if apart(even_evidence(wins[i, j], wins[j, i]), bar) < bar:
                        most *= constants.undecided
                if n > most:
                    for count, pair in ((wins, (i, j)), (wins, (j, i)), (ties, (i, j))):
                        count[pair] *= 1 - 1 / most
                    ties[j, i] = ties[i, j]
                self.count(wins, ties, event)
            elif isinstance(event, Alarm):
                alarmed = event.round
                young = self.count_between(event.young_from, place)
                for known, later in zip((wins, ties), young, strict=True):
                    for pair in self.pairs:
                        old = max(0.0, known[pair] - later[pair])
                        known[pair] = constants.keep * old + later[pair]
            elif isinstance(event, Rise):
                for known in (wins, ties):
                    for i, j in self.pairs:
                        if event.arm in (i, j) and event.leader not in (i, j):
                            known[i, j] *= constants.keep
        return wins, ties

    def evidence(self, i):
        """I_i: the sum of N kl(W_ij / N, 1/2) over the arms ahead of i, less what is by chance."""
        return self.known("evidence", lambda: [self.count_evidence(arm) for arm in self.arms])[i]

    def count_evidence(self, i):
        total, behind, ahead = 0.0, 0, 0
        for j in self.arms:
            if j != i and self.wins[j, i] > self.wins[i, j]:
                total += even_evidence(self.wins[i, j], self.wins[j, i])
                behind += 1
            elif j != i and self.wins[j, i] < self.wins[i, j]:
                ahead += 1
        if self.scored:
            return total
        # Choice: the mean of a chi-squared variable over two, for all but one of those ahead, if
        # the arm is ahead of as many.
        return max(0.0, total - self.constants.noise * max(0, min(behind - 1, ahead)))

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
        n, total, keep = 0.0, 0.0, self.constants.keep
        for event in self.past:
            if isinstance(event, Alarm | Turn):
                # Choice: tosses against another weight count as those before an alarm.
                n, total = n * keep, total * keep
            elif isinstance(event, Rise):
                if event.arm == arm:
                    # Choice: odd tosses from before an alarm count in full.
                    old = max(0.0, n - event.odd[0])
                    old_total = min(old, max(0.0, total - event.odd[1]))
                    n, total = event.odd[0] + keep * old, event.odd[1] + keep * old_total
            elif isinstance(event, Met) and arm in event.tossed:
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
            ties = self.ties[i, k]
            duels = self.wins[i, k] + self.wins[k, i] + ties
            chance = (self.wins[i, k] + ties / 2 + mean) / (duels + 1)
            tied = ties / (duels + 1)
            spread = max(0.04 * (1 - tied), chance * (1 - chance) - tied / 4)
            score += share * (chance - 0.5)
            unseen += share / (duels + 1)
            variance += share**2 * duels * spread / (duels + 1) ** 2
        # Choice: an outcome varies the less the more are ties.
        return score, self.decided_share(i) * unseen**2 / (4 * (n + 2)) + variance

    def decided_share(self, i):
        """The share of an arm's duels that are no ties, with 20 more of these, .02 at least."""
        others = [k for k in self.arms if k != i]
        ties = sum(self.ties[i, k] for k in others)
        duels = sum(self.wins[i, k] + self.wins[k, i] for k in others) + ties
        return max(0.02, 1 - ties / (20 + duels))

    def ahead(self, i, j):
        """By how many standard deviations the score of i is above that of j."""
        (score_i, variance_i), (score_j, variance_j) = self.score(i), self.score(j)
        return (score_i - score_j) / math.sqrt(variance_i + variance_j)

    def age(self):
        return self.round - self.alarmed + 1

    # What is odd.

    def note_odds(self, duel):
        """Note how well other chances predict this duel, before it counts."""
        i, j = duel.left, duel.right
        young_won, young_lost = self.young()[i, j], self.young()[j, i]
        old_won = max(0.0, self.wins[i, j] - young_won)
        old_lost = max(0.0, self.wins[j, i] - young_lost)
        young = (young_won + 1) / (young_won + young_lost + 2)
        old = (old_won + 1) / (old_won + old_lost + 2)
        duel.odd = log_ratio(duel.outcome, young, old)
        for arm in duel.tossed:
            duel.odd_tosses[arm] = self.odds_of_rise(arm, duel.value(arm))
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
            if duel.opponent < 0 or opponent not in (None, duel.opponent):
                continue
            if duel.odd_for_leader:
                total = max(0.0, total + duel.odd_for_leader[name])
            elif opponent is not None:
                total = 0.0  # the leader is not expected to win any more
        return total

    def largest_surprise(self):
        return max(self.surprise(), self.leader_surprise("level"), self.leader_surprise("turned"))

    def note_recent(self):
        """Note of how many duels with the leader, and how many won, recent ones start."""
        most = 1 / (1 - self.constants.lasting)
        self.recent_start = {}
        for arm in self.arms:
            if arm != self.leader:
                won, lost = self.wins[self.leader, arm], self.wins[arm, self.leader]
                share = most / max(most, won + lost)
                self.recent_start[arm] = share * (won + lost), share * won

    def recent_lead(self, arm):
        """The leader's lead over an arm in recent duels, each fading by the next."""
        n, won = self.recent_start.get(arm, (0.0, 0.0))
        for duel in self.duels(self.odd_from):
            if duel.opponent == arm:
                decided, value = decisive(duel.outcome), duel.value(self.leader)
                n = self.constants.lasting * n + decided
                won = self.constants.lasting * won + decided * (value > 0.5)
        return (won + 1) / (n + 2) - 0.5

    # Rises.

    def odds_of_rise(self, arm, value):
        """How well a mean as good as the leader's, and a better one, predict a toss of an arm."""
        if not self.scored or arm == self.leader:
            return None
        # Choice: the leader's score is that by which the present plan was made.
        goal = min(0.95, max(0.05, self.goal))
        n, total = self.faded_tosses(arm)
        old = min(0.95, max(0.05, (total + 2) / (n + 4)))
        if old >= goal - ROUNDING:
            return None
        # Choice: ties do not tell who is better, so the means are those of the other outcomes.
        decided = self.decided_share(arm)
        old, rise, leap = (
            min(0.95, max(0.05, 0.5 + (mean - 0.5) / decided))
            for mean in (old, goal, (1 + goal) / 2)
        )
        return log_ratio(value, rise, old), log_ratio(value, leap, old)

    def rise(self, arm):
        """Both sums of an arm, its calm and its odd tosses, and whether it has risen."""
        return self.known(("rise", arm), lambda: self.count_rise(arm))

    def count_rise(self, arm):
        rise, leap, risen = 0.0, 0.0, False
        calm, odd = (0, 0.0), (0, 0.0)
        for event in self.past[self.rises_from :]:
            if isinstance(event, Rise) and event.arm == arm:
                rise, leap, risen = 0.0, 0.0, True
            ended = isinstance(event, Calm) and event.arm == arm
            if isinstance(event, Met) and arm in event.tossed:
                odd = odd[0] + 1, odd[1] + event.value(arm)
                ratios = event.odd_tosses[arm]
                rise = max(0.0, rise + ratios[0]) if ratios else 0.0
                leap = max(0.0, leap + ratios[1]) if ratios else 0.0
                ended = max(rise, leap) <= ROUNDING and not risen
            if ended:
                calm, odd, risen = (calm[0] + odd[0], calm[1] + odd[1]), (0, 0.0), False
        return rise, leap, calm, odd, risen
