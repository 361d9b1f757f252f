"""The standing of a log's options: what a history proves, as the one record of a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftduel.verdict.proved import Drifted, Reign, Turned
from driftduel.verdict.standing import Change, Moment, Option, Reset, Standing

if TYPE_CHECKING:
    from driftduel.votes.histories import History, LeaderChange


def standing_of(
    history: History, arms: Sequence[str] | None = None, past: History | None = None
) -> Standing:
    """Return the standing that a history of a log proves.

    Parameters
    ----------
    history : History
        Of the arms that are still shown.
    arms : sequence of str, optional
        All arms, in their order; those of the history if left out.
    past : History, optional
        Of all arms, if that is another: what changed when is from there.
    """
    names = tuple(history.arms if arms is None else arms)
    place = {name: n for n, name in enumerate(names)}
    rows = {row["arm"]: row for row in history.scores.to_dicts()}
    past = history if past is None else past
    first, last = past.ends or (None, None)
    latest = Moment.of(history.latest)
    return Standing(
        options=tuple(_option(name, rows.get(name)) for name in names),
        votes=past.n_votes,
        first=None if first is None else Moment.of(first),
        last=None if last is None else Moment.of(last),
        best=None if history.best is None else place[history.best],
        since=Moment.of(history.since),
        decided=history.decided,
        rivals=tuple(place[name] for name in history.candidates if name != history.best),
        counted_since=latest,
        reset=Reset(at=latest, why="tastes") if past.changes else None,
        level=1 - history.alpha,
        looks="one",
        scored_against="others",
        on_average=True,
        changes=tuple(_change(one, place) for one in past.changes),
        drifted=_drifted(past),
        turned=_turned(past, place),
        reigns=_reigns(history, place),
        assuming=history.assuming,
    )


def with_options(standing: Standing, known: Mapping[str, Mapping[str, Any]]) -> Standing:
    """Return a standing with more known of options, by name and field."""
    return replace(
        standing,
        options=tuple(replace(one, **known.get(one.name, {})) for one in standing.options),
    )


def _option(name: str, row: dict[str, Any] | None) -> Option:
    if row is None:
        return Option(name=name)
    return Option(
        name=name,
        score=row["score_against_others"],
        low=row["low_against_others"],
        high=row["high_against_others"],
        compared=int(row["votes"]),
    )


def _turned(history: History, place: Mapping[str, int]) -> tuple[Turned, ...]:
    return tuple(
        Turned(
            kind=one.kind,
            option=place[history.arms[one.arm]],
            other=None if one.other is None else place[history.arms[one.other]],
            proved=Moment.of(one.proved),
            likeliest=Moment.of(one.likeliest),
        )
        for one in history.watch.turns
    )


def _reigns(history: History, place: Mapping[str, int]) -> tuple[Reign, ...]:
    phases = history.watch.phases
    return tuple(
        Reign(
            option=place[history.arms[one.best]],
            since=Moment.of(one.begin),
            until=None if one is phases[-1] else Moment.of(one.end),
        )
        for one in phases
        if one.best is not None
    )


def _drifted(history: History) -> Drifted | None:
    found = history.drift
    if found.proved is None:
        return None
    return Drifted(proved=Moment.of(found.proved), of_strengths=found.of_strengths)


def _change(one: LeaderChange, place: Mapping[str, int]) -> Change:
    return Change(
        before=place[one.before],
        after=place[one.after],
        around=Moment.of(one.likeliest),
        earliest=Moment.of(one.earliest),
        latest=Moment.of(one.latest),
        surely_after=Moment.of(one.after_surely),
        surely_before=Moment.of(one.before_surely),
        before_among=tuple(place[name] for name in one.before_among),
        after_among=tuple(place[name] for name in one.after_among),
        kind="proved",
    )
