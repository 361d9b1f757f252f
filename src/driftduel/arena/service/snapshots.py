"""Snapshots: the state of a copy, kept so that a start need not read all votes.

A snapshot is a cache. It is used if the same code wrote it and nothing before it counts otherwise
since; else the log is folded from its beginning, which gives the same.
"""

from __future__ import annotations

import zlib

import sqlalchemy as sa

from driftduel.arena.model import Arena
from driftduel.arena.packing import code, packed, unpacked
from driftduel.arena.replica import Replica
from driftduel.arena.store import schema, statements


def keep_snapshot(connection: sa.Connection, number: int, replica: Replica) -> None:
    """Store the state of a copy in place of an earlier one."""
    statements.lock_arenas(connection, [number])  # other processes keep theirs
    row = {"arena": number, "seq": replica.head, "code": code(), "bytes": packed(replica)}
    connection.execute(sa.delete(schema.snapshot).where(schema.snapshot.c.arena == number))
    connection.execute(sa.insert(schema.snapshot), [row])


def from_snapshot(connection: sa.Connection, arena: Arena) -> Replica | None:
    """Return a copy as of the snapshot of an arena, None if there is none to be trusted."""
    snapshot = schema.snapshot
    query = sa.select(snapshot).where(snapshot.c.arena == arena.id)
    row = connection.execute(query).one_or_none()
    if row is None or row.code != code() or row.seq > arena.head:
        return None
    touched = statements.first_touched(connection, arena.id, row.seq, arena.head)
    if touched is not None and touched <= row.seq:
        return None
    try:
        return unpacked(row.bytes, arena.seed)
    except (ValueError, LookupError, TypeError, zlib.error):
        return None


def snapshot_head(connection: sa.Connection, number: int) -> int:
    """Return the event that the snapshot of an arena is of, 0 if there is none."""
    snapshot = schema.snapshot
    found = connection.scalar(sa.select(snapshot.c.seq).where(snapshot.c.arena == number))
    return int(found or 0)
