"""Answers of judges in the log: events of a kind of their own, which no count of votes looks at."""

from __future__ import annotations

import json
from typing import Any

from driftduel.arena.store.connection import Connection


def judged(connection: Connection, number: int) -> list[tuple[int, Any]]:
    """Return when each answer was given and what it says, in order; not of judges taken away."""
    query = "SELECT at, body FROM event WHERE arena = :number AND kind = 'judge' ORDER BY seq"
    found: list[tuple[int, Any]] = []
    for at, text in connection.execute(query, number=number):
        body = json.loads(text)
        if "gone" in body:
            found = [row for row in found if row[1]["judge"] != body["gone"]]
        else:
            found.append((at, body))
    return found
