"""What an arena knows: who is best, since when, how sure, and what changed, with dates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from driftduel.arena.model import Arena
from driftduel.arena.replica import Replica
from driftduel.learners.report import Change, Report


@dataclass(frozen=True)
class ArmStatus:
    """What is known of an arm; an arm that is not offered has no score, interval or probability.

    The score is the share of duels it won against others drawn at random, since the last change
    that is proved. ``low`` and ``high`` hold for all arms and at all times together. ``duels`` to
    ``skipped`` are counts over all its time.
    """

    slug: str
    name: str
    offered: bool
    score: float | None
    low: float | None
    high: float | None
    probability: float | None
    duels: int
    bad: int
    skipped: int


@dataclass(frozen=True)
class DatedChange:
    """A change of taste, by names and times: it lies between ``earliest`` and ``latest``."""

    before: str
    after: str
    around: int | None
    noticed: int | None
    earliest: int | None
    latest: int | None


@dataclass(frozen=True)
class Status:
    """An arena as of ``head``.

    Attributes
    ----------
    votes : int
        Votes that count.
    best : str or None
        The name of the arm that leads; None before the first vote.
    since : int or None
        Since when it leads.
    before : str or None
        Who led before, if that was for some time.
    decided : bool
        Whether its interval lies above all others.
    missing : int or None
        About how many more votes it takes until then; None if that is not known.
    counted_since : int or None
        Since when scores are counted; nothing before a proved change is.
    level : float or None
        The probability that no interval is ever wrong.
    doubt : int or None
        Around when tastes may have changed once more, which is not proved yet.
    text : str
        The same in words, by numbers of votes.
    left, right, neither : int
        On which side voters found the better one.
    """

    arena: Arena
    head: int
    votes: int
    best: str | None
    since: int | None
    before: str | None
    decided: bool
    missing: int | None
    counted_since: int | None
    level: float | None
    doubt: int | None
    text: str
    changes: tuple[DatedChange, ...]
    arms: tuple[ArmStatus, ...]
    left: int
    right: int
    neither: int


def status_of(arena: Arena, replica: Replica) -> Status:
    """Return what a copy knows of an arena."""
    with replica.lock:
        report = replica.report()
        votes = len(replica.times)

        def found(name: str) -> Any:
            return getattr(report, name) if report is not None and votes > 0 else None

        return Status(
            arena=arena,
            head=replica.head,
            votes=votes,
            best=_name(replica, found("best")),
            since=replica.time_of(found("since")),
            before=_name(replica, found("before")),
            decided=bool(found("decided")),
            missing=found("missing"),
            counted_since=replica.time_of(found("counted_since")),
            level=found("level"),
            doubt=replica.time_of(found("doubt")),
            text=_in_words(replica, report),
            changes=tuple(_dated(replica, one) for one in (report and report.changes) or ()),
            arms=tuple(_arms(replica, report)),
            left=int(replica.sides[0]),
            right=int(replica.sides[1]),
            neither=int(replica.sides[2]),
        )


def _arms(replica: Replica, report: Report | None) -> list[ArmStatus]:
    slots = {} if report is None else {int(name): n for n, name in enumerate(report.names)}
    found = []
    for arm in replica.arms.values():
        score = low = high = probability = None
        slot = slots.get(arm.id)
        duels = int(replica.tally.duels[arm.id])
        if arm.offered and report is not None and slot is not None:
            score = report.scores[slot] if report.scores else None
            low, high = report.intervals[slot] if report.intervals else (0.0, 1.0)
            probability = report.probabilities[slot] if report.probabilities else None
        found.append(
            ArmStatus(
                slug=arm.slug,
                name=arm.name,
                offered=arm.offered,
                score=score,
                low=low,
                high=high,
                probability=probability,
                duels=duels,
                bad=int(replica.tally.bad[arm.id]),
                skipped=int(replica.tally.skips[arm.id]),
            )
        )
    return found


def _name(replica: Replica, slot: int | None) -> str | None:
    return None if slot is None else replica.arm_in(slot).name


def _dated(replica: Replica, change: Change) -> DatedChange:
    return DatedChange(
        before=replica.arm_in(change.before).name,
        after=replica.arm_in(change.after).name,
        around=replica.time_of(change.around),
        noticed=replica.time_of(change.noticed),
        earliest=replica.time_of(change.earliest),
        latest=replica.time_of(change.latest),
    )


def _in_words(replica: Replica, report: Report | None) -> str:
    if report is None:
        return "Fewer than two arms are offered."
    names = tuple(replica.arms[int(name)].name for name in report.names)
    return str(replace(report, names=names))
