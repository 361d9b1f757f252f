"""PostgreSQL: several machines on one database.

Writers need no more than read committed: who appends events holds the lock of the row of their
arena meanwhile.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from math import inf
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.string import TextLoader

from driftduel.arena.store.connection import LONG, PATIENCE, Connection, names_of

_PATIENCE = 4.0
"""Seconds to wait for another process that holds a lock."""

_IDLE, _LONG_IDLE = 5.0, 60.0
"""Seconds after which a process that stopped in the middle of something loses its locks: of what
is done while others wait, and of what is rare and long."""

_CONNECT = 2
"""Seconds to wait for a server that does not answer."""

_FIRST = 1.5
"""Seconds to wait for the first word on a connection that was kept; then another is made."""

_ALIVE: dict[str, Any] = {
    "tcp_user_timeout": 5_000,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}
"""Milliseconds and seconds by which the system notices that nobody is there any more."""


class _Raw(psycopg.Connection[Any]):
    """A connection that is given up if the server says nothing for too long.

    The system cannot see that: whatever stands between may take in what is sent and drop it.
    """

    until = inf

    def wait(self, gen: Any, *words: Any, **more: Any) -> Any:
        """Wait for what is under way."""
        return super().wait(self._limited(gen), *words, **more)

    def _limited(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Do what a generator does, which is asked ten times a second while nothing comes."""
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > self.until:
                    self.close()
                    raise psycopg.OperationalError("the server said nothing for too long")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value


class Postgres(Connection):
    """A connection to a server, by its postgresql:// URL."""

    dialect = "postgresql"

    def __init__(self, url: str) -> None:
        # Transactions begin where `begin` says; psycopg would begin one before each statement.
        said = psycopg.conninfo.conninfo_to_dict(url)
        self._raw = _Raw.connect(
            url,
            autocommit=True,
            connect_timeout=_CONNECT,
            options=_options(),
            **{name: value for name, value in _ALIVE.items() if name not in said},
        )
        self._until: float | None = None
        self._each = LONG
        self._raw.adapters.register_loader("json", TextLoader)  # as SQLite gives it
        self._cursor = self._raw.cursor()
        self._queued: list[tuple[bytes, Mapping[str, Any]]] = []

    def begin(self, *, writing: bool, each: float | None = None) -> None:
        """Begin; who reads sees all as of the first statement."""
        now = time.monotonic()
        level = "READ COMMITTED" if writing else "REPEATABLE READ"
        idle = _IDLE if writing and each is None else _LONG_IDLE
        limits = {
            "statement_timeout": PATIENCE if each is None else each,
            "idle_in_transaction_session_timeout": idle,
        }
        words = [f"SET LOCAL {name} = {1e3 * value:.0f}" for name, value in limits.items()]
        self._queued.clear()
        self._raw.until = now + _FIRST
        self._cursor.execute("; ".join([f"BEGIN ISOLATION LEVEL {level}", *words]).encode())
        self._until = now + PATIENCE if each is None else None
        self._each = LONG if each is None else each

    def commit(self) -> None:
        """Return when the server has it on its disk."""
        self._run((b"COMMIT", {}))

    def rollback(self) -> None:
        """Undo, unless the connection was lost."""
        self._queued.clear()
        if not self._raw.closed and not self.is_usable:
            self._limit()
            # It forgets prepared statements too: of statements sent together those after one that
            # failed were never prepared, which psycopg does not notice.
            self._raw.rollback()

    def close(self) -> None:
        """Hang up."""
        self._raw.close()

    @property
    def is_usable(self) -> bool:
        """Whether another transaction may begin."""
        return self._raw.info.transaction_status == TransactionStatus.IDLE

    def execute(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; return its rows."""
        return self._run((_in_postgres(statement), values))[0]

    def execute_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement once for each of ``rows``, without waiting in between."""
        self._run()
        self._limit()
        self._cursor.executemany(_in_postgres(statement), rows)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep rows of a table by one statement, which takes a quarter of the time of many."""
        self.send(_insert(table, tuple(columns)), rows=_as_json(rows))

    def send(self, statement: str, **values: Any) -> None:
        """Run a statement together with the next one, or with `commit`."""
        self._queued.append((_in_postgres(statement), values))

    def execute_together(
        self, *statements: tuple[str, Mapping[str, Any]]
    ) -> list[list[tuple[Any, ...]]]:
        """Send statements at once; return the rows of each."""
        return self._run(*((_in_postgres(text), values) for text, values in statements))

    def _run(self, *wanted: tuple[bytes, Mapping[str, Any]]) -> list[list[tuple[Any, ...]]]:
        """Run what is queued and then some statements; return the rows of these."""
        queued, self._queued = self._queued, []
        self._limit()
        if not queued and len(wanted) == 1:
            self._cursor.execute(*wanted[0])
            return [_rows(self._cursor)]
        done = []
        if queued or wanted:
            with self._raw.pipeline():
                done = [self._raw.cursor().execute(*one) for one in (*queued, *wanted)]
        return [_rows(one) for one in done[len(queued) :]]

    def _limit(self) -> None:
        """Say how long the next statement may take."""
        self._raw.until = self._until or time.monotonic() + self._each


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
    }
    return " ".join(f"-c {name}={value}" for name, value in settings.items())


def _rows(cursor: psycopg.Cursor[Any]) -> list[tuple[Any, ...]]:
    return cursor.fetchall() if cursor.description else []


@cache
def _insert(table: str, columns: tuple[str, ...]) -> str:
    names = names_of(columns)
    rows = f"json_populate_recordset(CAST(NULL AS {table}), CAST(:rows AS json))"
    return f"INSERT INTO {table} ({names}) SELECT {names} FROM {rows}"


def _as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as an array of objects; bytes are spelled as the server reads them."""
    return _encode([{key: one for key, one in row.items() if one is not None} for row in rows])


_encode = json.JSONEncoder(
    default=lambda one: f"\\x{bytes(one).hex()}", check_circular=False
).encode


@cache
def _in_postgres(statement: str) -> bytes:
    return re.sub(r":(\w+)", r"%(\1)s", statement.replace("%", "%%")).encode()
