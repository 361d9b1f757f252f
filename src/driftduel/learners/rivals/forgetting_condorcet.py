"""Learners of a Condorcet winner that forget: RUCB with a fading memory, and epsilon-greedy.

RUCB asks of each pair for u_ij = w_ij/N_ij + sqrt(alpha ln n / N_ij), see
`driftduel.learners.rivals.rucb`. Here w_ij and N_ij count duels of the last rounds only, or older
ones for less, and n counts the rounds that are remembered. As N_ij shrinks, u_ij grows until the
pair is tried again; a pair without a duel in memory is tried first, u_ij is infinite.

Discounting lets the weight of a new duel grow, as in `driftduel.learners.rivals.forgetting`: in
units of that weight the bonus alpha ln n grows with time and the counts of a pair change with its
duels alone, so the verdicts of RUCB serve as they are, and a round costs what it costs there.

Epsilon-greedy explores pairs drawn from all and plays the arm that is ahead of most others.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._jit import inline_kernel, kernel
from driftduel.criteria import Condorcet, Criterion
from driftduel.learners.base import Learner, Literature, as_count, as_positive
from driftduel.learners.parts.verdicts import (
    Verdicts,
    check_seeks_condorcet,
    judge,
    lift,
    likely_winner,
    no_verdicts,
)
from driftduel.learners.rivals.forgetting import (
    EXPLORATION,
    HEAVIEST,
    check_memory,
    choose_greedily,
)
from driftduel.learners.rivals.rucb import HOPES, choose_rucb, settle_rucb

Ticket = tuple[float]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FADING = np.dtype(
    [
        ("unit", "f8"),  # the weight of a new duel
        ("growth", "f8"),  # 1/discount
        ("rounds", "f8"),  # n, the discounted number of rounds
    ],
    align=True,
)


class DiscountedRUCBState(NamedTuple):
    """The arrays of `DiscountedRUCB`: those of RUCB, in growing units, and the unit."""

    verdicts: Verdicts
    rate: Floats  # (K, K) how often the column beat the row, w/N
    width: Floats  # (K, K) 1/sqrt(N)
    hopeful: Ints  # (K,)
    hopes: NDArray[np.void]  # (1,)
    fading: NDArray[np.void]  # (1,) FADING


class SlidingRUCBState(NamedTuple):
    """The arrays of `SlidingRUCB`: those of RUCB, and the window."""

    verdicts: Verdicts
    rate: Floats  # (K, K)
    width: Floats  # (K, K)
    hopeful: Ints  # (K,)
    hopes: NDArray[np.void]  # (1,)
    window: NDArray[np.void]  # (W,) the latest duels, in a ring


ForgettingRUCBState = DiscountedRUCBState | SlidingRUCBState


@inline_kernel
def learn_discounted_rucb(
    state: DiscountedRUCBState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count a duel with a weight that grows; say if a verdict changed or weights are too large."""
    clock = state.verdicts.clock[0]
    fading = state.fading[0]
    fading["unit"] *= fading["growth"]
    fading["rounds"] = fading["rounds"] / fading["growth"] + 1.0
    clock["round"] += 1
    clock["bonus"] = clock["alpha"] * math.log(fading["rounds"] + 1.0) * fading["unit"]
    changed = left != right and weigh(state, left, right, outcome, fading["unit"])
    if clock["bonus"] >= clock["next"]:
        changed |= lift(state.verdicts)
    return bool(changed or fading["unit"] > HEAVIEST)


@inline_kernel
def learn_sliding_rucb(
    state: SlidingRUCBState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count a duel, take back the one that leaves the window, and say if a verdict changed."""
    clock = state.verdicts.clock[0]
    length = state.window.shape[0]
    entry = state.window[clock["round"] % length]
    clock["round"] += 1
    clock["bonus"] = clock["alpha"] * math.log(min(clock["round"], length) + 1.0)
    changed = False
    if clock["round"] > length and entry["left"] != entry["right"]:
        changed = weigh(state, entry["left"], entry["right"], entry["outcome"], -1.0)
    entry["left"] = left
    entry["right"] = right
    entry["outcome"] = outcome
    if left != right:
        changed |= weigh(state, left, right, outcome, 1.0)
    if clock["bonus"] >= clock["next"]:
        changed |= lift(state.verdicts)
    return changed


@inline_kernel
def weigh(state: ForgettingRUCBState, left: int, right: int, outcome: float, weight: float) -> bool:
    """Add the outcome of a pair with a weight, and tell whether a verdict changed."""
    wins = state.verdicts.wins
    wins[left, right] += weight * outcome
    wins[right, left] += weight * (1.0 - outcome)
    total = wins[left, right] + wins[right, left]
    margin = 0.0
    lead = 0.0
    if total > 0.0:
        lead = wins[left, right] - wins[right, left]
        margin = lead * lead / (4.0 * total)
        state.rate[left, right] = wins[right, left] / total
        state.rate[right, left] = wins[left, right] / total
        state.width[left, right] = state.width[right, left] = 1.0 / math.sqrt(total)
    else:
        state.rate[left, right] = state.rate[right, left] = np.inf
        state.width[left, right] = state.width[right, left] = 0.0
    changed = judge(state.verdicts, left, right, margin if lead < 0.0 else 0.0)
    changed |= judge(state.verdicts, right, left, margin if lead > 0.0 else 0.0)
    return changed


@kernel
def settle_discounted_rucb(state: DiscountedRUCBState, rng: np.random.Generator) -> None:
    """Do as RUCB; divide all weights by that of a new duel if it is too large."""
    if state.fading[0]["unit"] > HEAVIEST:
        lighten_verdicts(state)
    settle_rucb(state, rng)  # type: ignore[arg-type]  # it looks at what the two have in common


@kernel
def lighten_verdicts(state: DiscountedRUCBState) -> None:
    """Divide all weights by that of a new duel; a pair of next to no weight has never met."""
    verdicts = state.verdicts
    unit = state.fading[0]["unit"]
    n_arms = state.hopeful.shape[0]
    for arm in range(n_arms):
        verdicts.arms[arm]["next"] /= unit
        for other in range(n_arms):
            verdicts.wins[arm, other] /= unit
            verdicts.margin[arm, other] /= unit
    for arm in range(n_arms):
        for other in range(arm):
            total = verdicts.wins[arm, other] + verdicts.wins[other, arm]
            forgotten = total < 1.0 / HEAVIEST
            if forgotten:
                verdicts.wins[arm, other] = verdicts.wins[other, arm] = 0.0
                state.rate[arm, other] = state.rate[other, arm] = np.inf
            width = 0.0 if forgotten else 1.0 / math.sqrt(total)
            state.width[arm, other] = state.width[other, arm] = width
    verdicts.clock[0]["bonus"] /= unit
    verdicts.clock[0]["next"] /= unit
    state.fading[0]["unit"] = 1.0


@dataclass(frozen=True, eq=False)
class _ForgettingRUCB(Learner):
    """What the two share."""

    _: KW_ONLY
    criterion: Criterion = field(default_factory=Condorcet)
    alpha: float = 0.2

    choose = staticmethod(choose_rucb)

    def validate(self) -> None:
        """Raise ValueError if a parameter is wrong."""
        check_seeks_condorcet(self.criterion, type(self).__name__)
        as_positive(self.alpha, "alpha")

    def _arrays(self) -> tuple[Verdicts, Floats, Floats, Ints, NDArray[np.void]]:
        square = (self.n_arms, self.n_arms)
        hopes = np.zeros(1, HOPES)
        hopes["count"] = self.n_arms
        hopes["favourite"] = -1
        verdicts = no_verdicts(self.n_arms, self.alpha)
        return verdicts, np.full(square, np.inf), np.zeros(square), np.arange(self.n_arms), hopes

    def best_of(self, state: ForgettingRUCBState) -> int:
        """Return the favourite, or else the arm that is ahead of most others."""
        favourite = int(state.hopes[0]["favourite"])
        return favourite if favourite >= 0 else likely_winner(state.verdicts.wins)


@dataclass(frozen=True, eq=False)
class DiscountedRUCB(_ForgettingRUCB):
    """RUCB whose duels count for less the older they are.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet and the horizon does not matter.
    alpha : float
        The factor of ln n. RUCB needs more than 1/2 for its bound; less explores less.
    memory : float
        How many rounds are remembered, ``1/(1 - discount)``.

    References
    ----------
    Folklore: RUCB (Zoghi et al., ICML 2014) with the discount of Garivier & Moulines, On
    Upper-Confidence Bound Policies for Switching Bandit Problems, ALT 2011. No regret bound is
    known to us. A round costs O(K), and O(1) while the winner plays itself.

    Examples
    --------
    >>> learner = DiscountedRUCB(3, memory=50, seed=1)
    >>> for n in range(600):
    ...     duel = learner.ask()
    ...     best = 0 if n < 300 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    ...     if n in (299, 599):
    ...         print(learner.best())
    0
    2
    """

    _: KW_ONLY
    memory: float = 5000.0

    literature: ClassVar = Literature(
        "folklore, after Zoghi et al., ICML 2014, and Garivier & Moulines, ALT 2011",
        "none known",
        "memory",
        "O(K), O(1) while the winner plays itself",
    )

    learn = staticmethod(learn_discounted_rucb)
    settle = staticmethod(settle_discounted_rucb)

    def validate(self) -> None:
        """Raise ValueError if a parameter is wrong."""
        super().validate()
        check_memory(self.memory, "round")

    def allocate(self) -> DiscountedRUCBState:
        """Return a fresh state: every arm may be the winner."""
        fading = np.zeros(1, FADING)
        fading["unit"] = 1.0
        fading["growth"] = 1 / (1 - 1 / self.memory)
        return DiscountedRUCBState(*self._arrays(), fading)


@dataclass(frozen=True, eq=False)
class SlidingRUCB(_ForgettingRUCB):
    """RUCB over the duels of the last rounds.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet and the horizon does not matter.
    alpha : float
        The factor of ln n. RUCB needs more than 1/2 for its bound; less explores less.
    window : int
        How many rounds are remembered.

    References
    ----------
    Folklore: RUCB (Zoghi et al., ICML 2014) with the sliding window of Garivier & Moulines, On
    Upper-Confidence Bound Policies for Switching Bandit Problems, ALT 2011. No regret bound is
    known to us. Unlike `SlidingWindow` around RUCB, which starts anew with the window, it takes
    back one duel a round. A round costs O(K), and O(1) while the winner plays itself.

    Examples
    --------
    >>> learner = SlidingRUCB(3, window=100, seed=1)
    >>> for n in range(600):
    ...     duel = learner.ask()
    ...     best = 0 if n < 300 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _: KW_ONLY
    window: int = 10_000

    literature: ClassVar = Literature(
        "folklore, after Zoghi et al., ICML 2014, and Garivier & Moulines, ALT 2011",
        "none known",
        "window",
        "O(K), O(1) while the winner plays itself",
    )

    learn = staticmethod(learn_sliding_rucb)
    settle = staticmethod(settle_rucb)

    def validate(self) -> None:
        """Raise ValueError if a parameter is wrong."""
        super().validate()
        as_count(self.window, "window", 1, 2**30)

    def allocate(self) -> SlidingRUCBState:
        """Return a fresh state: every arm may be the winner."""
        return SlidingRUCBState(*self._arrays(), np.zeros(self.window, EXPLORATION))


GREEDY = np.dtype(
    [
        ("leader", "i8"),  # the arm that is ahead of most others
        ("unit", "f8"),  # the weight of a new outcome
        ("rate", "f8"),  # chance to explore
        ("growth", "f8"),  # 1/discount
    ],
    align=True,
)


class GreedyState(NamedTuple):
    """The arrays of `DiscountedCondorcetGreedy`."""

    clock: NDArray[np.void]  # (1,) GREEDY
    wins: Floats  # (K, K) summed weights of the wins of the row over the column
    ahead: Ints  # (K,) how many other arms an arm is ahead of


@inline_kernel
def learn_pairs(
    state: GreedyState, left: int, right: int, ticket: tuple[float, float], outcome: float
) -> bool:
    """Credit an exploring duel with a weight that grows; ask for help when it is too large."""
    if ticket[1] == 0.0:
        return False
    clock = state.clock[0]
    clock["unit"] *= clock["growth"]
    if left != right:
        count_ahead(state, left, right, -1)
        state.wins[left, right] += clock["unit"] * outcome
        state.wins[right, left] += clock["unit"] * (1.0 - outcome)
        count_ahead(state, left, right, 1)
        find_leader(state)
    return bool(clock["unit"] > HEAVIEST)


@inline_kernel
def count_ahead(state: GreedyState, left: int, right: int, step: int) -> None:
    """Add a step to the count of the arm that is ahead of the other, if one is."""
    if state.wins[left, right] > state.wins[right, left]:
        state.ahead[left] += step
    elif state.wins[left, right] < state.wins[right, left]:
        state.ahead[right] += step


@kernel
def find_leader(state: GreedyState) -> None:
    """Replace the leader if an arm is ahead of more others, by the first that has the most."""
    clock = state.clock[0]
    leader = clock["leader"]
    for arm in range(state.ahead.shape[0]):
        if state.ahead[arm] > state.ahead[leader]:
            leader = arm
    clock["leader"] = leader


@kernel
def lighten_pairs(state: GreedyState, rng: np.random.Generator) -> None:
    """Divide all weights by that of a new outcome; who is ahead stays, but for forgotten pairs."""
    clock = state.clock[0]
    n_arms = state.ahead.shape[0]
    state.ahead[:] = 0
    for arm in range(n_arms):
        for other in range(n_arms):
            state.wins[arm, other] /= clock["unit"]
    for arm in range(n_arms):
        for other in range(arm):
            count_ahead(state, arm, other, 1)
    clock["unit"] = 1.0
    find_leader(state)


@dataclass(frozen=True, eq=False)
class DiscountedCondorcetGreedy(Learner):
    """Epsilon-greedy: plays the arm that is ahead of most others by discounted wins.

    The leader stays until another arm is ahead of more.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet and the horizon does not matter.
    exploration : float
        The chance to duel a pair drawn from all.
    memory : float
        How many explorations are remembered, ``1/(1 - discount)``.

    References
    ----------
    Folklore. No regret bound is known to us: with a constant chance to explore regret is linear,
    at that rate. A round costs O(1), one that explores O(K).

    Examples
    --------
    >>> learner = DiscountedCondorcetGreedy(3, exploration=0.5, memory=20, seed=1)
    >>> for n in range(400):
    ...     duel = learner.ask()
    ...     best = 0 if n < 200 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _: KW_ONLY
    criterion: Criterion = field(default_factory=Condorcet)
    exploration: float = 0.03
    memory: float = 300.0

    literature: ClassVar = Literature(
        paper="", bound="linear at the chance to explore", told="memory", cost="O(1)"
    )

    choose = staticmethod(choose_greedily)
    learn = staticmethod(learn_pairs)
    settle = staticmethod(lighten_pairs)

    def validate(self) -> None:
        """Raise ValueError if a parameter is wrong."""
        check_seeks_condorcet(self.criterion, type(self).__name__)
        as_positive(self.exploration, "exploration", 1)
        check_memory(self.memory, "exploration")

    def allocate(self) -> GreedyState:
        """Return a fresh state."""
        clock = np.zeros(1, GREEDY)
        clock["unit"] = 1.0
        clock["rate"] = self.exploration
        clock["growth"] = 1 / (1 - 1 / self.memory)
        square = (self.n_arms, self.n_arms)
        return GreedyState(clock, np.zeros(square), np.zeros(self.n_arms, np.int64))

    def best_of(self, state: GreedyState) -> int:
        """Return the arm that is ahead of most others."""
        return int(state.clock[0]["leader"])
