"""Asking: a pair of arms is put before a voter, and kept open until it is answered or expires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from driftduel.arena.errors import Conflict, Invalid
from driftduel.arena.model import UNSENT, Card, OpenDuel, Time
from driftduel.arena.service.markdown import html_of_markdown
from driftduel.arena.service.service import Hosted, Service
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection

IMAGES = "/api/v1/images/"
"""Where images of cards are, by their hashes."""


@dataclass(frozen=True)
class Shown:
    """An arm as a voter sees it: in a blind arena without its name, if it has a card.

    ``image`` is where the image of the card is, if it is one, and ``html`` what markdown becomes.
    """

    name: str | None
    kind: Literal["text", "markdown", "image"]
    body: str
    image: str | None
    html: str | None = field(default=None, metadata=UNSENT)


@dataclass(frozen=True)
class Asked:
    """Two arms for a voter; who knows ``duel`` can answer it."""

    duel: str
    left: Shown
    right: Shown
    context: str | None
    expires: Time


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
        raise Conflict("the poll is closed")
    duel = service.draw(hosted, service.voter(voter))
    if duel is None:
        raise Conflict("the arena offers fewer than two arms")
    service.writer.do(open_duels, duel)
    return shown(service, hosted, duel)


def open_duels(connection: Connection, duels: Sequence[OpenDuel]) -> list[None]:
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
            name = None if hosted.arena.settings.blind else arm.name
            sides.append(_shown_by(cards[number], name))
        else:
            sides.append(Shown(arm.name, "text", arm.name, None))
    return Asked(duel.id, sides[0], sides[1], duel.context or None, duel.expires_at)


def _shown_by(card: Card, name: str | None) -> Shown:
    image = None if card.blob is None else IMAGES + card.blob
    return Shown(name, card.kind, card.body, image, html_of(card))


def html_of(card: Card) -> str | None:
    """Return the HTML of a card of markdown; those of earlier versions were kept without it."""
    if card.html is None and card.kind == "markdown":
        try:
            return html_of_markdown(card.body)
        except Invalid:  # what would be refused now
            return f"<p>{escape(card.body)}</p>"
    return card.html


def shows_cards(hosted: Hosted, duel: OpenDuel) -> bool:
    """Tell whether a duel is shown by cards, which are in the database, and not by names alone."""
    return bool(_contexts(hosted, duel))


def reveals_names(hosted: Hosted, pair: Sequence[int]) -> bool:
    """Tell whether who voted on a pair may know the names of its arms."""
    settings = hosted.arena.settings
    hidden = settings.blind and any(hosted.contexts.get(number) for number in pair)
    return settings.reveal or not hidden


def _contexts(hosted: Hosted, duel: OpenDuel) -> dict[int, str]:
    """Return in which context the card of each arm is shown, of arms that are shown by one.

    That is the context of the duel, which both have. Where they share none names are shown, but in
    a blind arena nobody is named who has a card at all.
    """
    pair = (duel.left, duel.right)
    if duel.context is not None:
        return dict.fromkeys(pair, duel.context)
    if not hosted.arena.settings.blind:
        return {}
    known = {number: hosted.contexts.get(number) for number in pair}
    return {number: min(contexts) for number, contexts in known.items() if contexts}


def _cards(service: Service, hosted: Hosted, duel: OpenDuel) -> dict[int, Card]:
    """Return the cards of the two arms that are to be shown."""
    wanted = _contexts(hosted, duel)
    if not wanted:
        return {}
    with service.store.reading() as connection:
        cards = statements.cards_in(connection, duel.arena, wanted)
    if len(cards) < len(wanted) and not hosted.arena.settings.blind:
        return {}  # one was taken away just now
    return cards
