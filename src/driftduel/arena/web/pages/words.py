"""What pages say in words: times, shares, and the sentence on who is best since when."""

from __future__ import annotations

from datetime import UTC, datetime

from driftduel.arena.service import Status


def as_date(at: int | None) -> str:
    """Return a time for people, in UTC, which the page says once.

    Examples
    --------
    >>> as_date(1_700_000_000_000_000), as_date(None)
    ('14 Nov 2023, 22:13', '–')
    """
    if at is None:
        return "–"
    moment = datetime.fromtimestamp(at // 1_000_000, UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M}"


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


def sentence(status: Status) -> str:
    """Say who is best since when, who was before, and what is missing until that is decided."""
    if status.best is None:
        return "Nobody has voted yet."
    words = f"{status.best} is best"
    if status.since is not None:
        words += f" since {as_date(status.since)}"
    if status.before is not None:
        words += f"; {status.before} was until then"
    if status.decided:
        return f"{words}. That is decided."
    if status.missing is None:
        return f"{words}. That is not decided yet."
    return f"{words}. That is not decided yet: about {status.missing:,} more votes."
