"""Moments that an owner writes: a date, a time and a zone, as 2026-05-03 09:00 Europe/Berlin."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from driftduel.arena.errors import Invalid

EXAMPLE = "2026-05-03 09:00 Europe/Berlin"

_FORM = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?) ?(Z|[+-]\d\d:?\d\d|[A-Za-z][A-Za-z0-9_+/-]{1,40})?"
)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")


@lru_cache(1_000)
def as_moment(text: str) -> int:
    """Return a moment in microseconds since 1970.

    Raises
    ------
    Invalid
        If it is none, or does not say its zone.

    Examples
    --------
    >>> as_moment("2026-05-03 09:00 Europe/Berlin") == as_moment("2026-05-03T07:00Z")
    True
    >>> as_moment("2026-05-03 09:00")
    Traceback (most recent call last):
        ...
    driftduel.arena.errors.Invalid: '2026-05-03 09:00' does not name its zone, as 2026-05-03 09:00
    Europe/Berlin or 2026-05-03 09:00 +02:00 do
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise Invalid(f"{text[:80]!r} is no time, must be as {EXAMPLE}")
    day, clock, zone = found.groups()
    if zone is None:
        raise Invalid(
            f"{text[:80]!r} does not name its zone, as {EXAMPLE} or {day} {clock} +02:00 do"
        )
    try:
        at = datetime.fromisoformat(f"{day} {clock}").replace(tzinfo=_zone(zone))
        return round(at.timestamp()) * 1_000_000
    except (ValueError, OverflowError, OSError, KeyError):
        raise Invalid(f"{text[:80]!r} is no time, must be as {EXAMPLE}") from None


def _zone(name: str) -> tzinfo:
    if name in ("Z", "UTC"):
        return UTC
    found = _OFFSET.fullmatch(name)
    if found is None:
        from zoneinfo import ZoneInfo  # which takes a while to load, and few need it

        return ZoneInfo(name)
    sign = -1 if found[1] == "-" else 1
    return timezone(sign * timedelta(hours=int(found[2]), minutes=int(found[3])))
