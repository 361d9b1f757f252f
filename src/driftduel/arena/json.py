"""Records as plain data, for JSON: what programs read over HTTP and from the command."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from driftduel.verdict.standing import Moment

if TYPE_CHECKING:  # a command that needs one of these forms imports no more
    from driftduel.arena.model import Arm
    from driftduel.arena.service import (
        Asked,
        Created,
        Described,
        Health,
        History,
        Shown,
        Token,
        Told,
        Voter,
    )
    from driftduel.arena.status import Status

Form = dict[str, Any]

IMAGES = "/api/v1/images/"
"""Where images of cards are, by their hashes."""


def as_time(at: int | None) -> str | None:
    """Return a time as ISO 8601 writes it.

    Examples
    --------
    >>> as_time(1_700_000_000_000_001)
    '2023-11-14T22:13:20.000001+00:00'
    """
    return None if at is None else str(Moment.time(at).to_json())


def form_of_duel(asked: Asked) -> Form:
    """Return a duel as its voter sees it."""
    return {
        "duel": asked.duel,
        "left": _form_of_side(asked.left),
        "right": _form_of_side(asked.right),
        "context": asked.context,
        "expires": as_time(asked.expires),
    }


def form_of_told(told: Told) -> Form:
    """Return what became of a verdict; told again it is the same but for the next duel."""
    left, right = told.reveal
    return {
        "seq": told.seq,
        "counted": told.counted,
        "reason": told.reason,
        "reveal": {"left": left, "right": right},
        "next": None if told.next is None else form_of_duel(told.next),
    }


def form_of_created(created: Created) -> Form:
    """Return a new arena with its tokens."""
    return {
        "arena": created.arena.slug,
        "owner_token": created.owner_token,
        "embed_key": created.embed_key,
        "question": created.arena.question,
    }


def form_of_arm(arm: Arm) -> Form:
    """Return an arm."""
    return {"slug": arm.slug, "name": arm.name, "offered": arm.offered}


def form_of_arena(described: Described) -> Form:
    """Return an arena, its settings and its arms."""
    arena = described.arena
    return {
        "arena": arena.slug,
        "title": arena.title,
        "question": arena.question,
        "status": arena.status,
        "head": arena.head,
        "created": as_time(arena.created_at),
        "settings": {name: _as_list(one) for name, one in asdict(arena.settings).items()},
        "arms": [form_of_arm(arm) for arm in described.arms],
    }


def form_of_status(status: Status) -> Form:
    """Return what is known of an arena."""
    return {
        "arena": status.arena.slug,
        "question": status.arena.question,
        "status": status.arena.status,
        "head": status.head,
        **status.standing.to_dict(),
        "text": status.text,
        "sides": {"left": status.left, "right": status.right, "neither": status.neither},
    }


def form_of_history(history: History) -> Form:
    """Return what happened in an arena."""
    found = history.standing.to_dict()
    return {
        "head": history.head,
        "leaders": found["leaders"],
        "changes": found["changes"],
        "events": found["events"],
        "days": [_with_times(one) for one in history.days],
    }


def form_of_health(health: Health) -> Form:
    """Return how voting goes in an arena."""
    return {
        "head": health.head,
        "rate": None if health.rate is None else _with_times(health.rate),
        "answered": {**asdict(health.answered), "share": health.answered.share},
        "side": asdict(health.side),
        "voters": health.voters,
        "odd": [form_of_voter(one) for one in health.odd],
    }


def form_of_voter(voter: Voter) -> Form:
    """Return what a voter did."""
    facts = asdict(voter)
    return {**facts, "last": as_time(facts.pop("last_at"))}


def form_of_token(token: Token) -> Form:
    """Return what is known of a token."""
    facts = asdict(token)
    created, revoked = facts.pop("created_at"), facts.pop("revoked_at")
    return {**facts, "created": as_time(created), "revoked": as_time(revoked)}


def _form_of_side(side: Shown) -> Form:
    image = None if side.card.blob is None else IMAGES + side.card.blob
    return {"name": side.name, "kind": side.card.kind, "body": side.card.body, "image": image}


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


_TIMES = {"at", "since"}


def _with_times(record: Any) -> Form:
    return {
        name: as_time(value) if name in _TIMES else value for name, value in asdict(record).items()
    }
