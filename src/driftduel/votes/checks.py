"""What the numbers of this room have to be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import as_floats, as_number


def as_amounts(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return ``values`` as an array of their shape; they are finite and at least 0.

    Examples
    --------
    >>> as_amounts([0.5, -1], "shares")
    Traceback (most recent call last):
        ...
    ValueError: shares[1] = -1, must be a finite number of at least 0
    """
    array = as_floats(values, name).reshape(np.shape(values))  # a number stays one
    for place in np.argwhere(~((array >= 0) & np.isfinite(array)))[:1]:
        at = ", ".join(map(str, place))
        wrong = f"{name}[{at}]" if at else name
        raise ValueError(
            f"{wrong} = {array[tuple(place)]:g}, must be a finite number of at least 0"
        )
    return array


def as_level(alpha: float) -> float:
    """Return the probability of an error that is accepted."""
    return as_number(alpha, "alpha", above=0, below=1)
