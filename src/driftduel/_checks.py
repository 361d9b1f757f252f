"""Turning what a caller gives into arrays, or saying what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

LONGEST = 2**62
"""The longest horizon; two of them still fit in an int64."""


def as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return ``values`` as an array of floats, the same one if it is such an array.

    Examples
    --------
    >>> as_floats([0.5, "a half"], "weight")
    Traceback (most recent call last):
        ...
    ValueError: weight: must be numbers in rows of equal length
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name}: must be numbers in rows of equal length")


def as_whole_numbers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return ``values`` as a new array of integers.

    Examples
    --------
    >>> as_whole_numbers([0, 1.5], "order")
    Traceback (most recent call last):
        ...
    ValueError: order[1] = 1.5, must be a whole number
    """
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iuf":
        raise ValueError(f"{name}: must be a list of whole numbers, one at least")
    wrong = (array < -LONGEST) | (array > LONGEST)
    if array.dtype.kind == "f":
        wrong |= array != np.floor(array)
    for n in np.flatnonzero(wrong):
        raise ValueError(f"{name}[{n}] = {array[n]}, must be a whole number")
    return array.astype(np.int64)


def as_starts(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return the first rounds of stretches as a new array of increasing integers, the first 0.

    Examples
    --------
    >>> as_starts([0, 20, 10], "stream")
    Traceback (most recent call last):
        ...
    ValueError: stream: starts[2] = 10 does not come after starts[1] = 20
    """
    starts = as_whole_numbers(values, f"{name}: starts")
    if starts[0] != 0:
        raise ValueError(f"{name}: starts[0] = {starts[0]}, must be 0")
    for n in np.flatnonzero(np.diff(starts) <= 0):
        raise ValueError(
            f"{name}: starts[{n + 1}] = {starts[n + 1]} does not come after "
            f"starts[{n}] = {starts[n]}"
        )
    return starts


def as_labels(labels: Sequence[str] | None, n_arms: int) -> tuple[str, ...] | None:
    """Return the names of arms as a tuple, or None if they have none.

    Examples
    --------
    >>> as_labels(["tea", "tea"], 2)
    Traceback (most recent call last):
        ...
    ValueError: labels: each arm needs a different one
    """
    if labels is None:
        return None
    if isinstance(labels, str):
        raise ValueError(f"labels: must be a list of names, not the text {labels!r}")
    names = tuple(str(label) for label in labels)
    if len(names) != n_arms:
        raise ValueError(f"labels: {len(names)} given, there are {n_arms} arms")
    if len(set(names)) != n_arms:
        raise ValueError("labels: each arm needs a different one")
    return names
