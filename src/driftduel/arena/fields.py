"""Fields of a vote: what a site says of it beside the answer, such as a language, in few words.

Groups of voters are compared by them. They are few and short, and never say who somebody is: what
looks like an address of a computer or of a mailbox is refused, and to forget a voter deletes what
its votes had. No learner reads them, and the hash of the log leaves them out, as it does voters.
"""

from __future__ import annotations

import ipaddress
import json
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any

from driftduel.arena.errors import Invalid
from driftduel.arena.model import as_text

MOST_FIELDS = 6
"""Fields of a vote, and different ones of a poll."""

MOST_VALUES = 12
"""Different values of a field in a poll; votes with others count as `OTHER`."""

MOST_VALUE = 40
OTHER = "(other)"
"""The value of votes that came with a new one when a field had `MOST_VALUES` already."""

Fields = Mapping[str, str | bool | int]

_NAME = re.compile("[a-z][a-z0-9_]{0,29}")
_MAILBOX = re.compile(r"\S@\S")
_DOTTED = re.compile(r"(?<!\d)\d{1,3}(\.\d{1,3}){3}(?!\d)")
_HEX = re.compile(r"[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)


def as_fields(said: Any) -> str | None:
    """Return the fields of a vote as they are stored, None if there are none, after a check.

    Examples
    --------
    >>> as_fields({"language": "de", "paying": True, "device": ""})
    '{"language":"de","paying":"true"}'
    >>> as_fields({"visitor": "10.1.2.3"})
    Traceback (most recent call last):
        ...
    driftduel.arena.errors.Invalid: fields: visitor is '10.1.2.3', which looks like an address; ...
    """
    if said is None:
        return None
    if not isinstance(said, Mapping):
        raise Invalid('fields: must be names with values, as in {"language": "de"}')
    if len(said) > MOST_FIELDS:
        raise Invalid(f"fields: has {len(said):,} names, must have at most {MOST_FIELDS}")
    found = {}
    for name, value in said.items():
        if text := _as_value(as_field_name(name), value):
            found[name] = text
    return _as_json(found)


def as_field_name(name: Any) -> str:
    """Return the name of a field after checking it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Invalid(
            f"fields: {str(name)[:40]!r} must be 1 to 30 small letters, digits and _, a letter "
            "first, as in language"
        )
    if name in _reserved():
        raise Invalid(f"fields: {name!r} is what a column of votes is called; take another name")
    return name


def merged(asked: str | None, told: str | None) -> str | None:
    """Return the fields of a vote: those told with it, and those of the question beside them.

    Examples
    --------
    >>> merged('{"a":"1","b":"1"}', '{"b":"2"}')
    '{"a":"1","b":"2"}'
    """
    if asked is None or told is None:
        return asked if told is None else told
    both = {**json.loads(asked), **json.loads(told)}
    return _as_json(dict(sorted(both.items())[:MOST_FIELDS]))


def bounded(fields: str, known: dict[str, set[str]]) -> str | None:
    """Return the fields of a vote as far as a poll has room for them; ``known`` learns what is new.

    Examples
    --------
    >>> known = {"language": {f"l{n}" for n in range(MOST_VALUES)}}
    >>> bounded('{"device":"phone","language":"de"}', known), sorted(known)
    ('{"device":"phone","language":"(other)"}', ['device', 'language'])
    """
    found = {}
    for name, value in json.loads(fields).items():
        if name not in known and len(known) >= MOST_FIELDS:
            continue
        values = known.setdefault(name, set())
        full = value not in values and len(values - {OTHER}) >= MOST_VALUES
        found[name] = OTHER if full else value
        values.add(found[name])
    return _as_json(found)


def _as_json(fields: Mapping[str, str]) -> str | None:
    return json.dumps(fields, sort_keys=True, separators=(",", ":")) if fields else None


def _as_value(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        value = str(value)
    if not isinstance(value, str):
        raise Invalid(f"fields: {name} must be text, a whole number, true or false")
    text = unicodedata.normalize("NFKC", as_text(value, f"fields: {name}", MOST_VALUE))
    if len(text) > MOST_VALUE or "\n" in text or "\t" in text:
        raise Invalid(f"fields: {name} must be one line of at most {MOST_VALUE} characters")
    if looks_like_an_address(text):
        raise Invalid(
            f"fields: {name} is {text!r}, which looks like an address; a field says what kind of "
            "voter it is, never who"
        )
    return text


def looks_like_an_address(text: str) -> bool:
    """Tell whether a text has an IP address in it, or what may be one of a mailbox.

    Examples
    --------
    >>> texts = ("a@b.org", "1.2.3.4:80", "[fe80::1]", "10:30", "de")
    >>> [looks_like_an_address(text) for text in texts]
    [True, True, True, False, False]
    """
    if _MAILBOX.search(text) or "%40" in text or _DOTTED.search(text):
        return True
    for found in _HEX.finditer(text):
        try:
            ipaddress.ip_address(found[0].strip("."))
        except ValueError:
            continue
        return True
    return False


@cache
def _reserved() -> frozenset[str]:
    """Return what no field is called: columns of exports, and what readers of votes look for."""
    from driftduel.arena.model import COLUMNS
    from driftduel.votes import names

    words = (*names.TIMES, *names.WINNERS, *names.LEFT_WON, *names.VOTERS, *names.COUNTED)
    return frozenset({*COLUMNS, *words, "returning"})
