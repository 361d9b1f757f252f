"""CCB and SCB by the letter: hypotheses as sets, updated every round; bounds found by search."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle
from tests.naive.rmed import kl
from tests.naive.rucb import pick
from tests.naive.thompson import Counts


class CCB(Oracle):
    def __init__(self, n_arms, alpha, rng):
        self.K = n_arms
        self.counts = Counts(n_arms, alpha)
        self.rng = rng
        self.resets = -1
        self.cuts = 0
        self.reset()
        self.begin_round()

    def reset(self):
        self.B = set(range(self.K))
        self.Bi = {i: set() for i in range(self.K)}
        self.LC = self.K
        self.resets += 1

    def begin_round(self):
        arms = range(self.K)
        u, low = self.counts.upper, self.counts.lower
        upper = {i: sum(u(i, j) >= 0.5 for j in arms if j != i) for i in arms}
        lower = {i: sum(low(i, j) > 0.5 for j in arms if j != i) for i in arms}
        if any(low(i, j) > 0.5 for i in arms for j in self.Bi[i]):
            self.reset()
        for i in sorted(self.B):
            if upper[i] < max(lower.values()):
                self.B.remove(i)
                if len(self.Bi[i]) != self.LC + 1:
                    self.Bi[i] = {j for j in arms if u(i, j) < 0.5}
        if not self.B:
            self.reset()
        C = [i for i in arms if upper[i] == max(upper.values())]
        for i in C:
            if upper[i] == lower[i]:
                self.B.add(i)
                self.Bi[i] = set()
                self.LC = self.K - 1 - upper[i]
                for j in arms:
                    if j != i and len(self.Bi[j]) < self.LC + 1:
                        self.Bi[j] = set()
                    elif j != i and len(self.Bi[j]) > self.LC + 1:
                        self.Bi[j] = self.cut(sorted(self.Bi[j]), self.LC + 1)
        self.C = C
        self.open = [
            (i, j) for i in arms for j in sorted(self.Bi[i]) if low(i, j) <= 0.5 <= u(i, j)
        ]

    def ask(self):
        arms, C = range(self.K), self.C
        u, low = self.counts.upper, self.counts.lower
        if self.rng.random() < 1 / 4 and self.open:
            return *self.open[int(self.rng.random() * len(self.open))], (None,)
        likely = [i for i in C if i in self.B]
        if likely and self.rng.random() < 2 / 3:
            C = likely
        c = pick(self.rng, C)
        challengers = [j for j in arms if low(j, c) <= 0.5]
        if self.rng.random() < 1 / 2:
            challengers = [j for j in challengers if j in self.Bi[c]] or challengers
        best = max(u(j, c) for j in challengers)
        replies = [j for j in challengers if u(j, c) == best]
        if len(replies) > 1 and c in replies:
            replies.remove(c)
        return c, pick(self.rng, replies), (None,)

    def tell(self, left, right, ticket, outcome):
        self.counts.add(left, right, outcome)
        self.begin_round()

    def cut(self, items, size):
        """Keep each item with the chance that makes every choice of this size equally likely."""
        kept = set()
        self.cuts += 1
        for place, item in enumerate(items):
            if self.rng.random() * (len(items) - place) < size - len(kept):
                kept.add(item)
        return kept


class SCB(Oracle):
    """Only outcomes of the pull that is under way count."""

    def __init__(self, n_arms, factor, first_phase, rng):
        self.K, self.c, self.rng = n_arms, factor, rng
        self.t = 0
        self.phases = self.pulls = 0
        self.eliminated = 0
        self.length = self.end = first_phase
        self.begin()

    def begin(self):
        self.phases += 1
        self.active = list(range(self.K))
        self.pays = {i: [] for i in range(self.K)}
        self.pull(int(self.rng.random() * self.K))

    def pull(self, before):
        later = [i for i in self.active if i > before]
        self.i = later[0] if later else self.active[0]
        self.duels = []
        self.pulls += 1
        if len(self.active) == 1:
            self.j = self.i
        else:
            others = [j for j in range(self.K) if j != self.i]
            self.j = others[int(self.rng.random() * len(others))]

    def ask(self):
        return self.i, self.j, (1, self.pulls)

    def tell(self, left, right, ticket, outcome):
        self.t += 1
        if self.t >= self.end:
            self.length = self.length**2
            self.end = self.t + self.length
            self.begin()
            return
        if left == right or ticket[1] != self.pulls:
            return
        self.duels.append(outcome)
        loglog = math.log(math.log(self.t)) if self.t > math.e else 0
        confidence = self.c * (math.log(4 * self.t * self.K) + 2 * max(1, loglog))
        mean = sum(self.duels) / len(self.duels)
        if len(self.duels) * kl(mean, 0.5) > confidence:
            self.pays[self.i].append(1 if mean > 0.5 else 0)
            pulled = [i for i in self.active if self.pays[i]]
            lower = max(self.solve(self.pays[i], confidence, 0) for i in pulled)
            for i in pulled:
                if self.solve(self.pays[i], confidence, 1) < lower:
                    self.active.remove(i)
                    self.eliminated += 1
            self.pull(self.i)

    def solve(self, pays, confidence, end):
        """The q towards ``end`` at which n kl(mean, q) reaches the confidence."""
        mean, n = sum(pays) / len(pays), len(pays)
        if mean == end:
            return end
        inside, outside = mean, end
        for _ in range(100):
            q = (inside + outside) / 2
            if 0 < q < 1 and n * kl(mean, q) <= confidence:
                inside = q
            elif 0 < q < 1:
                outside = q
            else:
                break
        return inside
