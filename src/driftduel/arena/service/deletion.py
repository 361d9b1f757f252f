"""The end of a poll, with all of its votes."""

from __future__ import annotations

import time

from driftduel.arena.errors import Invalid, NotFound
from driftduel.arena.service.service import Service
from driftduel.arena.store import deleting, statements
from driftduel.arena.store.connection import SLOW, Connection

_WAIT = 5.0
"""Seconds for which who deletes a poll waits; what is left by then goes in the background."""


def delete_arena(service: Service, slug: str, typed: str) -> None:
    """Delete a poll with its options, votes, links, messages and images.

    It is gone for everybody at once; of a large one the votes are erased within minutes.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which poll.
    typed : str
        Its name in addresses once more, as nothing brings it back.

    Raises
    ------
    Invalid, NotFound, Unavailable
        If something else was typed; if there is no such poll; if the database fails.
    """
    number = service.hosted(slug).arena.id
    if typed.strip() != slug:
        raise Invalid(f"type {slug} to delete the poll {slug}")

    def bury(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        if arena.slug != slug:
            raise NotFound("there is no such arena")
        deleting.bury(connection, arena)

    service.writer.alone(bury, each=SLOW)
    service.forget(slug)
    end = time.monotonic() + _WAIT
    while time.monotonic() < end and service.erase():
        pass
