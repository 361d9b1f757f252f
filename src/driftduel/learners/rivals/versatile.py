"""Versatile-DB: two players with Tsallis-INF, good in stochastic and in adversarial worlds.

What they play is in `driftduel.learners.parts.versatile`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.parts.mixture import SOFTMAX_TICKET
from driftduel.learners.parts.versatile import (
    VERSATILE_RANGES,
    VersatileState,
    choose_versatile,
    learn_versatile,
    no_losses,
)
from driftduel.matrix.criteria import Condorcet

PAPER = "Saha & Gaillard, Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative Preferences, ICML 2022"  # noqa: E501


@dataclass(frozen=True, eq=False)
class VersatileDB(Learner):
    """Versatile-DB: nearly optimal in stochastic and adversarial worlds, and needs no parameter.

    References
    ----------
    Saha & Gaillard (ICML 2022), Theorem 3: regret ``4 sqrt(K T) + 1`` against any fixed arm, for
    any sequence of matrices, and ``sum_k (4 ln T + 12) / gap_k + 4 ln T`` and a constant in a
    stationary world with a Condorcet winner, plus twice the corruption. It needs no prior
    knowledge. A round costs O(K) for each step of Newton's method, of which there are 2 or 3. The
    regulariser is that of Zimmert & Seldin's Tsallis-INF with learning rate ``2 / sqrt(t)``,
    whose bound is that of the theorem; the one printed in the paper, which has another sign and
    constant, cannot be meant.

    Examples
    --------
    >>> learner = VersatileDB(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        PAPER,
        "sum_k ln T / gap_k in stationary, sqrt(K T) in adversarial worlds; Condorcet",
        "nothing",
        "O(K)",
    )
    _criteria = (Condorcet,)

    _ranges = VERSATILE_RANGES
    _ticket = SOFTMAX_TICKET
    _choose = staticmethod(choose_versatile)
    _learn = staticmethod(learn_versatile)

    def _allocate(self) -> VersatileState:
        """Return a fresh state: no losses, uniform chances."""
        return no_losses(self.n_arms)

    def _best_of(self, state: VersatileState) -> int:
        """Return the arm with the smallest losses of both players together."""
        return int(state.losses.sum(axis=0).argmin())
