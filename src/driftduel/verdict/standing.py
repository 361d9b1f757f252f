"""The one record of a verdict: who is best, since when, how sure, what changed, what is undecided.

A learner's report, an arena's status, the history of a log and the analysis of a file all give a
`Standing`. It knows options by their place in `Standing.options`, so that two of one name, or a
name that changes, are no matter. Everything that is said, drawn or sent is a function of it:
`driftduel.verdict.text` words it, `Standing.leads` is what a timeline draws, and
`Standing.to_dict` is its JSON.

Whether somebody is named as leader is decided here and nowhere else (`Standing.leader`), so that no
sentence, bar or table can name another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from driftduel.verdict.moments import Moment as Moment  # noqa: PLC0414 - it is imported from here
from driftduel.verdict.proved import Drifted, Reign, Turned

ENOUGH = 30
"""Of an option with fewer comparisons nothing is claimed."""


@dataclass(frozen=True, kw_only=True)
class SetAside:
    """Why a learner does not show an option for now: it fell behind another."""

    at: Moment
    behind: int
    by: float
    enough: float


@dataclass(frozen=True, kw_only=True)
class Option:
    """What is known of an option.

    Attributes
    ----------
    name : str
        As people know it; any text.
    slug : str or None
        As addresses have it.
    offered : bool
        Whether it may be shown now.
    out : {"paused", "left", "unseen"}
        If it is not: the owner paused it, it left, or a file has no more votes of it.
    out_since, joined_at : Moment or None
        Since when, or its last vote; and its first if that is not one of the first votes of all.
    active : bool
        Whether the learner shows it for now, and ``set_aside``, why not.
    score, low, high : float or None
        The share of comparisons that it won, and the range in which the true one lies.
    probability : float or None
        How likely it is the best: P(best).
    compared : int or None
        How many comparisons these are from; None if they are not counted.
    duels, bad, skipped : int or None
        Over all its time: votes in which it was one of the two, was called bad, and skips.
    share : float or None
        The part of all votes in which it was one of the two.
    untold : str or None
        Why its score cannot be told.
    """

    name: str
    slug: str | None = None
    offered: bool = True
    out: Literal["paused", "left", "unseen"] = "paused"
    out_since: Moment | None = None
    joined_at: Moment | None = None
    active: bool = True
    set_aside: SetAside | None = None
    score: float | None = None
    low: float | None = None
    high: float | None = None
    probability: float | None = None
    compared: int | None = None
    duels: int | None = None
    share: float | None = None
    bad: int | None = None
    skipped: int | None = None
    untold: str | None = None

    @property
    def enough(self) -> bool:
        """Whether it was compared often enough to say something of it."""
        return self.compared is not None and self.compared >= ENOUGH


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of who is best.

    Attributes
    ----------
    before, after : int
        Who was best before, and who took over.
    before_among, after_among : tuple of int
        Who may have been best before and after, if the change is sure and the name is not.
    around : Moment or None
        When it likely was.
    earliest, latest : Moment or None
        The range in which it lies with 95 %, if tastes changed once and at once.
    surely_after, surely_before : Moment or None
        The range in which it is proved to lie, whatever drift there was.
    noticed : Moment or None
        When it became known.
    kind : {"noticed", "likely", "proved"}
        How sure it is: declared by a learner, likely by a model, or proved.
    withdrawn : bool
        Whether votes that it rested on count no longer.
    named_first : int or None
        Who was said to have taken over when it was noticed, if by now another is likelier.
    """

    before: int
    after: int
    around: Moment | None = None
    earliest: Moment | None = None
    latest: Moment | None = None
    surely_after: Moment | None = None
    surely_before: Moment | None = None
    noticed: Moment | None = None
    before_among: tuple[int, ...] = ()
    after_among: tuple[int, ...] = ()
    kind: Literal["noticed", "likely", "proved"] = "noticed"
    withdrawn: bool = False
    named_first: int | None = None


@dataclass(frozen=True, kw_only=True)
class Event:
    """What became of options at a moment; ``renamed`` has the option, its old and its new name."""

    at: Moment
    joined: tuple[int, ...] = ()
    paused: tuple[int, ...] = ()
    resumed: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    renamed: tuple[tuple[int, str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """Who led until a moment, or was best if that was decided."""

    option: int
    decided: bool
    until: Moment


@dataclass(frozen=True, kw_only=True)
class Reset:
    """Since when scores are counted again from nothing, and what changed then."""

    at: Moment
    why: Literal["options", "tastes", "rules", "other"]


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Votes seem to be there more than once: how often one agrees with the next and one apart."""

    near: float
    apart: float


@dataclass(frozen=True, kw_only=True)
class Side:
    """The leader may owe its lead to the side it was shown on, in this share of its votes."""

    side: Literal["left", "right"]
    share: float


@dataclass(frozen=True)
class Lead:
    """An option led from a moment to another; None: since the first vote, and until now."""

    option: int
    since: Moment | None
    until: Moment | None


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Who is best, since when, how sure, what changed and what is undecided; see the module.

    Attributes
    ----------
    options : tuple of Option
        All there ever were; others are known by their place here.
    votes : int
        How many votes count.
    first, last : Moment or None
        When the first and the last of them were cast.
    best : int or None
        The option in front. Whether it may be named is `leader`.
    since, since_earliest, since_latest : Moment or None
        Since when it leads, and the range of that where it is known; made the date of the last
        change if that made it best, and never before the first vote nor after the last.
    before : int or None
        Who led before, if that was for some time.
    decided : bool or None
        Whether it is proved to be best, on average since ``counted_since``; None if that is not
        judged.
    rivals : tuple of int
        Who may be better, as far as is proved; the likeliest first.
    apart : tuple of int
        Options that came later, of which there is too little to judge them; who is best is said of
        the others.
    missing : float or None
        About how many more votes decide; infinite if votes such as these hardly would.
    missing_between : tuple of float or None
        The range in which that number lies in four of five cases, where it is known.
    votes_a_day : float or None
        How many votes a day are cast lately, if they have dates.
    closed : bool
        Whether voting is over.
    level_with : tuple of int
        Who are exactly level in front, if nobody is ahead.
    counted_since : Moment or None
        Since when scores count, and ``reset``, why not from the first vote on.
    earlier : Earlier or None
        Who led until the options last changed.
    level : float or None
        The probability that no range is wrong.
    looks : {"any", "one"}
        Whether that holds however often somebody looks, or for one look.
    scored_against : {"others", "best"} or None
        With whom options are compared; None if they have no scores.
    drawn : bool
        Whether opponents in comparisons were drawn at random.
    panel : tuple of int or None
        The others that scores are against, if not all.
    on_average : bool
        Whether the leader is so on average since ``since``, and nothing dates its lead.
    changes : tuple of Change or None
        In the order of time; None if changes are not looked for.
    drifted : Drifted or None
        That something drifted, if that is proved.
    turned : tuple of Turned
        What fell, rose or turned, as is proved at every look; in the order of the proofs.
    reigns : tuple of Reign
        Who was best between these proofs, where that is proved at every look.
    doubt : Moment or None
        Around when tastes may have changed, which is not proved.
    events : tuple of Event
        Options that joined, were paused, resumed, renamed, or left, in the order of time.
    restarts : tuple of Moment
        When a learner that does not know changes started again.
    cycle : tuple of int
        Options of which each is proved to beat the next, and the last the first.
    copies : Copies or None
    side : Side or None
        What may make the votes prove less than they seem to.
    assuming : str or None
        What is taken for granted, as a part of a sentence after "if".
    confounded : bool
        Whether other pairs may have been shown just when tastes changed.
    unit, noun : str
        What a vote and an option are called: "vote" or "round", "option" or "arm".
    notes : tuple of str
        Whole sentences that belong beside it, as that it is counted by rules of another version.
    """

    options: tuple[Option, ...]
    votes: int
    first: Moment | None = None
    last: Moment | None = None
    best: int | None = None
    since: Moment | None = None
    since_earliest: Moment | None = None
    since_latest: Moment | None = None
    before: int | None = None
    decided: bool | None = None
    rivals: tuple[int, ...] = ()
    apart: tuple[int, ...] = ()
    missing: float | None = None
    missing_between: tuple[float, float] | None = None
    votes_a_day: float | None = None
    closed: bool = False
    level_with: tuple[int, ...] = ()
    counted_since: Moment | None = None
    reset: Reset | None = None
    earlier: Earlier | None = None
    level: float | None = None
    looks: Literal["any", "one"] = "any"
    scored_against: Literal["others", "best"] | None = None
    drawn: bool = False
    panel: tuple[int, ...] | None = None
    on_average: bool = False
    changes: tuple[Change, ...] | None = None
    drifted: Drifted | None = None
    turned: tuple[Turned, ...] = ()
    reigns: tuple[Reign, ...] = ()
    doubt: Moment | None = None
    events: tuple[Event, ...] = ()
    restarts: tuple[Moment, ...] = ()
    cycle: tuple[int, ...] = ()
    copies: Copies | None = None
    side: Side | None = None
    assuming: str | None = None
    confounded: bool = False
    unit: Literal["vote", "round"] = "vote"
    noun: Literal["option", "arm"] = "option"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Let since be what the last change says, and within the votes."""
        dated = self.explained
        ends = (self.since, self.since_earliest, self.since_latest)
        if dated is not None and dated.around is not None:
            ends = (dated.around, dated.earliest, dated.latest)
        names = ("since", "since_earliest", "since_latest")
        for name, moment in zip(names, ends, strict=True):
            object.__setattr__(self, name, self._within(moment))
        if self.before == self.best:
            object.__setattr__(self, "before", None)

    @cached_property
    def valid_changes(self) -> tuple[Change, ...]:
        """The changes that were not withdrawn."""
        return tuple(one for one in self.changes or () if not one.withdrawn)

    @property
    def explained(self) -> Change | None:
        """The last change, if it made the option in front the best."""
        last = self.valid_changes[-1] if self.valid_changes else None
        return last if last is not None and last.after == self.best else None

    @property
    def enough(self) -> bool:
        """Whether the option in front was compared often enough to be named."""
        if self.best is None:
            return False
        if self.scored_against == "best":  # others are compared with it, and it has no score
            return any(one.enough for n, one in enumerate(self.options) if n != self.best)
        return self.options[self.best].enough

    @property
    def leader(self) -> int | None:
        """Who is named as leader: the option in front, or nobody.

        Nobody is while nobody voted, it or all others but one are not offered, another is likelier
        to be the best, or it was compared too seldom and neither a proof nor a change has just made
        it the best.
        """
        if self.best is None or not self.options[self.best].offered:
            return None
        if self.votes == 0 or self.n_offered < 2 or self.ahead_of_best:
            return None
        if self.scored_against is None or self.enough or self.decided or self._just_changed:
            return self.best
        return None

    @property
    def n_offered(self) -> int:
        """How many options are offered."""
        return sum(option.offered for option in self.options)

    @property
    def ahead_of_best(self) -> tuple[int, ...]:
        """Options on offer that are likelier to be the best than the one in front."""
        if self.best is None or not self.options[self.best].offered:
            return ()
        most = self.options[self.best].probability
        if most is None:
            return ()
        # To the per cent that is told: below that the draws behind P(best) decide nothing.
        return tuple(
            n
            for n, one in enumerate(self.options)
            if one.offered and n not in self.apart
            if round(one.probability or 0.0, 2) > round(most, 2)
        )

    @property
    def open_doubt(self) -> Moment | None:
        """The doubt, unless a change that is known is as late."""
        dates = [one.latest or one.around for one in self.valid_changes]
        if self.doubt is None or any(at is not None and self.doubt <= at for at in dates):
            return None
        return self.doubt

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The options as they are listed: the leader first, then by P(best) and score."""

        def place(n: int) -> tuple[Any, ...]:
            one = self.options[n]
            # Below one per cent P(best) is not told, so it does not order either.
            chance, score = round(one.probability or 0.0, 2), one.score or 0.0
            return (not one.offered, n != self.leader, -chance, -score)

        known = range(len(self.options))
        if self.leader is None and self.scored_against is not None:
            return tuple(sorted(known, key=lambda n: not self.options[n].offered))
        return tuple(sorted(known, key=place))

    @cached_property
    def leads(self) -> tuple[Lead, ...]:
        """Who led when: by the changes, and what was seen since the last.

        The last of them goes on until now if, and only if, somebody is named as leader.
        """
        if self.votes == 0 or (self.scored_against is None and not self.valid_changes):
            return ()
        turns: list[tuple[Moment | None, int]] = []  # from when on who led
        noticed: Moment | None = None
        for one in self.valid_changes:
            if one.around is None:
                continue
            turn = self._within(one.around)
            if not turns:
                turns.append((None, one.before))
            elif turns[-1][1] != one.before and _is_before(noticed, turn):
                # Who led before this change took over unseen, after the last one was noticed.
                _turn(turns, noticed, one.before)
            _turn(turns, turn, one.after)
            noticed = one.noticed
        if not turns and self.before is not None:
            turns.append((None, self.before))
        until = None
        if self.leader is not None:
            if not turns or turns[-1] != (self.since, self.leader):
                _turn(turns, self.since, self.leader)
        elif self.earlier is not None:  # nobody is named now, but somebody was
            until = self.earlier.until
            if not turns or turns[-1][1] != self.earlier.option:
                _turn(turns, None if not turns else noticed, self.earlier.option)
        else:
            until = self.since if self.reset is None else self.reset.at
            turns = turns if until is not None else []
        if not turns:
            return ()
        ends = [*(since for since, _ in turns[1:]), until]
        return tuple(
            Lead(who, since, end)
            for (since, who), end in zip(turns, ends, strict=True)
            if end is None or _is_before(since, end)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON: options by name, moments by ISO 8601 or as numbers."""

        def names(places: tuple[int, ...]) -> list[str]:
            return [self.options[n].name for n in places]

        def name(place: int | None) -> str | None:
            return None if place is None else self.options[place].name

        def at(moment: Moment | None) -> int | float | str | None:
            return None if moment is None else moment.to_json()

        data: dict[str, Any] = {
            "votes": self.votes,
            "first": at(self.first),
            "last": at(self.last),
            "best": name(self.best),
            "leader": name(self.leader),
            "since": at(self.since),
            "since_earliest": at(self.since_earliest),
            "since_latest": at(self.since_latest),
            "before": name(self.before),
            "enough": self.enough,
            "decided": bool(self.decided),
            "rivals": names(self.rivals),
            "apart": names(self.apart),
            "missing": None if self.missing in (None, math.inf) else int(self.missing or 0),
            "missing_between": self.missing_between
            and [None if end == math.inf else int(end) for end in self.missing_between],
            "counted_since": at(self.counted_since),
            "reset": self.reset and {"at": at(self.reset.at), "why": self.reset.why},
            "earlier": self.earlier
            and {
                "name": name(self.earlier.option),
                "decided": self.earlier.decided,
                "until": at(self.earlier.until),
            },
            "level": self.level,
            "drifted": self.drifted and _plain(self.drifted),
            "turned": [
                {**_plain(one), "option": name(one.option), "other": name(one.other)}
                for one in self.turned
            ],
            "reigns": [{**_plain(one), "option": name(one.option)} for one in self.reigns],
            "doubt": at(self.doubt),
            "changes": [
                {
                    **_plain(one),
                    "before": name(one.before),
                    "after": name(one.after),
                    "before_among": names(one.before_among),
                    "after_among": names(one.after_among),
                    "named_first": name(one.named_first),
                }
                for one in self.changes or ()
            ],
            "leaders": [
                {"name": name(one.option), "since": at(one.since), "until": at(one.until)}
                for one in self.leads
            ],
            "events": [
                {
                    "at": at(one.at),
                    "joined": names(one.joined),
                    "paused": names(one.paused),
                    "resumed": names(one.resumed),
                    "left": names(one.left),
                    "renamed": [[old, new] for _, old, new in one.renamed],
                }
                for one in self.events
            ],
            "arms": [
                {
                    **_plain(one),
                    "set_aside": one.set_aside
                    and {**_plain(one.set_aside), "behind": name(one.set_aside.behind)},
                }
                for one in self.options
            ],
            "notes": list(self.notes),
        }
        return data

    @property
    def _just_changed(self) -> bool:
        """Whether the option in front is so by a change, and no options came or went since."""
        dated = self.explained
        if dated is None:
            return False
        return self.reset is None or self.reset.why == "tastes"

    def _within(self, moment: Moment | None) -> Moment | None:
        if moment is None or self.first is None or self.last is None:
            return moment
        return min(max(moment, self.first), self.last)


def _is_before(one: Moment | None, other: Moment | None) -> bool:
    """Tell whether a moment, or the first vote, is before another."""
    return one is None or (other is not None and one < other)


def _turn(turns: list[tuple[Moment | None, int]], at: Moment | None, who: int) -> None:
    """Let somebody lead from a moment on; what was said of later is said no more."""
    while turns and not (turns[-1][0] is None or _is_before(turns[-1][0], at)):
        turns.pop()
    if turns and at is None:
        turns.clear()
    turns.append((at, who))


def _plain(record: Any) -> dict[str, Any]:
    """Return the fields of a record with moments as JSON has them."""
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {
        name: value.to_json() if isinstance(value, Moment) else value
        for name, value in values.items()
    }
