"""What happened in an arena, with dates: who led when, which arms came and went, votes by day."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from driftduel.arena.model import DAY
from driftduel.arena.reports import DatedChange
from driftduel.arena.service.reporting import status
from driftduel.arena.service.running import Service
from driftduel.arena.store import schema


@dataclass(frozen=True)
class Lead:
    """An arm led from a time to another; None: since the first vote, and until now."""

    name: str
    since: int | None
    until: int | None


@dataclass(frozen=True)
class ArmsChanged:
    """Arms that were offered from then on, were not any more, or got another name (old, new)."""

    at: int
    joined: tuple[str, ...]
    left: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Day:
    """How many votes and skips came on a day, which began at a time."""

    at: int
    votes: int
    skips: int


@dataclass(frozen=True)
class History:
    """An arena over time, as of ``head``."""

    head: int
    leaders: tuple[Lead, ...]
    changes: tuple[DatedChange, ...]
    arms: tuple[ArmsChanged, ...]
    days: tuple[Day, ...]


def history(service: Service, slug: str) -> History:
    """Return what happened in an arena.

    Raises
    ------
    NotFound, Unavailable
        If there is no such arena; if the database fails.
    """
    now = status(service, slug)
    event = schema.event
    mine = [event.c.arena == now.arena.id, event.c.seq <= now.head]
    arms = sa.select(event.c.at, event.c.body).where(*mine, event.c.kind == "arms")
    day = (event.c.at - event.c.at % DAY).label("day")
    skip = sa.func.sum(sa.case((event.c.kind == "skip", 1), else_=0))
    days = (
        sa.select(day, sa.func.count(), skip)
        .where(*mine, event.c.kind.in_(["vote", "skip", "import"]))
        .group_by(day)
        .order_by(day)
    )
    with service.store.reading() as connection:
        told = connection.execute(arms.order_by(event.c.seq)).all()
        counted = connection.execute(days).all()
    return History(
        head=now.head,
        leaders=tuple(_leaders(now.best, now.changes)),
        changes=now.changes,
        arms=tuple(_arms([(row.at, row.body["arms"]) for row in told])),
        days=tuple(Day(int(at), int(n - skips), int(skips)) for at, n, skips in counted),
    )


def _leaders(best: str | None, changes: tuple[DatedChange, ...]) -> list[Lead]:
    """Return who led when, from the changes of taste that were noticed."""
    if best is None:
        return []
    names = [one.before for one in changes] + [best]
    dates = [None, *(one.around for one in changes), None]
    return [Lead(name, dates[n], dates[n + 1]) for n, name in enumerate(names)]


def _arms(events: list[tuple[int, list[list[object]]]]) -> list[ArmsChanged]:
    known: dict[object, tuple[str, bool]] = {}
    found = []
    for at, arms in events:
        after = {number: (str(name), bool(offered)) for number, _, name, offered in arms}
        before = {number: known.get(number, ("", False)) for number in after}
        found.append(
            ArmsChanged(
                at,
                tuple(after[n][0] for n in after if after[n][1] and not before[n][1]),
                tuple(after[n][0] for n in after if before[n][1] and not after[n][1]),
                tuple(
                    (before[n][0], after[n][0])
                    for n in after
                    if n in known and before[n][0] != after[n][0]
                ),
            )
        )
        known |= after
    return found
