"""Beat the Mean: each arm is compared with the average of the arms left, and the worst leaves.

What was dropped never returns, so it does not recover from a change. An outcome that comes late
counts as long as both its arms are left.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Range, Ranges
from driftduel.learners.parts.arrays import Flags, Ints, Records
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float]


TALLY = np.dtype([("duels", "i8"), ("wins", "f8")], align=True)


MEAN_CLOCK = np.dtype(
    [
        ("n_active", "i8"),
        ("next", "i8"),  # the arm that played least
        ("worst", "i8"),  # the arm that settle has to drop
        ("width", "f8"),  # squared radius times duels
    ],
    align=True,
)

MEAN = np.dtype([("duels", "i8"), ("wins", "f8"), ("rate", "f8"), ("left", "i8")], align=True)
"""An arm as the first of a pair: duels, wins, their ratio, and 1 if it is still there."""


class MeanState(NamedTuple):
    """The arrays of `BeatTheMean`."""

    clock: Records  # (1,) MEAN_CLOCK
    active: Ints  # (K,) the active arms first, in order
    arms: Records  # (K,) MEAN
    tally: Records  # (K, K) TALLY of the first arm of a pair against the second


def _tallied(name: str) -> Range:
    """Return what the tally against the arms left sums to, for each of them."""

    def holds(values: NDArray[Any], known: Known) -> Flags:
        left = ranges.is_listed(known, "active", "clock.n_active")
        expected = known.state.tally[name][:, left].sum(axis=1)
        good: Flags = (values >= 0) & (values <= known.told)
        return good & ((values == expected) | ~left)

    return ranges.such_that("the sum of its tally", holds)


MEAN_RANGES: Ranges = {
    "clock": {
        "n_active": ranges.whole(1, "arms"),
        "next": ranges.AN_ARM,
        "worst": ranges.AN_ARM,
        "width": ranges.FIXED,
    },
    "active": ranges.arms_first("clock.n_active"),
    "tally": {
        "duels": ranges.COUNT,
        "wins": ranges.halves(0, lambda known: known.state.tally["duels"]),
    },
    "arms": {
        "left": ranges.equal_to(
            "whether the arm is left",
            lambda known: ranges.is_listed(known, "active", "clock.n_active"),
        ),
        "duels": _tallied("duels"),
        "wins": _tallied("wins"),
        "rate": ranges.real(0, 1),
    },
}


@inline_kernel
def choose_against_mean(state: MeanState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the arm that played least and an opponent drawn from all active arms."""
    clock = state.clock[0]
    n_active = clock["n_active"]
    right = state.active[int(rng.random() * n_active)]
    return clock["next"], right, (1.0 / n_active,)


@inline_kernel
def learn_against_mean(
    state: MeanState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count the outcome for the first arm; ask to drop the worst if it is clearly worst."""
    clock = state.clock[0]
    arm = state.arms[left]
    if clock["n_active"] == 1 or arm["left"] == 0 or state.arms[right]["left"] == 0:
        return False
    tally = state.tally[left, right]
    tally["duels"] += 1
    tally["wins"] += outcome
    arm["duels"] += 1
    arm["wins"] += outcome
    arm["rate"] = arm["wins"] / arm["duels"]
    return survey(state)


@inline_kernel
def survey(state: MeanState) -> bool:
    """Find the arm that played least and the worst arm; return whether the latter must go."""
    clock = state.clock[0]
    least = worst = state.active[0]
    best_rate = state.arms[worst]["rate"]
    for place in range(1, clock["n_active"]):
        arm = state.active[place]
        rate = state.arms[arm]["rate"]
        if state.arms[arm]["duels"] < state.arms[least]["duels"]:
            least = arm
        if rate < state.arms[worst]["rate"]:
            worst = arm
        best_rate = max(best_rate, rate)
    clock["next"] = least
    clock["worst"] = worst
    duels = state.arms[least]["duels"]
    if duels == 0:
        return False
    radius = math.sqrt(clock["width"] / duels)
    return state.arms[worst]["rate"] + radius <= best_rate - radius


@kernel
def drop_worst(state: MeanState, rng: np.random.Generator) -> None:
    """Drop the worst arm and forget every comparison with it."""
    clock = state.clock[0]
    worst = clock["worst"]
    state.arms[worst]["left"] = 0
    kept = 0
    for place in range(clock["n_active"]):
        active = state.active[place]
        if active == worst:
            continue
        state.active[kept] = active
        kept += 1
        arm = state.arms[active]
        arm["duels"] -= state.tally[active, worst]["duels"]
        arm["wins"] -= state.tally[active, worst]["wins"]
        arm["rate"] = arm["wins"] / arm["duels"] if arm["duels"] > 0 else 0.5
    clock["n_active"] = kept
    # One arm may leave per round; whether another one has to is seen in the next.
    survey(state)


@dataclass(frozen=True, eq=False)
class BeatTheMean(Learner):
    """Beat the Mean: drops the arm that does worst against the average of the arms left.

    The arm that was first in the fewest duels is duelled with one drawn from all arms left,
    itself included. The arm with the lowest win rate leaves once it is two radii below the
    highest, ``r = scale gamma^2 sqrt(ln(2 T K) / n)``, where n is the fewest duels of an arm;
    all comparisons with it are then forgotten.

    Parameters
    ----------
    gamma : float
        How far from strong stochastic transitivity preferences may be, 1 for not at all.
    scale : float
        The factor in the radius: 3 in the paper, 1 in practice.

    References
    ----------
    Regret O((gamma^7 K / gap) log T) under relaxed stochastic transitivity. gamma = 1.3 and the
    factor 1 are those of Komiyama et al., COLT 2015, and Wu & Liu, NIPS 2016. Among arms equally
    often first the lowest number plays, which is our choice. A round costs O(K).

    Examples
    --------
    >>> learner = BeatTheMean(3, horizon=2000)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _: KW_ONLY
    gamma: float = bounded(1.3, least=1)
    scale: float = bounded(1.0, above=0)

    _literature: ClassVar = Literature(
        paper="Yue & Joachims, Beat the Mean Bandit, ICML 2011",
        bound="(gamma^7 K/gap) log T Condorcet under relaxed SST, stationary",
        needs="T, gamma",
        cost="O(K)",
    )
    _criteria = (Condorcet,)
    _needs_horizon = True

    _ranges = MEAN_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_against_mean)
    _learn = staticmethod(learn_against_mean)
    _settle = staticmethod(drop_worst)

    def _allocate(self) -> MeanState:
        """Return a fresh state with all arms active."""
        k = self.n_arms
        state = MeanState(
            clock=np.zeros(1, MEAN_CLOCK),
            active=np.arange(k),
            arms=np.zeros(k, MEAN),
            tally=np.zeros((k, k), TALLY),
        )
        state.arms["rate"] = 0.5
        state.arms["left"] = 1
        clock = state.clock[0]
        clock["n_active"] = k
        clock["width"] = (self.scale * self.gamma**2) ** 2 * math.log(2 * self._known_horizon * k)
        return state

    def _active_of(self, state: MeanState) -> Ints:
        """Return the arms not dropped."""
        return np.array(state.active[: state.clock[0]["n_active"]])

    def _best_of(self, state: MeanState) -> int:
        """Return the arm left with the highest win rate."""
        arms = self._active_of(state)
        return int(arms[state.arms["rate"][arms].argmax()])
