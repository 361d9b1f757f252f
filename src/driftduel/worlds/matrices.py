"""Preference matrices made to order: from utilities, or random members of a class.

Links turn utilities into preferences, ``P[a, b] = F(u_a - u_b)``:

- logistic: ``F(x) = 1 / (1 + exp(-x))``, the model of Bradley, Terry and Luce;
- probit: ``F(x)`` is the standard normal distribution function, the model of Thurstone;
- linear: ``F(x) = (1 + x) / 2``, cut to stay between 0 and 1.

Each is concave on the positive side, so its matrices satisfy SST and STI.

Random members cover their class: whatever is true of nearly all matrices of the class, and no
more, is true of nearly all that are drawn. In particular a random GIC matrix is seldom SST.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter, as_floats, one_of
from driftduel.matrix.preferences import as_palette
from driftduel.worlds.checks import Seed, as_n_arms, as_rng

Array = NDArray[np.float64]

Link = str | Callable[[Array], ArrayLike]
"""The name of a link, or any increasing function with ``F(x) + F(-x) = 1``."""

KINDS = ("any", "cw", "gic", "sst", "sst-sti", "cyclic")
"""What `random_matrix` can draw."""


def utility_matrix(utilities: ArrayLike, link: Link = "logistic") -> Array:
    """Return the matrix of arms with given utilities, ``P[a, b] = F(u_a - u_b)``.

    Parameters
    ----------
    utilities : array_like of shape (K,) or (M, K)
        One utility per arm; several rows give one matrix per row.
    link : str or callable
        "logistic", "probit" or "linear", or a function F of an array, with F(x) + F(-x) = 1.

    Examples
    --------
    >>> utility_matrix([0.4, 0.0], link="linear")
    array([[0.5, 0.7],
           [0.3, 0.5]])
    >>> utility_matrix([1.0, 0.0], link=lambda x: (1 + x / (1 + abs(x))) / 2)
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    values = _as_numbers(utilities, "utilities")
    if values.ndim not in (1, 2):
        raise ValueError(f"utilities: has shape {values.shape}, must be one number per arm")
    differences = values[..., :, None] - values[..., None, :]
    matrices = np.asarray(_as_link(link)(differences), dtype=np.float64)
    if matrices.shape != differences.shape:
        raise ValueError(
            f"link: gives shape {matrices.shape} for {differences.shape}, must keep it"
        )
    if values.ndim == 1:
        return np.asarray(as_palette(matrices[None], "matrix of this link")[0])
    return as_palette(matrices, "matrix of this link")


def btl_matrix(strengths: ArrayLike) -> Array:
    """Return the Bradley-Terry-Luce matrix, ``P[a, b] = s_a / (s_a + s_b)``.

    Examples
    --------
    >>> btl_matrix([3, 1])
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    values = _as_numbers(strengths, "strengths")
    if values.ndim != 1:
        raise ValueError(f"strengths: has shape {values.shape}, must be one number per arm")
    if (values <= 0).any():
        arm = int(np.flatnonzero(values <= 0)[0])
        raise ValueError(f"strengths: arm {arm} has {values[arm]:g}, must be above 0")
    # Dividing by the larger of the two keeps strengths of any size from overflowing.
    larger = np.maximum(values[:, None], values[None, :])
    mine, theirs = values[:, None] / larger, values[None, :] / larger
    return np.asarray(as_palette((mine / (mine + theirs))[None])[0])


def random_matrix(kind: str, n_arms: int, seed: Seed = 0) -> Array:
    """Return a random matrix of a class, its arms in random order.

    Parameters
    ----------
    kind : str
        - "any": no condition at all;
        - "cw": some arm beats every other;
        - "gic": some arm maximises every column;
        - "sst": strong stochastic transitivity;
        - "sst-sti": that and the stochastic triangle inequality, in one order;
        - "cyclic": some arm beats every other, yet another has the best Borda score, and three
          of the others beat each other in a cycle (4 arms at least).
    n_arms : int
        Number of arms.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> from driftduel import classify
    >>> c = classify(random_matrix("gic", 10, seed=1))
    >>> c.gic, c.sst
    (True, False)
    """
    one_of(kind, "kind", KINDS)
    n_arms = as_n_arms(n_arms, 4 if kind == "cyclic" else 2)
    rng = as_rng(seed)
    gaps = _DRAW[kind](n_arms, rng)
    order = rng.permutation(n_arms)
    return np.asarray(0.5 + gaps[np.ix_(order, order)])


def winner_matrix(n_arms: int, winner: int, margin: float) -> Array:
    """Return the matrix in which ``winner`` beats all others by ``margin`` and they all tie."""
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[winner] += margin
    matrix[:, winner] -= margin
    matrix[winner, winner] = 0.5
    return matrix


def _as_link(link: Link) -> Callable[[Array], ArrayLike]:
    if callable(link):
        return link
    if link not in _LINKS:
        raise BadParameter("link", f"is {link!r}, must be {', '.join(_LINKS)} or a function")
    return _LINKS[link]


def _logistic(x: Array) -> Array:
    # The tanh form cannot overflow.
    return np.asarray(0.5 + np.tanh(x / 2) / 2)


def _probit(x: Array) -> Array:
    erf = np.vectorize(math.erf, otypes=[np.float64])
    return np.asarray(0.5 + erf(x / math.sqrt(2)) / 2)


def _linear(x: Array) -> Array:
    return np.clip((1 + x) / 2, 0, 1)


_LINKS: dict[str, Callable[[Array], ArrayLike]] = {
    "logistic": _logistic,
    "probit": _probit,
    "linear": _linear,
}


def _any(n_arms: int, rng: np.random.Generator) -> Array:
    return _antisymmetric(rng.uniform(-0.5, 0.5, (n_arms, n_arms)))


def _cw(n_arms: int, rng: np.random.Generator) -> Array:
    return _crown(_any(n_arms, rng), rng.uniform(0, 0.5, n_arms - 1))


def _gic(n_arms: int, rng: np.random.Generator) -> Array:
    # A random scale for the others, or with many arms the winner's row would be all near 1.
    gaps = _any(n_arms, rng) * rng.uniform()
    return _crown(gaps, rng.uniform(gaps[1:, 1:].max(axis=0), 0.5))


def _sst(n_arms: int, rng: np.random.Generator) -> Array:
    """Fill an order's gaps, which grow away from the diagonal, from the smallest to the largest.

    The next smallest gap may go to any pair whose two inner neighbours have theirs.
    """
    n_pairs = n_arms * (n_arms - 1) // 2
    gaps = np.zeros((n_arms, n_arms))
    filled = np.eye(n_arms, dtype=bool)
    ready = [(i, i + 1) for i in range(n_arms - 1)]
    picks = rng.random(n_pairs)
    for gap, pick in zip(np.sort(rng.uniform(0, 0.5, n_pairs)), picks, strict=True):
        place = int(pick * len(ready))
        ready[place], ready[-1] = ready[-1], ready[place]
        i, k = ready.pop()
        gaps[i, k] = gap
        filled[i, k] = True
        if i > 0 and filled[i - 1, k - 1]:
            ready.append((i - 1, k))
        if k < n_arms - 1 and filled[i + 1, k + 1]:
            ready.append((i, k + 1))
    return _antisymmetric(gaps)


def _sst_sti(n_arms: int, rng: np.random.Generator) -> Array:
    """Fill an order's gaps outwards, each between what SST and what STI allow.

    The two never contradict: d(i,k-1) <= d(i,j) + d(j,k-1) <= d(i,j) + d(j,k), and the same for
    d(i+1,k). Both conditions survive a change of scale.
    """
    gaps = np.zeros((n_arms, n_arms))
    for distance in range(1, n_arms):
        for i in range(n_arms - distance):
            k = i + distance
            low, high = 0.0, 1.0
            if distance > 1:
                low = max(gaps[i, k - 1], gaps[i + 1, k])
                high = (gaps[i, i + 1 : k] + gaps[i + 1 : k, k]).min()
            gaps[i, k] = rng.uniform(low, max(low, high))
    return _antisymmetric(gaps * (rng.uniform(0.25, 0.5) / gaps[0, -1]))


def _cyclic(n_arms: int, rng: np.random.Generator) -> Array:
    gaps = _any(n_arms, rng)
    for a, b in ((1, 2), (2, 3), (3, 1)):
        gaps[a, b] = abs(gaps[a, b])
        gaps[b, a] = -gaps[a, b]
    # Margins this small leave the others' best its lead: with all of them equal to the bound,
    # the sum of the winner's gaps would just reach it.
    best = gaps[1:, 1:].sum(axis=1).max()
    return _crown(gaps, rng.uniform(0, best / n_arms, n_arms - 1))


def _crown(gaps: Array, margins: Array) -> Array:
    """Let arm 0 beat arm a by ``margins[a - 1]``."""
    crowned = gaps.copy()
    crowned[0, 1:] = margins
    crowned[1:, 0] = -margins
    return crowned


def _antisymmetric(upper: Array) -> Array:
    gaps = np.triu(upper, 1)
    return np.asarray(gaps - gaps.T)


_DRAW: dict[str, Callable[[int, np.random.Generator], Array]] = {
    "any": _any,
    "cw": _cw,
    "gic": _gic,
    "sst": _sst,
    "sst-sti": _sst_sti,
    "cyclic": _cyclic,
}


def _as_numbers(values: ArrayLike, name: str) -> Array:
    array = as_floats(values, name)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: arm {np.argwhere(~np.isfinite(array))[0][-1]} is not finite")
    return array
