"""When did it change: a bounded memory of tosses over time, and the date of a change from it.

A *toss* for an arm is a duel with an opponent drawn from a fixed weight: a coin whose chance is the
arm's score. Of a change in which one arm fell and another rose, the first round tau of the new
tastes is as likely a posteriori as

    product over both arms of B(w0 + 1/2, l0 + 1/2) B(w1 + 1/2, l1 + 1/2),

w0 and l0 being the wins and losses before tau, w1 and l1 those from tau on, and every round since
the last change being as likely a priori. The rounds of highest posterior that hold 95 % make the
credible set; it is told as a range, which also holds what lies between them. A tie is half a win
and half a loss.

Tosses are kept in `ROOM` buckets in the order of time, each toss in a bucket of its own until they
are full. Then old neighbours are merged where the merged bucket spans few rounds for its age, so
that few rounds are confused compared with those it took to notice. Inside a bucket nobody knows
who won first. The rounds there count half to either end of the bucket; a range that reaches an
end takes in the whole bucket, and so does one from which an end is missing by little, for the
posterior may be higher inside. So merging makes ranges wider and seldom leaves out what the
tosses one by one would let in. After 10^6 rounds that were all tosses a bucket spans a quarter of
its age at most.

A toss costs O(1) and, spread over the tosses until merging is due, O(K). A bucket takes
16 K + 24 bytes: all of them 23 kB for 10 arms, 2 MB for 1,000.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel, log_gamma
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Floats, Records

_lgamma = log_gamma()

ROOM = 128
"""How many buckets there are."""

CREDIBLE = 0.95
"""The posterior probability of a range."""

HIDDEN = 1.0
"""How much higher the logarithm of the posterior may be inside a bucket than at its ends."""

FINEST = 1 / 32
"""Which part of its age a merged bucket may span at first."""

COARSER = 1.25
"""By how much more it may span where that frees too few buckets."""

CLOCK = np.dtype(
    [
        ("used", "i8"),  # how many buckets are in use
        ("grain", "f8"),  # which part of its age a bucket might span when room was made last
    ],
    align=True,
)

BUCKET = np.dtype(
    [
        ("first", "i8"),  # the rounds of its first and its last toss
        ("last", "i8"),
        ("height", "f8"),  # scratch: the logarithm of the posterior of a round just before it
    ],
    align=True,
)


class Timeline(NamedTuple):
    """Tosses by arm over time."""

    clock: Records  # (1,) CLOCK
    buckets: Records  # (B,) BUCKET, the oldest first
    tosses: Floats  # (B, 2, K) wins and losses of each arm; 0 in buckets that are not in use


def _in_order(last: ranges.Values, known: Known) -> Flags:
    """Tell whether buckets end after they begin and before the next begins."""
    buckets = known.state.buckets[: known.value("clock.used")]
    good = np.ones(last.shape, np.bool_)
    good[: len(buckets)] = buckets["first"] <= buckets["last"]
    good[1 : len(buckets)] &= buckets["last"][:-1] <= buckets["first"][1:]
    return good & (last >= 0) & (last <= known.told)


TIMELINE_RANGES: Ranges = {
    # There is room for one more toss.
    "clock": {"used": ranges.below(ROOM), "grain": ranges.real(FINEST, ranges.LARGEST)},
    "buckets": {
        "first": ranges.COUNT,
        "last": ranges.such_that("a round told, in the order of time", _in_order),
        "height": ranges.ANYTHING,
    },
    "tosses": ranges.SUM,
}


def no_timeline(n_arms: int) -> Timeline:
    """Return a memory without tosses."""
    clock = np.zeros(1, CLOCK)
    clock["grain"] = FINEST
    return Timeline(clock, np.zeros(ROOM, BUCKET), np.zeros((ROOM, 2, n_arms)))


@inline_kernel
def record_toss(timeline: Timeline, round_: int, arm: int, outcome: float) -> None:
    """Keep a toss of an arm; the first round is 0, rounds never fall, and one may have many tosses.

    Examples
    --------
    Tea won its tosses, then coffee did. The new tastes began with round 9, 10 or 11:

    >>> timeline = no_timeline(2)
    >>> for round_ in range(20):
    ...     record_toss(timeline, round_, round_ % 2, float(round_ % 2 == (round_ >= 10)))
    >>> date_change(timeline, 0, fell=0, rose=1)
    (9, 11)
    """
    used = timeline.clock[0]["used"]
    timeline.buckets[used]["first"] = round_
    timeline.buckets[used]["last"] = round_
    timeline.tosses[used, 0, arm] = outcome
    timeline.tosses[used, 1, arm] = 1.0 - outcome
    timeline.clock[0]["used"] = used + 1
    if used + 1 == timeline.buckets.shape[0]:
        make_room(timeline)


@kernel
def forget_tosses(timeline: Timeline) -> None:
    """Forget all tosses: those to come are against another weight."""
    for place in range(timeline.clock[0]["used"]):
        for arm in range(timeline.tosses.shape[2]):
            timeline.tosses[place, 0, arm] = 0.0
            timeline.tosses[place, 1, arm] = 0.0
    timeline.clock[0]["used"] = 0
    timeline.clock[0]["grain"] = FINEST


@kernel
def date_change(timeline: Timeline, since: int, fell: int, rose: int) -> tuple[int, int]:
    """Return the earliest and the latest round with which the new tastes may have begun.

    Parameters
    ----------
    timeline : Timeline
        The tosses.
    since : int
        The round with which the tastes before began, 0 or that of the change before. Tosses
        before it do not count, nor a bucket that holds some from before and some from after.
    fell, rose : int
        Who was best before, and who took over.

    Returns
    -------
    tuple of int
        The credible range, both ends included: after ``since``, and not after the last toss.
        ``(since, since)`` if there was no toss after it.
    """
    buckets = timeline.buckets
    start, end = _first_since(timeline, since), timeline.clock[0]["used"]
    if start == end or buckets[end - 1]["last"] <= since:
        return since, since
    height = _lowest_likely(timeline, since, start, _set_heights(timeline, start, fell, rose))
    earliest, latest = buckets[end - 1]["last"], since
    for place in range(start, end):
        bucket = buckets[place]
        if bucket["height"] >= height and _rounds_before(timeline, since, start, place) > 0.0:
            before = since if place == start else buckets[place - 1]["first"]
            earliest = min(earliest, before + 1)
            latest = max(latest, bucket["last"])
        if bucket["first"] < bucket["last"]:
            # The newest bucket never spans rounds, so there is a next one.
            inside = max(bucket["height"], buckets[place + 1]["height"]) + HIDDEN
            if inside >= height:
                earliest = min(earliest, bucket["first"] + 1)
                latest = max(latest, bucket["last"])
    return int(earliest), int(latest)


@inline_kernel
def _first_since(timeline: Timeline, since: int) -> int:
    """Return the first bucket whose tosses are all from this round or later."""
    place = timeline.clock[0]["used"]
    while place > 0 and timeline.buckets[place - 1]["first"] >= since:
        place -= 1
    return place


@inline_kernel
def _rounds_before(timeline: Timeline, since: int, start: int, place: int) -> float:
    """Return how many rounds a change just before a bucket stands for."""
    bucket = timeline.buckets[place]
    rounds = 0.5 * (bucket["last"] - bucket["first"])
    if place == start:
        return rounds + (bucket["first"] - since)
    before = timeline.buckets[place - 1]
    rounds += 0.5 * (before["last"] - before["first"])
    return rounds + (bucket["first"] - before["last"])


@kernel
def _set_heights(timeline: Timeline, start: int, fell: int, rose: int) -> float:
    """Compute the posterior of a round just before each bucket, up to a factor; return the top."""
    end = timeline.clock[0]["used"]
    for place in range(start, end):
        timeline.buckets[place]["height"] = 0.0
    for arm in (fell, rose):
        wins = 0.0
        losses = 0.0
        for place in range(start, end):
            wins += timeline.tosses[place, 0, arm]
            losses += timeline.tosses[place, 1, arm]
        wins_before = 0.0
        losses_before = 0.0
        for place in range(start, end):
            height = _log_beta(wins_before, losses_before)
            height += _log_beta(wins - wins_before, losses - losses_before)
            timeline.buckets[place]["height"] += height
            wins_before += timeline.tosses[place, 0, arm]
            losses_before += timeline.tosses[place, 1, arm]
    top = -np.inf
    for place in range(start, end):
        top = max(top, timeline.buckets[place]["height"])
    return top


@kernel
def _lowest_likely(timeline: Timeline, since: int, start: int, top: float) -> float:
    """Return the lowest height of the credible set, filled from the top down."""
    height = np.inf
    missing = np.inf
    while missing > 0.0:
        lower = -np.inf
        for place in range(start, timeline.clock[0]["used"]):
            if timeline.buckets[place]["height"] < height:
                lower = max(lower, timeline.buckets[place]["height"])
        if lower == -np.inf:
            return height
        # Rounds of one height belong together, whatever rounding makes of them.
        height = lower - 1e-9
        missing = 0.0
        for place in range(start, timeline.clock[0]["used"]):
            here = timeline.buckets[place]["height"]
            chance = _rounds_before(timeline, since, start, place) * math.exp(here - top)
            missing += (CREDIBLE - (here >= height)) * chance
    return height


@inline_kernel
def _log_beta(wins: float, losses: float) -> float:
    """Return ln B(wins + 1/2, losses + 1/2)."""
    return _lgamma(wins + 0.5) + _lgamma(losses + 0.5) - _lgamma(wins + losses + 1.0)


@kernel
def make_room(timeline: Timeline) -> None:
    """Merge old neighbours, as few rounds together for their age as frees a quarter of the room."""
    most = 3 * timeline.buckets.shape[0] // 4
    grain = max(FINEST, timeline.clock[0]["grain"] / COARSER)
    while _left_by(timeline, grain) > most:
        grain *= COARSER
    end = timeline.clock[0]["used"]
    kept = 0
    for place in range(1, end):
        if _may_merge(timeline, timeline.buckets[kept]["first"], place, grain):
            timeline.buckets[kept]["last"] = timeline.buckets[place]["last"]
            _move_tosses(timeline, kept, place)
            continue
        kept += 1
        if kept < place:
            timeline.buckets[kept]["first"] = timeline.buckets[place]["first"]
            timeline.buckets[kept]["last"] = timeline.buckets[place]["last"]
            _move_tosses(timeline, kept, place)
    timeline.clock[0]["used"] = kept + 1
    timeline.clock[0]["grain"] = grain


@kernel
def _left_by(timeline: Timeline, grain: float) -> int:
    """Return how many buckets merging by this grain would leave."""
    left = 1
    first = timeline.buckets[0]["first"]
    for place in range(1, timeline.clock[0]["used"]):
        if not _may_merge(timeline, first, place, grain):
            left += 1
            first = timeline.buckets[place]["first"]
    return left


@inline_kernel
def _may_merge(timeline: Timeline, first: int, place: int, grain: float) -> bool:
    """Tell whether the bucket that begins at ``first`` may take in the bucket after it."""
    last = timeline.buckets[place]["last"]
    now = timeline.buckets[timeline.clock[0]["used"] - 1]["last"]
    return bool(last - first <= grain * (now - last))


@inline_kernel
def _move_tosses(timeline: Timeline, target: int, source: int) -> None:
    for arm in range(timeline.tosses.shape[2]):
        for side in range(2):
            timeline.tosses[target, side, arm] += timeline.tosses[source, side, arm]
            timeline.tosses[source, side, arm] = 0.0
