"""Asking: a pair of arms is put before a voter, and kept open until it is answered or expires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from driftduel.arena.errors import Conflict
from driftduel.arena.model import Card, OpenDuel
from driftduel.arena.service.running import Hosted, Service
from driftduel.arena.store import schema, statements


@dataclass(frozen=True)
class Shown:
    """An arm as a voter sees it; ``name`` is None where the arena is blind and there is a card."""

    card: Card
    name: str | None


@dataclass(frozen=True)
class Asked:
    """A duel put before a voter; its id is what allows to answer it."""

    duel: str
    left: Shown
    right: Shown
    context: str | None
    expires: int


def ask(service: Service, slug: str, voter: str) -> Asked:
    """Put a pair before a voter.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which arena.
    voter : str
        Whatever tells voters apart: a cookie, a header. A hash of it is stored.

    Raises
    ------
    NotFound, Conflict, Unavailable
        If there is no such arena; if it is closed or offers fewer than two arms; if the database
        fails.
    """
    hosted = service.hosted(slug)
    if hosted.arena.status != "open":
        raise Conflict("the arena is closed")
    duel = service.draw(hosted, service.voter(voter))
    if duel is None:
        raise Conflict("the arena offers fewer than two arms")
    service.writer.do(open_duels, duel)
    return shown(service, hosted, duel)


def open_duels(connection: sa.Connection, duels: Sequence[OpenDuel]) -> list[None]:
    """Keep duels open: a handler of the writer."""
    statements.insert_duels(connection, duels)
    return [None] * len(duels)


def shown(service: Service, hosted: Hosted, duel: OpenDuel) -> Asked:
    """Return a duel as its voter sees it."""
    cards = _cards(service, hosted, duel)
    sides = []
    for number in (duel.left, duel.right):
        arm = hosted.replica.arms[number]
        if number in cards:
            sides.append(Shown(cards[number], None if hosted.arena.settings.blind else arm.name))
        else:
            sides.append(Shown(Card("text", arm.name), arm.name))
    return Asked(duel.id, sides[0], sides[1], duel.context or None, duel.expires_at)


def _cards(service: Service, hosted: Hosted, duel: OpenDuel) -> dict[int, Card]:
    """Return the cards of the two arms, if both have one in the context: else names are shown."""
    if duel.context is None:
        return {}
    card = schema.card
    query = sa.select(card).where(
        card.c.arena == duel.arena,
        card.c.arm.in_([duel.left, duel.right]),
        card.c.context == duel.context,
    )
    with service.store.reading() as connection:
        rows = connection.execute(query).all()
    return {row.arm: Card(row.kind, row.body, row.blob) for row in rows} if len(rows) == 2 else {}
