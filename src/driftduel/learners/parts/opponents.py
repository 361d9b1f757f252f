"""Opponents drawn uniformly from the other arms."""

from __future__ import annotations

import numpy as np

from driftduel._support.compile.jit import inline_kernel


@inline_kernel
def draw_opponent(
    left: int, n_arms: int, rng: np.random.Generator
) -> tuple[int, int, tuple[float]]:
    """Return an arm, another one drawn uniformly, and the chance of it."""
    right = int(rng.random() * (n_arms - 1))
    if right >= left:
        right += 1
    return left, right, (1.0 / (n_arms - 1),)


@inline_kernel
def draw_pair(n_arms: int, rng: np.random.Generator) -> tuple[int, int, tuple[float]]:
    """Draw two different arms, and return the chance of the ordered pair."""
    left, right, _ = draw_opponent(int(rng.random() * n_arms), n_arms, rng)
    return left, right, (1.0 / (n_arms * (n_arms - 1)),)
