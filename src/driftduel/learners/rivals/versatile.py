"""Versatile-DB: two players with Tsallis-INF, good in stochastic and in adversarial worlds.

After t - 1 rounds player i plays ``argmin_p <p, L_i> - 2 sqrt(t) sum_k sqrt(p(k))``, where L_i are
its losses divided by the chances with which it took them. That is
``p(k) = t / (L_i(k) - x)^2``, with x the number below all L_i that makes the chances sum to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._jit import inline_kernel
from driftduel.criteria import Condorcet
from driftduel.learners.base import Learner, Literature
from driftduel.learners.parts.mixture import SOFTMAX_TICKET, Floats, Ticket, draw
from driftduel.learners.parts.tsallis import tsallis_chances
from driftduel.learners.ranges import COUNT, Known, Ranges, real, such_that

PAPER = "Saha & Gaillard, Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative Preferences, ICML 2022"  # noqa: E501


class VersatileState(NamedTuple):
    """The arrays of `VersatileDB`."""

    rounds: NDArray[np.int64]  # (1,) outcomes learned
    shifts: Floats  # (2,) x of each player
    losses: Floats  # (2, K) estimated losses of each player
    chances: Floats  # (2, K) of the round to come


def _are_chances(chances: Floats, known: Known) -> bool:
    sums = chances.sum(axis=1)
    return bool((chances >= 1e-70).all() and (np.abs(sums - 1.0) <= 1e-6).all())


def _are_shifts(shifts: Floats, known: Known) -> NDArray[np.bool_]:
    """Tell whether x is where the chances can sum to 1: see `tsallis_chances`."""
    least = known.state.losses.min(axis=1)
    root = math.sqrt(known.state.rounds[0] + 1.0)
    slack = 1e-6 * (least + root)
    lowest = least - root * math.sqrt(known.n_arms)
    inside: NDArray[np.bool_] = (shifts >= lowest - slack) & (shifts <= least - root + slack)
    return inside & (least <= 1e12 * root)


VERSATILE_RANGES: Ranges = {
    "rounds": COUNT,
    "losses": real(0, 1e30),
    "shifts": such_that("a number that makes the chances sum to 1", _are_shifts),
    "chances": such_that("chances that sum to 1", _are_chances),
}


@inline_kernel
def choose(state: VersatileState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Let each player draw its arm."""
    left = draw(state.chances[0], 1.0, 0.0, rng.random())
    right = draw(state.chances[1], 1.0, 0.0, rng.random())
    p_left, p_right = state.chances[0, left], state.chances[1, right]
    return left, right, (p_left * p_right, p_left, p_right)


@inline_kernel
def learn(state: VersatileState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Add the losses of the two arms and find the chances of the next round."""
    _, p_left, p_right = ticket
    state.losses[0, left] += (1.0 - outcome) / p_left
    state.losses[1, right] += outcome / p_right
    state.rounds[0] += 1
    find_chances(state, 0)
    find_chances(state, 1)
    return False


@inline_kernel
def find_chances(state: VersatileState, player: int) -> None:
    """Find the chances of a player, from the x of the round before."""
    losses, chances = state.losses[player], state.chances[player]
    state.shifts[player] = tsallis_chances(losses, chances, state.shifts[player], state.rounds[0])


@dataclass(frozen=True, eq=False)
class VersatileDB(Learner):
    """Versatile-DB: nearly optimal in stochastic and adversarial worlds, and needs no parameter.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the horizon does not matter, the criterion is Condorcet.

    References
    ----------
    Saha & Gaillard (ICML 2022), Theorem 3: regret ``4 sqrt(K T) + 1`` against any fixed arm, for
    any sequence of matrices, and ``sum_k (4 ln T + 12) / gap_k + 4 ln T`` and a constant in a
    stationary world with a Condorcet winner, plus twice the corruption. It must be told nothing.
    A round costs O(K) for each step of Newton's method, of which there are 2 or 3. The
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

    literature: ClassVar = Literature(
        PAPER,
        "sum_k ln T / gap_k in stationary, sqrt(K T) in adversarial worlds; Condorcet",
        "nothing",
        "O(K)",
    )
    serves = (Condorcet,)

    ranges = VERSATILE_RANGES
    ticket = SOFTMAX_TICKET
    choose = staticmethod(choose)
    learn = staticmethod(learn)

    def allocate(self) -> VersatileState:
        """Return a fresh state: no losses, uniform chances."""
        return VersatileState(
            np.zeros(1, np.int64),
            np.full(2, -math.sqrt(self.n_arms)),
            np.zeros((2, self.n_arms)),
            np.full((2, self.n_arms), 1.0 / self.n_arms),
        )

    def best_of(self, state: VersatileState) -> int:
        """Return the arm with the smallest losses of both players together."""
        return int(state.losses.sum(axis=0).argmin())
