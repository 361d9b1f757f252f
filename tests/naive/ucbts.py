"""UCB-TS by the letter: what is sure holds in every completion, and all are tried."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from tests.naive import tournaments
from tests.naive.protocol import Oracle
from tests.naive.thompson import Counts

SOLUTIONS = {
    "top-cycle": tournaments.top_cycle,
    "uncovered": tournaments.uncovered_set,
    "copeland": tournaments.copeland_set,
    "banks": tournaments.banks_set,
}


def sure_members(n_arms, sure, solution):
    """The arms in the solution of every completion of the sure wins (winner, loser)."""
    open_pairs = [(i, j) for i, j in combinations(range(n_arms), 2) if not sure & {(i, j), (j, i)}]
    members = set(range(n_arms))
    for forward in product((True, False), repeat=len(open_pairs)):
        wins = sure | {
            pair if ahead else pair[::-1] for pair, ahead in zip(open_pairs, forward, strict=True)
        }
        P = [[Fraction(2 * ((i, j) in wins) + (i == j), 2) for j in range(n_arms)]
             for i in range(n_arms)]  # fmt: skip
        members &= set(SOLUTIONS[solution](P))
        if not members:
            break
    return sorted(members)


class UCBTS(Oracle):
    def __init__(self, n_arms, alpha, solution, rng):
        self.K, self.solution = n_arms, solution
        self.counts = Counts(n_arms, alpha)
        self.known = {}

    def sure(self):
        arms = range(self.K)
        beats = {(i, j) for i in arms for j in arms if i != j and self.counts.upper(j, i) < 0.5}
        return frozenset(beats)

    def members(self):
        sure = self.sure()
        if sure not in self.known:
            self.known[sure] = sure_members(self.K, sure, self.solution)
        return self.known[sure]

    def ask(self):
        if members := self.members():
            return members[0], members[0], (1,)
        sure, arms = self.sure(), range(self.K)
        undecided = {i: [j for j in arms if j != i and not sure & {(i, j), (j, i)}] for i in arms}
        hopes = {i: sum((j, i) not in sure for j in arms) for i in arms if undecided[i]}
        c = max(hopes, key=lambda i: (hopes[i], -i))
        d = max(undecided[c], key=lambda j: (self.counts.upper(j, c), -j))
        return c, d, (1,)

    def tell(self, left, right, ticket, outcome):
        self.counts.add(left, right, outcome)
