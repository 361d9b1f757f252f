"""PostgreSQL: several machines on one database.

Read committed is enough: who appends events holds the lock of the row of their arena meanwhile.
"""

from __future__ import annotations

import sqlalchemy as sa


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
        connect_args={"connect_timeout": 5, "options": "-c synchronous_commit=on"},
    )
