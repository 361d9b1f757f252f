"""The likely story as a record, and its only sentences: who was best when, as a model has it.

What is likely is never said as what is proved: "probably" from 75 %, "very likely" from 95 %, each
with its number, "may be" below, and never "is best". `driftduel.votes.likely` fills the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from driftduel._support.text import listing
from driftduel.verdict.parts import (
    Clock,
    Sentence,
    chance,
    clock_of,
    counted,
    named,
    percent,
    say,
)
from driftduel.verdict.standing import Moment, Standing

PROBABLY, VERY_LIKELY = 0.75, 0.95
"""From which probability on it is said so."""

_MOST_ERAS = 4
_WORTH_NAMING = 0.1
_FEWEST_TOLD = 30
_SAME = 0.0005
_PROVED = say("What is proved, whatever drift there was:")


@dataclass(frozen=True, kw_only=True)
class LikelyEra:
    """An option is likeliest to be best from one moment to another.

    Attributes
    ----------
    option : int
    since, until : Moment
    probability : float
        The mean of P(best) over that time.
    earliest, latest : Moment
        Where its beginning lies with 95 %, if it took over at all.
    took_over : float
        How likely it is that it did, between its surest moment and that of the one before.
    """

    option: int
    since: Moment
    until: Moment
    probability: float
    earliest: Moment
    latest: Moment
    took_over: float


@dataclass(frozen=True, kw_only=True)
class Likely:
    """The likely story of options, which are known by their place in ``names``.

    Attributes
    ----------
    names : tuple of str
    eras : tuple of LikelyEra
        In the order of time.
    best : int
        Who is likeliest to be best now.
    probability : tuple of float
        P(best) now.
    earliest, latest : Moment
        Between which ``best`` took over, with 95 %.
    first, last : Moment
        The ends of the votes; ``timed``, whether they have times at all.
    losses : tuple of float
        The mean log loss of a vote by this model, by all votes alike, and by a coin.
    record : tuple of (float, float, float, float)
        Between which chances the one ahead was told to win, how many votes that were, how many of
        them it was to win, and how many it won.
    """

    names: tuple[str, ...]
    eras: tuple[LikelyEra, ...]
    best: int
    probability: tuple[float, ...]
    earliest: Moment
    latest: Moment
    first: Moment
    last: Moment
    timed: bool
    votes: int
    losses: tuple[float, float, float]
    record: tuple[tuple[float, float, float, float, float], ...]


def step(probability: float) -> str:
    """Return the word for a probability, before "best".

    Examples
    --------
    >>> step(0.97), step(0.8), step(0.6)
    ('very likely', 'probably', 'perhaps')
    """
    if probability >= VERY_LIKELY:
        return "very likely"
    return "probably" if probability >= PROBABLY else "perhaps"


def headline(likely: Likely) -> list[Sentence]:
    """Say who is likely best, since when, and who was before."""
    return list(_headline(likely))


def sentences(likely: Likely) -> list[Sentence]:
    """Say who is likely best, since when, who was before, and how well the model predicts."""
    return [*headline(likely), *prediction(likely)]


def story(likely: Likely, standing: Standing) -> list[Sentence]:
    """Say all that is likely beside a standing, which says what is proved."""
    return [*headline(likely), *disagreement(likely, standing), *prediction(likely), _PROVED]


def _headline(s: Likely) -> Iterator[Sentence]:
    clock, who = _clock(s), named(s.names[s.best])
    share = s.probability[s.best]
    era = s.eras[-1]
    told = chance(share)
    verb = f"is {step(share)}" if share >= PROBABLY else "may be"
    if not s.timed or s.first == s.last:
        yield say("{who} {verb} best ({told}).", who=who, verb=verb, told=told)
    elif len(s.eras) == 1 and era.option == s.best:
        yield say(
            "{who} {verb} best now ({told}), and was the likeliest all the time.",
            who=who,
            verb=verb,
            told=told,
        )
    elif era.option == s.best:
        yield say(
            "{who} {verb} best now ({told}), since about {since} ({between}); {before}.",
            who=who,
            verb=verb,
            told=told,
            since=clock.at(era.since),
            between=clock.between(s.earliest, s.latest),
            before=_before(s, clock),
        )
    else:
        yield say(
            "{who} {verb} best now ({told}); {before}.",
            who=who,
            verb=verb,
            told=told,
            before=_before(s, clock, 0),
        )
    if share < VERY_LIKELY:
        others = sorted(
            (n for n in range(len(s.names)) if n != s.best), key=lambda n: -s.probability[n]
        )
        others = [n for n in others if s.probability[n] >= _WORTH_NAMING]
        if others:
            parts = [say("{0} ({1})", named(s.names[n]), chance(s.probability[n])) for n in others]
            yield say("It may also be {row}.", row=_row(parts[:3]))


def _before(s: Likely, clock: Clock, skip: int = 1) -> Sentence:
    """Say who was likeliest before, the latest first."""
    past = s.eras[: len(s.eras) - skip][::-1]
    parts = [
        say(
            "{lead} {who} ({from_} to {to}, {step}, {told})",
            lead="before that",
            who=named(s.names[era.option]),
            from_=clock.at(era.since),
            to=clock.at(era.until),
            step=step(era.probability),
            told=chance(era.probability),
        )
        for era in past[:_MOST_ERAS]
    ]
    row = say(", ".join(f"{{{n}}}" for n in range(len(parts))), *parts)
    if len(past) > _MOST_ERAS:
        return say("{row}, and {n} earlier", row=row, n=counted(len(past) - _MOST_ERAS, "time"))
    return row


def prediction(s: Likely) -> list[Sentence]:
    """Say how well votes were predicted before they were seen, and what came true."""
    model, static, coin = s.losses
    if s.first == s.last:
        return []
    better = "better than" if model < static - _SAME else "as well as"
    better = "worse than" if model > static + _SAME else better
    found = [
        say(
            "This is from a model, which predicts each {unit} from those before it: {better} if "
            "all votes counted alike (log loss {model}, all alike {static}, a coin {coin}).",
            unit="vote",
            better=better,
            model=f"{model:.4f}",
            static=f"{static:.4f}",
            coin=f"{coin:.4f}",
        )
    ]
    told = [one for one in s.record if one[2] >= _FEWEST_TOLD]
    if told:
        low, high, votes, said, won = max(told, key=lambda one: (one[0] < 0.9, one[0]))
        found.append(
            say(
                "In {n} it gave the favourite {low} to {high}: {said} on average, and {won} won.",
                n=counted(round(votes), "vote"),
                low=percent(low),
                high=percent(high),
                won=percent(won),
                said=percent(said),
            )
        )
    return found


def disagreement(s: Likely, standing: Standing) -> list[Sentence]:
    """Say which assumption makes the likely and the proved disagree, if they do."""
    proved = standing.best if standing.decided else None
    if proved is None or proved == s.best or s.probability[s.best] < PROBABLY:
        return []
    return [
        say(
            "{proved} is proved best on average over a time, {likely} is likely best now: the "
            "model assumes that tastes move little by little or jump, and that strength is one "
            "number an option, and so reads the latest {unit}s as news.",
            proved=named(s.names[proved]),
            likely=named(s.names[s.best]),
            unit=standing.unit,
        )
    ]


def _row(parts: list[Sentence]) -> Sentence:
    return say(listing([f"{{{n}}}" for n in range(len(parts))], last="or"), *parts)


def _clock(s: Likely) -> Clock:
    return clock_of(Standing(options=(), votes=s.votes, first=s.first, last=s.last))
