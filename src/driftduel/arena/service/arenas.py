"""Arenas: made, found, and their settings changed."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from driftduel.arena import versions
from driftduel.arena.errors import Conflict, Invalid
from driftduel.arena.model import MOST_NAME, Arena, Arm, as_slug, as_text
from driftduel.arena.service.anchors import with_anchors
from driftduel.arena.service.arms import arms_event, with_added
from driftduel.arena.service.cards import MOST_CARDS, NewCard, keep_first_cards, made_card
from driftduel.arena.service.images import as_kept
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.service.tokens import access_row, hash_of, make_token, secret_of
from driftduel.arena.settings import Settings
from driftduel.arena.store import statements
from driftduel.arena.store.cards import drop_blobs, has_blob, keep_blobs
from driftduel.arena.store.connection import SLOW, Connection

_CLAIMED = 3_600_000_000
"""Microseconds for which the tokens of a new arena can be shown again."""


@dataclass(frozen=True)
class Created:
    """A new arena with its tokens, which nobody can show again."""

    arena: Arena
    owner_token: str
    embed_key: str


@dataclass(frozen=True)
class Described:
    """An arena and its arms, those not offered too."""

    arena: Arena
    arms: tuple[Arm, ...]


def create_arena(
    service: Service,
    slug: str,
    question: str,
    arms: Sequence[str] = (),
    *,
    title: str = "",
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    cards: Sequence[NewCard] = (),
    claim: str = "",
) -> Created:
    """Make an arena.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Its name in addresses.
    question : str
        What voters are asked.
    arms : sequence of str
        The names of the options; more may join later.
    title : str
        A heading; the slug if left out.
    settings : mapping, optional
        What differs from `Settings`.
    seed : int, optional
        Of the learner; drawn if left out.
    cards : sequence of NewCard
        What is shown of its arms, all kept with it or nothing.
    claim : str
        One of `new_claim`. To make the same again with it within an hour, as the answer was lost,
        gives the same tokens of the arena that is there.

    Raises
    ------
    Invalid, Conflict, Unavailable
        If something makes no sense; if the slug is taken; if the database fails.
    """
    row = {
        "slug": as_slug(slug),
        "title": as_text(title, "title", MOST_NAME) or slug,
        "question": as_text(question, "question"),
        "seed": secrets.randbits(48) if seed is None else seed,
        "status": "open",
        "head": 0,
        "generation": 0,
        "created_at": now_in_microseconds(),
        "learner": versions.LEARNER,
        "rules": versions.CURRENT,
    }
    made = with_added([], arms)
    wanted = with_anchors(Settings(), settings or {}, made, slug)
    row["settings"] = asdict(Settings().changed(wanted))
    if len(cards) > MOST_CARDS:
        raise Invalid(f"there are {len(cards):,} cards, must be {MOST_CARDS:,} at most")
    places = [(one.arm, one.context) for one in cards]
    if len(set(places)) < len(places):
        raise Invalid("an option has two cards for the same context")
    shown = [made_card(one) for one in cards]
    facts = [row[name] for name in ("slug", "title", "question", "settings")]
    said = [[one.arm, one.context, one.card and astuple(one.card)] for one in shown]
    secret = secret_of(service, claim, json.dumps([facts, list(arms), said]))
    owner, embed = make_token("owner", secret), make_token("embed", secret)

    def create(connection: Connection) -> Arena:
        there = statements.arena_called(connection, slug)
        if there is not None:
            if secret is not None and _is_made_again(connection, there, hash_of(owner)):
                return there
            raise Conflict(f"there is an arena {slug!r} already")
        number = statements.insert_arena(connection, row)
        rows = [access_row(owner, number, "owner", ""), access_row(embed, number, "embed", "")]
        statements.insert_access(connection, rows)
        arena = statements.lock_arenas(connection, [number])[number]
        arms_event(connection, arena, [], made)
        if shown:
            keep_first_cards(connection, number, made, shown)
            arena = statements.lock_arenas(connection, [number])[number]
            event = {"at": now_in_microseconds(), "kind": "settings", "body": {"cards": len(shown)}}
            statements.append(connection, arena, [event])
        return statements.lock_arenas(connection, [number])[number]

    return Created(service.writer.alone(create, each=SLOW), owner, embed)


def _is_made_again(connection: Connection, there: Arena, owner_hash: str) -> bool:
    """Tell whether an arena is the one that an owner made just now, with a token that is good."""
    access = statements.access_of(connection, owner_hash)
    if access is None or access[0] != there.id or access[-1] is not None:
        return False
    return now_in_microseconds() - there.created_at < _CLAIMED


def arenas(service: Service) -> list[Arena]:
    """Return all arenas, in the order in which they were made."""
    with service.store.reading() as connection:
        return statements.find_arenas(connection)


def describe(service: Service, slug: str) -> Described:
    """Return an arena and its arms as the database has them now."""
    number = service.hosted(slug).arena.id
    with service.store.reading() as connection:
        (arena,) = statements.arenas_of(connection, [number])
        return Described(arena, tuple(statements.arms_of(connection, number)))


def change_arena(service: Service, slug: str, changes: Mapping[str, Any]) -> Arena:
    """Change title, question, status ("open" or "closed") or any of the settings, as one event.

    Raises
    ------
    NotFound, Invalid, Unavailable
        If there is no such arena; if something makes no sense; if the database fails.
    """
    number = service.hosted(slug).arena.id
    own = {name: value for name, value in changes.items() if name in _OWN}
    rest = {name: value for name, value in changes.items() if name not in _OWN}
    if "title" in own:
        own["title"] = as_text(own["title"], "title", MOST_NAME, 1)
    if "question" in own:
        own["question"] = as_text(own["question"], "question")
    if own.get("status", "open") not in ("open", "closed"):
        raise Invalid(f"status is {str(own['status'])[:80]!r}, must be open or closed")

    def change(connection: Connection) -> Arena:
        arena = statements.lock_arenas(connection, [number])[number]
        if rest.get("logo") and not has_blob(connection, rest["logo"]):
            raise Invalid("logo: there is no image with this hash")
        arms = statements.arms_of(connection, number)
        wanted = with_anchors(arena.settings, rest, arms, arena.slug)
        values = {**own, "settings": asdict(arena.settings.changed(wanted))}
        event = {"at": now_in_microseconds(), "kind": "settings", "body": {**changes, **wanted}}
        statements.append(connection, arena, [event], **values)
        return statements.lock_arenas(connection, [number])[number]

    changed: Arena = service.writer.alone(change)
    service.follow_soon(slug)
    return changed


def set_logo(service: Service, slug: str, image: bytes | None) -> None:
    """Keep an image that the pages of a poll show on top, or take it away.

    Raises
    ------
    NotFound, Invalid, Unavailable
        If there is no such arena; if the image is none or too large; if the database fails.
    """
    number = service.hosted(slug).arena.id
    kept = None if image is None else as_kept(image)
    name = "" if kept is None else hashlib.sha256(kept[1]).hexdigest()

    def change(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        if kept is not None:
            keep_blobs(connection, [(name, *kept)])
        values = {"settings": asdict(arena.settings.changed({"logo": name}))}
        event = {"at": now_in_microseconds(), "kind": "settings", "body": {"logo": name}}
        statements.append(connection, arena, [event], **values)
        if arena.settings.logo not in ("", name):
            drop_blobs(connection, [arena.settings.logo])

    service.writer.alone(change)
    service.follow_soon(slug)


_OWN = ("title", "question", "status")
