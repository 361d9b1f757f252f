"""Weighted Borda regret by an ordinary bandit: against a drawn opponent, always or now and then.

If the right arm is drawn from the weight w of the criterion, the chance of the left arm a to win is
its score b(a, w), with a duel of an arm with itself counted as 1/2. So a bandit can choose the left
arm and learn from the outcome as its reward. `UniformOpponent` always plays so, and its weak
regret, that of the better of the two arms, is at most the regret of the bandit. `Gate` does so with
probability gamma_t and else lets the bandit's arm meet itself, from which nothing is learned: its
regret is at most ``sum_t gamma_t / 2 + R(gamma T) / gamma`` if the bandit's is R.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from driftduel._support.checks import BadParameter, as_count
from driftduel._support.compile.jit import inline_kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Records
from driftduel.learners.parts.bandits import (
    BANDIT_RANGES,
    Bandit,
    bandit_of,
    favourite_of,
    pull,
    reward_arm,
)
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
from driftduel.learners.parts.reference import REFERENCE_RANGES, Reference, reference_of, weights_of
from driftduel.matrix.criteria import Borda, Weighted

PAPERS = (
    "Zimmert & Seldin, Tsallis-INF, JMLR 2021; Auer, Cesa-Bianchi, Freund & Schapire, The "
    "Nonstochastic Multiarmed Bandit Problem, SIAM J. Comput. 2002; Garivier & Moulines, On "
    "Upper-Confidence Bound Policies for Switching Bandit Problems, ALT 2011"
)


class GateState(NamedTuple):
    """The arrays of `UniformOpponent` and `Gate`."""

    gate: Records  # (1,)
    reference: Reference
    bandit: Bandit


STATE_RANGES: Ranges = {
    "gate": GATE_RANGES,
    "reference": REFERENCE_RANGES,
    "bandit": BANDIT_RANGES,
}


@inline_kernel
def choose_gate(state: GateState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Let the bandit choose the left arm; draw the right one, or take the same."""
    left, chance = pull(state.bandit, rng)
    right, ticket = meet(state.gate, state.reference, left, chance, rng)
    return left, right, ticket


@inline_kernel
def learn_gate(state: GateState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Give the bandit its reward, if the right arm was drawn."""
    end_round(state.gate, state.reference)
    if is_reward(ticket):
        reward_arm(state.bandit, left, ticket[1], reward_of(left, right, outcome))
    return False


@dataclass(frozen=True, eq=False)
class _Gated(Learner):
    """What the two have in common."""

    _: KW_ONLY
    bandit: Literal["tsallis-inf", "exp3s", "discounted-ucb"] = "tsallis-inf"
    n_phases: int = bounded(1, least=1)
    memory: int = bounded(30_000, least=2)

    _ranges = STATE_RANGES
    _ticket = TICKET_RANGES
    _graded: ClassVar = True
    _choose = staticmethod(choose_gate)
    _learn = staticmethod(learn_gate)
    _criteria = (Borda, Weighted)

    def _validate(self) -> None:
        """Raise BadParameter if a horizon is needed, or there are more phases than rounds."""
        if self.horizon is not None:
            as_count(self.n_phases, "n_phases", 1, self.horizon)
        elif self.bandit == "exp3s":
            raise BadParameter("horizon", "is None, the bandit 'exp3s' must be told it")

    def _state(self, chance: float) -> GateState:
        """Return a fresh state; a chance of 0 stands for one that falls with time."""
        gate = gate_of(chance, float(self.n_arms * self.n_phases))
        rounds = None if self.horizon is None else max(1.0, chance * self.horizon)
        bandit = bandit_of(self.bandit, self.n_arms, rounds, self.n_phases, self.memory)
        return GateState(gate, reference_of(*weights_of(self.criterion, self.n_arms)), bandit)

    def _best_of(self, state: GateState) -> int:
        """Return the arm that the bandit likes best."""
        return favourite_of(state.bandit)


@dataclass(frozen=True, eq=False)
class UniformOpponent(_Gated):
    """A bandit chooses the left arm, the right one is drawn from the criterion's weight.

    It is for weak regret, that of the better arm of a pair; its regret as such is linear.

    Parameters
    ----------
    bandit : {"tsallis-inf", "exp3s", "discounted-ucb"}
        Who chooses the left arm; see `driftduel.learners.parts.bandits`.
    n_phases : int
        S of EXP3.S, one more than the number of times the best arm changes.
    memory : int
        Of discounted UCB: after so many rounds a reward counts about a third.

    References
    ----------
    The bandits are those of Zimmert & Seldin (JMLR 2021), Auer et al. (SIAM J. Comput. 2002) and
    Garivier & Moulines (ALT 2011); that a drawn opponent makes scores rewards is folklore. Weak
    Borda regret is at most that of the bandit: ``4 sqrt(K T) + 1`` against one arm for Tsallis-INF,
    without prior knowledge; ``O(sqrt(S K T ln(K T)))`` for EXP3.S, told T and S; for discounted UCB
    ``O(sqrt(S T) ln T)`` with a memory of order sqrt(T/S). A round costs O(K).

    Examples
    --------
    >>> learner = UniformOpponent(3, seed=1)
    >>> for _ in range(500):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _literature: ClassVar = Literature(
        PAPERS,
        "weak Borda: that of the bandit, sqrt(K T), or sqrt(S K T ln(K T)) told S",
        "nothing; T and S for EXP3.S, memory for discounted UCB",
        "O(K)",
    )

    def _allocate(self) -> GateState:
        """Return a fresh state."""
        return self._state(1.0)


@dataclass(frozen=True, eq=False)
class Gate(_Gated):
    """A bandit's arm meets itself, and now and then a drawn opponent, which is when it learns.

    Parameters
    ----------
    bandit, memory
        As for `UniformOpponent`.
    n_phases : int
        L, one more than the number of times the best arm changes; also S of EXP3.S.
    exploration : float, optional
        gamma, how often the opponent is drawn; by default ``(K L / T)^(1/3)``, at most 1, or
        ``(K L / t)^(1/3)`` in round t if there is no horizon.

    References
    ----------
    The bandits are those of `UniformOpponent`. With a bandit whose regret in n rounds with L phases
    is sqrt(K L n) up to logarithms, Borda regret is ``(K L)^(1/3) T^(2/3)`` up to logarithms, which
    is optimal; it must be told T and L for that. This follows from the formula above and needs no
    proof of its own. A round costs O(K) if an opponent is drawn.

    Examples
    --------
    >>> learner = Gate(3, 3000, seed=1)
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    exploration: float | None = bounded(None, above=0, most=1)

    _literature: ClassVar = Literature(
        PAPERS,
        "(K L)^(1/3) T^(2/3) Borda up to logarithms, with L phases and a bandit that follows them",
        "T, L; S for EXP3.S, memory for discounted UCB",
        "O(K)",
    )

    def _allocate(self) -> GateState:
        """Return a fresh state."""
        if self.exploration is not None:
            return self._state(self.exploration)
        if self.horizon is None:
            return self._state(0.0)
        return self._state(min(1.0, math.cbrt(self.n_arms * self.n_phases / self.horizon)))
