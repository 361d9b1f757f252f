"""Reference weights over arms, and sequences of them over rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_SIMPLEX = 1e-9


def as_weight(weight: ArrayLike, n_arms: int | None = None) -> Array:
    """Return ``weight`` as a float array after checking that it is a distribution over arms.

    Examples
    --------
    >>> as_weight([0.5, 0.6])
    Traceback (most recent call last):
        ...
    ValueError: weight: sums to 1.1, must sum to 1
    """
    try:
        array = np.ascontiguousarray(weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("weight: must be a list of numbers") from None
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"weight: has shape {array.shape}, must be one number per arm")
    if n_arms is not None and len(array) != n_arms:
        raise ValueError(f"weight: has {len(array)} entries, there are {n_arms} arms")
    if not np.isfinite(array).all():
        raise ValueError(f"weight: w[{np.flatnonzero(~np.isfinite(array))[0]}] is not finite")
    if (array < 0).any():
        arm = int(np.flatnonzero(array < 0)[0])
        raise ValueError(f"weight: w[{arm}] = {array[arm]:.6g}, must not be negative")
    total = array.sum()
    if abs(total - 1) > _SIMPLEX:
        raise ValueError(f"weight: sums to {total:.6g}, must sum to 1")
    return array


def uniform(n_arms: int) -> Array:
    """Return the weight 1/K on every arm, the Borda weight."""
    if n_arms < 1:
        raise ValueError(f"n_arms is {n_arms}, must be at least 1")
    return np.full(n_arms, 1 / n_arms)


def point_mass(n_arms: int, arm: int) -> Array:
    """Return the weight that compares with ``arm`` only."""
    if not 0 <= arm < n_arms:
        raise ValueError(f"arm is {arm}, must be between 0 and {n_arms - 1}")
    weight = np.zeros(n_arms)
    weight[arm] = 1
    return weight


@dataclass(frozen=True, eq=False)
class WeightSequence:
    """Weights over stretches of rounds: ``weights[n]`` rules from round ``starts[n]`` on.

    Parameters
    ----------
    weights : array_like of shape (N, K)
        One weight per stretch.
    starts : sequence of int, optional
        First round of each stretch, increasing, the first 0. May be left out for one weight.

    Examples
    --------
    >>> w = WeightSequence([[1, 0], [0.5, 0.5]], starts=[0, 100])
    >>> w.at(99), w.at(100)
    (array([1., 0.]), array([0.5, 0.5]))
    """

    weights: ArrayLike
    starts: Sequence[int] | NDArray[np.int64] = (0,)

    def __post_init__(self) -> None:
        rows = [as_weight(w) for w in np.atleast_2d(np.asarray(self.weights, dtype=np.float64))]
        starts = np.asarray(self.starts, dtype=np.int64)
        if starts.ndim != 1 or len(starts) != len(rows):
            raise ValueError(f"weights: {len(rows)} weights but {starts.size} starts")
        if starts[0] != 0:
            raise ValueError(f"weights: starts[0] = {starts[0]}, must be 0")
        if (np.diff(starts) <= 0).any():
            where = int(np.flatnonzero(np.diff(starts) <= 0)[0]) + 1
            raise ValueError(f"weights: starts[{where}] = {starts[where]} does not increase")
        table = np.vstack(rows)
        table.setflags(write=False)
        starts.setflags(write=False)
        object.__setattr__(self, "weights", table)
        object.__setattr__(self, "starts", starts)

    @property
    def table(self) -> Array:
        """The weights as an array (N, K)."""
        return np.asarray(self.weights)

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return int(self.table.shape[1])

    def at(self, round_: int) -> Array:
        """Return the weight of a round."""
        index = int(np.searchsorted(np.asarray(self.starts), round_, side="right")) - 1
        return np.asarray(self.table[index])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WeightSequence)
            and np.array_equal(self.table, other.table)
            and np.array_equal(np.asarray(self.starts), np.asarray(other.starts))
        )

    def __hash__(self) -> int:
        return hash((self.table.tobytes(), np.asarray(self.starts).tobytes()))
