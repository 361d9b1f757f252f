"""Which classes of preferences hold throughout a stream, and where one fails first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from driftduel.preferences import TIE, Array, chunks, is_sti
from driftduel.streams.stream import Stream

Bools = NDArray[np.bool_]


def first_failures(stream: Stream) -> dict[str, int | None]:
    """Return the first round at which CW, GIC, SST and STI fail, None for what always holds.

    Every matrix is looked at, as `driftduel.classify` would.

    Examples
    --------
    >>> P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
    >>> rock = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    >>> first_failures(Stream.piecewise([P, rock], starts=[0, 70], horizon=100))
    {'CW': 70, 'GIC': 70, 'SST': 70, 'STI': 70}
    """
    tests = {"CW": _is_cw, "GIC": _is_gic, "SST": _is_sst, "STI": _is_sti}
    return {name: _first_failure(stream, test) for name, test in tests.items()}


def _first_failure(stream: Stream, test: Callable[[Array], Bools]) -> int | None:
    # Matrices are stored in the order in which they first rule, so the first that fails is the
    # first to fail in time.
    for part in chunks(stream.palette):
        holds = test(stream.palette[part])
        if not holds.all():
            matrix = part.start + int(np.argmin(holds))
            return int(stream.starts[np.argmax(stream.which == matrix)])
    return None


def _is_cw(palette: Array) -> Bools:
    return np.asarray((palette.min(axis=2) >= 0.5 - TIE).any(axis=1))


def _is_gic(palette: Array) -> Bools:
    best = palette.max(axis=1, keepdims=True)
    return np.asarray((palette >= best - TIE).all(axis=2).any(axis=1))


def _is_sst(palette: Array) -> Bools:
    rows = np.take_along_axis(palette, _by_row_sum(palette)[:, :, None], axis=1)
    return np.asarray((rows[:, :-1] >= rows[:, 1:] - TIE).all(axis=(1, 2)))


def _is_sti(palette: Array) -> Bools:
    """Try the order of the row sums first, for all matrices at once; it is nearly always it."""
    order = _by_row_sum(palette)
    rows = np.take_along_axis(palette, order[:, :, None], axis=1)
    gap = np.take_along_axis(rows, order[:, None, :], axis=2) - 0.5
    gap[np.abs(gap) <= TIE] = 0
    n_arms = gap.shape[1]
    upper = np.triu_indices(n_arms, 1)
    holds: Bools = np.asarray((gap[:, upper[0], upper[1]] >= 0).all(axis=1))
    for j in range(1, n_arms - 1):
        detour = gap[:, :j, j, None] + gap[:, None, j, j + 1 :]
        holds &= (gap[:, :j, j + 1 :] <= detour + TIE).all(axis=(1, 2))
    for m in np.flatnonzero(~holds):
        holds[m] = is_sti(palette[m])
        if not holds[m]:
            break
    return holds


def _by_row_sum(palette: Array) -> NDArray[np.intp]:
    return np.argsort(-palette.sum(axis=2), axis=1, kind="stable")
