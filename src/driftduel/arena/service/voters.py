"""Voters: who votes how, excluded and included again, and forgotten.

A voter is a hash; no address and no user agent is stored. What the owner sees of a voter is enough
to notice one who clicks a single side, or faster than one can read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from driftduel.arena.errors import NotFound
from driftduel.arena.service.running import Service, new_id, now_in_microseconds
from driftduel.arena.store import schema, statements

QUICK = 400_000
"""Microseconds below which nobody has looked at two cards."""


@dataclass(frozen=True)
class Voter:
    """What a voter did: verdicts, those left, those quicker than `QUICK`, those over the cap."""

    voter: str
    votes: int
    left: int
    quick: int
    capped: int
    last_at: int
    excluded: bool


def voters(service: Service, slug: str, most: int = 1_000) -> list[Voter]:
    """Return the voters of an arena with most verdicts, those first."""
    number = service.hosted(slug).arena.id
    event = schema.event

    def count(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
        return sa.func.sum(sa.case((condition, 1), else_=0))

    query = (
        sa.select(
            event.c.voter,
            sa.func.count(),
            count(event.c.verdict == "left"),
            count(event.c.at - event.c.asked_at < QUICK),
            count(event.c.reason == "cap"),
            sa.func.max(event.c.at),
        )
        .where(event.c.arena == number, event.c.kind.in_(["vote", "skip"]))
        .group_by(event.c.voter)
        .order_by(sa.func.count().desc(), event.c.voter)
        .limit(most)
    )
    with service.store.reading() as connection:
        rows = connection.execute(query).all()
        excluded = statements.excluded_of(connection, number, [row[0] for row in rows])
    facts: list[list[Any]] = [[*row, row[0] in excluded] for row in rows]
    return [Voter(*row) for row in facts]


def exclude(service: Service, slug: str, voter: str) -> int:
    """Let the votes of a voter, by the hash that `voters` shows, not count; return the head."""
    return _mark(service, slug, voter, "exclude")


def include(service: Service, slug: str, voter: str) -> int:
    """Let the votes of an excluded voter count again; return the head."""
    return _mark(service, slug, voter, "include")


def forget(service: Service, slug: str, voter: str) -> int:
    """Cut the link from a voter to its votes, which still count as they did; return the head.

    They get a new random name, so that nobody can tell from a cookie which votes are its voter's.
    """
    number = service.hosted(slug).arena.id
    event, duel = schema.event, schema.duel

    def cut(connection: sa.Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        mine = [event.c.arena == number, event.c.voter == voter]
        _check_known(connection, number, voter)
        connection.execute(sa.update(event).where(*mine).values(voter=f"~{new_id()}"))
        connection.execute(sa.delete(duel).where(duel.c.arena == number, duel.c.voter == voter))
        row = {"at": now_in_microseconds(), "kind": "forget"}
        return statements.append(connection, arena, [row])

    head: int = service.writer.alone(cut)
    service.follow()
    return head


def _mark(service: Service, slug: str, voter: str, kind: Literal["exclude", "include"]) -> int:
    number = service.hosted(slug).arena.id

    def mark(connection: sa.Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        _check_known(connection, number, voter)
        excluded = bool(statements.excluded_of(connection, number, [voter]))
        if excluded == (kind == "exclude"):
            return arena.head
        row: dict[str, Any] = {"at": now_in_microseconds(), "kind": kind, "voter": voter}
        return statements.append(connection, arena, [row])

    head: int = service.writer.alone(mark)
    service.follow()
    return head


def _check_known(connection: sa.Connection, number: int, voter: str) -> None:
    event = schema.event
    known = None
    if re.fullmatch("[0-9a-f]{32}|~[A-Za-z0-9_-]{22}", voter):
        mine = sa.select(event.c.seq).where(event.c.arena == number, event.c.voter == voter)
        known = connection.scalar(mine.limit(1))
    if known is None:
        raise NotFound("there is no such voter in this arena")
