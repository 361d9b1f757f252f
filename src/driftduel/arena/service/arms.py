"""Arms: they join, pause, resume and are renamed, all that is asked at once as one event.

Arms that join, pause or resume make a new generation: the learner goes on with the arms now
offered. A new name changes what people see and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from driftduel.arena.errors import Conflict, Invalid, NotFound
from driftduel.arena.model import (
    MOST_BODY,
    MOST_NAME,
    MOST_OPTIONS,
    Arena,
    Arm,
    Card,
    as_name,
    as_text,
    slug_of,
)
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection

MOST_BLOB = 5 * 2**20
_KINDS = ("text", "markdown", "image")


def change_arms(
    service: Service,
    slug: str,
    *,
    add: Sequence[str] = (),
    pause: Sequence[str] = (),
    resume: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
) -> list[Arm]:
    """Change the arms of an arena; return all of them as they are then.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which arena.
    add : sequence of str
        Names of new arms.
    pause, resume : sequence of str
        Arms, by slug or name, that are not to be offered for now, or again. One that joins may
        be paused in the same step, until it has its cards.
    rename : mapping of str to str
        New names of arms.

    Raises
    ------
    NotFound, Invalid, Conflict, Unavailable
        If there is no such arena or arm; if a name makes no sense; if it is taken; if the
        database fails. Nothing is changed then.
    """
    number = service.hosted(slug).arena.id

    def change(connection: Connection) -> list[Arm]:
        arena = statements.lock_arenas(connection, [number])[number]
        before = statements.arms_of(connection, number)
        after = {arm.id: arm for arm in before}
        for name, new in (rename or {}).items():
            arm = arm_called(before, name)
            after[arm.id] = replace(after[arm.id], name=as_name(new))
        arms = with_added(list(after.values()), add)
        for names, offered in ((pause, False), (resume, True)):
            for name in names:
                arm = arm_called([*before, *arms[len(before) :]], name)
                arms[arm.id] = replace(arms[arm.id], offered=offered)
        arms_event(connection, arena, before, arms)
        return arms

    changed: list[Arm] = service.writer.alone(change)
    service.follow()
    return changed


def set_card(
    service: Service,
    slug: str,
    arm: str,
    card: Card | None,
    context: str = "",
    image: tuple[str, bytes] | None = None,
) -> None:
    """Set, or take away, what is shown of an arm in a context; ``image`` is its type and bytes."""
    number = service.hosted(slug).arena.id
    context = as_text(context, "context")
    blob = None
    if card is not None:
        if card.kind not in _KINDS:
            raise Invalid(f"kind is {card.kind!r}, must be text, markdown or image")
        card = replace(card, body=as_text(card.body, "card", MOST_BODY))
        if (card.kind == "image") != (image is not None):
            raise Invalid("a card of kind image needs an image, and no other has one")
    if image is not None:
        if len(image[1]) > MOST_BLOB:
            raise Invalid(f"the image has {len(image[1]):,} bytes, must have {MOST_BLOB:,} at most")
        blob = hashlib.sha256(image[1]).hexdigest()

    def change(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        found = arm_called(statements.arms_of(connection, number), arm)
        if image is not None and blob is not None:
            statements.keep_blob(connection, blob, *image)
        new = None if card is None else replace(card, blob=blob)
        statements.set_card(connection, number, found.id, context, new)
        event = {"at": now_in_microseconds(), "kind": "settings", "body": {"card": found.slug}}
        statements.append(connection, arena, [event])

    service.writer.alone(change)
    service.follow()


def cards(service: Service, slug: str) -> dict[str, dict[str, Card]]:
    """Return the cards of an arena: by the slug of the arm, and by context."""
    number = service.hosted(slug).arena.id
    found: dict[str, dict[str, Card]] = {}
    with service.store.reading() as connection:
        slugs = {arm.id: arm.slug for arm in statements.arms_of(connection, number)}
        for arm, context, card in statements.cards_of(connection, number):
            found.setdefault(slugs[arm], {})[context] = card
    return found


def image_of(service: Service, sha256: str) -> tuple[str, bytes]:
    """Return the type and the bytes of an image by its hash."""
    found = None
    if sha256.isalnum():
        with service.store.reading() as connection:
            found = statements.blob_of(connection, sha256)
    if found is None:
        raise NotFound("there is no such image")
    return found


def with_added(arms: list[Arm], names: Sequence[str]) -> list[Arm]:
    """Return arms with new ones of these names, after checking all names."""
    if isinstance(names, str):
        raise Invalid(f"arms: must be a list of names, not the text {names[:80]!r}")
    arms = list(arms)
    if len(arms) + len(names) > MOST_OPTIONS:
        many = f"{len(arms) + len(names):,}"
        raise Invalid(f"there would be {many} arms, must be {MOST_OPTIONS:,} at most")
    new = [as_name(name) for name in names]
    called: set[str] = set()
    for name in (*(arm.name for arm in arms), *new):
        if name in called:
            raise Conflict(f"two arms would be called {name!r}")
        called.add(name)
    slugs = {arm.slug for arm in arms}
    for name in new:
        arms.append(Arm(len(arms), slug_of(name, slugs), name, offered=True))
        slugs.add(arms[-1].slug)
    return arms


def arm_called(arms: Sequence[Arm], name: str) -> Arm:
    """Return the arm of this slug or name."""
    for arm in arms:
        if arm.slug == name:
            return arm
    for arm in arms:
        if arm.name == name:
            return arm
    raise NotFound(f"there is no arm {str(name)[:MOST_NAME]!r}")


def arms_event(
    connection: Connection, arena: Arena, before: Sequence[Arm], after: Sequence[Arm]
) -> None:
    """Write the arms of an arena that is locked, and the event that says what became of them."""
    known = {arm.id: arm for arm in before}
    changed = [arm for arm in after if known.get(arm.id) != arm]
    if before and not changed:
        return
    offered = {arm.id for arm in after if arm.offered}
    generation = arena.generation + (offered != {arm.id for arm in before if arm.offered})
    statements.change_arms(connection, arena.id, [arm for arm in changed if arm.id in known])
    statements.insert_arms(connection, arena.id, [arm for arm in changed if arm.id not in known])
    body = {
        "generation": generation,
        "arms": [[arm.id, arm.slug, arm.name, arm.offered] for arm in changed],
    }
    event = {"at": now_in_microseconds(), "kind": "arms", "body": body}
    statements.append(connection, arena, [event], generation=generation)
