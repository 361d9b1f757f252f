"""The hash of a log: that of each event is of the hash before it, too, so the last vouches for all.

Whoever noted a hash can tell later whether anything before it was changed, whoever had the
database since. The name of a voter is no part of it: voters may be forgotten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from driftduel.arena.model import Arena, Event
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection


def hashes_of(connection: Connection, arena: Arena) -> Iterator[tuple[int, str]]:
    """Yield the number of each event of an arena and the hash up to it, in order.

    The first is of event 0: what an arena was made with, before its first event.
    """
    last = _hash("", [arena.slug, arena.seed, arena.created_at])
    yield 0, last
    for low, high in statements.ranges(0, arena.head):
        for event in statements.events(connection, arena.id, low, high):
            last = _hash(last, _facts(event))
            yield event.seq, last


def _facts(event: Event) -> list[object]:
    """Return what an event says, the same whatever database has it."""
    facts = event._replace(
        arena=0,
        voter=None,
        swapped=None if event.swapped is None else bool(event.swapped),
        propensity=None if event.propensity is None else float(event.propensity),
    )._asdict()
    facts["ticket"] = None if event.ticket is None else bytes(event.ticket).hex()
    return list(facts.values())


def _hash(before: str, facts: list[object]) -> str:
    text = json.dumps([before, *facts], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
