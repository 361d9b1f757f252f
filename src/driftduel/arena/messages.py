"""What people are told when a poll changes: written in the step that declares the change.

So no change that is in the log lacks its messages, whoever is killed when. Another thread sends
them (see `driftduel.arena.service.sending`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from driftduel.arena import changes as declared
from driftduel.arena.likely import Looks, known_of
from driftduel.arena.model import DAY, Arena
from driftduel.arena.rules import new_id, now
from driftduel.arena.status import Status, standing_of
from driftduel.arena.store import messages as table
from driftduel.arena.store.messages import Message
from driftduel.verdict import message as words
from driftduel.verdict.likely import Likely
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import Change, Moment, Standing

if TYPE_CHECKING:
    from driftduel.arena.replica import Replica
    from driftduel.arena.store.connection import Connection

WEEK = 7 * DAY
"""Microseconds between two digests."""


def telling(
    arena: Arena, replica: Replica, looks: Looks | None = None
) -> Callable[[Connection, int], None]:
    """Return what keeps the messages about changes that the log does not have yet.

    It is done where these are appended; what is said is as of now, when they were found.
    """
    with replica.lock:  # so that all of it is of one head
        new = [n for n, one in enumerate(declared.changes_of(replica)) if one.seq is None]
        known = standing_of(arena, replica)
        told = (looks or Looks()).tell(known_of(replica))
    likely = None if told is None else told.likely
    found = [(known.changes or ())[n] for n in new]
    said = words.changed(known, likely, found)
    body = _body(arena, known, likely, found, [plain(one) for one in said])

    def keep(connection: Connection, seq: int) -> None:
        put_out(connection, arena.id, "change", {**body, "event": seq})

    return keep


def digest_of(status: Status, votes: int) -> dict[str, Any]:
    """Return what a digest says: ``votes`` came since the last."""
    known, likely = status.standing, status.likely
    found = words.noticed_since(known, Moment.time(now() - WEEK))
    said = words.digest(known, likely, found, votes)
    body = _body(status.arena, known, likely, found, [plain(one) for one in said])
    return {**body, "type": "digest", "subject": "The last week"}


def trial_of(status: Status) -> dict[str, Any]:
    """Return what a message says that somebody sends to see whether it arrives."""
    known, likely = status.standing, status.likely
    said = words.digest(known, likely, [], 0)
    first = ["This is a test: when who is best changes, a message like this one comes."]
    body = _body(status.arena, known, likely, [], [*first, plain(said[0])])
    return {**body, "type": "test", "subject": "This is a test"}


def put_out(
    connection: Connection, number: int, kind: Literal["change", "digest"], body: dict[str, Any]
) -> None:
    """Keep a message for everybody who is told of changes of an arena."""
    made = [message(one.id, number, kind, body) for one in table.receivers_of(connection, number)]
    table.insert_messages(connection, made)


def message(
    receiver: str, number: int, kind: Literal["change", "digest"], body: dict[str, Any]
) -> Message:
    """Return a new message, which is due at once."""
    at = now()
    return Message(
        id=f"msg_{new_id()}",
        arena=number,
        receiver=receiver,
        kind=kind,
        body=body,
        made_at=at,
        due_at=at,
        tries=0,
        said="",
        state="waiting",
        tried_at=None,
    )


def _body(
    arena: Arena, known: Standing, likely: Likely | None, found: list[Change], said: list[str]
) -> dict[str, Any]:
    leader = known.leader
    best = None if leader is None else known.options[leader].name
    chance = None if leader is None else known.options[leader].probability
    if likely is not None:
        best, chance = likely.names[likely.best], likely.probability[likely.best]
    return {
        "type": "change",
        "poll": arena.slug,
        "title": arena.title,
        "question": arena.question,
        "subject": words.subject_of(known, found),
        "sentences": [one for one in said if one],
        "changes": [_change(known, one) for one in found],
        "best": best,
        "probability": None if chance is None else round(chance, 4),
        "decided": bool(known.decided),
        "votes": known.votes,
    }


def _change(known: Standing, one: Change) -> dict[str, Any]:
    def names(option: int, among: tuple[int, ...]) -> list[str]:
        return [known.options[n].name for n in among or (option,)]

    moments = {name: getattr(one, name) for name in ("around", "earliest", "latest", "noticed")}
    return {
        "before": names(one.before, one.before_among),
        "after": names(one.after, one.after_among),
        **{name: at and at.to_json() for name, at in moments.items()},
    }
