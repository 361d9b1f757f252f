"""From votes to a world: preference matrices over time by kernel smoothing.

With ``k(x) = exp(-x^2/2)``, bandwidth h and pseudo-count c, the estimate at time t is

    P_t[a,b] = (c/2 + sum over votes that a won against b of k((t - time)/h))
               / (c + sum over votes between a and b of k((t - time)/h)),

a tie being half a vote for each. Where votes are few it leans to 1/2. Votes more than 8
bandwidths away have weights below 1.3e-14 and are left out. Of more than a million votes those
within a twentieth of a bandwidth are taken at one time. Times, and so bandwidths, are in
days for logs with dates and in the unit of the ``time`` column otherwise.

The side on which an arm is shown may help it. If the left arm's log-odds are raised by some
beta whoever it is, then a vote won by the left arm carries ``exp(beta)`` times the odds it
should. Votes for the left arm therefore get the weight ``1/(2 sigma(beta))`` and votes for the
right arm ``1/(2 sigma(-beta))``, sigma the logistic function: expected wins and losses then
stand in the ratio of a fair showing, however often each arm was shown left.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import as_number
from driftduel._support.compile.jit import jit
from driftduel.votes.log import Array, Ints, Log

YEAR = 365.25
"""Days in a year, to write bandwidths with: ``1.5 * YEAR``."""

REACH = 8.0
"""Votes further away than this many bandwidths are left out."""

_RUN = 20

_MANY = 10**6
"""Votes that are smoothed one by one; of more, neighbours in time are added up first."""

_BINS = 20
"""Of a bandwidth; an estimate moves by a fiftieth of its standard error or less."""


def smooth(
    log: Log,
    times: ArrayLike,
    bandwidth: float,
    *,
    pseudo_count: float = 1.0,
    remove_bias: bool = False,
) -> Array:
    """Return the estimated preference matrices at given times, shape (n, K, K).

    Parameters
    ----------
    log : Log
        The votes.
    times : array_like of shape (n,)
        Dates or ISO strings if the log has dates, numbers otherwise; in any order.
    bandwidth, pseudo_count, remove_bias
        As for `stream_from_log`.

    Examples
    --------
    >>> log = Log(["tea", "milk"], [0, 10], [0, 0], [1, 1], [1, 0])
    >>> smooth(log, [0, 5], bandwidth=1.0)[:, 0, 1]
    array([0.75, 0.5 ])
    """
    moments = log.as_times(times)
    if not np.isfinite(moments).all():
        raise ValueError("times: must be finite")
    bandwidth = as_bandwidth(bandwidth)
    return estimate(log, moments, bandwidth, pseudo_count, remove_bias=remove_bias)


def left_bias(log: Log) -> float:
    """Return the chance that the left of two equal arms wins; 1/2 if the side does not matter.

    Each pair's entries are cut into runs of 20 that follow each other in time. Within a run
    between a and b let A and B be the votes that a won and lost when shown left, C and D those
    it won and lost when shown right, and n all of them. The odds ratio AD/BC is
    ``exp(2 beta)`` whatever the strengths of a and b; its estimate common to all runs is that
    of Mantel and Haenszel (1959), ``sum AD/n / sum BC/n``. So strong arms that are shown left
    more often are not taken for a bias, as they would be in `Log.left_share`, and runs are
    short so that drift does not blur it. Runs shown in one order only say nothing.

    Examples
    --------
    Arm a wins 3 of 4 when shown left, and 2 of 4 when shown right:

    >>> votes = {"left": [0, 0, 1, 1], "right": [1, 1, 0, 0], "outcome": [1, 0, 1, 0]}
    >>> log = Log(["a", "b"], [1, 2, 3, 4], count=[3, 1, 2, 2], **votes)
    >>> round(left_bias(log), 3)
    0.634
    """
    log = log.votes
    run = _runs(log)
    turned = log.left > log.right
    left_won, left_lost = log.count * log.outcome, log.count * (1 - log.outcome)
    won = [np.bincount(run, left_won * side) for side in (~turned, turned)]
    lost = [np.bincount(run, left_lost * side) for side in (~turned, turned)]
    votes = np.bincount(run, log.count)
    for_left = float((won[0] * won[1] / votes).sum())
    for_right = float((lost[0] * lost[1] / votes).sum())
    if for_left == 0 or for_right == 0:
        raise ValueError(
            "left/right bias: cannot be told from preference, too few pairs of arms were shown in "
            "both orders"
        )
    return 1 / (1 + math.sqrt(for_right / for_left))


def _runs(log: Log) -> Ints:
    """Return the run of 20 entries of one pair that each entry of the log belongs to."""
    pair = np.minimum(log.left, log.right) * log.n_arms + np.maximum(log.left, log.right)
    order = np.argsort(pair, kind="stable")
    entry = np.arange(len(log))
    new_pair = np.diff(pair[order], prepend=-1) != 0
    within = entry - np.maximum.accumulate(np.where(new_pair, entry, 0))
    run = np.empty(len(log), dtype=np.int64)
    run[order] = np.cumsum(within % _RUN == 0) - 1
    return run


def side_weights(log: Log, *, remove_bias: bool) -> tuple[float, float, float]:
    """Return the weights of votes for the left and for the right arm, and beta."""
    if not remove_bias:
        return 1.0, 1.0, 0.0
    if not log.sides:
        raise ValueError("remove_bias: the votes do not say who was shown left, leave it out")
    share = left_bias(log)
    return 0.5 / share, 0.5 / (1 - share), math.log(share / (1 - share))


def estimate(
    log: Log, times: Array, bandwidth: float, pseudo_count: float, *, remove_bias: bool
) -> Array:
    """Return what `smooth` does, for times in the unit of the log that need no checking."""
    log = log.votes
    pseudo_count = as_number(pseudo_count, "pseudo_count", above=0)
    weight_won, weight_lost, _ = side_weights(log, remove_bias=remove_bias)
    order = np.argsort(times, kind="stable")
    wins = np.zeros((len(times), log.n_arms, log.n_arms))
    won, lost = weight_won * log.count * log.outcome, weight_lost * log.count * (1 - log.outcome)
    votes = (log.time, log.left, log.right, won, lost)
    if len(log) > _MANY:
        votes = _gathered(log, won, lost, bandwidth)
    begins = np.append(np.flatnonzero(np.diff(votes[0], prepend=-math.inf)), len(votes[0]))
    _add_votes(times[order], begins, *votes, float(bandwidth), wins)
    matrices = np.empty_like(wins)
    matrices[order] = (wins + pseudo_count / 2) / (wins + wins.swapaxes(1, 2) + pseudo_count)
    return matrices


Votes = tuple[Array, Ints, Ints, Array, Array]


def _gathered(log: Log, won: Array, lost: Array, bandwidth: float) -> Votes:
    """Add up the votes of an ordered pair within a twentieth of a bandwidth, at its middle."""
    begin = log.time[0]
    width = bandwidth / _BINS
    if not log.time[-1] - begin < width * _MANY:  # finer than the votes are
        return log.time, log.left, log.right, won, lost
    bins = np.floor((log.time - begin) / width).astype(np.int64)
    keys: Ints
    keys, cell = np.unique(
        (bins * log.n_arms + log.left) * log.n_arms + log.right, return_inverse=True
    )
    bins, pair = np.divmod(keys, log.n_arms**2)
    left, right = np.divmod(pair, log.n_arms)
    time: Array = np.full(len(keys), begin) if math.isinf(width) else begin + (bins + 0.5) * width
    return time, left, right, add_up(cell, won, len(keys)), add_up(cell, lost, len(keys))


def add_up(cell: Ints, votes: Array, n_cells: int) -> Array:
    """Return the sum of the votes of each cell."""
    return np.asarray(np.bincount(cell, votes, n_cells), dtype=np.float64)


@jit
def _add_votes(
    grid: Array,
    begins: NDArray[np.intp],
    time: Array,
    left: Ints,
    right: Ints,
    won: Array,
    lost: Array,
    bandwidth: float,
    wins: Array,
) -> None:
    """Add to ``wins[g]`` every vote, weighted by its distance from ``grid[g]``.

    Votes of one time share their weights; ``begins`` says where each time begins.
    """
    for n in range(len(begins) - 1):
        moment = time[begins[n]]
        low = np.searchsorted(grid, moment - REACH * bandwidth)
        high = np.searchsorted(grid, moment + REACH * bandwidth, side="right")
        for g in range(low, high):
            kernel = math.exp(-0.5 * ((grid[g] - moment) / bandwidth) ** 2)
            for vote in range(begins[n], begins[n + 1]):
                wins[g, left[vote], right[vote]] += kernel * won[vote]
                wins[g, right[vote], left[vote]] += kernel * lost[vote]


def as_bandwidth(value: float) -> float:
    """Return a bandwidth as a float; an infinite one weighs all votes alike."""
    return value if value == math.inf else as_number(value, "bandwidth", above=0)
