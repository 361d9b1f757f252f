"""A poll is played on the real service, with a clock that is simulated, and looked at meanwhile.

Voters come through the day and are asked every pair once, as on the voters' page. The owner looks
some times a day, and just after everything that the owner does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from driftduel.arena import rules
from driftduel.arena import service as arena
from driftduel.arena.crowd import verdict_of
from driftduel.arena.model import DAY
from driftduel.arena.store import statements
from driftduel.verdict import likely as words
from driftduel.verdict import text
from driftduel.verdict.parts import plain
from studies.owner.judging import Judged, judge
from studies.owner.polls import Edit, Poll

START = 1_760_000_400_000_000 // DAY * DAY
"""When the first day begins."""

_AT_ONCE = 10
"""Votes after which what is known is brought up to date."""

_STAY = 6
"""Answers of a voter, on average, who has not seen every pair by then."""


@dataclass(frozen=True)
class Look:
    """What the page said when the owner looked.

    Attributes
    ----------
    poll, kind : str
    day : float
    votes : int
    after : int or None
        How many votes there were since the owner changed the options; None if that was not looked
        for.
    said : str
        The sentences on top of the page and those of changes.
    judged : Judged
    """

    poll: str
    kind: str
    day: float
    votes: int
    after: int | None
    said: str
    judged: Judged

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table."""
        own = {name: value for name, value in asdict(self).items() if name != "judged"}
        told = asdict(self.judged)
        told |= {name: "; ".join(told[name]) for name in ("false", "clashes")}
        return own | told


class _Clock:
    """The time of the service while a poll is played."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> int:
        return self.at


def play(poll: Poll, days: float = 21.0, votes: int = 200, looks: int = 3) -> list[Look]:
    """Return what an owner saw who looked so many times a day."""
    clock = _Clock()
    rng = np.random.default_rng([poll.seed, 7])
    found: list[Look] = []
    with (
        patch.object(rules, "now", clock),
        TemporaryDirectory(prefix="driftduel-") as folder,
        arena.Service.open(f"sqlite:{folder}/arena.db") as service,
    ):
        arena.create_arena(service, poll.name, "Which?", poll.options, seed=poll.seed)
        week = _Week(poll, service, clock, rng, votes)
        moments: list[tuple[float, Edit | None]] = [(one.day, one) for one in poll.edits]
        moments += [((n + 1) / looks, None) for n in range(round(days * looks))]
        for day, edit in sorted(moments, key=lambda one: one[0]):
            week.vote_until(day)
            if edit is None:
                found.append(week.look())
                continue
            named = bool(found) and found[-1].judged.named is not None
            week.edit(edit)
            found.append(week.look(after=0 if named else None))
            while named and found[-1].judged.named is None:  # how long the page hesitates
                before = week.votes
                week.vote_until(week.day + _AT_ONCE / votes)
                since = (found[-1].after or 0) + week.votes - before
                found.append(week.look(after=since))
    return found


class _Week:
    """A poll that is under way."""

    def __init__(
        self,
        poll: Poll,
        service: arena.Service,
        clock: _Clock,
        rng: np.random.Generator,
        votes: int,
    ) -> None:
        self.poll, self.service, self.clock, self.rng = poll, service, clock, rng
        self.votes = 0
        self._turns = self._voters(votes)
        self._next = next(self._turns)
        self._seen: dict[str, set[tuple[int, int]]] = {}

    @property
    def day(self) -> float:
        """How many days there were."""
        return (self.clock.at - START) / DAY

    def _voters(self, votes: int) -> Iterator[tuple[int, str]]:
        """Yield when somebody is asked, and who: the votes of a day one after the other."""
        day, number = 0, 0
        pairs = len(self.poll.options) * (len(self.poll.options) - 1) // 2
        while True:
            turns: list[tuple[int, str]] = []
            while len(turns) < votes:
                number += 1
                begin = day * DAY + int(self.rng.beta(4.0, 3.0) * DAY)
                stay = min(int(self.rng.geometric(1 / _STAY)), pairs, votes - len(turns))
                for n in range(stay):
                    turns.append((min(begin + n * 8_000_000, (day + 1) * DAY - 1), f"v{number}"))
            yield from sorted(turns)
            day += 1

    def vote_until(self, day: float) -> None:
        """Let people vote until a day."""
        until = START + round(day * DAY)
        while START + self._next[0] < until:
            batch: list[tuple[int, str]] = []
            while len(batch) < _AT_ONCE and START + self._next[0] < until:
                batch.append(self._next)
                self._next = next(self._turns)
            self._answer(batch)
        self.clock.at = until

    def _answer(self, batch: list[tuple[int, str]]) -> None:
        hosted = self.service.hosted(self.poll.name)
        offered = set(hosted.replica.offered)
        duels, tells = [], []
        for since, who in batch:
            self.clock.at = START + since
            seen = {pair for pair in self._seen.setdefault(who, set()) if offered.issuperset(pair)}
            if 2 * len(seen) == len(offered) * (len(offered) - 1):
                continue  # the page says thank you
            voter = self.service.voter(who)
            drawn = rules.draw(
                hosted.arena, hosted.replica, {}, self.rng, voter, self.clock.at, seen
            )
            assert drawn is not None
            self._seen[who].add((min(drawn.left, drawn.right), max(drawn.left, drawn.right)))
            left, right = (hosted.replica.arms[arm].name for arm in (drawn.left, drawn.right))
            verdict = verdict_of(self.poll.strengths(self.day), left, right, self.rng)
            duels.append(drawn)
            tells.append(rules.Tell(drawn.id, voter, verdict, self.clock.at, hosted.arena.id))
            self.votes += verdict != "skip"
        with self.service.store.writing() as connection:
            statements.insert_duels(connection, duels)
            rules.tell_all(connection, tells)
        self.service.follow(self.poll.name)

    def edit(self, edit: Edit) -> None:
        """Do what the owner does."""
        slugs = {one.name: one.slug for one in arena.describe(self.service, self.poll.name).arms}
        arena.change_arms(
            self.service,
            self.poll.name,
            add=edit.join,
            pause=[slugs[one] for one in edit.pause],
            resume=[] if edit.pause else [slugs[one] for one in edit.resume],
        )
        if edit.pause and edit.resume:
            arena.change_arms(
                self.service, self.poll.name, resume=[slugs[one] for one in edit.resume]
            )

    def look(self, after: int | None = None) -> Look:
        """Return what the page says now."""
        now = arena.status(self.service, self.poll.name)
        hero, beside = words.opening(now.likely, now.standing)
        told = [*hero, *beside, *text.news(now.standing)]
        said = " ".join(map(plain, told))
        opening = " ".join(map(plain, hero))
        judged = judge(self.poll, now, opening, START)
        return Look(self.poll.name, self.poll.kind, self.day, now.votes, after, said, judged)
