"""Who voted how and when, summed up by the database."""

from __future__ import annotations

from typing import Any

from driftduel.arena.model import DAY
from driftduel.arena.store.connection import Connection
from driftduel.arena.store.statements import BETWEEN


def by_voter(
    connection: Connection, number: int, after: int, until: int, quick: int, *, taken_back: bool
) -> list[tuple[Any, ...]]:
    """Return by voter when it was last seen, votes, left, right, quick ones, over the cap, skips.

    Of the events between two seqs, or of those that events between them took back.
    """
    where = _TAKEN_BACK if taken_back else BETWEEN
    # Grouped by an expression: by the column SQLite would read all events, as an index has that
    # order.
    query = (
        f"SELECT voter || '', max(at), {_SUMS} FROM event "
        f"WHERE {where} AND kind IN ('vote', 'skip') GROUP BY 1"
    )
    return connection.execute(query, number=number, low=after, high=until, quick=quick)


def by_day(
    connection: Connection, number: int, after: int, until: int, *, taken_back: bool
) -> list[tuple[Any, ...]]:
    """Return by day votes and skips, with votes that were imported; events as `by_voter`."""
    where = _TAKEN_BACK if taken_back else BETWEEN
    query = (
        f"SELECT at - at % {DAY}, {_VOTES}, {_SKIPS} FROM event "
        f"WHERE {where} AND kind IN ('vote', 'skip', 'import') GROUP BY 1"
    )
    return connection.execute(query, number=number, low=after, high=until)


def forgot(connection: Connection, number: int, after: int, until: int) -> bool:
    """Tell whether a voter was forgotten between two seqs, so that voters have other names."""
    query = f"SELECT 1 FROM event WHERE {BETWEEN} AND kind = 'forget' LIMIT 1"
    return connection.scalar(query, number=number, low=after, high=until) is not None


def _sum(condition: str) -> str:
    return f"sum(CASE WHEN {condition} THEN 1 ELSE 0 END)"


_VOTES, _SKIPS = _sum("kind <> 'skip'"), _sum("kind = 'skip'")
_TAKEN_BACK = (
    f"arena = :number AND seq IN (SELECT target FROM event WHERE {BETWEEN} AND kind = 'retract')"
)
_SUMS = ", ".join(
    map(
        _sum,
        (
            "kind = 'vote'",
            "kind = 'vote' AND verdict = 'left'",
            "kind = 'vote' AND verdict = 'right'",
            "kind = 'vote' AND at - asked_at < :quick",
            "kind = 'vote' AND reason = 'cap'",
            "kind = 'skip'",
        ),
    )
)
