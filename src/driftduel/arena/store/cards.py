"""What is asked of the database about cards and their images, each question once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from driftduel.arena.model import Card
from driftduel.arena.store.connection import Connection, insert_into


def contexts_of(connection: Connection, number: int) -> dict[int, frozenset[str]]:
    """Return in which contexts each arm has a card."""
    found: dict[int, set[str]] = {}
    query = "SELECT arm, context FROM card WHERE arena = :number"
    for arm, context in connection.execute(query, number=number):
        found.setdefault(arm, set()).add(context)
    return {arm: frozenset(contexts) for arm, contexts in found.items()}


def cards_of(connection: Connection, number: int) -> list[tuple[int, str, Card]]:
    """Return the cards of an arena with their arms and contexts, in that order."""
    rows = connection.execute(
        "SELECT arm, context, kind, body, blob, html FROM card WHERE arena = :number "
        "ORDER BY arm, context",
        number=number,
    )
    return [(arm, context, Card(*card)) for arm, context, *card in rows]


def count_cards(connection: Connection, number: int) -> int:
    """Return how many cards an arena has."""
    query = "SELECT count(*) FROM card WHERE arena = :number"
    return int(connection.scalar(query, number=number))


def cards_in(connection: Connection, number: int, places: Mapping[int, str]) -> dict[int, Card]:
    """Return the cards of arms, each in a context, as far as there are any."""
    query = (
        "SELECT kind, body, blob, html FROM card "
        "WHERE arena = :number AND arm = :arm AND context = :context"
    )
    found = {}
    for arm, context in places.items():
        for card in connection.execute(query, number=number, arm=arm, context=context):
            found[arm] = Card(*card)
    return found


def set_card(
    connection: Connection, number: int, arm: int, context: str, card: Card | None
) -> None:
    """Keep the card of an arm in a context in place of an earlier one; None takes it away.

    An image that no card shows any more goes with it.
    """
    key = {"arena": number, "arm": arm, "context": context}
    gone = connection.execute(
        "DELETE FROM card WHERE arena = :arena AND arm = :arm AND context = :context "
        "RETURNING blob",
        **key,
    )
    if card is not None:
        row = {**key, **vars(card)}
        connection.execute(insert_into("card", list(row)), **row)
    drop_blobs(connection, [sha256 for (sha256,) in gone if sha256 is not None])


def drop_blobs(connection: Connection, hashes: Iterable[str]) -> None:
    """Delete those of some images that no card and no logo shows any more."""
    for sha256 in hashes:
        logo = "SELECT 1 FROM arena WHERE CAST(settings AS TEXT) LIKE :logo"
        connection.execute(
            "DELETE FROM blob WHERE sha256 = :sha256 "
            "AND NOT EXISTS (SELECT 1 FROM card WHERE card.blob = blob.sha256) "
            f"AND NOT EXISTS ({logo})",
            sha256=sha256,
            logo=f"%{sha256}%",
        )


def insert_cards(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Keep cards where there are none."""
    if rows:
        connection.execute_many(insert_into("card", list(rows[0])), rows)


def keep_blobs(connection: Connection, images: Iterable[tuple[Any, str, bytes]]) -> None:
    """Keep images, each with its hash and type, unless they are known."""
    rows = [dict(zip(("sha256", "type", "bytes"), one, strict=True)) for one in images]
    if rows:
        kept = f"{insert_into('blob', list(rows[0]))} ON CONFLICT (sha256) DO NOTHING"
        connection.execute_many(kept, rows)


def has_blob(connection: Connection, sha256: str) -> bool:
    """Tell whether there is an image with a hash."""
    query = "SELECT 1 FROM blob WHERE sha256 = :sha256"
    return connection.scalar(query, sha256=sha256) is not None


def blob_of(connection: Connection, sha256: str) -> tuple[str, bytes] | None:
    """Return the type and the bytes of an image, None if there is no such."""
    rows = connection.execute("SELECT type, bytes FROM blob WHERE sha256 = :sha256", sha256=sha256)
    return rows[0] if rows else None
