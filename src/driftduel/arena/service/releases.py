"""Releases: what the owner changed on purpose, such as a new version of an option, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from driftduel.arena.errors import Invalid, NotFound
from driftduel.arena.model import Time, as_text
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import releases as table
from driftduel.arena.store import statements
from driftduel.arena.store.connection import SLOW, Connection
from driftduel.verdict.causes import Release
from driftduel.verdict.moments import Moment

MOST = 200
_MOST_NAME = 80
_FAR = 366 * 86_400_000_000
"""A release may lie so far ahead, as it may be planned."""


@dataclass(frozen=True)
class Marked:
    """A release that was marked: its number, what it is called, of which option, and when it was.

    Attributes
    ----------
    seq : int
        The event that marked it, by which it is taken back.
    option : str or None
        The option that has it; None if all do, as with another page.
    """

    seq: int
    name: str
    option: str | None
    at: Time

    @property
    def release(self) -> Release:
        """What causes are asked with."""
        return Release(self.name, Moment.time(self.at), self.option)


def releases(service: Service, slug: str) -> list[Marked]:
    """Return the releases of a poll, in the order of time."""
    number = service.hosted(slug).arena.id
    with service.store.reading(each=SLOW) as connection:
        names = {arm.id: arm.name for arm in statements.arms_of(connection, number)}
        rows = table.releases_of(connection, number)
    found = [Marked(seq, body["name"], names.get(body["option"]), body["at"]) for seq, body in rows]
    return sorted(found, key=lambda one: (one.at, one.seq))


def mark_release(
    service: Service, slug: str, name: str, option: str | None = None, at: int | None = None
) -> int:
    """Write down that something was changed on purpose; return the number of the event.

    Parameters
    ----------
    name : str
        What it is called, as "version 2".
    option : str, optional
        The option that has it; all have if left out.
    at : int, optional
        When it was, in microseconds since 1970; now if left out.

    Raises
    ------
    Invalid, NotFound
        If the name or the time is none, or there are very many; if there is no such option.
    """
    words = as_text(" ".join(str(name).split()), "name of a release", _MOST_NAME, 1)
    when = now_in_microseconds() if at is None else at
    if not 0 <= when <= now_in_microseconds() + _FAR:
        raise Invalid("the time of a release must lie between 1970 and a year from now")
    number = service.hosted(slug).arena.id

    def mark(connection: Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        arms = {arm.name: arm.id for arm in statements.arms_of(connection, number)}
        if option is not None and option not in arms:
            raise NotFound(f"there is no option {option[:80]!r} in this poll")
        if len(table.releases_of(connection, number)) >= MOST:
            raise Invalid(f"a poll has {MOST} releases at most")
        body = {"name": words, "option": None if option is None else arms[option], "at": when}
        row = {"at": now_in_microseconds(), "kind": "release", "body": body}
        return statements.append(connection, arena, [row])

    seq: int = service.writer.alone(mark, each=SLOW)
    service.follow_soon(slug)
    return seq


def take_back_release(service: Service, slug: str, seq: int) -> int:
    """Let a release be none, by the number of its event; return the number of that which does."""
    number = service.hosted(slug).arena.id

    def take_back(connection: Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        if seq not in {known for known, _ in table.releases_of(connection, number)}:
            raise NotFound("there is no such release")
        row = {"at": now_in_microseconds(), "kind": "release", "body": {"gone": seq}}
        return statements.append(connection, arena, [row])

    done: int = service.writer.alone(take_back, each=SLOW)
    service.follow_soon(slug)
    return done


def as_moment(text: str) -> int:
    """Return a date or a time, UTC if it does not say otherwise, in microseconds since 1970.

    Examples
    --------
    >>> as_moment("2024-05-03"), as_moment("2024-05-03T12:00+02:00")
    (1714694400000000, 1714730400000000)
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Invalid(f"{text[:40]!r} is no date, as 2024-05-03 or 2024-05-03T12:00 is") from None
    return round((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1e6)
