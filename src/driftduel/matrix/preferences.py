"""One preference matrix: what makes it valid, and which classes it belongs to.

``P[a, b]`` is the probability that arm a is preferred to arm b, so ``P[b, a] = 1 - P[a, b]`` and
``P[a, a] = 1/2``. The classes, as in Suk & Agarwal:

- CW: some arm has ``P[c, a] >= 1/2`` for all a;
- GIC: some arm maximises every column, ``P[c, b] = max_a P[a, b]`` for all b;
- SST: in some order, i before j before k gives ``P[i, k] >= max(P[i, j], P[j, k])``;
- STI: in some order, i before j before k gives ``d(i, k) <= d(i, j) + d(j, k)``, d = P - 1/2.

In both orders an arm stands before the arms it beats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import as_floats

Array = NDArray[np.float64]
Arms = NDArray[np.intp]
Bools = NDArray[np.bool_]

TIE = 1e-12
"""Two probabilities or scores closer than this are equal."""

SYMMETRY = 1e-9
"""How far ``P[a, b] + P[b, a]`` may be from 1; what is more than `TIE` is evened out."""

_CHUNK = 2**16
"""Numbers to work on at a time: temporaries that stay in the cache cost little."""


def as_matrix(P: ArrayLike, name: str = "preference matrix") -> Array:
    """Return ``P`` as a float array after checking that it is a preference matrix.

    Sums that miss 1 by rounding are evened out.

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
    array = as_floats(P, name)
    if array.ndim != 2:
        raise ValueError(f"{name}: has {array.ndim} dimensions, must be a K x K matrix")
    return np.asarray(as_palette(array[None], name)[0])


def as_palette(matrices: ArrayLike, name: str = "preference matrix") -> Array:
    """Return ``matrices`` as a float array (M, K, K) after checking each as in `as_matrix`."""
    palette = as_floats(matrices, name)
    if palette.ndim != 3:
        raise ValueError(f"{name}: has shape {palette.shape}, must be a list of K x K matrices")
    if len(palette) == 0:
        raise ValueError(f"{name}: there is none, at least one is needed")
    n_arms = palette.shape[1]
    if palette.shape[2] != n_arms:
        raise ValueError(f"{name}: has shape {palette.shape[1:]}, must be square")
    if n_arms < 2:
        raise ValueError(f"{name}: has {n_arms} arm, at least 2 are needed")
    uneven = []
    for part in chunks(palette):
        some = palette[part]
        error = _asymmetry(some)
        # Written so that NaN, for which every comparison is false, does not pass.
        if not (error <= SYMMETRY and some.min() >= 0 and some.max() <= 1):
            _complain(palette, part, name)
        if error > TIE:
            uneven.append(part)
    if uneven:
        palette = palette.copy()
    for part in uneven:
        palette[part] = (palette[part] - palette[part].swapaxes(1, 2)) / 2 + 0.5
    return palette


def chunks(palette: Array) -> Iterator[slice]:
    """Cut a palette into slices that fit in the processor's cache."""
    size = max(1, _CHUNK // palette[0].size)
    for begin in range(0, len(palette), size):
        yield slice(begin, min(begin + size, len(palette)))


def maximisers(scores: Array) -> NDArray[np.intp]:
    """Return every arm whose score is the largest, up to `TIE`."""
    return np.flatnonzero(scores >= scores.max() - TIE)


def unbeaten(palette: Array) -> Bools:
    """Return which arms (..., K) no other arm beats, the Condorcet winners of each matrix."""
    return np.asarray(palette.min(axis=-1) >= 0.5 - TIE)


def dominant(palette: Array) -> Bools:
    """Return which arms (..., K) maximise every column, the GIC winners of each matrix."""
    best = palette.max(axis=-2, keepdims=True)
    return np.asarray((palette >= best - TIE).all(axis=-1))


def condorcet_winners(P: Array) -> NDArray[np.intp]:
    """Return every arm that no other arm beats; usually one or none."""
    return np.flatnonzero(unbeaten(P))


def gic_winners(P: Array) -> NDArray[np.intp]:
    """Return every arm that maximises every column; they have equal rows."""
    return np.flatnonzero(dominant(P))


def first_outside(palette: Array) -> dict[str, int | None]:
    """Return the first matrix of a palette that is not in CW, GIC, SST and STI, None if all are.

    Examples
    --------
    >>> P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
    >>> rock = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    >>> first_outside(np.array([P, rock, P]))
    {'CW': 1, 'GIC': 1, 'SST': 1, 'STI': 1}
    """
    tests: dict[str, Callable[[Array], Bools]] = {
        "CW": lambda some: np.asarray(unbeaten(some).any(axis=1)),
        "GIC": lambda some: np.asarray(dominant(some).any(axis=1)),
        "SST": _are_sst,
        "STI": _are_sti_at_first,
    }
    return {name: _first_failure(palette, test) for name, test in tests.items()}


def is_sst(P: Array) -> bool:
    """Tell whether strong stochastic transitivity holds in some order.

    SST in an order is the same as every row being at least the next row, entry by entry; such
    an order sorts the arms by their row sums, so one order is enough to try.
    """
    return bool(_are_sst(P[None])[0])


def is_sti(P: Array) -> bool:
    """Tell whether the stochastic triangle inequality holds in some order.

    Without ties one order is possible. With ties the alternatives are searched, which costs
    more time than K^3 only where many arms tie in an irregular way.
    """
    gap = np.where(np.abs(P - 0.5) > TIE, P - 0.5, 0)
    nobody = np.empty(0, dtype=np.intp)
    return _sti_order_exists(gap, nobody, np.arange(len(P)))


def _first_failure(palette: Array, test: Callable[[Array], Bools]) -> int | None:
    for part in chunks(palette):
        holds = test(palette[part])
        if not holds.all():
            return part.start + int(np.argmin(holds))
    return None


def _are_sst(palette: Array) -> Bools:
    rows = np.take_along_axis(palette, _by_row_sum(palette)[:, :, None], axis=1)
    return np.asarray((rows[:, :-1] >= rows[:, 1:] - TIE).all(axis=(1, 2)))


def _are_sti_at_first(palette: Array) -> Bools:
    """Tell which matrices are STI, right up to the first that is not.

    The order of the row sums is tried first, for all matrices at once; it is nearly always it.
    """
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


def _by_row_sum(palette: Array) -> Arms:
    return np.argsort(-palette.sum(axis=2), axis=1, kind="stable")


def _sti_order_exists(gap: Array, placed: Arms, left: Arms) -> bool:
    """Tell whether the arms ``left`` can follow the arms ``placed`` in an order that is STI.

    An inequality d(i, k) <= d(i, j) + d(j, k) is checked when j is placed, so it depends on
    which arms stand before j but not on their order.
    """
    while len(left) > 1:
        inner = gap[np.ix_(left, left)]
        groups = [left[group] for group in _linked_groups(inner != 0)]
        if len(groups) > 1:
            if not _can_queue(gap, placed, groups):
                return False
            *small, left = sorted(groups, key=len)
            if not all(_sti_order_exists(gap, placed, group) for group in small):
                return False
            continue
        nexts = _possible_nexts(gap, placed, left, left[(inner >= 0).all(axis=1)])
        if not nexts:
            return False
        for arm in nexts[:-1]:
            if _sti_order_exists(gap, np.append(placed, arm), left[left != arm]):
                return True
        placed, left = np.append(placed, nexts[-1]), left[left != nexts[-1]]
    return True


def _linked_groups(linked: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Split arms into groups such that arms of different groups tie.

    An arm that ties with i and with k cannot stand between them if i beats k. So each group
    stands in one piece, and its inner order concerns no other group.
    """
    if linked.sum(axis=1).max() == len(linked) - 1:
        return [np.ones(len(linked), dtype=bool)]
    todo = np.ones(len(linked), dtype=bool)
    groups = []
    while todo.any():
        group = np.zeros(len(linked), dtype=bool)
        fresh = np.arange(len(linked)) == todo.argmax()
        while fresh.any():
            group |= fresh
            fresh = linked[fresh].any(axis=0) & ~group
        todo &= ~group
        groups.append(group)
    return groups


def _can_queue(gap: Array, placed: Arms, groups: list[Arms]) -> bool:
    """Tell whether groups that tie can follow ``placed`` one after the other.

    With j and k in different groups, d(i, k) <= d(i, j) + 0 if j comes first: every placed arm
    must beat the groups less and less.
    """
    if len(placed) == 0:
        return True
    most = np.array([gap[np.ix_(placed, group)].max(axis=1) for group in groups])
    least = np.array([gap[np.ix_(placed, group)].min(axis=1) for group in groups])
    order = np.argsort(-(most + least).sum(axis=1), kind="stable")
    return bool((least[order][:-1] >= most[order][1:] - TIE).all())


def _possible_nexts(gap: Array, placed: Arms, left: Arms, unbeaten: Arms) -> list[int]:
    """Return the unbeaten arms that may come next; of arms with equal rows, the first."""
    direct = gap[np.ix_(placed, left)]
    nexts: list[int] = []
    for arm in unbeaten:
        detour = gap[placed, arm][:, None] + gap[arm, left]
        if (direct <= detour + TIE).all() and not any((gap[arm] == gap[n]).all() for n in nexts):
            nexts.append(int(arm))
    return nexts


def _asymmetry(palette: Array) -> float:
    """Return the largest distance of ``P[a, b] + P[b, a]`` from 1; NaN if there is a NaN."""
    total = palette + palette.swapaxes(1, 2)
    total -= 1
    return float(np.abs(total, out=total).max())


def _complain(palette: Array, part: slice, name: str) -> None:
    """Raise the ValueError for the first matrix of a part of the palette that is wrong."""
    for index, P in enumerate(palette[part], start=part.start):
        label = name if len(palette) == 1 else f"{name} {index}"
        for a, b in np.argwhere(~np.isfinite(P)):
            raise ValueError(f"{label}: P[{a},{b}] is {P[a, b]}")
        for a, b in np.argwhere((P < 0) | (P > 1)):
            raise ValueError(f"{label}: P[{a},{b}] = {P[a, b]:.12g}, must be between 0 and 1")
        for a in np.flatnonzero(np.abs(2 * P.diagonal() - 1) > SYMMETRY):
            raise ValueError(f"{label}: P[{a},{a}] = {P[a, a]:.12g}, must be 0.5")
        for a, b in np.argwhere(np.abs(P + P.T - 1) > SYMMETRY):
            total = P[a, b] + P[b, a]
            raise ValueError(f"{label}: P[{a},{b}] + P[{b},{a}] = {total:.12g}, must be 1")
