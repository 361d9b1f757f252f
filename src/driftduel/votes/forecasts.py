"""What was to be expected of each vote before it was cast: the chance of every pair.

Forecasts are a table of chances for each *block* of rows, made from earlier votes or from
elsewhere, as by a judge. A block has eight rows, after 256 of them a 32nd as many, and ends
where the time is another. So blocks do not depend on when a log ends, and what is expected of a
vote never depends on it or on later ones.

`of_past` has the likely model (`driftduel.votes.likely.filtering`), with a few constants that are
averaged by how well they predicted, in which drift and jumps are as likely whenever the votes
double. Of more than `MOST_ARMS` arms nothing is forecast.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter
from driftduel.votes.likely.bins import Bins
from driftduel.votes.likely.constants import few
from driftduel.votes.likely.filtering import Pool, run_filter, sigma
from driftduel.votes.likely.layout import Layout
from driftduel.votes.log import Log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_ARMS = 64
"""Of more of them the model takes longer than all else."""

_MOST_PAIRED = 6
"""Up to so many arms pairs may differ from what strengths say."""

_COMPONENTS = 12
_FIRST, _GROWTH = 8, 32
_SLACK = 1e-6


class Forecasts(NamedTuple):
    """Tables of chances that the row beats the column, and which of them each vote has."""

    tables: Floats  # (B, K, K)
    of_row: Ints  # (n,)


class Forecaster(Protocol):
    """Who forecasts votes from what was known before each, as `driftduel.votes.judges` does."""

    def expect(self, log: Log) -> Forecasts:
        """Return what was to be expected of each row of a log."""


def as_forecasts(predictions: ArrayLike | Forecaster, log: Log) -> Forecasts:
    """Return forecasts that somebody made, a table or one for each row of a log.

    Examples
    --------
    >>> log = Log(["tea", "milk"], [0, 1], [0, 1], [1, 0], [1, 1])
    >>> as_forecasts([[0.5, 0.8], [0.2, 0.5]], log).of_row
    array([0, 0])
    """
    if hasattr(predictions, "expect"):
        return predictions.expect(log)
    tables = np.asarray(predictions, dtype=np.float64)
    table = (log.n_arms, log.n_arms)
    if tables.shape not in (table, (len(log), *table)):
        raise BadParameter(
            "predictions",
            f"is of shape {tables.shape}, must be {table}, or {(len(log), *table)} with a table "
            "for each row of the log",
        )
    apart = ~np.eye(log.n_arms, dtype=np.bool_)
    known = tables[..., apart]
    if not ((known >= 0) & (known <= 1)).all():
        raise BadParameter("predictions", "has entries that are no chances, must be from 0 to 1")
    both = (tables + np.swapaxes(tables, -1, -2))[..., apart]
    if (np.abs(both - 1) > _SLACK).any():
        raise BadParameter(
            "predictions", "has pairs whose chances do not add up to 1, must have each both ways"
        )
    if tables.ndim == 2:
        return Forecasts(tables[None], np.zeros(len(log), dtype=np.int64))
    return Forecasts(tables, np.arange(len(log)))


def even(log: Log) -> Forecasts:
    """Return the forecast that all are alike."""
    tables = np.full((1, log.n_arms, log.n_arms), 0.5)
    return Forecasts(tables, np.zeros(len(log), dtype=np.int64))


def of_past(log: Log) -> Forecasts:
    """Return what the votes before each block let expect of it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left, right = np.zeros(400, int), np.ones(400, int)
    >>> log = Log(["tea", "milk"], np.arange(400), left, right, rng.random(400) < 0.7)
    >>> of_past(log).tables[[0, 5, -1], 0, 1].round(2)
    array([0.5 , 0.64, 0.64])
    """
    n_arms = log.n_arms
    if n_arms > MOST_ARMS:
        return even(log)
    starts = block_starts(log.time)
    of_row = blocks_of(starts, len(log))
    votes, block = log.votes, of_row[log.left != log.right]
    telling, bin_of = np.unique(block, return_inverse=True)  # a block of serves says nothing
    layout = Layout(n_arms, paired=n_arms <= _MOST_PAIRED)
    bins = _bins(votes, bin_of, starts[telling])
    pools = run_filter(bins, layout, few(layout.paired), _COMPONENTS).pools
    tables = np.stack([np.full((n_arms, n_arms), 0.5), *(_chances(one, layout) for one in pools)])
    return Forecasts(tables[np.searchsorted(telling, np.arange(len(starts)))], of_row)


def block_starts(time: Floats) -> Ints:
    """Return the rows that begin blocks.

    Examples
    --------
    >>> block_starts(np.arange(20.0)), block_starts(np.arange(2000.0))[-3:]
    (array([ 0,  8, 16]), array([1853, 1910, 1969]))
    """
    wanted = [0]
    while wanted[-1] < len(time):
        wanted.append(wanted[-1] + max(_FIRST, wanted[-1] // _GROWTH))
    begins = np.append(0, np.flatnonzero(np.diff(time)) + 1)
    places = np.searchsorted(begins, wanted)
    return np.unique(begins[places[places < len(begins)]])


def blocks_of(starts: Ints, n: int) -> Ints:
    """Return the block of each of n rows."""
    return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n)))


def _bins(votes: Log, bin_of: Ints, starts: Ints) -> Bins:
    """Return votes by bin and pair; the time between bins counts by how the log grew."""
    n_arms, n_bins = votes.n_arms, len(starts)
    one, other = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    won = np.where(votes.left == one, votes.outcome, 1 - votes.outcome)
    kept, where = np.unique((bin_of * n_arms + one) * n_arms + other, return_inverse=True)
    row_bin, left, right = kept // n_arms**2, kept // n_arms % n_arms, kept % n_arms
    seen = np.zeros((n_bins, n_arms), dtype=np.bool_)
    seen[row_bin, left] = seen[row_bin, right] = True
    begins = np.searchsorted(bin_of, np.arange(n_bins + 1))
    return Bins(
        n_arms=n_arms,
        first=votes.time[begins[:-1]],
        last=votes.time[begins[1:] - 1],
        gap=np.append(0.0, np.diff(np.log2(starts + float(_FIRST)))),
        rows=np.searchsorted(row_bin, np.arange(n_bins + 1)),
        left=left,
        right=right,
        count=np.asarray(np.bincount(where, votes.count, len(kept)), dtype=np.float64),
        won=np.asarray(np.bincount(where, votes.count * won, len(kept)), dtype=np.float64),
        group=np.zeros(len(kept), dtype=np.int64),
        offered=seen,
        joined=np.where(seen.any(axis=0), seen.argmax(axis=0), n_bins),
        of_vote=bin_of,
        sided=False,
        pauses=np.zeros(n_bins, dtype=np.bool_),
        worth=1.0,
        ties=0.0,  # how likely ties are is not known before the votes; a tie is half a win
    )


def _chances(pool: Pool, layout: Layout) -> Floats:
    """Return the chance of every pair by what is believed."""
    weight, _, mean, spread = pool
    one, other = np.triu_indices(layout.n_arms, 1)
    shares = np.exp(weight - weight.max())
    own = np.diagonal(spread, axis1=1, axis2=2)
    found = mean[:, one] - mean[:, other]
    unsure = own[:, one] + own[:, other] - 2 * spread[:, one, other]
    if layout.paired:
        place = layout.pair_place[one, other]
        found = found + mean[:, place]
        unsure = unsure + own[:, place]
        unsure = unsure + 2 * (spread[:, one, place] - spread[:, other, place])
    told = sigma(found / np.sqrt(1 + np.pi * np.maximum(unsure, 0) / 8))
    table = np.full((layout.n_arms, layout.n_arms), 0.5)
    table[one, other] = shares @ told / shares.sum()
    table[other, one] = 1 - table[one, other]
    return table
