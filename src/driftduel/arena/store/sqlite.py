"""SQLite: one file and nothing to set up.

Writers take the lock of the file when they begin, not in the middle, where two would fail. What is
committed is on the disk: synchronous=FULL, as NORMAL loses acknowledged votes when power fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

_PATIENCE = 15.0
"""Seconds to wait for other processes that write: of several that wait, SQLite picks any."""


def sqlite_engine(path: Path) -> sa.Engine:
    """Return the engine of a file."""
    engine = sa.create_engine(
        sa.URL.create("sqlite+pysqlite", database=str(path)),
        connect_args={"timeout": _PATIENCE},
        pool_size=8,
        max_overflow=40,
    )
    sa.event.listen(engine, "connect", _set_up)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin` says
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: sa.Connection) -> None:
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
