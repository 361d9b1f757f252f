"""A database as the service uses it: transactions that read and that write, and what fails."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from driftduel.arena.errors import Unavailable
from driftduel.arena.store import statements
from driftduel.arena.store.connection import LONG, Connection, IntegrityError
from driftduel.arena.store.migrations import SCHEMA, checked, migrate
from driftduel.arena.store.pool import Pool
from driftduel.arena.store.urls import database_of


@dataclass(frozen=True)
class Store:
    """A database that was checked; ``salt`` keeps hashes of voters apart from those elsewhere.

    ``errors`` is the module of its driver.
    """

    pool: Pool
    errors: Any
    salt: str

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> Self:
        """Open a database, and make its tables if it is empty, or new ones of older ones.

        Raises
        ------
        ValueError
            If the address is none, or the tables are of a newer program.
        Unavailable
            If the database cannot be reached.
        """
        connect, errors = database_of(url, create=create)
        pool = Pool(connect)
        try:
            with _translated(errors), pool.transaction(writing=True, each=LONG) as connection:
                return cls(pool, errors, prepare(connection))
        except BaseException as error:
            pool.close()
            if isinstance(error.__cause__, errors.Error):  # who opens it may know why
                reason = str(error.__cause__).strip().partition("\n")[0]
                raise Unavailable(f"{error}: {reason}") from error.__cause__
            raise

    @contextmanager
    def reading(self, *, each: float | None = None) -> Iterator[Connection]:
        """Yield a connection that reads, all of it as of one moment.

        ``each`` is as `driftduel.arena.store.connection.Connection.begin` has it: without it, all
        is to be read within seconds.
        """
        transaction = self.pool.transaction(writing=False, each=each)
        with _translated(self.errors), transaction as connection:
            yield connection

    @contextmanager
    def writing(self, *, each: float | None = None) -> Iterator[Connection]:
        """Yield a connection that writes; what it wrote is on the disk when the block ends."""
        transaction = self.pool.transaction(writing=True, each=each)
        with _translated(self.errors), transaction as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self.pool.close()


def prepare(connection: Connection) -> str:
    """Make the tables, or bring older ones up to date, in a transaction; return the salt.

    Raises
    ------
    ValueError
        If the tables are of a newer program.
    """
    if connection.dialect == "postgresql":  # two processes may begin at once
        connection.execute("SELECT pg_advisory_xact_lock(7305441209)")
    if not statements.has_tables(connection):
        migrate(connection.execute, connection.dialect, 0)
        statements.set_meta(connection, "salt", secrets.token_hex(32))
    found = statements.meta(connection)
    try:
        version = checked(found["schema"])
    except ValueError as error:
        raise ValueError(f"the database {error}") from None
    if version < SCHEMA:
        migrate(connection.execute, connection.dialect, version)
    return found["salt"]


@contextmanager
def _translated(errors: Any) -> Iterator[None]:
    """Turn what a dead, full or locked database raises into `Unavailable`."""
    try:
        yield
    except errors.IntegrityError as error:
        raise IntegrityError(str(error)) from error
    except (errors.ProgrammingError, errors.DataError):  # the statement is wrong
        raise
    except errors.Error as error:
        raise Unavailable("the database cannot be reached or cannot write") from error
