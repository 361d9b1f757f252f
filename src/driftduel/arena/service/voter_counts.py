"""Counts of who voted how and when, kept up with the log: a look reads what is new, not all.

What a database sums up for a million events takes it a second; for those since the last look, no
time. A vote that was taken back is summed up once more and subtracted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa

from driftduel.arena.model import DAY
from driftduel.arena.store import schema

QUICK = 400_000
"""Microseconds below which nobody has looked at two cards."""


@dataclass
class Counts:
    """Verdicts of a voter that were not taken back: votes by side, quick ones, over the cap."""

    votes: int = 0
    left: int = 0
    right: int = 0
    quick: int = 0
    capped: int = 0
    skips: int = 0


class Watch:
    """What was counted up to ``head``.

    Attributes
    ----------
    voters : dict of str to Counts
        By voter.
    seen : dict of str to int
        When a voter was last seen.
    days : dict of int to (int, int)
        Votes and skips by day, with votes that were imported.
    answered : int
        Duels that were answered, whatever became of the verdict.
    """

    def __init__(self) -> None:
        self.head = 0
        self.voters: dict[str, Counts] = {}
        self.seen: dict[str, int] = {}
        self.days: dict[int, tuple[int, int]] = {}
        self.answered = 0

    def followed(self, connection: sa.Connection, number: int, head: int) -> Watch:
        """Count the events of an arena up to a seq; return these counts, or new ones."""
        event = schema.event
        mine = event.c.arena == number
        new = [mine, event.c.seq > self.head, event.c.seq <= head]
        forgotten = sa.select(event.c.seq).where(*new, event.c.kind == "forget").limit(1)
        if self.head and connection.scalar(forgotten) is not None:  # voters have other names
            return Watch().followed(connection, number, head)
        targets = sa.select(event.c.target).where(*new, event.c.kind == "retract")
        gone = [mine, event.c.seq.in_(list(connection.scalars(targets)))]
        found = [
            [connection.execute(query.where(*where)).all() for query in (_BY_VOTER, _BY_DAY)]
            for where in (new, gone)
        ]
        for (by_voter, by_day), sign in zip(found, (1, -1), strict=True):
            self._count_voters(by_voter, sign)
            self._count_days(by_day, sign)
        self.head = head
        return self

    def _count_voters(self, rows: Iterable[Any], sign: int) -> None:
        for voter, at, *sums in rows:
            counts = self.voters.setdefault(voter, Counts())
            for name, n in zip(_NAMES, sums, strict=True):
                setattr(counts, name, getattr(counts, name) + sign * int(n))
            self.seen[voter] = max(self.seen.get(voter, 0), at)
            self.answered += int(sums[0] + sums[-1]) if sign > 0 else 0

    def _count_days(self, rows: Iterable[Any], sign: int) -> None:
        for day, votes, skips in rows:
            before = self.days.get(day, (0, 0))
            self.days[day] = (before[0] + sign * int(votes), before[1] + sign * int(skips))


def _sum(*conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[Any]:
    return sa.func.sum(sa.case((sa.and_(*conditions), 1), else_=0))


_NAMES = [item.name for item in fields(Counts)]
_EVENT = schema.event.c
_IS_VOTE = _EVENT.kind == "vote"
_SUMS = [
    _sum(_IS_VOTE),
    _sum(_IS_VOTE, _EVENT.verdict == "left"),
    _sum(_IS_VOTE, _EVENT.verdict == "right"),
    _sum(_IS_VOTE, _EVENT.at - _EVENT.asked_at < QUICK),
    _sum(_IS_VOTE, _EVENT.reason == "cap"),
    _sum(_EVENT.kind == "skip"),
]
"""In the order of `Counts`."""

# An expression: by the column SQLite would read all events, as an index has that order.
_VOTER = (_EVENT.voter + "").label("name")
_BY_VOTER = (
    sa.select(_VOTER, sa.func.max(_EVENT.at), *_SUMS)
    .where(_EVENT.kind.in_(["vote", "skip"]))
    .group_by(_VOTER)
)
_DAY = (_EVENT.at - _EVENT.at % DAY).label("day")
_BY_DAY = (
    sa.select(_DAY, _sum(_EVENT.kind != "skip"), _SUMS[-1])
    .where(_EVENT.kind.in_(["vote", "skip", "import"]))
    .group_by(_DAY)
)
