"""Events of releases: those that were marked and not taken back."""

from __future__ import annotations

import json
from typing import Any

from driftduel.arena.store.connection import Connection


def releases_of(connection: Connection, number: int) -> list[tuple[int, Any]]:
    """Return the number of the event and what it says of each release, in the order of marking."""
    found: dict[int, Any] = {}
    query = "SELECT seq, body FROM event WHERE arena = :number AND kind = 'release' ORDER BY seq"
    for seq, text in connection.execute(query, number=number):
        body = json.loads(text)
        if "gone" in body:
            found.pop(body["gone"], None)
        else:
            found[seq] = body
    return [*found.items()]
