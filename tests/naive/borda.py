"""Stationary Borda learners by their definitions: every number is computed again in every round."""

from __future__ import annotations

import math

from tests.naive.protocol import Oracle


class Explorer(Oracle):
    """Draws pairs of different arms until it commits to one arm."""

    def __init__(self, K, rng):
        self.K, self.rng = K, rng
        self.log, self.choice = [], None

    @property
    def active(self):
        return list(range(self.K)) if self.choice is None else [self.choice]

    def ask(self):
        if self.choice is not None:
            return self.choice, self.choice, (1,)
        left = int(self.rng.random() * self.K)
        others = [arm for arm in range(self.K) if arm != left]
        right = others[int(self.rng.random() * (self.K - 1))]
        return left, right, (1 / (self.K * (self.K - 1)),)

    def tell(self, left, right, ticket, outcome):
        if self.choice is None:
            self.log.append((left, outcome))
            self.decide()


class ExploreThenCommit(Explorer):
    def __init__(self, K, N, rng):
        super().__init__(K, rng)
        self.N = N

    def rate(self, arm):
        mine = [outcome for first, outcome in self.log if first == arm]
        return sum(mine) / len(mine) if mine else 0.5

    def best(self):
        return max(range(self.K), key=lambda arm: (self.rate(arm), -arm))

    def decide(self):
        if len(self.log) == self.N:
            self.choice = self.best()


class ConfidenceBound(Explorer):
    """Commits to i once btil(i) - width > btil(j) + width for all j != i."""

    def __init__(self, K, T, delta, width, rng):
        super().__init__(K, rng)
        self.T, self.delta, self.width = T, delta, width

    def decide(self):
        K, t = self.K, len(self.log)
        btil = [sum(K * o for first, o in self.log if first == arm) / t for arm in range(K)]
        w = self.width * math.sqrt(K / t * math.log(2 * K * self.T / self.delta))
        for i in range(K):
            if all(btil[i] - w > btil[j] + w for j in range(K) if j != i):
                self.choice = i


class Elimination(Oracle):
    """SECS; without the sparse rule if k is None. Notes (step, arm, rule) in ``removed``.

    In each step all arms in play duel one opponent in turn; an outcome that is not awaited does
    not count. The opponent is drawn also when one arm is left.
    """

    def __init__(self, n, delta, width, k, T0, sparse_width, rng):
        self.n, self.delta, self.width, self.rng = n, delta, width, rng
        self.k, self.T0, self.sparse_width = k, T0, sparse_width
        self.active = list(range(n))
        self.Z, self.t, self.removed = [], 0, []
        self.begin_step()

    def begin_step(self):
        self.opponent = int(self.rng.random() * self.n)
        self.turns = [j for j in self.active if j != self.opponent]

    def best(self):
        return max(self.active, key=lambda arm: (self.wins(arm), -arm))

    def ask(self):
        if len(self.active) == 1:
            return self.active[0], self.active[0], (1,)
        return self.turns[0], self.opponent, (1,)

    def tell(self, left, right, ticket, outcome):
        if len(self.active) == 1 or (left, right) != (self.turns[0], self.opponent):
            return
        self.Z.append((left, right, outcome))
        self.turns.pop(0)
        if not self.turns:
            self.end_step()

    def end_step(self):
        self.t += 1
        gone = set()
        for j in self.active:
            for i in self.active:
                if self.plain(i, j):
                    gone.add(j)
                    self.removed.append((self.t, j, "plain"))
                elif self.k is not None and self.t > self.T0 and i != j and self.sparse(i, j):
                    gone.add(j)
                    self.removed.append((self.t, j, "sparse"))
        if gone == set(self.active):
            gone.discard(self.best())
        self.active = [arm for arm in self.active if arm not in gone]
        self.begin_step()

    def wins(self, j):
        return sum(z for arm, _, z in self.Z if arm == j)

    def plain(self, i, j):
        n, t = self.n, self.t
        ahead = n / (n - 1) / t * (self.wins(i) - self.wins(j))
        level = 2 * math.log(4 * n * t * t / self.delta) / t
        return ahead > self.width * n / (n - 1) * math.sqrt(level)

    def sparse(self, i, j):
        n, t = self.n, self.t
        level = math.log(4 * n * n * t * t / self.delta)
        C = math.sqrt(2 * level / (t / n)) + 2 * level / (3 * t / n)
        return self.sparse_difference(i, j) > self.sparse_width * (self.k + 1) * C

    def sparse_difference(self, i, j):
        def p(arm, opponent):
            return self.n / self.t * sum(z for a, b, z in self.Z if (a, b) == (arm, opponent))

        others = [w for w in range(self.n) if w not in (i, j)]
        omega = sorted(others, key=lambda w: (-round(abs(p(i, w) - p(j, w)), 12), w))[: self.k]
        return 2 * (p(i, j) - 0.5) + sum(p(i, w) - p(j, w) for w in omega)


class ActiveRanking(Oracle):
    """Finds the top; an outcome counts for the arm whose turn it is."""

    def __init__(self, n, top, delta, width, rng):
        self.n, self.top, self.delta, self.width, self.rng = n, top, delta, width, rng
        self.playing = list(range(n))
        self.outcomes = [[] for _ in range(n)]
        self.found = {}
        self.t = self.turn = 0

    @property
    def active(self):
        return sorted({*self.playing, *self.found})

    def mean(self, arm):
        return sum(self.outcomes[arm]) / len(self.outcomes[arm]) if self.outcomes[arm] else 0.5

    def best(self):
        means = {arm: self.mean(arm) for arm in self.playing} | self.found
        return max(means, key=lambda arm: (means[arm], -arm))

    def ask(self):
        if not self.playing:
            return self.best(), self.best(), (1,)
        i = self.playing[self.turn]
        others = [arm for arm in range(self.n) if arm != i]
        return i, others[int(self.rng.random() * (self.n - 1))], (1 / (self.n - 1),)

    def tell(self, left, right, ticket, outcome):
        if not self.playing or left != self.playing[self.turn]:
            return
        self.outcomes[left].append(outcome)
        self.turn += 1
        if self.turn == len(self.playing):
            self.end_step()

    def end_step(self):
        self.turn = 0
        self.t += 1
        if self.t < 2:
            return
        d = self.delta / self.n
        beta = math.log(1 / d) + 0.75 * math.log(math.log(1 / d))
        beta += 1.5 * math.log(1 + math.log(self.t / 2))
        alpha = math.sqrt(beta / (2 * self.t))
        tau = {arm: self.mean(arm) for arm in self.playing}
        ranked = sorted(tau.values(), reverse=True)
        k = self.top - len(self.found)
        to_top = [arm for arm in tau if tau[arm] >= ranked[k] + self.width * alpha]
        to_bottom = [arm for arm in tau if tau[arm] <= ranked[k - 1] - self.width * alpha]
        self.found.update((arm, tau[arm]) for arm in to_top)
        self.playing = [arm for arm in tau if arm not in to_top and arm not in to_bottom]
        if len(self.playing) <= self.top - len(self.found):
            self.found.update((arm, tau[arm]) for arm in self.playing)
        if len(self.found) == self.top:
            self.playing = []
