"""The statements of one voter at a prompt, on a file of SQLite, without SQLAlchemy.

To import SQLAlchemy takes twice as long as to import numpy, and half as long as all else that the
command does. These are the same questions as in `driftduel.arena.store.statements`, on the same
tables; a test holds the two against each other.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from driftduel.arena.model import REFOLDS, Arena, Arm, OpenDuel, Page
from driftduel.arena.settings import Settings

Row = dict[str, Any]

EVENT = (
    "arena", "seq", "at", "kind", "duel", "voter", "left", "right", "swapped", "ticket",
    "propensity", "context", "generation", "asked_at", "verdict", "reason", "target", "body",
)  # fmt: skip
"""The columns of an event."""


def find_arenas(connection: sqlite3.Connection) -> list[Arena]:
    """Return all arenas, in the order in which they were made."""
    columns = [item.name for item in fields(Arena)]
    rows = connection.execute(f"SELECT {_names(columns)} FROM arena ORDER BY id")
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    return [
        Arena(**{**one, "settings": Settings().changed(json.loads(one["settings"]))})
        for one in found
    ]


def lock_arenas(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Arena]:
    """Return arenas; the file is locked since this transaction began."""
    wanted = set(ids)
    return {arena.id: arena for arena in find_arenas(connection) if arena.id in wanted}


def append(connection: sqlite3.Connection, locked: Arena, rows: Sequence[Row]) -> int:
    """Append events to an arena; return the seq of the first."""
    for n, row in enumerate(rows, locked.head + 1):
        row["arena"], row["seq"] = locked.id, n
    marks = ", ".join("?" * len(EVENT))
    values = [[row.get(name) for name in EVENT] for row in rows]
    connection.executemany(f"INSERT INTO event ({_names(EVENT)}) VALUES ({marks})", values)
    head = locked.head + len(rows)
    connection.execute("UPDATE arena SET head = ? WHERE id = ?", (head, locked.id))
    return locked.head + 1


def arms_of(connection: sqlite3.Connection, number: int) -> list[Arm]:
    """Return all arms of an arena, offered or not."""
    query = "SELECT id, slug, name, offered FROM arm WHERE arena = ? ORDER BY id"
    return [
        Arm(id_, slug, name, bool(offered))
        for id_, slug, name, offered in connection.execute(query, (number,))
    ]


def contexts_of(connection: sqlite3.Connection, number: int) -> dict[int, frozenset[str]]:
    """Return in which contexts each arm has a card."""
    found: dict[int, set[str]] = {}
    for arm, context in connection.execute(
        "SELECT arm, context FROM card WHERE arena = ?", (number,)
    ):
        found.setdefault(arm, set()).add(context)
    return {arm: frozenset(contexts) for arm, contexts in found.items()}


def insert_duels(connection: sqlite3.Connection, duels: Sequence[OpenDuel]) -> None:
    """Keep open duels."""
    marks = ", ".join("?" * len(_DUEL))
    rows = [[vars(one)[name] for name in _DUEL] for one in duels]
    connection.executemany(f"INSERT INTO duel ({_names(_DUEL)}) VALUES ({marks})", rows)


def find_duels(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, OpenDuel]:
    """Return open duels by their ids, as far as there are any."""
    query = f"SELECT {_names(_DUEL)} FROM duel WHERE id = ?"
    rows = [row for id_ in ids for row in connection.execute(query, (id_,))]
    return {row[0]: OpenDuel(*row) for row in rows}


def open_duels(connection: sqlite3.Connection, number: int, now: int) -> list[OpenDuel]:
    """Return the duels of an arena that may be told, those asked first before the others."""
    query = (
        f"SELECT {_names(_DUEL)} FROM duel WHERE arena = ? AND expires_at >= ? "
        "ORDER BY asked_at, id"
    )
    return [OpenDuel(*row) for row in connection.execute(query, (number, now))]


def delete_duels(connection: sqlite3.Connection, ids: Sequence[str]) -> set[str]:
    """Close duels; return those that were open."""
    gone = "DELETE FROM duel WHERE id = ? RETURNING id"
    return {row[0] for id_ in ids for row in connection.execute(gone, (id_,)).fetchall()}


def find_answers(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Row]:
    """Return the events that answered duels, by the ids of the duels."""
    query = f"SELECT {_names(EVENT)} FROM event WHERE duel = ?"
    rows = [row for id_ in ids for row in connection.execute(query, (id_,))]
    found = [dict(zip(EVENT, row, strict=True)) for row in rows]
    return {row["duel"]: row for row in found}


def ids_like(connection: sqlite3.Connection, start: str) -> list[str]:
    """Return the ids of duels, open or answered, that begin so."""
    span = (start, start + "~")  # after all that an id is made of
    return [
        row[0]
        for table, column in (("duel", "id"), ("event", "duel"))
        for row in connection.execute(
            f"SELECT {column} FROM {table} WHERE {column} >= ? AND {column} < ? LIMIT 2", span
        )
    ]


def retraction_of(connection: sqlite3.Connection, number: int, seq: int) -> int | None:
    """Return the event that took a vote back, None if none did."""
    query = "SELECT seq FROM event WHERE arena = ? AND target = ?"
    row = connection.execute(query, (number, seq)).fetchone()
    return None if row is None else int(row[0])


def votes_of_day(
    connection: sqlite3.Connection, number: int, voters: Iterable[str], since: int
) -> dict[str, int]:
    """Return how many votes of voters, cast since a moment, counted and were not taken back."""
    query = (
        "SELECT count(*) FROM event WHERE arena = ? AND voter = ? AND kind = 'vote' AND at >= ? "
        "AND reason IS NULL AND NOT EXISTS (SELECT 1 FROM event AS later "
        "WHERE later.arena = event.arena AND later.target = event.seq)"
    )
    return {
        voter: connection.execute(query, (number, voter, since)).fetchone()[0] for voter in voters
    }


def excluded_of(connection: sqlite3.Connection, number: int, voters: Iterable[str]) -> set[str]:
    """Return those of the voters that are excluded."""
    query = (
        "SELECT max(seq), kind FROM event WHERE arena = ? AND voter = ? "
        "AND kind IN ('exclude', 'include')"
    )
    return {
        voter
        for voter in voters
        if connection.execute(query, (number, voter)).fetchone()[1] == "exclude"
    }


def marks_of(connection: sqlite3.Connection, number: int) -> tuple[set[str], set[int], int]:
    """Return who is excluded, which votes were taken back, and the last event that did either."""
    excluded: set[str] = set()
    retracted: set[int] = set()
    last = 0
    marks = ", ".join("?" * len(REFOLDS))
    query = f"SELECT seq, kind, voter, target FROM event WHERE arena = ? AND kind IN ({marks})"
    for seq, kind, voter, target in sorted(connection.execute(query, (number, *REFOLDS))):
        last = seq
        if kind == "exclude":
            excluded.add(voter)
        elif kind == "include":
            excluded.discard(voter)
        elif kind == "retract":
            retracted.add(target)
    return excluded, retracted, last


def pages(connection: sqlite3.Connection, number: int, after: int) -> Iterator[Page]:
    """Yield the events after a seq, in order."""
    query = f"SELECT {_names(Page._fields)} FROM event WHERE arena = ? AND seq > ? ORDER BY seq"
    cursor = connection.execute(query, (number, after))
    while rows := cursor.fetchmany(1_000):
        page = Page(*zip(*rows, strict=True))
        yield page._replace(body=[None if text is None else json.loads(text) for text in page.body])


def meta(connection: sqlite3.Connection) -> dict[str, str]:
    """Return what is known of the database itself."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def set_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Write something down about the database itself."""
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def snapshot_of(connection: sqlite3.Connection, number: int) -> tuple[int, str, bytes] | None:
    """Return the snapshot of an arena, if there is one: its event, the code, and the state."""
    query = "SELECT seq, code, bytes FROM snapshot WHERE arena = ?"
    found: tuple[int, str, bytes] | None = connection.execute(query, (number,)).fetchone()
    return found


def keep_snapshot(
    connection: sqlite3.Connection, number: int, seq: int, code: str, state: bytes
) -> None:
    """Keep a snapshot in place of an earlier one."""
    connection.execute(
        "INSERT OR REPLACE INTO snapshot (arena, seq, code, bytes) VALUES (?, ?, ?, ?)",
        (number, seq, code, state),
    )


_DUEL = tuple(item.name for item in fields(OpenDuel))


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)
