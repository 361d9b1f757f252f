"""REX3: relative exponential weights (Gajane, Urvoy & Clérot).

Both arms a and b are drawn from ``p(k) = (1 - gamma) w(k) / sum w + gamma / K``. If they differ,
with psi = 1 if a won, -1 if b won and 0 for a tie, ``w(a)`` is multiplied by
``exp(gamma psi / (2 K p(a)))`` and ``w(b)`` by ``exp(-gamma psi / (2 K p(b)))``.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from driftduel._support.compile.jit import inline_kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.parts.mixture import (
    SOFTMAX_RANGES,
    SOFTMAX_TICKET,
    SoftmaxState,
    Ticket,
    add_to_log,
    choose_softmax,
    softmax_state,
)
from driftduel.matrix.criteria import Condorcet

_FIRST_FALL = 10_000


@inline_kernel
def learn_rex3(state: SoftmaxState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Move the weights of two arms that met apart; a duel of an arm with itself says nothing."""
    rule = state.rule[0]
    if left != right:
        _, p_left, p_right = ticket
        step = rule["exploration"] / state.weights.shape[1] * (outcome - 0.5)
        add_to_log(state, 0, left, step / p_left)
        add_to_log(state, 0, right, -step / p_right)
    rule["round"] += 1
    if rule["anytime"] > 0.0 and rule["round"] > _FIRST_FALL:
        rule["exploration"] = min(0.5, math.sqrt(rule["anytime"] / rule["round"]))
    return False


@dataclass(frozen=True, eq=False)
class REX3(Learner):
    """REX3: exponential weights that learn from which of two arms won; both come from one side.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet. Without a horizon the exploration falls
        with time: T is replaced by the number of outcomes so far, 10^4 at least.
    exploration : float, optional
        gamma, also the learning rate, at most 1/2; by default ``min(1/2, sqrt(K ln K / T))``.

    References
    ----------
    Expected regret ``O(sqrt(K ln K T))`` against the best fixed arm, if preferences are differences
    of utilities. It need not be told anything, T helps. A round costs O(1) to learn and O(K) to
    draw arms. The paper has ``sqrt(K ln K / tau)`` with a tau that depends on unknown gains; T in
    its place is the practice of Saha & Gaillard (ICML 2022), and the form without a horizon that of
    other code.

    Examples
    --------
    >>> learner = REX3(3, horizon=2000, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    exploration: float | None = bounded(None, above=0, most=0.5)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        "Gajane, Urvoy & Clérot, A Relative Exponential Weighing Algorithm for Adversarial "
        "Utility-based Dueling Bandits, ICML 2015",
        "sqrt(K ln K T), Condorcet, against one arm, adversarial utilities",
        "T if known",
        "O(K)",
    )
    _criteria = (Condorcet,)

    _ranges = SOFTMAX_RANGES
    _ticket = SOFTMAX_TICKET
    _choose = staticmethod(choose_softmax)
    _learn = staticmethod(learn_rex3)

    def _allocate(self) -> SoftmaxState:
        """Return a fresh state."""
        scale = self.n_arms * math.log(self.n_arms)
        anytime = self.horizon is None and self.exploration is None
        gamma = min(0.5, math.sqrt(scale / (self.horizon or _FIRST_FALL)))
        return softmax_state(
            1, self.n_arms, self.exploration or gamma, 0.0, scale if anytime else 0.0
        )

    def _best_of(self, state: SoftmaxState) -> int:
        """Return the arm of largest weight."""
        return int(state.logs[0].argmax())
