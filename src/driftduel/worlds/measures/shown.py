"""Worlds whose arms come and go, as measures see them.

Only arms on offer are compared. Among them an arm that is not on offer stands for nothing: as an
opponent it ties with all of them, and as a choice it is so bad that it is unsafe at once. So every
measure is computed on a palette with one matrix for each way in which a matrix meets an offer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftduel.matrix.preferences import Array
from driftduel.worlds.stream import Stream
from driftduel.worlds.timelines import Ints


class Shown(NamedTuple):
    """A world as measures see it.

    Attributes
    ----------
    palette : array of shape (M, K, K)
        The matrices, no preferences any more where arms are not on offer.
    weights : array of shape (M, K) or None
        The uniform weight on the arms on offer under each; None if all of them always are.
    which, starts, horizon
        As for `Stream`.
    n_arms : int
        The largest number of arms on offer.
    """

    palette: Array
    weights: Array | None
    which: Ints
    starts: Ints
    horizon: int
    n_arms: int


def shown(stream: Stream) -> Shown:
    """Return a world as measures see it.

    Examples
    --------
    >>> P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
    >>> shown(Stream.stationary(P, 9).offering([[True, False, True]])).palette
    array([[[ 0.5,  0.5,  0.7],
            [-2.5, -2.5, -2.3],
            [ 0.3,  0.5,  0.5]]])
    """
    k = stream.n_arms
    if stream.offered is None:
        return Shown(stream.palette, None, stream.which, stream.starts, stream.horizon, k)
    offers, offer = np.unique(stream.offered, axis=0, return_inverse=True)
    pairs = stream.which * len(offers) + offer.reshape(-1)
    used, which = np.unique(pairs, return_inverse=True)
    there = offers[used % len(offers)]
    palette = np.array(stream.palette[used // len(offers)])
    palette[np.broadcast_to(~there[:, None, :], palette.shape)] = 0.5
    best = np.where(there[:, :, None], palette, -np.inf).max(axis=1)
    # A sum of gaps as large as K is reached by no threshold over two rounds.
    gone = np.broadcast_to((best - k)[:, None, :], palette.shape)
    palette = np.where(there[:, :, None], palette, gone)
    n_offered = there.sum(axis=1)
    weights = there / n_offered[:, None]
    return Shown(palette, weights, which, stream.starts, stream.horizon, int(n_offered.max()))
