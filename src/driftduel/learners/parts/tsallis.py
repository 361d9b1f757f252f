"""The chances of Tsallis-INF: the distribution of least loss, regularised by the Tsallis entropy.

With estimated losses L after t - 1 rounds it is ``argmin_p <p, L> - 2 sqrt(t) sum_k sqrt(p(k))``,
that is ``p(k) = t / (L(k) - x)^2`` with x the number below all L that makes the chances sum to 1.
"""

from __future__ import annotations

import math

from driftduel._support.compile.jit import kernel
from driftduel.learners.parts.arrays import Floats

_TOLERANCE = 1e-10
_MOST_STEPS = 100


@kernel
def tsallis_chances(losses: Floats, chances: Floats, x: float, rounds: int) -> float:
    """Write the chances after so many rounds and return x, found by Newton's method.

    It begins at the x given, or at the largest that x can be. With s(x) the sum of the chances,
    s^(-1/2) - 1 is concave and falls, so that from any x above the solution the steps go down to
    it. The chance of the arm with the smallest loss is 1 at ``min L - sqrt(t)``, so the solution is
    not above that.
    """
    root = math.sqrt(rounds + 1.0)
    highest = losses[0]
    for arm in range(losses.shape[0]):
        highest = min(highest, losses[arm])
    highest -= root
    x = min(x, highest)
    total = 0.0
    for _ in range(_MOST_STEPS):
        total, slope = 0.0, 0.0
        for arm in range(losses.shape[0]):
            inverse = 1.0 / (losses[arm] - x)
            scaled = root * inverse
            chances[arm] = scaled * scaled
            total += chances[arm]
            slope += chances[arm] * inverse
        better = min(x + total * (1.0 - math.sqrt(total)) / slope, highest)
        if abs(total - 1.0) <= _TOLERANCE or better == x:
            break
        x = better
    scale = 1.0 / total
    for arm in range(losses.shape[0]):
        chances[arm] *= scale
    return x
