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
COMMITS = ("dcec8a2", "6b0c6a2", "f256c28", "fa3bc65")
"""The commits whose databases are kept, the oldest first."""


def expected(commit: str) -> dict[str, Any]:
    """Return what was said of a database before there were migrations, by arena."""
    found: dict[str, Any] = json.loads((HERE / "expected.json").read_text())
    return dict(found[commit]["before_migrations"])


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
        truths = {"offered", "swapped"}
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
