"""Drawing an arm from a fixed distribution with one uniform number, in constant time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def alias_table(
    weight: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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
