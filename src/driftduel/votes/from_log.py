"""The world that votes tell of: estimates at evenly spaced times, each ruling equally long."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from driftduel._support.checks import as_count, as_horizon
from driftduel.votes.bandwidth import choose_bandwidth
from driftduel.votes.log import Log
from driftduel.votes.smoothing import as_bandwidth, estimate
from driftduel.worlds.checks import check_arms, check_size
from driftduel.worlds.stream import Stream

_STEPS_PER_BANDWIDTH = 50
_MOST_POINTS = 10_000


def stream_from_log(
    log: Log,
    horizon: int,
    bandwidth: float | None = None,
    *,
    arms: Sequence[str] | None = None,
    pseudo_count: float = 1.0,
    points: int | None = None,
    remove_bias: bool = False,
) -> Stream:
    """Make the world that votes tell of, played over ``horizon`` rounds.

    The time from the first vote to the last is cut into equal parts; the matrix of a part is
    the estimate at its middle, and each part gets an equal share of the horizon.

    Parameters
    ----------
    log : Log
        The votes.
    horizon : int
        Number of rounds.
    bandwidth : float, optional
        How far, in days for dates, a vote speaks for other times; ``math.inf`` for one matrix
        throughout. Chosen by `choose_bandwidth` if left out.
    arms : sequence of str, optional
        The arms to keep, in this order; all if left out.
    pseudo_count : float
        How many votes of a tie each pair gets for free.
    points : int, optional
        Number of parts, at most the horizon. Fifty a bandwidth, at most 10,000, if left out.
    remove_bias : bool
        Take out the advantage of being shown left, see `left_bias`.

    Examples
    --------
    >>> log = Log(["tea", "milk"], time=[0, 1, 2, 3], left=[0, 0, 0, 0], right=[1, 1, 1, 1],
    ...           outcome=[1, 1, 0, 0])
    >>> s = stream_from_log(log, horizon=100, bandwidth=1.0, points=4)
    >>> s
    Stream(2 arms, 100 rounds, 4 stretches of 4 matrices)
    >>> s.palette[:, 0, 1].round(2)
    array([0.74, 0.6 , 0.4 , 0.26])
    """
    horizon = as_horizon(horizon)
    if points is not None:
        points = as_count(points, "points", most=horizon)
    if arms is not None:
        log = log.select(arms)
    log = log.votes
    check_arms(log.n_arms, "select some of them")
    first, last = float(log.time[0]), float(log.time[-1])
    if bandwidth is None:
        bandwidth = math.inf
        if last > first:
            bandwidth = choose_bandwidth(
                log, pseudo_count=pseudo_count, remove_bias=remove_bias
            ).bandwidth
    bandwidth = as_bandwidth(bandwidth)
    if points is None:
        wanted = math.ceil(min(_STEPS_PER_BANDWIDTH * (last - first) / bandwidth, _MOST_POINTS))
        points = min(max(1, wanted), horizon)
    check_size(points, log.n_arms, "give fewer points")
    parts = np.arange(points)
    middles = first + (parts + 0.5) / points * (last - first)
    matrices = estimate(log, middles, bandwidth, pseudo_count, remove_bias=remove_bias)
    # Python's whole numbers, because points * horizon may exceed 64 bits.
    starts = [part * horizon // points for part in range(points)]
    return Stream(
        matrices, parts, starts, horizon, labels=log.arms, span=log.span, credits=log.credits
    )
