"""What is asked of the database, each question once, the same for SQLite and PostgreSQL.

Who appends events calls `lock_arenas` first. On PostgreSQL that locks their rows, in the order of
their ids so that two writers cannot wait for each other; on SQLite the whole file is locked when a
writer begins. So ``head`` counts events without gaps and in the order of commits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

from driftduel.arena.model import (
    GONE,
    REFOLDS,
    SAID,
    Arena,
    Arm,
    Event,
    Marks,
    OpenDuel,
    Page,
)
from driftduel.arena.settings import Settings
from driftduel.arena.store.chain import first_hash, next_hash
from driftduel.arena.store.connection import Connection, insert_into, names_of

PAGE = 1_000
"""Events that are read at once: of more rows Python's collector makes heavy weather."""

Row = dict[str, Any]


_ARENA = [item.name for item in fields(Arena)]
_ARENAS = f"SELECT {names_of(_ARENA)} FROM arena"
_DUEL = [item.name for item in fields(OpenDuel)]
_DUELS = f"SELECT {names_of(_DUEL)} FROM duel"
_EVENTS = f"SELECT {names_of(Event._fields)} FROM event"
NOT_TAKEN_BACK = (
    "NOT EXISTS (SELECT 1 FROM event AS later "
    "WHERE later.arena = event.arena AND later.target = event.seq)"
)
BETWEEN = "arena = :number AND seq > :low AND seq <= :high"
_REFOLDS = ", ".join(f"'{kind}'" for kind in REFOLDS)
_RETELL = ", ".join(f"'{kind}'" for kind in REFOLDS + SAID)


# --- what is known of the database itself -------------------------------------------------------


def has_tables(connection: Connection) -> bool:
    """Tell whether the tables were made."""
    if connection.dialect == "postgresql":
        return connection.scalar("SELECT to_regclass('meta')") is not None
    return connection.scalar("SELECT 1 FROM sqlite_master WHERE name = 'meta'") is not None


def meta(connection: Connection) -> dict[str, str]:
    """Return what is known of the database itself."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def set_meta(connection: Connection, key: str, value: str) -> None:
    """Write something down about the database itself."""
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (:key, :value) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        key=key,
        value=value,
    )


# --- arenas and who may do what -----------------------------------------------------------------


def find_arenas(connection: Connection) -> list[Arena]:
    """Return all arenas that were not deleted, in the order in which they were made."""
    query = f"{_ARENAS} WHERE substr(slug, 1, 1) <> :gone ORDER BY id"
    return _as_arenas(connection.execute(query, gone=GONE))


def arenas_of(connection: Connection, ids: Iterable[int]) -> list[Arena]:
    """Return arenas by their numbers, as far as there are any."""
    return _as_arenas(connection.execute(f"{_ARENAS} WHERE id = ANY(:ids) ORDER BY id", ids=[*ids]))


def heads_of(connection: Connection, ids: Sequence[int]) -> dict[int, int]:
    """Return the last event of each of some arenas."""
    return dict(connection.execute("SELECT id, head FROM arena WHERE id = ANY(:ids)", ids=[*ids]))


def arena_called(connection: Connection, slug: str) -> Arena | None:
    """Return the arena of a slug, None if there is none."""
    found = _as_arenas(connection.execute(f"{_ARENAS} WHERE slug = :slug", slug=slug))
    return found[0] if found else None


def lock_arenas(connection: Connection, ids: Iterable[int]) -> dict[int, Arena]:
    """Return arenas whose heads nobody else changes until this transaction ends.

    Duels refer to their arena, so to open some locks its row against who would change its id.
    Nobody does: with a plain lock for update two processes that had opened duels would wait for
    each other.
    """
    rows = connection.execute(_LOCKED, ids=sorted(set(ids)))
    return {arena.id: arena for arena in _as_arenas(rows)}


_LOCKED = f"{_ARENAS} WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE"


def insert_arena(connection: Connection, row: Row) -> int:
    """Keep a new arena, all columns but its number and hash; return that."""
    columns = [name for name in _ARENA if name != "id"]
    chain = first_hash(row["slug"], row["seed"], row["created_at"])
    values = {**row, "settings": json.dumps(row["settings"]), "chain": chain}
    number: int = connection.scalar(f"{insert_into('arena', columns)} RETURNING id", **values)
    return number


def _as_arenas(rows: Iterable[tuple[Any, ...]]) -> list[Arena]:
    found = [dict(zip(_ARENA, row, strict=True)) for row in rows]
    return [Arena(**{**one, "settings": _settings_in(one["settings"])}) for one in found]


@lru_cache(1_000)
def _settings_in(text: str) -> Settings:
    return Settings().changed(json.loads(text))


def insert_access(connection: Connection, rows: Sequence[Row]) -> None:
    """Keep what is stored of tokens."""
    connection.execute_many(insert_into("access", list(rows[0])), rows)


def access_of(connection: Connection, token_hash: str) -> tuple[Any, ...] | None:
    """Return arena, slug, role and time of revocation of a token, None if it is not known."""
    rows = connection.execute(
        "SELECT arena, slug, role, revoked_at FROM access JOIN arena ON arena.id = access.arena "
        "WHERE hash = :hash",
        hash=token_hash,
    )
    return rows[0] if rows else None


def accesses_of(connection: Connection, number: int) -> list[tuple[Any, ...]]:
    """Return hash, role, label, and times of making and revocation of tokens, oldest first."""
    return connection.execute(
        "SELECT hash, role, label, created_at, revoked_at FROM access WHERE arena = :number "
        "ORDER BY created_at, hash",
        number=number,
    )


def has_owner(connection: Connection) -> bool:
    """Tell whether a token of an owner, of any arena, was not revoked."""
    query = "SELECT 1 FROM access WHERE role = 'owner' AND revoked_at IS NULL LIMIT 1"
    return connection.scalar(query) is not None


def revoke_access(connection: Connection, number: int, token_hash: str, at: int) -> None:
    """Write down that a token was revoked, unless it was before."""
    connection.execute(
        "UPDATE access SET revoked_at = :at "
        "WHERE arena = :number AND hash = :hash AND revoked_at IS NULL",
        at=at,
        number=number,
        hash=token_hash,
    )


# --- arms ---------------------------------------------------------------------------------------


def arms_of(connection: Connection, number: int) -> list[Arm]:
    """Return all arms of an arena, offered or not."""
    rows = connection.execute(
        "SELECT id, slug, name, offered FROM arm WHERE arena = :number ORDER BY id", number=number
    )
    return [Arm(id_, slug, name, bool(offered)) for id_, slug, name, offered in rows]


def insert_arms(connection: Connection, number: int, arms: Sequence[Arm]) -> None:
    """Keep new arms."""
    rows = [{"arena": number, **vars(arm)} for arm in arms]
    if rows:
        connection.execute_many(
            insert_into("arm", ("arena", "id", "slug", "name", "offered")), rows
        )


def change_arms(connection: Connection, number: int, arms: Sequence[Arm]) -> None:
    """Write names, and who is offered; names may go round, so all are taken away first."""
    query = "UPDATE arm SET name = :name, offered = :offered WHERE arena = :arena AND id = :id"
    rows = [{**vars(arm), "arena": number} for arm in arms]
    if rows:
        connection.execute_many(query, [{**row, "name": f"\n{row['id']}"} for row in rows])
        connection.execute_many(query, rows)


# --- open duels ---------------------------------------------------------------------------------


def insert_duels(connection: Connection, duels: Sequence[OpenDuel]) -> None:
    """Keep open duels."""
    if duels:
        connection.insert("duel", _DUEL, [vars(one) for one in duels])


def find_duels(connection: Connection, ids: Sequence[str]) -> dict[str, OpenDuel]:
    """Return open duels by their ids, as far as there are any."""
    rows = connection.execute(_FIND, ids=[*ids])
    return {one.id: one for one in map(_as_duel, rows)}


_FIND = f"{_DUELS} WHERE id = ANY(:ids)"


def find_to_tell(
    connection: Connection, ids: Sequence[str], numbers: Iterable[int], voters: Iterable[str]
) -> tuple[dict[int, Arena], dict[str, OpenDuel], dict[int, set[str]]]:
    """Lock arenas; return them, those of some duels that are open, and who is excluded where.

    Whoever closes duels has locked their arenas, so what is found open stays open.
    """
    wanted = sorted(set(numbers))
    who = {"numbers": wanted, "voters": sorted(set(voters))}
    locked, duels, marks = connection.execute_together(
        (_LOCKED, {"ids": wanted}), (_FIND, {"ids": [*ids]}), (_MARKS, who)
    )
    arenas = {arena.id: arena for arena in _as_arenas(locked)}
    return arenas, {one.id: one for one in map(_as_duel, duels)}, _excluded(marks)


def open_duels(connection: Connection, number: int, now: int) -> list[OpenDuel]:
    """Return the duels of an arena that may be told, those asked first before the others."""
    rows = connection.execute(
        f"{_DUELS} WHERE arena = :number AND expires_at >= :now ORDER BY asked_at, id",
        number=number,
        now=now,
    )
    return [_as_duel(row) for row in rows]


def count_duels(connection: Connection, number: int, now: int) -> tuple[int, int]:
    """Return how many duels of an arena wait for an answer, and how many have expired."""
    query = (
        "SELECT count(*), coalesce(sum(CASE WHEN expires_at < :now THEN 1 ELSE 0 END), 0) "
        "FROM duel WHERE arena = :number"
    )
    ((n, expired),) = connection.execute(query, now=now, number=number)
    return int(n - expired), int(expired)


def delete_duels(connection: Connection, ids: Sequence[str]) -> None:
    """Close duels of arenas that are locked."""
    if ids:
        connection.send("DELETE FROM duel WHERE id = ANY(:ids)", ids=[*ids])


def purge(connection: Connection, expired_before: int, day: int, most: int = 10_000) -> int:
    """Move duels that nobody answered into counts of what was shown; return how many."""
    old = "SELECT DISTINCT arena FROM duel WHERE expires_at < :before"
    lock_arenas(connection, (row[0] for row in connection.execute(old, before=expired_before)))
    gone = connection.execute(
        "DELETE FROM duel WHERE id IN "
        "(SELECT id FROM duel WHERE expires_at < :before LIMIT :most) "
        'RETURNING arena, "left", "right"',
        before=expired_before,
        most=most,
    )
    counts: dict[tuple[Any, ...], int] = {}
    for row in gone:
        counts[row] = counts.get(row, 0) + 1
    rows = [
        {"arena": number, "day": day, "left": left, "right": right, "n": n}
        for (number, left, right), n in counts.items()
    ]
    if rows:
        more = 'ON CONFLICT (arena, day, "left", "right") DO UPDATE SET n = shown.n + excluded.n'
        connection.execute_many(f"{insert_into('shown', list(rows[0]))} {more}", rows)
    return len(gone)


def shown_of(connection: Connection, number: int) -> dict[tuple[int, int], int]:
    """Return how often a pair, left and right, was shown and not answered until it was purged."""
    query = 'SELECT "left", "right", sum(n) FROM shown WHERE arena = :number GROUP BY 1, 2'
    return {(left, right): int(n) for left, right, n in connection.execute(query, number=number)}


def _as_duel(row: tuple[Any, ...]) -> OpenDuel:
    columns = list(row)
    columns[_SWAPPED] = bool(columns[_SWAPPED])  # SQLite has numbers
    return OpenDuel(*columns)


_SWAPPED = _DUEL.index("swapped")


# --- the log ------------------------------------------------------------------------------------


def append(connection: Connection, locked: Arena, rows: Sequence[Row], **changes: Any) -> int:
    """Append events to an arena that is locked; return the seq of the first.

    ``changes`` are of the row of the arena, in the same step.
    """
    values, chain = _chained(locked, rows)
    _insert_events(connection, values)
    if "settings" in changes:
        changes["settings"] = json.dumps(changes["settings"])
    changes |= {"head": locked.head + len(rows), "chain": chain}
    sets = ", ".join(f"{name} = :{name}" for name in changes)
    connection.send(f"UPDATE arena SET {sets} WHERE id = :number", number=locked.id, **changes)
    return locked.head + 1


def append_to_many(connection: Connection, news: Sequence[tuple[Arena, Sequence[Row]]]) -> None:
    """Append events to several arenas that are locked, in the same few statements."""
    values: list[Row] = []
    for locked, rows in news:
        more, chain = _chained(locked, rows)
        values += more
        connection.send(_MOVE, number=locked.id, head=locked.head + len(rows), chain=chain)
    _insert_events(connection, values)


_MOVE = "UPDATE arena SET head = :head, chain = :chain WHERE id = :number"


def _chained(locked: Arena, rows: Sequence[Row]) -> tuple[list[Row], str]:
    """Return rows with their numbers, as they are kept, and the hash up to the last."""
    values = []
    chain = locked.chain
    for n, row in enumerate(rows, locked.head + 1):
        row["arena"], row["seq"] = locked.id, n
        one = {**_EMPTY, **row}
        if one["body"] is not None:
            text = json.dumps(one["body"])
            chain = next_hash(chain, {**one, "body": json.loads(text)})
            one["body"] = text
        else:
            chain = next_hash(chain, one)
        values.append(one)
    return values, chain


def _insert_events(connection: Connection, values: Sequence[Row]) -> None:
    if plain := [one for one in values if one["body"] is None]:
        connection.insert("event", Event._fields, plain)
    if rare := [one for one in values if one["body"] is not None]:
        connection.execute_many(_APPEND, rare)


_APPEND = insert_into("event", Event._fields)
_EMPTY: Row = dict.fromkeys(Event._fields)


def events(connection: Connection, number: int, after: int, until: int) -> list[Event]:
    """Return the events after a seq, up to and with another, in order."""
    query = f"{_EVENTS} WHERE {BETWEEN} ORDER BY seq"
    rows = connection.execute(query, number=number, low=after, high=until)
    return [
        event if event.body is None else event._replace(body=json.loads(event.body))
        for event in map(Event._make, rows)
    ]


def settings_of(connection: Connection, number: int) -> list[Any]:
    """Return all changes of the settings of an arena, in order."""
    query = "SELECT body FROM event WHERE arena = :number AND kind = 'settings' ORDER BY seq"
    return [json.loads(text) for (text,) in connection.execute(query, number=number)]


def imports_of(
    connection: Connection, number: int, after: int, until: int
) -> list[tuple[int, str, Any]]:
    """Return what is said of imports between two events: seq, kind and body, in order."""
    query = (
        f"SELECT seq, kind, body FROM event WHERE {BETWEEN} AND voter IS NULL "
        "AND kind IN ('import', 'withdraw') AND body IS NOT NULL ORDER BY seq"
    )
    found = connection.execute(query, number=number, low=after, high=until)
    return [(seq, kind, json.loads(text)) for seq, kind, text in found]


def pages(connection: Connection, number: int, after: int, until: int) -> Iterator[Page]:
    """Yield the events after a seq, up to and with another, in order."""
    for low, high in ranges(after, until):
        if rows := connection.execute(_PAGE, number=number, low=low, high=high):
            page = Page(*zip(*rows, strict=True))
            if any(page.body):
                bodies = [None if text is None else json.loads(text) for text in page.body]
                page = page._replace(body=bodies)
            yield page


_PAGE = f"SELECT {names_of(Page._fields)} FROM event WHERE {BETWEEN} ORDER BY seq"


def ranges(after: int, until: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of `PAGE` events: seqs have no gaps, and a limit misleads PostgreSQL.

    Examples
    --------
    >>> list(ranges(0, 1_500))
    [(0, 1000), (1000, 1500)]
    """
    for low in range(after, until, PAGE):
        yield low, min(low + PAGE, until)


def find_answers(connection: Connection, ids: Sequence[str]) -> dict[str, Row]:
    """Return the events that answered duels, by the ids of the duels."""
    if not ids:
        return {}
    rows = connection.execute(f"{_EVENTS} WHERE duel = ANY(:ids)", ids=[*ids])
    return {row.duel: row._asdict() for row in map(Event._make, rows) if row.duel is not None}


def ids_like(connection: Connection, start: str) -> list[str]:
    """Return the ids of duels, open or answered, that begin so; two of each kind at most."""
    return [
        row[0]
        for table, column in (("duel", "id"), ("event", "duel"))
        for row in connection.execute(
            f"SELECT {column} FROM {table} WHERE {column} >= :low AND {column} < :high LIMIT 2",
            low=start,
            high=start + "~",  # after all that an id is made of
        )
    ]


def retraction_of(connection: Connection, number: int, seq: int) -> int | None:
    """Return the event that took a vote back, None if none did."""
    query = "SELECT seq FROM event WHERE arena = :number AND target = :seq"
    found: int | None = connection.scalar(query, number=number, seq=seq)
    return found


def first_of(connection: Connection, number: int, voter: str) -> int | None:
    """Return the first event of a voter, None if there is none."""
    query = "SELECT min(seq) FROM event WHERE arena = :number AND voter = :voter"
    found: int | None = connection.scalar(query, number=number, voter=voter)
    return found


def votes_of(connection: Connection, number: int, voter: str) -> int:
    """Return how many votes a voter gave and did not take back."""
    query = (
        "SELECT count(*) FROM event WHERE arena = :number AND voter = :voter AND kind = 'vote' "
        f"AND {NOT_TAKEN_BACK}"
    )
    return int(connection.scalar(query, number=number, voter=voter))


def pairs_seen(
    connection: Connection, number: int, voter: str, most: int
) -> list[tuple[int, int, int]]:
    """Return the pairs that a voter answered or skipped last, and when; so many of each at most."""
    found = []
    for kind in ("vote", "skip"):
        found += connection.execute(_SEEN, number=number, voter=voter, kind=kind, most=most)
    return [(left, right, at) for left, right, at in found]


_SEEN = (
    'SELECT "left", "right", at FROM event WHERE arena = :number AND voter = :voter '
    f"AND kind = :kind AND {NOT_TAKEN_BACK} ORDER BY at DESC LIMIT :most"
)


def votes_of_day(
    connection: Connection, number: int, voters: Iterable[str], since: int
) -> dict[str, int]:
    """Return how many votes of voters, cast since a moment, counted and were not taken back."""
    rows = connection.execute(_OF_DAY, number=number, voters=sorted(set(voters)), since=since)
    return dict(rows)


_OF_DAY = (
    "SELECT voter, count(*) FROM event WHERE arena = :number AND voter = ANY(:voters) "
    f"AND kind = 'vote' AND at >= :since AND reason IS NULL AND {NOT_TAKEN_BACK} GROUP BY voter"
)


def undos_since(connection: Connection, number: int, voter: str, since: int) -> int:
    """Return how many verdicts of a voter were taken back since a moment."""
    query = (
        "SELECT count(*) FROM event WHERE arena = :number AND voter = :voter "
        "AND kind = 'retract' AND at >= :since"
    )
    return int(connection.scalar(query, number=number, voter=voter, since=since))


def rename_voter(connection: Connection, number: int, voter: str, name: str) -> None:
    """Give the events of a voter another name, and close its duels."""
    mine = "WHERE arena = :number AND voter = :voter"
    connection.execute(
        f"UPDATE event SET voter = :name {mine}", name=name, number=number, voter=voter
    )
    connection.execute(f"DELETE FROM duel {mine}", number=number, voter=voter)


def excluded_of(connection: Connection, number: int, voters: Iterable[str]) -> set[str]:
    """Return those of the voters that are excluded."""
    rows = connection.execute(_MARKS, numbers=[number], voters=sorted(set(voters)))
    return _excluded(rows).get(number, set())


# Not ordered by the database: SQLite would read all events, as they are in this order.
_MARKS = (
    "SELECT arena, seq, kind, voter FROM event WHERE arena = ANY(:numbers) "
    "AND kind IN ('exclude', 'include') AND voter = ANY(:voters)"
)


def _excluded(marks: Sequence[tuple[Any, ...]]) -> dict[int, set[str]]:
    """Return who is excluded in each arena, by the last that was said of a voter."""
    last = {(number, voter): kind for number, _, kind, voter in sorted(marks)}
    found: dict[int, set[str]] = {}
    for (number, voter), kind in last.items():
        if kind == "exclude":
            found.setdefault(number, set()).add(voter)
    return found


def first_touched(connection: Connection, number: int, after: int, until: int) -> int | None:
    """Return from which event on other votes count, by what happened after a seq; None if none."""
    touched = []
    for _, kind, voter, target, body in _rare_events(connection, number, after, until):
        if kind == "retract":
            touched.append(target)
        elif kind == "withdraw":
            touched.append(min(low for low, _ in json.loads(body)["ranges"]))
        elif kind == "forget":  # voters have other names, but no vote counts otherwise
            touched.append(after + 1)
        else:
            touched.append(first_of(connection, number, voter))
    return min(touched, default=None)


def marks_of(
    connection: Connection, number: int, until: int, after: int = 0, earlier: Marks | None = None
) -> Marks:
    """Return who is excluded and what was taken back, as of an event.

    With what was so ``after`` an earlier event, only what happened since is read.
    """
    rows = _rare_events(connection, number, after, until)
    if earlier is not None and any(row[1] == "forget" for row in rows):
        return marks_of(connection, number, until)  # voters have other names
    start = Marks() if earlier is None else earlier
    excluded, retracted = set(start.excluded), set(start.retracted)
    withdrawn = list(start.withdrawn)
    for _, kind, voter, target, body in rows:
        if kind == "exclude":
            excluded.add(voter)
        elif kind == "include":
            excluded.discard(voter)
        elif kind == "retract":
            retracted.add(target)
        elif kind == "withdraw":
            withdrawn += [(low, high) for low, high in json.loads(body)["ranges"]]
    return Marks(excluded, retracted, sorted(withdrawn))


def _rare_events(
    connection: Connection, number: int, after: int, until: int
) -> list[tuple[Any, ...]]:
    """Return the events after which other votes count: what was taken back, and who excluded."""
    return connection.execute(_RARE, number=number, low=after, high=until)


_RARE = (
    f"SELECT seq, kind, voter, target, body FROM event WHERE {BETWEEN} AND kind IN ({_REFOLDS}) "
    "ORDER BY seq"
)


def last_refold(connection: Connection, number: int) -> int:
    """Return the last event after which other votes count, 0 if there is none."""
    query = f"SELECT max(seq) FROM event WHERE arena = :number AND kind IN ({_REFOLDS})"
    return int(connection.scalar(query, number=number) or 0)


def is_retold(connection: Connection, number: int, after: int, until: int) -> bool:
    """Tell whether, between two events, something was said of the votes, or others count since."""
    query = f"SELECT min(seq) FROM event WHERE {BETWEEN} AND kind IN ({_RETELL})"
    return connection.scalar(query, number=number, low=after, high=until) is not None
