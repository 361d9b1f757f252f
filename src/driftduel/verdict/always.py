"""Sentences of what is proved however often somebody looks; `verdict.text` has all others."""

from __future__ import annotations

from driftduel.verdict.parts import Clock, Sentence, Words, clock_of, counted, named, say
from driftduel.verdict.proved import Drifted, Reign, Turned
from driftduel.verdict.standing import Standing

MOST_TOLD = 5
"""Of each kind, the latest."""


def always(s: Standing) -> list[Sentence]:
    """Say what turned, who was best between, and that something drifted."""
    found = []
    if len(s.turned) > MOST_TOLD:
        n = counted(len(s.turned), "time")
        found.append(say("It is proved {n} that some tastes changed; the latest:", n=n))
    found += [turned(s, one) for one in s.turned[-MOST_TOLD:]]
    found += [reign(s, one) for one in s.reigns[-MOST_TOLD:]]
    if found:
        found.append(say("That is proved however often somebody looked."))
    return found if s.drifted is None else [*found, drifted(s.drifted, clock_of(s))]


def turned(s: Standing, one: Turned) -> Sentence:
    """Say who wins more or less than before, from when on about, and since when that is proved."""
    clock = clock_of(s)
    against: Words = ""
    if one.other is not None:
        against = say(" against {0}", named(s.options[one.other].name))
    return say(
        "{who} wins {less}{against} than before, from about {likeliest} on; that it changed is "
        "proved since {proved}.",
        who=named(s.options[one.option].name),
        less="more" if one.kind == "rose" else "less",
        against=against,
        likeliest=clock.at(one.likeliest),
        proved=clock.at(one.proved),
    )


def reign(s: Standing, one: Reign) -> Sentence:
    """Say who was best on average over a time, or is since."""
    clock, who = clock_of(s), named(s.options[one.option].name)
    if one.until is None and (s.first is None or s.first == s.last):
        return say("On average {who} is best.", who=who)
    if one.until is None:
        return say("On average since {since}, {who} is best.", since=clock.at(one.since), who=who)
    when = clock.between(one.since, one.until)
    return say("On average {when}, {who} was best.", when=when, who=who)


def drifted(one: Drifted, clock: Clock) -> Sentence:
    """Say since when it is proved that tastes drifted, and under which assumption."""
    return say(
        "That tastes drifted is proved since {at}, however often somebody looked{if_}.",
        at=clock.at(one.proved),
        if_=", if strengths alone tell who beats whom" if one.of_strengths else "",
    )
