"""One preference matrix: what makes it valid, who wins it, and which classes it belongs to.

``P[a, b]`` is the probability that arm a is preferred to arm b, so ``P[b, a] = 1 - P[a, b]`` and
``P[a, a] = 1/2``. The classes of PAPER.md section 1:

- CW: some arm has ``P[c, a] >= 1/2`` for all a;
- GIC: some arm maximises every column, ``P[c, b] = max_a P[a, b]`` for all b;
- SST: in some order, i before j before k gives ``P[i, k] >= max(P[i, j], P[j, k])``;
- STI: in some order, i before j before k gives ``d(i, k) <= d(i, j) + d(j, k)``, d = P - 1/2.

In both orders an arm stands before the arms it beats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

TIE = 1e-12
"""Two probabilities or scores closer than this are equal."""

SYMMETRY = 1e-9
"""How far ``P[a, b] + P[b, a]`` may be from 1."""


def as_matrix(P: ArrayLike, name: str = "preference matrix") -> Array:
    """Return ``P`` as a float array after checking that it is a preference matrix.

    Parameters
    ----------
    P : array_like of shape (K, K)
        ``P[a, b]`` is the probability that a is preferred to b.
    name : str
        What to call it in an error message.

    Raises
    ------
    ValueError
        If the shape is wrong, an entry is not a probability, or two entries contradict each
        other. The message names the entry.

    Examples
    --------
    >>> as_matrix([[0.5, 0.7], [0.4, 0.5]])
    Traceback (most recent call last):
        ...
    ValueError: preference matrix: P[0,1] + P[1,0] = 1.1, must be 1
    """
    array = _as_floats(P, name)
    if array.ndim != 2:
        raise ValueError(f"{name}: has {array.ndim} dimensions, must be a K x K matrix")
    return np.asarray(as_palette(array[None], name)[0])


def as_palette(matrices: ArrayLike, name: str = "preference matrix") -> Array:
    """Return ``matrices`` as a float array (M, K, K) after checking each as in `as_matrix`."""
    palette = _as_floats(matrices, name)
    if palette.ndim != 3 or palette.shape[1] != palette.shape[2]:
        raise ValueError(f"{name}: has shape {palette.shape[-2:]}, must be square")
    if len(palette) == 0:
        raise ValueError(f"{name}: there is none, at least one is needed")
    n_arms = palette.shape[1]
    if n_arms < 2:
        raise ValueError(f"{name}: has {n_arms} arm, at least 2 are needed")
    if not np.isfinite(palette).all():
        m, a, b = np.argwhere(~np.isfinite(palette))[0]
        raise ValueError(f"{_label(name, m, palette)}: P[{a},{b}] is {palette[m, a, b]}")
    outside = (palette < 0) | (palette > 1)
    if outside.any():
        m, a, b = np.argwhere(outside)[0]
        value = palette[m, a, b]
        raise ValueError(
            f"{_label(name, m, palette)}: P[{a},{b}] = {value:.6g}, must be between 0 and 1"
        )
    diagonal = np.diagonal(palette, axis1=1, axis2=2)
    if (np.abs(diagonal - 0.5) > SYMMETRY).any():
        m, a = np.argwhere(np.abs(diagonal - 0.5) > SYMMETRY)[0]
        raise ValueError(
            f"{_label(name, m, palette)}: P[{a},{a}] = {diagonal[m, a]:.6g}, must be 0.5"
        )
    uneven = np.abs(palette + palette.swapaxes(1, 2) - 1) > SYMMETRY
    if uneven.any():
        m, a, b = np.argwhere(uneven)[0]
        total = palette[m, a, b] + palette[m, b, a]
        raise ValueError(
            f"{_label(name, m, palette)}: P[{a},{b}] + P[{b},{a}] = {total:.6g}, must be 1"
        )
    return palette


def maximisers(scores: Array) -> NDArray[np.intp]:
    """Return every arm whose score is the largest, up to `TIE`."""
    return np.flatnonzero(scores >= scores.max() - TIE)


def condorcet_winners(P: Array) -> NDArray[np.intp]:
    """Return every arm that no other arm beats; usually one or none."""
    return np.flatnonzero(P.min(axis=-1) >= 0.5 - TIE)


def gic_winners(P: Array) -> NDArray[np.intp]:
    """Return every arm that maximises every column; they have equal rows."""
    return np.flatnonzero((P.max(axis=0) - TIE <= P).all(axis=1))


@dataclass(frozen=True)
class PreferenceClass:
    """Which classes a matrix belongs to, as returned by `classify`.

    Attributes
    ----------
    condorcet_winner : int or None
        An arm that no other arm beats; the first of them if several tie.
    gic_winners : tuple of int
        The arms that maximise every column.
    condorcet, gic, sst, sti : bool
        Whether the matrix is in the class.
    """

    condorcet_winner: int | None
    gic_winners: tuple[int, ...]
    condorcet: bool
    gic: bool
    sst: bool
    sti: bool


def classify(P: ArrayLike) -> PreferenceClass:
    """Tell which of the classes CW, GIC, SST and STI a matrix belongs to.

    Examples
    --------
    Rock, paper, scissors has no winner of any kind; arms with utilities have all:

    >>> classify([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]).condorcet
    False
    >>> c = classify([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    >>> c.condorcet_winner, c.gic_winners, c.sst, c.sti
    (0, (0,), True, True)
    """
    matrix = as_matrix(P)
    winners = condorcet_winners(matrix)
    dominant = gic_winners(matrix)
    return PreferenceClass(
        condorcet_winner=int(winners[0]) if len(winners) else None,
        gic_winners=tuple(int(a) for a in dominant),
        condorcet=len(winners) > 0,
        gic=len(dominant) > 0,
        sst=is_sst(matrix),
        sti=is_sti(matrix),
    )


def is_sst(P: Array) -> bool:
    """Tell whether strong stochastic transitivity holds in some order.

    SST in an order is the same as every row being at least the next row, entry by entry; such
    an order sorts the arms by their row sums, so one order is enough to try.
    """
    rows = P[np.argsort(-P.sum(axis=1), kind="stable")]
    return bool((rows[:-1] >= rows[1:] - TIE).all())


def is_sti(P: Array) -> bool:
    """Tell whether the stochastic triangle inequality holds in some order.

    Arms are placed one by one, each only when no arm left beats it. Without ties that leaves
    one order; with ties the alternatives are searched, arms with equal rows once.
    """
    gap = P - 0.5
    beats = gap > TIE

    def extend(order: list[int], left: list[int]) -> bool:
        if not left:
            return True
        tried: list[int] = []
        for arm in left:
            if beats[left, arm].any():
                continue
            if any(np.array_equal(P[arm], P[other]) for other in tried):
                continue
            tried.append(arm)
            if _fits_last(gap, order, arm) and extend(
                [*order, arm], [other for other in left if other != arm]
            ):
                return True
        return False

    return extend([], list(range(len(P))))


def _fits_last(gap: Array, order: list[int], last: int) -> bool:
    """Check the triangle inequality for all i before j in ``order``, before ``last``."""
    to_last = gap[order, last]
    between = gap[np.ix_(order, order)]
    slack = between + to_last[None, :] - to_last[:, None]
    return bool((slack[np.triu_indices(len(order), 1)] >= -TIE).all())


def _as_floats(values: ArrayLike, name: str) -> Array:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: must be numbers in a square array") from None


def _label(name: str, index: int, palette: Array) -> str:
    return name if len(palette) == 1 else f"{name} {index}"
