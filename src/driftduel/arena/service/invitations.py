"""Voters who are invited: a link for each, of which the database keeps a hash and a name."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from driftduel.arena.errors import Invalid
from driftduel.arena.model import MOST_NAME, as_text
from driftduel.arena.service.service import Service, new_id, now_in_microseconds
from driftduel.arena.store import statements
from driftduel.arena.store import voters as stored
from driftduel.arena.store.connection import Connection

MOST_INVITED = 100_000
"""Voters who are invited to a poll."""

MOST_AT_ONCE = 10_000


@dataclass(frozen=True)
class Invited:
    """Somebody who is invited: by which name, and the code that the link has, shown this once."""

    label: str
    code: str


def invite(service: Service, slug: str, labels: Sequence[str]) -> list[Invited]:
    """Invite voters, each by a link of their own.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which poll.
    labels : sequence of str
        A name for each, by which the owner knows the votes.

    Raises
    ------
    Invalid, NotFound, Unavailable
        If there is no name, or one that makes no sense, or too many; if there is no such poll; if
        the database fails.
    """
    number = service.hosted(slug).arena.id
    if not 1 <= len(labels) <= MOST_AT_ONCE:
        raise Invalid(f"write 1 to {MOST_AT_ONCE:,} names, one a line")
    made = [Invited(as_text(one, "name", MOST_NAME, 1), new_id()) for one in labels]
    rows = [(service.voter(one.code), one.label) for one in made]

    def keep(connection: Connection) -> None:
        statements.lock_arenas(connection, [number])
        if stored.count_invitations(connection, number) + len(rows) > MOST_INVITED:
            raise Invalid(f"there may be {MOST_INVITED:,} invitations, no more")
        stored.insert_invitations(connection, number, rows, now_in_microseconds())

    service.writer.alone(keep)
    return made


def count_invited(service: Service, slug: str) -> int:
    """Return how many are invited to a poll."""
    number = service.hosted(slug).arena.id
    with service.store.reading() as connection:
        return stored.count_invitations(connection, number)


def is_invited(service: Service, slug: str, code: str) -> bool:
    """Tell whether a code is that of an invitation."""
    number, name = service.hosted(slug).arena.id, service.voter(code)
    with service.store.reading() as connection:
        return name in stored.invited_as(connection, number, [name])


def invitations_csv(invited: Sequence[Invited], address: str) -> str:
    """Return names and links as CSV; ``address`` is that of the poll."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("name", "link"))
    writer.writerows((one.label, f"{address}/in/{one.code}") for one in invited)
    return text.getvalue()
