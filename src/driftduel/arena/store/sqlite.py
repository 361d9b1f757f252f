"""SQLite: one file and nothing to set up.

Writers take the lock of the file when they begin, not in the middle, where two would fail. What is
committed is on the disk: synchronous=FULL, as NORMAL loses acknowledged votes when power fails.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from driftduel.arena.store.connection import Connection

PATIENCE = 4.0
"""Seconds to wait for other processes that write: of several that wait, SQLite picks any."""


class SQLite(Connection):
    """A connection to a file.

    Parameters
    ----------
    path : path
        The file, made if there is none.
    patience : float
        Seconds to wait for a process that writes.
    serves : bool
        Whether to let others read while somebody writes, as a server must, from now on.
    """

    dialect = "sqlite"

    def __init__(self, path: Path, patience: float, *, serves: bool = False) -> None:
        self._raw = sqlite3.connect(
            path, timeout=patience, isolation_level=None, check_same_thread=False
        )
        self._closed = False
        pragmas = ["synchronous=FULL", "foreign_keys=ON", *(["journal_mode=WAL"] if serves else [])]
        try:
            for pragma in pragmas:
                self.execute(f"PRAGMA {pragma}")
        except BaseException:
            self.close()
            raise

    def begin(self, *, writing: bool, each: float | None = None) -> None:
        """Begin; who writes has the lock of the file from here on."""
        self._raw.execute("BEGIN IMMEDIATE" if writing else "BEGIN")

    def commit(self) -> None:
        """Write to the disk."""
        self._raw.execute("COMMIT")

    def rollback(self) -> None:
        """Undo, unless SQLite did so itself."""
        if self._raw.in_transaction:
            self._raw.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._closed = True
        self._raw.close()

    @property
    def is_usable(self) -> bool:
        """Whether another transaction may begin."""
        return not self._closed and not self._raw.in_transaction

    def execute(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; return its rows."""
        for name, value in values.items():
            if isinstance(value, list):
                values[name] = json.dumps(value)
        return self._raw.execute(_in_sqlite(statement), values).fetchall()

    def execute_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement once for each of ``rows``."""
        self._raw.executemany(_in_sqlite(statement), rows)


@cache
def _in_sqlite(statement: str) -> str:
    text = statement.replace(" FOR NO KEY UPDATE", "")
    return re.sub(r"= ANY\((:\w+)\)", r"IN (SELECT value FROM json_each(\1))", text)
