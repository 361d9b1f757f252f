"""Whether a database keeps its promises: everything is counted and folded again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from driftduel.arena.errors import Violation
from driftduel.arena.model import Arena
from driftduel.arena.replica import Replica
from driftduel.arena.service.running import folded
from driftduel.arena.service.snapshots import from_snapshot, snapshot_head
from driftduel.arena.store import schema, statements
from driftduel.arena.store.database import Store
from driftduel.learners.storage import as_payload


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
    n, last = connection.execute(
        sa.select(sa.func.count(), sa.func.max(event.c.seq)).where(mine)
    ).one()
    if n != arena.head or (last or 0) != arena.head:
        raise broken(f"head is {arena.head:,}, but there are {n:,} events up to {last or 0:,}")
    answered = sa.select(sa.func.count()).where(mine, event.c.duel == duel.c.id)
    if scalar(answered):
        raise broken("a duel is open that was answered")
    votes = [mine, event.c.kind.in_(["vote", "skip"])]
    lacking = event.c.duel.is_(None) | event.c.voter.is_(None) | event.c.ticket.is_(None)
    if first := scalar(sa.select(sa.func.min(event.c.seq)).where(*votes, lacking)):
        raise broken(f"event {first:,} lacks its duel, voter or ticket")
    same = event.c.left == event.c.right
    if first := scalar(sa.select(sa.func.min(event.c.seq)).where(mine, same)):
        raise broken(f"event {first:,} shows an arm against itself")
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
    return replica.head, replica.times.tobytes(), payload
