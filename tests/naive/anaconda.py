"""ANACONDA and METASWIFT by their definition, on the recursion of the literal METABOSSE.

Kleine Buening & Saha (2023), equations (1) and (2); Suk & Agarwal (2023) for METASWIFT, with the
switching rule as `driftduel.MetaSwift` documents it. ``feed.numbers`` are the uniform numbers of a
round; ``feed.candidates`` the candidate that each episode drew.
"""

from __future__ import annotations

import math

from tests.naive.metabosse import Base, Finding, MetaBosse, Round


class Anaconda(MetaBosse):
    """Both arms from the active set; every pair of arms is compared over every interval."""

    def play(self, base: Base) -> None:
        arms = sorted(base.arms)
        left, right = (arms[int(number * len(arms))] for number in self.feed.numbers[self.t])
        self.record(base, left, right, 1 / len(arms) ** 2)
        K = self.problem.n_arms
        estimate = [[0.0] * K for _ in range(K)]
        for a in range(K):
            for b in range(K):
                played = 1.0 if (a, b) == (left, right) else 0.0
                estimate[a][b] = self.estimate(len(arms) ** 2 * played)
        self.estimates.append(estimate)

    def estimate(self, weight: float) -> float:
        """Weigh the outcome and take off 1/2: every round, or of every duel if centred."""
        outcome = self.feed.outcomes[self.t]
        if self.problem.centre == 0:
            return weight * outcome - 0.5
        return weight * (outcome - 0.5)

    def record(self, base: Base, left: int, right: int, propensity: float) -> None:
        bases = [(b.start, b.start + b.length, frozenset(b.arms)) for b in self.bases]
        self.rounds.append(Round(left, right, propensity, 1.0, bases, frozenset(self.global_arms)))

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

    candidate_of_episode = -1

    def play(self, base: Base) -> None:
        if self.candidate_of_episode != self.episode:
            self.candidate_of_episode = self.episode
            self.candidate = self.feed.candidates[self.episode]
            self.candidate_since = self.episode
        arms = sorted(base.arms)
        right = arms[int(self.feed.numbers[self.t][0] * len(arms))]
        self.record(base, self.candidate, right, 1 / len(arms))
        K = self.problem.n_arms
        self.estimates.append(
            [[self.estimate(len(arms) * (1.0 if arm == right else 0.0)) for arm in range(K)]]
        )

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
            if same and not closed and -ahead >= threshold * self.problem.switch:
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

    def __init__(self, problem, feed) -> None:
        self.known: list[Finding] = []
        super().__init__(problem, feed)

    def threshold(self, first: int, last: int, inverse_rates: list[float]) -> float:
        K = self.problem.n_arms
        scale = self.problem.scale * math.log(max(2, self.problem.horizon))
        return scale * math.sqrt(max(K * (last - first), K * K))
