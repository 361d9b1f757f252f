"""Sentences about which options are there: who came late, who is gone, whom a learner shows.

`verdict.text` has all others. A few options have a sentence each; more of them share one.
"""

from __future__ import annotations

from driftduel.verdict.parts import (
    Clock,
    Sentence,
    Words,
    clock_of,
    counted,
    listed,
    named,
    say,
)
from driftduel.verdict.standing import Moment, Standing

MOST_APART = 3
"""Options that came or went which have a sentence each."""

MOST_NAMED = 12
"""Options that are named in a sentence about many."""

MOST_SET_ASIDE = 5


def options_now(s: Standing) -> list[Sentence]:
    """Say of options that came late or are gone what that means, and who is in play."""
    gone = [
        (n, one.out_since)
        for n, one in enumerate(s.options)
        if not one.offered and one.out == "unseen" and one.out_since is not None
    ]
    late = [
        (n, one.joined_at)
        for n, one in enumerate(s.options)
        if one.offered and one.joined_at is not None and s.looks == "one"
    ]
    found = [*_gone(s, gone), *_late(s, late)]
    left = tuple(n for n, one in enumerate(s.options) if not one.offered and one.out == "left")
    if left:
        found.append(say("No longer offered: {who}.", who=_names(s, left)))
    if s.scored_against is None and s.votes:
        found += _in_play(s)
    return found


def too_early(s: Standing) -> list[Sentence]:
    """Say of whom there is too little to judge them, and since when they are there."""
    if len(s.apart) > MOST_APART:
        n = counted(len(s.apart), s.noun)
        return [
            say(
                "{n} came later, and it is too early to judge them: {who}.",
                n=n,
                who=_names(s, s.apart),
            )
        ]
    return [
        say(
            "{who} {came} and has {n}: too early to judge it.",
            who=named(s.options[place].name),
            came=_came(s, place),
            n=_met(s, place),
        )
        for place in s.apart
    ]


def _came(s: Standing, place: int) -> Words:
    """Say since when an option is there."""
    for one in reversed(s.events):
        if place in one.joined or place in one.resumed:
            how = "joined" if place in one.joined else "was resumed"
            return say("{how} {at}", how=how, at=clock_of(s).then(one.at))
    return "came later"


def _met(s: Standing, place: int) -> Words:
    """Say in how many votes an option was, or how often it was compared."""
    one = s.options[place]
    if one.duels is None:
        return counted(one.compared or 0, "comparison")
    return counted(one.duels, s.unit)


def _gone(s: Standing, gone: list[tuple[int, Moment]]) -> list[Sentence]:
    """Say who is left out as it has no votes any more."""
    clock = clock_of(s)
    if len(gone) <= MOST_APART:
        return [
            say(
                "{who} is left out of who is best now: its last {unit} was {at}.",
                who=named(s.options[n].name),
                unit=s.unit,
                at=clock.then(at),
            )
            for n, at in gone
        ]
    gone.sort(key=lambda one: one[1], reverse=True)
    return [
        say(
            "{n} are left out of who is best now, as they have no {unit}s any more: {who}.",
            n=counted(len(gone), s.noun),
            unit=s.unit,
            who=_with_dates(s, clock, gone, "until"),
        )
    ]


def _late(s: Standing, late: list[tuple[int, Moment]]) -> list[Sentence]:
    """Say who came later than others."""
    clock = clock_of(s)
    if len(late) <= MOST_APART:
        return [
            say(
                "{who} is in the {unit}s since {at}; what is said of before is about the others.",
                who=named(s.options[n].name),
                unit=s.unit,
                at=clock.at(at),
            )
            for n, at in late
        ]
    late.sort(key=lambda one: one[1], reverse=True)
    return [
        say(
            "{n} came later than the first {unit}s, and what is said of before is about the "
            "others: {who}.",
            n=counted(len(late), s.noun),
            unit=s.unit,
            who=_with_dates(s, clock, late, "since"),
        )
    ]


def _with_dates(s: Standing, clock: Clock, those: list[tuple[int, Moment]], word: str) -> Words:
    """Return names with a date each, as far as there is room."""
    shown = those if len(those) <= MOST_NAMED + 1 else those[:MOST_NAMED]
    row = ", ".join(f"{{{2 * n}}} ({word} {{{2 * n + 1}}})" for n in range(len(shown)))
    rest = f" and {len(those) - len(shown):,} more" if len(shown) < len(those) else ""
    parts: list[Words] = []
    for n, at in shown:
        parts += [named(s.options[n].name), clock.at(at)]
    return say(row + rest, *parts)


def _in_play(s: Standing) -> list[Sentence]:
    """Say whom a learner that gives no scores shows for now, and why not the others."""
    clock = clock_of(s)
    playing = tuple(n for n, one in enumerate(s.options) if one.offered and one.active)
    aside = s.n_offered - len(playing)
    if aside == 0 or not playing:
        return [say("All {n} are in play.", n=counted(s.n_offered, s.noun))]
    who = _names(s, playing)
    found = [say("In play: {who}; {n} set aside for now.", who=who, n=f"{aside:,}")]
    known = [(one.set_aside, n) for n, one in enumerate(s.options) if one.set_aside and one.offered]
    known.sort(key=lambda pair: pair[0].at)
    for why, n in known[-MOST_SET_ASIDE:]:
        found.append(
            say(
                "{who} is set aside for now: {at} it was {by} behind {other}, {enough} was enough.",
                who=named(s.options[n].name),
                at=clock.then(why.at),
                by=f"{why.by:.3g}",
                other=named(s.options[why.behind].name),
                enough=f"{why.enough:.3g}",
            )
        )
    return found


def _names(s: Standing, places: tuple[int, ...]) -> Sentence:
    return listed([s.options[n].name for n in places])
