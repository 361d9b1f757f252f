"""Cards: what is shown of an arm in a context, with its image or the HTML of its markdown.

All of a card is checked and made before the writer, for whom others wait, has its turn.

An image is kept once, whoever shows it, and is gone with the last card that does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from driftduel.arena.errors import Invalid, NotFound
from driftduel.arena.model import MOST_BODY, Arm, Card, as_text
from driftduel.arena.service.arms import arm_called, arms_by_name
from driftduel.arena.service.images import as_kept, without_metadata
from driftduel.arena.service.markdown import html_of_markdown
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import cards as stored
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection

MOST_CARDS = 10_000
"""Cards of an arena: a copy of it knows in which contexts each arm has one."""

_KINDS = ("text", "markdown", "image")


@dataclass(frozen=True)
class NewCard:
    """A card to be of an arm, by slug or name, in a context; one of kind image has its bytes."""

    arm: str
    card: Card | None
    context: str = ""
    image: bytes | None = None


@dataclass(frozen=True)
class MadeCard:
    """A card as it is kept, with the type and the bytes of its image."""

    arm: str
    card: Card | None
    context: str
    image: tuple[str, bytes] | None


def set_card(
    service: Service,
    slug: str,
    arm: str,
    card: Card | None,
    context: str = "",
    image: bytes | None = None,
) -> None:
    """Set, or take away, what is shown of an arm in a context; ``image`` is the file of one.

    Raises
    ------
    NotFound, Invalid, Unavailable
        If there is no such arena or arm; if the card makes no sense or is too large; if the
        database fails.
    """
    number = service.hosted(slug).arena.id
    made = made_card(NewCard(arm, card, context, image))

    def change(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        if card is not None and stored.count_cards(connection, number) >= MOST_CARDS:
            raise Invalid(f"there are {MOST_CARDS:,} cards, which is the most: remove one first")
        (slug_of_arm,) = keep_cards(
            connection, number, statements.arms_of(connection, number), [made]
        )
        event = {"at": now_in_microseconds(), "kind": "settings", "body": {"card": slug_of_arm}}
        statements.append(connection, arena, [event])

    service.writer.alone(change)
    service.follow_soon(slug)


def made_card(new: NewCard) -> MadeCard:
    """Return a card as it is kept, after checking it: nothing of that is left for the writer."""
    context = as_text(new.context, "context")
    card, image = new.card, None
    if card is not None:
        if card.kind not in _KINDS:
            raise Invalid(f"kind is {card.kind!r}, must be text, markdown or image")
        if (card.kind == "image") != (new.image is not None):
            raise Invalid("a card of kind image needs an image, and no other has one")
        body = as_text(card.body, "card", MOST_BODY)
        html = html_of_markdown(body) if card.kind == "markdown" else None
        card = Card(card.kind, body, html=html)
        if new.image is not None:
            image = as_kept(new.image)
            card = replace(card, blob=hashlib.sha256(image[1]).hexdigest())
    return MadeCard(new.arm, card, context, image)


def keep_cards(
    connection: Connection, number: int, arms: Sequence[Arm], cards: Sequence[MadeCard]
) -> list[str]:
    """Keep cards of an arena that is locked; return the slugs of their arms."""
    known = arms_by_name(arms)
    slugs = []
    for one in cards:
        arm = arm_called(known, one.arm)
        if one.image is not None and one.card is not None and one.card.blob is not None:
            stored.keep_blobs(connection, [(one.card.blob, *one.image)])
        stored.set_card(connection, number, arm.id, one.context, one.card)
        slugs.append(arm.slug)
    return slugs


def keep_first_cards(
    connection: Connection, number: int, arms: Sequence[Arm], cards: Sequence[MadeCard]
) -> None:
    """Keep the cards of an arena that is new, which has none yet."""
    known = arms_by_name(arms)
    images = {one.card.blob: one.image for one in cards if one.card and one.image}
    stored.keep_blobs(connection, [(sha256, *image) for sha256, image in images.items()])
    rows = [
        {"arena": number, "arm": arm_called(known, one.arm).id, "context": one.context}
        | vars(one.card)
        for one in cards
        if one.card is not None
    ]
    stored.insert_cards(connection, rows)


def cards(service: Service, slug: str) -> dict[str, dict[str, Card]]:
    """Return the cards of an arena: by the slug of the arm, and by context."""
    number = service.hosted(slug).arena.id
    found: dict[str, dict[str, Card]] = {}
    with service.store.reading() as connection:
        slugs = {arm.id: arm.slug for arm in statements.arms_of(connection, number)}
        for arm, context, card in stored.cards_of(connection, number):
            found.setdefault(slugs[arm], {})[context] = card
    return found


def image_of(service: Service, sha256: str) -> tuple[str, bytes]:
    """Return the type and the bytes of an image by its hash.

    Those that earlier versions kept may have metadata, which nobody is shown.
    """
    found = None
    if sha256.isalnum():
        with service.store.reading() as connection:
            found = stored.blob_of(connection, sha256)
    if found is None:
        raise NotFound("there is no such image")
    kind, content = found
    try:
        return kind, without_metadata(bytes(content))
    except Invalid as error:
        raise NotFound(f"{error}, please set it again") from None
