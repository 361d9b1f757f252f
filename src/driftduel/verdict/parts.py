"""Sentences as parts: text, names of options, times and numbers, and how each is rendered.

Names are data: whatever letters they have, `plain` and `to_html` show them so that they cannot be
mistaken for the sentence. Here are also the one row of names, the one per cent, the one count and
the one way to tell a time.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from string import Formatter
from typing import Any, Literal

from driftduel._support.text import count, listing, number
from driftduel.verdict.standing import Moment, Standing

MOST_NAMES = 4
"""Names in a row; of more, the first few."""

LONGEST = 60
"""Letters of a name in a page; it stands in full in the table below."""

_HOUR, _MONTHS = 3_600_000_000, 60 * 86_400_000_000

Grain = Literal["second", "minute", "day"]


@dataclass(frozen=True)
class Part:
    """A part of a sentence.

    Attributes
    ----------
    kind : {"text", "name", "time", "number"}
        What it is.
    text : str
        As plain text has it.
    value : object
        The moment or number that it says; None for text and names.
    grain : {"second", "minute", "day"}
        How exactly a time is told.
    """

    kind: Literal["text", "name", "time", "number"]
    text: str
    value: Any = None
    grain: Grain = "minute"


Sentence = tuple[Part, ...]
Words = Part | Sentence | str
"""What may stand in a place of a sentence."""


def say(template: str, *values: Words, **named: Words) -> Sentence:
    """Return a sentence with its values in their places.

    Examples
    --------
    >>> plain(say("{who} leads since {0}.", Part("time", "Monday"), who=Part("name", "tea")))
    'tea leads since Monday.'
    """
    parts: list[Part] = []

    def add(part: Part) -> None:
        if part.kind == "text" and parts and parts[-1].kind == "text":
            part = Part("text", parts.pop().text + part.text)
        if part.text:
            parts.append(part)

    for text, field, _, _ in Formatter().parse(template):
        add(Part("text", text))
        if field is not None:
            value = values[int(field)] if field.isdigit() else named[field]
            if isinstance(value, str):
                value = Part("text", value)
            for part in [value] if isinstance(value, Part) else value:
                add(part)
    return tuple(parts)


# How parts are rendered


def plain(sentence: Sentence) -> str:
    """Return a sentence as plain text.

    Examples
    --------
    >>> plain(listed(["tea", "milk, hot", "cocoa"]))
    'tea, “milk, hot” and cocoa'
    """
    return "".join(_plain_name(one.text) if one.kind == "name" else one.text for one in sentence)


def to_html(sentence: Sentence) -> str:
    """Return a sentence as HTML, with everything escaped.

    Examples
    --------
    >>> to_html(say("{0} leads.", Part("name", "<b>")))
    '<strong dir="auto">&lt;b&gt;</strong> leads.'
    """
    return "".join(map(_html_of, sentence))


def to_parts(sentence: Sentence) -> list[dict[str, Any]]:
    """Return a sentence as JSON has it.

    Examples
    --------
    >>> to_parts(say("since {0}", Part("time", "vote 3", Moment.round(3))))
    [{'kind': 'text', 'text': 'since '}, {'kind': 'time', 'text': 'vote 3', 'value': 3}]
    """
    found = []
    for one in sentence:
        value = one.value.to_json() if isinstance(one.value, Moment) else one.value
        known = {"kind": one.kind, "text": one.text}
        found.append(known if value is None else {**known, "value": value})
    return found


def _html_of(part: Part) -> str:
    text = escape(part.text)
    if part.kind == "name":
        if len(part.text) <= LONGEST:
            return f'<strong dir="auto">{text}</strong>'
        short = escape(f"{part.text[:LONGEST].rstrip()}…")
        return f'<strong dir="auto" title="{text}">{short}</strong>'
    if part.kind == "time" and isinstance(part.value, Moment):
        return time_element(part.value, text, part.grain)
    return text


def time_element(moment: Moment, text: str, grain: Grain) -> str:
    """Return the ``time`` element of a time or date; a round or number is its text."""
    if moment.kind == "time":
        return f'<time datetime="{stamp(moment)}" data-grain="{grain}">{text}</time>'
    return f'<time datetime="{moment.value}">{text}</time>' if moment.kind == "date" else text


def stamp(moment: Moment) -> str:
    """Return a time for programs, as the attribute of a ``time`` element has it.

    Examples
    --------
    >>> stamp(Moment.time(1_700_000_000_000_000))
    '2023-11-14T22:13:20Z'
    """
    return f"{datetime.fromtimestamp(moment.value // 1_000_000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _plain_name(name: str) -> str:
    """Return a name so that neither its letters nor their direction reach into the sentence."""
    kinds = {unicodedata.bidirectional(letter) for letter in name}
    shown = "".join(
        " " if unicodedata.category(letter) == "Cc" else letter
        for letter in name
        if unicodedata.bidirectional(letter) not in _DIRECTIONS
    )
    shown = " ".join(shown.split())
    if "," in shown or ";" in shown or not shown:
        shown = f"“{shown}”"
    return f"\u2068{shown}\u2069" if kinds & {"R", "AL", "AN", *_DIRECTIONS} else shown


_DIRECTIONS = {"LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


# Names, numbers and times


def named(name: str) -> Part:
    """Return the name of an option as a part."""
    return Part("name", name)


def listed(names: Sequence[str], last: str = "and", most: int = MOST_NAMES) -> Sentence:
    """Return names in a row; of many, the first few.

    Examples
    --------
    >>> plain(listed(["tea"])), plain(listed(["a", "b", "c"], "or"))
    ('tea', 'a, b or c')
    >>> plain(listed(list("abcdefgh")))
    'a, b, c, d and 4 more'
    """
    row = listing([f"{{{n}}}" for n in range(len(names))], most, last)
    return say(row, *map(named, names))


def counted(n: int, what: str) -> Part:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "vote").text, counted(1200, "vote").text
    ('1 vote', '1,200 votes')
    """
    return Part("number", count(n, what), n)


def percent(share: float | None) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> percent(0.4567), percent(None)
    ('46%', '–')
    """
    return "–" if share is None else f"{share:.0%}"


def chance(share: float | None) -> str:
    """Return a probability in per cent, where 0 and 100 are for what is certain.

    Examples
    --------
    >>> chance(0.9987), chance(0.4567), chance(0.002), chance(None)
    ('over 99%', '46%', 'under 1%', '–')
    """
    if share is None or 0.01 <= share <= 0.99:
        return percent(share)
    return "over 99%" if share > 0.5 else "under 1%"


def percent_range(low: float, high: float) -> str:
    """Return a range in per cent, rounded outwards.

    Examples
    --------
    >>> percent_range(0.5461, 0.6113)
    '54% to 62%'
    """
    return f"{math.floor(100 * low)}% to {math.ceil(100 * high)}%"


def about(n: float) -> Part:
    """Return a number that is not known better than to two digits.

    Examples
    --------
    >>> [about(n).text for n in (7, 94, 1_234, 98_765)]
    ['10', '90', '1,200', '99,000']
    """
    whole = math.ceil(n)
    step: int = 10 ** max(len(str(whole)) - 2, 1)
    rounded = max(round(whole / step), 1) * step
    return Part("number", f"{rounded:,}", rounded)


@dataclass(frozen=True)
class Clock:
    """How the moments of a standing are told: how exactly, and what a round is called.

    Examples
    --------
    >>> clock = Clock("minute", "vote")
    >>> clock.at(Moment.time(1_700_000_000_000_000)).text, clock.at(Moment.round(2_001)).text
    ('14 Nov 2023, 22:13', 'vote 2,001')
    >>> from datetime import date
    >>> clock.at(Moment.of(date(2024, 6, 30))).text, clock.at(Moment.of(1500.0)).text
    ('30 Jun 2024', 'time 1500')
    """

    grain: Grain
    unit: str

    def at(self, moment: Moment) -> Part:
        """Return a moment as a part."""
        return Part("time", self._text(moment), moment, self.grain)

    def then(self, moment: Moment) -> Sentence:
        """Return when something was: at a vote, on a date."""
        before = {"round": "at {0}", "number": "at {0}", "date": "on {0}", "time": "{0}"}
        return say(before[moment.kind], self.at(moment))

    def between(self, one: Moment, other: Moment) -> Sentence:
        """Return a range, or the moment if both ends are told alike."""
        if self._text(one) == self._text(other):
            return self.then(one)
        return say("between {0} and {1}", self.at(one), self.at(other))

    def _text(self, moment: Moment) -> str:
        if moment.kind == "round":
            return f"{self.unit} {moment.value:,}"
        if moment.kind == "number":
            return f"time {number(moment.value)}"
        day = moment.value
        if moment.kind == "time":
            day = datetime.fromtimestamp(moment.value // 1_000_000, UTC)
        form = {"second": ", %H:%M:%S", "minute": ", %H:%M", "day": ""}[self.grain]
        return f"{day.day} {day:%b} {day.year}{day.strftime(form) if moment.kind == 'time' else ''}"


def clock_of(standing: Standing) -> Clock:
    """Return how moments are told: to the second in the first hour, to the day after two months."""
    first, last = standing.first, standing.last
    grain: Grain = "second"
    if first is not None and last is not None and first.kind == "time":
        span = last.value - first.value
        grain = "second" if span < _HOUR else "minute" if span < _MONTHS else "day"
    return Clock(grain, standing.unit)
