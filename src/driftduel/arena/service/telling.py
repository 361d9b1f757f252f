"""Telling: a verdict becomes an event, once, and may be taken back."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from driftduel.arena.errors import ArenaError, Conflict, Forbidden, Gone, Invalid, NotFound
from driftduel.arena.model import DAY, Arena, OpenDuel, Verdict, as_duel, as_verdict
from driftduel.arena.service.asking import Asked, ask, shown
from driftduel.arena.service.running import Service, now_in_microseconds
from driftduel.arena.store import schema, statements

UNDO = 60_000_000
"""Microseconds for which a voter may take a verdict back."""


@dataclass(frozen=True)
class Told:
    """What became of a verdict.

    Attributes
    ----------
    first : bool
        Whether it was told now; False if the same had been told before. Nothing else differs.
    seq : int
        The number of its event.
    counted : bool
        Whether the learner was told; ``reason`` says why not: skip, cap or excluded.
    reveal : tuple of str
        The names of the arms, left and right.
    next : Asked or None
        The next duel, if it was asked for and there is one.
    """

    first: bool
    seq: int
    counted: bool
    reason: str | None
    reveal: tuple[str, str]
    next: Asked | None = None


@dataclass(frozen=True)
class Retracted:
    """A vote was taken back by event ``seq``; to do it again gives the same."""

    seq: int


@dataclass(frozen=True)
class _Tell:
    duel: str
    voter: str
    verdict: Verdict
    at: int
    service: Service
    wants_next: bool
    arena: int | None


@dataclass(frozen=True)
class _Outcome:
    """What a handler finds: the event, and the next duel opened with it."""

    row: dict[str, Any]
    first: bool
    next: OpenDuel | None = None


def tell(
    service: Service,
    duel: str,
    voter: str,
    verdict: str,
    *,
    wants_next: bool = False,
    arena: int | None = None,
) -> Told:
    """Take in a verdict; when this returns it is on the disk.

    Parameters
    ----------
    service : Service
        The service.
    duel : str
        The id of the duel.
    voter : str
        The voter that was asked, as it was given to `ask`.
    verdict : str
        "left", "right", "tie", "bad" or "skip".
    wants_next : bool
        Whether to ask the next duel in the same step.
    arena : int, optional
        The number of the arena that the caller has a key of; a duel of another is forbidden.

    Raises
    ------
    Invalid, NotFound, Forbidden, Conflict, Gone, Unavailable
        If the verdict is none, or a tie where there are none; if the duel is unknown or another
        voter's; if it was told otherwise or taken back, or the arena is closed; if it has expired
        or an arm is gone; if the database fails, after which to tell again is safe.
    """
    request = _request(service, duel, voter, verdict, wants_next, arena)
    return _told(service, voter, request, service.writer.do(tell_many, request))


async def tell_async(
    service: Service,
    duel: str,
    voter: str,
    verdict: str,
    *,
    wants_next: bool = False,
    arena: int | None = None,
) -> Told:
    """Do what `tell` does without a thread for each voter that waits for the disk."""
    request = _request(service, duel, voter, verdict, wants_next, arena)
    done: _Outcome = await service.writer.do_async(tell_many, request)
    hosted = service.hosted_by_number(done.row["arena"])
    at_hand = hosted is not None and {done.row["left"], done.row["right"]} <= set(
        hosted.replica.arms
    )
    if wants_next:
        at_hand = at_hand and done.next is not None and done.next.context is None
    if at_hand:
        return _told(service, voter, request, done)
    return await to_thread(_told, service, voter, request, done)  # it reads the database


def _request(
    service: Service, duel: str, voter: str, verdict: str, wants_next: bool, arena: int | None
) -> _Tell:
    word = as_verdict(verdict)
    known = as_duel(duel)
    if known is None:
        raise NotFound("there is no such duel")
    now = now_in_microseconds()
    return _Tell(known, service.voter(voter), word, now, service, wants_next, arena)


def _told(service: Service, voter: str, request: _Tell, done: _Outcome) -> Told:
    """Return what became of a verdict that is on the disk."""
    row = done.row
    hosted = service.hosted_by_number(row["arena"]) or service.hosted(_slug(service, row["arena"]))
    if not {row["left"], row["right"]} <= set(hosted.replica.arms):
        service.follow()  # another process asked, of an arm that had just joined
        hosted = service.hosted(hosted.arena.slug)
    reveal = (hosted.replica.arms[row["left"]].name, hosted.replica.arms[row["right"]].name)
    reason = "skip" if row["kind"] == "skip" else row["reason"]
    following = None
    if request.wants_next:
        with suppress(Conflict):
            following = (
                ask(service, hosted.arena.slug, voter)
                if done.next is None
                else shown(service, hosted, done.next)
            )
    return Told(done.first, row["seq"], reason is None, reason, reveal, following)


def tell_many(connection: sa.Connection, tells: Sequence[_Tell]) -> list[_Outcome | ArenaError]:
    """Take in verdicts: a handler of the writer."""
    duels = statements.find_duels(connection, [one.duel for one in tells])
    arenas = statements.lock_arenas(connection, [one.arena for one in duels.values()])
    refused: dict[int, ArenaError] = {}
    chosen: dict[str, int] = {}  # the first of several verdicts on a duel
    for n, one in enumerate(tells):
        if one.duel in duels and one.duel not in chosen:
            duel = duels[one.duel]
            error = _refusal(connection, one, duel, arenas[duel.arena])
            if error is None:
                chosen[one.duel] = n
            else:
                refused[n] = error
    closed = statements.delete_duels(connection, list(chosen))
    done: dict[int, _Outcome] = {}
    for arena in arenas.values():
        mine = [n for id_, n in chosen.items() if id_ in closed and duels[id_].arena == arena.id]
        if mine:
            rows = [_event(tells[n], duels[tells[n].duel]) for n in mine]
            _mark_uncounted(connection, arena, rows)
            statements.append(connection, arena, rows)
            done.update((n, _Outcome(row, first=True)) for n, row in zip(mine, rows, strict=True))
    rest = [n for n in range(len(tells)) if n not in done and n not in refused]
    answers = statements.find_answers(connection, [tells[n].duel for n in rest])
    results: dict[int, _Outcome | ArenaError] = {**done, **refused}
    for n in rest:
        results[n] = _told_before(connection, tells[n], answers.get(tells[n].duel))
    _open_next(connection, tells, results)
    return [results[n] for n in range(len(tells))]


def retract(service: Service, duel: str, voter: str) -> Retracted:
    """Take back a verdict of this voter, within a minute.

    Raises
    ------
    NotFound, Forbidden, Conflict, Unavailable
        If nothing was told of the duel; if another voter was asked; if a minute has passed.
    """
    now = now_in_microseconds()

    def check(row: Any) -> None:
        if row.voter != service.voter(voter):
            raise Forbidden("the duel was asked of another voter")
        if now - row.at > UNDO:
            raise Conflict("a verdict can be taken back for 60 seconds")

    return _retract(service, duel, now, check)


def retract_as_owner(service: Service, slug: str, duel: str) -> Retracted:
    """Take back a verdict of an arena, at any time.

    Raises
    ------
    NotFound, Unavailable
        If nothing was told of such a duel of this arena.
    """
    number = service.hosted(slug).arena.id

    def check(row: Any) -> None:
        if row.arena != number:
            raise NotFound("there is no such duel in this arena")

    return _retract(service, duel, now_in_microseconds(), check)


def _retract(service: Service, duel: str, now: int, check: Any) -> Retracted:
    known = as_duel(duel)

    def take_back(connection: sa.Connection) -> int:
        row = statements.find_answers(connection, [known] if known else []).get(known or "")
        if row is None:
            raise NotFound("there is no such verdict")
        locked = statements.lock_arenas(connection, [row.arena])[row.arena]
        event = schema.event
        before = sa.select(event.c.seq).where(event.c.arena == row.arena, event.c.target == row.seq)
        seq = connection.scalar(before)
        if seq is None:
            check(row)
            fields = {"at": now, "kind": "retract", "voter": row.voter, "target": row.seq}
            seq = statements.append(connection, locked, [fields])
        return int(seq)

    return Retracted(service.writer.alone(take_back))


def _refusal(
    connection: sa.Connection, one: _Tell, duel: OpenDuel, arena: Arena
) -> ArenaError | None:
    """Return why an open duel cannot be told so, if it cannot."""
    if (error := _not_theirs(one, duel.arena, duel.voter)) is not None:
        return error
    if arena.status != "open":
        return Conflict("the arena is closed")
    if one.at > duel.expires_at:
        return Gone("the duel has expired")
    if one.verdict == "tie" and not arena.settings.ties:
        return Invalid("this arena takes no ties: say left, right, bad or skip")
    if duel.generation != arena.generation:
        offered = {arm.id for arm in statements.arms_of(connection, arena.id) if arm.offered}
        if not {duel.left, duel.right} <= offered:
            return Gone("an arm of the duel is not offered any more")
    return None


def _not_theirs(one: _Tell, arena: int, voter: str | None) -> ArenaError | None:
    """Return why a duel is not for who tells it, if it is not."""
    if one.arena not in (None, arena):
        return Forbidden("the duel is of another arena than the key")
    return None if voter == one.voter else Forbidden("the duel was asked of another voter")


def _event(one: _Tell, duel: OpenDuel) -> dict[str, Any]:
    return {
        "at": one.at,
        "kind": "skip" if one.verdict == "skip" else "vote",
        "duel": duel.id,
        "voter": duel.voter,
        "left": duel.left,
        "right": duel.right,
        "swapped": duel.swapped,
        "ticket": duel.ticket,
        "propensity": duel.propensity,
        "context": duel.context,
        "generation": duel.generation,
        "asked_at": duel.asked_at,
        "verdict": one.verdict,
        "reason": None,
    }


def _mark_uncounted(connection: sa.Connection, arena: Arena, rows: list[dict[str, Any]]) -> None:
    """Write into votes why they do not count: the voter is excluded, or has had its share."""
    voters = {row["voter"] for row in rows}
    excluded = statements.excluded_of(connection, arena.id, voters)
    cap = arena.settings.cap
    counts: dict[str, int] = {}
    if cap is not None:
        day = min(row["at"] for row in rows) // DAY * DAY
        counts = statements.votes_of_day(connection, arena.id, voters, day)
    for row in rows:
        voter = row["voter"]
        if row["kind"] != "vote":
            continue
        if cap is not None and counts.get(voter, 0) >= cap:
            row["reason"] = "cap"
        elif voter in excluded:
            row["reason"] = "excluded"
        else:
            counts[voter] = counts.get(voter, 0) + 1


def _told_before(connection: sa.Connection, one: _Tell, row: Any) -> _Outcome | ArenaError:
    """Return what is to be said of a duel that is not open any more."""
    if row is None:
        return NotFound("there is no such duel")
    if (error := _not_theirs(one, row.arena, row.voter)) is not None:
        return error
    if row.verdict != one.verdict:
        return Conflict(f"the duel was told already: {row.verdict}")
    if statements.is_retracted(connection, row.arena, row.seq):
        return Conflict("the verdict was taken back")
    return _Outcome(dict(row._mapping), first=False)


def _open_next(
    connection: sa.Connection, tells: Sequence[_Tell], results: dict[int, _Outcome | ArenaError]
) -> None:
    """Open the next duels of those who want one, in the same transaction."""
    opened = []
    for n, result in results.items():
        if not tells[n].wants_next or isinstance(result, ArenaError):
            continue
        hosted = tells[n].service.hosted_by_number(result.row["arena"])
        duel = None
        if hosted is not None and hosted.arena.status == "open":
            duel = tells[n].service.draw(hosted, tells[n].voter)
        if duel is not None:
            opened.append(duel)
            results[n] = replace(result, next=duel)
    statements.insert_duels(connection, opened)


def _slug(service: Service, number: int) -> str:
    with service.store.reading() as connection:
        return statements.find_arenas(connection, schema.arena.c.id == number)[0].slug
