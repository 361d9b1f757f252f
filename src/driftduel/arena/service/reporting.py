"""What is known of an arena now, and what was shown and not answered."""

from __future__ import annotations

import sqlalchemy as sa

from driftduel.arena.service.service import Service
from driftduel.arena.status import Status, status_of
from driftduel.arena.store import schema


def status(service: Service, slug: str) -> Status:
    """Return what is known of an arena, as of its last event."""
    service.hosted(slug)
    service.follow()
    hosted = service.hosted(slug)
    return status_of(hosted.arena, hosted.replica)


def shown(service: Service, slug: str) -> dict[tuple[str, str], int]:
    """Return how often a pair, left and right, was shown and not answered until it was purged."""
    hosted = service.hosted(slug)
    table = schema.shown
    query = (
        sa.select(table.c.left, table.c.right, sa.func.sum(table.c.n))
        .where(table.c.arena == hosted.arena.id)
        .group_by(table.c.left, table.c.right)
    )
    with service.store.reading() as connection:
        rows = connection.execute(query).all()
    arms = hosted.replica.arms
    return {(arms[left].name, arms[right].name): int(n) for left, right, n in rows}
