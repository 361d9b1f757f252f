"""Winner Stays and Beat the Winner Reset: the winner of a duel meets the next challenger.

Both keep almost nothing in mind and must be told nothing. The weak forms make the regret of the
better of the two arms small; the strong forms put stretches between, in which the arm in front
plays itself. `WinnerStays` goes by wins minus losses of all time, so a change takes it as long to
notice as it took to get there. `BeatTheWinnerReset` asks for more and more wins of a challenger,
but starts again at one win whenever a challenger got through.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._jit import inline_kernel, kernel
from driftduel.criteria import Condorcet, Criterion
from driftduel.learners.base import Learner, Literature, as_positive
from driftduel.learners.rivals.elimination import check_condorcet

Records = NDArray[np.void]

_LONG = 10**15
"""More rounds than anyone plays; no rest is longer."""


def check_growth(growth: float) -> None:
    """Raise ValueError unless rests get longer."""
    if as_positive(growth, "growth") <= 1:
        raise ValueError(f"growth is {growth}, must be above 1")


@inline_kernel
def rest_after(growth: float, number: int) -> int:
    """Return ``floor(growth^number)``, the rounds of rest after a stage; 0 for weak forms."""
    if growth == 0.0:
        return 0
    return int(growth**number) if number * math.log(growth) < 34.0 else _LONG


# Winner Stays.

LEADER = np.dtype(
    [
        ("first", "i8"),  # the arm in front
        ("second", "i8"),
        ("stage", "i8"),  # the stage being played, from 1
        ("rest", "i8"),  # rounds for which the arm in front still plays itself
        ("growth", "f8"),  # of rests; 0 for none
        ("outside", "f8"),  # the largest lead of the arms outside the pair
    ],
    align=True,
)

LeadTicket = tuple[float]


class LeadState(NamedTuple):
    """The arrays of `WinnerStays`."""

    clock: Records  # (1,) LEADER
    leads: NDArray[np.float64]  # (K,) wins minus losses


@kernel
def begin_leads(state: LeadState, rng: np.random.Generator) -> None:
    """Forget everything and draw a pair; the growth stays."""
    for arm in range(state.leads.shape[0]):
        state.leads[arm] = 0.0
    clock = state.clock[0]
    clock["stage"] = 1
    clock["rest"] = 0
    clock["first"] = -1
    clock["second"] = -1
    pick_pair(state, rng)


@inline_kernel
def choose_leaders(state: LeadState, rng: np.random.Generator) -> tuple[int, int, LeadTicket]:
    """Return the two arms in front, or in a rest the first of them twice."""
    clock = state.clock[0]
    right = clock["first"] if clock["rest"] > 0 else clock["second"]
    return clock["first"], right, (1.0,)


@inline_kernel
def learn_lead(state: LeadState, left: int, right: int, ticket: LeadTicket, outcome: float) -> bool:
    """Count a win and a loss; a new pair or a rest is due if others may be in front now."""
    clock = state.clock[0]
    if left == right:
        clock["rest"] -= min(1, clock["rest"])
        return False
    state.leads[left] += 2.0 * outcome - 1.0
    state.leads[right] -= 2.0 * outcome - 1.0
    first, second = clock["first"], clock["second"]
    if min(left, right) != min(first, second) or max(left, right) != max(first, second):
        return True
    if min(state.leads[first], state.leads[second]) < clock["outside"]:
        return True
    if state.leads[second] > state.leads[first]:
        clock["first"], clock["second"] = second, first
    return state.leads[clock["first"]] >= (state.leads.shape[0] - 1) * clock["stage"]


@kernel
def settle_leads(state: LeadState, rng: np.random.Generator) -> None:
    """Pick the pair, and rest if the arm in front has won a stage against all others."""
    pick_pair(state, rng)
    clock = state.clock[0]
    others = state.leads.shape[0] - 1
    while state.leads[clock["first"]] >= others * clock["stage"]:
        rest = clock["rest"] + rest_after(clock["growth"], clock["stage"])
        clock["rest"] = min(rest, _LONG)
        clock["stage"] += 1


@kernel
def pick_pair(state: LeadState, rng: np.random.Generator) -> None:
    """Make the arms with the largest leads the pair, and note the largest lead of the others."""
    clock = state.clock[0]
    first = front(state, rng, -1)
    second = front(state, rng, first)
    clock["first"], clock["second"] = first, second
    outside = -np.inf
    for arm in range(state.leads.shape[0]):
        if arm not in (first, second):
            outside = max(outside, state.leads[arm])
    clock["outside"] = outside


@kernel
def front(state: LeadState, rng: np.random.Generator, but: int) -> int:
    """Return the arm with the largest lead but one; equals go to the old pair, then to chance."""
    clock = state.clock[0]
    most = -np.inf
    n_equal = 0
    for arm in range(state.leads.shape[0]):
        if arm == but:
            continue
        if state.leads[arm] > most:
            most = state.leads[arm]
            n_equal = 1
        elif state.leads[arm] == most:
            n_equal += 1
    for old in (clock["first"], clock["second"]):
        if old >= 0 and old != but and state.leads[old] == most:
            return old
    skip = int(rng.random() * n_equal) if n_equal > 1 else 0
    for arm in range(state.leads.shape[0]):
        if arm != but and state.leads[arm] == most:
            if skip == 0:
                return arm
            skip -= 1
    return but


@dataclass(frozen=True, eq=False)
class WinnerStays(Learner):
    """Winner Stays for weak regret: duels the two arms with the most wins minus losses.

    Among equals the previous pair comes first, in its order, then chance decides.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Condorcet, the horizon does not matter.

    References
    ----------
    Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017, WS-W. Weak regret
    ``K / (2p - 1)^2 + p K^2 / (2p - 1)^3`` for all T if every win of a better arm has probability
    p or more, O(K log K) under a total order. A round costs O(1), O(K) when the pair changes.

    Examples
    --------
    >>> learner = WinnerStays(3, seed=1)
    >>> for _ in range(50):
    ...     duel = learner.ask()
    ...     learner.tell(duel, float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    criterion: Criterion = field(default_factory=Condorcet)

    literature: ClassVar = Literature(
        paper="Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017, WS-W",
        bound="weak: K/(2p-1)^2 + pK^2/(2p-1)^3 for all T, K log K under a total order; stationary",
        told="nothing",
        cost="O(1), O(K) when the pair changes",
    )

    choose = staticmethod(choose_leaders)
    learn = staticmethod(learn_lead)
    settle = staticmethod(settle_leads)

    @property
    def _growth(self) -> float:
        return 0.0

    def validate(self) -> None:
        """Raise ValueError if the criterion is another one."""
        check_condorcet(self)

    def allocate(self) -> LeadState:
        """Return a fresh state without a pair."""
        return no_leads(self.n_arms, self._growth)

    def begin(self, state: LeadState, rng: np.random.Generator) -> None:
        """Draw the first pair."""
        begin_leads(state, rng)

    def best_of(self, state: LeadState) -> int:
        """Return the arm in front."""
        return int(state.clock[0]["first"])


def no_leads(n_arms: int, growth: float) -> LeadState:
    """Return the state of Winner Stays before `begin_leads`, also for learners that hold one."""
    state = LeadState(np.zeros(1, LEADER), np.zeros(n_arms))
    state.clock[0]["growth"] = growth
    return state


@dataclass(frozen=True, eq=False)
class WinnerStaysStrong(WinnerStays):
    """Winner Stays for strong regret: after each stage the arm in front plays itself for a while.

    Stage l ends when the arm in front has ``(K - 1) l`` wins more than losses, which is when it
    has got every other arm down to ``-l``. Then it plays itself ``floor(growth^l)`` times.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for `WinnerStays`.
    growth : float
        The paper's beta, above 1 and below ``p / (1 - p)`` if every win of a better arm has
        probability p or more.

    References
    ----------
    Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017, WS-S. Regret O(K^2 + K log T).
    growth = 1.05 is that of Kolpaczki, Bengs & Huellermeier. A stage is defined by the lead alone,
    which is the paper's stage if no outcome comes late. A round costs O(1), O(K) when the pair
    changes.

    Examples
    --------
    >>> learner = WinnerStaysStrong(3, seed=1)
    >>> for _ in range(500):
    ...     duel = learner.ask()
    ...     learner.tell(duel, float(duel.left < duel.right))
    >>> duel.left, duel.right, learner.best()
    (0, 0, 0)
    """

    _: KW_ONLY
    growth: float = 1.05

    literature: ClassVar = Literature(
        paper="Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017, WS-S",
        bound="K^2 + K log T Condorcet, stationary",
        told="growth below p/(1-p)",
        cost="O(1), O(K) when the pair changes",
    )

    @property
    def _growth(self) -> float:
        return self.growth

    def validate(self) -> None:
        """Raise ValueError if the criterion or the growth is wrong."""
        super().validate()
        check_growth(self.growth)


# Beat the Winner, with and without reset.

RACE = np.dtype(
    [
        ("incumbent", "i8"),
        ("challenger", "i8"),
        ("length", "i8"),  # wins it takes to win the race
        ("version", "i8"),  # number of the race
        ("head", "i8"),  # of the queue, which is a ring
        ("rest", "i8"),  # rounds for which the incumbent still plays itself
        ("resets", "i8"),  # 1 if a challenger's win makes the next race short again
        ("growth", "f8"),  # of rests; 0 for none
        ("incumbent_wins", "f8"),
        ("challenger_wins", "f8"),
    ],
    align=True,
)

RaceTicket = tuple[float, float]
"""Propensity and number of the race."""


class RaceState(NamedTuple):
    """The arrays of `BeatTheWinnerReset`."""

    clock: Records  # (1,) RACE
    queue: NDArray[np.int64]  # (K,) the arms that wait, K - 2 of them from the head on


@kernel
def begin_races(state: RaceState, rng: np.random.Generator) -> None:
    """Forget everything and shuffle the arms; the rules stay, and so does the count of races."""
    n_arms = state.queue.shape[0]
    for place in range(n_arms):
        state.queue[place] = place
    for place in range(n_arms - 1, 0, -1):
        other = int(rng.random() * (place + 1))
        kept = state.queue[place]
        state.queue[place] = state.queue[other]
        state.queue[other] = kept
    clock = state.clock[0]
    clock["incumbent"] = state.queue[0]
    clock["challenger"] = state.queue[1]
    clock["head"] = 2 % n_arms
    clock["length"] = 1
    clock["rest"] = 0
    clock["incumbent_wins"] = 0.0
    clock["challenger_wins"] = 0.0
    clock["version"] += 1


@inline_kernel
def choose_race(state: RaceState, rng: np.random.Generator) -> tuple[int, int, RaceTicket]:
    """Return incumbent and challenger, or in a rest the incumbent twice."""
    clock = state.clock[0]
    right = clock["incumbent"] if clock["rest"] > 0 else clock["challenger"]
    return clock["incumbent"], right, (1.0, float(clock["version"]))


@inline_kernel
def learn_race(state: RaceState, left: int, right: int, ticket: RaceTicket, outcome: float) -> bool:
    """Count a win of the race; outcomes of races that are over do not count."""
    clock = state.clock[0]
    if ticket[1] != clock["version"]:
        return False
    if left == right:
        clock["rest"] -= min(1, clock["rest"])
        return False
    clock["incumbent_wins"] += outcome
    clock["challenger_wins"] += 1.0 - outcome
    if max(clock["incumbent_wins"], clock["challenger_wins"]) >= clock["length"]:
        finish_race(state)
    return False


@kernel
def finish_race(state: RaceState) -> None:
    """Send the loser to the back of the queue and call the next challenger."""
    clock = state.clock[0]
    length = clock["length"]
    clock["length"] = length + 1
    loser = clock["challenger"]
    # Ties can bring both home at once; then the incumbent was not beaten.
    if clock["incumbent_wins"] < length:
        loser = clock["incumbent"]
        clock["incumbent"] = clock["challenger"]
        if clock["resets"] == 1:
            clock["length"] = 1
    n_arms = state.queue.shape[0]
    state.queue[(clock["head"] + n_arms - 2) % n_arms] = loser
    clock["challenger"] = state.queue[clock["head"]]
    clock["head"] = (clock["head"] + 1) % n_arms
    clock["incumbent_wins"] = 0.0
    clock["challenger_wins"] = 0.0
    clock["version"] += 1
    clock["rest"] = rest_after(clock["growth"], length)


@dataclass(frozen=True, eq=False)
class BeatTheWinnerReset(Learner):
    """Beat the Winner Reset, for weak regret in worlds that change: races of growing length.

    An incumbent races the next arm of a queue until one of them has r wins; the loser goes to the
    back of the queue. r grows by one if the incumbent stays and is 1 again if it does not. A tie
    is half a win for both; if both reach r at once the incumbent stays.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Condorcet, the horizon does not matter.

    References
    ----------
    Kolpaczki, Bengs & Huellermeier, Piecewise-Stationary Dueling Bandits, TMLR 2024. Weak regret of
    order K log K / gap^2 for each stretch without change; the exponents are from memory, not
    checked in the paper. An outcome that comes after its race is over does not count, which is
    our choice. A round costs O(1).

    Examples
    --------
    >>> learner = BeatTheWinnerReset(3, seed=1)
    >>> for n in range(400):
    ...     duel = learner.ask()
    ...     best = 0 if n < 200 else 2
    ...     learner.tell(duel, 1.0 if duel.left == best else 0.0 if duel.right == best else 0.5)
    >>> learner.best()
    2
    """

    _: KW_ONLY
    criterion: Criterion = field(default_factory=Condorcet)

    literature: ClassVar = Literature(
        paper="Kolpaczki, Bengs & Huellermeier, Piecewise-Stationary Dueling Bandits, TMLR 2024",
        bound="weak: about M K log K / gap^2 with M stretches (constants not checked)",
        told="nothing",
        cost="O(1)",
    )

    choose = staticmethod(choose_race)
    learn = staticmethod(learn_race)

    @property
    def _growth(self) -> float:
        return 0.0

    def validate(self) -> None:
        """Raise ValueError if the criterion is another one."""
        check_condorcet(self)

    def allocate(self) -> RaceState:
        """Return a fresh state without a queue."""
        return no_races(self.n_arms, self._growth)

    def begin(self, state: RaceState, rng: np.random.Generator) -> None:
        """Draw the queue."""
        begin_races(state, rng)

    def best_of(self, state: RaceState) -> int:
        """Return the incumbent."""
        return int(state.clock[0]["incumbent"])


def no_races(n_arms: int, growth: float, *, resets: bool = True) -> RaceState:
    """Return the state of Beat the Winner before `begin_races`, also for learners that hold one."""
    state = RaceState(np.zeros(1, RACE), np.zeros(n_arms, np.int64))
    state.clock[0]["growth"] = growth
    state.clock[0]["resets"] = resets
    return state


@dataclass(frozen=True, eq=False)
class BeatTheWinnerResetStrong(BeatTheWinnerReset):
    """Beat the Winner Reset for strong regret: after each race its winner plays itself for a while.

    After a race to r wins the winner plays itself ``floor(growth^r)`` times.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for `BeatTheWinnerReset`.
    growth : float
        How much longer each rest is than the one before, above 1.

    References
    ----------
    Kolpaczki, Bengs & Huellermeier, Piecewise-Stationary Dueling Bandits, TMLR 2024, whose code has
    it with growth = 1.05; no bound is known to us. There the exponent counts races and never
    falls, so that after the first lost race it rests for ever. Here it is the length of the race,
    which is 1 again after a loss: our choice. A round costs O(1).

    Examples
    --------
    >>> learner = BeatTheWinnerResetStrong(3, seed=1)
    >>> for n in range(4000):
    ...     duel = learner.ask()
    ...     best = 0 if n < 2000 else 2
    ...     learner.tell(duel, 1.0 if duel.left == best else 0.0 if duel.right == best else 0.5)
    >>> learner.best()
    2
    """

    _: KW_ONLY
    growth: float = 1.05

    literature: ClassVar = Literature(
        paper="Kolpaczki, Bengs & Huellermeier, Piecewise-Stationary Dueling Bandits, TMLR 2024",
        bound="none known to us",
        told="nothing",
        cost="O(1)",
    )

    @property
    def _growth(self) -> float:
        return self.growth

    def validate(self) -> None:
        """Raise ValueError if the criterion or the growth is wrong."""
        super().validate()
        check_growth(self.growth)
