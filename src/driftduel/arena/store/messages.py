"""Statements about who is told of changes, and about the messages to them: an outbox.

A message is due at a time. Who claims it puts that time off, so that nobody else sends it
meanwhile; if the claimer dies it is due again then. What became of it is written down by the last
who claimed it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from driftduel.arena.model import UNSENT, Time
from driftduel.arena.store.connection import Connection, insert_into, names_of

Kind = Literal["webhook", "email"]
Shape = Literal["json", "slack", "discord", "text"]


@dataclass(frozen=True)
class Receiver:
    """Who is told of changes.

    Attributes
    ----------
    id : str
        By which it is known here.
    kind : {"webhook", "email"}
        How it is told.
    address : str
        Where to.
    shape : {"json", "slack", "discord", "text"}
        What a message looks like there; e-mail is text.
    secret : str
        What webhooks are signed with.
    site : str
        What links begin with.
    digest_at : int or None
        When the next weekly digest is due, if one is wanted.
    """

    id: str
    arena: int = field(metadata=UNSENT)
    kind: Kind
    address: str
    shape: Shape
    secret: str = field(metadata=UNSENT)
    site: str
    created_at: Time = field(metadata={"sent_as": "created"})
    digest_at: Time | None = field(metadata={"sent_as": "digest"})


@dataclass(frozen=True)
class Message:
    """A message to a receiver.

    Attributes
    ----------
    id : str
        By which a receiver knows a message that comes twice.
    kind : {"change", "digest"}
        What it is about.
    made_at, due_at : int
        When it was written, and when it is tried again if it waits.
    tries : int
        How often it was tried.
    said : str
        What came of the last try.
    state : {"waiting", "sent", "given up"}
        Whether it is tried again.
    tried_at : int or None
        When it was tried last.
    """

    id: str
    arena: int = field(metadata=UNSENT)
    receiver: str
    kind: Literal["change", "digest"]
    body: Any = field(metadata=UNSENT)
    made_at: Time = field(metadata={"sent_as": "made"})
    due_at: Time = field(metadata={"sent_as": "due"})
    tries: int
    said: str
    state: Literal["waiting", "sent", "given up"]
    tried_at: Time | None = field(metadata={"sent_as": "tried"})


_RECEIVER = [item.name for item in fields(Receiver)]
_RECEIVERS = f"SELECT {names_of(_RECEIVER)} FROM receiver"
_MESSAGE = [item.name for item in fields(Message)]
_MESSAGES = f"SELECT {names_of(_MESSAGE)} FROM message"


def receivers_of(connection: Connection, number: int) -> list[Receiver]:
    """Return who is told of changes of an arena, in the order in which they came."""
    rows = connection.execute(
        f"{_RECEIVERS} WHERE arena = :number ORDER BY created_at, id", number=number
    )
    return [Receiver(*row) for row in rows]


def find_receiver(connection: Connection, name: str) -> Receiver | None:
    """Return a receiver, None if there is none."""
    rows = connection.execute(f"{_RECEIVERS} WHERE id = :name", name=name)
    return Receiver(*rows[0]) if rows else None


def insert_receiver(connection: Connection, one: Receiver) -> None:
    """Keep a receiver."""
    connection.execute(insert_into("receiver", _RECEIVER), **vars(one))


def delete_receiver(connection: Connection, name: str) -> None:
    """Forget a receiver and all messages to it."""
    connection.execute("DELETE FROM message WHERE receiver = :name", name=name)
    connection.execute("DELETE FROM receiver WHERE id = :name", name=name)


def set_digest(connection: Connection, name: str, at: int | None) -> None:
    """Write down when the next digest of a receiver is due; None for no more."""
    query = "UPDATE receiver SET digest_at = :at WHERE id = :name"
    connection.execute(query, at=at, name=name)


def next_digests(connection: Connection, now: int) -> list[Receiver]:
    """Return the receivers whose digest is due."""
    rows = connection.execute(f"{_RECEIVERS} WHERE digest_at <= :now ORDER BY id", now=now)
    return [Receiver(*row) for row in rows]


def claim_digest(connection: Connection, one: Receiver, at: int) -> bool:
    """Put a digest off until its next time; tell whether nobody else did so before."""
    query = (
        "UPDATE receiver SET digest_at = :at WHERE id = :name AND digest_at = :before RETURNING id"
    )
    return bool(connection.execute(query, at=at, name=one.id, before=one.digest_at))


def insert_messages(connection: Connection, messages: Sequence[Message]) -> None:
    """Keep messages to send."""
    if messages:
        rows = [{**vars(one), "body": json.dumps(one.body)} for one in messages]
        connection.execute_many(insert_into("message", _MESSAGE), rows)


def next_messages(connection: Connection, now: int, most: int) -> list[str]:
    """Return the ids of messages that are due, those first that have waited longest.

    One of each arena comes before two of any: receivers of one that are slow hold up no others.
    """
    query = (
        "SELECT id FROM (SELECT id, due_at, row_number() OVER "
        "(PARTITION BY arena ORDER BY due_at, id) AS place FROM message "
        "WHERE state = 'waiting' AND due_at <= :now) AS due ORDER BY place, due_at, id LIMIT :most"
    )
    return [row[0] for row in connection.execute(query, now=now, most=most)]


def claim(connection: Connection, ids: Sequence[str], now: int, until: int) -> list[Message]:
    """Put messages off that are still due, and return them: nobody else sends them until then."""
    rows = connection.execute(_CLAIM, ids=[*ids], now=now, until=until)
    return [_as_message(row) for row in rows]


_CLAIM = (
    "UPDATE message SET due_at = :until, tries = tries + 1 "
    "WHERE id = ANY(:ids) AND state = 'waiting' AND due_at <= :now "
    f"RETURNING {names_of(_MESSAGE)}"
)


def settle(connection: Connection, one: Message) -> bool:
    """Write down what became of a message; tell whether nobody claimed it since."""
    query = (
        "UPDATE message SET due_at = :due_at, said = :said, state = :state, tried_at = :tried_at "
        "WHERE id = :id AND tries = :tries AND state = 'waiting' RETURNING id"
    )
    names = ("id", "tries", "due_at", "said", "state", "tried_at")
    return bool(connection.execute(query, **{name: getattr(one, name) for name in names}))


def messages_of(connection: Connection, name: str, most: int) -> list[Message]:
    """Return the last messages to a receiver, the newest first."""
    rows = connection.execute(
        f"{_MESSAGES} WHERE receiver = :name ORDER BY made_at DESC, id LIMIT :most",
        name=name,
        most=most,
    )
    return [_as_message(row) for row in rows]


def delete_old(connection: Connection, before: int) -> None:
    """Forget messages that are done with."""
    query = "DELETE FROM message WHERE state <> 'waiting' AND made_at < :before"
    connection.execute(query, before=before)


def _as_message(row: tuple[Any, ...]) -> Message:
    one = dict(zip(_MESSAGE, row, strict=True))
    return Message(**{**one, "body": json.loads(one["body"])})
