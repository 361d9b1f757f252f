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
from driftduel.streams.smoothing import REACH, side_weights


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

    The work grows with the square of the number of clusters that a pair of arms appears in; for
    logs with numbers for times and hardly two votes at the same time, give a ``cluster``.

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
        The width of a cluster of votes that stay together. If left out, a day for dates, equal
        times otherwise.
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
    cells = _cells(log, folds, cluster, remove_bias=remove_bias)
    losses = [_held_out_loss(*cells, h, pseudo_count) / log.n_votes for h in (*tried, math.inf)]
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


Cells = tuple[Ints, Array, Ints, Array, Array, Array, Array, Array]


def _cells(log: Log, folds: int, cluster: float | None, *, remove_bias: bool) -> Cells:
    """Add up the votes by pair, time and side; a cell is seen from the pair's first arm.

    Returns where each pair begins, then for every cell its time, its fold, the weighted votes
    won and lost that it teaches, the votes won and lost that are to be predicted, and the
    log-odds that its side adds.
    """
    width = 1.0 if cluster is None and log.dated else cluster
    time = log.time if width is None else (np.floor(log.time / width) + 0.5) * width
    clusters = np.unique(time, return_inverse=True)[1]
    if clusters[-1] == 0:
        raise ValueError(
            "no bandwidth can be chosen: all votes are in one cluster of time, give a bandwidth "
            "or a narrower cluster"
        )
    first, second = np.minimum(log.left, log.right), np.maximum(log.left, log.right)
    swapped = log.left > log.right
    pair = first * log.n_arms + second
    order = np.lexsort((swapped, time, pair))
    keys = np.stack([pair[order], clusters[order], swapped[order]])
    begins = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    left_won = np.add.reduceat((log.count * log.outcome)[order], begins)
    left_lost = np.add.reduceat((log.count * (1 - log.outcome))[order], begins)
    weight_won, weight_lost, beta = side_weights(log, remove_bias=remove_bias)
    cell = order[begins]
    turned = swapped[cell]
    pair_begins = np.flatnonzero(np.diff(pair[cell], prepend=-1, append=-1))
    return (
        pair_begins,
        time[cell],
        clusters[cell] % folds,
        np.where(turned, weight_lost * left_lost, weight_won * left_won),
        np.where(turned, weight_won * left_won, weight_lost * left_lost),
        np.where(turned, left_lost, left_won),
        np.where(turned, left_won, left_lost),
        np.where(turned, -beta, beta),
    )


@jit
def _held_out_loss(
    pair_begins: Ints,
    time: Array,
    fold: Ints,
    won: Array,
    lost: Array,
    target_won: Array,
    target_lost: Array,
    shift: Array,
    bandwidth: float,
    pseudo_count: float,
) -> float:
    """Return the sum of the log-losses of all cells, each predicted from the other folds."""
    reach = REACH * bandwidth
    wins = np.full(len(time), pseudo_count / 2)
    losses = np.full(len(time), pseudo_count / 2)
    for pair in range(len(pair_begins) - 1):
        for cell in range(pair_begins[pair], pair_begins[pair + 1]):
            for later in range(cell + 1, pair_begins[pair + 1]):
                distance = time[later] - time[cell]
                if distance > reach:
                    break
                if fold[later] != fold[cell]:
                    kernel = math.exp(-0.5 * (distance / bandwidth) ** 2)
                    wins[cell] += kernel * won[later]
                    losses[cell] += kernel * lost[later]
                    wins[later] += kernel * won[cell]
                    losses[later] += kernel * lost[cell]
    total = 0.0
    for cell in range(len(time)):
        odds = math.log(wins[cell] / losses[cell]) + shift[cell]
        total += target_won[cell] * math.log1p(math.exp(-odds))
        total += target_lost[cell] * math.log1p(math.exp(odds))
    return total
