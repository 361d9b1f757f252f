"""Borda maxing, then commit: find an arm whose score is nearly best, and play it for ever.

`BordaMaxing` and `BordaRanking` toss arms: a toss of an arm is a duel with another one drawn
uniformly, so that its mean is the Borda score up to the factor K/(K-1). All arms left are tossed
n times each. BordaRanking then takes the best, BordaMaxing the better half, until one is left.
Neither comes back from its choice. An outcome counts for the arm whose turn it is; others change
nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.near_best import MAXING_PAPER, Maxing
from driftduel.learners.parts.opponents import draw_opponent
from driftduel.matrix.criteria import Borda

Ticket = tuple[float]


TOSSING = np.dtype(
    [
        ("step", "i8"),  # tosses of each arm in this stage
        ("turn", "i8"),  # whose turn it is, a place in the list of arms
        ("n_active", "i8"),
        ("tosses", "f8"),  # of each arm in this stage
        ("nearness", "f8"),  # epsilon of the stage
        ("certainty", "f8"),  # ln(3/delta) of the stage
        ("halving", "i8"),  # whether the better half stays, or the best arm only
    ],
    align=True,
)


class TossingState(NamedTuple):
    """The arrays of `BordaMaxing` and `BordaRanking`."""

    clock: Records  # (1,) TOSSING
    active: Ints  # (K,) the arms left first, in order
    sums: Floats  # (K,) summed outcomes of the stage


TOSSING_RANGES: Ranges = {
    "clock": {
        "step": ranges.COUNT,
        "n_active": ranges.whole(1, "arms"),
        "turn": ranges.below("clock.n_active"),
        "tosses": ranges.WEIGHT,
        "nearness": ranges.WEIGHT,
        "certainty": ranges.WEIGHT,
        "halving": ranges.FIXED,
    },
    "active": ranges.arms_first("clock.n_active"),
    "sums": ranges.halves(0, lambda known: known.state.clock["step"][0] + 1),
}


@inline_kernel
def choose_toss(state: TossingState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the arm whose turn it is and draw its opponent from the others."""
    clock = state.clock[0]
    left = state.active[clock["turn"]]
    if clock["n_active"] == 1:
        return left, left, (1.0,)
    return draw_opponent(left, state.sums.shape[0], rng)


@inline_kernel
def learn_toss(state: TossingState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Take in a toss of the arm whose turn it is; say when the stage is over."""
    clock = state.clock[0]
    if clock["n_active"] == 1 or left != state.active[clock["turn"]]:
        return False
    state.sums[left] += outcome
    clock["turn"] += 1
    if clock["turn"] < clock["n_active"]:
        return False
    clock["turn"] = 0
    clock["step"] += 1
    return clock["step"] >= clock["tosses"]


@kernel
def end_stage(state: TossingState, rng: np.random.Generator) -> None:
    """Keep the better half, or the best arm; of equals the first stays."""
    clock = state.clock[0]
    active, sums = state.active, state.sums
    n_active = clock["n_active"]
    for place in range(1, n_active):
        arm = active[place]
        hole = place
        while hole > 0 and sums[active[hole - 1]] < sums[arm]:
            active[hole] = active[hole - 1]
            hole -= 1
        active[hole] = arm
    n_active = (n_active + 1) // 2 if clock["halving"] else 1
    for place in range(1, n_active):
        arm = active[place]
        hole = place
        while hole > 0 and active[hole - 1] > arm:
            active[hole] = active[hole - 1]
            hole -= 1
        active[hole] = arm
    for arm in range(sums.shape[0]):
        sums[arm] = 0.0
    clock["n_active"] = n_active
    clock["step"] = 0
    clock["nearness"] *= 0.75
    clock["certainty"] += math.log(2.0)
    clock["tosses"] = 4.0 * clock["certainty"] / (clock["nearness"] * clock["nearness"])


@dataclass(frozen=True, eq=False)
class _Tossing(Maxing):
    """What Borda maxing and ranking have in common."""

    _ranges = TOSSING_RANGES
    _ticket = (ranges.CHANCE,)
    _graded: ClassVar = True
    _choose = staticmethod(choose_toss)
    _learn = staticmethod(learn_toss)
    _settle = staticmethod(end_stage)
    _criteria = (Borda,)

    def _begun(
        self, tosses: float, nearness: float, certainty: float, *, halving: bool
    ) -> TossingState:
        clock = np.zeros(1, TOSSING)
        clock["n_active"] = self.n_arms
        clock["tosses"] = tosses
        clock["nearness"] = nearness
        clock["certainty"] = certainty
        clock["halving"] = halving
        return TossingState(clock, np.arange(self.n_arms), np.zeros(self.n_arms))

    def _active_of(self, state: TossingState) -> Ints:
        """Return the arms left."""
        return np.array(state.active[: state.clock[0]["n_active"]])

    def _best_of(self, state: TossingState) -> int:
        """Return the arm left with the best mean in this stage."""
        clock = state.clock[0]
        arms = self._active_of(state)
        tosses = clock["step"] + (np.arange(len(arms)) < clock["turn"])
        means = np.where(tosses > 0, state.sums[arms] / np.maximum(tosses, 1), 0.5)
        return int(arms[means.argmax()])


@dataclass(frozen=True, eq=False)
class BordaMaxing(_Tossing):
    """Borda maxing: median elimination on tosses, then the last arm for ever.

    In stage l every arm left is tossed ``(4 / eps_l^2) ln(3 / delta_l)`` times and the better half
    stays; ``eps_1 = epsilon / 4``, ``delta_1 = delta / 2``, then ``eps <- 3/4 eps`` and
    ``delta <- delta / 2``.

    Parameters
    ----------
    epsilon : float, optional
        How far below the best score the arm may be; by default, with a horizon,
        ``(128 K ln(6/delta) / T)^(1/3)``, where epsilon T and the first stage cost least, at most
        1/2.
    failure : float, optional
        The probability delta of a worse arm; by default 1/T, or 0.01 without a horizon.

    References
    ----------
    By median elimination (Even-Dar, Mannor & Mansour, JMLR 2006). O((K / epsilon^2) ln(1/delta))
    duels find an arm whose Borda score is within epsilon of the best with probability 1 - delta; so
    Borda regret ``(K ln T)^(1/3) T^(2/3)`` in a stationary world; told T or epsilon. The opponent
    of a toss is not the arm itself, an odd arm stays, and the default of epsilon is ours. A round
    costs O(1) on average.

    Examples
    --------
    >>> learner = BordaMaxing(3, epsilon=0.9, failure=0.1)
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), learner.active
    (2, array([2]))
    """

    _literature: ClassVar = Literature(
        MAXING_PAPER, "(K ln T)^(1/3) T^(2/3) Borda, stationary", "T or epsilon", "O(1)"
    )

    def _duels_for(self, log_failure: float) -> float:
        """Return the duels of the first stage."""
        return 64 * self.n_arms * (math.log(6) + log_failure)

    def _allocate(self) -> TossingState:
        """Return a fresh state."""
        nearness = self._epsilon() / 4
        certainty = math.log(6 / self._delta())
        return self._begun(4 * certainty / nearness**2, nearness, certainty, halving=True)


@dataclass(frozen=True, eq=False)
class BordaRanking(_Tossing):
    """Borda ranking: ``(2 / epsilon^2) ln(2 K / delta)`` tosses of every arm, then the best.

    Parameters
    ----------
    epsilon : float, optional
        How far wrong the order of scores may be; by default, with a horizon,
        ``(4 K ln(2K/delta) / T)^(1/3)``, where epsilon T and the tosses cost least, at most 1/2.
    failure : float, optional
        The probability delta of a worse order; by default 1/T, or 0.01 without a horizon.

    References
    ----------
    As other code has it. O((K / epsilon^2) ln(K/delta)) duels sort all arms by Borda score up to
    epsilon; so Borda regret ``(K ln(KT))^(1/3) T^(2/3)`` in a stationary world; told T or epsilon.
    The opponent of a toss is not the arm itself, and the default of epsilon is ours. A round costs
    O(1).

    Examples
    --------
    >>> learner = BordaRanking(3, epsilon=0.5, failure=0.1)
    >>> for _ in range(120):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), learner.active
    (2, array([2]))
    """

    _literature: ClassVar = Literature(
        MAXING_PAPER, "(K ln(KT))^(1/3) T^(2/3) Borda, stationary", "T or epsilon", "O(1)"
    )

    def _duels_for(self, log_failure: float) -> float:
        """Return the duels of all arms."""
        return 2 * self.n_arms * (math.log(2 * self.n_arms) + log_failure)

    def _allocate(self) -> TossingState:
        """Return a fresh state."""
        certainty = math.log(2 * self.n_arms / self._delta())
        epsilon = self._epsilon()
        return self._begun(2 * certainty / epsilon**2, epsilon, certainty, halving=False)
