"""Telling: a verdict becomes an event, once, and may be taken back."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from driftduel.arena import rules
from driftduel.arena.errors import ArenaError, Conflict, Forbidden, NotFound
from driftduel.arena.fields import Fields, as_fields
from driftduel.arena.model import UNSENT, OpenDuel, as_duel, as_verdict
from driftduel.arena.rules import Outcome, Row, Tell, take_back, tell_all
from driftduel.arena.seen import look_up
from driftduel.arena.service.copies import Hosted
from driftduel.arena.service.duels import Asked, ask, reveals_names, shown, shows_cards
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.service.writer import Waiter
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection

UNDO = 60_000_000
"""Microseconds for which a voter may take a verdict back."""


class Reveal(NamedTuple):
    """The names of the arms."""

    left: str
    right: str


@dataclass(frozen=True)
class Receipt:
    """What became of a verdict.

    Attributes
    ----------
    first : bool
        Whether it was told now; False if the same had been told before. Nothing else differs.
    seq : int
        The number of its event.
    counted : bool
        Whether the learner was told; ``reason`` says why not: skip, cap, excluded, or again, of
        somebody who is invited and has voted on that pair.
    reveal : Reveal or None
        The names of the arms, if a vote reveals them: who skipped may be asked of them again, and
        a blind poll with cards reveals none unless it is so set.
    next : Asked or None
        The next duel, if it was asked for and there is one.
    """

    first: bool = field(metadata=UNSENT)
    seq: int
    counted: bool
    reason: Literal["skip", "cap", "excluded", "again"] | None
    reveal: Reveal | None
    next: Asked | None = None


@dataclass(frozen=True)
class Retracted:
    """A vote was taken back by event ``seq``; to do it again gives the same."""

    seq: int


@dataclass
class _Tell(Tell):
    service: Service
    name: str  # of the voter, as it was given
    wants_next: bool
    unseen: bool = False


def tell(
    service: Service,
    duel: str,
    voter: str,
    verdict: str,
    *,
    wants_next: bool = False,
    unseen: bool = False,
    arena: int | None = None,
    fields: Fields | None = None,
) -> Receipt:
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
    unseen : bool
        Whether the next is a pair that the voter has not seen, as `ask` has it.
    arena : int, optional
        The number of the arena that the caller has a key of; a duel of another is forbidden.
    fields : mapping of str to str, bool or int, optional
        What kind of voter it is, as `ask` has it; what it says in place of what was said there.

    Raises
    ------
    Invalid, NotFound, Forbidden, Conflict, Gone, Unavailable
        If the verdict is none, or a tie where there are none; if the duel is unknown or another
        voter's; if it was told otherwise or taken back, or the poll is closed; if it has expired
        or an arm is gone; if the database fails, after which to tell again is safe.
    """
    request = _request(service, duel, voter, verdict, wants_next, arena, unseen, fields)
    return receipt_of(request, service.writer.do(tell_many, request))


async def tell_async(
    service: Service,
    duel: str,
    voter: str,
    verdict: str,
    *,
    wants_next: bool = False,
    arena: int | None = None,
    fields: Fields | None = None,
) -> Receipt:
    """Do what `tell` does without a thread for each voter that waits for the disk."""
    request = _request(service, duel, voter, verdict, wants_next, arena, fields=fields)
    done: Outcome = await service.writer.do_async(tell_many, request)
    at_hand = receipt_at_hand(request, done)
    return await to_thread(receipt_of, request, done) if at_hand is None else at_hand


def begin_to_tell(
    service: Service,
    waiter: Waiter,
    duel: str,
    voter: str,
    verdict: str,
    *,
    wants_next: bool,
    arena: int,
    fields: Fields | None = None,
) -> Any:
    """Do the same for who waits in a way of its own; return what `receipt_of` wants then.

    The waiter gets an `ArenaError`, or what `receipt_of` wants besides.
    """
    request = _request(service, duel, voter, verdict, wants_next, arena, fields=fields)
    service.writer.begin(tell_many, request, waiter)
    return request


def receipt_at_hand(request: _Tell, done: Outcome) -> Receipt | None:
    """Return what became of a verdict that is on the disk, None if the database must be read."""
    hosted = request.service.hosted_by_number(done.row["arena"])
    if hosted is None:
        return None
    arms = hosted.replica.arms
    if done.row["left"] not in arms or done.row["right"] not in arms:
        return None
    if request.wants_next and (done.next is None or shows_cards(hosted, done.next)):
        return None
    return receipt_of(request, done)


def _request(
    service: Service,
    duel: str,
    voter: str,
    verdict: str,
    wants_next: bool,
    arena: int | None,
    unseen: bool = False,
    fields: Fields | None = None,
) -> _Tell:
    word = as_verdict(verdict)
    known = as_duel(duel)
    if known is None:
        raise NotFound("there is no such duel")
    now = now_in_microseconds()
    name = service.voter(voter)
    said = as_fields(fields)
    return _Tell(known, name, word, now, arena, service, voter, wants_next, unseen, fields=said)


def receipt_of(request: _Tell, done: Outcome) -> Receipt:
    """Return what became of a verdict that is on the disk."""
    row, service = done.row, request.service
    hosted = service.hosted_by_number(row["arena"]) or service.hosted(_slug(service, row["arena"]))
    if not {row["left"], row["right"]} <= set(hosted.replica.arms):
        service.follow(hosted.arena.slug)  # another process asked, of an arm that had just joined
        hosted = service.hosted(hosted.arena.slug)
    left, right = (hosted.replica.arms[row[side]].name for side in ("left", "right"))
    reason: Any = "skip" if row["kind"] == "skip" else row["reason"]
    following = None
    if request.wants_next:
        if done.next is not None:
            following = shown(service, hosted, done.next, done.left)
        else:
            with suppress(Conflict):
                following = _ask_next(hosted, request, row)
    hides = row["kind"] == "skip" or not reveals_names(hosted, (row["left"], row["right"]))
    reveal = None if hides else Reveal(left, right)
    return Receipt(done.first, row["seq"], reason is None, reason, reveal, following)


def _ask_next(hosted: Hosted, request: _Tell, row: Row) -> Asked:
    """Ask the next duel of a voter of whom the same is said."""
    said = None if row["fields"] is None else json.loads(row["fields"])
    slug = hosted.arena.slug
    return ask(request.service, slug, request.name, unseen=request.unseen, fields=said)


def tell_many(connection: Connection, tells: Sequence[_Tell]) -> list[Outcome | ArenaError]:
    """Take in verdicts: a handler of the writer."""
    results = tell_all(connection, tells)
    opened: dict[int, tuple[OpenDuel, int | None]] = {}
    together: dict[int, dict[int, rules.Asker]] = {}
    for n, result in enumerate(results):
        if isinstance(result, ArenaError):
            continue
        number, asker = result.row["arena"], (tells[n].voter, result.row["fields"])
        if not tells[n].wants_next:
            tells[n].service.waiting.take(number, tells[n].voter)
        elif not tells[n].unseen:
            together.setdefault(number, {})[n] = asker
        elif (following := _next(connection, tells[n], number, asker)) is not None:
            opened[n] = following
    for number, askers in together.items():
        service = tells[next(iter(askers))].service
        if (hosted := _going_on(service, number)) is not None:
            duels = service.draw_many(hosted, [*askers.values()])
            opened.update((n, (duel, None)) for n, duel in zip(askers, duels, strict=False))
    # What follows takes the place of what was answered, in the same transaction.
    statements.insert_duels(connection, [duel for duel, _ in opened.values()])
    for n, (duel, left) in opened.items():
        done = results[n]
        assert isinstance(done, Outcome)
        results[n] = Outcome(done.row, done.first, duel, left)
    return results


def _next(
    connection: Connection, tell: _Tell, number: int, asker: rules.Asker
) -> tuple[OpenDuel, int | None] | None:
    """Draw the next duel of a voter; return it, if there is one, and how many are left today."""
    hosted = _going_on(tell.service, number)
    if hosted is None:
        return None
    offered = hosted.replica.offered
    progress = look_up(connection, hosted.arena, offered, tell.voter, tell.at)
    if progress.left == 0:
        return None
    duel = tell.service.draw(hosted, tell.voter, progress.seen, asker[1])
    return None if duel is None else (duel, progress.left)


def _going_on(service: Service, number: int) -> Hosted | None:
    """Return an arena that is loaded and open."""
    hosted = service.hosted_by_number(number)
    return None if hosted is None or hosted.arena.state != "open" else hosted


def retract(service: Service, duel: str, voter: str, *, arena: int | None = None) -> Retracted:
    """Take back a verdict of this voter, within a minute; ``arena`` is as `tell` has it.

    Raises
    ------
    NotFound, Forbidden, Conflict, Unavailable
        If nothing was told of the duel; if another voter was asked, or it is of another arena; if a
        minute has passed, or it was done very often on this day.
    """
    now = now_in_microseconds()

    def check(row: Row, again: bool) -> None:
        if arena not in (None, row["arena"]):
            raise Forbidden("the duel is of another arena than the key")
        if row["voter"] != service.voter(voter):
            raise Forbidden("the duel was asked of another voter")
        if now - row["at"] > UNDO and not again:
            raise Conflict("a verdict can be taken back for 60 seconds")

    return _retract(service, duel, now, check, bounded=True)


def retract_as_owner(service: Service, slug: str, duel: str) -> Retracted:
    """Take back a verdict of an arena, at any time.

    Raises
    ------
    NotFound, Unavailable
        If nothing was told of such a duel of this arena.
    """
    number = service.hosted(slug).arena.id

    def check(row: Row, again: bool) -> None:
        if row["arena"] != number:
            raise NotFound("there is no such duel in this arena")

    return _retract(service, duel, now_in_microseconds(), check)


def _retract(
    service: Service,
    duel: str,
    now: int,
    check: Callable[[Row, bool], None],
    *,
    bounded: bool = False,
) -> Retracted:
    known = as_duel(duel)
    return Retracted(
        service.writer.alone(
            lambda connection: take_back(connection, known, now, check, bounded=bounded)
        )
    )


def _slug(service: Service, number: int) -> str:
    with service.store.reading() as connection:
        return statements.arenas_of(connection, [number])[0].slug
