"""Two players with Tsallis-INF: the state and the kernels of Versatile-DB.

After t - 1 rounds player i plays ``argmin_p <p, L_i> - 2 sqrt(t) sum_k sqrt(p(k))``, where L_i are
its losses divided by the chances with which it took them. That is
``p(k) = t / (L_i(k) - x)^2``, with x the number below all L_i that makes the chances sum to 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel
from driftduel.learners.contract.ranges import COUNT, Known, Ranges, real, such_that
from driftduel.learners.parts.arrays import Flags, Floats, Ints
from driftduel.learners.parts.mixture import Ticket, draw
from driftduel.learners.parts.tsallis import tsallis_chances


class VersatileState(NamedTuple):
    """The arrays of two players."""

    rounds: Ints  # (1,) outcomes learned
    shifts: Floats  # (2,) x of each player
    losses: Floats  # (2, K) estimated losses of each player
    chances: Floats  # (2, K) of the round to come


def _are_chances(chances: Floats, known: Known) -> bool:
    sums = chances.sum(axis=1)
    return bool((chances >= 1e-70).all() and (np.abs(sums - 1.0) <= 1e-6).all())


def _are_shifts(shifts: Floats, known: Known) -> Flags:
    """Tell whether x is where the chances can sum to 1: see `tsallis_chances`."""
    least = known.state.losses.min(axis=1)
    root = math.sqrt(known.state.rounds[0] + 1.0)
    slack = 1e-6 * (least + root)
    lowest = least - root * math.sqrt(known.n_arms)
    inside: Flags = (shifts >= lowest - slack) & (shifts <= least - root + slack)
    return inside & (least <= 1e12 * root)


VERSATILE_RANGES: Ranges = {
    "rounds": COUNT,
    "losses": real(0, 1e30),
    "shifts": such_that("a number that makes the chances sum to 1", _are_shifts),
    "chances": such_that("chances that sum to 1", _are_chances),
}


def no_losses(n_arms: int) -> VersatileState:
    """Return a fresh state: no losses, uniform chances."""
    return VersatileState(
        np.zeros(1, np.int64),
        np.full(2, -math.sqrt(n_arms)),
        np.zeros((2, n_arms)),
        np.full((2, n_arms), 1.0 / n_arms),
    )


@inline_kernel
def forget_losses(state: VersatileState) -> None:
    """Make a state fresh again."""
    n_arms = state.losses.shape[1]
    state.rounds[0] = 0
    state.shifts[:] = -math.sqrt(n_arms)
    state.losses[:] = 0.0
    state.chances[:] = 1.0 / n_arms


@inline_kernel
def choose_versatile(state: VersatileState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Let each player draw its arm."""
    left = draw(state.chances[0], 1.0, 0.0, rng.random())
    right = draw(state.chances[1], 1.0, 0.0, rng.random())
    p_left, p_right = state.chances[0, left], state.chances[1, right]
    return left, right, (p_left * p_right, p_left, p_right)


@inline_kernel
def learn_versatile(
    state: VersatileState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
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
