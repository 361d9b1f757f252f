"""Statements about single voters: who is invited, what one did, and the end of what is theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from driftduel.arena.model import Event
from driftduel.arena.store.connection import Connection, insert_into, names_of
from driftduel.arena.store.statements import NOT_TAKEN_BACK


def insert_invitations(
    connection: Connection, number: int, invited: Iterable[tuple[str, str]], at: int
) -> None:
    """Keep invitations: the hash of each voter, and a name."""
    rows = [{"arena": number, "voter": who, "label": label, "at": at} for who, label in invited]
    if rows:
        connection.execute_many(insert_into("invitation", list(rows[0])), rows)


def count_invitations(connection: Connection, number: int) -> int:
    """Return how many are invited to an arena."""
    query = "SELECT count(*) FROM invitation WHERE arena = :number"
    return int(connection.scalar(query, number=number))


def invited_as(connection: Connection, number: int, voters: Sequence[str]) -> dict[str, str]:
    """Return the names by which those of some voters are invited that are."""
    query = "SELECT voter, label FROM invitation WHERE arena = :number AND voter = ANY(:voters)"
    return dict(connection.execute(query, number=number, voters=[*voters]))


def forget_invitation(connection: Connection, number: int, voter: str) -> None:
    """Take an invitation back."""
    query = "DELETE FROM invitation WHERE arena = :number AND voter = :voter"
    connection.execute(query, number=number, voter=voter)


def forget_suggestions(connection: Connection, number: int, voter: str, name: str) -> None:
    """Cut the link from a voter to what it suggested."""
    query = "UPDATE suggestion SET voter = :name WHERE arena = :number AND voter = :voter"
    connection.execute(query, number=number, voter=voter, name=name)


def favourites_of(
    connection: Connection, number: int, voters: Sequence[str]
) -> dict[str, tuple[int, int, int]]:
    """Return for each voter the arm that it chose most often: how often, of how many times shown.

    As many times as it was shown to that voter and one of the two was chosen.
    """
    chosen: dict[str, dict[int, list[int]]] = {}
    for who, left, right, verdict, n in connection.execute(
        _CHOSEN, number=number, voters=[*voters]
    ):
        mine = chosen.setdefault(who, {})
        for arm, side in ((left, "left"), (right, "right")):
            counts = mine.setdefault(arm, [0, 0])
            counts[0] += int(n) if verdict == side else 0
            counts[1] += int(n)
    found = {}
    for who, mine in chosen.items():
        arm = max(mine, key=lambda one: (mine[one][0], mine[one][0] / mine[one][1], -one))
        if mine[arm][0]:
            found[who] = (arm, *mine[arm])
    return found  # type: ignore[return-value]


_CHOSEN = (
    'SELECT voter, "left", "right", verdict, count(*) FROM event '
    "WHERE arena = :number AND voter = ANY(:voters) AND kind = 'vote' "
    f"AND verdict IN ('left', 'right') AND {NOT_TAKEN_BACK} GROUP BY 1, 2, 3, 4"
)


def answers_of(connection: Connection, number: int, voter: str) -> list[Event]:
    """Return the votes and skips of a voter, in order."""
    rows = connection.execute(_ANSWERS, number=number, voter=voter)
    return sorted(map(Event._make, rows), key=lambda event: event.seq)


_ANSWERS = (
    f"SELECT {names_of(Event._fields)} FROM event "
    "WHERE arena = :number AND voter = :voter AND kind IN ('vote', 'skip')"
)


def pairs_that_count(
    connection: Connection, number: int, voters: Iterable[str]
) -> set[tuple[str, int, int]]:
    """Return voter and pair, the lower number first, of votes that count of some voters."""
    rows = connection.execute(_COUNTED, number=number, voters=sorted(set(voters)))
    return {(who, min(left, right), max(left, right)) for who, left, right in rows}


_COUNTED = (
    'SELECT DISTINCT voter, "left", "right" FROM event WHERE arena = :number '
    f"AND voter = ANY(:voters) AND kind = 'vote' AND reason IS NULL AND {NOT_TAKEN_BACK}"
)


def is_known(connection: Connection, number: int, voter: str) -> bool:
    """Tell whether there is anything of a voter in the log."""
    query = "SELECT 1 FROM event WHERE arena = :number AND voter = :voter LIMIT 1"
    return connection.scalar(query, number=number, voter=voter) is not None


def key_of(row: dict[str, Any]) -> tuple[str, int, int]:
    """Return voter and pair of a vote, as `pairs_that_count` has them."""
    left, right = row["left"], row["right"]
    return row["voter"], min(left, right), max(left, right)
