"""Which bandwidth votes ask for: the one that predicts best the votes it has not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftduel._checks import as_count, as_number
from driftduel._jit import jit
from driftduel.streams._checks import check_arms
from driftduel.streams.logs import Array, Ints, Log
from driftduel.streams.smoothing import REACH, add_up, side_weights

_MOST_TIMES = 2048
"""Times that a table of all pairs of them, 32 MB, is made for."""

_CLUSTERS = 1000
"""Clusters if there are more times; two to the narrowest bandwidth that is tried."""


@dataclass(frozen=True)
class BandwidthChoice:
    """How well each bandwidth predicts votes it has not seen, as returned by `choose_bandwidth`.

    Attributes
    ----------
    bandwidth : float
        The candidate with the smallest loss; ``math.inf`` if one static matrix does better.
    loss : float
        The mean log-loss of a held-out vote at that bandwidth.
    static_loss : float
        The same for one matrix throughout.
    bandwidths, losses : tuple of float
        The candidates and their losses.
    """

    bandwidth: float
    loss: float
    static_loss: float
    bandwidths: tuple[float, ...]
    losses: tuple[float, ...]


def choose_bandwidth(
    log: Log,
    candidates: ArrayLike | None = None,
    *,
    folds: int = 10,
    cluster: float | None = None,
    pseudo_count: float = 1.0,
    remove_bias: bool = False,
) -> BandwidthChoice:
    """Find the bandwidth that predicts held-out votes best.

    The votes are cut into clusters by time, the clusters numbered in order, and cluster n put
    into fold n modulo ``folds``. The votes of a fold are predicted from those of the others;
    the loss is the mean over all votes of minus the logarithm of the probability given to what
    happened. Votes of one date are never on both sides: they may come from one race or one
    voter. There is nothing random in it.

    The work grows with the square of the number of clusters that a pair of arms appears in.

    Parameters
    ----------
    log : Log
        The votes.
    candidates : array_like, optional
        The bandwidths to try. If left out, twelve from 1/500 to 1/2 of the time from the first
        vote to the last, in equal ratios.
    folds : int
        Number of folds, at least 2; with as many folds as dates each date is left out alone.
    cluster : float, optional
        The width of a cluster of votes that stay together. If left out, a day for dates;
        otherwise equal times or, of more than 2048, a thousandth of the time from the first vote
        to the last.
    pseudo_count : float
        As for `stream_from_log`.
    remove_bias : bool
        Take out the advantage of being shown left from the estimate, and put it back to predict
        a vote. That one number is estimated from all votes.

    Examples
    --------
    Taste turns around every ten days:

    >>> days = np.arange(40)
    >>> log = Log(["tea", "milk"], days, 0 * days, 0 * days + 1, days // 10 % 2, dated=True)
    >>> choice = choose_bandwidth(log, [1, 10, 100])
    >>> choice.bandwidth, round(choice.loss, 2), round(choice.static_loss, 2)
    (1.0, 0.31, 0.69)
    """
    check_arms(log.n_arms, "select some of them")
    folds = as_count(folds, "folds", least=2)
    if cluster is not None:
        cluster = as_number(cluster, "cluster", above=0)
    pseudo_count = as_number(pseudo_count, "pseudo_count", above=0)
    tried = _as_candidates(log, candidates)
    moments, cells, beta = _cells(log, cluster, remove_bias=remove_bias)
    losses = []
    for h in (*tried, math.inf):
        kernels = _kernels(moments, folds, h)
        loss = _held_out_loss(moments, kernels, folds, *cells, beta, h, pseudo_count)
        losses.append(loss / log.n_votes)
    static_loss = losses.pop()
    best = int(np.argmin(losses))
    if losses[best] < static_loss:
        bandwidth, loss = tried[best], losses[best]
    else:
        bandwidth, loss = math.inf, static_loss
    return BandwidthChoice(bandwidth, loss, static_loss, tried, tuple(losses))


def _as_candidates(log: Log, candidates: ArrayLike | None) -> tuple[float, ...]:
    if candidates is None:
        span = log.time[-1] - log.time[0]
        if span > 0 and span / 500 < np.finfo(np.float64).tiny:
            raise ValueError(f"no bandwidth can be chosen: the times differ by {span:g} only")
        return tuple(float(h) for h in np.geomspace(span / 500, span / 2, 12))
    try:
        values = np.atleast_1d(np.asarray(candidates, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError("candidates: must be a list of bandwidths") from None
    if values.ndim != 1 or len(values) == 0:
        raise ValueError("candidates: must be a list of bandwidths, one at least")
    return tuple(as_number(float(value), "bandwidth", above=0) for value in values)


Cells = tuple[Ints, Ints, Array, Array, Array, Array]


def _cells(log: Log, cluster: float | None, *, remove_bias: bool) -> tuple[Array, Cells, float]:
    """Add up the votes by pair and cluster of time; a cell is seen from the pair's first arm.

    Returns the time of every cluster; where each pair begins and for every cell its cluster, the
    weighted votes won and lost that it teaches, and the votes won and lost that are to be
    predicted, by the side on which the first arm was shown; and the log-odds that the left adds.
    """
    moments, clusters = np.unique(_clustered(log, cluster), return_inverse=True)
    if len(moments) == 1:
        raise ValueError(
            "no bandwidth can be chosen: all votes are in one cluster of time, give a bandwidth "
            "or a narrower cluster"
        )
    swapped = log.left > log.right
    pair = np.minimum(log.left, log.right) * log.n_arms + np.maximum(log.left, log.right)
    keys: Ints
    keys, cell = np.unique(pair * len(moments) + clusters, return_inverse=True)
    left_won, left_lost = log.count * log.outcome, log.count * (1 - log.outcome)
    for_first, against = np.where(swapped, (left_lost, left_won), (left_won, left_lost))
    won, lost = (
        add_up(2 * cell + swapped, votes, 2 * len(keys)).reshape(-1, 2)
        for votes in (for_first, against)
    )
    weight_won, weight_lost, beta = side_weights(log, remove_bias=remove_bias)
    teaches_won = weight_won * won[:, 0] + weight_lost * won[:, 1]
    teaches_lost = weight_lost * lost[:, 0] + weight_won * lost[:, 1]
    begins: Ints = np.flatnonzero(np.diff(keys // len(moments), prepend=-1, append=-1))
    return moments, (begins, keys % len(moments), teaches_won, teaches_lost, won, lost), beta


def _clustered(log: Log, cluster: float | None) -> Array:
    """Return the times of the votes, those of a cluster in its middle."""
    width = 1.0 if cluster is None and log.dated else cluster
    if width is None and np.count_nonzero(np.diff(log.time)) > _MOST_TIMES:
        width = (log.time[-1] - log.time[0]) / _CLUSTERS
    return log.time if width is None else (np.floor(log.time / width) + 0.5) * width


def _kernels(moments: Array, folds: int, bandwidth: float) -> Array:
    """Return what a vote of one cluster says of another; none if there are too many clusters."""
    if len(moments) > _MOST_TIMES:
        return np.empty((0, 0))
    fold = np.arange(len(moments)) % folds
    apart = np.abs(moments[:, None] - moments)
    near = (apart <= REACH * bandwidth) & (fold[:, None] != fold)
    return np.where(near, np.exp(-0.5 * (np.where(near, apart, 0.0) / bandwidth) ** 2), 0.0)


@jit
def _held_out_loss(
    moments: Array,
    kernels: Array,
    folds: int,
    pair_begins: Ints,
    cluster: Ints,
    teaches_won: Array,
    teaches_lost: Array,
    won: Array,
    lost: Array,
    beta: float,
    bandwidth: float,
    pseudo_count: float,
) -> float:
    """Return the sum of the log-losses of all cells, each predicted from the other folds."""
    reach = REACH * bandwidth
    wins = np.full(len(cluster), pseudo_count / 2)
    losses = np.full(len(cluster), pseudo_count / 2)
    for pair in range(len(pair_begins) - 1):
        for cell in range(pair_begins[pair], pair_begins[pair + 1]):
            here = cluster[cell]
            for later in range(cell + 1, pair_begins[pair + 1]):
                there = cluster[later]
                distance = moments[there] - moments[here]
                if distance > reach:
                    break
                if len(kernels) > 0:
                    kernel = kernels[here, there]
                elif there % folds == here % folds:
                    continue
                else:
                    kernel = math.exp(-0.5 * (distance / bandwidth) ** 2)
                wins[cell] += kernel * teaches_won[later]
                losses[cell] += kernel * teaches_lost[later]
                wins[later] += kernel * teaches_won[cell]
                losses[later] += kernel * teaches_lost[cell]
    total = 0.0
    for cell in range(len(cluster)):
        for side in range(2):
            odds = math.log(wins[cell] / losses[cell]) + (beta if side == 0 else -beta)
            total += won[cell, side] * math.log1p(math.exp(-odds))
            total += lost[cell, side] * math.log1p(math.exp(odds))
    return total
