"""BOSSE and METABOSSE by their definition: recursion, a set per base, every interval.

A transcription of Algorithms 1 and 2 of Suk & Agarwal with rounds counted from 0. Where the letter
cannot be followed this reads it as the package does:

- intervals have two rounds or more, for one round would have the threshold 0;
- when the global set is empty the new episode starts at once, before a replay that was due;
- a base that resumes plays with its own set, not with that of its replay;
- BOSSE alone, which cannot restart, keeps an arm that won when all would be evicted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.naive.protocol import Oracle, Ticket
from tests.naive.replays import METABOSSE, Coin, next_age

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
class Problem:
    """The inputs of the algorithm.

    ``weight(t)`` is the known weight of round t; None stands for the K point masses.
    ``explore(t, u)`` is the arm that the number u of [0, 1) picks from the mixture of weights.
    ``kept()`` is the arm that the learner kept when all would go, to settle a tie that only
    rounding can break.
    """

    n_arms: int
    horizon: int | None
    scale: float
    weight: Callable[[int], Sequence[float]] | None = None
    explore: Callable[[int, float], int] | None = None
    cap: float = 1.0
    range_power: int = 2
    centre: float = 0.5
    replay_rate: float = 1.0
    """0 for BOSSE alone."""
    tested: Callable[[int, int, Base, int], bool] = every_interval
    kept: Callable[[], int] | None = None

    @property
    def lengths(self) -> list[int]:
        """The lengths of replays; without a horizon there is no end to them."""
        n_lengths = 40 if self.horizon is None else math.ceil(math.log2(max(2, self.horizon)))
        return [2 << power for power in range(n_lengths)]


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


class MetaBosse(Oracle):
    """Takes each outcome before the next duel; ``rounds``, ``evictions``, ... say what happened."""

    coin: Coin = METABOSSE

    def __init__(self, problem: Problem, rng) -> None:
        self.problem, self.rng = problem, rng
        self.rounds: list[Round] = []
        self.episodes: list[int] = []
        self.evictions: list[Finding] = []
        self.replays: list[tuple[int, int]] = []
        self.n_spared = 0
        self.t = 0
        self.bases: list[Base] = []
        self.estimates: list[list[list[float]]] = []
        self.run = self.meta()
        next(self.run)

    @property
    def active(self) -> list[int]:
        return sorted(self.bases[-1].arms)

    def meta(self) -> Iterator[None]:
        """Algorithm 2; pauses where a round is played."""
        while True:
            self.begin_episode()
            yield from self.bosse(self.t, math.inf)

    def begin_episode(self) -> None:
        self.episode = self.t
        self.episodes.append(self.t)
        self.global_arms = set(range(self.problem.n_arms))
        self.due: dict[int, float] = {}
        if self.problem.replay_rate > 0:
            self.due = {length: self.next_replay(length, 0) for length in self.problem.lengths}

    def next_replay(self, length: int, age: int) -> float:
        """The next round s after an age of the episode with B[s, length] = 1."""
        if self.problem.horizon is None:
            age = max(age, length // 2 - 1)
        coin = self.coin.times(self.problem.replay_rate)
        return self.episode + next_age(self.rng, coin, length, age)

    def bosse(self, start: int, length: float) -> Iterator[None]:
        """Algorithm 1."""
        base = Base(start, length, set(range(self.problem.n_arms)))
        self.bases.append(base)
        while True:
            yield
            self.t += 1
            self.evict(base)
            if self.global_arms and (longest := self.longest_due()):
                self.replays.append((self.t, longest))
                yield from self.bosse(self.t, longest)
            if not self.global_arms or self.t > start + length:
                break
        self.bases.pop()

    def longest_due(self) -> int:
        """The longest replay of this round, 0 if there is none."""
        due = [length for length, at in self.due.items() if at == self.t]
        for length in due:
            self.due[length] = self.next_replay(length, self.t - self.episode)
        return max(due, default=0)

    def ask(self) -> tuple[int, int, Ticket]:
        self.now = self.choose(self.bases[-1])
        return self.now.left, self.now.right, (self.now.propensity, self.now)

    def tell(self, left: int, right: int, ticket: Ticket, outcome: float) -> None:
        assert ticket[1] is self.now
        self.rounds.append(self.now)
        self.estimates.append(self.estimate(self.now, outcome))
        next(self.run)

    def round_of(self, left: int, right: int, propensity: float, rate: float) -> Round:
        bases = [(b.start, b.start + b.length, frozenset(b.arms)) for b in self.bases]
        return Round(left, right, propensity, rate, bases, frozenset(self.global_arms))

    def choose(self, base: Base) -> Round:
        t = self.t
        eta = self.rate(t - base.start)
        q = [eta * chance for chance in self.mixture(t)]
        for arm in base.arms:
            q[arm] += (1 - eta) / len(base.arms)
        left, right = (self.draw(t, eta, base, self.rng.random()) for _ in range(2))
        return self.round_of(left, right, q[left] * q[right], eta)

    def estimate(self, now: Round, outcome: float) -> list[list[float]]:
        """One row for each weight of the reference set."""
        rows = []
        for w in self.weights(self.t):
            scores = [0.0] * self.problem.n_arms
            gain = outcome - self.problem.centre
            scores[now.left] = w[now.right] * gain / now.propensity
            rows.append(scores)
        return rows

    def draw(self, t: int, eta: float, base: Base, number: float) -> int:
        """One number decides both whether to explore and which arm."""
        if number < eta:
            if self.problem.explore is None:
                return int(number / eta * self.problem.n_arms)
            return self.problem.explore(t, number / eta)
        place = int((number - eta) / (1 - eta) * len(base.arms))
        return sorted(base.arms)[min(place, len(base.arms) - 1)]

    def evict(self, base: Base) -> None:
        findings = self.findings(base)
        if self.problem.replay_rate == 0:
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
        kept = leaders[0] if self.problem.kept is None else self.problem.kept()
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
