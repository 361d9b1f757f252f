"""Figures of pages: where bars, ticks and marks are, in per cent of the width, for templates.

A template writes them as SVG whose places are percentages and whose letters keep their size, so a
figure fits a phone and a desk, follows the colours of the page, and needs no script.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from driftduel.arena import service as arena
from driftduel.arena.service import Service
from driftduel.arena.service.health import Rate
from driftduel.arena.web.pages.likely import Bands, bands_of
from driftduel.arena.web.pages.shapes import NARROWEST, Bar, Tick, colour_of
from driftduel.verdict import likely as words
from driftduel.verdict import text
from driftduel.verdict.likely import Likely
from driftduel.verdict.parts import Sentence
from driftduel.verdict.standing import ENOUGH, Moment, Option, Standing
from driftduel.votes.likely.telling import Telling

MOST_ROWS, FEW_ROWS = 12, 8
"""Of more arms than the first a timeline shows those with something to show, and a few others."""

_SECOND = 1_000_000
_STEPS = (
    1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600, 86_400, 2 * 86_400,
    4 * 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400, 90 * 86_400, 365 * 86_400,
)  # fmt: skip
_MOST_TICKS = 5
_MOST_SHARES = 6
"""Numbers under intervals."""


@dataclass(frozen=True)
class Row:
    """An arm of a timeline: when it was offered, when it led, and in which colour."""

    name: str
    offered: tuple[Bar, ...]
    led: tuple[Bar, ...]
    colour: int


@dataclass(frozen=True)
class Mark:
    """A change of taste: the range it lies in, and where it was noticed."""

    number: int
    range: Bar
    noticed: float | None


@dataclass(frozen=True)
class Happening:
    """What is told of a moment below a timeline: a change, by its number, or what an owner did."""

    at: int
    sign: str
    number: int | None
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class Timeline:
    """Who led when; ``hidden`` options were always there and never led.

    ``telling`` it is if somebody led or something happened.
    """

    rows: tuple[Row, ...]
    hidden: int
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    happened: tuple[Happening, ...]
    telling: bool


@dataclass(frozen=True)
class Interval:
    """Where the interval and the score of an option are, and the interval that is proved."""

    range: Bar
    score: float
    proved: Bar | None = None


@dataclass(frozen=True)
class Line:
    """An option in the table: who, where its interval is if its score is told, and in words.

    The score, its range and P(best) are those of the model, or counted where there is none.
    """

    option: Option
    interval: Interval | None
    words: Sentence
    leads: bool
    colour: int
    score: tuple[float, float, float] | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Standings:
    """Options in order, the best first and those not offered last, and where one half is.

    ``likely``: scores are those of the model. ``axis`` has the shares under the intervals.
    """

    lines: tuple[Line, ...]
    half: float | None
    likely: bool
    axis: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Column:
    """A bar of votes in a step of time: its height in per cent, how many, and from when on."""

    x: float
    width: float
    height: float
    votes: int
    at: int


def standing_of(service: Service, slug: str) -> dict[str, Any]:
    """Return what the macros of ``_standing.html`` show of an arena."""
    now = arena.status(service, slug)
    known, told = now.standing, now.told
    leader = None if known.leader is None else known.options[known.leader]
    hero, beside = words.opening(now.likely, known)
    if now.counted is not None:
        beside = [*beside, now.counted.sentence]
    return {
        "arena": now.arena,
        "now": known,
        "leader": leader,
        "in_front": None if known.best is None else known.options[known.best],
        "headline": hero,
        "beside": beside,
        "claim": words.claim(now.likely, known),
        "footing": text.footing(known),
        "no_change": text.no_change(known),
        "notes": known.notes,
        "enough": ENOUGH,
        "bands": _bands(known, told),
        "timeline": timeline_of(known),
        "standings": standings_of(known, now.likely),
    }


def _bands(known: Standing, told: Telling | None) -> Bands | None:
    if known.first is None or known.last is None:
        return None
    begin, end = _span(known)
    return bands_of(
        told,
        lambda at: _place(at, begin, end),
        _ticks(begin, end),
        proved=bool(known.decided),
    )


def _span(known: Standing) -> tuple[int, int]:
    """Return where the axis of time begins and ends."""
    assert known.first is not None
    assert known.last is not None
    around = [one.around for one in known.changes or () if one.around is not None]
    begin = min(int(one.value) for one in (known.first, known.last, *around))
    return begin, max(
        int(known.last.value), begin + 1, *(int(one.at.value) for one in known.events)
    )


def _place(at: Moment, begin: int, end: int) -> float:
    return round(100.0 * min(max((at.value - begin) / (end - begin), 0.0), 1.0), 3)


def timeline_of(known: Standing) -> Timeline | None:
    """Return the timeline of an arena; None before the first vote."""
    if known.first is None or known.last is None:
        return None
    changes = [one for one in known.changes or () if one.around is not None]
    begin, end = _span(known)

    def place(at: Moment | None, otherwise: float) -> float:
        return otherwise if at is None else _place(at, begin, end)

    def bar(since: Moment | None, until: Moment | None) -> Bar:
        x = place(since, 0.0)
        end_of = max(place(until, 100.0), min(x + NARROWEST, 100.0))
        return Bar(min(x, 100.0 - NARROWEST), round(end_of - min(x, 100.0 - NARROWEST), 3))

    rows = [
        Row(
            known.options[n].name,
            tuple(bar(*span) for span in _offered(known, n)),
            tuple(bar(one.since, one.until) for one in known.leads if one.option == n),
            colour_of(n),
        )
        for n in known.order
    ]
    shown = rows if len(rows) <= MOST_ROWS else _telling(rows)
    marks = tuple(
        Mark(
            number=n,
            range=bar(one.earliest or one.around, one.latest or one.around),
            noticed=None if one.noticed is None else place(one.noticed, 100.0),
        )
        for n, one in enumerate(changes, 1)
        if not one.withdrawn
    )
    happened = [
        Happening(
            int(one.around.value) if one.around is not None else begin,
            "×" if one.withdrawn else str(n),
            None if one.withdrawn else n,
            (text.change(known, one),),
        )
        for n, one in enumerate(changes, 1)
    ]
    for event in known.events:
        sign = "+" if event.joined or event.resumed else "−" if event.paused else "≈"
        said = tuple(text.event(known, event))
        if said:
            happened.append(Happening(int(event.at.value), sign, None, said))
    return Timeline(
        rows=tuple(shown),
        hidden=len(rows) - len(shown),
        marks=marks,
        ticks=tuple(_ticks(begin, end)),
        happened=tuple(sorted(happened, key=lambda one: -one.at)),
        telling=bool(known.leads or happened),
    )


def standings_of(known: Standing, likely: Likely | None = None) -> Standings:
    """Return the options in order, and where their intervals are: likely ones, and what is proved.

    Without a model they are those of options with enough votes.
    """
    told = {n: _score(known, n, likely) for n in known.order}
    proved = [one for one in known.options if text.shows_score(one)]
    ends = [end for one in proved for end in (one.low, one.high) if end is not None]
    ends += [end for one in told.values() if one is not None for end in one[1:]]
    low = math.floor(10 * min(ends, default=0.0)) / 10
    high = max(math.ceil(10 * max(ends, default=1.0)) / 10, low + 0.1)

    def place(share: float) -> float:
        return round(100.0 * (share - low) / (high - low), 3)

    def bar(since: float, until: float) -> Bar:
        return Bar(place(since), round(place(until) - place(since), 3))

    def line(n: int) -> Line:
        one, band = known.options[n], told[n]
        chance = one.probability if likely is None else likely.probability[n]
        interval = None
        if band is not None:
            shown = likely is not None and text.shows_score(one)
            counted = bar(one.low or 0.0, one.high or 0.0) if shown else None
            interval = Interval(bar(band[1], band[2]), place(band[0]), counted)
        ahead = known.leader if likely is None else likely.best
        return Line(one, interval, text.score(known, n), n == ahead, colour_of(n), band, chance)

    order = known.order
    if likely is not None:
        chances = likely.probability
        order = tuple(sorted(order, key=lambda n: (not known.options[n].offered, -chances[n])))
    half = place(0.5) if ends and low <= 0.5 <= high else None
    tenths = range(round(10 * low), round(10 * high) + 1)
    step = -(-len(tenths) // _MOST_SHARES)
    axis = tuple((place(n / 10), n / 10) for n in tenths if n % step == 0)
    return Standings(tuple(map(line, order)), half, likely is not None, axis if ends else ())


def _score(
    known: Standing, option: int, likely: Likely | None
) -> tuple[float, float, float] | None:
    """Return the score of an option and its range: likely, or counted."""
    if likely is not None:
        return likely.scores[option]
    one = known.options[option]
    if one.low is None or one.high is None or one.score is None or not text.shows_score(one):
        return None
    return one.score, one.low, one.high


def columns_of(rate: Rate) -> list[Column]:
    """Return the bars of the votes by time."""
    most = max(*rate.votes, 1)
    width = 100.0 / len(rate.votes)
    return [
        Column(
            round(n * width, 3),
            round(width, 3),
            round(100.0 * votes / most, 2),
            votes,
            rate.since + n * rate.seconds * _SECOND,
        )
        for n, votes in enumerate(rate.votes)
    ]


def _telling(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of arms that led, came or went, and of the best others if these are few."""
    always = [Bar(0.0, 100.0)]
    telling = [row for row in rows if row.led or list(row.offered) != always][:MOST_ROWS]
    others = [row for row in rows if row not in telling]
    kept = telling + others[: max(FEW_ROWS - len(telling), 0)]
    return [row for row in rows if row in kept]


def _offered(known: Standing, option: int) -> list[tuple[Moment | None, Moment | None]]:
    """Return when an option was offered; None: since the beginning, and until now."""
    spans: list[tuple[Moment | None, Moment | None]] = []
    events = [
        (one.at, option in (*one.joined, *one.resumed))
        for one in known.events
        if option in (*one.joined, *one.resumed, *one.paused, *one.left)
    ]
    since: Moment | None = None
    offered = not events[0][1] if events else known.options[option].offered
    for at, now in events:
        if now and not offered:
            since = at
        elif offered and not now:
            spans.append((since, at))
        offered = now
    return [*spans, (since, None)] if offered else spans


def _ticks(begin: int, end: int) -> list[Tick]:
    """Return a few round moments of a span."""
    span = end - begin
    step = next(
        (one * _SECOND for one in _STEPS if span / (one * _SECOND) <= _MOST_TICKS), span or 1
    )
    form: Literal["second", "minute", "day"] = "day"
    if step < 60 * _SECOND:
        form = "second"
    elif step < 86_400 * _SECOND:
        form = "minute"
    ticks = []
    for at in range(-(-begin // step) * step, end + 1, step):
        x = round(100.0 * (at - begin) / span, 3) if span else 0.0
        anchor: Literal["start", "middle", "end"] = "middle"
        if x < 8:
            anchor = "start"
        elif x > 92:
            anchor = "end"
        ticks.append(Tick(x, at, _label(at, form), form, anchor))
    return ticks


def _label(at: int, form: str) -> str:
    moment = datetime.fromtimestamp(at // _SECOND, UTC)
    if form == "day":
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M:%S}" if form == "second" else f"{moment:%H:%M}"
