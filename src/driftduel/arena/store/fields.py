"""Fields of votes in the database: which a poll has, and what becomes of them with their voter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from driftduel.arena.fields import bounded
from driftduel.arena.store.connection import Connection, insert_into

Row = dict[str, Any]


def fields_of(connection: Connection, number: int) -> dict[str, set[str]]:
    """Return the fields of an arena by their names, each with its values."""
    found: dict[str, set[str]] = {}
    rows = connection.execute("SELECT name, value FROM field WHERE arena = :number", number=number)
    for name, value in rows:
        found.setdefault(name, set()).add(value)
    return found


def admit(connection: Connection, number: int, rows: Sequence[Row]) -> None:
    """Cut the fields of events down to what there is room for, in an arena that is locked."""
    if not any(row.get("fields") for row in rows):
        return
    known = fields_of(connection, number)
    before = {(name, value) for name, values in known.items() for value in values}
    for row in rows:
        if row.get("fields"):
            row["fields"] = bounded(row["fields"], known)
    _insert(
        connection,
        number,
        ((n, value) for n, values in known.items() for value in values if (n, value) not in before),
    )


def forget_fields(connection: Connection, number: int, voter: str) -> None:
    """Delete the fields of the votes of a voter, and what no other vote has."""
    mine = "WHERE arena = :number AND voter = :voter AND fields IS NOT NULL"
    gone = connection.execute(
        f"SELECT DISTINCT fields FROM event {mine}", number=number, voter=voter
    )
    if not gone:
        return
    connection.execute(f"UPDATE event SET fields = NULL {mine}", number=number, voter=voter)
    left = connection.execute(
        "SELECT DISTINCT fields FROM event WHERE arena = :number AND fields IS NOT NULL",
        number=number,
    )
    connection.execute("DELETE FROM field WHERE arena = :number", number=number)
    _insert(connection, number, {pair for (text,) in left for pair in json.loads(text).items()})


def _insert(connection: Connection, number: int, pairs: Iterable[tuple[str, str]]) -> None:
    new = [{"arena": number, "name": name, "value": value} for name, value in sorted(pairs)]
    if new:
        connection.execute_many(insert_into("field", ("arena", "name", "value")), new)
