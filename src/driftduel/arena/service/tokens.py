"""Tokens: who may do what. A token is shown once; what is stored is its hash.

Roles are *owner* (everything), *embed* (a publishable key to ask and tell with), *read* (status and
history) and *feed* (the feed of changes alone).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any, get_args

from driftduel.arena.errors import Forbidden, Invalid, NotFound, Unauthorized
from driftduel.arena.model import MOST_NAME, Role, Time, as_text
from driftduel.arena.service.service import Service, new_id, now_in_microseconds
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection


@dataclass(frozen=True)
class Token:
    """What is known of a token; ``id`` is the beginning of its hash."""

    id: str
    role: Role
    label: str
    created_at: Time = field(metadata={"sent_as": "created"})
    revoked_at: Time | None = field(metadata={"sent_as": "revoked"})


@dataclass(frozen=True)
class Holder:
    """Whom a token is of: the arena, by its number and slug, and the role in it."""

    arena: int
    slug: str
    role: Role


def new_token(service: Service, slug: str, role: Role, label: str = "") -> str:
    """Return a new token of an arena; nobody can show it again."""
    number = service.hosted(slug).arena.id
    if role not in get_args(Role):
        raise Invalid(f"role is {role!r}, must be owner, embed, read or feed")
    text = as_text(label, "label", MOST_NAME)
    token = make_token(role)
    row = access_row(token, number, role, text)
    service.writer.alone(lambda connection: statements.insert_access(connection, [row]))
    return token


def check_token(service: Service, token: str | None, slug: str, *roles: Role) -> Role:
    """Return the role of a token in an arena, which must be one of ``roles``.

    Raises
    ------
    NotFound, Unauthorized, Forbidden
        If there is no such arena; if the token is missing, unknown or revoked; if it is of another
        arena or role.
    """
    number = service.hosted(slug).arena.id
    return check_holder(holder_of(service, token), number, *roles)


def holder_of(service: Service, token: str | None) -> Holder:
    """Return whom a token is of.

    Raises
    ------
    Unauthorized
        If it is missing, unknown or revoked.
    """
    row = None
    if token:
        with service.store.reading() as connection:
            row = statements.access_of(connection, hash_of(token))
    if row is None:
        raise Unauthorized("a token is needed" if not token else "the token is not known")
    *whom, revoked_at = row
    if revoked_at is not None:
        raise Unauthorized("the token was revoked")
    return Holder(*whom)


def check_holder(holder: Holder, number: int, *roles: Role) -> Role:
    """Return the role of a holder in an arena, which must be one of ``roles``."""
    if holder.arena != number:
        raise Forbidden("the token is of another arena")
    if holder.role not in roles:
        raise Forbidden(f"the token is for {holder.role}, needed is {' or '.join(roles)}")
    return holder.role


def tokens(service: Service, slug: str) -> list[Token]:
    """Return the tokens of an arena, revoked ones too."""
    number = service.hosted(slug).arena.id
    with service.store.reading() as connection:
        rows = statements.accesses_of(connection, number)
    return [Token(token_hash[:_ID], *rest) for token_hash, *rest in rows]


def has_owner(service: Service) -> bool:
    """Tell whether somebody holds a token of an owner, of any arena."""
    with service.store.reading() as connection:
        return statements.has_owner(connection)


def revoke_token(service: Service, slug: str, token_id: str) -> None:
    """Make a token useless, by its id; a second time changes nothing."""
    number = service.hosted(slug).arena.id

    def revoke(connection: Connection) -> None:
        rows = statements.accesses_of(connection, number)
        mine = [row[0] for row in rows if row[0][:_ID] == token_id]
        if not mine:
            raise NotFound("there is no such token")
        statements.revoke_access(connection, number, mine[0], now_in_microseconds())

    service.writer.alone(revoke)


_ID = 12
"""Characters of a hash by which an owner knows a token."""


def make_token(role: Role, of: str | None = None) -> str:
    """Return a new token; its beginning says what it is for, to people who find it.

    One that is ``of`` a secret is the same every time.
    """
    if of is None:
        return f"{role}_{secrets.token_urlsafe(24)}"
    found = hashlib.sha256(f"{role} {of}".encode()).digest()[:24]
    return f"{role}_{urlsafe_b64encode(found).decode()}"


def new_claim(service: Service) -> str:
    """Return a secret for who is about to make an arena: with it the tokens can be made again."""
    name = new_id()
    return f"{name}.{_mark_of(service, name)}"


def claim_of(service: Service, key: str, token: str | None) -> str:
    """Return the claim of who sends a key of its own: it is of the token that is sent with it.

    So whoever guesses the key has nothing without the token.
    """
    name = _keyed(service, f"key {hash_of(token or '')} {key}")[:32]
    return f"{name}.{_mark_of(service, name)}"


def secret_of(service: Service, claim: str, facts: str) -> str | None:
    """Return what the tokens of an arena, made with a claim and of these facts, are of.

    None if the claim is none that this service gave: one that somebody thought of can be guessed.
    """
    name, _, mark = claim.partition(".")
    if not hmac.compare_digest(mark.encode(), _mark_of(service, name).encode()):
        return None
    return _keyed(service, f"tokens {name} {facts}")


def _mark_of(service: Service, name: str) -> str:
    return _keyed(service, f"claim {name}")[:32]


def _keyed(service: Service, text: str) -> str:
    words = text.encode("utf-8", "surrogatepass")
    return hmac.new(service.store.salt.encode(), words, "sha256").hexdigest()


def access_row(token: str, number: int, role: Role, label: str) -> dict[str, Any]:
    """Return what is stored of a token."""
    return {
        "hash": hash_of(token),
        "arena": number,
        "role": role,
        "label": label,
        "created_at": now_in_microseconds(),
        "revoked_at": None,
    }


def hash_of(token: str) -> str:
    """Return the hash of a token; 192 random bits need no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
