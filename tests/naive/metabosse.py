"""BOSSE and METABOSSE by their definition: recursion, a set per base, every interval.

A transcription of Algorithms 1 and 2 of Suk & Agarwal with rounds counted from 0. Nothing is
drawn here: the uniform numbers that pick the arms, the outcomes and the coins B[s, m] of the
replays are handed in. Where the letter cannot be followed this reads it as the package does:

- intervals have two rounds or more, for one round would have the threshold 0;
- when the global set is empty the new episode starts at once, before a replay that was due;
- a base that resumes plays with its own set, not with that of its replay;
- BOSSE alone, which cannot restart, keeps an arm that won when all would be evicted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

TIE = 1e-9
"""Leads that differ by less are the same number, summed in another order."""


@dataclass
class Base:
    """BOSSE(start, length): plays the rounds start..start + length, with its own set."""

    start: int
    length: float
    arms: set[int]


def every_interval(first: int, last: int, base: Base, episode: int) -> bool:
    """Test all intervals, as the paper does."""
    return True


@dataclass
class Feed:
    """Everything random in a run, by round; a coin of round s is a length m with B[s, m] = 1."""

    numbers: list[tuple[float, float]] = field(default_factory=list)
    outcomes: list[float] = field(default_factory=list)
    coins: list[set[int]] = field(default_factory=lambda: [set()])
    spared: dict[int, int] = field(default_factory=dict)
    """The arm kept after a round, to settle a tie that only rounding can break."""


@dataclass
class Problem:
    """The inputs of the algorithm.

    ``weight(t)`` is the known weight of round t; None stands for the K point masses.
    ``explore(t, u)`` is the arm that the number u of [0, 1) picks from the mixture of weights.
    """

    n_arms: int
    horizon: int | None
    scale: float
    weight: Callable[[int], Sequence[float]] | None
    explore: Callable[[int, float], int]
    cap: float = 1.0
    range_power: int = 2
    centre: float = 0.5
    replays: bool = True
    tested: Callable[[int, int, Base, int], bool] = every_interval


@dataclass
class Finding:
    """Arm ``arm`` was evicted over [first, last] for a weight, by any of ``leaders``."""

    arm: int
    first: int
    last: int
    weight: int | None
    leaders: list[int]
    statistic: float
    threshold: float
    base: int


@dataclass
class Round:
    """What was played, and the sets that it was played with."""

    left: int
    right: int
    propensity: float
    rate: float
    bases: list[tuple[int, float, frozenset[int]]]
    global_arms: frozenset[int]


class MetaBosse:
    """Plays all rounds of a feed; then ``rounds``, ``evictions``, ... say what happened."""

    def __init__(self, problem: Problem, feed: Feed) -> None:
        self.problem = problem
        self.feed = feed
        self.rounds: list[Round] = []
        self.episodes: list[int] = []
        self.evictions: list[Finding] = []
        self.replays: list[tuple[int, int]] = []
        self.n_spared = 0
        self.t = 0
        self.bases: list[Base] = []
        self.estimates: list[list[list[float]]] = []
        while self.t < len(feed.outcomes):
            self.episode = self.t
            self.episodes.append(self.t)
            self.global_arms = set(range(problem.n_arms))
            self.bosse(self.t, math.inf)

    def bosse(self, start: int, length: float) -> None:
        """Algorithm 1."""
        base = Base(start, length, set(range(self.problem.n_arms)))
        self.bases.append(base)
        while self.t < len(self.feed.outcomes):
            self.play(base)
            self.t += 1
            self.evict(base)
            if self.global_arms and self.feed.coins[self.t]:
                longest = max(self.feed.coins[self.t])
                self.replays.append((self.t, longest))
                self.bosse(self.t, longest)
            if not self.global_arms or self.t > start + length:
                break
        self.bases.pop()

    def play(self, base: Base) -> None:
        t, K = self.t, self.problem.n_arms
        eta = self.rate(t - base.start)
        q = [eta * chance for chance in self.mixture(t)]
        for arm in base.arms:
            q[arm] += (1 - eta) / len(base.arms)
        left, right = (self.draw(t, eta, base, number) for number in self.feed.numbers[t])
        self.rounds.append(
            Round(
                left,
                right,
                q[left] * q[right],
                eta,
                [(b.start, b.start + b.length, frozenset(b.arms)) for b in self.bases],
                frozenset(self.global_arms),
            )
        )
        estimate = []
        for w in self.weights(t):
            scores = [0.0] * K
            gain = self.feed.outcomes[t] - self.problem.centre
            scores[left] = w[right] * gain / (q[left] * q[right])
            estimate.append(scores)
        self.estimates.append(estimate)

    def draw(self, t: int, eta: float, base: Base, number: float) -> int:
        """One number decides both whether to explore and which arm."""
        if number < eta:
            return self.problem.explore(t, number / eta)
        place = int((number - eta) / (1 - eta) * len(base.arms))
        return sorted(base.arms)[min(place, len(base.arms) - 1)]

    def evict(self, base: Base) -> None:
        findings = self.findings(base)
        if not self.problem.replays:
            findings = self.spare(findings, base)
        for arm in range(self.problem.n_arms):
            against = [f for f in findings if f.arm == arm]
            leaves_base = any(f.first >= base.start for f in against)
            leaves_global = arm in self.global_arms and bool(against)
            if leaves_base or leaves_global:
                self.evictions.append(latest(against))
        for finding in findings:
            self.global_arms.discard(finding.arm)
            for open_base in self.bases:
                if finding.first >= open_base.start:
                    open_base.arms.discard(finding.arm)

    def findings(self, base: Base) -> list[Finding]:
        """Every arm, interval that ends now and weight for which the arm is bad."""
        K = self.problem.n_arms
        last = self.t - 1
        n_weights = len(self.weights(last))
        sums = [[0.0] * K for _ in range(n_weights)]
        inverse_rates: list[float] = []
        throughout = set(range(K))
        found = []
        for first in range(last, self.episode - 1, -1):
            for w in range(n_weights):
                for arm in range(K):
                    sums[w][arm] += self.estimates[first][w][arm]
            inverse_rates.append(1 / self.rounds[first].rate)
            throughout &= self.rounds[first].bases[-1][2]
            if first == last or not self.problem.tested(first, last, base, self.episode):
                continue
            threshold = self.threshold(first, last, inverse_rates)
            for w in range(n_weights):
                for arm in sorted(throughout):
                    statistic = max(sums[w][other] - sums[w][arm] for other in throughout)
                    if statistic >= threshold:
                        best = max(sums[w][other] for other in throughout)
                        tie = TIE * (1 + abs(best))
                        leaders = [a for a in sorted(throughout) if sums[w][a] >= best - tie]
                        weight = w if self.problem.weight is None else None
                        found.append(
                            Finding(
                                arm, first, last, weight, leaders, statistic, threshold, base.start
                            )
                        )
        return found

    def spare(self, findings: list[Finding], base: Base) -> list[Finding]:
        """When all arms would go, keep the winner of the latest interval.

        If several end a tie there the first arm's first weight counts.
        """
        if base.arms - {finding.arm for finding in findings}:
            return findings
        leaders = latest(findings).leaders
        kept = self.feed.spared.get(self.t - 1, leaders[0])
        assert kept in leaders
        self.n_spared += 1
        return [finding for finding in findings if finding.arm != kept]

    def threshold(self, first: int, last: int, inverse_rates: list[float]) -> float:
        """C log(T) F([first, last])."""
        K = self.problem.n_arms
        if self.problem.weight is not None:
            drift, variance, range_ = K ** (1 / 3), K, K
        else:
            drift, variance, range_ = K ** (2 / 3), K**2, K**self.problem.range_power
        noise = math.sqrt(variance * sum(inverse_rates)) + range_ * max(inverse_rates)
        rounds = self.t if self.problem.horizon is None else self.problem.horizon
        scale = self.problem.scale * math.log(max(2, rounds))
        return scale * max(drift * (last - first) ** (2 / 3), noise)

    def rate(self, age: int) -> float:
        """gamma_age."""
        K = self.problem.n_arms
        power = 1 / 3 if self.problem.weight is not None else 2 / 3
        gamma = 1.0 if age == 0 else min(1.0, K**power * age ** (-1 / 3))
        return min(gamma, self.problem.cap)

    def weights(self, t: int) -> list[list[float]]:
        """The reference set."""
        K = self.problem.n_arms
        if self.problem.weight is not None:
            return [list(self.problem.weight(t))]
        return [[1.0 if arm == other else 0.0 for other in range(K)] for arm in range(K)]

    def mixture(self, t: int) -> list[float]:
        """The uniform mixture of the reference set."""
        weights = self.weights(t)
        return [sum(w[arm] for w in weights) / len(weights) for arm in range(self.problem.n_arms)]


def latest(findings: Sequence[Finding]) -> Finding:
    """The finding with the latest interval; of these the first arm's, for its first weight."""
    return min(findings, key=lambda f: (-f.first, f.arm, f.weight or 0))
