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

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.memory import (
    FADING_RANGES,
    GREEDY_TICKET,
    HEAVIEST,
    WINDOW_RANGES,
    FadingDuels,
    SlidingDuels,
    Ticket,
    equal_to_window,
    fade,
    leader_or_any,
    slide,
)
from driftduel.learners.parts.optimism import (
    FADING_OPTIMISM_RANGES,
    FORGETFUL_OPTIMISM_RANGES,
    Optimism,
    choose_optimistically,
    favourite_of,
    find_hopeful,
    lighten,
    no_bounds,
    weigh,
)
from driftduel.learners.parts.verdicts import lift_due
from driftduel.matrix.criteria import Condorcet


class DiscountedRUCBState(NamedTuple):
    """RUCB's bounds, in growing units, and the unit."""

    optimism: Optimism
    fading: Records  # (1,) FADING


class SlidingRUCBState(NamedTuple):
    """RUCB's bounds, and the window."""

    optimism: Optimism
    window: Records  # (W,) the latest duels, in a ring


ForgettingRUCBState = DiscountedRUCBState | SlidingRUCBState


DISCOUNTED_RUCB_RANGES: Ranges = {
    "optimism": FADING_OPTIMISM_RANGES,
    "fading": FADING_RANGES,
}
SLIDING_RUCB_RANGES: Ranges = {
    "optimism": FORGETFUL_OPTIMISM_RANGES,
    "window": WINDOW_RANGES,
    "optimism.verdicts.wins": equal_to_window("optimism"),
}


@inline_kernel
def choose_rucb(
    state: ForgettingRUCBState, rng: np.random.Generator
) -> tuple[int, int, tuple[float]]:
    """Choose as RUCB does."""
    return choose_optimistically(state.optimism, rng)


@inline_kernel
def learn_discounted_rucb(
    state: DiscountedRUCBState, left: int, right: int, ticket: tuple[float], outcome: float
) -> bool:
    """Count a duel with a weight that grows; say if a verdict changed or weights are too large."""
    verdicts = state.optimism.verdicts
    fade(verdicts, state.fading)
    unit = state.fading[0]["unit"]
    changed = left != right and weigh(state.optimism, left, right, outcome, unit)
    changed |= lift_due(verdicts)
    return bool(changed or unit > HEAVIEST)


@inline_kernel
def learn_sliding_rucb(
    state: SlidingRUCBState, left: int, right: int, ticket: tuple[float], outcome: float
) -> bool:
    """Count a duel, take back the one that leaves the window, and say if a verdict changed."""
    verdicts = state.optimism.verdicts
    first, second, old = slide(verdicts, state.window, left, right, outcome)
    changed = first != second and weigh(state.optimism, first, second, old, -1.0)
    changed |= left != right and weigh(state.optimism, left, right, outcome, 1.0)
    return changed | lift_due(verdicts)


@kernel
def settle_discounted_rucb(state: DiscountedRUCBState, rng: np.random.Generator) -> None:
    """Do as RUCB; divide all weights by that of a new duel if it is too large."""
    if state.fading[0]["unit"] > HEAVIEST:
        lighten(state.optimism, state.fading)
    find_hopeful(state.optimism)


@kernel
def settle_sliding_rucb(state: SlidingRUCBState, rng: np.random.Generator) -> None:
    """Find out again who may be the winner."""
    find_hopeful(state.optimism)


class _RUCB(Learner):
    """The rule: RUCB's."""

    _ticket = (ranges.CHANCE,)
    _graded: ClassVar = True
    _choose = staticmethod(choose_rucb)

    def _best_of(self, state: ForgettingRUCBState) -> int:
        """Return the favourite, or else the arm that is ahead of most others."""
        return favourite_of(state.optimism)


@dataclass(frozen=True, eq=False)
class DiscountedRUCB(_RUCB, FadingDuels):
    """RUCB whose duels count for less the older they are.

    Parameters
    ----------
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

    _literature: ClassVar = Literature(
        "folklore, after Zoghi et al., ICML 2014, and Garivier & Moulines, ALT 2011",
        "none known",
        "memory",
        "O(K), O(1) while the winner plays itself",
    )

    _ranges = DISCOUNTED_RUCB_RANGES
    _learn = staticmethod(learn_discounted_rucb)
    _settle = staticmethod(settle_discounted_rucb)

    def _allocate(self) -> DiscountedRUCBState:
        """Return a fresh state: every arm may be the winner."""
        return DiscountedRUCBState(no_bounds(self.n_arms, self.alpha, np.inf), self._no_fading())


@dataclass(frozen=True, eq=False)
class SlidingRUCB(_RUCB, SlidingDuels):
    """RUCB over the duels of the last rounds.

    Parameters
    ----------
    alpha : float
        The factor of ln n. RUCB needs more than 1/2 for its bound; less explores less.
    window : int
        How many rounds are remembered.

    References
    ----------
    Folklore: RUCB (Zoghi et al., ICML 2014) with the sliding window of Garivier & Moulines, On
    Upper-Confidence Bound Policies for Switching Bandit Problems, ALT 2011. No regret bound is
    known to us. Unlike `SlidingWindow` around RUCB, which restarts with the window, it takes
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

    _literature: ClassVar = Literature(
        "folklore, after Zoghi et al., ICML 2014, and Garivier & Moulines, ALT 2011",
        "none known",
        "window",
        "O(K), O(1) while the winner plays itself",
    )

    _ranges = SLIDING_RUCB_RANGES
    _learn = staticmethod(learn_sliding_rucb)
    _settle = staticmethod(settle_sliding_rucb)

    def _allocate(self) -> SlidingRUCBState:
        """Return a fresh state: every arm may be the winner."""
        return SlidingRUCBState(no_bounds(self.n_arms, self.alpha, np.inf), self._empty_window())


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

    clock: Records  # (1,) GREEDY
    wins: Floats  # (K, K) summed weights of the wins of the row over the column
    ahead: Ints  # (K,) how many other arms an arm is ahead of


GREEDY_RANGES: Ranges = {
    "clock": {
        "leader": ranges.AN_ARM,
        "unit": ranges.real(1, HEAVIEST),
        "rate": ranges.FIXED,
        "growth": ranges.FIXED,
    },
    "wins": ranges.WEIGHT,
    "ahead": ranges.equal_to(
        "how many others it is ahead of",
        lambda known: (known.state.wins > known.state.wins.T).sum(axis=1),
    ),
}


@inline_kernel
def choose_greedily(state: GreedyState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the leader twice, or now and then two arms drawn from all."""
    clock = state.clock[0]
    return leader_or_any(clock["leader"], clock["rate"], state.ahead.shape[0], rng)


@inline_kernel
def learn_pairs(state: GreedyState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Credit an exploring duel with a weight that grows; ask for help when it is too large."""
    _, explores = ticket
    if explores == 0.0:
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
    exploration: float = bounded(0.03, above=0, most=1)
    memory: float = bounded(300.0, above=1)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="", bound="linear at the chance to explore", needs="memory", cost="O(1)"
    )
    _criteria = (Condorcet,)

    _ranges = GREEDY_RANGES
    _ticket = GREEDY_TICKET
    _choose = staticmethod(choose_greedily)
    _learn = staticmethod(learn_pairs)
    _settle = staticmethod(lighten_pairs)

    def _allocate(self) -> GreedyState:
        """Return a fresh state."""
        clock = np.zeros(1, GREEDY)
        clock["unit"] = 1.0
        clock["rate"] = self.exploration
        clock["growth"] = 1 / (1 - 1 / self.memory)
        square = (self.n_arms, self.n_arms)
        return GreedyState(clock, np.zeros(square), np.zeros(self.n_arms, np.int64))

    def _best_of(self, state: GreedyState) -> int:
        """Return the arm that is ahead of most others."""
        return int(state.clock[0]["leader"])
