"""The likely story as a record, and its only sentences: who was best when, as a model has it.

What is likely is never said as what is proved: "probably" from 75 %, "very likely" from 95 %, each
with its number, "may be" below, and never "is best". `driftduel.votes.likely` fills the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from driftduel._support.text import listing
from driftduel.verdict import text
from driftduel.verdict.parts import (
    Clock,
    Sentence,
    chance,
    clock_of,
    counted,
    named,
    percent,
    percent_range,
    plain,
    say,
)
from driftduel.verdict.standing import ENOUGH, Moment, Standing

PROBABLY, VERY_LIKELY = 0.75, 0.95
"""From which probability on it is said so."""

_MOST_ERAS = 4
_WORTH_NAMING = 0.1
_FEWEST_TOLD, _FAVOURITE = 30, (0.7, 0.9)
_OPEN, _FEW = 0.25, 2
_SAME = 0.0005
_PROVED = say("What is proved, whatever drift there was:")
_NOTICED = say("Noticed and proved so far:")
_COUNTED = "By random comparisons alone:"
_LINES = text.MOST_LINES
_MOST_NEWCOMERS = 3


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
        Between which ``best`` took over for the last time, with 95 %.
    unbroken : bool
        Whether that is near the beginning of its era, so that no other was best since.
    first, last : Moment
        The ends of the votes; ``timed``, whether they have times at all.
    losses : tuple of float
        The mean log loss of a vote by this model, by all votes alike, and by a coin.
    record : tuple of (float, float, float, float)
        Between which chances the one ahead was told to win, how many votes that were, how many of
        them it was to win, and how many it won.
    scores : tuple of (float, float, float) or None
        The chance of each option to beat another on offer now, and its band; None if it is not
        offered.
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
    scores: tuple[tuple[float, float, float] | None, ...] = ()
    unbroken: bool = True


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


def opening(likely: Likely | None, standing: Standing) -> tuple[list[Sentence], list[Sentence]]:
    """Say who is best in a poll, what is proved or else what is likely, and then the other.

    Examples
    --------
    >>> opening(None, Standing(options=(), votes=0))[0][0][0].text
    'Nobody has voted yet.'
    """
    known = text.headline(standing)
    if likely is None:
        return known, []
    late = newcomers(standing)
    if _is_proved(standing):
        return known, [*_agrees(likely, standing), *late]
    first, *rest = _headline(likely)
    return [first], [*rest, *late, *disagreement(likely, standing), _NOTICED, *known]


def claim(likely: Likely | None, standing: Standing) -> list[str | bool] | None:
    """Return what of the opening is news when it changes: who is best, and how sure that is."""
    if likely is None or _is_proved(standing):
        leader = standing.leader
        return None if leader is None else [standing.options[leader].name, bool(standing.decided)]
    return [likely.names[likely.best], step(likely.probability[likely.best])]


def _is_proved(standing: Standing) -> bool:
    return bool(standing.decided) and standing.leader is not None


def beside(likely: Likely | None, standing: Standing) -> str:
    """Return all of a poll as plain text: who is best, a line for each option, and what changed."""
    hero, aside = opening(likely, standing)
    first = " ".join(map(plain, [*hero, *aside]))
    if likely is not None:  # how likely each is best is told by one of the two
        options = tuple(replace(one, probability=None) for one in standing.options)
        standing = replace(standing, options=options)
    rest = text.words(standing).partition("\n")[2]
    rest = f"{_COUNTED}\n{rest}" if likely is not None and rest.startswith(" ") else rest
    told = [] if likely is None else [" ".join(map(plain, prediction(likely)))]
    return "\n".join(part for part in (first, *lines(likely), rest, *told) if part)


def lines(likely: Likely | None) -> list[str]:
    """Return a line of plain text for each option that has a score, the likeliest first."""
    if likely is None or not likely.scores:
        return []
    there = [n for n, band in enumerate(likely.scores) if band is not None]
    order = sorted(there, key=lambda n: -likely.probability[n])
    found = ["Likely, against another option:"]
    found += [f"  {plain((named(likely.names[n]),))}: {score(likely, n)}" for n in order[:_LINES]]
    return [*found, f"  and {len(order) - _LINES:,} more"] if len(order) > _LINES else found


def score(likely: Likely, option: int) -> str:
    """Say how often an option likely wins, and how likely it is best."""
    band = likely.scores[option]
    if band is None:
        return "not offered"
    mean, low, high = band
    told = f"wins {percent(mean)} ({percent_range(low, high)})"
    return f"{told}, best with {chance(likely.probability[option])}"


def newcomers(standing: Standing) -> list[Sentence]:
    """Say which options joined so late that they cannot be judged yet."""
    joined = {n: one.at for one in standing.events for n in one.joined}
    late = [
        n
        for n in joined
        if standing.options[n].offered and (standing.options[n].duels or 0) < ENOUGH
        if n not in standing.apart  # of which the other sentences say it
    ]
    return [
        say(
            "{who} joined {at} and has {n}: too early to judge it.",
            who=named(standing.options[n].name),
            at=clock_of(standing).then(joined[n]),
            n=counted(standing.options[n].duels or 0, standing.unit),
        )
        for n in late[:_MOST_NEWCOMERS]
    ]


def _agrees(s: Likely, standing: Standing) -> list[Sentence]:
    """Say how likely that is which is proved, and who was before."""
    if s.best != standing.leader:
        return [*headline(s), *disagreement(s, standing)]
    told = chance(s.probability[s.best])
    if len(s.eras) == 1 or s.eras[-1].option != s.best:
        return [say("The model gives it {told}.", told=told)]
    clock = _clock(s)
    return [
        say(
            "The model gives it {told}{was}{since}.",
            told=told,
            was=", " if s.unbroken else "; it was ",
            since=_since(s, clock),
        ),
        say("{before}.", before=_before(s, clock)),
    ]


def _headline(s: Likely) -> Iterator[Sentence]:
    clock, who = _clock(s), named(s.names[s.best])
    share = s.probability[s.best]
    era = s.eras[-1]
    told = chance(share)
    verb = f"is {step(share)}" if share >= PROBABLY else "may be"
    if share < _OPEN and sum(one is not None for one in s.scores or s.names) > _FEW:
        yield say(
            "None stands out so far; {who} is the likeliest to be best ({told}).",
            who=who,
            told=told,
        )
        if past := len(s.eras) - (era.option == s.best):
            yield say("{before}.", before=_before(s, clock, len(s.eras) - past))
    elif not s.timed or s.first == s.last:
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
            "{who} {verb} best now ({told}), {was}{since}.",
            who=who,
            verb=verb,
            told=told,
            was="" if s.unbroken else "and was ",
            since=_since(s, clock),
        )
        yield say("{before}.", before=_before(s, clock))
    else:
        yield say(
            "{who} {verb} best now ({told}).",
            who=who,
            verb=verb,
            told=told,
        )
        yield say("{before}.", before=_before(s, clock, 0))
    if share < VERY_LIKELY:
        others = sorted(
            (n for n in range(len(s.names)) if n != s.best), key=lambda n: -s.probability[n]
        )
        others = [n for n in others if s.probability[n] >= _WORTH_NAMING]
        if others:
            parts = [say("{0} ({1})", named(s.names[n]), chance(s.probability[n])) for n in others]
            yield say("It may also be {row}.", row=_row(parts[:3]))


def _since(s: Likely, clock: Clock) -> Sentence:
    """Say since about when the last era is, and where its beginning lies."""
    era = s.eras[-1]
    since = clock.at(era.since)
    if s.unbroken:
        if s.earliest == s.latest:
            return say("since {0}", since)
        return say("since about {0} ({1})", since, clock.between(s.earliest, s.latest))
    about: Sentence = (since,)
    if era.earliest != era.latest:
        about = say("about {0} ({1})", since, clock.between(era.earliest, era.latest))
    return say("the likeliest since {0}, though another may have been best in between", about)


def _before(s: Likely, clock: Clock, skip: int = 1) -> Sentence:
    """Say who was likeliest before, the latest first."""
    past = s.eras[: len(s.eras) - skip][::-1]
    parts = [
        say(
            "{lead} {who} ({from_} to {to}, {step}, {told})",
            lead="before that" if n else "Before that",
            who=named(s.names[era.option]),
            from_=clock.at(era.since),
            to=clock.at(era.until),
            step=step(era.probability),
            told=chance(era.probability),
        )
        for n, era in enumerate(past[:_MOST_ERAS])
    ]
    row = say(", ".join(f"{{{n}}}" for n in range(len(parts))), *parts)
    if len(past) > _MOST_ERAS:
        return say("{row}, and {n} more before", row=row, n=f"{len(past) - _MOST_ERAS:,}")
    return row


def prediction(s: Likely) -> list[Sentence]:
    """Say how well votes were predicted before they were seen, and what came true."""
    model, static, coin = s.losses
    if s.first == s.last:
        return []
    better = "better than" if model < static - _SAME else "as well as"
    better = "worse than" if model > static + _SAME else better
    better = f"{better} if all votes counted alike"
    if model > coin - _SAME:
        better = "so far no better than a coin"
    found = [
        say(
            "This is from a model, which predicts each vote from those before it: {better} "
            "(log loss {model}, all alike {static}, a coin {coin}).",
            better=better,
            model=f"{model:.4f}",
            static=f"{static:.4f}",
            coin=f"{coin:.4f}",
        )
    ]
    row = _row_told(s)
    if row is not None:
        low, high, votes, said, won = row
        found.append(
            say(
                "What it gave {low} to {high}, {said} on average, came true in {won} of {n}.",
                low=percent(low),
                high=percent(high),
                said=percent(said),
                won=f"{round(won * votes):,}",
                n=counted(round(votes), "vote"),
            )
        )
    return found


def _row_told(s: Likely) -> tuple[float, float, float, float, float] | None:
    """Return the row of the record that is told: of favourites, or what has votes enough."""
    rows = [one for one in s.record if one[0] >= _FAVOURITE[0] and one[1] <= _FAVOURITE[1]]
    votes = sum(one[2] for one in rows)
    if votes >= _FEWEST_TOLD:
        said = sum(one[2] * one[3] for one in rows) / votes
        return (*_FAVOURITE, votes, said, sum(one[2] * one[4] for one in rows) / votes)
    return max((one for one in s.record if one[2] >= _FEWEST_TOLD), default=None)


def disagreement(s: Likely, standing: Standing) -> list[Sentence]:
    """Say which assumption makes the likely and the proved disagree, if they do."""
    proved = standing.best if standing.decided else None
    if standing.best == s.best:
        return []
    if proved is None and standing.on_average and standing.leader is not None:
        return [
            say(
                "{ahead} is ahead on average over a longer time, {likely} is likelier to be best "
                "now: the model assumes that tastes move little by little or jump, and so counts "
                "late {unit}s for more than early ones.",
                ahead=named(s.names[standing.leader]),
                likely=named(s.names[s.best]),
                unit=standing.unit,
            )
        ]
    if s.probability[s.best] < PROBABLY:
        return []
    if proved is None and standing.drawn and standing.leader is not None:
        return [
            say(
                "{noticed} leads by random comparisons, {likely} is likelier: the model counts all "
                "{unit}s, late ones more than early ones, and assumes that strength is one number "
                "an option.",
                noticed=named(s.names[standing.leader]),
                likely=named(s.names[s.best]),
                unit=standing.unit,
            )
        ]
    if proved is None:
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
