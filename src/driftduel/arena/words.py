"""Times, shares and names in words, for pages and for text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime


def as_date(at: int | None, fine: bool = False) -> str:
    """Return a time for people, in UTC, which the page says once; ``fine`` to the second.

    Examples
    --------
    >>> as_date(1_700_000_000_000_000), as_date(None)
    ('14 Nov 2023, 22:13', '–')
    >>> as_date(1_700_000_000_000_000, fine=True)
    '14 Nov 2023, 22:13:20'
    """
    if at is None:
        return "–"
    moment = datetime.fromtimestamp(at // 1_000_000, UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M}{moment.strftime(':%S') if fine else ''}"


def as_stamp(at: int) -> str:
    """Return a time for programs, as the attribute of a ``time`` element has it.

    Examples
    --------
    >>> as_stamp(1_700_000_000_000_000)
    '2023-11-14T22:13:20Z'
    """
    return f"{datetime.fromtimestamp(at // 1_000_000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def as_percent(share: float | None) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> as_percent(0.4567), as_percent(None)
    ('46 %', '–')
    """
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


def as_chance(share: float | None) -> str:
    """Return a probability in per cent, where 0 and 100 are for what is certain.

    Examples
    --------
    >>> as_chance(0.9987), as_chance(0.4567), as_chance(0.002), as_chance(None)
    ('over 99 %', '46 %', 'under 1 %', '–')
    """
    if share is None or 0.01 <= share <= 0.99:
        return as_percent(share)
    return "over 99 %" if share > 0.5 else "under 1 %"


def as_range(low: float, high: float) -> str:
    """Return an interval in per cent, rounded outwards.

    Examples
    --------
    >>> as_range(0.5461, 0.6113)
    '54 to 62 %'
    """
    return f"{math.floor(100 * low)} to {math.ceil(100 * high)} %"


def as_about(n: int) -> str:
    """Return a number that is not known better than that.

    Examples
    --------
    >>> [as_about(n) for n in (7, 94, 1_234, 98_765)]
    ['10', '90', '1,200', '99,000']
    """
    step: int = 10 ** max(len(str(n)) - 2, 1)
    return f"{max(round(n / step), 1) * step:,}"


def as_list(names: Sequence[str], most: int = 4) -> str:
    """Return names in a row; of many, the first few.

    Examples
    --------
    >>> as_list(["tea"]), as_list(["tea", "milk"]), as_list(list("abcdefgh"))
    ('tea', 'tea and milk', 'a, b, c, d and 4 more')
    """
    shown, rest = list(names[:most]), len(names) - most
    if rest > 0:
        shown.append(f"{rest:,} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def as_duration(seconds: int) -> str:
    """Return a span of time, which is a whole number of minutes, hours or days.

    Examples
    --------
    >>> [as_duration(n) for n in (60, 300, 3_600, 86_400)]
    ['minute', '5 minutes', 'hour', 'day']
    """
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds % size == 0:
            n = seconds // size
            return word if n == 1 else f"{n} {word}s"
    return f"{seconds} seconds"
