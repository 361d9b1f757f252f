"""Changes that were declared are events: what was said stays said.

A copy of the learner that finds a change which the log does not have appends an event ``change``.
So a change keeps its dates when the rules are upgraded, and when votes that it rested on count no
longer it is listed as withdrawn. A fold that finds it again takes that back.

A change of the fold is that of an event if both are from the same arm to the same arm, and their
ranges of votes overlap or the same vote made them known. Whether an event of earlier rules still
holds cannot be told by those of now; whether it did when these were accepted is in that event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from driftduel.arena.rules import now
from driftduel.arena.store import statements
from driftduel.learners.driftpoll.changes import MOST_CHANGES

if TYPE_CHECKING:
    from driftduel.arena.model import Arena
    from driftduel.arena.replica import Replica
    from driftduel.arena.store.connection import Connection

Row = dict[str, Any]


class Vote(NamedTuple):
    """A vote: the number of its event, and when it was cast."""

    seq: int
    at: int


@dataclass(frozen=True)
class Change:
    """A change that was declared.

    Attributes
    ----------
    before, after : int
        The arms that were best before and after.
    around, earliest, latest, noticed : Vote or None
        With which vote it seems to have come, with which at the earliest and at the latest, and
        which made it known.
    rules : int
        The version of the rules that found it.
    seq : int or None
        The event that says so; None if there is none yet.
    withdrawn : bool
        Whether the votes that count now do not show it.
    """

    before: int
    after: int
    around: Vote | None
    earliest: Vote | None
    latest: Vote | None
    noticed: Vote | None
    rules: int
    seq: int | None = None
    withdrawn: bool = False

    @property
    def body(self) -> Row:
        """What its event has."""
        moments = {name: getattr(self, name) for name in _MOMENTS}
        return {
            "before": self.before,
            "after": self.after,
            **{name: one and one._asdict() for name, one in moments.items()},
            "rules": self.rules,
        }

    @classmethod
    def of_event(cls, seq: int, body: Any, withdrawn: bool) -> Change:
        """Return the change that an event declares."""
        moments = {name: body[name] and Vote(**body[name]) for name in _MOMENTS}
        return cls(
            body["before"], body["after"], **moments, rules=body["rules"], seq=seq,
            withdrawn=withdrawn,
        )  # fmt: skip

    def is_same(self, other: Change) -> bool:
        """Tell whether another one is this one."""
        if (self.before, self.after) != (other.before, other.after):
            return False
        if self.noticed is not None and self.noticed == other.noticed:
            return True
        ends = (self.earliest, self.latest, other.earliest, other.latest)
        if any(end is None for end in ends):
            return self.around is not None and self.around == other.around
        first, last, other_first, other_last = (end.seq for end in ends if end is not None)
        return first <= other_last and other_first <= last


_MOMENTS = ("around", "earliest", "latest", "noticed")


def changes_of(replica: Replica) -> list[Change]:
    """Return all changes that were declared, as the log has them, and those not in it yet."""
    with replica.lock:
        found = found_by(replica)
        said, new = _matched(replica, found)
    return sorted([*said, *new], key=_place)


def unsaid(replica: Replica) -> list[Row]:
    """Return events to append: changes that the copy finds and the log does not have."""
    with replica.lock:
        _, new = _matched(replica, found_by(replica))
    return [{"at": now(), "kind": "change", "body": one.body} for one in new]


def append_changes(
    connection: Connection,
    number: int,
    head: int,
    rows: list[Row],
    also: Callable[[Connection, int], None],
) -> bool:
    """Append changes that a copy found as of an event, and tell whether that was done.

    It is not if something was said, or votes count otherwise, since: another process may have been
    quicker, and the next look finds what is missing then. ``also`` is done in the same step, with
    the number of the first event.
    """
    arena = statements.lock_arenas(connection, [number])[number]
    if statements.is_retold(connection, number, head, arena.head):
        return False
    also(connection, statements.append(connection, arena, rows))
    return True


def append_rules(connection: Connection, locked: Arena, replica: Replica, to: int) -> None:
    """Let an arena that is locked have other rules; ``replica`` is as of its head or nearly.

    The event keeps which changes are withdrawn, as the new rules cannot tell that of old ones.
    """
    body = {"from": locked.rules, "to": to, "withdrawn": withdrawn_of(replica)}
    statements.append(connection, locked, [{"at": now(), "kind": "rules", "body": body}], rules=to)


def unexplained(replica: Replica, last_refold: int) -> int | None:
    """Return an event that declares a change which the votes do not show, None if there is none.

    Of one that is of earlier rules, or after which votes were taken back or voters excluded, up to
    the event ``last_refold``, nobody can tell.
    """
    with replica.lock:
        said, _ = _matched(replica, found_by(replica))
    for one in said:
        assert one.seq is not None
        if one.withdrawn and one.rules == replica.rules.version and one.seq > last_refold:
            return one.seq
    return None


def found_by(replica: Replica) -> list[Change]:
    """Return the changes that the learner of a copy declared, in order."""
    if replica.learner is None:
        return []

    def vote(round_: int | None) -> Vote | None:
        seq, at = replica.seq_of(round_), replica.time_of(round_)
        return None if seq is None or at is None else Vote(seq, at)

    return [
        Change(
            before=replica.arm_in(one.before).id,
            after=replica.arm_in(one.after).id,
            around=vote(one.around),
            earliest=vote(one.earliest),
            latest=vote(one.latest),
            noticed=vote(one.noticed),
            rules=replica.rules.version,
        )
        for one in replica.learner.changes
    ]


def withdrawn_of(replica: Replica) -> list[int]:
    """Return the events of changes that are withdrawn now."""
    return [one.seq for one in changes_of(replica) if one.withdrawn and one.seq is not None]


def _matched(replica: Replica, found: Sequence[Change]) -> tuple[list[Change], list[Change]]:
    """Return the changes of the log, and those that were found and are not among them."""
    withdrawn: set[int] = set()  # by earlier rules
    for _, kind, body in replica.said:
        if kind == "rules":
            withdrawn |= set(body["withdrawn"])
    left = list(found)
    said = []
    for seq, kind, body in replica.said:
        if kind == "change":
            one = Change.of_event(seq, body, withdrawn=False)
            same = next((other for other in left if one.is_same(other)), None)
            if same is not None:
                left.remove(same)
            elif one.rules != replica.rules.version:
                one = Change.of_event(seq, body, withdrawn=seq in withdrawn)
            elif not _forgotten(one, found):
                one = Change.of_event(seq, body, withdrawn=True)
            said.append(one)
    return said, left


def _forgotten(one: Change, found: Sequence[Change]) -> bool:
    """Tell whether a learner may know a change no longer, as many came after it."""
    return len(found) >= MOST_CHANGES and _place(one) < _place(found[-1])


def _place(one: Change) -> tuple[int, int]:
    """Return where a change is in the order of the log."""
    around = one.around.seq if one.around is not None else 0
    return around, one.noticed.seq if one.noticed is not None else 0
