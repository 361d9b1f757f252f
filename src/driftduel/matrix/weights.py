"""Reference weights over arms, and sequences of them over rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter, as_floats, as_starts

Array = NDArray[np.float64]

_SIMPLEX = 1e-9


def as_weight(weight: ArrayLike, n_arms: int | None = None, name: str = "weight") -> Array:
    """Return ``weight`` as a float array after checking that it is a distribution over arms.

    Parameters
    ----------
    weight : array_like of shape (K,)
        The share of each arm.
    n_arms : int, optional
        The number of arms it must have.
    name : str
        What to call it in an error message.

    Examples
    --------
    >>> as_weight([0.5, 0.6])
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: weight: sums to 1.1, must sum to 1
    """
    array = as_floats(weight, name)
    if array.ndim != 1 or len(array) == 0:
        raise BadParameter(name, f": has shape {array.shape}, must be one number per arm")
    if n_arms is not None and len(array) != n_arms:
        raise BadParameter(name, f": has {len(array)} entries, there are {n_arms} arms")
    for arm in np.flatnonzero(~np.isfinite(array)):
        raise BadParameter(name, f": w[{arm}] is {array[arm]}")
    for arm in np.flatnonzero(array < 0):
        raise BadParameter(name, f": w[{arm}] = {array[arm]:.12g}, must not be negative")
    with np.errstate(over="ignore"):
        total = array.sum()
    if abs(total - 1) > _SIMPLEX:
        raise BadParameter(name, f": sums to {total:.12g}, must sum to 1")
    return array


def uniform(n_arms: int) -> Array:
    """Return the weight 1/K on every arm, the Borda weight."""
    if n_arms < 1:
        raise BadParameter("n_arms", f"is {n_arms}, must be at least 1")
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

    The form is canonical: a stretch with the weight of the one before it is a part of it.

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
        table = as_floats(self.weights, "weights")
        table = table[None] if table.ndim == 1 else table
        if table.ndim != 2 or len(table) == 0:
            raise ValueError(f"weights: has shape {table.shape}, must be one weight per stretch")
        for n, row in enumerate(table):
            as_weight(row, name="weight" if len(table) == 1 else f"weight {n}")
        starts = as_starts(self.starts, "weights")
        if len(starts) != len(table):
            raise ValueError(f"weights: {len(table)} weights but {len(starts)} starts")
        differs = np.append(True, (table[1:] != table[:-1]).any(axis=1))
        # Adding 0.0 turns -0.0, which is equal but hashes otherwise, into 0.0.
        table, starts = table[differs] + 0.0, starts[differs]
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
        if round_ < 0:
            raise ValueError(f"round is {round_}, must not be negative")
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
