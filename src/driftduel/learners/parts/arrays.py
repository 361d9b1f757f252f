"""Names for the types of arrays, a round that never comes, and copying without a temporary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import inline_kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Records = NDArray[np.void]

NEVER = np.iinfo(np.int64).max // 4


@inline_kernel
def copy_sums(target: Floats, source: Floats) -> None:
    """Copy an array (W, K), without the temporary that numba's assignment makes."""
    for weight in range(source.shape[0]):
        for arm in range(source.shape[1]):
            target[weight, arm] = source[weight, arm]
