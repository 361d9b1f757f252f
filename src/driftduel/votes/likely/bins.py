"""Votes by bin of time: what the model of the likely story reads in place of single votes.

A file of ten million votes is a few hundred bins of counts, one an ordered pair. Bins are calendar
units if times are dates, else the times themselves if they are few, else equal numbers of votes.
How much tastes may move from a bin to the next follows from ``gap``: the time between the two as a
share of the time of the whole log.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_UNITS = (1 / 24, 1 / 4, 1.0, 7.0, 14.0, 30.4375, 91.3125, 365.25)
"""Hours to years, in days."""
_VOTES_PER_BIN = 10
_MOST_BY_VOTES, _MOST_BY_DATES = 150, 1250
_WORK = 4e8
_MISSED = 15
"""An arm was not on offer if so many votes of it were to be expected, and none came."""
_LOOKED_AT, _FEWEST_TRIPLES, _FEW_CIRCLES = 200, 100, 0.01
_LONG, _FEWEST_PAUSES = 6, 4
_SIDED = 0.2
"""The side is told apart from the arms if this share of votes has its pair the other way round."""


@dataclass(frozen=True, eq=False)
class Bins:
    """Counts by bin and pair.

    Attributes
    ----------
    n_arms : int
    first, last : ndarray of shape (B,)
        The times of the first and of the last vote of each bin.
    gap : ndarray of shape (B,)
        The time since the bin before, as a share of the whole; 0 for the first.
    rows : ndarray of shape (B + 1,)
        Where the rows of each bin begin.
    left, right : ndarray of shape (R,)
        The pair of each row.
    count, won : ndarray of shape (R,)
        How many votes it has, and how many the left arm won; ties are half a win.
    group : ndarray of shape (R,)
        The group of voters of each row; 0 if there are none.
    offered : ndarray of shape (B, K)
        Which arms were on offer.
    joined : ndarray of shape (K,)
        The bin of the first vote of each arm; B if it has none.
    of_vote : ndarray of shape (n,)
        The bin of each vote.
    sided : bool
        Whether rows tell who was left, and arms were on both sides.
    pauses : ndarray of shape (B,)
        Which bins come after a pause, as after a winter; none if there are hardly any.
    worth : float
        How much a vote tells: less than 1 if votes of one time come from one ranking.
    ties : float
        How likely a tie is between equals, as a multiple of a win of the one.
    """

    n_arms: int
    first: Floats
    last: Floats
    gap: Floats
    rows: Ints
    left: Ints
    right: Ints
    count: Floats
    won: Floats
    group: Ints
    offered: Flags
    joined: Ints
    of_vote: Ints
    sided: bool
    pauses: Flags
    worth: float
    ties: float

    def __len__(self) -> int:
        return len(self.first)


def into_bins(
    left: Ints,
    right: Ints,
    outcome: Floats,
    time: Floats,
    n_arms: int,
    *,
    count: Floats | None = None,
    group: Ints | None = None,
    dated: bool = False,
    sides: bool = True,
    offered: Flags | None = None,
) -> Bins:
    """Return votes, which are in the order of time, by bin.

    ``offered``, of shape (n, K), says which arms were on offer at each vote; found from the votes
    if it is left out.
    """
    weight = np.ones(len(time)) if count is None else count
    of_vote = _bin_of_votes(time, weight, n_arms, dated)
    n_bins = int(of_vote[-1]) + 1
    begins = np.searchsorted(of_vote, np.arange(n_bins + 1))
    first, last = time[begins[:-1]], time[begins[1:] - 1]
    groups = np.zeros(len(time), dtype=np.int64) if group is None else group
    n_groups = int(groups.max()) + 1
    forward = np.bincount(left * n_arms + right, weight, n_arms**2).reshape(n_arms, n_arms)
    both = 2 * np.minimum(forward, forward.T)[np.triu_indices(n_arms, 1)].sum()
    sided = bool(sides and both >= _SIDED * weight.sum())
    one, other, won = left, right, outcome
    if not sided:
        turned = left > right
        one, other = np.where(turned, right, left), np.where(turned, left, right)
        won = np.where(turned, 1 - outcome, outcome)
    key = ((of_vote * n_arms + one) * n_arms + other) * n_groups + groups
    if (cells := n_bins * n_arms**2 * n_groups) <= max(4 * len(time), 100_000):
        counts = np.bincount(key, weight, cells)
        wins = np.bincount(key, weight * won, cells)
        kept = np.flatnonzero(counts)
        counts, wins = counts[kept], wins[kept]
    else:
        kept, where = np.unique(key, return_inverse=True)
        counts, wins = np.bincount(where, weight), np.bincount(where, weight * won)
    pair = kept // n_groups
    tied = float(weight[outcome == 0.5].sum() / weight.sum())
    met = np.zeros((n_bins, n_arms))
    row_bin, row_left, row_right = pair // n_arms**2, pair // n_arms % n_arms, pair % n_arms
    np.add.at(met, (row_bin, row_left), counts)
    np.add.at(met, (row_bin, row_right), counts)
    seen = met > 0
    if offered is None:
        shown = _on_offer(met, np.asarray(np.bincount(row_bin, counts, n_bins), float))
    else:
        shown = np.logical_or.reduceat(offered, begins[:-1], axis=0) | seen
    gap = _gaps(first, last, begins, weight, dated)
    return Bins(
        n_arms=n_arms,
        first=first,
        last=last,
        gap=gap,
        rows=np.searchsorted(row_bin, np.arange(n_bins + 1)),
        left=row_left,
        right=row_right,
        count=np.asarray(counts, dtype=np.float64),
        won=np.asarray(wins, dtype=np.float64),
        group=kept % n_groups,
        offered=shown,
        joined=np.where(seen.any(axis=0), seen.argmax(axis=0), n_bins),
        of_vote=of_vote,
        sided=sided,
        pauses=_pauses(gap, dated),
        worth=_worth(left, right, outcome, time, n_arms),
        ties=2 * tied / max(1 - tied, 1e-3),
    )


def into_coarse(bins: Bins, most: int) -> Bins:
    """Return the same votes in at most about ``most`` bins."""
    until = np.cumsum(np.bincount(_bin_of_rows(bins), bins.count, len(bins)))
    wanted = np.minimum((until - 1e-9) * most / until[-1], most - 1).astype(np.int64)
    _, new = np.unique(wanted, return_inverse=True)
    begins = np.searchsorted(new, np.arange(new[-1] + 2))
    cell = np.concatenate([[0.0], np.cumsum(bins.gap)])[1:]
    middle = (cell[begins[:-1]] + cell[begins[1:] - 1]) / 2
    gaps = np.diff(middle, prepend=middle[0])
    row_bin = new[_bin_of_rows(bins)]
    n_groups = int(bins.group.max()) + 1
    key = ((row_bin * bins.n_arms + bins.left) * bins.n_arms + bins.right) * n_groups + bins.group
    kept, where = np.unique(key, return_inverse=True)
    pair = kept // n_groups
    return Bins(
        n_arms=bins.n_arms,
        first=bins.first[begins[:-1]],
        last=bins.last[begins[1:] - 1],
        gap=gaps / gaps.sum() if gaps.sum() > 0 else gaps,
        rows=np.searchsorted(pair // bins.n_arms**2, np.arange(len(begins))),
        left=pair // bins.n_arms % bins.n_arms,
        right=pair % bins.n_arms,
        count=np.asarray(np.bincount(where, bins.count), dtype=np.float64),
        won=np.asarray(np.bincount(where, bins.won), dtype=np.float64),
        group=kept % n_groups,
        offered=np.logical_or.reduceat(bins.offered, begins[:-1], axis=0),
        joined=np.append(new, new[-1] + 1)[bins.joined],
        of_vote=new[bins.of_vote],
        sided=bins.sided,
        pauses=np.zeros(len(begins) - 1, dtype=np.bool_),
        worth=bins.worth,
        ties=bins.ties,
    )


def _bin_of_rows(bins: Bins) -> Ints:
    return np.repeat(np.arange(len(bins)), np.diff(bins.rows))


def _worth(left: Ints, right: Ints, outcome: Floats, time: Floats, n_arms: int) -> float:
    """Return how much a vote tells, 3 / (m + 1) if votes of one time come from a ranking of m.

    Rows of a ranking agree with each other: no three arms of it beat each other in a circle, where
    of votes cast apart up to a fourth do. The wins of an arm in a random ranking of m then vary
    (m + 1) / 3 times as much as m - 1 votes cast apart.
    """
    begins = np.concatenate([[0], np.flatnonzero(np.diff(time)) + 1, [len(time)]])
    sizes = np.diff(begins)
    circles = triples = 0
    fields = []
    for at in np.flatnonzero((sizes >= 3) & (sizes <= n_arms * n_arms))[:_LOOKED_AT]:
        rows = slice(begins[at], begins[at + 1])
        beat = np.zeros((n_arms, n_arms))
        np.add.at(beat, (left[rows], right[rows]), outcome[rows])
        np.add.at(beat, (right[rows], left[rows]), 1 - outcome[rows])
        beat = (beat > beat.T).astype(np.float64)
        here = np.trace(beat @ beat @ beat) / 3
        met = beat + beat.T
        triples += np.trace(met @ met @ met) / 6
        circles += here
        arms = (met.sum(axis=0) > 0).sum()
        if met.sum() == arms * (arms - 1):
            fields.append(arms)
    if triples < _FEWEST_TRIPLES or circles > _FEW_CIRCLES * triples or not fields:
        return 1.0
    return float(3 / (np.mean(fields) + 1))


def _bin_of_votes(time: Floats, weight: Floats, n_arms: int, dated: bool) -> Ints:
    """Return the bin of each vote: 0, 1, ..., none empty."""
    votes = weight.sum()
    by_work = max(int(_WORK / (n_arms**3 + 30_000) if votes < 300_000 else 60), 30)
    most = int(np.clip(votes / _VOTES_PER_BIN, 1, min(_MOST_BY_VOTES, by_work)))
    changes = np.flatnonzero(np.diff(time)) + 1
    if dated and len(changes):
        most = int(np.clip(votes / _VOTES_PER_BIN, 1, min(_MOST_BY_DATES, by_work)))
        for unit in _UNITS:
            number = np.floor((time - np.floor(time[0])) / unit)
            new = np.diff(number) > 0
            if new.sum() < most or unit == _UNITS[-1]:
                return np.concatenate([[0], np.cumsum(new)])
    if len(changes) < most:
        new = np.zeros(len(time), dtype=np.int64)
        new[changes] = 1
        return np.cumsum(new)
    # Equal numbers of votes; those of one time stay together.
    before = np.cumsum(weight) - weight
    found = np.floor(before * most / votes).astype(np.int64)
    begin = np.concatenate([[0], changes])
    found = np.repeat(found[begin], np.diff(np.append(begin, len(time))))
    return np.concatenate([[0], np.cumsum(np.diff(found) > 0)])


def _gaps(first: Floats, last: Floats, begins: Ints, weight: Floats, dated: bool) -> Floats:
    """Return the times between bins as shares: of dates, else of votes."""
    if dated:
        middle = (first + last) / 2
    else:
        until = np.concatenate([[0.0], np.cumsum(weight)])[begins]
        middle = (until[1:] + until[:-1]) / 2
    gaps = np.diff(middle, prepend=middle[0])
    whole = gaps.sum()
    return gaps / whole if whole > 0 else gaps


def _pauses(gap: Floats, dated: bool) -> Flags:
    """Return which gaps are pauses: of dates, much longer than others, and there are some."""
    found = gap > _LONG * np.median(gap[1:]) if dated and len(gap) > 2 else gap < 0
    return np.asarray(found if found.sum() >= _FEWEST_PAUSES else gap < 0)


def _on_offer(met: Floats, votes: Floats) -> Flags:
    """Return which arms were on offer: not where votes of them were to be expected and none came.

    How often an arm is shown while it is there is taken from the bins in which it has votes.
    """
    seen = met > 0
    until = np.concatenate([[0.0], np.cumsum(votes)])
    shown = np.zeros(seen.shape, dtype=np.bool_)
    for arm in range(met.shape[1]):
        at = np.flatnonzero(seen[:, arm])
        if not len(at):
            continue
        rate = met[at, arm].sum() / votes[at].sum()
        ends = np.append(at, len(seen))
        for here, after in pairwise(ends):
            missed = (until[after] - until[here + 1]) * rate
            shown[here : after if missed < _MISSED else here + 1, arm] = True
        if until[at[0]] * rate < _MISSED:
            shown[: at[0], arm] = True
    return shown
