"""Options that voters suggest: they wait until the owner adds or declines them."""

from __future__ import annotations

from dataclasses import dataclass

from driftduel.arena.errors import Conflict, Forbidden, Invalid, NotFound, TooMany
from driftduel.arena.model import Time, as_name
from driftduel.arena.service.arms import arms_event, with_added
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import statements
from driftduel.arena.store import suggestions as table
from driftduel.arena.store.connection import Connection

MOST, MOST_OF_VOTER = 200, 3
"""Suggestions that wait at a time: in a poll, and of one voter."""

MOST_LETTERS = 80


@dataclass(frozen=True)
class Suggestion:
    """An option that somebody would like to have."""

    name: str
    at: Time


def suggest(service: Service, slug: str, voter: str, text: str) -> None:
    """Keep what a voter suggests until the owner looks at it.

    Raises
    ------
    Forbidden, Invalid, Conflict, TooMany
        If the poll takes none; if it is no name; if there is such an option, or such a suggestion;
        if enough wait.
    """
    number = service.hosted(slug).arena.id
    name = as_name(" ".join(text.split()))
    if len(name) > MOST_LETTERS:
        raise Invalid(f"a suggestion has {MOST_LETTERS} letters at most")
    who = service.voter(voter)

    def keep(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        if not arena.settings.suggestions or arena.state == "closed":
            raise Forbidden("this poll takes no suggestions")
        waiting = table.suggestions_of(connection, number)
        known = {arm.name.casefold() for arm in statements.arms_of(connection, number)}
        known |= {one.casefold() for one, *_ in waiting}
        if name.casefold() in known:
            raise Conflict("there is such an option already")
        mine = sum(by == who and not declined for _, by, _, declined in waiting)
        if mine >= MOST_OF_VOTER or len(waiting) >= MOST:
            raise TooMany("no more suggestions are taken for now")
        table.insert_suggestion(connection, number, name, who, now_in_microseconds())

    service.writer.alone(keep)


def suggestions(service: Service, slug: str) -> list[Suggestion]:
    """Return what waits for the owner, the oldest first."""
    number = service.hosted(slug).arena.id
    with service.store.reading() as connection:
        rows = table.suggestions_of(connection, number)
    return [Suggestion(name, at) for name, _, at, declined in rows if not declined]


def add_suggested(service: Service, slug: str, name: str) -> None:
    """Let a suggested option join."""
    number = service.hosted(slug).arena.id

    def add(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        _check_waiting(connection, number, name)
        before = statements.arms_of(connection, number)
        arms_event(connection, arena, before, with_added(before, [name]))
        table.delete_suggestion(connection, number, name)

    service.writer.alone(add)
    service.follow()


def decline_suggested(service: Service, slug: str, name: str) -> None:
    """Say no to a suggested option, once and for all."""
    number = service.hosted(slug).arena.id

    def decline(connection: Connection) -> None:
        _check_waiting(connection, number, name)
        table.decline_suggestion(connection, number, name)

    service.writer.alone(decline)


def _check_waiting(connection: Connection, number: int, name: str) -> None:
    rows = table.suggestions_of(connection, number)
    if name not in {one for one, _, _, declined in rows if not declined}:
        raise NotFound("there is no such suggestion")
