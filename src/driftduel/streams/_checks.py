"""Checks of the numbers that describe a made-up world; each error names the parameter."""

from __future__ import annotations

import numpy as np

from driftduel._checks import as_count

Seed = int | np.random.Generator | None
"""A seed, a generator to draw from, or None for a different world every time."""

_LARGEST_PALETTE = 2**30


def as_arm(value: int, name: str, n_arms: int) -> int:
    """Return ``value`` as an int after checking that it names an arm."""
    return as_count(value, name, 0, n_arms - 1)


def as_rng(seed: Seed) -> np.random.Generator:
    """Return the generator that ``seed`` stands for."""
    if isinstance(seed, np.random.Generator) or seed is None:
        return np.random.default_rng(seed)
    return np.random.default_rng(as_count(seed, "seed", 0))


def check_size(n_matrices: int, n_arms: int, remedy: str) -> None:
    """Raise ValueError if a palette would take more than 1 GB; ``remedy`` says what to change."""
    size = 8 * n_matrices * n_arms**2
    if size > _LARGEST_PALETTE:
        raise ValueError(
            f"{n_matrices:,} matrices of {n_arms} arms would take {size / 2**30:.1f} GB; {remedy}"
        )
