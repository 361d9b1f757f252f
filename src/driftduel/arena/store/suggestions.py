"""Statements about the options that voters suggest."""

from __future__ import annotations

from driftduel.arena.store.connection import Connection

_INSERT = (
    "INSERT INTO suggestion (arena, name, voter, at, declined) "
    "VALUES (:arena, :name, :voter, :at, :declined)"
)


def suggestions_of(connection: Connection, number: int) -> list[tuple[str, str, int, bool]]:
    """Return what was suggested: the name, the voter, when, and whether it was declined."""
    rows = connection.execute(
        "SELECT name, voter, at, declined FROM suggestion WHERE arena = :number ORDER BY at, name",
        number=number,
    )
    return [(name, voter, at, bool(declined)) for name, voter, at, declined in rows]


def insert_suggestion(connection: Connection, number: int, name: str, voter: str, at: int) -> None:
    """Keep a suggestion."""
    row = {"arena": number, "name": name, "voter": voter, "at": at, "declined": False}
    connection.execute(_INSERT, **row)


def delete_suggestion(connection: Connection, number: int, name: str) -> None:
    """Forget a suggestion."""
    query = "DELETE FROM suggestion WHERE arena = :number AND name = :name"
    connection.execute(query, number=number, name=name)


def decline_suggestion(connection: Connection, number: int, name: str) -> None:
    """Write down that a suggestion was declined."""
    query = "UPDATE suggestion SET declined = :yes WHERE arena = :number AND name = :name"
    connection.execute(query, yes=True, number=number, name=name)
