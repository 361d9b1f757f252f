"""Who was best when, and which changes of the leader votes prove.

The log is cut into spans: all of it, and at every further level spans of half the length that
overlap by half. Span p of level l gets the share

    alpha / ((l + 1) (l + 2)) / (number of spans of level l) / (K - 1)

of the level for each arm that another may be behind of. So with probability 1 - alpha the arm that
is best on average over a span is called behind no other, of any span. In a log whose tastes never
change, the best arm is then among those that may be best, the *candidates*, of every span. If no
arm is a candidate of all the spans inside some stretch of time, the best arm was not always the
same there: a change of the leader is proved. At most alpha of all logs without a change show one,
whoever won when.

Going forward, a stretch is closed as soon as it proves a change, and then shortened from its
beginning as long as it does. That is where the change is *guaranteed* to be. The next stretch
begins where it ends, so that every proved change is another one. When exactly it happened is told
by a posterior (`driftduel.votes.dating`): that range is *credible*, 95 % if there was one
change at once.

An arm that has no vote yet, or none any more, is no candidate of a stretch; one that has votes
before it and after it is, whatever its weight: it was there, and may have been best. The level is
that of one look at a log whose length does not depend on what the votes say.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import one_of
from driftduel._support.text import count
from driftduel.matrix.criteria import Criterion, as_criterion
from driftduel.verdict import text
from driftduel.verdict.causes import Cause, Release
from driftduel.verdict.standing import Standing
from driftduel.votes.checks import as_level
from driftduel.votes.dating import date_change
from driftduel.votes.estimates import ASSUMPTIONS, reference_weight
from driftduel.votes.log import Log
from driftduel.votes.proof.drift import Drift, drift
from driftduel.votes.proof.watch import Watch, watch
from driftduel.votes.spans import MOST_DATED, PairwiseSpans, Spans, WeightedSpans, cell_starts
from driftduel.votes.standings import standing_of
from driftduel.votes.weighted import WRONG, Floats, Ints, WeightedVotes

if TYPE_CHECKING:
    import polars as pl

Moment = date | float
Flags = NDArray[np.bool_]

FEWEST = 32
"""Rounds of the shortest spans, about."""

DEEPEST = 6
"""The deepest level: spans of a 64th of the log."""

MOST_CELLS = 2 ** (DEEPEST + 1)
"""Cells of a log, any of which the votes may choose as the beginning of the latest time."""

BANDS = 12
"""Into how many parts the time is cut for the bands, at most."""

_ROUNDS_PER_BAND = 50

_WRONGLY_REFUSED = 0.01
"""Of the level: the chance that propensities are called wrong that are right."""

ASSUMED = ASSUMPTIONS | {"independent": "who met whom did not depend on the votes"}
"""What is taken for granted; who wins may depend on when they met, that is what it is about."""


@dataclass(frozen=True)
class LeaderChange:
    """A change of the leader that is proved.

    Attributes
    ----------
    before, after : str
        Who was ahead before and after it, by the estimates of those who may have been best.
    before_among, after_among : tuple of str
        Those: who may have been best on average over a time up to the beginning of the guaranteed
        range, and over one from its end on. If several, the change is proved and not the name.
    likeliest : date or float
        The likeliest moment with which the new tastes began; a date if the log has dates.
    earliest, latest : date or float
        The credible range: 95 % if tastes changed once, at once.
    after_surely, before_surely : date or float
        The guaranteed range: at the level of the history, whatever drift there was.
    """

    before: str
    after: str
    before_among: tuple[str, ...]
    after_among: tuple[str, ...]
    likeliest: Moment
    earliest: Moment
    latest: Moment
    after_surely: Moment
    before_surely: Moment


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """Who was best when, as returned by `history`; in words by ``str``, as data by ``standing``.

    Attributes
    ----------
    arms : tuple of str
        The labels of the arms.
    changes : tuple of LeaderChange
        The changes of the leader that are proved, in the order of time.
    best : str or None
        Who is ahead since the last of them, or all the time; None if nobody can be told.
    since : date or float
        Since when: the likeliest moment of the last change if it made this arm the best, otherwise
        the beginning of the latest time over which it is best on average.
    candidates : tuple of str
        Who may be best on average over the latest time without a proved change; one arm if that is
        proved.
    latest : date or float
        When that time begins.
    scores : polars.DataFrame
        The scores over that time, best first: ``arm``, ``score``, ``low``, ``high``, ``votes``, and
        the same without the tie of an arm with itself, ``..._against_others``. The bounds hold for
        all spans at once, so that it does not matter that the votes chose this one.
    bands : polars.DataFrame
        The scores over time: ``begin``, ``end``, ``arm``, ``score``, ``low``, ``high``,
        ``assuming``. All bands hold at once with 1 - alpha, each for the average over its time.
    watch : Watch
        What is proved at every look: what fell, rose or turned, and who was best in between.
    drift : Drift
        Whether and since when it is proved that tastes drifted at all; that holds at every look.
    assuming : str or None
        What is taken for granted as the log has no propensities.
    alpha : float
        The probability that a change is claimed though tastes never changed.
    n_votes : int
        Number of votes.
    ends : tuple of (date or float) or None
        The times of the first and the last vote; None if they have none.
    """

    arms: tuple[str, ...]
    changes: tuple[LeaderChange, ...]
    best: str | None
    since: Moment
    candidates: tuple[str, ...]
    latest: Moment
    scores: pl.DataFrame
    bands: pl.DataFrame
    watch: Watch
    drift: Drift
    assuming: str | None
    alpha: float
    n_votes: int
    ends: tuple[Moment, Moment] | None

    @property
    def decided(self) -> bool:
        """Whether the best arm since the last change is proved to be ahead of all others."""
        return len(self.candidates) == 1

    @cached_property
    def standing(self) -> Standing:
        """The verdict: who is best since when, what changed, and what is undecided."""
        return standing_of(self)

    def causes(
        self,
        log: Log,
        voters: Sequence[str] = (),
        questions: Sequence[str] = (),
        releases: Sequence[Release] = (),
    ) -> tuple[Cause, ...]:
        """Return why who leads changed, for each proved change; ``log`` are the same votes.

        Parameters are those of `driftduel.Timeline.causes`; what is proved is the change, its cause
        is likely by a model.
        """
        from driftduel.votes.likely.why import why_each

        times = np.unique(log.time)
        moments = [log.moment(float(time)) for time in times]
        changes = []
        for one in self.changes:
            low, high = bisect_left(moments, one.earliest), bisect_right(moments, one.latest)
            ends = float(times[low]), float(times[max(high - 1, low)])
            changes.append((*ends, (one.before, one.after)))
        return why_each(log, changes, voters=voters, questions=questions, releases=releases)

    def __str__(self) -> str:
        return text.words(self.standing)

    def __repr__(self) -> str:
        changes = count(len(self.changes), "proved change")
        votes = count(self.n_votes, "vote")
        return f"History({len(self.arms)} arms, {votes}, {changes})"


def history(
    log: Log,
    criterion: Criterion | str = "borda",
    *,
    alpha: float = 0.05,
    pairs: str | None = None,
) -> History:
    """Tell who was best when, and which changes of the leader the votes prove.

    Parameters
    ----------
    log : Log
        The votes.
    criterion : Criterion or str
        What best means: `Borda` or `Weighted` with one weight.
    alpha : float
        The probability that some change is claimed though tastes never changed; also that some
        band is wrong.
    pairs : {"uniform", "independent"}, optional
        What is assumed of a log without propensities, as for `estimate`; "independent" if left out.
        With it, averages are over the votes of each pair: if tastes change, and which pairs are
        shown changes with them, a change of the leader of averages need not be one of the leader.

    Examples
    --------
    Tea is best for 1,000 votes, then milk:

    >>> rng = np.random.default_rng(0)
    >>> left = rng.integers(3, size=2000)
    >>> right = (left + rng.integers(1, 3, size=2000)) % 3
    >>> best = np.arange(2000) // 1000
    >>> outcome = rng.random(2000) < 0.5 + 0.25 * ((left == best) - 1.0 * (right == best))
    >>> log = Log(["tea", "milk", "water"], np.arange(2000), left, right, outcome,
    ...           propensity=np.full(2000, 1 / 6))
    >>> found = history(log)
    >>> print(found)
    milk is best since about time 996; tea was until then. Since time 1500 it wins ...
    >>> found.changes[0].before, found.changes[0].after
    ('tea', 'milk')
    """
    alpha = as_level(alpha)
    weight = reference_weight(as_criterion(criterion), log.n_arms)
    if log.n_arms > MOST_DATED:
        raise ValueError(
            f"the log has {log.n_arms:,} arms, a history can have {MOST_DATED}; select some of them"
        )
    log, assumed = _assumed(log, pairs)
    _check_chances(log, weight, assumed, alpha)
    depth = _depth(log)
    family = _family(log, weight, assumed, depth, alpha)
    stretches = _stretches(family)
    changes = tuple(
        _described(family, stretch, since, until)
        for stretch, since, until in zip(
            stretches,
            [0, *(stretch.end for stretch in stretches)],
            [*(stretch.begin for stretch in stretches[1:]), family.cells],
            strict=False,
        )
    )
    now = _now(family, stretches)
    candidates = now.candidates & family.offered(now.begin, now.end)
    best = family.ahead(now.begin, now.end, candidates)
    latest = since = _moment(log, family.row(now.begin))
    if changes and best is not None and changes[-1].after == log.arms[best]:
        since = changes[-1].likeliest
    return History(
        arms=log.arms,
        changes=changes,
        best=None if best is None else log.arms[best],
        since=since,
        candidates=tuple(log.arms[arm] for arm in np.flatnonzero(candidates)),
        latest=latest,
        scores=_scores(family, now, weight, alpha),
        bands=_bands(log, weight, assumed, alpha),
        watch=watch(log, weight, alpha=alpha, drawn=_drawn(log, assumed)),
        drift=drift(log, alpha=alpha),
        assuming=None if assumed is None else ASSUMED[assumed],
        alpha=alpha,
        n_votes=log.n_votes,
        ends=(_moment(log, 0), _moment(log, len(log) - 1)) if log.timed else None,
    )


class _Span(NamedTuple):
    """Cells from one to before another, and who may be best in them."""

    begin: int
    end: int
    candidates: Flags


class _Stretch(NamedTuple):
    """Cells in which a change is proved, and the spans at either end without which it is not."""

    begin: int
    end: int
    first: _Span
    last: _Span


@dataclass(frozen=True)
class _Family:
    """All spans of a log."""

    log: Log
    spans: Spans
    starts: Ints
    members: tuple[_Span, ...]
    first: Ints
    last: Ints

    @property
    def cells(self) -> int:
        return len(self.starts)

    def inside(self, begin: int, end: int) -> list[_Span]:
        """Return the members inside a stretch, those that end first first, then the shortest."""
        return [span for span in self.members if begin <= span.begin and span.end <= end]

    def candidates(self, begin: int, end: int) -> Flags:
        """Return who may be best in all members inside a stretch, of those who were there."""
        found = self.offered(begin, end)
        for span in self.inside(begin, end):
            found &= span.candidates
        return found

    def offered(self, begin: int, end: int) -> Flags:
        """Tell which arms were there: had their first vote before an end, their last one since."""
        return np.asarray((self.first < end) & (self.last >= begin))

    def ahead(self, begin: int, end: int, among: Flags) -> int | None:
        """Return who of some arms has the highest estimate."""
        scores = np.where(among, self.spans.scores(begin, end), np.nan)
        return None if np.isnan(scores).all() else int(np.nanargmax(scores))

    def row(self, cell: int) -> int:
        """Return the first row of a cell, or the number of rows."""
        return len(self.log) if cell == self.cells else int(self.starts[cell])


def _assumed(log: Log, pairs: str | None) -> tuple[Log, str | None]:
    """Return the rows that count and the name of the assumption, None with propensities."""
    if pairs is not None:
        one_of(pairs, "pairs", tuple(ASSUMPTIONS))
    if log.propensity is not None and pairs is None:
        return log, None
    return log.votes, pairs or "independent"


def _check_chances(log: Log, weight: Floats, assumed: str | None, alpha: float) -> None:
    """Raise ValueError if an arm was shown more often than it can have been.

    Bounds would then claim too much. Those that are shown too seldom only leave them wide.
    """
    if assumed == "independent":
        return
    doubts = WeightedVotes(log, weight, _chances(log)).doubts(_WRONGLY_REFUSED * alpha)
    wrong = [doubt for doubt in doubts if doubt.startswith(WRONG)]
    if wrong and assumed is None:
        raise ValueError(
            f'{wrong[0]}; correct them, or assume something else, as pairs="independent"'
        )
    if wrong:
        raise ValueError(
            f"pairs is 'uniform', but they were not: {wrong[0].removeprefix(WRONG).lstrip(': ')}"
        )


def _chances(log: Log) -> Floats | float:
    even = 1 / (log.n_arms * (log.n_arms - 1))
    return even if log.propensity is None else log.propensity


def _drawn(log: Log, assumed: str | None) -> bool:
    """Tell whether all pairs were as likely at all times, as is known or assumed."""
    if assumed is not None or log.propensity is None:
        return assumed == "uniform"
    even = 1 / (log.n_arms * (log.n_arms - 1))
    return bool(np.allclose(log.propensity, even, rtol=1e-9, atol=0))


def _depth(log: Log) -> int:
    rounds = float(log.count.sum())
    return int(np.clip(np.floor(np.log2(max(rounds / FEWEST, 1))), 0, DEEPEST))


def _spans(log: Log, weight: Floats, assumed: str | None, starts: Ints) -> Spans:
    if assumed == "independent":
        return PairwiseSpans(log, weight, starts)
    return WeightedSpans(log, weight, _chances(log), starts)


def _family(log: Log, weight: Floats, assumed: str | None, depth: int, alpha: float) -> _Family:
    cells = 2 ** (depth + 1)
    starts = cell_starts(log, cells)
    spans = _spans(log, weight, assumed, starts)
    rows = np.append(starts, len(log))
    members = []
    for level in range(depth + 1):
        length = cells >> level
        begins = range(0, cells - length + 1, max(length // 2, 1))
        share = alpha / ((level + 1) * (level + 2)) / len(begins) / (log.n_arms - 1)
        for begin in begins:
            end = begin + length
            if rows[begin] < rows[end] and spans.shown(begin, end).any():
                members.append(_Span(begin, end, ~spans.behind(begin, end, share)))
    members.sort(key=lambda span: (span.end, span.end - span.begin))
    first, last = _ends(log, starts)
    return _Family(log, spans, starts, tuple(members), first, last)


def _ends(log: Log, starts: Ints) -> tuple[Ints, Ints]:
    """Return the cells of the first and of the last vote of each arm; none if it has no vote."""
    asked = np.flatnonzero(log.left != log.right)
    cells = np.searchsorted(starts, asked, side="right") - 1
    first, last = np.full(log.n_arms, len(starts)), np.full(log.n_arms, -1)
    for arms in (log.left[asked], log.right[asked]):
        np.minimum.at(first, arms, cells)
        np.maximum.at(last, arms, cells)
    return first, last


def _stretches(family: _Family) -> list[_Stretch]:
    """Return stretches apart from each other in each of which a change is proved."""
    found: list[_Stretch] = []
    search = 0
    while (closed := _closed(family, search)) is not None:
        end, last = closed
        begin = search
        while not family.candidates(begin + 1, end).any() and _shown(family, begin + 1, end):
            begin += 1
        found.append(_Stretch(begin, end, _opening(family, begin, end), last))
        search = end
    return found


def _closed(family: _Family, search: int) -> tuple[int, _Span] | None:
    """Return where a stretch first proves a change, and the span that does it."""
    left = np.ones(family.log.n_arms, dtype=np.bool_)
    for span in family.inside(search, family.cells):
        narrowed = left & span.candidates
        if not (narrowed & family.offered(search, span.end)).any():
            return span.end, span
        left = narrowed
    return None


def _opening(family: _Family, begin: int, end: int) -> _Span:
    """Return the span at the beginning of a stretch that rules out who is a candidate later."""
    left = family.candidates(begin + 1, end)
    found = [span for span in family.inside(begin, end) if span.begin == begin]
    return max(found, key=lambda span: int((left & ~span.candidates).sum()))


def _now(family: _Family, stretches: list[_Stretch]) -> _Span:
    """Return the longest span that ends with the log, after the last proved change."""
    since = stretches[-1].end if stretches else 0
    late = [span for span in family.inside(since, family.cells) if span.end == family.cells]
    if not late:  # the change was proved with the last votes
        late = [stretches[-1].last] if stretches else [family.members[-1]]
    return min(late, key=lambda span: span.begin)


def _shown(family: _Family, begin: int, end: int) -> bool:
    return begin < end and bool(family.spans.shown(begin, end).any())


def _described(family: _Family, stretch: _Stretch, since: int, until: int) -> LeaderChange:
    """Return the change of a stretch between two others: who led at its ends, and when it was."""
    log, first, last = family.log, stretch.first, stretch.last
    after = family.ahead(last.begin, last.end, last.candidates)
    apart = first.candidates & (np.arange(log.n_arms) != after)
    before = family.ahead(first.begin, first.end, apart if apart.any() else ~last.candidates)
    rose, fell = (0 if arm is None else arm for arm in (after, before))
    rows = family.row(stretch.begin), family.row(stretch.end)
    earliest, likeliest, latest = date_change(log, *rows, fell, rose)
    return LeaderChange(
        log.arms[fell],
        log.arms[rose],
        _among(family, since, first.end, first, fell),
        _among(family, last.begin, until, last, rose),
        _moment(log, likeliest),
        _moment(log, earliest),
        _moment(log, latest),
        _moment(log, rows[0]),
        _moment(log, rows[1] - 1),
    )


def _among(family: _Family, begin: int, end: int, near: _Span, leader: int) -> tuple[str, ...]:
    """Return who may be best by the span that leaves fewest, of those that overlap a given one.

    What all spans say holds at once, so that the votes may choose.
    """
    sets = [near.candidates & family.offered(near.begin, near.end)]
    for span in family.inside(begin, end):
        if span.begin < near.end and near.begin < span.end and span.candidates[leader]:
            sets.append(span.candidates & family.offered(span.begin, span.end))
    fewest = min(sets, key=lambda found: int(found.sum()))
    return tuple(family.log.arms[arm] for arm in np.flatnonzero(fewest))


def _scores(family: _Family, span: _Span, weight: Floats, alpha: float) -> pl.DataFrame:
    """Return the scores of a span, best first."""
    import polars as pl

    log, begin, end = family.log, span.begin, span.end
    # A span of level l is a 2^l-th of the log; there are 2^(l + 1) - 1 of them.
    level = round(np.log2(family.cells / (end - begin)))
    share = alpha / ((level + 1) * (level + 2)) / (2 ** (level + 1) - 1) / (2 * log.n_arms)
    least, most = weight / 2, 1 - weight / 2
    low, high = (np.clip(bound, least, most) for bound in family.spans.bounds(begin, end, share))
    score = np.clip(family.spans.scores(begin, end), low, np.maximum(low, high))
    late = log.rows(slice(family.row(begin), family.row(end)))
    asked = late.count * (late.left != late.right)
    votes = sum(np.bincount(side, asked, log.n_arms) for side in (late.left, late.right))
    table: dict[str, object] = {"arm": log.arms, "score": score, "low": low, "high": high}
    table["votes"] = np.asarray(votes).astype(np.int64)
    room = np.where(weight < 1, 1 - weight, 1.0)
    for name, part in (("score", score), ("low", low), ("high", high)):
        table[f"{name}_against_others"] = np.clip((part - weight / 2) / room, 0, 1)
    # As lists: of arrays polars asks numpy's masked ones, whose import takes longer than all this.
    frame = pl.DataFrame({name: np.asarray(part).tolist() for name, part in table.items()})
    frame = frame.with_columns(pl.selectors.float().fill_nan(None))
    return frame.sort("score", descending=True, nulls_last=True, maintain_order=True)


def _bands(log: Log, weight: Floats, assumed: str | None, alpha: float) -> pl.DataFrame:
    import polars as pl

    parts = int(np.clip(log.count.sum() // _ROUNDS_PER_BAND, 1, BANDS))
    starts = cell_starts(log, parts)
    spans = _spans(log, weight, assumed, starts)
    rows = np.append(starts, len(log))
    table: dict[str, list[object]] = {
        name: [] for name in ("begin", "end", "arm", "score", "low", "high", "assuming")
    }
    for cell in map(int, np.flatnonzero(np.diff(rows))):
        scores = spans.scores(cell, cell + 1)
        least, most = weight / 2, 1 - weight / 2  # nobody can be below or above
        low, high = spans.bounds(cell, cell + 1, alpha / (2 * parts * log.n_arms))
        low, high = np.clip(low, least, most), np.clip(high, least, most)
        for arm, label in enumerate(log.arms):
            score = (
                None if np.isnan(scores[arm]) else float(np.clip(scores[arm], low[arm], high[arm]))
            )
            ends = _moment(log, int(rows[cell])), _moment(log, int(rows[cell + 1] - 1))
            figures = (score, float(low[arm]), float(high[arm]))
            assuming = None if assumed is None else ASSUMED[assumed]
            for name, value in zip(table, (*ends, label, *figures, assuming), strict=True):
                table[name].append(value)
    return pl.DataFrame(table, schema_overrides={"score": pl.Float64, "assuming": pl.String})


def _moment(log: Log, row: int) -> Moment:
    return log.moment(float(log.time[row]))
