"""What an arena knows: who is best, since when, how sure, and what changed, with dates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from driftduel.arena.model import Arena
from driftduel.arena.replica import Replica
from driftduel.learners.report import ENOUGH, Change, Report


@dataclass(frozen=True)
class ArmStatus:
    """What is known of an arm; an arm that is not offered has no score, interval or probability.

    The score is the share of duels it won against others drawn at random, since the last change
    that is proved, from ``compared`` duels. ``low`` and ``high`` hold for all arms and at all times
    together. ``duels`` to ``skipped`` are counts over all its time, ``share`` is that of all votes
    in which it was one of the two. ``out_since`` is since when it is not offered.
    """

    slug: str
    name: str
    offered: bool
    score: float | None
    low: float | None
    high: float | None
    probability: float | None
    compared: int
    duels: int
    share: float | None
    bad: int
    skipped: int
    out_since: int | None


@dataclass(frozen=True)
class Lead:
    """An arm led from a time to another; None: since the first vote, and until now."""

    name: str
    since: int | None
    until: int | None


@dataclass(frozen=True)
class ArmsChanged:
    """Arms that were offered from then on, were not any more, or got another name (old, new)."""

    at: int
    joined: tuple[str, ...]
    left: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]


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
    first, last : int or None
        When the first and the last of them were cast.
    best : str or None
        The name of the arm that leads; None before the first vote.
    since : int or None
        Since when it leads.
    before : str or None
        Who led before, if that was for some time.
    enough : bool
        Whether it was compared often enough to be named; below that nothing should be claimed.
    decided : bool
        Whether its interval lies above all others.
    rivals : tuple of str
        The arms that it is not decided against.
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
    first: int | None
    last: int | None
    best: str | None
    since: int | None
    before: str | None
    enough: bool
    decided: bool
    rivals: tuple[str, ...]
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
            first=int(np.min(replica.times)) if votes else None,  # votes may be imported later
            last=int(np.max(replica.times)) if votes else None,
            best=_name(replica, found("best")),
            since=replica.time_of(found("since")),
            before=_name(replica, found("before")),
            enough=report is not None and (report.duels or (0,))[report.best] >= ENOUGH,
            decided=bool(found("decided")),
            rivals=tuple(_rivals(replica, report)),
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


def leads_of(status: Status) -> list[Lead]:
    """Return who led when: from the changes that are proved, and what was seen since the last."""
    if status.best is None:
        return []
    leads = []
    since = None
    for one in status.changes:
        leads.append(Lead(one.before, since, one.around))
        since = one.around
    last = status.changes[-1].after if status.changes else status.before
    if last is not None and last != status.best:
        leads.append(Lead(last, since, status.since))
        since = status.since
    return [*leads, Lead(status.best, since, None)]


def arms_changed(replica: Replica) -> list[ArmsChanged]:
    """Return which arms came and went, and when."""
    known: dict[object, tuple[str, bool]] = {}
    found = []
    for at, arms in replica.offers:
        after = {number: (str(name), bool(offered)) for number, _, name, offered in arms}
        before = {number: known.get(number, ("", False)) for number in after}
        found.append(
            ArmsChanged(
                at,
                tuple(after[n][0] for n in after if after[n][1] and not before[n][1]),
                tuple(after[n][0] for n in after if before[n][1] and not after[n][1]),
                tuple(
                    (before[n][0], after[n][0])
                    for n in after
                    if n in known and before[n][0] != after[n][0]
                ),
            )
        )
        known |= after
    return found


def _rivals(replica: Replica, report: Report | None) -> list[str]:
    """Return the arms on offer that may be better than the best, the likeliest first."""
    if report is None or report.intervals is None or report.duels is None:
        return []
    bar = report.intervals[report.best][0]
    duels, high = report.duels, [one[1] for one in report.intervals]
    found = [
        slot
        for slot in report.active
        if slot != report.best
        and (min(duels[slot], duels[report.best]) < ENOUGH or high[slot] >= bar)
    ]
    return [replica.arm_in(slot).name for slot in sorted(found, key=lambda slot: -high[slot])]


def _arms(replica: Replica, report: Report | None) -> list[ArmStatus]:
    slots = {} if report is None else {int(name): n for n, name in enumerate(report.names)}
    found = []
    votes = len(replica.times)
    gone = _gone_since(replica)
    for arm in replica.arms.values():
        compared = 0
        score = low = high = probability = None
        slot = slots.get(arm.id)
        duels = int(replica.tally.duels[arm.id])
        if arm.offered and report is not None and slot is not None:
            score = report.scores[slot] if report.scores else None
            low, high = report.intervals[slot] if report.intervals else (0.0, 1.0)
            probability = report.probabilities[slot] if report.probabilities else None
            compared = report.duels[slot] if report.duels else 0
        found.append(
            ArmStatus(
                slug=arm.slug,
                name=arm.name,
                offered=arm.offered,
                score=score,
                low=low,
                high=high,
                probability=probability,
                compared=compared,
                duels=duels,
                share=duels / votes if votes else None,
                bad=int(replica.tally.bad[arm.id]),
                skipped=int(replica.tally.skips[arm.id]),
                out_since=None if arm.offered else gone[arm.id],
            )
        )
    return found


def _gone_since(replica: Replica) -> dict[int, int]:
    """Return of every arm when it was last said to be offered, or not to be, and was not so."""
    offered: dict[int, bool] = {}
    since: dict[int, int] = {}
    for at, arms in replica.offers:
        for number, _, _, now in arms:
            if offered.get(number) != now:
                offered[number], since[number] = now, at
    return since


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
    if report.rounds == 0:
        return "Nobody has voted yet."
    names = tuple(replica.arms[int(name)].name for name in report.names)
    return str(replace(report, names=names))
