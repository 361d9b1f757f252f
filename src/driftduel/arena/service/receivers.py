"""Who is told when a poll changes: added, tried, and what became of the messages to them."""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from driftduel.arena.errors import Conflict, Invalid, NotFound, TooMany
from driftduel.arena.messages import WEEK, trial_of
from driftduel.arena.service.limits import Buckets
from driftduel.arena.service.mail import SMTP, as_address
from driftduel.arena.service.reports import status
from driftduel.arena.service.service import Service, new_id, now_in_microseconds
from driftduel.arena.service.webhooks import Answer, as_url, shape_of
from driftduel.arena.store import messages as table
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection
from driftduel.arena.store.messages import Message, Receiver, Shape

MOST = 10
"""Receivers of a poll."""

_LAST = 5
_SITE = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+")
_TRIALS = Buckets(rate=0.1, burst=6)
_LETTERS = Buckets(rate=1 / 600, burst=3)  # to an address, whoever it is of


@dataclass(frozen=True)
class Added:
    """A new receiver, and what its messages are signed with, which is shown this once."""

    receiver: Receiver
    secret: str


@dataclass(frozen=True)
class Delivered:
    """A receiver, and the last messages to it, the newest first."""

    receiver: Receiver
    messages: tuple[Message, ...]


def add_receiver(
    service: Service,
    slug: str,
    address: str,
    *,
    site: str,
    shape: str = "",
    digest: bool = False,
) -> Added:
    """Let somebody be told of changes.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Of which arena.
    address : str
        An address of the web, or of e-mail.
    site : str
        What links in messages begin with, as https://example.org.
    shape : str
        "json", "slack" or "discord"; by the address if left out.
    digest : bool
        Whether to send a digest every week, too.

    Raises
    ------
    NotFound, Invalid, Conflict, TooMany, Unavailable
        If there is no such arena; if the address is none, or of this network; if it is told
        already; if enough are; if the database fails.
    """
    number = service.hosted(slug).arena.id
    if not _SITE.fullmatch(site):
        raise Invalid(f"site is {site[:80]!r}, must be like https://example.org")
    by_mail = "@" in address and "://" not in address
    if by_mail:
        if service.post.mail is None:
            raise Invalid(f"this server sends no e-mail: its operator sets {SMTP}")
        address, shape = as_address(address), "text"
    else:
        address = as_url(address, private=service.post.private)
        shape = shape or shape_of(address)
        if shape not in get_args(Shape)[:3]:
            raise Invalid(f"shape is {shape[:80]!r}, must be json, slack or discord")
    at = now_in_microseconds()
    secret = f"whsec_{base64.b64encode(secrets.token_bytes(24)).decode()}"
    made = Receiver(
        id=new_id(),
        arena=number,
        kind="email" if by_mail else "webhook",
        address=address,
        shape=shape,  # type: ignore[arg-type]
        secret=secret,
        site=site,
        created_at=at,
        digest_at=at + WEEK if digest else None,
    )

    def add(connection: Connection) -> None:
        statements.lock_arenas(connection, [number])
        there = table.receivers_of(connection, number)
        if any(one.address == address for one in there):
            raise Conflict(f"{address[:80]} is told already")
        if len(there) >= MOST:
            raise TooMany(f"no more than {MOST} are told of changes of a poll")
        table.insert_receiver(connection, made)

    service.writer.alone(add)
    return Added(made, secret)


def remove_receiver(service: Service, slug: str, name: str) -> None:
    """Tell a receiver no more; messages that wait are not sent."""
    number = service.hosted(slug).arena.id

    def remove(connection: Connection) -> None:
        _found(connection, number, name)
        table.delete_receiver(connection, name)

    service.writer.alone(remove)


def change_digest(service: Service, slug: str, name: str, wanted: bool) -> None:
    """Send a digest every week from now on, or no more."""
    number = service.hosted(slug).arena.id

    def change(connection: Connection) -> None:
        one = _found(connection, number, name)
        at = now_in_microseconds() + WEEK
        if wanted != (one.digest_at is not None):
            table.set_digest(connection, name, at if wanted else None)

    service.writer.alone(change)


def receivers(service: Service, slug: str) -> list[Delivered]:
    """Return who is told of changes of an arena, with the last messages to each."""
    number = service.hosted(slug).arena.id
    with service.store.reading() as connection:
        return [
            Delivered(one, tuple(table.messages_of(connection, one.id, _LAST)))
            for one in table.receivers_of(connection, number)
        ]


def try_receiver(service: Service, slug: str, name: str) -> Answer:
    """Send a message to a receiver now, to see whether it arrives; return what came back.

    Raises
    ------
    NotFound, TooMany
        If there is no such receiver; if that was done too often.
    """
    number = service.hosted(slug).arena.id
    with service.store.reading() as connection:
        receiver = _found(connection, number, name)
    _TRIALS.take(f"{service.store.salt} {number}")
    if receiver.kind == "email":
        _LETTERS.take(f"{service.store.salt} {receiver.address.lower()}")
    body: dict[str, Any] = trial_of(status(service, slug))
    return service.post.deliver(f"msg_{new_id()}", receiver, body)


def _found(connection: Connection, number: int, name: str) -> Receiver:
    one = table.find_receiver(connection, name)
    if one is None or one.arena != number:
        raise NotFound("there is no such receiver of messages")
    return one


def in_words(messages: Sequence[Message]) -> str:
    """Say what became of the last message, for a person.

    Examples
    --------
    >>> in_words([])
    'Nothing was sent yet.'
    """
    if not messages:
        return "Nothing was sent yet."
    one = messages[0]
    if one.state == "sent":
        return f"The last message arrived: {one.said}."
    if one.state == "given up":
        return f"The last message was given up: {one.said}."
    return f"Not arrived yet: {one.said}." if one.said else "The last message waits to be sent."
