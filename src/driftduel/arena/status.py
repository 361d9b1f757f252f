"""What an arena knows: who is best, since when, how sure, and what changed, with dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from driftduel._support.text import count
from driftduel.arena.model import Arena
from driftduel.arena.replica import Replica
from driftduel.arena.words import as_about, as_chance, as_date, as_list, as_percent, as_range
from driftduel.learners.contract.report import ENOUGH, Change, Report

_SHOWN = 20
"""Arms that are told of in words."""

_FINE = 3_600_000_000
"""Microseconds: a poll that is younger has times to the second."""


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
class Earlier:
    """Who led, or was the best if that was decided, until a moment."""

    name: str
    decided: bool
    until: int


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
        Since when it leads: around the last change, if that is proved and made it the best.
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
    earlier : Earlier or None
        Who led when the arms on offer last changed, since when scores are counted anew.
    text : str
        The same in words, which are those of the pages; times are UTC.
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
    earlier: Earlier | None
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

        status = Status(
            arena=arena,
            head=replica.head,
            votes=votes,
            first=int(np.min(replica.times)) if votes else None,  # votes may be imported later
            last=int(np.max(replica.times)) if votes else None,
            best=_name(replica, found("best")),
            since=replica.time_of(_since(report) if votes else None),
            before=_name(replica, found("before")),
            enough=report is not None and (report.duels or (0,))[report.best] >= ENOUGH,
            decided=bool(found("decided")),
            rivals=tuple(_rivals(replica, report)),
            missing=found("missing"),
            counted_since=_counted_since(replica, found("counted_since")),
            level=found("level"),
            doubt=replica.time_of(found("doubt")),
            earlier=_earlier(replica),
            text="",
            changes=tuple(_dated(replica, one) for one in (report and report.changes) or ()),
            arms=tuple(_arms(replica, report)),
            left=int(replica.sides[0]),
            right=int(replica.sides[1]),
            neither=int(replica.sides[2]),
        )
        return replace(status, text="\n".join(_in_words(status, arms_changed(replica))))


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


def counted_anew(status: Status, arms: Sequence[ArmsChanged]) -> tuple[str, int] | None:
    """Return why and when votes were last counted anew, if they were: options or tastes changed."""
    moved = [("The options", one.at) for one in arms[1:] if one.joined or one.left]
    turned = [("Tastes", one.noticed) for one in status.changes if one.noticed is not None]
    begun = [one for one in moved + turned if one[1] > (status.first or 0)]
    return max(begun, key=lambda one: one[1], default=None) if status.first is not None else None


def is_fine(status: Status) -> bool:
    """Tell whether times of an arena are to be told to the second."""
    return status.first is None or (status.last or 0) - status.first < _FINE


def ordered(status: Status) -> list[ArmStatus]:
    """Return the arms of an arena: the best first if there is enough, those not offered last."""
    if not status.enough:
        return sorted(status.arms, key=lambda arm: not arm.offered)
    return sorted(
        status.arms,
        key=lambda arm: (
            not arm.offered,
            arm.name != status.best,
            -round(arm.probability or 0.0, 2),  # below that chance is not told either
            -(arm.score or 0.0),
        ),
    )


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


def _earlier(replica: Replica) -> Earlier | None:
    kept = replica.standing
    return kept and Earlier(replica.arms[kept.arm].name, kept.decided, kept.at)


def _gone_since(replica: Replica) -> dict[int, int]:
    """Return of every arm when it was last said to be offered, or not to be, and was not so."""
    offered: dict[int, bool] = {}
    since: dict[int, int] = {}
    for at, arms in replica.offers:
        for number, _, _, now in arms:
            if offered.get(number) != now:
                offered[number], since[number] = now, at
    return since


def _since(report: Report | None) -> int | None:
    """Return the round since which the best leads: that of the change that is proved, if one is."""
    if report is None:
        return None
    last = report.changes[-1] if report.changes else None
    return report.since if last is None or last.after != report.best else last.around


def _counted_since(replica: Replica, round_: int | None) -> int | None:
    """Return when scores began; without a vote since, that was when the arms on offer changed."""
    yet_to_come = round_ is not None and round_ >= len(replica.times)
    return replica.offers[-1][0] if yet_to_come else replica.time_of(round_)


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


def _in_words(status: Status, arms: Sequence[ArmsChanged]) -> Iterator[str]:
    """Yield lines: the sentence of the pages, how the arms stand, and what changed."""
    fine = is_fine(status)
    yield " ".join(_sentence(status, counted_anew(status, arms), fine))
    if status.votes == 0:
        return
    told = False
    for arm in ordered(status)[:_SHOWN]:
        words = f"paused since {as_date(arm.out_since, fine)}"
        if arm.offered and (arm.score is None or arm.compared < ENOUGH):
            words = f"{arm.compared} of {ENOUGH} random comparisons"
        elif arm.offered and arm.low is not None and arm.high is not None:
            told = True
            words = (
                f"wins {as_percent(arm.score)} ({as_range(arm.low, arm.high)}) of "
                f"{arm.compared:,} random comparisons, best with {as_chance(arm.probability)}"
            )
        yield f"  {arm.name}: {words}; in {as_percent(arm.share)} of the votes"
    if len(status.arms) > _SHOWN:
        yield f"  and {len(status.arms) - _SHOWN:,} more"
    if told:
        since = status.counted_since
        begin = "" if since in (None, status.first) else f" since {as_date(since, fine)}"
        yield (
            f"Random comparisons{begin} are those with an opponent drawn at random. Intervals hold "
            f"with {as_percent(status.level)}, all at once and at every moment; if tastes drifted, "
            "they are about the average."
        )
    for one in status.changes:
        yield f"{one.after} took over from {one.before} {_when(one, fine)}."
    if not status.changes:
        chance = status.enough and status.before not in (None, status.best)
        yield f"No change of taste {'is proved' if chance else 'was noticed'}."
    if status.enough or status.changes or not all(arm.offered for arm in status.arms):
        yield "Times are UTC."


def _sentence(status: Status, anew: tuple[str, int] | None, fine: bool) -> Iterator[str]:
    """Yield what the macro ``sentence`` of the template ``_standing.html`` says."""
    last = status.changes[-1] if status.changes else None
    proved = last if last is not None and last.after == status.best else None
    if status.votes == 0:
        yield "Nobody has voted yet."
    elif sum(arm.offered for arm in status.arms) < 2:
        yield "Fewer than two options are offered, so there is nothing to compare."
    elif not status.enough and anew is None:
        votes = count(status.votes, "vote")
        yield f"After {votes} it is too early to name a leader."
    elif not status.enough and anew is not None:
        when = as_date(anew[1], fine)
        yield f"{anew[0]} changed {when}: it is too early to name a leader since."
        if proved is not None:
            begin = as_date(proved.around or anew[1], fine)
            yield f"From about {begin} that was {proved.after}, and before {proved.before}."
        elif status.earlier is not None:
            until = as_date(status.earlier.until, fine)
            led = "was best" if status.earlier.decided else "led"
            yield f"Until {until} {status.earlier.name} {led}."
    else:
        since = as_date(status.since, fine)
        before = f"; {status.before} led until then"
        if status.before in (None, status.best):
            before = ""
        if proved is not None:
            since = f"about {as_date(proved.around or status.since, fine)}"
            before = f"; {proved.before} was until then"
        elif status.since in (None, status.first):
            since = f"the first vote, {as_date(status.first, fine)}"
        yield f"{status.best} {'is best' if status.decided else 'leads'} since {since}{before}."
        if not status.decided:
            yield _undecided(status)
        if status.doubt:
            doubt = as_date(status.doubt, fine)
            yield f"Tastes may have changed again around {doubt}; that is not proved yet."


def _undecided(status: Status) -> str:
    rivals = as_list(status.rivals)
    if status.arena.status == "closed":
        return f"When voting ended it was not decided against {rivals}."
    about = ""
    if status.missing and status.missing > 10 * status.votes:
        about = f": so close that it may take some {as_about(status.missing)} votes more"
    elif status.missing:
        about = f": about {as_about(status.missing)} more votes"
    return f"Not yet decided against {rivals}{about}."


def _when(change: DatedChange, fine: bool) -> str:
    words = f"around {as_date(change.around, fine)}"
    if change.earliest and change.latest and change.earliest != change.latest:
        words = f"between {as_date(change.earliest, fine)} and {as_date(change.latest, fine)}"
    return f"{words}, noticed {'now' if not change.noticed else as_date(change.noticed, fine)}"
