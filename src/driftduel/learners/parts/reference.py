"""Known reference weights: which one holds when, and drawing an arm from it in constant time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.ranges import FIXED, Ranges, below, equal_to
from driftduel.learners.parts.arrays import NEVER, Floats, Ints, Records
from driftduel.matrix.criteria import Criterion, Weighted
from driftduel.matrix.weights import uniform

TURN = np.dtype([("row", "i8"), ("next", "i8")], align=True)
"""Which weight holds, and the round at which the next one does."""

MIX = np.dtype([("weight", "f8"), ("chance", "f8"), ("other", "i8")], align=True)
"""A weight and its alias table, one entry per arm."""


class Reference(NamedTuple):
    """A sequence of known weights."""

    turn: Records  # (1,) TURN
    mix: Records  # (N, K) MIX, the weights in order
    starts: Ints  # (N + 1,) rounds at which they begin to hold, closed by never


REFERENCE_RANGES: Ranges = {
    "mix": dict.fromkeys(MIX.names or (), FIXED),
    "starts": FIXED,
    "turn": {
        "row": below(lambda known: len(known.state.mix)),
        "next": equal_to(
            "the round at which the next weight begins",
            lambda known: known.state.starts[known.state.turn["row"] + 1],
        ),
    },
}


def weights_of(criterion: Criterion, n_arms: int) -> tuple[Floats, Ints]:
    """Return the weights (N, K) of a criterion and when each begins to hold, closed by never.

    Any criterion but Weighted has the uniform weight.
    """
    if isinstance(criterion, Weighted):
        sequence = criterion.weight
        return np.array(sequence.table), np.append(sequence.starts, NEVER)
    return uniform(n_arms)[None], np.array([0, NEVER])


def is_uniform(weights: Floats) -> bool:
    """Tell whether all weights (N, K) are uniform.

    Examples
    --------
    >>> is_uniform(np.array([[0.5, 0.5], [0.5, 0.5]])), is_uniform(np.array([[0.6, 0.4]]))
    (True, False)
    """
    return bool(np.ptp(weights, axis=1).max() < 1e-12)


def reference_of(weights: Floats, starts: Ints) -> Reference:
    """Return the reference of weights (N, K) and of the rounds at which they begin to hold."""
    mix = np.zeros(weights.shape, MIX)
    mix["weight"] = weights
    for row, weight in zip(mix, weights, strict=True):
        row["chance"], row["other"] = alias_table(weight)
    turn = np.zeros(1, TURN)
    turn["next"] = starts[1]
    return Reference(turn, mix, starts)


@kernel
def turn_reference(reference: Reference) -> None:
    """Go on to the next weight."""
    turn = reference.turn[0]
    turn["row"] += 1
    turn["next"] = reference.starts[turn["row"] + 1]


@inline_kernel
def draw_reference(reference: Reference, scaled: float) -> int:
    """Draw an arm from the weight that holds, with a number uniform from 0 to K."""
    arm = min(int(scaled), reference.mix.shape[1] - 1)
    mix = reference.mix[reference.turn[0]["row"], arm]
    return arm if scaled - arm < mix["chance"] else mix["other"]


def alias_table(
    weight: Floats,
) -> tuple[Floats, Ints]:
    """Return Walker's alias table (chance, other) of a distribution.

    Draw u uniform on [0, K) and let k be its whole part: the arm is k if the rest is below
    ``chance[k]`` and ``other[k]`` if not.

    Examples
    --------
    >>> alias_table(np.array([0.75, 0.25]))
    (array([1. , 0.5]), array([0, 0]))
    """
    n_arms = len(weight)
    chance = weight * n_arms
    other = np.arange(n_arms)
    small = [arm for arm in range(n_arms) if chance[arm] < 1]
    large = [arm for arm in range(n_arms) if chance[arm] >= 1]
    while small and large:
        low, high = small.pop(), large[-1]
        other[low] = high
        chance[high] -= 1 - chance[low]
        if chance[high] < 1:
            small.append(large.pop())
    chance[small + large] = 1
    return chance, other
