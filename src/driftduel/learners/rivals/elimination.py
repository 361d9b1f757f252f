"""Eliminators of pairs: the least compared pair of arms left duels, and clear losers leave.

`RRDB` and `SAVAGE` duel the least compared pair of arms left, in numerical order among equals, and
drop an arm once its win rate against another is below 1/2 by more than a radius; they differ in
the radius only and share kernels. The last arm left is played alone. What was dropped never
returns, so neither recovers from a change. An outcome that comes late counts as long as both its
arms are left.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Ints, Records
from driftduel.learners.parts.failure import ToldDelta
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float]


TALLY = np.dtype([("duels", "i8"), ("wins", "f8")], align=True)


PAIR_CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("n_active", "i8"),
        ("first", "i8"),  # places of the next pair among the active arms
        ("second", "i8"),
        ("level", "i8"),  # how often the least compared pair was played
        ("dropped", "i8"),  # the arm that settle has to drop
        ("constant", "f8"),  # squared radius times duels: (constant + per_round ln t
        ("per_round", "f8"),  # + per_duel ln n) / divisor
        ("per_duel", "f8"),
        ("divisor", "f8"),
    ],
    align=True,
)


class PairState(NamedTuple):
    """The arrays of `RRDB` and `SAVAGE`."""

    clock: Records  # (1,) PAIR_CLOCK
    active: Ints  # (K,) the active arms first, in order
    is_active: Flags  # (K,)
    tally: Records  # (K, K) TALLY of the lower arm against the higher one


_MOST_AHEAD = 2**24
"""How much more often than others a pair can have been played, by outcomes that came late."""


def _is_next(second: Ints, known: Known) -> bool:
    clock = known.state.clock[0]
    if clock["n_active"] == 1:
        return bool(clock["first"] == second[0] == 0)
    return bool(0 <= clock["first"] < second[0] < clock["n_active"])


def _is_level(level: Ints, known: Known) -> bool:
    """Tell whether the pair to come is the least compared; the others are not far ahead."""
    clock, state = known.state.clock[0], known.state
    if clock["n_active"] == 1:
        return bool(0 <= level[0] <= known.told)
    arms = state.active[: clock["n_active"]]
    duels = state.tally["duels"][np.ix_(arms, arms)]
    others = duels[np.triu_indices(len(arms), 1)]
    return bool(
        level[0] == duels[clock["first"], clock["second"]] == others.min()
        and others.max() - level[0] <= _MOST_AHEAD
    )


PAIR_RANGES: Ranges = {
    "tally": {
        "duels": ranges.COUNT,
        "wins": ranges.halves(0, lambda known: known.state.tally["duels"]),
    },
    "clock": {
        "round": ranges.COUNT,
        "n_active": ranges.whole(1, "arms"),
        "first": ranges.AN_ARM,
        "second": ranges.such_that("a place after the first among the arms left", _is_next),
        "dropped": ranges.AN_ARM,
        **dict.fromkeys(("constant", "per_round", "per_duel", "divisor"), ranges.FIXED),
    },
    "active": ranges.arms_first("clock.n_active"),
    "is_active": ranges.equal_to(
        "whether the arm is left", lambda known: ranges.is_listed(known, "active", "clock.n_active")
    ),
    "clock.level": ranges.such_that("the duels of the least compared pair", _is_level),
}


@inline_kernel
def choose_least_compared(state: PairState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the least compared pair; the last arm left is a pair with itself."""
    clock = state.clock[0]
    return state.active[clock["first"]], state.active[clock["second"]], (1.0,)


@inline_kernel
def learn_pair(state: PairState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the outcome; an arm is dropped if the pair is decided, else the next pair is due."""
    clock = state.clock[0]
    clock["round"] += 1
    if left == right or not (state.is_active[left] and state.is_active[right]):
        return False
    tally = state.tally[left, right]
    tally["duels"] += 1
    tally["wins"] += outcome
    duels = tally["duels"]
    lead = tally["wins"] - 0.5 * duels
    # Only the radius of this pair shrank; the logarithms are left out as long as they can be.
    evidence = clock["divisor"] * lead * lead
    if evidence > duels * clock["constant"]:
        growth = clock["per_round"] * math.log(clock["round"])
        growth += clock["per_duel"] * math.log(duels)
        if evidence > duels * (clock["constant"] + growth):
            clock["dropped"] = right if lead > 0 else left
            return True
    if left == state.active[clock["first"]] and right == state.active[clock["second"]]:
        next_pair(state)
    return False


@inline_kernel
def next_pair(state: PairState) -> None:
    """Move on to the least compared pair of active arms, the first in order among equals.

    Pairs before the current one were played more than ``level`` times, the others at least so
    often; late outcomes can only add to that.
    """
    clock = state.clock[0]
    first, second = clock["first"], clock["second"]
    while True:
        second += 1
        if second == clock["n_active"]:
            first += 1
            second = first + 1
            if second == clock["n_active"]:
                first, second = 0, 1
                clock["level"] += 1
        if state.tally[state.active[first], state.active[second]]["duels"] <= clock["level"]:
            break
    clock["first"], clock["second"] = first, second


@kernel
def drop_arm(state: PairState, rng: np.random.Generator) -> None:
    """Drop the arm that lost and look for the least compared pair of those left."""
    clock = state.clock[0]
    state.is_active[clock["dropped"]] = False
    kept = 0
    for place in range(clock["n_active"]):
        arm = state.active[place]
        if state.is_active[arm]:
            state.active[kept] = arm
            kept += 1
    clock["n_active"] = kept
    clock["first"], clock["second"] = 0, min(1, kept - 1)
    if kept > 1 and state.tally[state.active[0], state.active[1]]["duels"] > clock["level"]:
        next_pair(state)


@dataclass(frozen=True, eq=False)
class PairElimination(ToldDelta):
    """What `RRDB` and `SAVAGE` have in common; they say how wide the radius is."""

    _ranges = PAIR_RANGES
    _ticket = (ranges.CHANCE,)
    _graded: ClassVar = True
    _choose = staticmethod(choose_least_compared)
    _learn = staticmethod(learn_pair)
    _settle = staticmethod(drop_arm)

    _criteria = (Condorcet,)

    @abstractmethod
    def _radius(self) -> tuple[float, float, float, float]:
        """Return the constant, the factors of ln t and ln n, and the divisor; see PAIR_CLOCK."""

    def _allocate(self) -> PairState:
        """Return a fresh state with all arms active."""
        k = self.n_arms
        state = PairState(
            clock=np.zeros(1, PAIR_CLOCK),
            active=np.arange(k),
            is_active=np.ones(k, np.bool_),
            tally=np.zeros((k, k), TALLY),
        )
        clock = state.clock[0]
        clock["n_active"] = k
        clock["second"] = 1
        names = ("constant", "per_round", "per_duel", "divisor")
        for name, value in zip(names, self._radius(), strict=True):
            clock[name] = value
        return state

    def _active_of(self, state: PairState) -> Ints:
        """Return the arms not dropped."""
        return np.array(state.active[: state.clock[0]["n_active"]])

    def _best_of(self, state: PairState) -> int:
        """Return the arm left whose worst win rate against another one left is best."""
        arms = self._active_of(state)
        tally = state.tally[np.ix_(arms, arms)]
        lead = tally["wins"] - tally["duels"] / 2
        rate = lead / np.maximum(tally["duels"], 1)
        return int(arms[(rate - rate.T).min(axis=1).argmax()])


@dataclass(frozen=True, eq=False)
class RRDB(PairElimination):
    """Round-Robin Dueling Bandit: duels all pairs left in turn and drops who clearly loses.

    Arm i is dropped once ``p_ij + sqrt(ln(K t / delta) / n_ij) < 1/2`` for an arm j left.

    Parameters
    ----------
    delta : float, optional
        The probability to drop a Condorcet winner; by default 1/T. It must be given if there is
        no horizon.

    References
    ----------
    Regret ``K^2 / 2 + 4 sum_i (i - 1) ln(K T / delta) / gap_i``, at most ``2 K sqrt(T ln(K T /
    delta))``. The paper leaves the order of equally often compared pairs open, here it is
    numerical, and delta = 1/T is our choice. A round costs O(1) on average.

    Examples
    --------
    >>> learner = RRDB(3, horizon=1000)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _literature: ClassVar = Literature(
        paper="Saha & Gaillard, Versatile Dueling Bandits, ICML 2022, Algorithm 1",
        bound="K^2/2 + 4 sum (i-1) ln(KT/delta)/gap_i Condorcet, at most 2K sqrt(T ln(KT/delta)); "
        "stationary",
        needs="T or delta",
        cost="O(1)",
    )

    def _radius(self) -> tuple[float, float, float, float]:
        return math.log(self.n_arms / self._failure()), 1.0, 0.0, 1.0


@dataclass(frozen=True, eq=False)
class SAVAGE(PairElimination):
    """Sensitivity Analysis of VAriables for Generic Exploration, for a Condorcet winner.

    The least compared pair of possible winners is duelled; arm i is out once
    ``p_ij + c(n_ij) < 1/2`` for some j, with ``c(n) = sqrt(ln(eta / delta) / (2 n))``. Here eta
    is ``2 N T`` with ``N = K (K - 1) / 2``, or ``pi^2 N n^2 / 3`` if there is no horizon. The
    last possible winner is then played alone.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Condorcet. `CopelandSAVAGE` and `BordaSAVAGE`
        are for other winners.
    delta : float, optional
        The probability of an error; by default 1/T. It must be given if there is no horizon.

    References
    ----------
    Regret O(K^2 log T). The order of equally often compared pairs is numerical, which is our
    choice; delta = 1/T is that of Komiyama et al., COLT 2015. A round costs O(1) on average.

    Examples
    --------
    >>> learner = SAVAGE(3, horizon=1000)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _literature: ClassVar = Literature(
        paper="Urvoy, Clerot, Feraud & Naamane, Generic Exploration and K-armed Voting Bandits, "
        "ICML 2013",
        bound="K^2 log T Condorcet, stationary",
        needs="T or delta",
        cost="O(1)",
    )

    def _radius(self) -> tuple[float, float, float, float]:
        constant, per_duel = self._savage_level(self.n_arms * (self.n_arms - 1) / 2)
        return constant, 0.0, per_duel, 2.0
