"""Old votes in, from whatever `driftduel.votes.read` reads.

The last event of an import has a hash of all its votes, so that the same votes sent again, after an
answer that was lost or by mistake, are known and add nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

import numpy as np

from driftduel._support.extras import MissingExtraError
from driftduel.arena.errors import Invalid
from driftduel.arena.service.service import Service
from driftduel.arena.store import statements
from driftduel.arena.store.connection import LONG, Connection
from driftduel.learners.driftpoll.state import uniform_ticket
from driftduel.votes.log import Log

Pairs = Literal["uniform", "other"]
MOST = 10**7
"""Votes of one import."""

_AT_ONCE = 10_000
_VERDICTS = {1.0: "left", 0.0: "right", 0.5: "tie"}


@dataclass(frozen=True)
class Imported:
    """How many votes came in, and how many of them count.

    Attributes
    ----------
    again : bool
        Whether the same votes came in before; then nothing was added, and the counts are of then.
    """

    votes: int
    counted: int
    again: bool = False


def import_votes(service: Service, slug: str, source: Any, pairs: Pairs) -> Imported:
    """Take in votes that were cast elsewhere, all or none of them.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which arena; it must have all arms of the file.
    source : path, data frame, dict, list or Log
        What `driftduel.votes.read` reads, with dates as times.
    pairs : {"uniform", "other"}
        How the pairs were chosen. If any two arms were as likely as any other two, the learner is
        told these votes. If they were not, or nobody knows, they are kept as history.

    Raises
    ------
    Invalid
        If the file cannot be read, has no dates, or names an arm that the arena has not.
    """
    from driftduel.votes.reading import read

    if pairs not in ("uniform", "other"):
        raise Invalid(f"pairs is {pairs!r}, must be uniform or other")
    number = service.hosted(slug).arena.id
    try:
        log = read(source)
    except (ValueError, MissingExtraError) as error:
        raise Invalid(str(error)) from None
    if not log.timed:
        raise Invalid("no column says when votes were cast, which must be known, by dates")
    if not log.dated:
        raise Invalid("the times of the votes must be dates")
    if log.n_votes > MOST:
        raise Invalid(f"there are {log.n_votes:,} votes, must be {MOST:,} at most")

    name = _hash_of(log, pairs)
    with service.store.reading(each=LONG) as connection:  # all of a long log, while others write
        (arena,) = statements.arenas_of(connection, [number])
        looked, known = arena.head, _imported_before(connection, number, name, 0, arena.head)
    if known is not None:
        return known

    def append(connection: Connection) -> Imported:
        arena = statements.lock_arenas(connection, [number])[number]
        if known := _imported_before(connection, number, name, looked, arena.head):
            return known
        arms = {arm.name: arm for arm in statements.arms_of(connection, number)}
        missing = [name for name in log.arms if name not in arms]
        if missing:
            raise Invalid(f"the arena has no arm {missing[0]!r}: add it, paused if need be")
        offered = [arm.id for arm in arms.values() if arm.offered]
        rows = _rows(log, [arms[one].id for one in log.arms], offered, pairs)
        counted = 0
        part = list(islice(rows, _AT_ONCE))
        while part:
            counted += sum(row["reason"] is None for row in part)
            following = list(islice(rows, _AT_ONCE))
            if not following:
                part[-1]["body"] = {"hash": name, "votes": log.n_votes, "counted": counted}
            statements.append(connection, arena, part)
            arena = replace(arena, head=arena.head + len(part))
            part = following
        return Imported(log.n_votes, counted)

    done: Imported = service.writer.alone(append, each=LONG)
    service.follow()
    return done


def _hash_of(log: Log, pairs: Pairs) -> str:
    """Return what tells an import from others: all that becomes of its votes."""
    found = hashlib.sha256(json.dumps([pairs, list(log.arms)]).encode())
    columns = ((log.time, "<f8"), (log.left, "<i8"), (log.right, "<i8"), (log.outcome, "<f8"))
    for values, kind in (*columns, (log.count, "<i8")):
        found.update(np.ascontiguousarray(values, kind).tobytes())
    return found.hexdigest()


def _imported_before(
    connection: Connection, number: int, name: str, after: int, until: int
) -> Imported | None:
    """Return what became of the same votes, if they came in between two events."""
    for body in statements.imports_of(connection, number, after, until):
        if body["hash"] == name:
            return Imported(body["votes"], body["counted"], again=True)
    return None


def _rows(log: Log, arms: list[int], offered: list[int], pairs: Pairs) -> Iterator[dict[str, Any]]:
    """Yield events for votes; one counts if the learner knows its arms and how it was asked."""
    k = len(offered)
    known = uniform_ticket(k) if pairs == "uniform" and k > 1 else None
    ticket = None if known is None else np.array(known, "<f8").tobytes()
    times = (log.time * 86_400e6).round().astype(np.int64)
    for n in range(len(log)):
        left, right = arms[log.left[n]], arms[log.right[n]]
        told = known is not None and left in offered and right in offered
        row = {
            "at": int(times[n]),
            "kind": "import",
            "left": left,
            "right": right,
            "swapped": False,
            "verdict": _VERDICTS[float(log.outcome[n])],
            "ticket": ticket if told else None,
            "propensity": known[0] if told and known is not None else None,
            "reason": None if told else "history",
        }
        for _ in range(int(log.count[n])):
            yield dict(row)
