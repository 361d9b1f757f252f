"""What is known of an automatic judge beside people: the record, and its only sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from driftduel.verdict.moments import Moment
from driftduel.verdict.parts import Clock, Sentence, named, percent, plain, say

_UNSURE = 0.05
"""So much may a share be off one half before it is said."""


class Share(NamedTuple):
    """Of votes of one kind how many a judge agrees with, and the range of the share."""

    kind: str
    name: str
    votes: float
    agreed: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of votes that it agrees with."""
        return self.agreed / self.votes


@dataclass(frozen=True)
class Agreement:
    """What is known of a judge beside people.

    Attributes
    ----------
    judge : str
        What it is called.
    answers : int
        How often it answered.
    whole : Share or None
        Of all votes on what it decided; None of none.
    parts : tuple of Share
        The same by ``time``, by ``side`` that won, and by each field.
    first : float or None
        In how many of the answers that name an option it took the one that was put first.
    contradicts : float or None
        In how many of the pairs that it was asked both ways it did not stand by its answer.
    rounds : int
        How often it was asked again what stays the same.
    moved : Moment or None
        From when on it likely answers otherwise, if it is proved that it does.
    """

    judge: str
    answers: int
    whole: Share | None
    parts: tuple[Share, ...]
    first: float | None
    contradicts: float | None
    rounds: int
    moved: Moment | None


class Helped(NamedTuple):
    """People's score of an option without a judge and with it; ranges hold at every look."""

    option: str
    score: float
    low: float
    high: float
    score_with: float
    low_with: float
    high_with: float
    tosses: int


@dataclass(frozen=True)
class Judged:
    """What is known of a judge.

    Attributes
    ----------
    judge : str
        What it is called.
    answers : int
        How often it answered.
    agreement : Agreement or None
        How far it agrees with people; None without votes.
    helped : tuple of Helped
        People's scores without it and with it, of the options on offer.
    """

    judge: str
    answers: int
    agreement: Agreement | None = None
    helped: tuple[Helped, ...] = ()

    @property
    def narrower(self) -> float | None:
        """How wide ranges with it are over those without, on average; None if there are none."""
        widths = [(one.high - one.low, one.high_with - one.low_with) for one in self.helped]
        alone = sum(width for width, _ in widths)
        return sum(width for _, width in widths) / alone if alone else None

    def to_dict(self, clock: Clock) -> dict[str, Any]:
        """Return it as JSON has it."""
        found = self.agreement
        whole = None if found is None or found.whole is None else found.whole
        return {
            "judge": self.judge,
            "answers": self.answers,
            "agrees": None if whole is None else _share(whole),
            "parts": [] if found is None else [_share(one) for one in found.parts],
            "first": None if found is None else found.first,
            "contradicts": None if found is None else found.contradicts,
            "rounds": 0 if found is None else found.rounds,
            "moved": None if (at := self.moved) is None else at.to_json(),
            "width": self.narrower,
            "scores": [one._asdict() for one in self.helped],
            "says": " ".join(plain(one) for one in sentences(self, clock)),
        }

    @property
    def moved(self) -> Moment | None:
        """From when on it answers otherwise, if that is proved."""
        return None if self.agreement is None else self.agreement.moved


def sentences(judged: Judged, clock: Clock) -> list[Sentence]:
    """Say how far a judge agrees with people, how steady it is, and what it is good for."""
    found = judged.agreement
    head = named(judged.judge)
    if found is None or found.whole is None:
        return [say("{0} gave {1} answers; nobody has voted on these pairs.", head, _n(judged))]
    whole = found.whole
    told = [
        say(
            "{0} agrees with people in {1} of {2} votes ({3} to {4}).",
            head,
            percent(whole.share),
            f"{whole.votes:,.0f}",
            percent(whole.low),
            percent(whole.high),
        )
    ]
    if found.contradicts is not None:
        told.append(
            say(
                "Asked the other way round it does not stand by {0} of its answers.",
                percent(found.contradicts),
            )
        )
    if found.first is not None and abs(found.first - 0.5) > _UNSURE:
        told.append(say("It takes what comes first in {0}.", percent(found.first)))
    if (at := judged.moved) is not None:
        told.append(
            say(
                "The judge itself moved: since {0} it answers questions that stay the same "
                "otherwise (proved whoever looks when).",
                clock.at(at),
            )
        )
    elif found.rounds > 1:
        told.append(
            say(
                "Asked {0} times what stays the same, it is not proved to have moved.",
                f"{found.rounds:,}",
            )
        )
    if (ratio := judged.narrower) is not None:
        told.append(say("With its help ranges of what people prefer are {0}.", _width(ratio)))
    return told


def _width(ratio: float) -> str:
    """Return how wide ranges are with a judge.

    Examples
    --------
    >>> [_width(ratio) for ratio in (0.8, 1.001, 1.1)]
    ['20% narrower', 'as wide as without', '10% wider, and not wrong']
    """
    if abs(1 - ratio) < 0.005:
        return "as wide as without"
    off = percent(abs(1 - ratio))
    return f"{off} narrower" if ratio < 1 else f"{off} wider, and not wrong"


def _n(judged: Judged) -> str:
    return f"{judged.answers:,}"


def _share(one: Any) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "votes": one.votes,
        "share": one.share,
        "low": one.low,
        "high": one.high,
    }
