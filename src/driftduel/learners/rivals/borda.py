"""Stationary Borda learners: explore until the best arm is known, then play it for ever.

All estimate the chance of an arm to beat another arm drawn uniformly, the Borda score up to the
factor K/(K-1), and none comes back from its choice: in a world that changes they are what a
learner must beat. `BordaETC` stops after N rounds, `BCB` once the leader is ahead of all others
by ``4 sqrt((K/t) ln(2KT/delta))``. Those that give up arms one by one are in
`driftduel.learners.rivals.borda_elimination` and `driftduel.learners.rivals.active_ranking`.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.checks import BadParameter
from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.failure import failure_of
from driftduel.learners.parts.opponents import draw_pair
from driftduel.matrix.criteria import Borda

Ticket = tuple[float]


class ExploringState(NamedTuple):
    """The arrays of `BordaETC` and `BCB`."""

    clock: Records  # (1,)
    wins: Floats  # (K,) summed outcomes of the duels in which the arm was left
    duels: Ints  # (K,) how many those were


EXPLORING = np.dtype(
    [
        ("round", "i8"),  # outcomes of exploring duels
        ("leader", "i8"),  # the arm with most wins, and the one with most of the others
        ("second", "i8"),
        ("choice", "i8"),  # the arm committed to, or -1
        ("end", "i8"),  # rounds to explore, for BordaETC
        ("width", "f8"),  # 2 sqrt(K ln(2KT/delta)), for BCB
    ],
    align=True,
)


EXPLORING_RANGES: Ranges = {
    "clock": {
        "round": ranges.COUNT,
        "leader": ranges.AN_ARM,
        "second": ranges.AN_ARM,
        "choice": ranges.AN_ARM_OR_NONE,
        "end": ranges.FIXED,
        "width": ranges.FIXED,
    },
    "wins": ranges.SUM,
    "duels": ranges.COUNT,
}


@inline_kernel
def choose_until_sure(state: ExploringState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw two different arms, or return the arm committed to twice."""
    choice = state.clock[0]["choice"]
    if choice >= 0:
        return choice, choice, (1.0,)
    return draw_pair(state.wins.shape[0], rng)


@inline_kernel
def learn_for_a_while(
    state: ExploringState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count a win of the left arm; say when the time to explore is over."""
    clock = state.clock[0]
    if clock["choice"] >= 0:
        return False
    state.wins[left] += outcome
    state.duels[left] += 1
    clock["round"] += 1
    return bool(clock["round"] >= clock["end"])


@kernel
def commit_to_best_rate(state: ExploringState, rng: np.random.Generator) -> None:
    """Commit to the arm with the best win rate; an arm never seen counts as even."""
    best = 0
    best_rate = -1.0
    for arm in range(state.wins.shape[0]):
        rate = 0.5
        if state.duels[arm] > 0:
            rate = state.wins[arm] / state.duels[arm]
        if rate > best_rate:
            best = arm
            best_rate = rate
    state.clock[0]["choice"] = best


@inline_kernel
def learn_until_sure(
    state: ExploringState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count a win of the left arm and commit once the leader is clear of the second.

    Wins only grow, so the two arms with most of them are known without looking at the others.
    """
    clock = state.clock[0]
    if clock["choice"] >= 0:
        return False
    wins = state.wins
    wins[left] += outcome
    clock["round"] += 1
    if left != clock["leader"]:
        if wins[left] > wins[clock["leader"]]:
            clock["second"] = clock["leader"]
            clock["leader"] = left
        elif wins[left] > wins[clock["second"]]:
            clock["second"] = left
    rounds = clock["round"]
    ahead = (wins[clock["leader"]] - wins[clock["second"]]) * wins.shape[0] / rounds
    if ahead > 2 * clock["width"] / math.sqrt(rounds):
        clock["choice"] = clock["leader"]
    return False


@dataclass(frozen=True, eq=False)
class BordaETC(Learner):
    """Explore, then commit: N rounds of random pairs, then the arm with the best win rate.

    Parameters
    ----------
    exploration : int, optional
        The number N of rounds to explore; by default ``(K ln(KT))^(1/3) T^(2/3)``, which needs a
        horizon.

    References
    ----------
    Borda regret K^(1/3) T^(2/3) up to logarithms in a stationary world. The paper's own N is not
    known to us; the default follows from balancing the cost of exploring with that of a wrong
    choice. Pairs are drawn from all ordered pairs of different arms, and the rate of an arm is over
    the duels in which it was left. A round costs O(1).

    Examples
    --------
    >>> learner = BordaETC(3, exploration=90, seed=1)
    >>> for _ in range(100):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), duel.left, duel.right
    (2, 2, 2)
    """

    _: KW_ONLY
    exploration: int | None = bounded(None, least=1)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="a baseline of Wu et al., Borda Regret Minimization for Generalized Linear Dueling "
        "Bandits, ICML 2024",
        bound="K^(1/3) T^(2/3) Borda, stationary",
        needs="T",
        cost="O(1)",
    )
    _criteria = (Borda,)

    _ranges = EXPLORING_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_until_sure)
    _learn = staticmethod(learn_for_a_while)
    _settle = staticmethod(commit_to_best_rate)

    def _validate(self) -> None:
        """Raise BadParameter if neither the horizon nor the rounds to explore are given."""
        if self.exploration is None and self.horizon is None:
            raise BadParameter(
                "horizon", "is None, so exploration, the rounds to explore, must be given"
            )

    def _allocate(self) -> ExploringState:
        """Return a fresh state."""
        state = _exploring(self.n_arms)
        state.clock["end"] = self.exploration or self._balanced()
        return state

    def _balanced(self) -> int:
        assert self.horizon is not None
        k, t = self.n_arms, self.horizon
        return min(t, math.ceil((k * math.log(k * t)) ** (1 / 3) * t ** (2 / 3)))

    def _best_of(self, state: ExploringState) -> int:
        """Return the arm committed to, before that the one with the best win rate."""
        choice = int(state.clock[0]["choice"])
        if choice >= 0:
            return choice
        seen = state.duels > 0
        return int(np.argmax(np.where(seen, state.wins / np.maximum(state.duels, 1), 0.5)))

    def _active_of(self, state: ExploringState) -> Ints:
        """Return all arms, or the one committed to."""
        return _those_in_play(state)


@dataclass(frozen=True, eq=False)
class BCB(Learner):
    """Borda confidence bound: random pairs until one arm is clearly ahead, then that arm.

    Parameters
    ----------
    failure : float, optional
        The probability delta of a wrong choice; 1/T by default.
    width : float
        The factor of the confidence width ``width sqrt((K/t) ln(2KT/delta))``; the paper's is 2.

    References
    ----------
    As other code has it; delta = 1/T is our choice. Borda regret (K/gap^2) log T where one arm is
    ahead by the gap in every round. A round costs O(1).

    Examples
    --------
    >>> learner = BCB(2, 1000, width=0.5)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), duel.left, duel.right
    (1, 1, 1)
    """

    _: KW_ONLY
    failure: float | None = bounded(None, above=0, below=1)
    width: float = bounded(2.0, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="Saha, Koren & Mansour, Adversarial Dueling Bandits, ICML 2021, Algorithm 3",
        bound="(K/gap^2) log T Borda, if one arm is always ahead by the gap",
        needs="T",
        cost="O(1)",
    )
    _criteria = (Borda,)
    _needs_horizon = True

    _ranges = EXPLORING_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_until_sure)
    _learn = staticmethod(learn_until_sure)

    def _allocate(self) -> ExploringState:
        """Return a fresh state."""
        state = _exploring(self.n_arms)
        assert self.horizon is not None
        k, t = self.n_arms, self.horizon
        level = math.log(2 * k * t / failure_of(self.failure, t))
        state.clock["width"] = self.width * math.sqrt(k * level)
        return state

    def _best_of(self, state: ExploringState) -> int:
        """Return the arm committed to, before that the leader."""
        return int(state.clock[0]["leader"])

    def _active_of(self, state: ExploringState) -> Ints:
        """Return all arms, or the one committed to."""
        return _those_in_play(state)


def _exploring(n_arms: int) -> ExploringState:
    state = ExploringState(np.zeros(1, EXPLORING), np.zeros(n_arms), np.zeros(n_arms, np.int64))
    state.clock["second"] = 1
    state.clock["choice"] = -1
    return state


def _those_in_play(state: ExploringState) -> Ints:
    choice = int(state.clock[0]["choice"])
    return np.arange(len(state.wins)) if choice < 0 else np.array([choice])
