"""Asking: a pair of arms is put before a voter, and kept open until it is answered or expires."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Literal

from driftduel.arena.errors import Conflict, Invalid
from driftduel.arena.fields import Fields, as_fields
from driftduel.arena.model import UNSENT, Card, OpenDuel, Time, as_duel
from driftduel.arena.rules import not_open
from driftduel.arena.seen import Progress, Rested, look_up
from driftduel.arena.service.copies import Hosted
from driftduel.arena.service.markdown import html_of_markdown
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import cards as stored
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
    """Two arms for a voter; who knows ``duel`` can answer it.

    ``to_go`` is how many questions are left for the voter today, this one among them; None if there
    is no end, or nobody asked for pairs that are unseen.
    """

    duel: str
    left: Shown
    right: Shown
    context: str | None
    expires: Time
    to_go: int | None = field(default=None, metadata=UNSENT)


def ask(
    service: Service,
    slug: str,
    voter: str,
    *,
    unseen: bool = False,
    fields: Fields | None = None,
) -> Asked:
    """Put a pair before a voter.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which arena.
    voter : str
        Whatever tells voters apart: a cookie, a header. A hash of it is stored.
    unseen : bool
        Whether every other pair comes before one comes again; see `driftduel.arena.seen`.
    fields : mapping of str to str, bool or int, optional
        What kind of voter it is, as ``{"language": "de"}``; see `driftduel.arena.fields`.

    Raises
    ------
    Invalid, NotFound, Conflict, Rested, Unavailable
        If fields may not be so; if there is no such arena; if it is closed or offers fewer than two
        arms; if an unseen pair is asked for and the voter had all of today; if the database fails.
    """
    hosted = service.hosted(slug)
    if (state := hosted.arena.state_at(now_in_microseconds())) != "open":
        raise not_open(state)
    name, said = service.voter(voter), as_fields(fields)
    progress = Progress(frozenset(), None)
    if unseen:
        with service.store.reading() as connection:
            now = now_in_microseconds()
            progress = look_up(connection, hosted.arena, hosted.replica.offered, name, now)
        if progress.left == 0:
            raise Rested("you have seen every pair of today")
    duel = service.draw(hosted, name, progress.seen, said)
    if duel is None:
        raise Conflict("the arena offers fewer than two arms")
    service.waiting.add(hosted.arena.id, name, now=duel.asked_at, until=duel.expires_at)
    service.writer.do(open_duels, duel)
    return shown(service, hosted, duel, progress.left)


def open_again(service: Service, duel: str, voter: str) -> Asked | None:
    """Put a pair before its voter again, whose verdict was taken back; None if that cannot be.

    It is the question as it was drawn, so it has the ticket that it had. To call this twice opens
    it once.
    """
    name = service.voter(voter)
    again = _id_again(service, duel)
    with service.store.reading() as connection:
        row = statements.find_answers(connection, [duel]).get(duel)
        gone = again in statements.find_answers(connection, [again])
    if row is None or row["voter"] != name or gone:
        return None
    hosted = service.hosted_by_number(row["arena"])
    if hosted is None or hosted.arena.state_at(now_in_microseconds()) != "open":
        return None
    if not {row["left"], row["right"]} <= set(hosted.replica.offered):
        return None
    at = now_in_microseconds()
    copied = ("arena", "voter", "left", "right", "swapped", "ticket", "propensity", "fields")
    opened = OpenDuel(
        id=again,
        **{key: row[key] for key in (*copied, "context", "generation")},
        version=row["seq"] - 1,
        asked_at=at,
        expires_at=at + hosted.arena.settings.expire * 1_000_000,
    )
    with suppress(Conflict):  # it is open already
        service.writer.alone(lambda connection: statements.insert_duels(connection, [opened]))
    return shown(service, hosted, opened, _to_go(service, hosted, name))


def find_open(service: Service, slug: str, duel: str, voter: str) -> Asked | None:
    """Return a pair that is open for this voter, None if there is no such."""
    hosted = service.hosted(slug)
    name = service.voter(voter)
    known = as_duel(duel)
    with service.store.reading() as connection:
        one = statements.find_duels(connection, [known] if known else []).get(known or "")
    if one is None or (one.arena, one.voter) != (hosted.arena.id, name):
        return None
    offered = hosted.arena.state == "open" and {one.left, one.right} <= set(hosted.replica.offered)
    if not offered or one.expires_at < now_in_microseconds():
        return None
    return shown(service, hosted, one, _to_go(service, hosted, name))


def _to_go(service: Service, hosted: Hosted, voter: str) -> int | None:
    with service.store.reading() as connection:
        now = now_in_microseconds()
        return look_up(connection, hosted.arena, hosted.replica.offered, voter, now).left


def _id_again(service: Service, duel: str) -> str:
    """Return the id under which a duel is opened again, which only this database knows."""
    digest = hmac.digest(service.store.salt.encode(), f"again {duel}".encode(), "sha256")
    return f"u{base64.urlsafe_b64encode(digest).decode()[:21]}"


def open_duels(connection: Connection, duels: Sequence[OpenDuel]) -> list[None]:
    """Keep duels open: a handler of the writer."""
    statements.insert_duels(connection, duels)
    return [None] * len(duels)


def shown(service: Service, hosted: Hosted, duel: OpenDuel, to_go: int | None = None) -> Asked:
    """Return a duel as its voter sees it."""
    cards = _cards(service, hosted, duel)
    sides = []
    for number in (duel.left, duel.right):
        arm = hosted.replica.arms[number]
        if number in cards:
            name = None if hosted.arena.settings.blind else arm.name
            sides.append(_shown_by(cards[number], name))
        else:
            sides.append(_shown_by_name(arm.name))
    return Asked(duel.id, sides[0], sides[1], duel.context or None, duel.expires_at, to_go)


@lru_cache(10_000)
def _shown_by_name(name: str) -> Shown:
    return Shown(name, "text", name, None)


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
    if not hosted.contexts and duel.context is None:  # there are no cards
        return {}
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
        cards = stored.cards_in(connection, duel.arena, wanted)
    if len(cards) < len(wanted) and not hosted.arena.settings.blind:
        return {}  # one was taken away just now
    return cards
