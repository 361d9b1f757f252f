"""What is asked of the database, each question once, the same for SQLite and PostgreSQL.

Who appends events calls `lock_arenas` first. On PostgreSQL that locks their rows, in the order of
their ids so that two writers cannot wait for each other; on SQLite the whole file is locked when a
writer begins. So ``head`` counts events without gaps and in the order of commits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

import sqlalchemy as sa

from driftduel.arena.model import REFOLDS, Arena, Arm, OpenDuel, Page
from driftduel.arena.settings import Settings
from driftduel.arena.store.schema import arena, arm, duel, event, shown

PAGE = 1_000
"""Events that are read at once: of more rows Python's collector makes heavy weather."""

Row = dict[str, Any]
Marks = tuple[Collection[str], Collection[int]]
"""Who is excluded, and which votes were taken back."""


def find_arenas(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> list[Arena]:
    """Return the arenas for which all of ``where`` holds, in the order in which they were made."""
    rows = connection.execute(sa.select(arena).where(*where).order_by(arena.c.id))
    return [_arena(row) for row in rows]


def lock_arenas(connection: sa.Connection, ids: Iterable[int]) -> dict[int, Arena]:
    """Return arenas whose heads nobody else changes until this transaction ends."""
    rows = connection.execute(_LOCKED, {"ids": sorted(set(ids))})
    return {row.id: _arena(row) for row in rows}


def append(connection: sa.Connection, locked: Arena, rows: Sequence[Row], **changes: Any) -> int:
    """Append events to an arena that is locked; return the seq of the first.

    ``changes`` are of the row of the arena, in the same step.
    """
    for n, row in enumerate(rows, locked.head + 1):
        row["arena"], row["seq"] = locked.id, n
    connection.execute(sa.insert(event), [{**_EMPTY, **row} for row in rows])
    head = locked.head + len(rows)
    connection.execute(sa.update(arena).where(arena.c.id == locked.id).values(head=head, **changes))
    return locked.head + 1


def arms_of(connection: sa.Connection, number: int) -> list[Arm]:
    """Return all arms of an arena, offered or not."""
    rows = connection.execute(sa.select(arm).where(arm.c.arena == number).order_by(arm.c.id))
    return [Arm(row.id, row.slug, row.name, row.offered) for row in rows]


def insert_duels(connection: sa.Connection, duels: Sequence[OpenDuel]) -> None:
    """Keep open duels."""
    if duels:
        connection.execute(sa.insert(duel), [dict(vars(one)) for one in duels])


def find_duels(connection: sa.Connection, ids: Sequence[str]) -> dict[str, OpenDuel]:
    """Return open duels by their ids, as far as there are any."""
    return {row[0]: OpenDuel(*row) for row in connection.execute(_OPEN, {"ids": ids})}


def delete_duels(connection: sa.Connection, ids: Sequence[str]) -> set[str]:
    """Close duels; return those that were open: of several writers one gets each."""
    return set(connection.scalars(_CLOSE, {"ids": ids})) if ids else set()


def find_answers(connection: sa.Connection, ids: Sequence[str]) -> dict[str, Row]:
    """Return the events that answered duels, by the ids of the duels."""
    if not ids:
        return {}
    return {row.duel: dict(row._mapping) for row in connection.execute(_ANSWERS, {"ids": ids})}


def retraction_of(connection: sa.Connection, number: int, seq: int) -> int | None:
    """Return the event that took a vote back, None if none did."""
    found = sa.select(event.c.seq).where(event.c.arena == number, event.c.target == seq)
    return connection.scalar(found)


def is_taken_back() -> sa.ColumnElement[bool]:
    """Return the condition that a later event takes back the one that is asked for."""
    later = event.alias()
    return sa.exists().where(later.c.arena == event.c.arena, later.c.target == event.c.seq)


def votes_of_day(
    connection: sa.Connection, number: int, voters: Iterable[str], since: int
) -> dict[str, int]:
    """Return how many votes of voters, cast since a moment, counted and were not taken back."""
    query = (
        sa.select(event.c.voter, sa.func.count())
        .where(
            event.c.arena == number,
            event.c.voter.in_(sorted(set(voters))),
            event.c.at >= since,
            event.c.kind == "vote",
            event.c.reason.is_(None),
            ~is_taken_back(),
        )
        .group_by(event.c.voter)
    )
    return {str(voter): count for voter, count in connection.execute(query)}


def excluded_of(connection: sa.Connection, number: int, voters: Iterable[str]) -> set[str]:
    """Return those of the voters that are excluded."""
    query = {"number": number, "ids": sorted(set(voters))}
    last = {voter: kind for _, kind, voter in sorted(connection.execute(_MARKS, query))}
    return {voter for voter, kind in last.items() if kind == "exclude"}


def first_touched(connection: sa.Connection, number: int, after: int, until: int) -> int | None:
    """Return from which event on other votes count, by what happened after a seq; None if none."""
    touched = []
    for row in _rare_events(connection, number, after, until):
        if row.kind == "retract":
            touched.append(row.target)
        elif row.kind == "forget":  # voters have other names, but no vote counts otherwise
            touched.append(after + 1)
        else:
            first = sa.select(sa.func.min(event.c.seq)).where(
                event.c.arena == number, event.c.voter == row.voter
            )
            touched.append(connection.scalar(first))
    return min(touched, default=None)


def marks_of(
    connection: sa.Connection, number: int, until: int, after: int = 0, earlier: Marks | None = None
) -> Marks:
    """Return who is excluded and which votes were taken back, as of an event.

    With what was so ``after`` an earlier event, only what happened since is read.
    """
    rows = _rare_events(connection, number, after, until)
    if earlier is not None and any(row.kind == "forget" for row in rows):
        return marks_of(connection, number, until)  # voters have other names
    excluded: set[str] = set(earlier[0]) if earlier else set()
    retracted: set[int] = set(earlier[1]) if earlier else set()
    for row in rows:
        if row.kind == "exclude":
            excluded.add(row.voter)
        elif row.kind == "include":
            excluded.discard(row.voter)
        elif row.kind == "retract":
            retracted.add(row.target)
    return excluded, retracted


def _rare_events(
    connection: sa.Connection, number: int, after: int, until: int
) -> list[sa.Row[Any]]:
    """Return the events after which other votes count: what was taken back, and who excluded."""
    query = (
        sa.select(event.c.seq, event.c.kind, event.c.voter, event.c.target)
        .where(
            event.c.arena == number,
            event.c.seq > after,
            event.c.seq <= until,
            event.c.kind.in_(REFOLDS),
        )
        .order_by(event.c.seq)
    )
    return list(connection.execute(query))


def pages(connection: sa.Connection, number: int, after: int, until: int) -> Iterator[Page]:
    """Yield the events after a seq, up to and with another, in order."""
    columns = [event.c[name] for name in Page._fields]
    query = sa.select(*columns).where(event.c.arena == number, *between()).order_by(event.c.seq)
    for low, high in ranges(after, until):
        if rows := connection.execute(query, {"low": low, "high": high}).all():
            yield Page(*zip(*rows, strict=True))


def ranges(after: int, until: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of `PAGE` events: seqs have no gaps, and a limit misleads PostgreSQL.

    Examples
    --------
    >>> list(ranges(0, 1_500))
    [(0, 1000), (1000, 1500)]
    """
    for low in range(after, until, PAGE):
        yield low, min(low + PAGE, until)


def between() -> list[sa.ColumnElement[bool]]:
    """Return that a seq is in such a range, from ``low``, which is out, to ``high``."""
    return [event.c.seq > sa.bindparam("low"), event.c.seq <= sa.bindparam("high")]


def purge(connection: sa.Connection, expired_before: int, day: int, most: int = 10_000) -> int:
    """Move duels that nobody answered into counts of what was shown; return how many."""
    old = sa.select(duel.c.id).where(duel.c.expires_at < expired_before).limit(most)
    numbers = sa.select(duel.c.arena).where(duel.c.expires_at < expired_before).distinct()
    lock_arenas(connection, connection.scalars(numbers))
    gone = sa.delete(duel).where(duel.c.id.in_(old.scalar_subquery()))
    counts: dict[tuple[int, int, int], int] = {}
    for row in connection.execute(gone.returning(duel.c.arena, duel.c.left, duel.c.right)):
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    for (number, left, right), n in counts.items():
        key = {"arena": number, "day": day, "left": left, "right": right}
        where = [shown.c[name] == value for name, value in key.items()]
        more = sa.update(shown).where(*where).values(n=shown.c.n + n)
        if connection.execute(more).rowcount == 0:
            connection.execute(sa.insert(shown).values(**key, n=n))
    return sum(counts.values())


# What every vote asks is put together once.
_IDS: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
# Duels refer to their arena, so to open some locks its row against who would change its id. Nobody
# does: with a plain lock for update two processes that had opened duels would wait for each other.
_LOCKED = (
    sa.select(arena)
    .where(arena.c.id.in_(_IDS))
    .order_by(arena.c.id)
    .with_for_update(key_share=True)
)
_OPEN = sa.select(*(duel.c[item.name] for item in fields(OpenDuel))).where(duel.c.id.in_(_IDS))
_CLOSE = sa.delete(duel).where(duel.c.id.in_(_IDS)).returning(duel.c.id)
_ANSWERS = sa.select(event).where(event.c.duel.in_(_IDS))
# Not ordered by the database: SQLite would read all events, as they are in this order.
_MARKS = sa.select(event.c.seq, event.c.kind, event.c.voter).where(
    event.c.arena == sa.bindparam("number"),
    event.c.kind.in_(["exclude", "include"]),
    event.c.voter.in_(_IDS),
)

_EMPTY: Row = {column.name: None for column in event.columns if column.name not in ("arena", "seq")}


def _arena(row: sa.Row[Any]) -> Arena:
    return Arena(**{**row._mapping, "settings": Settings().changed(row.settings)})
