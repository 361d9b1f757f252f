"""ANACONDA and METASWIFT: adaptive learners for Condorcet winners, without exploration.

They share METABOSSE's episodes, replays and evidence (`driftduel.learners.paper.meta`); a replay
of length m is due with probability ``1 / sqrt(m (s - t))``. What differs is the base.

ANACONDA draws both arms uniformly from the active set A and estimates
``d(a, b) = |A|^2 1{played (a, b)} O - 1/2``; arm a is bad over an interval if some arm b has
``sum d(b, a) >= C log(T) K sqrt(max(s2 - s1, K^2))``, both active throughout.

METASWIFT duels a candidate c with an arm drawn uniformly from A and estimates
``d(c, a) = |A| 1{played (c, a)} O - 1/2``; arm a is bad if ``sum d(c, a) >=
C log(T) sqrt(max(K (s2 - s1), K^2))``, and takes the candidate's place if the sum is as far below
zero over an interval in which the candidate was the same; the old candidate is then bad.

Blocks instead of all intervals keep ANACONDA's guarantee up to constants for the same reasons as
METABOSSE's (docs/linear-time.md): the tests are a subset, and an interval with enough evidence
contains a block with a constant share of it.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from driftduel._support.compile.jit import inline_kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import CHANCE, real
from driftduel.learners.paper.learner import Episodic, Plan
from driftduel.learners.paper.state import TEST_CANDIDATE, TEST_PAIRS, VERSION, EpisodicState
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float, float, float]
"""Propensity, its inverse up to the candidate, version of the active set."""


@inline_kernel
def choose_active_pair(state: EpisodicState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw both arms uniformly from the active set."""
    clock = state.clock[0]
    n_active = clock["n_active"]
    left = state.active[min(int(rng.random() * n_active), n_active - 1)]
    right = state.active[min(int(rng.random() * n_active), n_active - 1)]
    size = float(n_active)
    return left, right, (1.0 / (size * size), size * size, float(clock["version"]))


@inline_kernel
def choose_challenger(state: EpisodicState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Duel the candidate with an arm drawn uniformly from the active set."""
    clock = state.clock[0]
    n_active = clock["n_active"]
    right = state.active[min(int(rng.random() * n_active), n_active - 1)]
    size = float(n_active)
    return clock["candidate"], right, (1.0 / size, size, float(clock["version"]))


@inline_kernel
def learn_ahead(
    state: EpisodicState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Add to how far the left arm is ahead of the right one."""
    clock = state.clock[0]
    _, inverse, version = ticket
    row = left if state.rule[0]["test"] == TEST_PAIRS else 0
    state.sums[row, right] += (outcome - state.rule[0]["centre"]) * inverse
    clock["inverse_sum"] += 1.0
    clock["inverse_max"] = 1.0
    clock["round"] += 1
    stale = version < clock["version"]
    if stale:
        clock["stale"] = int(version)
    return stale or clock["round"] >= clock["wake"]


@dataclass(frozen=True, eq=False)
class Anaconda(Episodic):
    """ANACONDA: tracks the Condorcet winner, without prior knowledge of the changes.

    Parameters
    ----------
    scale : float
        C in the threshold; the paper leaves it open. With the default at most 1 run in 100
        evicts an arm on ties (benchmarks/calibration.py).
    replay_rate : float
        Multiplies the paper's probability of a replay.
    intervals, steps, prefix, smallest_block, estimator
        As for `driftduel.MetaBosse`. The paper's estimate is the raw one.

    Examples
    --------
    >>> learner = Anaconda(3, horizon=3000, seed=1)
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), len(learner.episodes)
    (0, 1)
    """

    _: KW_ONLY
    scale: float = bounded(0.4, above=0)
    replay_rate: float = bounded(1.0, above=0)

    _literature: ClassVar = Literature(
        paper="Kleine Buening & Saha, ANACONDA: An Improved Dynamic Regret Algorithm for Adaptive "
        "Non-Stationary Dueling Bandits, AISTATS 2023",
        bound="K sqrt(S T) Condorcet, S changes of the winner; with significant ones under SST "
        "and STI",
        needs="nothing",
        cost="O(1)",
    )
    _criteria = (Condorcet,)

    _ticket = (CHANCE, real(1, 1e60), VERSION)
    _choose = staticmethod(choose_active_pair)
    _learn = staticmethod(learn_ahead)

    def _plan(self) -> Plan:
        """Return the threshold K sqrt(max(n, K^2)) and the tests of pairs."""
        k = float(self.n_arms)
        return Plan(
            scale=self.scale,
            smallest_block=self._smallest(k),
            drift=k,
            power=0.5,
            range=k * k,
            test=TEST_PAIRS,
            unknown=True,
            replays=self.replay_rate,
            least_rounds=2 if self.horizon else 10_000,
        )

    def _smallest(self, drift: float) -> int:
        """Return a length below which differences of 1/2 a round stay under the threshold."""
        scale = self.scale * math.log(self.horizon or 1000)
        return max(2 * self.n_arms, int(min((2 * scale * drift) ** 2, self.n_arms**2)))

    def _best_of(self, state: EpisodicState) -> int:
        """Return the arm whose worst comparison is best, among those never evicted."""
        good = state.arms["evidence"] < state.clock[0]["episode"]
        ahead = np.where(good, (state.sums - state.sums.T).min(axis=1), -np.inf)
        return int(np.argmax(ahead))


@dataclass(frozen=True, eq=False)
class MetaSwift(Anaconda):
    """METASWIFT: tracks the Condorcet winner through a candidate that meets every arm.

    Parameters
    ----------
    scale, replay_rate, intervals, steps, prefix, smallest_block, estimator
        As for `Anaconda`.
    switch : float
        The share of the threshold at which an arm that beats the candidate takes its place.

    References
    ----------
    We have not seen the exact switching rule. Our choice: a switch needs evidence over an interval
    in which the candidate was the same, the old candidate is evicted over it, sums over other arms
    go on across a switch, and each episode draws its first candidate uniformly.

    Examples
    --------
    >>> learner = MetaSwift(3, horizon=3000, seed=1)
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    scale: float = bounded(0.32, above=0)
    switch: float = bounded(1.0, above=0)

    _literature: ClassVar = Literature(
        paper="Suk & Agarwal, When Can We Track Significant Preference Shifts in Dueling "
        "Bandits?, NeurIPS 2023",
        bound="sqrt(K S T) Condorcet under SST and STI, S significant changes of the winner",
        needs="nothing",
        cost="O(1)",
    )

    _choose = staticmethod(choose_challenger)

    def _plan(self) -> Plan:
        """Return the threshold sqrt(max(K n, K^2)) and the tests of the candidate."""
        k = float(self.n_arms)
        return Plan(
            scale=self.scale,
            smallest_block=self._smallest(math.sqrt(k)),
            drift=math.sqrt(k),
            power=0.5,
            range=k,
            test=TEST_CANDIDATE,
            switch=self.switch,
            replays=self.replay_rate,
            least_rounds=2 if self.horizon else 10_000,
            pairs=False,
        )

    def _best_of(self, state: EpisodicState) -> int:
        """Return the candidate."""
        return int(state.clock[0]["candidate"])
