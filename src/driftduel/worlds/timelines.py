"""Parts of a stream checked and compared: who is on offer, its dates, equal matrices, gaps."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel.matrix.criteria import Criterion, NoCondorcetWinnerError
from driftduel.matrix.preferences import Array, chunks

Ints = NDArray[np.int64]


def as_offered(
    offered: ArrayLike | None, n_stretches: int, n_arms: int
) -> NDArray[np.bool_] | None:
    """Return who is on offer during each stretch, two arms at least; None if nothing is said."""
    if offered is None:
        return None
    try:
        rows = np.array(offered)
    except ValueError:
        rows = np.empty(0)
    if rows.dtype.kind != "b" or rows.shape != (n_stretches, n_arms):
        raise ValueError(
            f"offered: must be True or False for each of {n_stretches} stretches and {n_arms} arms"
        )
    for n in np.flatnonzero(rows.sum(axis=1) < 2):
        raise ValueError(f"offered[{n}]: {rows[n].sum()} on offer, two arms at least must be")
    return rows


def as_span(span: tuple[date, date] | None) -> tuple[date, date] | None:
    """Return the dates of the first and the last round, in order."""
    if span is None:
        return None
    days = tuple(day.date() if isinstance(day, datetime) else day for day in span)
    if len(days) != 2 or not all(isinstance(day, date) for day in days):
        raise ValueError(f"span: is {span!r}, must be the dates of the first and the last round")
    first, last = days
    if last < first:
        raise ValueError(f"span: ends on {last}, before it begins on {first}")
    return first, last


def first_equal(palette: Array) -> Ints:
    """Return, for every matrix, the index of the first matrix that equals it."""
    rows = palette.reshape(len(palette), -1)
    salt = np.random.default_rng(0).integers(1, 2**63, rows.shape[1], dtype=np.uint64)
    keys = np.empty(len(rows), dtype=np.uint64)
    for part in chunks(palette):
        bits = (rows[part] + 0.0).view(np.uint64)  # -0.0 equals 0.0 but has other bits
        bits ^= bits >> np.uint64(29)
        bits *= salt | np.uint64(1)
        bits ^= bits >> np.uint64(32)
        keys[part] = bits.sum(axis=1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    same = first[inverse].astype(np.int64)
    all_differ = len(first) == len(rows)
    if all_differ or all((rows[same[part]] == rows[part]).all() for part in chunks(palette)):
        return same
    # Two matrices share a key, which chance alone will hardly ever do.
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault((row + 0.0).tobytes(), n) for n, row in enumerate(rows)])


def gap_table(
    palette: Array, matrix: Ints, criterion: Criterion, begins: Ints, binary: bool
) -> Array:
    """Return the gaps of the arms under the matrices that rule from each of some rounds on."""
    table = criterion.loss_table if binary else criterion.gap_table
    turns = criterion.changes()
    bounds = np.append(np.searchsorted(begins, turns), len(begins))
    rows = np.empty((len(begins), palette.shape[1]))
    for n in range(np.searchsorted(turns, begins[0], side="right") - 1, len(turns)):
        low, high = (0 if turns[n] < begins[0] else bounds[n]), bounds[n + 1]
        if low == high:
            break
        chosen, row = palette, matrix[low:high]
        if len(turns) > 1:
            used, row = np.unique(row, return_inverse=True)
            chosen = palette[used]
        try:
            rows[low:high] = table(chosen, int(turns[n]))[row]
        except NoCondorcetWinnerError as error:
            first = int(begins[low + np.argmax(row == error.index)])
            raise ValueError(
                f"round {first}: no arm is a Condorcet winner, so Condorcet regret is undefined"
            ) from None
    return rows
