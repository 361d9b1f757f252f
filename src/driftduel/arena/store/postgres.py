"""PostgreSQL: several machines on one database.

Writers need no more than read committed: who appends events holds the lock of the row of their
arena meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.string import TextLoader

from driftduel.arena.store.connection import Connection

_PATIENCE = 15.0
"""Seconds to wait for another process that holds a lock."""

_IDLE = 60.0
"""Seconds after which a process that stopped in the middle of something loses its locks."""

_CONNECT = 5
"""Seconds to wait for a server that does not answer."""


class Postgres(Connection):
    """A connection to a server, by its postgresql:// URL."""

    dialect = "postgresql"

    def __init__(self, url: str) -> None:
        # Transactions begin where `begin` says; psycopg would begin one before each statement.
        self._raw = psycopg.connect(
            url, autocommit=True, connect_timeout=_CONNECT, options=_options()
        )
        self._raw.adapters.register_loader("json", TextLoader)  # as SQLite gives it
        self._cursor = self._raw.cursor()

    def begin(self, *, writing: bool) -> None:
        """Begin; who reads sees all as of the first statement."""
        level = "READ COMMITTED" if writing else "REPEATABLE READ"
        self._cursor.execute(f"BEGIN ISOLATION LEVEL {level}")

    def commit(self) -> None:
        """Return when the server has it on its disk."""
        self._cursor.execute("COMMIT")

    def rollback(self) -> None:
        """Undo, unless the connection was lost."""
        if not self._raw.closed and not self.is_usable:
            self._cursor.execute("ROLLBACK")

    def close(self) -> None:
        """Hang up."""
        self._raw.close()

    @property
    def is_usable(self) -> bool:
        """Whether another transaction may begin."""
        return self._raw.info.transaction_status == TransactionStatus.IDLE

    def execute(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; return its rows."""
        self._cursor.execute(_in_postgres(statement), values)
        return self._cursor.fetchall() if self._cursor.description else []

    def execute_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement once for each of ``rows``, without waiting in between."""
        self._cursor.executemany(_in_postgres(statement), rows)


def check_url(url: str) -> None:
    """Raise ValueError if an address cannot be one of a database."""
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ValueError("the address of the database is not a postgresql:// URL") from None


def _options() -> str:
    """Return the settings of a session."""
    settings = {
        "synchronous_commit": "on",
        "lock_timeout": f"{1e3 * _PATIENCE:.0f}",
        "idle_in_transaction_session_timeout": f"{1e3 * _IDLE:.0f}",
    }
    return " ".join(f"-c {name}={value}" for name, value in settings.items())


@cache
def _in_postgres(statement: str) -> bytes:
    return re.sub(r":(\w+)", r"%(\1)s", statement.replace("%", "%%")).encode()
