"""What an arena knows: the standing of its options, with dates, and on which side voters chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from driftduel.arena import changes as declared
from driftduel.arena.likely import Looks, known_of
from driftduel.arena.model import DAY, Arena, Arm
from driftduel.arena.replica import Replica
from driftduel.learners.contract.report import Report
from driftduel.verdict import likely as words
from driftduel.verdict.likely import Likely
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import (
    Change,
    Earlier,
    Event,
    Moment,
    Option,
    Reset,
    Standing,
)
from driftduel.verdict.successors import with_successors
from driftduel.votes.likely.telling import Telling
from driftduel.votes.likely.variants import Counted
from driftduel.votes.likely.variants import counted as counted_as_one


@dataclass(frozen=True)
class Status:
    """An arena as of ``head``.

    Attributes
    ----------
    standing : Standing
        Who is best, since when, how sure, what changed, and what is undecided.
    left, right, neither : int
        On which side voters found the better one.
    told : Telling or None
        The likely story; None if there is none, as without a vote.
    counted : Counted or None
        Who is likely best if variants of one thing count as one, if some are on offer.
    """

    arena: Arena
    head: int
    standing: Standing
    left: int
    right: int
    neither: int
    told: Telling | None = field(default=None, compare=False)  # follows from the votes
    counted: Counted | None = field(default=None, compare=False)

    @property
    def votes(self) -> int:
        """How many votes count."""
        return self.standing.votes

    @property
    def best(self) -> str | None:
        """The name of the option in front, None before the first vote."""
        best = self.standing.best
        return None if best is None else self.standing.options[best].name

    @property
    def decided(self) -> bool:
        """Whether it is proved to be best."""
        return bool(self.standing.decided)

    @property
    def arms(self) -> tuple[Option, ...]:
        """All options."""
        return self.standing.options

    @property
    def likely(self) -> Likely | None:
        """The likely story as a record."""
        return None if self.told is None else self.told.likely

    @property
    def text(self) -> str:
        """The same in words, which are those of the pages; times are UTC."""
        told = words.beside(self.likely, self.standing)
        return told if self.counted is None else f"{told}\n{plain(self.counted.sentence)}"


def status_of(arena: Arena, replica: Replica, looks: Looks | None = None) -> Status:
    """Return what a copy knows of an arena; ``looks`` keeps the story for the next time."""
    with replica.lock:  # so that all of it is of one head
        left, right, neither = (int(n) for n in replica.sides)
        standing, known = standing_of(arena, replica), known_of(replica)
    looks = looks or Looks()
    told = looks.tell(known)
    if standing.best is not None and replica.rules.goes_on:
        proved = looks.prove(known, by_tosses=replica.rules.tosses)
        standing = replace(standing, turned=proved.turned, drifted=proved.drifted)
    counted = None if told is None else _counted(arena, replica, told)
    return Status(arena, known.head, standing, left, right, neither, told, counted)


def _counted(arena: Arena, replica: Replica, told: Telling) -> Counted | None:
    """Return what it changes that variants count as one, as far as they are there."""
    place = {arm.slug: n for n, arm in enumerate(replica.arms.values()) if n < len(told.names)}
    named = [text.split("+") for text in arena.settings.variants]
    groups = tuple(tuple(place[slug] for slug in one if slug in place) for one in named)
    return counted_as_one(told.story, told.names, groups) if groups else None


def standing_of(arena: Arena, replica: Replica, *, as_said: bool = True) -> Standing:
    """Return the standing of an arena: what its learner reports, by arms and times.

    Changes are those of the log, as they were said; else those that the copy finds.
    """
    votes = len(replica.times)
    report = replica.report()
    events = _events(replica)
    known = Standing(
        options=tuple(_option(replica, arm, report) for arm in replica.arms.values()),
        votes=votes,
        first=Moment.time(int(np.min(replica.times))) if votes else None,  # some may be imported
        last=Moment.time(int(np.max(replica.times))) if votes else None,
        closed=arena.state == "closed",
        scored_against="others",
        drawn=True,
        changes=(),
        events=tuple(events),
        notes=_notes(arena, replica),
    )
    if report is None or votes == 0:
        return known
    found = report.standing
    listed = declared.changes_of(replica) if as_said else declared.found_by(replica)
    changes = tuple(_dated(replica, one) for one in listed)
    resets = events if not replica.rules.goes_on else ()
    told = replace(
        known,
        best=_place(replica, found.best),
        since=_at(replica, found.since),
        before=_place(replica, found.before),
        decided=found.decided,
        rivals=tuple(_places(replica, found.rivals)),
        apart=tuple(_places(replica, found.apart)),
        missing=found.missing,
        missing_between=found.missing_between,
        votes_a_day=_votes_a_day(replica),
        counted_since=_counted_since(replica, found.counted_since),
        reset=_reset(known.first, changes, resets),
        earlier=_earlier(replica),
        level=found.level,
        changes=changes,
        doubt=_at(replica, found.doubt),
    )
    return with_successors(told) if replica.rules.goes_on else told


def _votes_a_day(replica: Replica) -> float | None:
    """Return how many votes a day there were lately: in the last week of votes, or since the first.

    None if they are of less than an hour.
    """
    times = np.asarray(replica.times)
    if len(times) < 2:
        return None
    last = int(times.max())
    since = max(int(times.min()), last - 7 * DAY)  # some may be imported, and older
    span = last - since
    if span < DAY // 24:
        return None
    return float((times > since).sum() * DAY / span)


def _place(replica: Replica, slot: int | None) -> int | None:
    """Return the place among all arms of the one that a slot of the learner is."""
    return None if slot is None else list(replica.arms).index(replica.arm_in(slot).id)


def _places(replica: Replica, slots: Sequence[int]) -> list[int]:
    order = list(replica.arms)
    return [order.index(replica.arm_in(slot).id) for slot in slots]


def _at(replica: Replica, round_: Moment | None) -> Moment | None:
    """Return when the vote of a round was cast."""
    at = None if round_ is None else replica.time_of(round_.value)
    return None if at is None else Moment.time(at)


def _dated(replica: Replica, change: declared.Change) -> Change:
    def at(vote: declared.Vote | None) -> Moment | None:
        return None if vote is None else Moment.time(vote.at)

    order = list(replica.arms)
    earliest, latest = at(change.earliest), at(change.latest)
    if earliest is not None and latest is not None:  # imported votes may be older than others
        earliest, latest = sorted((earliest, latest))
    return Change(
        before=order.index(change.before),
        after=order.index(change.after),
        around=at(change.around),
        earliest=earliest,
        latest=latest,
        noticed=at(change.noticed),
        withdrawn=change.withdrawn,
    )


def _notes(arena: Arena, replica: Replica) -> tuple[str, ...]:
    """Return what is to be said of the rules."""
    if replica.rules.version == arena.rules:
        return ()
    return (
        f"This poll began with rules {arena.rules}, which this version of driftduel no longer has; "
        f"it is counted by rules {replica.rules.version}.",
    )


def _option(replica: Replica, arm: Arm, report: Report | None) -> Option:
    duels = int(replica.tally.duels[arm.id])
    votes = len(replica.times)
    known: dict[str, Any] = {"compared": 0}
    if arm.offered and report is not None and str(arm.id) in report.names:
        found = report.standing.options[report.names.index(str(arm.id))]
        known = {
            name: getattr(found, name)
            for name in ("score", "low", "high", "probability", "compared")
        }
    return Option(
        name=arm.name,
        slug=arm.slug,
        offered=arm.offered,
        out_since=None if arm.offered else _moved(replica, arm.id),
        duels=duels,
        share=duels / votes if votes else None,
        bad=int(replica.tally.bad[arm.id]),
        skipped=int(replica.tally.skips[arm.id]),
        **known,
    )


def _moved(replica: Replica, arm: int) -> Moment | None:
    """Return when an arm was last offered, or paused."""
    offered, since = None, None
    for at, arms in replica.offers:
        for number, _, _, now in arms:
            if number == arm and now != offered:
                offered, since = now, at
    return None if since is None else Moment.time(since)


def _events(replica: Replica) -> list[Event]:
    """Return what became of arms after those that were there from the beginning."""
    place = {number: n for n, number in enumerate(replica.arms)}
    known: dict[int, tuple[str, bool]] = {}
    found = []
    for at, arms in replica.offers:
        after = {number: (str(name), bool(offered)) for number, _, name, offered in arms}
        old = {n: known[n] for n in after if n in known}
        offered = [n for n in after if after[n][1]]
        found.append(
            Event(
                at=Moment.time(at),
                joined=tuple(place[n] for n in offered if n not in old),
                resumed=tuple(place[n] for n in offered if n in old and not old[n][1]),
                paused=tuple(place[n] for n in old if old[n][1] and not after[n][1]),
                renamed=tuple(
                    (place[n], old[n][0], after[n][0]) for n in old if old[n][0] != after[n][0]
                ),
            )
        )
        known |= after
    return found[1:]


def _reset(
    first: Moment | None, changes: Sequence[Change], events: Sequence[Event]
) -> Reset | None:
    """Return why and when votes were last counted from nothing, if they were."""
    moved = [
        Reset(at=one.at, why="options") for one in events if one.joined or one.paused or one.resumed
    ]
    turned = [Reset(at=one.noticed, why="tastes") for one in changes if one.noticed is not None]
    begun = [one for one in moved + turned if first is not None and one.at > first]
    return max(begun, key=lambda one: one.at, default=None)


def _earlier(replica: Replica) -> Earlier | None:
    kept = replica.standing
    if kept is None:
        return None
    place = list(replica.arms).index(kept.arm)
    return Earlier(option=place, decided=kept.decided, until=Moment.time(kept.at))


def _counted_since(replica: Replica, round_: Moment | None) -> Moment | None:
    """Return when scores began; without a vote since, that was when the arms on offer changed."""
    if round_ is not None and round_.value >= len(replica.times):
        return Moment.time(replica.offers[-1][0])
    return _at(replica, round_)
