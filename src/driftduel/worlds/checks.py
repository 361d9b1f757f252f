"""Checks of the numbers that describe a made-up world; each error names the parameter."""

from __future__ import annotations

import numpy as np

from driftduel._support.checks import as_count
from driftduel._support.limits import PALETTE, TIMELINE, WORLD_ARMS

Seed = int | np.random.Generator | None
"""A seed, a generator to draw from, or None for a different world every time."""


def as_n_arms(value: int, least: int = 2) -> int:
    """Return a number of arms after checking that a matrix of them takes 1 GB at most."""
    return as_count(value, "n_arms", least, WORLD_ARMS)


def check_stretches(number: int, remedy: str, size: int = 8) -> None:
    """Raise ValueError if stretches of ``size`` bytes would take more than half a GB."""
    most = TIMELINE // size
    if number > most:
        raise ValueError(
            f"the world would have {number:,} stretches, must be at most {most:,}; {remedy}"
        )


def check_arms(n_arms: int, remedy: str) -> None:
    """Raise ValueError if one matrix of a log's arms would take more than 1 GB."""
    if n_arms > WORLD_ARMS:
        raise ValueError(
            f"the log has {n_arms:,} arms, a world can have {WORLD_ARMS:,} at most; {remedy}"
        )


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
    if size > PALETTE:
        raise ValueError(
            f"{n_matrices:,} matrices of {n_arms} arms would take {size / 2**30:.1f} GB; {remedy}"
        )
