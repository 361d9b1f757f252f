"""Put a database that an earlier commit made into SQLite or PostgreSQL, as it was."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COMMITS = ("dcec8a2", "6b0c6a2", "f256c28", "fa3bc65", "c81c04f", "484591a")
"""The commits whose databases are kept, the oldest first."""

OF_THE_LOG = "fa3bc65"
"""The commit whose tables the log of thousands of votes was kept in."""

HEADS = (1, 40, 300, 600, 900, 1_200, 1_500, 1_900, 2_200, 2_500, 3_046)
"""The events of the log after which its answers are kept."""

CLAIMS = ("votes", "best", "since", "before", "enough", "missing", "counted_since",
          "doubt", "level", "first", "last")  # fmt: skip
SIDES = ("left", "right", "neither")
OF_AN_ARM = ("slug", "name", "offered", "score", "low", "high", "probability", "compared")
OF_A_CHANGE = ("before", "after", "around", "noticed", "earliest", "latest")


def expected(commit: str) -> dict[str, Any]:
    """Return what was said of a database, by arena: before migrations if it is older than these."""
    found: dict[str, Any] = json.loads((HERE / "expected.json").read_text())
    return dict(found[commit].get("before_migrations", found[commit]["then"]))


def restore_sqlite(commit: str, path: Path) -> None:
    """Write the database of a commit to a file that is not there yet."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")  # as those commits left their files
        connection.execute("BEGIN")
        for part in _tables(commit, "sqlite"):
            connection.execute(part)
        for table, columns, row in rows(commit):
            names = ", ".join(f'"{name}"' for name in columns)
            marks = ", ".join("?" * len(columns))
            connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', row)
        connection.execute("COMMIT")


def restore_postgres(commit: str, url: str) -> None:
    """Write the database of a commit to one of PostgreSQL that has no tables."""
    import psycopg

    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        for part in _tables(commit, "postgresql"):
            connection.execute(part)
        truths = {"offered", "swapped", "declined"}
        for table, columns, row in rows(commit):
            names = ", ".join(f'"{name}"' for name in columns)
            marks = ", ".join(["%s"] * len(columns))
            values = [
                bool(value) if name in truths and value is not None else value
                for name, value in zip(columns, row, strict=True)
            ]
            connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', values)
        # Arenas have numbers already; the next one must not be given the first again.
        connection.execute("SELECT setval('arena_id_seq', (SELECT max(id) FROM arena))")


def restore_log(path: Path, head: int) -> None:
    """Write the log of thousands of votes up to an event to a file that is not there yet.

    Arms and generation are those that the events give.
    """
    found = list(rows("log"))
    arms: dict[int, list[Any]] = {}
    generation = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN")
        for part in _tables(OF_THE_LOG, "sqlite"):
            connection.execute(part)
        facts = [("schema", "1"), ("salt", "00" * 32)]
        connection.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", facts)
        for table, columns, row in found:
            one = dict(zip(columns, row, strict=True))
            if table == "event" and one["seq"] > head:
                continue
            if table == "event" and one["kind"] == "arms":
                body = json.loads(one["body"])
                generation = body["generation"]
                arms.update((number, [number, *rest]) for number, *rest in body["arms"])
            names = ", ".join(f'"{name}"' for name in columns)
            marks = ", ".join("?" * len(columns))
            connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', row)
        connection.executemany("INSERT INTO arm VALUES (1, ?, ?, ?, ?)", list(arms.values()))
        connection.execute("UPDATE arena SET head = ?, generation = ?", (head, generation))
        connection.execute("COMMIT")


def use_rules(path: Path, rules: int) -> None:
    """Bring the tables of a file up to date, and let its arena have these rules."""
    from driftduel.arena.store.database import Store

    Store.open(f"sqlite:{path}").close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE arena SET rules = ?", (rules,))


def answers_of(status: Any) -> dict[str, Any]:
    """Return what a status claims, without its words; times in microseconds, options by name.

    In which order rivals are listed is no claim, nor is anything that is said before any vote.
    """
    claimed = getattr(status, "standing", status)  # until fa3bc65 the claims were the status's own
    names = [one.name for one in status.arms]

    def plain(name: str, claim: Any) -> Any:
        if name in ("best", "before", "after") and isinstance(claim, int):
            return names[claim]
        return getattr(claim, "value", claim)

    def facts(source: Any, wanted: tuple[str, ...]) -> dict[str, Any]:
        return {name: plain(name, getattr(source, name)) for name in wanted}

    return {
        **facts(claimed, CLAIMS),
        **facts(status, SIDES),
        "decided": bool(claimed.decided),
        "rivals": sorted(plain("best", one) for one in claimed.rivals) if claimed.votes else [],
        "changes": [facts(one, OF_A_CHANGE) for one in claimed.changes],
        "arms": [facts(one, OF_AN_ARM) for one in status.arms],
    }


def rows(commit: str) -> Iterator[tuple[str, list[str], list[Any]]]:
    """Yield every row of a database with its table and columns; parents come before children."""
    table, columns = "", [""]
    with gzip.open(HERE / f"{commit}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            found = json.loads(line)
            if isinstance(found, dict):
                table, columns = found["table"], found["columns"]
                continue
            row = [b64decode(one["bytes"]) if isinstance(one, dict) else one for one in found]
            yield table, columns, row


def _tables(commit: str, dialect: str) -> list[str]:
    text = (HERE / f"{commit}.{dialect}.sql").read_text()
    return [part for part in re.split(r";\n", text) if part.strip()]
