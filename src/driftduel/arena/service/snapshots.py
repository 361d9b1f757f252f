"""Snapshots: the state of a copy, kept so that a start need not read all votes.

A snapshot is a cache. It is used if the same code wrote it and nothing before it counts otherwise
since; else the log is folded from its beginning, which gives the same.
"""

from __future__ import annotations

import base64
import json
import zlib
from array import array

import numpy as np
import sqlalchemy as sa

from driftduel.arena.model import Arena, Arm
from driftduel.arena.replica import Replica, Tally
from driftduel.arena.store import schema, statements
from driftduel.experiments.versions import code_version
from driftduel.learners.polls.learner import DriftPoll
from driftduel.learners.storage import as_bytes, from_bytes


def code() -> str:
    """Return the version of the code whose states are alike."""
    return f"{code_version('driftduel.arena.replica')} numpy {np.__version__}"


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


def packed(replica: Replica) -> bytes:
    """Return all of a copy but its marks."""
    with replica.lock:
        learner = None if replica.learner is None else as_bytes(replica.learner).decode()
        tally = {name: column.tolist() for name, column in vars(replica.tally).items()}
        facts = {
            "head": replica.head,
            "generation": replica.generation,
            "arms": [[arm.id, arm.slug, arm.name, arm.offered] for arm in replica.arms.values()],
            "times": base64.b64encode(replica.times.tobytes()).decode(),
            **tally,
            "sides": replica.sides.tolist(),
            "learner": learner,
        }
    return zlib.compress(json.dumps(facts).encode(), 1)


def unpacked(text: bytes, seed: int) -> Replica:
    """Return the copy that `packed` was given, without marks."""
    facts = json.loads(zlib.decompress(text))
    replica = Replica(seed)
    replica.head, replica.generation = facts["head"], facts["generation"]
    replica.arms = {row[0]: Arm(*row) for row in facts["arms"]}
    replica.times = array("q", base64.b64decode(facts["times"]))
    duels, bad, skips = (np.array(facts[name], np.int64) for name in ("duels", "bad", "skips"))
    replica.tally = Tally(duels, np.array(facts["wins"], np.float64), bad, skips)
    replica.sides = np.array(facts["sides"], np.int64)
    if facts["learner"] is not None:
        learner = from_bytes(facts["learner"].encode())
        if not isinstance(learner, DriftPoll):
            raise ValueError("the learner is another one")
        replica.learner = learner
    replica.find_slots()
    return replica
