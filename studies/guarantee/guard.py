"""A guard around any learner: tosses that it cannot see test what it proposes.

A round of a watch is *hidden* with chance theta: then the learner is not told the outcome, and the
round may be a *toss*, a uniform arm against another. With eta the chance of a toss,

    X(a) = bhat(a) - (bhat(i) + bhat(j)) / 2,    bhat(a) = 1{toss of a} (K / eta) (outcome - 1/2)

has the mean b(a) - (b(i) + b(j)) / 2, (i, j) the pair that the learner proposes. A block of rounds
raises the alarm if for some arm its sum of X reaches C log T F. Then METABOSSE plays until it would
begin its second episode. docs/guarantee.md has the bound and its proof; this is its letter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from driftduel.learners import Learner

Make = Callable[[int], Learner]
"""Makes a learner from a seed."""

LONGEST = 16
"""A replay is at most this many times as long as the watch is old."""


@dataclass
class Played:
    """What a guard did in a world.

    Attributes
    ----------
    regret : (T,) array
        Cumulative Borda regret, round by round.
    tosses, hidden : int
        Rounds that were tosses, and that the learner was not told of.
    alarms, watches : list of int
        The rounds after which the guard raised the alarm, and in which a watch began.
    """

    regret: NDArray[np.float64]
    tosses: int = 0
    hidden: int = 0
    alarms: list[int] = field(default_factory=list)
    watches: list[int] = field(default_factory=list)


class Blocks:
    """The dyadic blocks of a watch that are running, and what the test needs of each."""

    def __init__(self, n_arms: int, smallest: int, levels: int) -> None:
        self.n_arms = n_arms
        self.lengths = smallest * 2 ** np.arange(levels)
        self.rounds = 0
        self.sums = np.zeros((levels, n_arms))
        self.inverse = np.zeros(levels)
        self.largest = np.zeros(levels)

    def add(self, gains: NDArray[np.float64] | None, eta: float) -> None:
        """Take in a round: X of each arm, None for zeros, and the chance of a toss."""
        self.rounds += 1
        if gains is not None:
            self.sums += gains
        self.inverse += 1 / eta
        np.maximum(self.largest, 1 / eta, out=self.largest)

    def alarm(self, quiet: float) -> bool:
        """Tell whether a block that ends now has too large a sum; what ends begins again."""
        ended = self.rounds % self.lengths == 0
        if not ended.any():
            return False
        k, n = self.n_arms, self.lengths[ended]
        noise = np.sqrt(k * self.inverse[ended]) + k * self.largest[ended]
        bars = np.maximum(k ** (1 / 3) * (n - 1) ** (2 / 3), noise)
        raised = bool((self.sums[ended].max(axis=1) >= quiet * bars).any())
        self.sums[ended] = self.inverse[ended] = self.largest[ended] = 0.0
        return raised


class Guard:
    """Plays a learner in a world, and METABOSSE after an alarm.

    Parameters
    ----------
    make : callable
        Makes the learner that is guarded.
    n_arms, horizon : int
        Of the world.
    rate : float
        Replays begin at this share of the paper's rate (rho).
    hide : float
        The share of rounds of which the learner is not told (theta).
    quiet : float
        C log T; 2.5 is as quiet as METABOSSE with the library's constants.
    seed : int
        Draws what the guard draws.
    """

    def __init__(
        self,
        make: Make,
        n_arms: int,
        horizon: int,
        *,
        rate: float = 0.01,
        hide: float = 0.25,
        quiet: float = 2.5,
        seed: int = 0,
    ) -> None:
        self.make, self.n_arms, self.horizon = make, n_arms, horizon
        self.rate, self.hide, self.quiet = rate, hide, quiet
        self.seed = seed

    def toss_rate(self, age: int, replays: list[tuple[int, int]]) -> float:
        """Return the chance of a toss at this age of the watch; replays are (end, length)."""
        rates = [(self.n_arms / (age + 1)) ** (1 / 3)]
        rates += [(self.n_arms / length) ** (1 / 3) for end, length in replays if age < end]
        return min(self.hide, max(rates))

    def due(self, age: int) -> list[int]:
        """Draw the lengths of the replays that begin at this age."""
        longest = int(np.log2(LONGEST * (age + 1)))
        lengths = 2.0 ** np.arange(1, longest + 1)
        begins = self.rng.random(longest) < self.rate * lengths ** (-1 / 3) * (age + 1) ** (-2 / 3)
        return [int(length) for length in lengths[begins]]

    def play(self, world: dd.Stream) -> Played:
        """Play to the end of the world."""
        # Generators of their own, so that tosses and replays move nothing that the learner sees.
        self.rng, self.coins, outcomes = (
            np.random.default_rng([self.seed, number]) for number in range(3)
        )
        scores = [matrix.mean(axis=1) for matrix in world.palette]
        played = Played(np.zeros(world.horizon))
        learner, fallback = self.make(self.seed), None
        self._watch(played, 0)
        for t in range(world.horizon):
            matrix = world.matrix(t)
            if fallback is None:
                pair, alarmed = self._round_of_watch(learner, matrix, outcomes, played)
                if alarmed:
                    played.alarms.append(t + 1)
                    fallback = dd.MetaBosse(self.n_arms, self.horizon, seed=self.seed + t + 1)
            else:
                duel = fallback.ask()
                pair = (duel.left, duel.right)
                won = outcomes.random() < matrix[pair]
                fallback.tell(duel, float(won) if duel.is_vote else 0.5)
                if len(fallback.episodes) > 1:
                    fallback, learner = None, self.make(self.seed + t + 1)
                    self._watch(played, t + 1)
            b = scores[world.which[np.searchsorted(world.starts, t, side="right") - 1]]
            played.regret[t] = b.max() - (b[pair[0]] + b[pair[1]]) / 2
        np.cumsum(played.regret, out=played.regret)
        return played

    def _watch(self, played: Played, now: int) -> None:
        played.watches.append(now)
        levels = max(1, int(np.log2(self.horizon / (2 * self.n_arms))))
        self.blocks = Blocks(self.n_arms, 2 * self.n_arms, levels)
        self.age, self.replays = 0, list[tuple[int, int]]()

    def _round_of_watch(
        self,
        learner: Learner,
        matrix: NDArray[np.float64],
        outcomes: np.random.Generator,
        played: Played,
    ) -> tuple[tuple[int, int], bool]:
        k, age = self.n_arms, self.age
        self.replays = [(end, length) for end, length in self.replays if age < end]
        self.replays += [(age + length, length) for length in self.due(age)]
        eta = self.toss_rate(age, self.replays)
        duel = learner.ask()
        pair, gains = (duel.left, duel.right), None
        outcome = float(outcomes.random() < matrix[pair])
        if self.coins.random() < self.hide:
            played.hidden += 1
            learner.cancel(duel)
            if self.rng.random() < eta / self.hide:
                played.tosses += 1
                arm, other = (int(self.rng.integers(k)) for _ in range(2))
                won = float(self.rng.random() < matrix[arm, other])
                gains = self.gains(arm, pair, eta, won)
                pair = (arm, other)
        else:
            learner.tell(duel, outcome if duel.is_vote else 0.5)
        self.age += 1
        self.blocks.add(gains, eta)
        return pair, self.blocks.alarm(self.quiet)

    def gains(
        self, arm: int, proposed: tuple[int, int], eta: float, outcome: float
    ) -> NDArray[np.float64]:
        """Return X of each arm, given a toss of one."""
        estimate = np.zeros(self.n_arms)
        estimate[arm] = self.n_arms / eta * (outcome - 0.5)
        return np.asarray(estimate - (estimate[proposed[0]] + estimate[proposed[1]]) / 2)
