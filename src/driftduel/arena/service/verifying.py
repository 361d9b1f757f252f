"""Whether a database keeps its promises: everything is counted and folded again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_args

import sqlalchemy as sa

from driftduel.arena.errors import Violation
from driftduel.arena.model import DAY, Arena, Kind, Verdict
from driftduel.arena.replica import Replica
from driftduel.arena.service.service import folded
from driftduel.arena.service.snapshots import from_snapshot, snapshot_head
from driftduel.arena.store import schema, statements
from driftduel.arena.store.database import Store
from driftduel.learners.contract.storage import as_payload

_REASONS = ("cap", "excluded", "history")
"""Why a vote that is in the log may not count, besides what later events say."""


@dataclass(frozen=True)
class Verified:
    """An arena in which nothing is wrong."""

    slug: str
    head: int
    votes: int
    open: int


def verify(store: Store) -> list[Verified]:
    """Check all arenas of a database.

    Raises
    ------
    Violation
        At the first promise that is broken, with the arena and what is wrong.
    """
    with store.reading() as connection:
        return [_verified(connection, arena) for arena in statements.find_arenas(connection)]


def _verified(connection: sa.Connection, arena: Arena) -> Verified:
    event, duel = schema.event, schema.duel

    def scalar(query: sa.Select[Any]) -> int:
        return int(connection.scalar(query) or 0)

    def broken(what: str) -> Violation:
        return Violation(f"arena {arena.slug}: {what}")

    mine = event.c.arena == arena.id
    n, first, last = connection.execute(
        sa.select(sa.func.count(), sa.func.min(event.c.seq), sa.func.max(event.c.seq)).where(mine)
    ).one()
    if n != arena.head or (last or 0) != arena.head:
        raise broken(f"head is {arena.head:,}, but there are {n:,} events up to {last or 0:,}")
    if n and first != 1:
        raise broken(f"the first event is {first:,}, must be 1")
    answered = sa.select(sa.func.count()).where(mine, event.c.duel == duel.c.id)
    if scalar(answered):
        raise broken("a duel is open that was answered")
    wrong = _wrong_events(arena)
    firsts = [sa.func.min(sa.case((condition, event.c.seq))) for condition, _ in wrong]
    for found, (_, what) in zip(
        connection.execute(sa.select(*firsts).where(mine)).one(), wrong, strict=True
    ):
        if found is not None:
            raise broken(f"event {found:,} {what}")
    if _over_the_cap(connection, arena):
        raise broken("more votes of a voter count on a day than the cap allows")
    target = event.alias()
    taken_back = (
        sa.select(sa.func.min(event.c.seq))
        .select_from(
            event.outerjoin(
                target,
                (target.c.arena == event.c.arena)
                & (target.c.seq == event.c.target)
                & target.c.kind.in_(["vote", "skip"]),
            )
        )
        .where(mine, event.c.kind == "retract", target.c.seq.is_(None))
    )
    if first := scalar(taken_back):
        raise broken(f"event {first:,} takes back what is no vote")
    replica = _fold(connection, arena)
    if list(replica.arms.values()) != statements.arms_of(connection, arena.id):
        raise broken("the arms are not those that the events give")
    if replica.generation != arena.generation:
        raise broken(f"generation is {arena.generation}, the events give {replica.generation}")
    kept = from_snapshot(connection, replace(arena, head=snapshot_head(connection, arena.id)))
    if kept is not None and state_of(kept) != state_of(_fold(connection, arena, kept.head)):
        raise broken(f"its snapshot is not the fold of its {kept.head:,} events")
    open_now = scalar(sa.select(sa.func.count()).where(duel.c.arena == arena.id))
    return Verified(arena.slug, arena.head, len(replica.times), open_now)


def _wrong_events(arena: Arena) -> list[tuple[sa.ColumnElement[bool], str]]:
    """Return what no event may be, and how that is said."""
    event = schema.event.c
    voted = event.kind.in_(["vote", "skip"])
    told = event.kind.in_(["vote", "skip", "import"])
    asked = [event.duel, event.voter, event.ticket, event.asked_at]
    lacks = sa.or_(*(column.is_(None) for column in asked))
    known = [event.left, event.right, event.verdict, event.swapped]
    chance = ~event.propensity.between(0.0, 1.0) | (event.propensity == 0.0)
    return [
        (event.kind.not_in(get_args(Kind)), "is of a kind that is not known"),
        (voted & lacks, "lacks its duel, voter, ticket or the time of asking"),
        (told & sa.or_(*(column.is_(None) for column in known)), "lacks its arms or verdict"),
        (event.left == event.right, "shows an arm against itself"),
        (told & event.verdict.not_in(get_args(Verdict)), "has a verdict that is none"),
        (told & ((event.kind == "skip") != (event.verdict == "skip")), "is a skip and is not"),
        (event.reason.not_in(_REASONS), "does not count for a reason that is not known"),
        (chance, "has a propensity that is no chance"),
        (voted & ~event.generation.between(1, arena.generation), "is of arms that never were"),
    ]


def _over_the_cap(connection: sa.Connection, arena: Arena) -> bool:
    """Tell whether more votes of a voter count on a day than may, if that was never changed."""
    event = schema.event
    mine = event.c.arena == arena.id
    changes = sa.select(event.c.body).where(mine, event.c.kind == "settings")
    if arena.settings.cap is None or any("cap" in row.body for row in connection.execute(changes)):
        return False
    days = (
        sa.select(sa.literal(1))
        .where(mine, event.c.kind == "vote", event.c.reason.is_(None), ~statements.is_taken_back())
        .group_by(event.c.voter, event.c.at // DAY)
        .having(sa.func.count() > arena.settings.cap)
    )
    return connection.execute(days.limit(1)).first() is not None


def _fold(connection: sa.Connection, arena: Arena, head: int | None = None) -> Replica:
    try:
        return folded(connection, arena if head is None else replace(arena, head=head))
    except (ValueError, AssertionError, LookupError, TypeError) as error:
        raise Violation(f"arena {arena.slug}: its events cannot be folded: {error}") from error


def state_of(replica: Replica) -> object:
    """Return all that the learner of a copy is; two copies are equal if this is."""
    if replica.learner is None:
        return replica.head
    payload = as_payload(replica.learner)
    payload["session"].pop("name")  # drawn for each object
    return (replica.head, replica.standing), replica.times.tobytes(), payload
