"""The likely story of a poll, while votes come in: what earlier bins say is kept between two looks.

A bin has so many votes that there are 16 to 32 of them: a power of two, so that bins stay as they
are until there are twice as many votes. A look then runs the filter over the bins that were filled
since the last one, and draws trajectories back through all. Whatever follows from all votes, as how
likely ties are, is taken from the first 2^k of them, so that it stays for as long. The story
depends on the votes alone: who looks for the first time sees what those see who looked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from driftduel.votes.likely.bins import Bins, Flags, Floats, Ints
from driftduel.votes.likely.constants import few
from driftduel.votes.likely.filtering import Filtered, run_filter
from driftduel.votes.likely.layout import Layout
from driftduel.votes.likely.sampling import draw
from driftduel.votes.likely.story import Story, pairs_differ

MOST_ARMS = 100
"""Options of a poll whose likely story is told."""

_MOST_BINS, _FEWEST_VOTES = 32, 4
_SAMPLES = 200
_COMPONENTS, _FEWEST_COMPONENTS, _WORK = 10, 4, 5e5
_MOST_PAIRED = 6


class Growing:
    """The story of votes of which there are ever more; not to be used by two threads at once."""

    def __init__(self) -> None:
        self._known: _Known | None = None

    def tell(
        self,
        left: Ints,
        right: Ints,
        outcome: Floats,
        time: Floats,
        n_arms: int,
        offers: Sequence[tuple[float, Flags]],
    ) -> Story:
        """Tell the story of votes in the order of time, at least one.

        Parameters
        ----------
        left, right : ndarray of int
            The arms of each vote.
        outcome, time : ndarray of float
            1, .5 or 0 for the left one, and when that was.
        n_arms : int
            How many arms there ever were.
        offers : sequence of (float, ndarray of bool)
            From when on which arms were on offer; the last holds now.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> left, right = np.zeros(200, int), np.ones(200, int)
        >>> outcome = (rng.random(200) < 0.7).astype(float)
        >>> both = [(0.0, np.ones(2, bool))]
        >>> growing = Growing()
        >>> story = growing.tell(left, right, outcome, np.arange(200.0), 2, both)
        >>> len(story.bins), story.now, bool(story.p_best[-1, 0] > 0.9)
        (25, 0, True)
        """
        turned = left > right
        one, other = np.where(turned, right, left), np.where(turned, left, right)
        won = np.where(turned, 1 - outcome, outcome)
        votes = _Votes(one.astype(np.int64), other.astype(np.int64), won, time)
        size = _votes_per_bin(len(time))
        known = self._known
        if known is None or not known.goes_on(votes, size, n_arms):
            known = _begin(votes, size, n_arms)
        bins = _into_bins(votes, size, n_arms, known.ties, offers)
        constants = few(known.layout.paired)
        most = _components(known.layout.size)
        filtered = run_filter(bins, known.layout, constants, most, begun=known.filtered)
        self._known = _kept(known, votes, bins, filtered)
        story = Story(bins, filtered, draw(filtered, bins, _SAMPLES))
        return _with_now(story, *offers[-1]) if offers[-1][0] > time[-1] else story


class _Votes(NamedTuple):
    """Votes whose first arm is the one with the smaller number."""

    one: Ints
    other: Ints
    won: Floats
    time: Floats

    def first(self, n: int) -> _Votes:
        return _Votes(self.one[:n], self.other[:n], self.won[:n], self.time[:n])


@dataclass(frozen=True)
class _Known:
    """What is kept between looks: of full bins the votes, to know them again, and the filter."""

    size: int
    ties: float
    layout: Layout
    votes: _Votes
    filtered: Filtered | None
    settled: int

    def goes_on(self, votes: _Votes, size: int, n_arms: int) -> bool:
        """Whether these votes begin with those that are known, in bins of the same size."""
        if self.size != size or self.layout.n_arms != n_arms or _settled(votes) != self.settled:
            return False
        return all(
            len(new) >= len(old) and np.array_equal(old, new[: len(old)])
            for old, new in zip(self.votes, votes, strict=True)
        )


def _votes_per_bin(n: int) -> int:
    return max(1 << max((n - 1) // _MOST_BINS, 0).bit_length(), _FEWEST_VOTES)


def _settled(votes: _Votes) -> int:
    """Return how many of the first votes say what does not change with every vote."""
    return 1 << (len(votes.time).bit_length() - 1)


def _begin(votes: _Votes, size: int, n_arms: int) -> _Known:
    settled = _settled(votes)
    first = votes.first(settled)
    tied = float((first.won == 0.5).mean())
    ties = 2 * tied / max(1 - tied, 1e-3)
    paired = n_arms <= _MOST_PAIRED and pairs_differ(
        _into_bins(first, settled, n_arms, ties, [(0.0, np.ones(n_arms, dtype=np.bool_))])
    )
    layout = Layout(n_arms, paired=paired)
    return _Known(size, ties, layout, votes.first(0), None, settled)


def _kept(known: _Known, votes: _Votes, bins: Bins, filtered: Filtered) -> _Known:
    n_full = len(votes.time) // known.size
    n_rows = int(bins.rows[n_full])
    done = replace(
        filtered,
        pools=filtered.pools[:n_full],
        chances=filtered.chances[:n_rows],
        static_chances=filtered.static_chances[:n_rows],
        gains=filtered.gains[:n_full],
    )
    return replace(known, votes=votes.first(n_full * known.size), filtered=done)


def _with_now(story: Story, at: float, offered: Flags) -> Story:
    """Return the same with a bin without votes, since what is on offer changed after the last."""
    bins, filtered = story.bins, story.filtered
    longer = replace(
        bins,
        first=np.append(bins.first, at),
        last=np.append(bins.last, at),
        gap=np.append(bins.gap, 0.0),
        rows=np.append(bins.rows, bins.rows[-1]),
        offered=np.vstack([bins.offered, offered]),
        joined=np.where(bins.joined == len(bins), len(bins) + 1, bins.joined),
        pauses=np.append(bins.pauses, [False]),
    )
    pools, gains = [*filtered.pools, filtered.pools[-1]], [*filtered.gains, 0.0]
    samples = np.concatenate([story.samples, story.samples[:, -1:]], axis=1)
    return Story(longer, replace(filtered, pools=pools, gains=gains), samples)


def _components(size: int) -> int:
    """Return how many components a look may have: fewer for many arms."""
    return int(np.clip(_WORK / size**3, _FEWEST_COMPONENTS, _COMPONENTS))


def _into_bins(
    votes: _Votes, size: int, n_arms: int, ties: float, offers: Sequence[tuple[float, Flags]]
) -> Bins:
    """Return votes in bins of so many; a gap is the same share of a log of the most bins."""
    n = len(votes.time)
    n_bins = -(-n // size)
    of_vote = np.arange(n) // size
    begins = np.arange(n_bins) * size
    ends = np.minimum(begins + size, n) - 1
    key = (of_vote * n_arms + votes.one) * n_arms + votes.other
    kept, where = np.unique(key, return_inverse=True)
    row_bin, left, right = kept // n_arms**2, kept // n_arms % n_arms, kept % n_arms
    seen = np.zeros((n_bins, n_arms), dtype=np.bool_)
    seen[row_bin, left] = seen[row_bin, right] = True
    first, last = votes.time[begins], votes.time[ends]
    gap = np.full(n_bins, 1.0 / _MOST_BINS)
    gap[0] = 0.0
    return Bins(
        n_arms=n_arms,
        first=first,
        last=last,
        gap=gap,
        rows=np.searchsorted(row_bin, np.arange(n_bins + 1)),
        left=left,
        right=right,
        count=np.bincount(where, minlength=len(kept)).astype(np.float64),
        won=np.asarray(np.bincount(where, votes.won, len(kept)), dtype=np.float64),
        group=np.zeros(len(kept), dtype=np.int64),
        offered=_offered(first, last, seen, offers),
        joined=np.where(seen.any(axis=0), seen.argmax(axis=0), n_bins),
        of_vote=of_vote,
        sided=False,  # a coin decides who stands where
        pauses=np.zeros(n_bins, dtype=np.bool_),
        worth=1.0,
        ties=ties,
    )


def _offered(
    first: Floats, last: Floats, seen: Flags, offers: Sequence[tuple[float, Flags]]
) -> Flags:
    """Return which arms were on offer in each bin, and in the last at its end."""
    found = seen.copy()
    for n, (since, offered) in enumerate(offers):
        until = offers[n + 1][0] if n + 1 < len(offers) else np.inf
        inside = (first < until) & ((last >= since) if n else np.ones(len(last), dtype=np.bool_))
        found[inside] |= offered
    begun = sum(since <= last[-1] for since, _ in offers[1:])  # the first holds from the beginning
    found[-1] = offers[begun][1]
    return found
