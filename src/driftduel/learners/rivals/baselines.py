"""Baselines: what a learner must beat, and how little it takes to write one.

`Uniform` plays every ordered pair with chance 1/K^2. `FixedPair` plays one pair for ever. Each is
a state, two kernels and a class; see `driftduel.learners.contract.base` for what the parts promise.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.checks import as_count
from driftduel._support.compile.jit import inline_kernel
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import CHANCE, COUNT, FIXED, LEAD, Ranges
from driftduel.learners.parts.arrays import Floats, Ints
from driftduel.matrix.criteria import Condorcet, Copeland, Weighted
from driftduel.matrix.weights import uniform

Ticket = tuple[float]


class UniformState(NamedTuple):
    """The arrays of `Uniform`."""

    rounds: Ints  # (1,) outcomes learned
    leads: Floats  # (K, K) summed outcome - 1/2 of each ordered pair


UNIFORM_RANGES: Ranges = {"rounds": COUNT, "leads": LEAD}


@inline_kernel
def choose_uniformly(state: UniformState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw both arms from all arms."""
    n_arms = state.leads.shape[0]
    left = int(rng.random() * n_arms)
    right = int(rng.random() * n_arms)
    return left, right, (1.0 / (n_arms * n_arms),)


@inline_kernel
def learn_lead(state: UniformState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count how far the left arm is ahead; nothing is ever left to settle."""
    state.rounds[0] += 1
    state.leads[left, right] += outcome - 0.5
    return False


@dataclass(frozen=True, eq=False)
class Uniform(Learner):
    """Plays both arms uniformly at random, whatever happens; the price of not learning.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion decides who is `best`, nothing else.

    References
    ----------
    Regret: the mean gap of all arms, in every round. It needs no prior knowledge. A round costs
    O(1).

    Examples
    --------
    >>> learner = Uniform(3, seed=1)
    >>> for _ in range(100):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), round(duel.propensity, 3)
    (0, 0.111)
    """

    _graded: ClassVar = True
    _literature: ClassVar = Literature("", "linear: the mean gap of all arms", "nothing", "O(1)")

    _ranges = UNIFORM_RANGES
    _ticket = (CHANCE,)
    _choose = staticmethod(choose_uniformly)
    _learn = staticmethod(learn_lead)

    def _allocate(self) -> UniformState:
        """Return a fresh state."""
        return UniformState(np.zeros(1, np.int64), np.zeros((self.n_arms, self.n_arms)))

    def _vote_chance_of(self, state: UniformState) -> float:
        """Return the chance that both arms differ."""
        return 1.0 - 1.0 / self.n_arms

    def _best_of(self, state: UniformState) -> int:
        """Return the arm furthest ahead.

        For Condorcet that is the arm whose worst comparison is best, for Copeland the arm ahead
        of most others.
        """
        lead = state.leads - state.leads.T
        if isinstance(self.criterion, Condorcet):
            return int(lead.min(axis=1).argmax())
        if isinstance(self.criterion, Copeland):
            return int(np.sign(lead).sum(axis=1).argmax())
        weight = uniform(self.n_arms)
        if isinstance(self.criterion, Weighted):
            weight = self.criterion.weight.at(int(state.rounds[0]))
        return int((lead @ weight).argmax())


class FixedState(NamedTuple):
    """The arrays of `FixedPair`."""

    pair: Ints  # (2,) left and right
    lead: Floats  # (1,) summed outcome - 1/2


FIXED_RANGES: Ranges = {"pair": FIXED, "lead": LEAD}


@inline_kernel
def choose_pair(state: FixedState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the pair."""
    return state.pair[0], state.pair[1], (1.0,)


@inline_kernel
def learn_who_leads(
    state: FixedState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count how far the left arm is ahead."""
    state.lead[0] += outcome - 0.5
    return False


@dataclass(frozen=True, eq=False)
class FixedPair(Learner):
    """Plays one pair for ever; ``left == right`` is what never adapting looks like.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; none but ``n_arms`` and ``labels`` matters here.
    left, right : int
        The arms; they may be the same.

    References
    ----------
    Regret: the mean gap of the two arms, in every round. It must be told the arms. A round costs
    O(1).

    Examples
    --------
    >>> learner = FixedPair(3, left=2, right=2)
    >>> duel = learner.ask()
    >>> duel.left, duel.right, duel.propensity
    (2, 2, 1.0)
    >>> FixedPair(3, left=3)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: left is 3, must be at most 2
    """

    _: KW_ONLY
    left: int = 0
    right: int = 1

    _graded: ClassVar = True
    _literature: ClassVar = Literature("", "linear: the gap of the pair", "the pair", "O(1)")

    _ranges = FIXED_RANGES
    _ticket = (CHANCE,)
    _per_arm = False
    _choose = staticmethod(choose_pair)
    _learn = staticmethod(learn_who_leads)

    def _validate(self) -> None:
        """Raise BadParameter if an arm does not exist."""
        as_count(self.left, "left", 0, self.n_arms - 1)
        as_count(self.right, "right", 0, self.n_arms - 1)

    def _allocate(self) -> FixedState:
        """Return a fresh state."""
        return FixedState(np.array([self.left, self.right]), np.zeros(1))

    def _active_of(self, state: FixedState) -> Ints:
        """Return the arms of the pair."""
        return np.unique(state.pair)

    def _vote_chance_of(self, state: FixedState) -> float:
        """Return whether the arms differ."""
        return float(self.left != self.right)

    def _best_of(self, state: FixedState) -> int:
        """Return the arm of the pair that is ahead."""
        return self.left if state.lead[0] >= 0 else self.right
