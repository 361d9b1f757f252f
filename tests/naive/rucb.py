"""RUCB and MergeRUCB by the letter: every bound of every pair computed again in every round."""

from __future__ import annotations

import math
from itertools import chain

from tests.naive.protocol import Oracle


class Counts:
    """Who beat whom how often; u_ij as the papers write it, with x/0 = 1."""

    def __init__(self, n_arms, alpha, offset=0):
        self.n_arms, self.alpha, self.offset = n_arms, alpha, offset
        self.wins = {(i, j): 0.0 for i in range(n_arms) for j in range(n_arms)}
        self.t = 1

    def add(self, left, right, outcome):
        if left != right:
            self.wins[left, right] += outcome
            self.wins[right, left] += 1 - outcome
        self.t += 1

    def duels(self, i, j):
        return self.wins[i, j] + self.wins[j, i]

    def upper(self, i, j):
        if i == j:
            return 0.5
        if self.duels(i, j) == 0:
            return 1 + math.sqrt(1)
        n = self.duels(i, j)
        return self.wins[i, j] / n + math.sqrt(self.alpha * math.log(self.t + self.offset) / n)


def pick(rng, items):
    """One of the items, which stand in order; no number is drawn if there is no choice."""
    return items[int(rng.random() * len(items))] if len(items) > 1 else items[0]


def rucb(n_arms, alpha, rng):
    return RUCB(Counts(n_arms, alpha), rng)


class RUCB(Oracle):
    def __init__(self, counts, rng):
        self.counts, self.rng = counts, rng
        self.B = set()
        self.hope()

    def hope(self):
        """Find who may be the winner, and who is alone in that or was and still may be."""
        arms, upper = range(self.counts.n_arms), self.counts.upper
        self.C = [c for c in arms if all(upper(c, j) >= 0.5 for j in arms)]
        self.B &= set(self.C)
        if len(self.C) == 1:
            self.B = set(self.C)

    def ask(self):
        K, C, upper = self.counts.n_arms, self.C, self.counts.upper
        if not C:
            c, chance = int(self.rng.random() * K), 1 / K
        elif len(C) == 1 or not self.B:
            c, chance = pick(self.rng, C), 1 / len(C)
        else:
            (favourite,) = self.B
            others = [arm for arm in C if arm != favourite]
            number = self.rng.random()
            if number < 0.5:
                c, chance = favourite, 0.5
            else:
                c, chance = others[int((2 * number - 1) * len(others))], 0.5 / len(others)
        best = max(upper(j, c) for j in range(K))
        replies = [j for j in range(K) if upper(j, c) == best]
        if len(replies) > 1 and c in replies:
            replies.remove(c)
        return c, pick(self.rng, replies), (chance / len(replies),)

    def tell(self, left, right, ticket, outcome):
        self.counts.add(left, right, outcome)
        self.hope()


class MergeRUCB(Oracle):
    def __init__(self, n_arms, alpha, batch_size, offset, rng):
        self.counts = Counts(n_arms, alpha, offset)
        self.rng = rng
        self.p = batch_size
        n_batches = math.ceil(n_arms / batch_size)
        shuffled = rng.permutation(n_arms).tolist()
        self.batches = [shuffled[b::n_batches] for b in range(n_batches)]
        self.stage = 1
        self.begin_round()

    @property
    def active(self):
        return sorted(chain(*self.batches))

    def begin_round(self):
        left = sum(map(len, self.batches))
        if len(self.batches) > 1 and (
            left <= self.counts.n_arms / 2**self.stage or left == len(self.batches)
        ):
            self.merge()
            self.stage += 1
        for step in range(len(self.batches)):
            b = (self.counts.t + step) % len(self.batches)
            batch = self.batches[b]
            kept = [i for i in batch if all(self.counts.upper(i, j) >= 0.5 for j in batch)]
            self.batches[b] = kept or batch
            if len(self.batches[b]) > 1:
                break
        self.turn = b

    def ask(self):
        batch = self.batches[self.turn]
        if len(batch) == 1:
            return batch[0], batch[0], (1,)
        c = pick(self.rng, batch)
        best = max(self.counts.upper(j, c) for j in batch if j != c)
        replies = [j for j in batch if j != c and self.counts.upper(j, c) == best]
        return c, pick(self.rng, replies), (1 / len(batch) / len(replies),)

    def tell(self, left, right, ticket, outcome):
        self.counts.add(left, right, outcome)
        self.begin_round()

    def merge(self):
        waiting = sorted(range(len(self.batches)), key=lambda b: len(self.batches[b]))
        before = len(self.batches)
        small, large = waiting[0], waiting[-1]
        gone = set()
        while len(waiting) > 1:
            low, high = waiting[0], waiting.pop()
            if len(self.batches[low]) + len(self.batches[high]) <= 1.5 * self.p:
                self.batches[high] = self.batches[high] + self.batches[low]
                gone.add(waiting.pop(0))
        if not gone:
            self.batches[large] = self.batches[large] + self.batches[small]
            gone.add(small)
        self.batches = [self.batches[b] for b in range(before) if b not in gone]
