"""Features of arms: a row of numbers for each, checked once for worlds and learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter, as_floats

_LARGEST = 1e100
"""Squares of such numbers are still numbers."""


def as_features(values: ArrayLike, n_arms: int) -> NDArray[np.float64]:
    """Return the features (K, d) of arms as a new array that cannot be written to.

    Examples
    --------
    >>> as_features([[1, 0], [0, 2]], 2).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    >>> as_features([[1, 0], [0, 2]], 3)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: features: there are 2 rows for 3 arms
    """
    array = as_floats(values, "features").copy()
    if array.ndim != 2 or array.shape[1] == 0:
        raise BadParameter("features", ": must be a list of numbers for each arm")
    if len(array) != n_arms:
        raise BadParameter("features", f": there are {len(array)} rows for {n_arms} arms")
    for arm, place in np.argwhere(~(np.abs(array) <= _LARGEST)):
        raise BadParameter(
            "features",
            f"[{arm}][{place}] = {array[arm, place]}, must be a number of at most {_LARGEST:g}",
        )
    if (array == array[0]).all():
        raise BadParameter("features", ": all arms have the same, so nothing tells them apart")
    array.setflags(write=False)
    return array
