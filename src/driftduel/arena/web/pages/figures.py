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
from driftduel.verdict import text
from driftduel.verdict.parts import Sentence
from driftduel.verdict.standing import ENOUGH, Moment, Option, Standing

MOST_ROWS, FEW_ROWS = 12, 8
"""Of more arms than the first a timeline shows those with something to show, and a few others."""

COLOURS = 6
"""Colours of arms that led, ``.led-0`` to ``.led-5`` of the style sheet."""

_SECOND = 1_000_000
_STEPS = (
    1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600, 86_400, 2 * 86_400,
    4 * 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400, 90 * 86_400, 365 * 86_400,
)  # fmt: skip
_NARROWEST = 0.5
"""Per cent of the width that a bar has at least, so that it is seen."""

_MOST_TICKS = 6


@dataclass(frozen=True)
class Bar:
    """A part of a row, from ``x`` on, ``width`` wide."""

    x: float
    width: float


@dataclass(frozen=True)
class Row:
    """An arm of a timeline: when it was offered, when it led, and in which colour."""

    name: str
    offered: tuple[Bar, ...]
    led: tuple[Bar, ...]
    colour: int


@dataclass(frozen=True)
class Tick:
    """A moment of an axis; ``form`` says how exactly it is told: second, minute or day."""

    x: float
    at: int
    label: str
    form: Literal["second", "minute", "day"]
    anchor: Literal["start", "middle", "end"]


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
    """Where the interval and the score of an option are."""

    range: Bar
    score: float


@dataclass(frozen=True)
class Line:
    """An option in the table: who, where its interval is if its score is told, and in words."""

    option: Option
    interval: Interval | None
    words: Sentence
    leads: bool


@dataclass(frozen=True)
class Standings:
    """Options in order, the leader first and those not offered last, and where one half is."""

    lines: tuple[Line, ...]
    half: float | None


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
    known = now.standing
    leader = None if known.leader is None else known.options[known.leader]
    return {
        "arena": now.arena,
        "now": known,
        "leader": leader,
        "in_front": None if known.best is None else known.options[known.best],
        "headline": text.headline(known),
        "footing": text.footing(known),
        "no_change": text.no_change(known),
        "notes": known.notes,
        "enough": ENOUGH,
        "timeline": timeline_of(known),
        "standings": standings_of(known),
    }


def timeline_of(known: Standing) -> Timeline | None:
    """Return the timeline of an arena; None before the first vote."""
    if known.first is None or known.last is None:
        return None
    changes = [one for one in known.changes or () if one.around is not None]
    moments = [known.first, known.last, *(one.around for one in changes)]
    begin = min(int(one.value) for one in moments if one is not None)
    end = max(int(known.last.value), begin + 1, *(int(one.at.value) for one in known.events))

    def place(at: Moment | None, otherwise: float) -> float:
        if at is None:
            return otherwise
        return round(100.0 * min(max((at.value - begin) / (end - begin), 0.0), 1.0), 3)

    def bar(since: Moment | None, until: Moment | None) -> Bar:
        x = place(since, 0.0)
        end_of = max(place(until, 100.0), min(x + _NARROWEST, 100.0))
        return Bar(min(x, 100.0 - _NARROWEST), round(end_of - min(x, 100.0 - _NARROWEST), 3))

    latest = dict.fromkeys(one.option for one in reversed(known.leads))
    colours = {option: n for n, option in enumerate(latest)}  # who leads has the first colour
    rows = [
        Row(
            known.options[n].name,
            tuple(bar(*span) for span in _offered(known, n)),
            tuple(bar(one.since, one.until) for one in known.leads if one.option == n),
            colours.get(n, 0) % COLOURS,
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


def standings_of(known: Standing) -> Standings:
    """Return the options in order, and where the intervals are of those with enough votes."""
    told = [one for one in known.options if text.shows_score(one)]
    ends = [end for one in told for end in (one.low, one.high) if end is not None]
    low = math.floor(10 * min(ends, default=0.0)) / 10
    high = max(math.ceil(10 * max(ends, default=1.0)) / 10, low + 0.1)

    def place(share: float) -> float:
        return round(100.0 * (share - low) / (high - low), 3)

    def interval(one: Option) -> Interval | None:
        if one.low is None or one.high is None or one.score is None or not text.shows_score(one):
            return None
        x = place(one.low)
        return Interval(Bar(x, round(place(one.high) - x, 3)), place(one.score))

    lines = tuple(
        Line(known.options[n], interval(known.options[n]), text.score(known, n), n == known.leader)
        for n in known.order
    )
    return Standings(lines, place(0.5) if told and low <= 0.5 <= high else None)


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
