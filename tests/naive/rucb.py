"""RUCB and MergeRUCB by the letter: every bound of every pair computed anew in every round."""

from __future__ import annotations

import math


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


class RUCB:
    def __init__(self, n_arms, alpha, rng):
        self.counts = Counts(n_arms, alpha)
        self.rng = rng
        self.B = set()

    def choose(self):
        K, upper = self.counts.n_arms, self.counts.upper
        C = [c for c in range(K) if all(upper(c, j) >= 0.5 for j in range(K))]
        self.C = C
        self.B &= set(C)
        if not C:
            c, self.chance = int(self.rng.random() * K), 1 / K
        elif len(C) == 1:
            self.B = set(C)
            c, self.chance = C[0], 1
        elif not self.B:
            c, self.chance = pick(self.rng, C), 1 / len(C)
        else:
            (favourite,) = self.B
            others = [arm for arm in C if arm != favourite]
            number = self.rng.random()
            if number < 0.5:
                c, self.chance = favourite, 0.5
            else:
                c, self.chance = others[int((2 * number - 1) * len(others))], 0.5 / len(others)
        best = max(upper(j, c) for j in range(K))
        replies = [j for j in range(K) if upper(j, c) == best]
        if len(replies) > 1 and c in replies:
            replies.remove(c)
        self.chance /= len(replies)
        return c, pick(self.rng, replies)


class MergeRUCB:
    def __init__(self, n_arms, alpha, batch_size, offset, rng):
        self.counts = Counts(n_arms, alpha, offset)
        self.rng = rng
        self.p = batch_size
        n_batches = math.ceil(n_arms / batch_size)
        shuffled = rng.permutation(n_arms).tolist()
        self.batches = [shuffled[b::n_batches] for b in range(n_batches)]
        self.stage = 1

    def choose(self):
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
        batch = self.batches[b]
        if len(batch) == 1:
            self.chance = 1
            return batch[0], batch[0]
        c = pick(self.rng, batch)
        best = max(self.counts.upper(j, c) for j in batch if j != c)
        replies = [j for j in batch if j != c and self.counts.upper(j, c) == best]
        self.chance = 1 / len(batch) / len(replies)
        return c, pick(self.rng, replies)

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
