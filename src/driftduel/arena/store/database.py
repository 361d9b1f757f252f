"""A database as the service uses it: transactions that read and that write, and what fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

import sqlalchemy as sa

from driftduel.arena.errors import Unavailable
from driftduel.arena.store.schema import prepare
from driftduel.arena.store.urls import engine_of

_OURS = (sa.exc.IntegrityError, sa.exc.ProgrammingError, sa.exc.DataError)
"""What is wrong with a statement, not with the database."""


@dataclass(frozen=True)
class Store:
    """A database that was checked; ``salt`` keeps hashes of voters apart from those elsewhere."""

    engine: sa.Engine
    salt: str

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> Self:
        """Open a database, and make its tables if it is empty.

        Raises
        ------
        ValueError
            If the address is none, or the tables are of a newer program.
        Unavailable
            If the database cannot be reached.
        """
        engine = engine_of(url, create=create)
        try:
            with _writing(engine) as connection:
                return cls(engine, prepare(connection))
        except BaseException as error:
            engine.dispose()
            if isinstance(error.__cause__, sa.exc.DBAPIError):  # who opens it may know why
                reason = str(error.__cause__.orig).strip().partition("\n")[0]
                raise Unavailable(f"{error}: {reason}") from error.__cause__
            raise

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Yield a connection that reads, all of it as of one moment."""
        engine = self.engine
        if engine.dialect.name == "postgresql":  # SQLite knows nothing else
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with _translated(), engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Yield a connection that writes; what it wrote is on the disk when the block ends."""
        with _writing(self.engine) as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


@contextmanager
def _writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    engine = engine.execution_options(writing=True)
    with _translated(), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what a dead, full or locked database raises into `Unavailable`."""
    try:
        yield
    except sa.exc.TimeoutError:
        raise Unavailable("the database is busy, please try again") from None
    except sa.exc.DBAPIError as error:
        if isinstance(error, _OURS):
            raise
        raise Unavailable("the database cannot be reached or cannot write") from error
