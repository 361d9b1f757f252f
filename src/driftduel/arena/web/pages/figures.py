"""Figures of pages: where bars, ticks and marks are, in per cent of the width, for templates.

A template writes them as SVG whose places are percentages and whose letters keep their size, so a
figure fits a phone and a desk, follows the colours of the page, and needs no script.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from driftduel.arena import service as arena
from driftduel.arena.service import Service
from driftduel.arena.service.health import Rate
from driftduel.arena.status import (
    ArmsChanged,
    ArmStatus,
    DatedChange,
    Lead,
    Status,
    arms_changed,
    counted_anew,
    is_fine,
    leads_of,
    ordered,
)
from driftduel.learners.contract.report import ENOUGH

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
    change: DatedChange
    range: Bar
    noticed: float | None


@dataclass(frozen=True)
class Happening:
    """What is told of a moment below a timeline: a change of taste, or arms that came and went."""

    at: int
    mark: Mark | None
    arms: ArmsChanged | None


@dataclass(frozen=True)
class Timeline:
    """Who led when; ``hidden`` arms were always there and never led. ``fine``: to the second.

    ``telling`` it is if somebody led or something happened.
    """

    rows: tuple[Row, ...]
    hidden: int
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    happened: tuple[Happening, ...]
    fine: bool
    telling: bool


@dataclass(frozen=True)
class Interval:
    """Where the interval and the score of an arm are; None if it has too few duels."""

    range: Bar
    score: float


@dataclass(frozen=True)
class Standings:
    """Arms in order, the best first and those not offered last, and the scale of their scores."""

    arms: tuple[ArmStatus, ...]
    intervals: Mapping[str, Interval]
    ticks: tuple[tuple[float, str], ...]
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
    changed = arms_changed(service.hosted(slug).replica)
    return {
        "arena": now.arena,
        "now": now,
        "fine": is_fine(now),
        "anew": counted_anew(now, changed),
        "enough": ENOUGH,
        "timeline": timeline_of(now, leads_of(now), changed),
        "standings": standings_of(now),
    }


def timeline_of(
    status: Status, leads: Sequence[Lead], arms: Sequence[ArmsChanged]
) -> Timeline | None:
    """Return the timeline of an arena; None before the first vote."""
    if status.first is None or status.last is None:
        return None
    begin = min(status.first, *(one.around or status.first for one in status.changes), status.last)
    end = max(status.last, begin + 1, *(one.at for one in arms))

    def place(at: int | None, otherwise: float) -> float:
        if at is None:
            return otherwise
        return round(100.0 * min(max((at - begin) / (end - begin), 0.0), 1.0), 3)

    def bar(since: int | None, until: int | None) -> Bar:
        x = place(since, 0.0)
        end_of = max(place(until, 100.0), min(x + _NARROWEST, 100.0))
        return Bar(min(x, 100.0 - _NARROWEST), round(end_of - min(x, 100.0 - _NARROWEST), 3))

    proved = bool(status.changes) and status.changes[-1].after == status.best
    led = [one for one in leads if status.enough or proved or one.until is not None]
    latest = dict.fromkeys(one.name for one in reversed(led))  # whoever leads has the first colour
    colours = {name: n for n, name in enumerate(latest)}
    spans = _offered(status, arms)
    rows = [
        Row(
            arm.name,
            tuple(bar(*span) for span in spans.get(arm.name, [])),
            tuple(bar(one.since, one.until) for one in led if one.name == arm.name),
            colours.get(arm.name, 0) % COLOURS,
        )
        for arm in ordered(status)
    ]
    shown = rows if len(rows) <= MOST_ROWS else _telling(rows)
    marks = tuple(
        Mark(
            number=n,
            change=one,
            range=bar(one.earliest or one.around, one.latest or one.around),
            noticed=None if one.noticed is None else place(one.noticed, 100.0),
        )
        for n, one in enumerate(status.changes, 1)
    )
    happened = [Happening(mark.change.around or begin, mark, None) for mark in marks]
    happened += [Happening(one.at, None, one) for one in arms[1:] if one.joined or one.left]
    return Timeline(
        rows=tuple(shown),
        hidden=len(rows) - len(shown),
        marks=marks,
        ticks=tuple(_ticks(begin, end)),
        happened=tuple(sorted(happened, key=lambda one: -one.at)),
        fine=is_fine(status),
        telling=bool(led or happened),
    )


def standings_of(status: Status) -> Standings:
    """Return the arms in order, and where the intervals are of those with enough duels."""
    arms = ordered(status)
    known = [arm for arm in arms if arm.offered and arm.compared >= ENOUGH]
    ends = [end for arm in known for end in (arm.low, arm.high) if end is not None]
    low = math.floor(10 * min(ends, default=0.0)) / 10
    high = max(math.ceil(10 * max(ends, default=1.0)) / 10, low + 0.1)

    def place(share: float) -> float:
        return round(100.0 * (share - low) / (high - low), 3)

    intervals = {}
    for arm in known:
        if arm.low is not None and arm.high is not None and arm.score is not None:
            x = place(arm.low)
            bar = Bar(x, round(place(arm.high) - x, 3))
            intervals[arm.slug] = Interval(bar, place(arm.score))
    ticks = tuple((place(share), f"{share:.0%}") for share in (low, high)) if intervals else ()
    half = place(0.5) if intervals and low <= 0.5 <= high else None
    return Standings(tuple(arms), intervals, ticks, half)


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


def _offered(
    status: Status, arms: Sequence[ArmsChanged]
) -> dict[str, list[tuple[int | None, int | None]]]:
    """Return when each arm, by its name of now, was offered."""
    began: dict[str, int | None] = {}
    spans: dict[str, list[tuple[int | None, int | None]]] = {}
    for n, one in enumerate(arms):
        names = dict(one.renamed)
        began = {names.get(name, name): since for name, since in began.items()}
        spans = {names.get(name, name): known for name, known in spans.items()}
        for name in one.joined:
            began[name] = one.at if n else None
        for name in one.left:
            if name in began:
                spans.setdefault(name, []).append((began.pop(name), one.at))
    for name, since in began.items():
        spans.setdefault(name, []).append((since, None))
    return spans


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
