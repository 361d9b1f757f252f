"""Why who leads changed: the record of what explains a change, and its only sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from driftduel.verdict.moments import Moment
from driftduel.verdict.parts import Clock, Sentence, chance, named, percent, plain, say

SURE = 0.7
"""A cause is named from this probability on; below it nobody can tell."""

_ALSO = 0.75
"""Another cause is named beside it if it is that likely to have a share."""


@dataclass(frozen=True)
class Release:
    """What the owner marked: a new version of an option, or of all if ``option`` is None.

    Examples
    --------
    >>> Release("version 2", Moment.round(7), "blue").to_dict()
    {'name': 'version 2', 'at': 7, 'option': 'blue'}
    """

    name: str
    at: Moment
    option: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"name": self.name, "at": self.at.to_json(), "option": self.option}


@dataclass(frozen=True)
class Cause:
    """What explains a change of who leads.

    Attributes
    ----------
    before, after : str
        The options that led.
    earliest, latest : Moment
        Between which moments it came; votes before and after these are compared.
    votes : tuple of int
        How many these are.
    probability : mapping of str to float
        How likely most of it is due to other ``voters``, other ``questions``, other ``pairs``, one
        ``option`` alone, ``taste`` for several of them, or ``none`` of these.
    takes_part : mapping of str to float
        How likely each of the first five has three tenths of it or more.
    parts : mapping of str to float
        By how much voters, questions, pairs and taste moved the lead of the new leader over the
        old one; they add up to ``total``.
    total : float
    option : str
        Which option moved, if one did alone.
    voters, questions : str or None
        The fields by which voters and questions are told apart; None if none says anything.
    shifted : tuple of (str, float, float) or None
        The group of voters whose share changed most, and that share before and after.
    asked : tuple of (str, float, float) or None
        The same of questions.
    release : Release or None
        A release that came when the change did.
    released : float
        How likely it is why, if one option moved alone or all did.
    """

    before: str
    after: str
    earliest: Moment
    latest: Moment
    votes: tuple[int, int]
    probability: Mapping[str, float]
    takes_part: Mapping[str, float]
    parts: Mapping[str, float]
    total: float
    option: str
    voters: str | None = None
    questions: str | None = None
    shifted: tuple[str, float, float] | None = None
    asked: tuple[str, float, float] | None = None
    release: Release | None = None
    released: float = 0.0

    @property
    def named(self) -> tuple[str, ...]:
        """The causes that are named, the main one first; empty if nobody can tell."""
        main = max(self.probability, key=lambda name: self.probability[name])
        if self.probability[main] < SURE:
            both = [name for name, share in self.takes_part.items() if share >= _ALSO]
            return tuple(sorted(both, key=lambda name: -self.probability[name]))[:2]
        if main == "none":
            return ("none",)
        tastes = {"option", "taste"}
        others = [
            name
            for name, share in self.takes_part.items()
            if name != main and share >= _ALSO and not {name, main} <= tastes
        ]
        return (main, *others[:1])

    def remains(self, factor: str) -> float | None:
        """Return how much of the change remains if a factor stays as it was; None of no change."""
        return None if abs(self.total) < 0.005 else 1 - self.parts[factor] / self.total

    def to_dict(self, clock: Clock) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "before": self.before,
            "after": self.after,
            "earliest": self.earliest.to_json(),
            "latest": self.latest.to_json(),
            "votes": {"before": self.votes[0], "after": self.votes[1]},
            "named": list(self.named),
            "probability": {name: round(p, 4) for name, p in self.probability.items()},
            "takes_part": {name: round(p, 4) for name, p in self.takes_part.items()},
            "moved": round(self.total, 4),
            "parts": {name: round(part, 4) for name, part in self.parts.items()},
            "option": self.option,
            "voters": self.voters,
            "questions": self.questions,
            "release": None if self.release is None else self.release.to_dict(),
            "released": round(self.released, 4),
            "says": " ".join(plain(one) for one in sentences(self, clock)),
        }


def sentences(cause: Cause, clock: Clock) -> list[Sentence]:
    """Say why who leads changed, what remains of it at a fixed mix, and what is not known."""
    head = say("{new} took over from {old}", new=named(cause.after), old=named(cause.before))
    found = [_main(cause, head)]
    if cause.named and cause.named[0] in ("voters", "questions"):
        found += _mix(cause)
    if cause.named and (remains := _remains(cause)) is not None:
        found.append(remains)
    if cause.release is not None:
        found.append(_release(cause, cause.release, clock))
    if cause.voters is None and cause.named[:1] != ("none",):
        found.append(say("No field tells voters apart, so that others voted cannot be seen."))
    return found


def _main(cause: Cause, head: Sentence) -> Sentence:
    given = cause.probability
    if not cause.named:
        likely = sorted(given, key=lambda name: -given[name])[:2]
        return say(
            "{head}; why cannot be told: {0} ({1}) or {2} ({3}).",
            _noun(cause, likely[0]),
            chance(given[likely[0]]),
            _noun(cause, likely[1]),
            chance(given[likely[1]]),
            head=head,
        )
    if cause.named == ("none",):
        return say(
            "{head}, by hardly more than chance; neither voters, questions, pairs nor tastes "
            "explain it ({0}).",
            chance(given["none"]),
            head=head,
        )
    if len(cause.named) == 2:
        one, other = cause.named
        return say(
            "{head} for two reasons: {0} ({1} to have a share) and {2} ({3}).",
            _noun(cause, one),
            chance(cause.takes_part[one]),
            _noun(cause, other),
            chance(cause.takes_part[other]),
            head=head,
        )
    (main,) = cause.named
    return say(
        "{head} most likely because of {0} ({1}).",
        _noun(cause, main),
        chance(max(given[main], cause.takes_part[main]) if given[main] < SURE else given[main]),
        head=head,
    )


def _noun(cause: Cause, name: str) -> Sentence:
    if name == "option":
        return say("a change of {0} alone", named(cause.option))
    return say(_NOUNS[name])


_NOUNS = {
    "voters": "other voters",
    "questions": "other questions",
    "pairs": "other pairs being shown",
    "taste": "tastes that changed for several options",
    "none": "none of these",
}


def _mix(cause: Cause) -> list[Sentence]:
    """Say whose share changed, of voters or of questions."""
    found = []
    rows = (("voters", cause.voters, cause.shifted), ("questions", cause.questions, cause.asked))
    for factor, column, shift in rows:
        if factor in cause.named and column is not None and shift is not None:
            group, one, other = shift
            found.append(
                say(
                    "By {0}, {1} had {2} of the votes before and {3} after.",
                    named(column),
                    named(group or "(empty)"),
                    percent(one),
                    percent(other),
                )
            )
    return found


def _remains(cause: Cause) -> Sentence | None:
    """Say how much of the change remains at a fixed mix."""
    told = [
        (words, cause.remains(factor))
        for factor, words, known in (
            ("voters", "of voters", cause.voters),
            ("questions", "of questions", cause.questions),
            ("pairs", "of pairs shown", True),
        )
        if known is not None
    ]
    rows = [say(f"{words}: {_share(share)}") for words, share in told if share is not None]
    if not rows:
        return None
    row = "; ".join(f"{{{n}}}" for n in range(len(rows)))
    return say("Of the change there remains at a fixed mix {row}.", row=say(row, *rows))


def _share(share: float) -> str:
    if share < -0.005:
        return "nothing (it would go the other way)"
    return "all" if share > 1.0 else percent(share)


def _release(cause: Cause, release: Release, clock: Clock) -> Sentence:
    what = say("{0}", named(release.name))
    if release.option is not None:
        what = say("{0} of {1}", named(release.name), named(release.option))
    return say(
        "It came with {what} ({when}), which is {p} likely to be why, if tastes moved.",
        what=what,
        when=clock.then(release.at),
        p=chance(cause.released),
    )
