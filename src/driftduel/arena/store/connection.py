"""What statements run on: a connection to either database.

Statements are written once, for PostgreSQL, with parameters as in ``:name``. Where SQLite has other
words they are replaced when a statement is first used: ``= ANY(:names)``, which takes a list, and
``FOR NO KEY UPDATE``, as SQLite locks the whole file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from driftduel.arena.store.migrations import Dialect

PATIENCE = 4.5
"""Seconds in which a database does what somebody waits for, or is said to be away."""

SLOW = 30.0
"""Seconds for one statement that reads much, or is rare."""

LONG = 600.0
"""Seconds for one statement that reads or writes very much."""


class IntegrityError(Exception):
    """What was written breaks a constraint: most often another process was quicker."""


class Connection(ABC):
    """A connection, for one thread at a time."""

    dialect: ClassVar[Dialect]
    made_at = 0.0
    """When it was made, by the clock of who keeps it."""

    @abstractmethod
    def begin(self, *, writing: bool, each: float | None = None) -> None:
        """Begin a transaction; one that only reads sees all as of one moment.

        The whole of it is to take `PATIENCE` at most or, with ``each``, every statement so many
        seconds; a database that says nothing for longer is away.
        """

    @abstractmethod
    def commit(self) -> None:
        """End the transaction; what it wrote is on the disk when this returns."""

    @abstractmethod
    def rollback(self) -> None:
        """Undo the transaction, if there is one."""

    @abstractmethod
    def close(self) -> None:
        """Give the connection up."""

    @property
    @abstractmethod
    def is_usable(self) -> bool:
        """Whether another transaction may begin; False if the connection was lost."""

    @abstractmethod
    def execute(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; return its rows."""

    @abstractmethod
    def execute_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement that gives no rows, once for each of ``rows``."""

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep rows of a table; who needs no answer may be told of an error as late as `commit`."""
        self.execute_many(insert_into(table, columns), rows)

    def send(self, statement: str, **values: Any) -> None:
        """Run a statement of which no answer is needed, as late as with `commit`."""
        self.execute(statement, **values)

    def execute_together(
        self, *statements: tuple[str, Mapping[str, Any]]
    ) -> list[list[tuple[Any, ...]]]:
        """Run statements, one after the other but sent at once; return the rows of each."""
        return [self.execute(statement, **values) for statement, values in statements]

    def scalar(self, statement: str, **values: Any) -> Any:
        """Run a statement; return the first value of its first row, None if there is no row."""
        rows = self.execute(statement, **values)
        return rows[0][0] if rows else None


def names_of(columns: Iterable[str]) -> str:
    """Return columns as they are selected: left and right are words of SQL."""
    return ", ".join(f'"{column}"' for column in columns)


def insert_into(table: str, columns: Sequence[str]) -> str:
    """Return the statement that keeps a row of a table."""
    values = ", ".join(f":{column}" for column in columns)
    return f"INSERT INTO {table} ({names_of(columns)}) VALUES ({values})"
