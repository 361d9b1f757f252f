"""Which bandwidth votes ask for: the one that predicts best the votes it has not seen.

A world that stands still needs no reason, one that changes does. So a finite bandwidth is taken
only if it is *clearly* better than one matrix throughout. Let d_c be by how much its loss on the
votes of cluster c of time is smaller; the sum of the d_c must be `CLEARLY` times its standard error
``sqrt(n/(n-1) sum (d_c - mean)^2)``, n the number of clusters. Clusters are the units because votes
of one date may come from one voter. That is the rule of one standard error of Breiman, Friedman,
Olshen & Stone, *Classification and Regression Trees* (1984), made stricter because a dozen
bandwidths are tried and neighbouring clusters go together; if clusters are few the standard error
is uncertain itself, and the quantile of Student's t that is as rare takes the place of `CLEARLY`.
Where votes are few an estimate leans to 1/2, and among equal arms that alone predicts better: so a
bandwidth must be as clearly better than one matrix that leans as much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftduel._support.checks import as_count, as_number
from driftduel._support.compile.jit import jit
from driftduel.votes.log import Array, Ints, Log
from driftduel.votes.smoothing import REACH, add_up, side_weights
from driftduel.worlds.checks import check_arms

_MOST_TIMES = 2048
"""Times that a table of all pairs of them, 32 MB, is made for."""

_CLUSTERS = 1000
"""Clusters if there are more times; two to the narrowest bandwidth that is tried."""

CLEARLY = 2.5
"""Standard errors by which a world that changes must predict better than one that does not."""


@dataclass(frozen=True)
class BandwidthChoice:
    """How well each bandwidth predicts votes it has not seen, as returned by `choose_bandwidth`.

    Attributes
    ----------
    bandwidth : float
        The candidate with the smallest loss among those clearly better than one static matrix;
        ``math.inf`` if there is none.
    loss : float
        The mean log-loss of a held-out vote at that bandwidth.
    static_loss : float
        The same for one matrix throughout.
    bandwidths, losses : tuple of float
        The candidates and their losses.
    margins : tuple of float
        By how many standard errors the loss of each is below that of one matrix.
    needed : float
        From which margin on a candidate is clearly better.
    """

    bandwidth: float
    loss: float
    static_loss: float
    bandwidths: tuple[float, ...]
    losses: tuple[float, ...]
    margins: tuple[float, ...]
    needed: float


def choose_bandwidth(
    log: Log,
    candidates: ArrayLike | None = None,
    *,
    folds: int = 10,
    cluster: float | None = None,
    pseudo_count: float = 1.0,
    remove_bias: bool = False,
) -> BandwidthChoice:
    """Find the bandwidth that predicts held-out votes best, infinite unless clearly better.

    The votes are cut into clusters by time, the clusters numbered in order, and cluster n put
    into fold n modulo ``folds``. The votes of a fold are predicted from those of the others;
    the loss is the mean over all votes of minus the logarithm of the probability given to what
    happened. Votes of one date are never on both sides: they may come from one race or one
    voter. There is nothing random in it.

    A finite bandwidth must be clearly better than one matrix throughout, and than one matrix that
    leans to 1/2 as much as it does for want of votes: by 2.5 standard errors of the difference,
    which are taken over the clusters, more if these are few.

    The work grows with the square of the number of clusters that a pair of arms appears in.

    Parameters
    ----------
    log : Log
        The votes.
    candidates : array_like, optional
        The bandwidths to try. If left out, twelve from 1/500 to 1/2 of the time from the first
        vote to the last, in equal ratios, none below the mean spacing of the clusters.
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
    log = log.votes
    check_arms(log.n_arms, "select some of them")
    folds = as_count(folds, "folds", least=2)
    if cluster is not None:
        cluster = as_number(cluster, "cluster", above=0)
    pseudo_count = as_number(pseudo_count, "pseudo_count", above=0)
    moments, cells, beta = _cells(log, cluster, remove_bias=remove_bias)
    tried = _as_candidates(log, moments, candidates)
    static, static_losses = _predicted(moments, cells, beta, math.inf, folds, pseudo_count)
    static_loss = float(static_losses.sum()) / log.n_votes
    losses, margins = [], []
    for h in tried:
        taught, moving_losses = _predicted(moments, cells, beta, h, folds, pseudo_count)
        leaning = _losses(_leaning(static, taught), moments, cells, beta, pseudo_count)
        losses.append(float(moving_losses.sum()) / log.n_votes)
        margins.append(min(_margin(other, moving_losses) for other in (static_losses, leaning)))
    needed = _student(CLEARLY, len(moments) - 1)
    clear = [n for n, margin in enumerate(margins) if margin >= needed]
    bandwidth, loss = math.inf, static_loss
    if clear:
        best = min(clear, key=losses.__getitem__)
        bandwidth, loss = tried[best], losses[best]
    return BandwidthChoice(
        bandwidth, loss, static_loss, tried, tuple(losses), tuple(margins), needed
    )


def _as_candidates(log: Log, moments: Array, candidates: ArrayLike | None) -> tuple[float, ...]:
    if candidates is None:
        span = log.time[-1] - log.time[0]
        if span > 0 and span / 500 < np.finfo(np.float64).tiny:
            raise ValueError(f"no bandwidth can be chosen: the times differ by {span:g} only")
        # Below the spacing of the dates a held-out vote is told next to nothing, and 1/2 is safe.
        narrowest = max(span / 500, (moments[-1] - moments[0]) / (len(moments) - 1))
        widest = max(span / 2, narrowest)
        return tuple(float(h) for h in np.unique(np.geomspace(narrowest, widest, 12)))
    try:
        values = np.atleast_1d(np.asarray(candidates, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError("candidates: must be a list of bandwidths") from None
    if values.ndim != 1 or len(values) == 0:
        raise ValueError("candidates: must be a list of bandwidths, one at least")
    return tuple(as_number(float(value), "bandwidth", above=0) for value in values)


def _margin(losses: Array, smaller: Array) -> float:
    """Return by how many standard errors losses are smaller; none if all that differs is rounding.

    Examples
    --------
    >>> _margin(np.array([3.0, 2.0, 2.0]), np.array([2.0, 2.0, 0.0]))
    1.7320508075688774
    """
    gains = losses - smaller
    spread = math.sqrt(len(gains) * float(gains.var(ddof=1)))
    rounding = 1e-12 * max(1.0, float(losses.sum()))
    return float(gains.sum()) / spread if spread > rounding else 0.0


def _student(normal: float, freedom: int) -> float:
    """Return the quantile of Student's t that is as rare as one of the normal distribution.

    By the expansion of Cornish and Fisher, which is too small for one or two degrees of freedom.

    Examples
    --------
    >>> [round(_student(3.0, freedom), 2) for freedom in (5, 30, 1000)]
    [5.43, 3.27, 3.01]
    """
    x, n = normal, freedom
    return (
        x
        + (x**3 + x) / (4 * n)
        + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * n**2)
        + (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / (384 * n**3)
    )


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
    """Return what a vote of one cluster says of another, nothing within a fold."""
    fold = np.arange(len(moments)) % folds
    apart = np.abs(moments[:, None] - moments)
    near = (apart <= REACH * bandwidth) & (fold[:, None] != fold)
    return np.where(near, np.exp(-0.5 * (np.where(near, apart, 0.0) / bandwidth) ** 2), 0.0)


def _predicted(
    moments: Array, cells: Cells, beta: float, bandwidth: float, folds: int, pseudo_count: float
) -> tuple[Array, Array]:
    """Return what the other folds teach of each cell, and the loss of each cluster."""
    begins, cluster, teaches_won, teaches_lost, _, _ = cells
    # A table of all pairs of clusters pays if enough pairs of arms look up in it.
    looks = (np.diff(begins).astype(np.float64) ** 2).sum()
    table = len(moments) <= _MOST_TIMES and looks > 4 * len(moments) ** 2
    kernels = _kernels(moments, folds, bandwidth) if table else np.empty((0, 0))
    taught = _taught(moments, kernels, folds, begins, cluster, teaches_won, teaches_lost, bandwidth)
    return taught, _losses(taught, moments, cells, beta, pseudo_count)


def _leaning(static: Array, taught: Array) -> Array:
    """Return what one matrix teaches, with no more votes than a bandwidth had for each cell.

    It leans to 1/2 as much, then, and knows nothing of time.
    """
    votes = static.sum(axis=1, keepdims=True)
    share = np.divide(static, votes, out=np.full_like(static, 0.5), where=votes > 0)
    return np.asarray(share * taught.sum(axis=1, keepdims=True))


def _losses(taught: Array, moments: Array, cells: Cells, beta: float, pseudo_count: float) -> Array:
    """Return the sum of the log-losses of the votes of each cluster."""
    _, cluster, _, _, won, lost = cells
    wins, losses = (taught + pseudo_count / 2).T
    odds = np.log(wins / losses)[:, None] + np.array([beta, -beta])
    loss = (won * np.log1p(np.exp(-odds)) + lost * np.log1p(np.exp(odds))).sum(axis=1)
    return add_up(cluster, loss, len(moments))


@jit
def _taught(
    moments: Array,
    kernels: Array,
    folds: int,
    pair_begins: Ints,
    cluster: Ints,
    teaches_won: Array,
    teaches_lost: Array,
    bandwidth: float,
) -> Array:
    """Return the votes won and lost of the other folds, weighted by their distance to each cell."""
    reach = REACH * bandwidth
    taught = np.zeros((len(cluster), 2))
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
                taught[cell, 0] += kernel * teaches_won[later]
                taught[cell, 1] += kernel * teaches_lost[later]
                taught[later, 0] += kernel * teaches_won[cell]
                taught[later, 1] += kernel * teaches_lost[cell]
    return taught
