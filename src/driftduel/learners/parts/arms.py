"""Rows of arrays for arms that come and go: taken along if the arm stays, fresh if it is new."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel.learners.parts.arrays import Ints


def carry_rows(old: NDArray[Any], new: NDArray[Any], kept: Ints, axes: int = 1) -> None:
    """Copy what is known of arms that stay into a fresh array.

    Parameters
    ----------
    old, new : array
        Arrays whose last axes are arms.
    kept : (K,) array of int
        Which arm of ``old`` each arm of ``new`` was; -1 for one that is new.
    axes : int
        How many axes are arms: 1, or 2 for pairs.

    Examples
    --------
    >>> new = np.zeros((2, 2))
    >>> carry_rows(np.arange(9.0).reshape(3, 3), new, np.array([2, -1]), axes=2)
    >>> new
    array([[8., 0.],
           [0., 0.]])
    """
    stay = np.flatnonzero(kept >= 0)
    rows = kept[stay]
    if axes == 1:
        new[..., stay] = old[..., rows]
    else:
        new[..., stay[:, None], stay] = old[..., rows[:, None], rows]
