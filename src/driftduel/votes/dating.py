"""When did it change: the posterior of the date, from the votes of the pairs of two arms.

Of a change in which one arm fell and another rose, the moment tau with which the new tastes begin
is as likely a posteriori as

    product over the pairs of either arm of B(w0 + 1/2, l0 + 1/2) B(w1 + 1/2, l1 + 1/2),

w0 and l0 being the wins and losses of a pair before tau, w1 and l1 those from tau on; every round
is as likely a priori. How pairs were chosen cancels. The most likely moments that hold 95 %
together are told as a range. Of many moments neighbours are put together, and the range holds all
of them.
"""

from __future__ import annotations

import numpy as np

from driftduel.votes.log import Ints, Log
from driftduel.votes.sequences import log_mixture

CREDIBLE = 0.95
"""The posterior probability of a range."""

_MOST_MOMENTS = 4_000
_MOST_TERMS = 400_000


def date_change(log: Log, begin: int, end: int, fell: int, rose: int) -> tuple[int, int, int]:
    """Return the first, the likeliest and the last row with which the new tastes may begin.

    Parameters
    ----------
    log : Log
        The votes.
    begin, end : int
        The rows that count: from the first to before the second, both beginning a time. There is
        no other change among them.
    fell, rose : int
        Who was ahead before, and who is after.

    Examples
    --------
    >>> log = Log(["tea", "milk"], np.arange(40), [0] * 40, [1] * 40, [1] * 22 + [0] * 18)
    >>> date_change(log, 0, 40, fell=0, rose=1)
    (21, 22, 22)
    """
    starts = begin + np.append(0, np.flatnonzero(np.diff(log.time[begin:end])) + 1)
    part = log.rows(slice(begin, end))
    asked = (part.left != part.right) & (
        np.isin(part.left, (fell, rose)) | np.isin(part.right, (fell, rose))
    )
    low, high = np.minimum(part.left, part.right), np.maximum(part.left, part.right)
    pairs, pair = np.unique((low * log.n_arms + high)[asked], return_inverse=True)
    edges = _grouped(len(starts), max(len(pairs), 1))
    if len(edges) < 3 or len(pairs) == 0:
        return begin, begin, int(starts[-1])
    rows = np.append(starts, end)[edges]
    group = np.searchsorted(rows, begin + np.arange(len(part)), side="right") - 1
    won = np.where(part.left == low, part.outcome, 1 - part.outcome)[asked]
    cell = group[asked] * len(pairs) + pair
    size = (len(edges) - 1) * len(pairs)
    wins, losses = (
        np.cumsum(np.bincount(cell, part.count[asked] * share, size).reshape(-1, len(pairs)), 0)
        for share in (won, 1.0 - won)
    )
    tallies = np.stack([wins, losses]).astype(np.float64)
    before, after = tallies[:, :-1], tallies[:, -1:] - tallies[:, :-1]
    height = (log_mixture(*before) + log_mixture(*after)).sum(axis=1)
    # The moment that begins a group stands for all from the beginning of the group before it on.
    prior = np.bincount(group, part.count)[:-1]
    chance = prior * np.exp(height - height.max())
    order = np.argsort(-height, kind="stable")
    held = np.cumsum(chance[order]) / chance.sum()
    # Moments of one height belong together, whatever rounding makes of them.
    lowest = height[order[int(np.searchsorted(held, CREDIBLE))]] - 1e-9
    likely = np.flatnonzero(height >= lowest)
    first, last = edges[likely.min()] + 1, edges[likely.max() + 2] - 1
    return int(starts[first]), int(starts[edges[order[0] + 1]]), int(starts[last])


def _grouped(moments: int, pairs: int) -> Ints:
    """Return the moments that begin groups, and the end of the last one."""
    groups = min(moments, _MOST_MOMENTS, max(_MOST_TERMS // pairs, 16))
    return np.linspace(0, moments, groups + 1).astype(np.int64)
