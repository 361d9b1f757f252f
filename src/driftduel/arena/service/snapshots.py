"""Snapshots: the state of a copy, kept so that a start need not read all votes.

A snapshot is a cache. It is used if the same code wrote it, by the rules that the arena has now,
from the latest of its states before anything that counts otherwise since; else the log is folded
from its beginning, which gives the same.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

from driftduel.arena.model import Arena
from driftduel.arena.replica import Replica
from driftduel.arena.states import code, packed, unpacked
from driftduel.arena.store import snapshots, statements
from driftduel.arena.store.connection import Connection
from driftduel.arena.versions import rules_of


class Snapshot(NamedTuple):
    """The state of a copy as of an event; ``key`` tells the code and the rules it is of."""

    head: int
    key: str
    state: bytes


def snapshot_of(replica: Replica) -> Snapshot:
    """Return the state of a copy: of very many votes that takes a while, so nobody may wait."""
    with replica.lock:
        return Snapshot(replica.head, f"{code()} {replica.rules.name}", packed(replica))


def keep_snapshot(connection: Connection, number: int, snapshot: Snapshot) -> None:
    """Store a snapshot in place of an earlier one."""
    statements.lock_arenas(connection, [number])  # other processes keep theirs
    snapshots.keep_snapshot(connection, number, *snapshot)


def from_snapshot(connection: Connection, arena: Arena) -> Replica | None:
    """Return a copy as of the snapshot of an arena, None if there is none to be trusted."""
    found = snapshots.snapshot_of(connection, arena.id)
    if found is None:
        return None
    seq, key, state = found
    rules = rules_of(arena.learner, arena.rules)
    if key != f"{code()} {rules.name}" or seq > arena.head:
        return None
    touched = statements.first_touched(connection, arena.id, seq, arena.head)
    try:
        replica = unpacked(state, arena.seed, rules)
    except (ValueError, LookupError, TypeError, zlib.error):
        return None
    return replica if touched is None or touched > seq else replica.rewound(touched, replica.marks)
