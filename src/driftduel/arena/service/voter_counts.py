"""Counts of who voted how and when, kept up with the log: a look reads what is new, not all.

What a database sums up for a million events takes it a second; for those since the last look, no
time. A vote that was taken back is summed up once more and subtracted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from driftduel.arena.store import counts as tables
from driftduel.arena.store.connection import Connection
from driftduel.arena.store.statements import imports_of

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


class VoterCounts:
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

    def followed(self, connection: Connection, number: int, head: int) -> VoterCounts:
        """Count the events of an arena up to a seq; return these counts, or new ones."""
        if self.head and tables.forgot(connection, number, self.head, head):
            return VoterCounts().followed(connection, number, head)  # voters have other names
        span = (connection, number, self.head, head)
        found = [
            (
                tables.by_voter(*span, QUICK, taken_back=gone),
                tables.by_day(*span, taken_back=gone),
            )
            for gone in (False, True)
        ]
        for (by_voter, by_day), sign in zip(found, (1, -1), strict=True):
            self._count_voters(by_voter, sign)
            self._count_days(by_day, sign)
        for _, kind, body in imports_of(connection, number, self.head, head):
            if kind == "withdraw":
                for low, high in body["ranges"]:
                    gone = tables.by_day(connection, number, low - 1, high, taken_back=False)
                    self._count_days(gone, -1)
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


_NAMES = [item.name for item in fields(Counts)]
