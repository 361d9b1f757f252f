"""Borda learners that forget: explore now and then, trust recent outcomes, play the leader.

With probability ``exploration`` a duel explores; otherwise the arm with the best score plays
itself. The score of an arm is its share of wins in exploring duels, old ones discounted or left
out of a window. Greedy learners explore a pair of arms drawn from all and credit both; those with
an upper confidence bound explore the arm with the best ``score + width sqrt(ln W / w)`` against
an arm drawn from all and credit the first, where w is the weight of an arm's outcomes and W that
of all.

Old outcomes are discounted by letting the weight of new ones grow; scores do not notice, so an
exploring duel changes two arms only. Simple as they are, tuned in hindsight they are the strongest
rivals known of METABOSSE in Borda regret.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.memory import (
    EXPLORATION,
    GREEDY_TICKET,
    HEAVIEST,
    WINDOW_RANGES,
    Ticket,
    leader_or_any,
    replace_duel,
)
from driftduel.matrix.criteria import Borda


class DiscountedState(NamedTuple):
    """The arrays of the learners that discount."""

    clock: Records  # (1,)
    weights: Floats  # (K,) summed weights of the outcomes of each arm
    wins: Floats  # (K,) the same times the outcomes


class SlidingState(NamedTuple):
    """The arrays of the learners with a window."""

    clock: Records  # (1,)
    weights: Floats  # (K,)
    wins: Floats  # (K,)
    window: Records  # (W,) the latest explorations, in a ring


ForgettingState = DiscountedState | SlidingState

CLOCK = np.dtype(
    [
        ("leader", "i8"),  # the arm with the best score
        ("promising", "i8"),  # the arm with the largest upper bound
        ("explored", "i8"),  # outcomes of exploring duels
        ("unit", "f8"),  # the weight of a new outcome
        ("total", "f8"),  # the weight of all outcomes
        ("rate", "f8"),  # chance to explore
        ("growth", "f8"),  # 1/discount
        ("width", "f8"),  # of the confidence bound
        ("both", "i8"),  # 1 if the right arm is credited too
    ],
    align=True,
)


_CLOCK_RANGES: Ranges = {
    "leader": ranges.AN_ARM,
    "promising": ranges.AN_ARM,
    "explored": ranges.COUNT,
    "unit": ranges.real(1, HEAVIEST),
    "total": ranges.WEIGHT,
    **dict.fromkeys(("rate", "growth", "width", "both"), ranges.FIXED),
}
DISCOUNTED_RANGES: Ranges = {
    "clock": _CLOCK_RANGES,
    "weights": ranges.WEIGHT,
    "wins": ranges.real(0, "weights"),
}


def _in_window(known: Known, of_wins: bool) -> Floats:
    """Return what the explorations in the window sum to, for each arm."""
    clock = known.state.clock[0]
    window = known.state.window[: clock["explored"]]
    left = np.where(of_wins, window["outcome"], 1.0)
    sums: Floats = np.bincount(window["left"], left, known.n_arms).astype(np.float64)
    if clock["both"]:
        right = np.where(of_wins, 1.0 - window["outcome"], 1.0)
        sums += np.bincount(window["right"], right, known.n_arms)
    return sums


SLIDING_RANGES: Ranges = {
    "clock": _CLOCK_RANGES,
    "window": WINDOW_RANGES,
    "weights": ranges.equal_to("its explorations in the window", lambda k: _in_window(k, False)),
    "wins": ranges.equal_to("its wins in the window", lambda k: _in_window(k, True)),
}


@inline_kernel
def choose_greedily(state: ForgettingState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the leader twice, or now and then two arms drawn from all."""
    clock = state.clock[0]
    return leader_or_any(clock["leader"], clock["rate"], state.wins.shape[0], rng)


@inline_kernel
def choose_by_bound(state: ForgettingState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the leader twice, or now and then the most promising arm and one drawn from all."""
    clock = state.clock[0]
    n_arms = state.wins.shape[0]
    explore = rng.random() < clock["rate"]
    left = clock["leader"]
    right = clock["leader"]
    chance = 0.0
    if explore:
        left = clock["promising"]
        right = int(rng.random() * n_arms)
    if left == clock["promising"]:
        chance += clock["rate"] / n_arms
    if left == clock["leader"] and right == clock["leader"]:
        chance += 1.0 - clock["rate"]
    return left, right, (chance, 1.0 * explore)


@inline_kernel
def find_arms(state: ForgettingState) -> None:
    """Find the leader and, if wanted, the most promising arm."""
    clock = state.clock[0]
    clock["leader"] = leader_of(state)
    if clock["both"] == 0:
        clock["promising"] = most_promising(state)


@kernel
def most_promising(state: ForgettingState) -> int:
    """Return the arm with the largest upper bound; the first one without outcomes if any."""
    clock = state.clock[0]
    level = math.log(max(clock["total"] / clock["unit"], 1.0))
    best = 0
    best_bound = -1.0
    for arm in range(state.wins.shape[0]):
        weight = state.weights[arm]
        if weight == 0.0:
            return arm
        bound = state.wins[arm] / weight
        bound += clock["width"] * math.sqrt(level * clock["unit"] / weight)
        if bound > best_bound:
            best = arm
            best_bound = bound
    return best


@inline_kernel
def learn_with_discount(
    state: DiscountedState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Credit an exploring duel with a weight that grows; ask for help when it is too large."""
    _, explores = ticket
    if explores == 0.0:
        return False
    clock = state.clock[0]
    clock["unit"] *= clock["growth"]
    credit(state, left, right, outcome, clock["unit"])
    find_arms(state)
    return bool(clock["unit"] > HEAVIEST)


@kernel
def lighten(state: DiscountedState, rng: np.random.Generator) -> None:
    """Divide all weights by that of a new outcome."""
    clock = state.clock[0]
    for arm in range(state.wins.shape[0]):
        state.weights[arm] /= clock["unit"]
        state.wins[arm] /= clock["unit"]
    clock["total"] /= clock["unit"]
    clock["unit"] = 1.0


@inline_kernel
def learn_in_window(
    state: SlidingState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Credit an exploring duel and take back the one that leaves the window."""
    _, explores = ticket
    if explores == 0.0:
        return False
    clock = state.clock[0]
    place = clock["explored"] % state.window.shape[0]
    first, second, old = replace_duel(state.window[place], left, right, outcome)
    if clock["explored"] >= state.window.shape[0]:
        credit(state, first, second, old, -1.0)
    clock["explored"] += 1
    credit(state, left, right, outcome, 1.0)
    find_arms(state)
    return False


@inline_kernel
def credit(state: ForgettingState, left: int, right: int, outcome: float, weight: float) -> None:
    """Add an outcome, with a weight, to the left arm and, if wanted, to the right one."""
    clock = state.clock[0]
    state.weights[left] += weight
    state.wins[left] += weight * outcome
    clock["total"] += weight
    if clock["both"] == 1:
        state.weights[right] += weight
        state.wins[right] += weight * (1.0 - outcome)
        clock["total"] += weight


@kernel
def leader_of(state: ForgettingState) -> int:
    """Return the arm with the best score; one without outcomes counts as even."""
    best = 0
    best_score = -1.0
    for arm in range(state.wins.shape[0]):
        score = 0.5
        if state.weights[arm] > 0.0:
            score = state.wins[arm] / state.weights[arm]
        if score > best_score:
            best = arm
            best_score = score
    return best


@dataclass(frozen=True, eq=False)
class _Forgetting(Learner):
    """What the four learners share: a chance to explore, and a leader."""

    _: KW_ONLY
    exploration: float = bounded(0.03, above=0, most=1)

    _graded: ClassVar = True
    _both: ClassVar[bool]
    _ticket = GREEDY_TICKET

    _criteria = (Borda,)

    def _clock(self) -> Records:
        clock = np.zeros(1, CLOCK)
        clock["unit"] = 1.0
        clock["growth"] = 1.0
        clock["rate"] = self.exploration
        clock["both"] = self._both
        return clock

    def _best_of(self, state: ForgettingState) -> int:
        """Return the arm with the best score."""
        return int(state.clock[0]["leader"])


@dataclass(frozen=True, eq=False)
class _Discounted(_Forgetting):
    """The learners that discount."""

    _: KW_ONLY
    memory: float = bounded(200.0, above=1)

    _ranges = DISCOUNTED_RANGES
    _learn = staticmethod(learn_with_discount)
    _settle = staticmethod(lighten)

    def _allocate(self) -> DiscountedState:
        """Return a fresh state."""
        state = DiscountedState(self._clock(), np.zeros(self.n_arms), np.zeros(self.n_arms))
        state.clock["growth"] = 1 / (1 - 1 / self.memory)
        return state


@dataclass(frozen=True, eq=False)
class _Sliding(_Forgetting):
    """The learners with a window."""

    _: KW_ONLY
    window: int = bounded(400, least=1, most=2**30)

    _ranges = SLIDING_RANGES
    _learn = staticmethod(learn_in_window)

    def _allocate(self) -> SlidingState:
        """Return a fresh state."""
        zeros = np.zeros(self.n_arms)
        return SlidingState(self._clock(), zeros, zeros.copy(), np.zeros(self.window, EXPLORATION))


@dataclass(frozen=True, eq=False)
class _Bounded(_Forgetting):
    """The learners with an upper confidence bound."""

    _: KW_ONLY
    width: float = bounded(0.4, above=0)

    _both = False
    _choose = staticmethod(choose_by_bound)

    def _clock(self) -> Records:
        clock = super()._clock()
        clock["width"] = self.width
        return clock


@dataclass(frozen=True, eq=False)
class DiscountedBordaGreedy(_Discounted):
    """Epsilon-greedy by discounted Borda scores.

    Parameters
    ----------
    exploration : float
        The chance to explore; .007 to .1 were best in hindsight on problems of 3 to 50 arms.
    memory : float
        How many explorations are remembered, ``1/(1 - discount)``; 30 to 1600 were best.

    References
    ----------
    Folklore. No regret bound is known to us: with a constant chance to explore regret is linear,
    at that rate. The defaults are the middle of what was best in hindsight. A round costs O(1),
    one that explores O(K).

    Examples
    --------
    >>> learner = DiscountedBordaGreedy(3, exploration=0.5, memory=20, seed=1)
    >>> for n in range(400):
    ...     duel = learner.ask()
    ...     best = 0 if n < 200 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    ...     if n in (199, 399):
    ...         print(learner.best())
    0
    2
    """

    _literature: ClassVar = Literature(
        paper="", bound="linear at the chance to explore", needs="memory", cost="O(1)"
    )

    _both = True
    _choose = staticmethod(choose_greedily)


@dataclass(frozen=True, eq=False)
class SlidingBordaGreedy(_Sliding):
    """Epsilon-greedy by Borda scores over a sliding window.

    Parameters
    ----------
    exploration : float
        The chance to explore.
    window : int
        How many explorations are remembered.

    References
    ----------
    Folklore, as `DiscountedBordaGreedy` with a window of twice its memory, whose outcomes have
    the same mean age. A round costs O(1), one that explores O(K).

    Examples
    --------
    >>> learner = SlidingBordaGreedy(3, exploration=0.5, window=40, seed=1)
    >>> for n in range(400):
    ...     duel = learner.ask()
    ...     best = 0 if n < 200 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _literature: ClassVar = Literature(
        paper="", bound="linear at the chance to explore", needs="window", cost="O(1)"
    )

    _both = True
    _choose = staticmethod(choose_greedily)


@dataclass(frozen=True, eq=False)
class DiscountedBordaUCB(_Bounded, _Discounted):
    """Explores the arm that may be best by discounted Borda scores, and plays the leader.

    Parameters
    ----------
    exploration : float
        The chance to explore; .007 to .1 were best in hindsight on problems of 3 to 50 arms.
    memory : float
        How many explorations are remembered, ``1/(1 - discount)``; 30 to 1600 were best.
    width : float
        The factor c of the confidence bound; .2 to .7 were best.

    References
    ----------
    After their discounted UCB. No bound on the Borda regret is known to us: with a constant chance
    to explore regret is linear, at that rate. The defaults are the middle of what was best in
    hindsight. A round costs O(1), one that explores O(K).

    Examples
    --------
    >>> learner = DiscountedBordaUCB(3, exploration=0.5, memory=20, seed=1)
    >>> for n in range(400):
    ...     duel = learner.ask()
    ...     best = 0 if n < 200 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _literature: ClassVar = Literature(
        paper="after Garivier & Moulines, On Upper-Confidence Bound Policies for Switching Bandit "
        "Problems, ALT 2011",
        bound="linear at the chance to explore",
        needs="memory",
        cost="O(1)",
    )


@dataclass(frozen=True, eq=False)
class SlidingBordaUCB(_Bounded, _Sliding):
    """Explores the arm that may be best by Borda scores over a window, and plays the leader.

    Parameters
    ----------
    exploration : float
        The chance to explore.
    window : int
        How many explorations are remembered.
    width : float
        The factor c of the confidence bound.

    References
    ----------
    After their sliding-window UCB; otherwise as `DiscountedBordaUCB`.

    Examples
    --------
    >>> learner = SlidingBordaUCB(3, exploration=0.5, window=40, seed=1)
    >>> for n in range(400):
    ...     duel = learner.ask()
    ...     best = 0 if n < 200 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _literature: ClassVar = Literature(
        paper="after Garivier & Moulines, On Upper-Confidence Bound Policies for Switching Bandit "
        "Problems, ALT 2011",
        bound="linear at the chance to explore",
        needs="window",
        cost="O(1)",
    )
