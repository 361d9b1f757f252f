"""Bandits that follow changes without prior knowledge, through a gate: ADSWITCH and MASTER.

With probability ``gamma = (K/T)^(1/3)`` the arm of the bandit meets an opponent drawn from the
criterion's weight, and the outcome is its reward; otherwise it meets itself. The bandit is told
``gamma T`` for its horizon and knows of no other rounds. The bandits are described in
`driftduel.learners.parts.adswitch` and `driftduel.learners.parts.master`.

Both belong to a complete collection, and are no rivals at horizons that are played: the constants
of their tests are those of proofs. See what each class says of its horizon.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges, whole
from driftduel.learners.parts.adswitch import (
    ADSWITCH_RANGES,
    AdSwitch,
    adswitch_of,
    reward_adswitch,
    settle_adswitch,
)
from driftduel.learners.parts.arrays import Ints, Records
from driftduel.learners.parts.gate import (
    GATE_RANGES,
    TICKET_RANGES,
    Ticket,
    end_round,
    gate_of,
    is_reward,
    meet,
    reward_of,
)
from driftduel.learners.parts.master import (
    MASTER_RANGES,
    Master,
    master_of,
    reward_master,
    settle_master,
)
from driftduel.learners.parts.reference import REFERENCE_RANGES, Reference, reference_of, weights_of
from driftduel.matrix.criteria import Borda, Weighted


class AdSwitchState(NamedTuple):
    """The arrays of `ADSWITCH`."""

    gate: Records  # (1,)
    began: Ints  # (1,) round of a new beginning that is not in the history, or -1
    reference: Reference
    bandit: AdSwitch


class MasterState(NamedTuple):
    """The arrays of `MASTER`."""

    gate: Records  # (1,)
    began: Ints  # (1,)
    reference: Reference
    bandit: Master


GATED_RANGES: Ranges = {
    "gate": GATE_RANGES,
    "began": whole(-1, "told"),
    "reference": REFERENCE_RANGES,
}


@inline_kernel
def choose_gated(
    state: AdSwitchState | MasterState, rng: np.random.Generator
) -> tuple[int, int, Ticket]:
    """Take the arm of the bandit; draw the right one, or take the same."""
    left = state.bandit.clock[0]["next"]
    right, ticket = meet(state.gate, state.reference, left, 1.0, rng)
    return left, right, ticket


@inline_kernel
def learn_adswitch(
    state: AdSwitchState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Give ADSWITCH its reward, if the right arm was drawn."""
    end_round(state.gate, state.reference)
    rewards = is_reward(ticket)
    if rewards:
        reward_adswitch(state.bandit, left, reward_of(left, right, outcome))
    return rewards


@inline_kernel
def learn_master(state: MasterState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Give MASTER its reward, if the right arm was drawn."""
    end_round(state.gate, state.reference)
    rewards = is_reward(ticket)
    if rewards:
        reward_master(state.bandit, left, reward_of(left, right, outcome))
    return rewards


@kernel
def settle_gated_adswitch(state: AdSwitchState, rng: np.random.Generator) -> None:
    """Let ADSWITCH test and plan; note a new episode."""
    if settle_adswitch(state.bandit, rng):
        state.began[0] = state.gate[0]["round"]


@kernel
def settle_gated_master(state: MasterState, rng: np.random.Generator) -> None:
    """Let MASTER test and plan; note a new beginning."""
    if settle_master(state.bandit, rng):
        state.began[0] = state.gate[0]["round"]


@inline_kernel
def has_begun(state: AdSwitchState | MasterState) -> bool:
    """Tell whether a new beginning must be noted."""
    return state.began[0] >= 0


@dataclass(frozen=True, eq=False)
class _AdaptiveGate(Learner):
    """What the two have in common."""

    _: KW_ONLY
    exploration: float | None = bounded(None, above=0, most=1)

    _criteria = (Borda, Weighted)
    _needs_horizon = True
    _ticket = TICKET_RANGES
    _choose = staticmethod(choose_gated)
    _full = staticmethod(has_begun)

    @property
    def _gamma(self) -> float:
        """How often the opponent is drawn."""
        return self.exploration or min(1.0, math.cbrt(self.n_arms / self._known_horizon))

    def _gate(self) -> tuple[Records, Ints, Reference]:
        reference = reference_of(*weights_of(self.criterion, self.n_arms))
        return gate_of(self._gamma, 0.0), np.array([-1]), reference

    def _rewards(self) -> float:
        """Return the horizon that the bandit is told."""
        return max(2.0, self._gamma * self._known_horizon)

    def _collect(self, state: Any, history: History) -> None:
        """Note the round of a new beginning."""
        if state.began[0] >= 0:
            history.episodes.append(int(state.began[0]))
            state.began[0] = -1

    def _best_of(self, state: Any) -> int:
        """Return the arm of the largest mean reward since the last beginning, even without any."""
        arms = state.bandit.arms
        means = np.where(arms["rewards"] > 0, arms["sum"] / np.maximum(arms["rewards"], 1), 0.5)
        return int(
            np.where(np.isin(np.arange(self.n_arms), self._active_of(state)), means, -1).argmax()
        )


@dataclass(frozen=True, eq=False)
class ADSWITCH(_AdaptiveGate):
    """ADSWITCH through a gate: arms found bad are looked at again now and then.

    Parameters
    ----------
    exploration : float, optional
        gamma, how often the opponent is drawn; by default ``(K/T)^(1/3)``, at most 1.
    constant : float
        C, how clearly an arm must be worse to become bad. In the paper it is "large enough".

    References
    ----------
    There all intervals are tested; here the dyadic ones, which their Remark 3 allows. C = 1 is what
    others used in practice. Its regret with rewards is ``O(sqrt(K L T log T))`` in a world of L
    phases, told T alone; so the Borda regret through the gate is ``sqrt(L) K^(1/3) T^(2/3)`` up to
    logarithms. A round costs O(1), one that brings a reward O(K). Of its horizon: an arm that is
    worse by D is bad after about ``C ln(T) / D^2`` rewards, and there are but ``gamma T`` rewards
    for all arms. With 10 arms and a million rounds that is 21,544, so arms closer than about .08
    are never told apart, and are played in turn for ever.

    Examples
    --------
    >>> learner = ADSWITCH(3, 3000, seed=1, exploration=0.5)
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _: KW_ONLY
    constant: float = bounded(1.0, least=0.001, most=1e6)

    _literature: ClassVar = Literature(
        paper="Auer, Gajane & Ortner, Adaptively Tracking the Best Bandit Arm with an Unknown "
        "Number of Distribution Changes, COLT 2019",
        bound="sqrt(L) K^(1/3) T^(2/3) Borda up to logarithms, with L phases",
        needs="T",
        cost="O(1), O(K) when an opponent is drawn",
    )

    _ranges: ClassVar = {**GATED_RANGES, "bandit": ADSWITCH_RANGES}
    _learn = staticmethod(learn_adswitch)
    _settle = staticmethod(settle_gated_adswitch)

    def _allocate(self) -> AdSwitchState:
        """Return a fresh state."""
        bandit = adswitch_of(self.n_arms, self._rewards(), self.constant)
        return AdSwitchState(*self._gate(), bandit)

    def _active_of(self, state: AdSwitchState) -> Ints:
        """Return the good arms."""
        return np.flatnonzero(state.bandit.arms["good"])


@dataclass(frozen=True, eq=False)
class MASTER(_AdaptiveGate):
    """MASTER over UCB1 through a gate: instances on all scales, and tests that restart it.

    Parameters
    ----------
    exploration : float, optional
        gamma, how often the opponent is drawn; by default ``(K/T)^(1/3)``, at most 1.
    scale : float
        What the thresholds of both tests are multiplied by; 1 is the paper.

    References
    ----------
    With UCB1 inside. The form of rho and of the index, and 1/T for the probability of failure, are
    our choices; the paper states both up to constants. Its regret with rewards is of order
    ``min(sqrt(K L T), (K V)^(1/3) T^(2/3) + sqrt(K T))`` up to logarithms in a world of L phases
    and variation V, told T alone; so the Borda regret through the gate is ``sqrt(L) K^(1/3)
    T^(2/3)``. A round costs O(1), one with a reward O(K + log T). Of its horizon: with these
    constants a test cannot fire before its threshold is below 1. For a million rounds that takes
    more than 10^8 K rewards in one block, so at horizons that are played MASTER is UCB1 that
    forgets at powers of 2 and at random, and never sees a change.

    Examples
    --------
    >>> learner = MASTER(3, 3000, seed=1, exploration=0.5)
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.episodes
    (0, [0])
    """

    _: KW_ONLY
    scale: float = bounded(1.0, above=0, most=1e6)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="Wei & Luo, Non-stationary Reinforcement Learning without Prior Knowledge: An "
        "Optimal Black-box Approach, COLT 2021",
        bound="sqrt(L) K^(1/3) T^(2/3) Borda up to logarithms, with L phases",
        needs="T",
        cost="O(1), O(K) when an opponent is drawn",
    )

    _ranges: ClassVar = {**GATED_RANGES, "bandit": MASTER_RANGES}
    _learn = staticmethod(learn_master)
    _settle = staticmethod(settle_gated_master)

    def _allocate(self) -> MasterState:
        """Return a fresh state."""
        bandit = master_of(self.n_arms, self._rewards(), self.scale)
        return MasterState(*self._gate(), bandit)
