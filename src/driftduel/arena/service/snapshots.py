"""Snapshots: the state of a copy, kept so that a start need not read all votes.

A snapshot is a cache. It is used if the same code wrote it, by the rules that the arena has now,
from the latest of its states before anything that counts otherwise since; else the log is folded
from its beginning, which gives the same.
"""

from __future__ import annotations

import zlib

from driftduel.arena.model import Arena
from driftduel.arena.replica import Replica
from driftduel.arena.states import code, packed, unpacked
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection
from driftduel.arena.versions import rules_of


def keep_snapshot(connection: Connection, number: int, replica: Replica) -> None:
    """Store the state of a copy in place of an earlier one."""
    statements.lock_arenas(connection, [number])  # other processes keep theirs
    key = f"{code()} {replica.rules.name}"
    statements.keep_snapshot(connection, number, replica.head, key, packed(replica))


def from_snapshot(connection: Connection, arena: Arena) -> Replica | None:
    """Return a copy as of the snapshot of an arena, None if there is none to be trusted."""
    found = statements.snapshot_of(connection, arena.id)
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
