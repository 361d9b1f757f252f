"""ANACONDA and METASWIFT by their definition, on the recursion of the literal METABOSSE.

Kleine Buening & Saha (2023), equations (1) and (2); Suk & Agarwal (2023) for METASWIFT, with the
switching rule as `driftduel.learners.MetaSwift` documents it.
"""

from __future__ import annotations

import math

from tests.naive.metabosse import Base, Finding, MetaBosse, Round
from tests.naive.replays import ANACONDA


class Anaconda(MetaBosse):
    """Both arms from the active set; every pair of arms is compared over every interval."""

    coin = ANACONDA

    def choose(self, base: Base) -> Round:
        arms = sorted(base.arms)
        left, right = (arms[int(self.rng.random() * len(arms))] for _ in range(2))
        return self.round_of(left, right, 1 / len(arms) ** 2, 1.0)

    def estimate(self, now: Round, outcome: float) -> list[list[float]]:
        K = self.problem.n_arms
        rows = [[self.weigh(0.0, outcome)] * K for _ in range(K)]
        rows[now.left][now.right] = self.weigh(1 / now.propensity, outcome)
        return rows

    def weigh(self, weight: float, outcome: float) -> float:
        """Weigh the outcome and take off 1/2: every round, or of every duel if centred."""
        if self.problem.centre == 0:
            return weight * outcome - 0.5
        return weight * (outcome - 0.5)

    def findings(self, base: Base) -> list[Finding]:
        last = self.t - 1
        throughout = set(range(self.problem.n_arms))
        found = []
        for first in range(last, self.episode - 1, -1):
            throughout &= self.rounds[first].bases[-1][2]
            if first < last:
                found += self.bad_over(first, last, sorted(throughout), base)
        return found

    def bad_over(self, first: int, last: int, arms: list[int], base: Base) -> list[Finding]:
        threshold = self.threshold(first, last, [])
        found = []
        for arm in arms if len(arms) > 1 else []:
            for other in arms:
                ahead = sum(self.estimates[s][other][arm] for s in range(first, last + 1))
                if ahead >= threshold:
                    found.append(
                        Finding(arm, first, last, other, [other], ahead, threshold, base.start)
                    )
        return found

    def threshold(self, first: int, last: int, inverse_rates: list[float]) -> float:
        K = self.problem.n_arms
        scale = self.problem.scale * math.log(max(2, self.problem.horizon))
        return scale * K * math.sqrt(max(last - first, K * K))


class MetaSwift(Anaconda):
    """A candidate against an arm from the active set; one sum per arm."""

    switch = 1.0

    def __init__(self, problem, rng) -> None:
        self.known: list[Finding] = []
        super().__init__(problem, rng)

    def best(self) -> int:
        return self.candidate

    def begin_episode(self) -> None:
        self.candidate = int(self.rng.random() * self.problem.n_arms)
        self.candidate_since = self.t
        super().begin_episode()

    def choose(self, base: Base) -> Round:
        arms = sorted(base.arms)
        right = arms[int(self.rng.random() * len(arms))]
        return self.round_of(self.candidate, right, 1 / len(arms), 1.0)

    def estimate(self, now: Round, outcome: float) -> list[list[float]]:
        row = [self.weigh(0.0, outcome)] * self.problem.n_arms
        row[now.right] = self.weigh(1 / now.propensity, outcome)
        return [row]

    def bad_over(self, first: int, last: int, arms: list[int], base: Base) -> list[Finding]:
        threshold = self.threshold(first, last, [])
        found = []
        for arm in arms if len(arms) > 1 else []:
            ahead = sum(self.estimates[s][0][arm] for s in range(first, last + 1))
            if ahead >= threshold:
                found.append(
                    Finding(arm, first, last, None, [self.candidate], ahead, threshold, base.start)
                )
            same = first >= self.candidate_since and arm != self.candidate
            closed = any(f.arm == arm and f.first >= first for f in self.older)
            if same and not closed and -ahead >= threshold * self.switch:
                found.append(
                    Finding(self.candidate, first, last, None, [arm], -ahead, threshold, base.start)
                )
                self.candidate, self.candidate_since = arm, last + 1
        return found

    @property
    def older(self) -> list[Finding]:
        """What was found in this episode before this round."""
        return [f for f in self.known if f.first >= self.episode]

    def findings(self, base: Base) -> list[Finding]:
        found = super().findings(base)
        self.known += found
        return found

    def threshold(self, first: int, last: int, inverse_rates: list[float]) -> float:
        K = self.problem.n_arms
        scale = self.problem.scale * math.log(max(2, self.problem.horizon))
        return scale * math.sqrt(max(K * (last - first), K * K))
