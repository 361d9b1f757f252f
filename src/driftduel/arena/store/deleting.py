"""The end of an arena: its name is free at once, its votes go in slices, its number stays taken.

The number stays so that no process that has a copy takes a new arena for the old one.
"""

from __future__ import annotations

import json

from driftduel.arena.model import GONE, Arena
from driftduel.arena.store import statements
from driftduel.arena.store.cards import drop_blobs
from driftduel.arena.store.connection import Connection

_SLICE = 5_000
"""Events that are deleted in one transaction: meanwhile voters of other arenas wait."""

_BEFORE = ("message", "receiver", "suggestion", "invitation", "access", "snapshot", "field")
_AFTER = ("shown", "arm")


def bury(connection: Connection, arena: Arena) -> None:
    """Take an arena that is locked away from everybody, with all but its votes and options."""
    number = arena.id
    for table in _BEFORE:
        connection.execute(f"DELETE FROM {table} WHERE arena = :number", number=number)
    images = [
        sha256
        for (sha256,) in connection.execute(
            "DELETE FROM card WHERE arena = :number RETURNING blob", number=number
        )
    ]
    # Copies of other processes notice by the head that there is something to look at.
    connection.execute(
        "UPDATE arena SET slug = :slug, title = '', question = '', settings = :none, "
        "status = 'closed', head = head + 1 WHERE id = :number",
        slug=f"{GONE}{number}",
        none=json.dumps({}),
        number=number,
    )
    drop_blobs(connection, {*images, arena.settings.logo} - {None, ""})


def buried(connection: Connection) -> list[int]:
    """Return the numbers of arenas that were deleted and of which something is left."""
    query = (
        "SELECT id FROM arena WHERE substr(slug, 1, 1) = :gone "
        "AND EXISTS (SELECT 1 FROM arm WHERE arm.arena = arena.id)"
    )
    return [number for (number,) in connection.execute(query, gone=GONE)]


def erase(connection: Connection, number: int) -> bool:
    """Delete some of what is left of an arena; tell whether that was all."""
    statements.lock_arenas(connection, [number])
    connection.execute("DELETE FROM duel WHERE arena = :number", number=number)
    least = connection.scalar("SELECT min(seq) FROM event WHERE arena = :number", number=number)
    if least is not None:
        connection.execute(
            "DELETE FROM event WHERE arena = :number AND seq < :end",
            number=number,
            end=least + _SLICE,
        )
        return False
    for table in _AFTER:
        connection.execute(f"DELETE FROM {table} WHERE arena = :number", number=number)
    return True
