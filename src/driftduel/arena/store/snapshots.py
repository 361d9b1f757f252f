"""Statements for snapshots: the state of an arena at some event, so that a start is quick."""

from __future__ import annotations

from driftduel.arena.store.connection import Connection


def snapshot_of(connection: Connection, number: int) -> tuple[int, str, bytes] | None:
    """Return the snapshot of an arena, if there is one: its event, the code, and the state."""
    query = "SELECT seq, code, bytes FROM snapshot WHERE arena = :number"
    rows = connection.execute(query, number=number)
    return rows[0] if rows else None


def keep_snapshot(connection: Connection, number: int, seq: int, code: str, state: bytes) -> None:
    """Keep a snapshot in place of an earlier one."""
    connection.execute(
        "INSERT INTO snapshot (arena, seq, code, bytes) VALUES (:number, :seq, :code, :state) "
        "ON CONFLICT (arena) DO UPDATE "
        "SET seq = excluded.seq, code = excluded.code, bytes = excluded.bytes",
        number=number,
        seq=seq,
        code=code,
        state=state,
    )
