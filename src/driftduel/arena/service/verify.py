"""Whether a database keeps its promises: everything is counted and folded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from driftduel.arena.changes import unexplained
from driftduel.arena.errors import Violation
from driftduel.arena.model import Arena
from driftduel.arena.replica import Replica
from driftduel.arena.service.copies import folded
from driftduel.arena.service.snapshots import from_snapshot
from driftduel.arena.store import checks, snapshots, statements
from driftduel.arena.store.connection import LONG, Connection
from driftduel.arena.store.database import Store
from driftduel.arena.versions import rules_of
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.storage import as_payload


@dataclass(frozen=True)
class Verified:
    """An arena in which nothing is wrong."""

    slug: str
    head: int
    votes: int
    open: int
    hash: str


def verify(store: Store, noted: Sequence[str] = ()) -> list[Verified]:
    """Check all arenas of a database.

    Parameters
    ----------
    store : Store
        The database.
    noted : sequence of str
        Hashes of logs that were noted earlier, as `Verified` has them: all are to be found again.

    Raises
    ------
    Violation
        At the first promise that is broken, with the arena and what is wrong.
    Conflict
        If an arena has rules of a newer program.
    """
    unseen = set(noted)
    with store.reading(each=LONG) as connection:
        try:
            damage = checks.damage_of(connection)
        except store.errors.DatabaseError as error:
            damage = str(error)
        if damage is not None:
            raise Violation(f"the database is damaged: {damage}")
        if (wrong := checks.wrong_row(connection)) is not None:
            raise Violation(f"the table {wrong[0]} has a row that {wrong[1]}")
        if (image := checks.wrong_image(connection)) is not None:
            raise Violation(f"the image {image} is not the one that was stored")
        found = [
            _verified(connection, arena, unseen) for arena in statements.find_arenas(connection)
        ]
    for one in noted:
        if one in unseen:
            raise Violation(f"no log has the hash {one[:80]}: events before it were changed")
    return found


def _verified(connection: Connection, arena: Arena, unseen: set[str]) -> Verified:
    """Check an arena, and take out of ``unseen`` the hashes that its log has."""

    def broken(what: str) -> Violation:
        return Violation(f"arena {arena.slug}: {what}")

    rules_of(arena.learner, arena.rules)  # or refuse what a newer program made
    n, first, last = checks.ends(connection, arena.id)
    if n != arena.head or last != arena.head:
        raise broken(f"head is {arena.head:,}, but there are {n:,} events up to {last:,}")
    if n and first != 1:
        raise broken(f"the first event is {first:,}, must be 1")
    if checks.is_open_and_answered(connection, arena.id):
        raise broken("a duel is open that was answered")
    if wrong := checks.first_wrong(connection, arena):
        raise broken(f"event {wrong[0]:,} {wrong[1]}")
    if _over_the_cap(connection, arena):
        raise broken("more votes of a voter count on a day than the cap allows")
    if wrong_seq := checks.first_without_target(connection, arena.id):
        raise broken(f"event {wrong_seq:,} takes back what is no vote")
    if wrong_seq := checks.first_withdrawn_wrongly(connection, arena.id, arena.head):
        raise broken(f"event {wrong_seq:,} takes back what is no import")
    replica = _fold(connection, arena)
    if list(replica.arms.values()) != statements.arms_of(connection, arena.id):
        raise broken("the arms are not those that the events give")
    if replica.generation != arena.generation:
        raise broken(f"generation is {arena.generation}, the events give {replica.generation}")
    if (wrong_change := _wrong_change(connection, arena, replica)) is not None:
        raise broken(f"event {wrong_change[0]:,} {wrong_change[1]}")
    accepted = [body["to"] for _, kind, body in replica.said if kind == "rules"]
    if accepted and accepted[-1] != arena.rules:
        raise broken(f"rules are {arena.rules}, the events give {accepted[-1]}")
    snapshot = snapshots.snapshot_of(connection, arena.id)
    kept = from_snapshot(connection, replace(arena, head=snapshot[0] if snapshot else 0))
    if kept is not None and not _is_alike(kept, _fold(connection, arena, kept.head)):
        raise broken(f"its snapshot is not the fold of its {kept.head:,} events")
    open_now = sum(statements.count_duels(connection, arena.id, now=0))
    head = ""
    for _, head in checks.hashes_of(connection, arena):
        unseen.discard(head)
    if head != arena.chain:
        raise broken("its hash is not that of its events: one of them was changed")
    return Verified(arena.slug, arena.head, len(replica.times), open_now, head)


def _wrong_change(connection: Connection, arena: Arena, replica: Replica) -> tuple[int, str] | None:
    """Return an event that declares a change which cannot be, and why."""
    for seq, kind, body in replica.said:
        if kind == "change":
            votes = [body[name] for name in ("around", "earliest", "latest", "noticed")]
            if not {body["before"], body["after"]} <= set(replica.arms):
                return seq, "declares a change of arms that never were"
            if any(vote is not None and vote["seq"] >= seq for vote in votes):
                return seq, "declares a change by votes that came later"
    hidden = unexplained(replica, statements.last_refold(connection, arena.id))
    return None if hidden is None else (hidden, "declares a change that the votes do not show")


def _over_the_cap(connection: Connection, arena: Arena) -> bool:
    """Tell whether more votes of a voter count on a day than may, if that was never changed."""
    cap = arena.settings.cap
    if cap is None or any("cap" in body for body in statements.settings_of(connection, arena.id)):
        return False
    return checks.is_over_the_cap(connection, arena.id, cap)


def _fold(connection: Connection, arena: Arena, head: int | None = None) -> Replica:
    try:
        return folded(connection, arena if head is None else replace(arena, head=head))
    except (ValueError, AssertionError, LookupError, TypeError) as error:
        raise Violation(f"arena {arena.slug}: its events cannot be folded: {error}") from error


def _is_alike(one: Replica, other: Replica) -> bool:
    """Tell whether two copies are equal in all that is said of them."""
    return state_of(one) == state_of(other) and _counted(one) == _counted(other)


def _counted(replica: Replica) -> object:
    """Return what a copy counted and knows of arms, beside its learner."""
    tally = [column.tolist() for column in vars(replica.tally).values()]
    return tally, replica.sides.tolist(), replica.arms, replica.offers, replica.generation


def state_of(replica: Replica) -> object:
    """Return all that the learner of a copy is; two copies are equal if this is."""
    if replica.learner is None:
        return replica.head
    said = (replica.rules.name, replica.said, replica.shifts)
    return (replica.head, replica.standing, said), replica.times.tobytes(), learned(replica.learner)


def learned(learner: Learner) -> dict[str, Any]:
    """Return all that a learner learned, without what tells two of the same votes apart."""
    payload = as_payload(learner)
    payload["session"].pop("name")  # drawn for each object
    # Of notes that were read, the places depend on how many votes were told at once.
    payload["session"]["state"].pop("state.declared.journal.notes", None)
    return payload
