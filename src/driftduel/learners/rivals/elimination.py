"""Eliminators: stationary learners that drop arms until one is left and then play it alone.

`RRDB` and `SAVAGE` duel the least compared pair of arms left, in numerical order among equals, and
drop an arm once its win rate against another is below 1/2 by more than a radius; they differ in
the radius only and share kernels. `InterleavedFilter` compares one candidate with all others in
turn. `BeatTheMean` compares each arm with the average of the arms left. What was dropped never
returns, so none of them recovers from a change. An outcome that comes late counts as long as both
its arms are left.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import (
    AN_ARM,
    CHANCE,
    COUNT,
    FIXED,
    Known,
    Range,
    Ranges,
    arms_first,
    below,
    equal_to,
    halves,
    is_listed,
    real,
    such_that,
    whole,
)
from driftduel.learners.parts.failure import check_horizon_or
from driftduel.matrix.criteria import Condorcet

Ints = NDArray[np.int64]
Records = NDArray[np.void]
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
    is_active: NDArray[np.bool_]  # (K,)
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
    "tally": {"duels": COUNT, "wins": halves(0, lambda known: known.state.tally["duels"])},
    "clock": {
        "round": COUNT,
        "n_active": whole(1, "arms"),
        "first": AN_ARM,
        "second": such_that("a place after the first among the arms left", _is_next),
        "dropped": AN_ARM,
        **dict.fromkeys(("constant", "per_round", "per_duel", "divisor"), FIXED),
    },
    "active": arms_first("clock.n_active"),
    "is_active": equal_to(
        "whether the arm is left", lambda known: is_listed(known, "active", "clock.n_active")
    ),
    "clock.level": such_that("the duels of the least compared pair", _is_level),
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
class PairElimination(Learner):
    """What `RRDB` and `SAVAGE` have in common; they say how wide the radius is."""

    _: KW_ONLY
    delta: float | None = bounded(None, above=0, most=1)

    _ranges = PAIR_RANGES
    _ticket = (CHANCE,)
    _choose = staticmethod(choose_least_compared)
    _learn = staticmethod(learn_pair)
    _settle = staticmethod(drop_arm)

    _criteria = (Condorcet,)

    @abstractmethod
    def _radius(self) -> tuple[float, float, float, float]:
        """Return the constant, the factors of ln t and ln n, and the divisor; see PAIR_CLOCK."""

    def _validate(self) -> None:
        """Raise BadParameter if neither the confidence nor the horizon is given."""
        check_horizon_or(self, "delta")

    def _failure(self) -> float:
        return self.delta if self.delta is not None else 1 / self._known_horizon

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
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Condorcet.
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
        n_pairs = self.n_arms * (self.n_arms - 1) / 2
        failure = self._failure()
        if self.horizon is None:
            return math.log(math.pi**2 * n_pairs / (3 * failure)), 0.0, 2.0, 2.0
        return math.log(2 * n_pairs * self.horizon / failure), 0.0, 0.0, 2.0


# One candidate against all others: Interleaved Filter.

FILTER_CLOCK = np.dtype(
    [
        ("candidate", "i8"),
        ("n_others", "i8"),
        ("place", "i8"),  # whose turn it is among the others
        ("width", "f8"),  # squared radius times duels
    ],
    align=True,
)

RIVAL = np.dtype([("duels", "i8"), ("wins", "f8"), ("left", "i8")], align=True)
"""An arm against the candidate: duels, wins of the candidate, 1 if it is still there."""


class FilterState(NamedTuple):
    """The arrays of `InterleavedFilter`."""

    clock: Records  # (1,) FILTER_CLOCK
    others: Ints  # (K,) the arms left but for the candidate first, in order
    rivals: Records  # (K,) RIVAL


def _have_met(duels: Ints, known: Known) -> NDArray[np.bool_]:
    """Tell whether those met the candidate who had their turn."""
    had_turn = is_listed(known, "others", "clock.place")
    good: NDArray[np.bool_] = (duels >= had_turn) & (duels <= known.told)
    return good


FILTER_RANGES: Ranges = {
    "clock": {
        "candidate": AN_ARM,
        "n_others": whole(0, lambda known: known.n_arms - 1),
        "place": below("clock.n_others"),
        "width": FIXED,
    },
    "others": arms_first("clock.n_others"),
    "rivals": {
        "left": equal_to(
            "whether the arm is left and not the candidate",
            lambda known: (
                is_listed(known, "others", "clock.n_others")
                & (np.arange(known.n_arms) != known.state.clock["candidate"])
            ),
        ),
        "duels": such_that("the number of its duels", _have_met),
        "wins": halves(0, lambda known: known.state.rivals["duels"]),
    },
}


@inline_kernel
def choose_next_rival(state: FilterState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the candidate and whose turn it is; the candidate twice if no other arm is left."""
    clock = state.clock[0]
    candidate = clock["candidate"]
    right = state.others[clock["place"]] if clock["n_others"] > 0 else candidate
    return candidate, right, (1.0,)


@inline_kernel
def learn_rival(state: FilterState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the outcome; after everyone's turn there are arms to judge."""
    clock = state.clock[0]
    rival = state.rivals[right]
    if left != clock["candidate"] or rival["left"] == 0:
        return False
    rival["duels"] += 1
    rival["wins"] += outcome
    if right == state.others[clock["place"]]:
        clock["place"] += 1
    return clock["place"] == clock["n_others"]


@kernel
def filter_arms(state: FilterState, rng: np.random.Generator) -> None:
    """Drop who is clearly worse than the candidate; replace it if someone is clearly better."""
    clock = state.clock[0]
    better = -1
    for place in range(clock["n_others"]):
        arm = state.others[place]
        rival = state.rivals[arm]
        rate = rival["wins"] / rival["duels"]
        radius = math.sqrt(clock["width"] / rival["duels"])
        if rate - radius > 0.5:
            rival["left"] = 0
        elif rate + radius < 0.5 and better < 0:
            better = arm
    if better >= 0:
        for place in range(clock["n_others"]):
            rival = state.rivals[state.others[place]]
            if rival["wins"] / rival["duels"] > 0.5:
                rival["left"] = 0
            rival["duels"] = 0
            rival["wins"] = 0.0
        clock["candidate"] = better
        state.rivals[better]["left"] = 0
    kept = 0
    for place in range(clock["n_others"]):
        arm = state.others[place]
        if state.rivals[arm]["left"] == 1:
            state.others[kept] = arm
            kept += 1
    clock["n_others"] = kept
    clock["place"] = 0


@dataclass(frozen=True, eq=False)
class InterleavedFilter(Learner):
    """Interleaved Filter 2: a candidate duels all others in turn until one is clearly better.

    After each turn of all others, an arm b is dropped if ``P(c, b) - r > 1/2`` for the candidate
    c, where ``r = sqrt(scale ln(T K^2) / n)``. The first b with ``P(c, b) + r < 1/2`` becomes the
    candidate, and every arm that c has beaten more often than not leaves with c.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Condorcet and the horizon be given.
    scale : float
        The factor in the radius: 4 in the paper; smaller ones drop arms sooner and more often
        wrongly.

    References
    ----------
    Regret O((K / gap) log T), where the gap is that of the two best arms, if preferences are
    strongly transitive and satisfy the triangle inequality; without these it may keep a wrong arm.
    A round costs O(1) on average.

    Examples
    --------
    >>> learner = InterleavedFilter(3, horizon=1000)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _: KW_ONLY
    scale: float = bounded(4.0, above=0)

    _literature: ClassVar = Literature(
        paper="Yue, Broder, Kleinberg & Joachims, The K-armed Dueling Bandits Problem, JCSS 2012",
        bound="(K/gap) log T Condorcet under SST and STI, stationary",
        needs="T",
        cost="O(1)",
    )
    _criteria = (Condorcet,)
    _needs_horizon = True

    _ranges = FILTER_RANGES
    _ticket = (CHANCE,)
    _choose = staticmethod(choose_next_rival)
    _learn = staticmethod(learn_rival)
    _settle = staticmethod(filter_arms)

    def _allocate(self) -> FilterState:
        """Return a fresh state without a candidate."""
        k = self.n_arms
        state = FilterState(np.zeros(1, FILTER_CLOCK), np.arange(k), np.zeros(k, RIVAL))
        state.rivals["left"] = 1
        clock = state.clock[0]
        clock["n_others"] = k - 1
        clock["width"] = self.scale * math.log(self._known_horizon * k**2)
        return state

    def _begin(self, state: FilterState, rng: np.random.Generator) -> None:
        """Draw the first candidate."""
        candidate = int(rng.random() * self.n_arms)
        state.clock["candidate"] = candidate
        state.others[:-1] = np.delete(np.arange(self.n_arms), candidate)
        state.rivals["left"][candidate] = 0

    def _active_of(self, state: FilterState) -> Ints:
        """Return the candidate and the arms not dropped."""
        clock = state.clock[0]
        others = state.others[: clock["n_others"]]
        return np.sort(np.append(others, clock["candidate"]))

    def _best_of(self, state: FilterState) -> int:
        """Return the candidate."""
        return int(state.clock[0]["candidate"])


# Each arm against the average: Beat the Mean.

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

    def holds(values: NDArray[Any], known: Known) -> NDArray[np.bool_]:
        left = is_listed(known, "active", "clock.n_active")
        expected = known.state.tally[name][:, left].sum(axis=1)
        good: NDArray[np.bool_] = (values >= 0) & (values <= known.told)
        return good & ((values == expected) | ~left)

    return such_that("the sum of its tally", holds)


MEAN_RANGES: Ranges = {
    "clock": {"n_active": whole(1, "arms"), "next": AN_ARM, "worst": AN_ARM, "width": FIXED},
    "active": arms_first("clock.n_active"),
    "tally": {"duels": COUNT, "wins": halves(0, lambda known: known.state.tally["duels"])},
    "arms": {
        "left": equal_to(
            "whether the arm is left", lambda known: is_listed(known, "active", "clock.n_active")
        ),
        "duels": _tallied("duels"),
        "wins": _tallied("wins"),
        "rate": real(0, 1),
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
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Condorcet and the horizon be given.
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
    _ticket = (CHANCE,)
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
