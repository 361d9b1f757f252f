"""Old votes in, from whatever `driftduel.votes.read` reads, and out again.

An import comes in slices, each in a transaction that is short, so that voters of all arenas go on.
The last event of each slice says of which import it is, by a hash of all its votes, and how many
have come: so the same votes sent again, after an answer that was lost or an import that was cut
short, add what is missing and nothing twice. An import is taken back by one event.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from driftduel._support.extras import MissingExtraError
from driftduel.arena.errors import Conflict, Invalid, NotFound
from driftduel.arena.fields import as_fields
from driftduel.arena.model import Time
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import statements
from driftduel.arena.store.connection import LONG, Connection
from driftduel.arena.store.fields import admit
from driftduel.learners.driftpoll.state import uniform_ticket
from driftduel.votes.groups import texts_of
from driftduel.votes.log import Log

Pairs = Literal["uniform", "other"]
MOST = 10**7
"""Votes of one import."""

_AT_ONCE = 250
"""Votes of a slice: a commit with so many takes little longer than one with a single vote."""

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


@dataclass(frozen=True)
class Import:
    """An import, by its hash: how many of its votes came in, and whether it was taken back.

    Attributes
    ----------
    at : int
        When its last votes came in.
    votes, counted, of : int
        Votes that came in, those of them that counted then, and those of the file.
    taken_back : bool
        Whether they do not count any more.
    """

    hash: str
    at: Time | None
    votes: int
    counted: int
    of: int
    taken_back: bool
    ranges: tuple[tuple[int, int], ...] = field(metadata={"sent": False})


def import_votes(
    service: Service,
    slug: str,
    source: Any,
    pairs: Pairs,
    *,
    apart: bool = False,
    fields: Sequence[str] = (),
) -> Imported:
    """Take in votes that were cast elsewhere.

    A file that makes no sense is refused whole. What is cut short goes on where it stopped when
    the same votes are sent again.

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
    apart : bool
        Whether to read ``source``, the path of a file of who knows whom, in another process.
    fields : sequence of str
        Columns that say what kind of voter it was, as `driftduel.arena.fields` has them.

    Raises
    ------
    Invalid, Conflict
        If the file cannot be read, has no dates, or names an arm that the arena has not; if
        somebody takes the votes back while they come in.
    """
    if pairs not in ("uniform", "other"):
        raise Invalid(f"pairs is {pairs!r}, must be uniform or other")
    number = service.hosted(slug).arena.id
    coming = _Coming(_read(source, apart), pairs, fields)
    with service.store.reading(each=LONG) as connection:
        (arena,) = statements.arenas_of(connection, [number])
        coming.note(connection, number, arena.head)
        numbers = {arm.name: arm.id for arm in statements.arms_of(connection, number)}
    missing = [name for name in coming.log.arms if name not in numbers]
    if missing:
        raise Invalid(f"the arena has no arm {missing[0]!r}: add it, paused if need be")
    coming.arms = np.array([numbers[name] for name in coming.log.arms], np.int64)
    if coming.votes == coming.log.n_votes:
        return Imported(coming.votes, coming.counted, again=True)

    def append(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        if coming.note(connection, number, arena.head):
            raise Conflict("the import was taken back while it came in")
        offered = {arm.id for arm in statements.arms_of(connection, number) if arm.offered}
        rows = coming.rows(offered)
        if rows:
            admit(connection, number, rows)
            statements.append(connection, arena, rows)
            coming.note_rows(rows)

    while coming.votes < coming.log.n_votes:
        began = time.perf_counter()
        service.writer.alone(append)
        _pause(time.perf_counter() - began)  # who votes gets as much of the time, at least
    service.follow_soon(slug)
    return Imported(coming.votes, coming.counted)


@dataclass(frozen=True)
class Option:
    """An option of a file: in how many votes it is, and which share of them it won."""

    name: str
    votes: int
    share: float


@dataclass(frozen=True)
class Preview:
    """What was read of a file.

    Attributes
    ----------
    votes : int
    first, last : int
        When the first and the last vote were cast.
    options : tuple of Option
        Those with most votes first.
    missing : tuple of str
        Options that the poll has not.
    notes : tuple of str
        What was guessed.
    """

    votes: int
    first: Time
    last: Time
    options: tuple[Option, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def preview_import(service: Service, slug: str, path: Any) -> Preview:
    """Return what is read of a file, of which nothing comes in.

    Raises
    ------
    Invalid
        If the file cannot be read, or has no dates.
    """
    number = service.hosted(slug).arena.id
    log = _read(path, apart=True)
    with service.store.reading() as connection:
        known = {arm.name for arm in statements.arms_of(connection, number)}
    n = len(log.arms)
    votes = np.bincount(log.left, log.count, n) + np.bincount(log.right, log.count, n)
    won = np.bincount(log.left, log.count * log.outcome, n)
    won += np.bincount(log.right, log.count * (1.0 - log.outcome), n)
    order = sorted(range(n), key=lambda place: -votes[place])
    return Preview(
        votes=int(log.n_votes),
        first=round(float(log.time.min()) * 86_400e6),
        last=round(float(log.time.max()) * 86_400e6),
        options=tuple(
            Option(log.arms[i], int(votes[i]), float(won[i] / max(votes[i], 1))) for i in order
        ),
        missing=tuple(name for name in log.arms if name not in known),
        notes=tuple(map(str, log.notes)),
    )


def _pause(seconds: float) -> None:
    time.sleep(seconds)


def imports(service: Service, slug: str) -> list[Import]:
    """Return the imports of an arena, in the order in which they began."""
    number = service.hosted(slug).arena.id
    with service.store.reading(each=LONG) as connection:
        (arena,) = statements.arenas_of(connection, [number])
        return _imports(connection, number, arena.head)


def take_back_import(service: Service, slug: str, name: str) -> int:
    """Let no vote of an import count, by its hash or how that begins; return the head.

    The same votes may come in again after that.

    Raises
    ------
    NotFound, Unavailable
        If there is no such import, or several; if the database fails.
    """
    number = service.hosted(slug).arena.id

    def take_back(connection: Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        known = [one for one in _imports(connection, number, arena.head) if not one.taken_back]
        mine = [one for one in known if name and one.hash.startswith(name)]
        if len(mine) != 1:
            raise NotFound(f"there is {'no' if not mine else 'more than one'} import {name[:80]!r}")
        body = {"hash": mine[0].hash, "ranges": mine[0].ranges}
        event = {"at": now_in_microseconds(), "kind": "withdraw", "body": body}
        return statements.append(connection, arena, [event])

    head: int = service.writer.alone(take_back, each=LONG)
    service.follow_soon(slug)
    return head


def _read(source: Any, apart: bool) -> Log:
    from driftduel.votes.apart import read_apart
    from driftduel.votes.reading import read

    try:
        log = read_apart(source) if apart else read(source)
    except (ValueError, MissingExtraError) as error:
        raise Invalid(str(error)) from None
    if not log.timed:
        raise Invalid("no column says when votes were cast, which must be known, by dates")
    if not log.dated:
        raise Invalid("the times of the votes must be dates")
    if log.n_votes > MOST:
        raise Invalid(f"there are {log.n_votes:,} votes, must be {MOST:,} at most")
    return log


class _Coming:
    """The votes of an import, and how many of them are in the log, up to an event looked at."""

    def __init__(self, log: Log, pairs: Pairs, fields: Sequence[str] = ()) -> None:
        self.log, self.pairs = log, pairs
        self.fields = _fields_of(log, fields)
        self.hash = _hash_of(log, pairs, self.fields)
        self.votes = self.counted = 0
        self.arms: NDArray[np.int64] = np.zeros(0, np.int64)  # the number of each arm of the log
        self._looked = 0
        self._ends = np.cumsum(log.count.astype(np.int64))
        self._times = (log.time * 86_400e6).round().astype(np.int64)

    def note(self, connection: Connection, number: int, head: int) -> bool:
        """Look how many votes are in the log by now; tell whether they were taken back.

        Another process may import the same.
        """
        gone = False
        for _, kind, body in statements.imports_of(connection, number, self._looked, head):
            if body["hash"] == self.hash:
                gone = kind == "withdraw"
                self.votes, self.counted = (0, 0) if gone else (body["votes"], body["counted"])
        self._looked = head
        return gone

    def note_rows(self, rows: list[dict[str, Any]]) -> None:
        """Take notice of rows that were appended."""
        self.votes, self.counted = rows[-1]["body"]["votes"], rows[-1]["body"]["counted"]
        self._looked += len(rows)

    def rows(self, offered: set[int]) -> list[dict[str, Any]]:
        """Return events for the next votes; the learner is told of arms on offer, fairly asked."""
        places = np.arange(self.votes, min(self.votes + _AT_ONCE, self.log.n_votes))
        entries = np.searchsorted(self._ends, places, side="right")
        known: tuple[float, ...] = ()
        if self.pairs == "uniform" and len(offered) > 1:
            known = uniform_ticket(len(offered))
        ticket = np.array(known, "<f8").tobytes()
        rows: list[dict[str, Any]] = []
        columns = (
            self.arms[self.log.left[entries]],
            self.arms[self.log.right[entries]],
            self.log.outcome[entries],
            self._times[entries],
            entries,
        )
        for left, right, outcome, at, place in zip(*(one.tolist() for one in columns), strict=True):
            told = bool(known) and left in offered and right in offered
            row = {
                "at": at,
                "kind": "import",
                "left": left,
                "right": right,
                "swapped": False,
                "verdict": _VERDICTS[outcome],
                "ticket": ticket if told else None,
                "propensity": known[0] if told else None,
                "reason": None if told else "history",
                "fields": self.fields[place] if self.fields else None,
            }
            rows.append(row)
        if rows:
            rows[-1]["body"] = {
                "hash": self.hash,
                "at": now_in_microseconds(),
                "rows": len(rows),
                "votes": self.votes + len(rows),
                "counted": self.counted + sum(row["reason"] is None for row in rows),
                "of": int(self.log.n_votes),
            }
        return rows


def _imports(connection: Connection, number: int, head: int) -> list[Import]:
    """Return the imports of an arena, one that came in again after it was taken back anew."""
    found: list[Import] = []
    places: dict[str, int] = {}
    for seq, kind, body in statements.imports_of(connection, number, 0, head):
        name = body["hash"]
        if kind == "withdraw":
            place = places.pop(name)
            facts = {**vars(found[place]), "taken_back": True}
            found[place] = Import(**facts)
            continue
        # The first version wrote an import in one transaction, and only its votes down.
        first = seq - body.get("rows", body["votes"]) + 1
        ranges = found[places[name]].ranges if name in places else ()
        if ranges and ranges[-1][1] == first - 1:
            first, ranges = ranges[-1][0], ranges[:-1]
        one = Import(
            name,
            body.get("at"),
            body["votes"],
            body["counted"],
            body.get("of", body["votes"]),
            taken_back=False,
            ranges=(*ranges, (first, seq)),
        )
        if name in places:
            found[places[name]] = one
        else:
            places[name] = len(found)
            found.append(one)
    return found


def _fields_of(log: Log, names: Sequence[str]) -> list[str | None]:
    """Return the fields of each row of a log, or nothing if none is wanted."""
    if not names:
        return []
    try:
        cells = {name: texts_of(log, name, "fields").to_list() for name in names}
    except ValueError as error:
        raise Invalid(str(error)) from None
    rows = zip(*cells.values(), strict=True)
    return [as_fields(dict(zip(cells, row, strict=True))) for row in rows]


def _hash_of(log: Log, pairs: Pairs, fields: Sequence[str | None]) -> str:
    """Return what tells an import from others: all that becomes of its votes."""
    facts = [pairs, list(log.arms), *([fields] if fields else [])]
    found = hashlib.sha256(json.dumps(facts).encode())
    columns = ((log.time, "<f8"), (log.left, "<i8"), (log.right, "<i8"), (log.outcome, "<f8"))
    for values, kind in (*columns, (log.count, "<i8")):
        found.update(np.ascontiguousarray(values, kind).tobytes())
    return found.hexdigest()
