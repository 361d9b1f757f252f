"""PostgreSQL: several machines on one database.

Writers need no more than read committed: who appends events holds the lock of the row of their
arena meanwhile.
"""

from __future__ import annotations

import sqlalchemy as sa

_PATIENCE = 15.0
"""Seconds to wait for another process that holds a lock."""

_IDLE = 60.0
"""Seconds after which a process that stopped in the middle of something loses its locks."""


def postgres_engine(url: str) -> sa.Engine:
    """Return the engine of a database, by its postgresql:// URL."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise ValueError(
            "PostgreSQL needs the extra: pip install 'driftduel[arena,postgres]'"
        ) from None
    try:
        parsed = sa.make_url(url).set(drivername="postgresql+psycopg")
    except sa.exc.ArgumentError:
        raise ValueError("the address of the database is not a postgresql:// URL") from None
    return sa.create_engine(
        parsed,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,  # a server that was restarted is found again
        pool_size=8,
        max_overflow=40,
        connect_args={"connect_timeout": 5, "options": _options()},
    )


def _options() -> str:
    """Return the settings of a session."""
    settings = {
        "synchronous_commit": "on",
        "lock_timeout": f"{1e3 * _PATIENCE:.0f}",
        "idle_in_transaction_session_timeout": f"{1e3 * _IDLE:.0f}",
    }
    return " ".join(f"-c {name}={value}" for name, value in settings.items())
