"""What no log may hold: the questions of `driftduel.arena.service.verify`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import get_args

from driftduel.arena.model import DAY, Arena, Kind, Role, Verdict
from driftduel.arena.store.chain import first_hash, next_hash
from driftduel.arena.store.connection import Connection
from driftduel.arena.store.statements import BETWEEN, NOT_TAKEN_BACK, events, imports_of, ranges

_REASONS = ("again", "cap", "excluded", "history")
"""Why a vote that is in the log may not count, besides what later events say."""


def damage_of(connection: Connection) -> str | None:
    """Return what the database itself finds wrong with its file, None if that is nothing.

    PostgreSQL keeps its own checksums, and raises an error where one is wrong.
    """
    if connection.dialect == "postgresql":
        return None
    ((found,),) = connection.execute("PRAGMA integrity_check(1)")
    if found != "ok":
        return str(found)
    for table, *_ in connection.execute("PRAGMA foreign_key_check"):
        return f"a row of {table} belongs to nothing"
    return None


def wrong_row(connection: Connection) -> tuple[str, str] | None:
    """Return a table that has a row which cannot be, beside those of events, and what is wrong."""
    for table, condition, what in _ROWS:
        if connection.scalar(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1") is not None:
            return table, what
    return None


def wrong_image(connection: Connection) -> str | None:
    """Return the hash of an image that has another, None if there is none."""
    for (name,) in connection.execute("SELECT sha256 FROM blob ORDER BY sha256"):
        image = connection.scalar("SELECT bytes FROM blob WHERE sha256 = :name", name=name)
        if not isinstance(image, bytes) or hashlib.sha256(image).hexdigest() != name:
            return str(name)
    return None


def hashes_of(connection: Connection, arena: Arena) -> Iterator[tuple[int, str]]:
    """Yield the number of each event of an arena and the hash up to it, in order, 0 before all."""
    last = first_hash(arena.slug, arena.seed, arena.created_at)
    yield 0, last
    for low, high in ranges(0, arena.head):
        for event in events(connection, arena.id, low, high):
            last = next_hash(last, event._asdict())
            yield event.seq, last


def ends(connection: Connection, number: int) -> tuple[int, int, int]:
    """Return how many events an arena has, the first and the last; 0 if there is none."""
    query = (
        "SELECT count(*), coalesce(min(seq), 0), coalesce(max(seq), 0) FROM event "
        "WHERE arena = :number"
    )
    ((n, first, last),) = connection.execute(query, number=number)
    return n, first, last


def is_open_and_answered(connection: Connection, number: int) -> bool:
    """Tell whether a duel is open that was answered."""
    query = (
        "SELECT 1 FROM event JOIN duel ON duel.id = event.duel WHERE event.arena = :number LIMIT 1"
    )
    return connection.scalar(query, number=number) is not None


def first_wrong(connection: Connection, arena: Arena) -> tuple[int, str] | None:
    """Return an event that cannot be, and why, as of the first thing that is wrong with any."""
    firsts = ", ".join(f"min(CASE WHEN {condition} THEN seq END)" for condition in _WRONG)
    query = f"SELECT {firsts} FROM event WHERE arena = :number"
    (row,) = connection.execute(query, number=arena.id, generation=arena.generation)
    for seq, what in zip(row, _WRONG.values(), strict=True):
        if seq is not None:
            return seq, what
    return None


def first_without_target(connection: Connection, number: int) -> int | None:
    """Return the first event that takes back what is no vote."""
    query = (
        "SELECT min(event.seq) FROM event LEFT JOIN event AS target ON target.arena = event.arena "
        "AND target.seq = event.target AND target.kind IN ('vote', 'skip') "
        "WHERE event.arena = :number AND event.kind = 'retract' AND target.seq IS NULL"
    )
    found: int | None = connection.scalar(query, number=number)
    return found


def first_withdrawn_wrongly(connection: Connection, number: int, head: int) -> int | None:
    """Return the first event that takes back what is no import."""
    query = f"SELECT count(*) FROM event WHERE {BETWEEN} AND kind = 'import'"
    for seq, kind, body in imports_of(connection, number, 0, head):
        for low, high in body["ranges"] if kind == "withdraw" else ():
            n = connection.scalar(query, number=number, low=low - 1, high=high)
            if n != high - low + 1 or high >= seq:
                return seq
    return None


def is_over_the_cap(connection: Connection, number: int, cap: int) -> bool:
    """Tell whether more votes of a voter count on a day than may."""
    query = (
        "SELECT 1 FROM event WHERE arena = :number AND kind = 'vote' AND reason IS NULL "
        f"AND {NOT_TAKEN_BACK} GROUP BY voter, at / {DAY} HAVING count(*) > :cap LIMIT 1"
    )
    return connection.scalar(query, number=number, cap=cap) is not None


def _one_of(words: Iterable[str]) -> str:
    return f"({', '.join(repr(word) for word in words)})"


def _lacks(*columns: str) -> str:
    missing = [f'"{column}" IS NULL' for column in columns]
    return f"({' OR '.join(missing)})"


_NO_ARM = (
    "NOT EXISTS (SELECT 1 FROM arm WHERE arm.arena = {table}.arena AND arm.id = {table}.{column})"
)
_ROWS = (
    ("meta", f"{_lacks('value')} OR value = ''", "has nothing under a key"),
    ("arena", "status NOT IN ('open', 'closed') OR head < 0", "is neither open nor closed"),
    ("access", f"role NOT IN {_one_of(get_args(Role))}", "has a role that is none"),
    ("access", "length(hash) <> 64", "has a hash of a token that is none"),
    ("arm", "name = '' OR slug = ''", "has no name"),
    ("card", _NO_ARM.format(table="card", column="arm"), "is of an arm that never was"),
    ("card", "kind NOT IN ('text', 'markdown', 'image')", "is of a kind that is not known"),
    ("card", "(kind = 'image') <> (blob IS NOT NULL)", "has no image, or one that it may not have"),
    ("blob", "type NOT LIKE 'image/%'", "has a type that is none of an image"),
    *(
        (table, _NO_ARM.format(table=table, column=f'"{side}"'), "shows an arm that never was")
        for table in ("duel", "shown")
        for side in ("left", "right")
    ),
    ("duel", '"left" = "right"', "shows an arm against itself"),
    ("duel", _lacks("voter", "left", "right", "swapped", "ticket", "asked_at"), "lacks something"),
    ("shown", '"left" = "right" OR n < 1', "counts what cannot have been shown"),
)
"""Tables, what holds of no row of theirs, and how that is said."""

_VOTED = "kind IN ('vote', 'skip')"
_TOLD = "kind IN ('vote', 'skip', 'import')"
_WRONG = {
    f"kind NOT IN {_one_of(get_args(Kind))}": "is of a kind that is not known",
    f"{_VOTED} AND {_lacks('duel', 'voter', 'ticket', 'asked_at')}": (
        "lacks its duel, voter, ticket or the time of asking"
    ),
    f"{_TOLD} AND {_lacks('left', 'right', 'verdict', 'swapped')}": "lacks its arms or verdict",
    '"left" = "right"': "shows an arm against itself",
    f"{_TOLD} AND verdict NOT IN {_one_of(get_args(Verdict))}": "has a verdict that is none",
    f"{_TOLD} AND (kind = 'skip') <> (verdict = 'skip')": "is a skip and is not",
    f"reason NOT IN {_one_of(_REASONS)}": "does not count for a reason that is not known",
    "NOT (propensity > 0.0 AND propensity <= 1.0)": "has a propensity that is no chance",
    f"{_VOTED} AND NOT generation BETWEEN 1 AND :generation": "is of arms that never were",
}
"""Conditions that hold of no event, and how that is said; Python's texts are SQL's here."""
