"""DriftPoll by the letter: a list of hypotheses for each arm, and everything computed when asked.

Numbers are drawn as the learner draws them; nothing else is shared with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from tests.naive.protocol import Oracle

HAZARDS = [1 / 30, 1 / 200, 1 / 1200, 1 / 7200]
RARE = 4
G = [0.05, 0.4, 0.35, 0.2]


def clip(value, low, high):
    return max(low, min(high, value))


def believable(p):
    return clip(p, 0.03, 0.97)


def win(lead):
    return believable(sigmoid(4 * lead))


def log_loss(x, p):
    return x * math.log(p) + (1 - x) * math.log(1 - p)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


@dataclass
class Hypothesis:
    mean: float
    precision: float
    start: int
    earliest: int
    latest: int
    age: float
    weights: list[float]

    @property
    def variance(self):
        return 1 / self.precision


class Poll(Oracle):
    episodes: list[int]

    def __init__(self, n_arms, rng, rules=2):
        self.n, self.rng, self.rules = n_arms, rng, rules
        self.active = list(range(n_arms))
        self.episodes = [0]
        self.hazards = [h / n_arms for h in [*HAZARDS, 2e-5]]
        self.g = list(G)
        self.s02 = 0.14**2
        first = 1 / (self.s02 if n_arms > 2 else 2 * self.s02)
        self.bank = [[Hypothesis(0.0, first, 0, 0, 0, 0.0, [1.0] * 5)] for _ in range(n_arms)]
        self.last = [0] * n_arms
        self.m, self.v = [0.0] * n_arms, [1 / first] * n_arms
        self.standing = [0.0] * n_arms
        if n_arms == 2:
            self.v[1] = 0.0
        self.squares = self.votes = 20.0
        self.odds = -2.0
        self.pair_odds = dict.fromkeys(combinations(range(n_arms), 2), -2.0)
        self.residuals = dict.fromkeys(self.pair_odds, (0.0, 0.0))
        self.t = 0
        self.draws = []
        self.above = {}
        self.changes = []

    # What is asked.

    def best(self):
        return max(range(self.n), key=lambda arm: (self.standing[arm], -arm))

    def any_pair(self):
        if self.n == 2 or not self.draws:
            return 1.0
        return max(0.1, sigmoid(self.odds) * min(1, 8 / self.n))

    def trust(self, a, b):
        return 1 - max(sigmoid(self.odds), sigmoid(self.pair_odds[min(a, b), max(a, b)]))

    def rival(self, draw):
        return next(arm for arm in draw if arm != self.best())

    def other(self, arm):
        others = [k for k in range(self.n) if k != arm]
        return others[int(self.rng.random() * len(others))]

    def ask(self):
        if self.rng.random() < self.any_pair():
            a = int(self.rng.random() * self.n)
            b = self.other(a)
            return a, b, (self.chances()[a, b], 1.0, 1.0)
        lead = self.best()
        # The ring in which draws are kept, by its places.
        n = len(self.draws)
        ring = {number % 8: self.draws[number] for number in range(max(0, n - 8), n)}
        c = self.rival(ring[int(self.rng.random() * len(ring))])
        trust = self.trust(lead, c)
        if self.rng.random() < 0.5 * (1 - 2 / self.n) * trust:
            a, b = lead, c
            if self.rules == 2:
                _, votes = self.residuals[min(a, b), max(a, b)]
                trust *= (300 / (300 + votes)) ** 2
            weights = (trust, trust)
        else:
            a = lead if self.v[lead] > self.v[c] else c
            b = self.other(a)
            weights = (1.0, self.trust(a, b))
        chance = self.chances()[a, b]
        if self.rng.random() < 0.5:
            return a, b, (chance, *weights)
        return b, a, (chance, *weights[::-1])

    def chances(self):
        """The chance of every ordered pair, summed over all that may be drawn."""
        pairs = [(i, j) for i in range(self.n) for j in range(self.n) if i != j]
        uniform = self.any_pair()
        chances = dict.fromkeys(pairs, uniform / len(pairs))
        lead = self.best()
        kept = self.draws[-8:]
        for draw in kept if uniform < 1 else ():
            c = self.rival(draw)
            direct = 0.5 * (1 - 2 / self.n) * self.trust(lead, c)
            a = lead if self.v[lead] > self.v[c] else c
            for i, j in pairs:
                here = (1 - uniform) / len(kept) / 2
                if {i, j} == {lead, c}:
                    chances[i, j] += here * direct
                if a in (i, j):
                    chances[i, j] += here * (1 - direct) / (self.n - 1)
        return chances

    # What is learned.

    def tell(self, left, right, ticket, outcome):
        t, self.t = self.t, self.t + 1
        phi = max(0.05, self.squares / self.votes)
        pair, sign = ((left, right), -1) if left < right else ((right, left), 1)
        lead = self.m[left] - self.m[right]
        extra = 0.0
        if self.n > 2:
            total, n = self.residuals[pair]
            more = sign * total / (n + 25)
            extra = more * sigmoid(self.odds)
            p0 = win(lead)
            p1 = believable(p0 + more)
            gain = (log_loss(outcome, p1) - log_loss(outcome, p0)) / phi
            self.odds = clip(self.odds + gain, -5, 8)
            self.pair_odds[pair] = clip(self.pair_odds[pair] + gain, -4, 8)
            residual = sign * (outcome - p0)
            self.residuals[pair] = 0.99 * total + residual, 0.99 * n + 1
        p = believable(win(lead) + extra)
        self.squares += (outcome - p) ** 2 / (p * (1 - p))
        self.votes += 1
        if self.votes > 2000:
            self.squares, self.votes = self.squares / 2, self.votes / 2
        if self.n == 2:
            x = outcome if left == 0 else 1 - outcome
            evidence = self.update(0, t, 1, x, 0.0, 0.0, phi, 1.0, 2 * self.s02)
            self.g = [g * e for g, e in zip(self.g, evidence, strict=False)]
        else:
            m, v = list(self.m), list(self.v)
            for arm, other, x, omega in (
                (left, right, outcome, ticket[1]),
                (right, left, 1 - outcome, ticket[2]),
            ):
                passed = t - self.last[arm]
                evidence = self.update(arm, t, passed, x, m[other], v[other], phi, omega, self.s02)
                self.g = [g * math.sqrt(e) for g, e in zip(self.g, evidence, strict=False)]
        total = sum(self.g)
        self.g = [g / total * (1 - 1e-4) + 1e-4 * start for g, start in zip(self.g, G, strict=True)]
        for arm in (0,) if self.n == 2 else (left, right):
            self.m[arm], self.v[arm], self.standing[arm] = self.sum_up(arm)
        self.follow_prior()
        if self.t % 4 == 0:
            self.look(t)
        if self.n > 2:
            theta = [self.draw(arm) for arm in range(self.n)]
            self.draws.append(sorted(range(self.n), key=lambda arm: -theta[arm])[:2])

    def update(self, arm, t, passed, x, level, doubt, phi, omega, prior):
        for one in self.bank[arm]:
            one.weights = [
                w * (1 - lam) ** passed for w, lam in zip(one.weights, self.hazards, strict=True)
            ]
        fresh = [1 - (1 - lam) ** passed for lam in self.hazards]
        earliest = min(t, self.last[arm] + 1)
        self.bank[arm].append(Hypothesis(0.0, 1 / prior, t, earliest, t, 0.0, fresh))
        for one in self.bank[arm]:
            p = win(one.mean - level)
            factor = math.exp(omega * log_loss(x, p) / phi)
            one.weights = [w * factor for w in one.weights]
            # A vote on a line through the curve at p, by its steepness 4 p (1 - p) there.
            steep = 4 * p * (1 - p)
            gain = omega / (phi * p * (1 - p) / steep**2 + doubt)
            strength = one.mean + (x - p) / steep
            one.mean = one.mean * one.precision + gain * strength
            one.precision += gain
            one.mean /= one.precision
            one.age += omega
        evidence = [sum(one.weights[lam] for one in self.bank[arm]) for lam in range(5)]
        for one in self.bank[arm]:
            one.weights = [w / e + 1e-40 for w, e in zip(one.weights, evidence, strict=True)]
        self.last[arm] = t
        if len(self.bank[arm]) == 14:
            self.merge(self.bank[arm])
        return evidence

    @staticmethod
    def merge(bank):
        ratios = [(bank[h - 1].age + 1) / (bank[h].age + 1) for h in range(1, len(bank))]
        h = ratios.index(min(ratios))
        older, newer = bank[h], bank[h + 1]
        kept, gone = older, newer
        if sum(newer.weights) > sum(older.weights):
            kept, gone = newer, older
        if gone.weights[RARE] >= 0.05 * kept.weights[RARE]:
            kept.earliest, kept.latest = older.earliest, newer.latest
        kept.weights = [a + b for a, b in zip(older.weights, newer.weights, strict=True)]
        bank[h : h + 2] = [kept]

    def likely(self, arm):
        return [
            (sum(g * w for g, w in zip(self.g, one.weights, strict=False)), one)
            for one in self.bank[arm]
        ]

    def sum_up(self, arm):
        likely = self.likely(arm)
        mean = sum(q * one.mean for q, one in likely)
        square = sum(q * (one.variance + one.mean**2) for q, one in likely)
        if self.n == 2:
            z = [one.mean * math.sqrt(one.precision) for _, one in likely]
            above = [q * sigmoid(1.702 * value) for (q, _), value in zip(likely, z, strict=True)]
            standing = sum(above) / sum(q for q, _ in likely) - 0.5
        else:
            standing = sum(q**1.5 * one.mean for q, one in likely) / sum(q**1.5 for q, _ in likely)
        return mean, max(1e-9, square - mean**2), standing

    def follow_prior(self):
        if self.n == 2:
            square = (self.m[0] ** 2 + self.v[0]) / 2
        else:
            mean = sum(self.m) / self.n
            square = sum(m**2 + v for m, v in zip(self.m, self.v, strict=True)) / self.n - mean**2
        self.s02 += 0.002 * (clip(square, 0.0036, 0.25) - self.s02)

    def draw(self, arm):
        number = self.rng.random()
        chosen, number = self.pick(self.g, number)
        changed = min(1, self.hazards[chosen] * (self.t - self.last[arm]))
        if number < changed:
            return self.rng.standard_normal() * math.sqrt(self.s02)
        number = (number - changed) / (1 - changed)
        h, _ = self.pick([one.weights[chosen] for one in self.bank[arm]], number)
        one = self.bank[arm][h]
        return one.mean + self.rng.standard_normal() * math.sqrt(one.variance)

    @staticmethod
    def pick(chances, number):
        """Return the place whose turn the number is, and where in its turn it is."""
        for place, chance in enumerate(chances[:-1]):
            if number < chance:
                return place, number / chance
            number -= chance
        return len(chances) - 1, number / chances[-1]

    def chances_to_be_best(self, n, rng):
        """From so many draws, each of which is one way in which things may stand."""
        narrow = 1 if self.rules == 1 or self.n == 2 else 0.8
        equal = 0 if self.rules == 1 else 0.5 if self.n == 2 else 0.2
        weights = [0.0] * self.n
        for _ in range(n):
            parts = [self.way(arm, rng) for arm in range(self.n)]
            strengths = [m + narrow * math.sqrt(v) * rng.standard_normal() for m, v in parts]
            first, second = sorted(range(self.n), key=lambda arm: -strengths[arm])[:2]
            m = parts[first][0] - parts[second][0]
            v = parts[first][1] + parts[second][1]
            before = 2 * self.s02
            now, then = math.exp(-m * m / (2 * v)) / math.sqrt(v), 1 / math.sqrt(before)
            weights[first] += 1 - equal
            for arm in (first, second):
                weights[arm] += equal * now / then / 2
        return [weight / sum(weights) for weight in weights]

    def way(self, arm, rng):
        """A mean and a variance of a strength, drawn."""
        if self.n == 2 and arm == 1:
            return 0.0, 0.0
        hazard, rest = self.pick(self.g, rng.random())
        if rest < min(1, self.hazards[hazard] * (self.t - self.last[arm])):
            return 0.0, self.s02 * (2 if self.n == 2 else 1)
        h, _ = self.pick([one.weights[hazard] for one in self.bank[arm]], rng.random())
        return self.bank[arm][h].mean, self.bank[arm][h].variance

    # What is declared.

    def rarely(self, arm):
        """(weight, mean, variance, start) by the rare hazard; the second of two arms is 0."""
        if self.n == 2 and arm == 1:
            return [(1.0, 0.0, 0.0, -1)]
        return [(one.weights[RARE], one.mean, one.variance, one.start) for one in self.bank[arm]]

    def look(self, t):
        moments = []
        for arm in range(self.n):
            parts = self.rarely(arm)
            mean = sum(w * m for w, m, _, _ in parts)
            square = sum(w * (v + m**2) for w, m, v, _ in parts)
            pinned = self.n == 2 and arm == 1
            moments.append((mean, 0.0 if pinned else max(1e-9, square - mean**2)))
        lead = max(range(self.n), key=lambda arm: (moments[arm][0], -arm))
        above, since = self.above.get(lead, (None, None))
        total = 0.0
        for wa, ma, va, sa in [] if above is None else self.rarely(above):
            for wb, mb, vb, sb in self.rarely(lead):
                if max(sa, sb) > since and min(wa, wb) >= 1e-7:
                    z = (mb - ma) / math.sqrt(va + vb)
                    total += wa * wb / (1 + math.exp(-1.702 * z))
        if total > 0.9:
            self.changes.append((self.t, *self.date(above, lead, since), above, lead))
            self.episodes.append(self.t)
            self.above = {above: (lead, t)}
            return
        for arm, (mean, variance) in enumerate(moments):
            deviation = math.sqrt(moments[lead][1] + variance)
            if arm != lead and moments[lead][0] - mean >= 3 * deviation:
                self.above.setdefault(arm, (lead, t))

    def date(self, above, lead, since):
        def mass(arm):
            return sum(w for w, _, _, start in self.rarely(arm) if start > since)

        arm = max((above, lead), key=mass) if self.n > 2 else 0

        def quantile(share):
            total = 0.0
            for place, (w, _, _, start) in enumerate(self.rarely(arm)):
                total += w * (start > since)
                if start > since and total >= share * mass(arm):
                    return place
            return place

        first, middle, last = (self.bank[arm][quantile(q)] for q in (0.025, 0.5, 0.975))
        return middle.start, first.earliest, last.latest
