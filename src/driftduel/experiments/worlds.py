"""What is true of the streams of an experiment: changes, significant shifts, who wins when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from driftduel.experiments.spec import CriterionText, StreamEntry, criterion_name, criterion_of
from driftduel.worlds import Stream
from driftduel.worlds.measures import measure
from driftduel.worlds.measures.measures import COUNTS, LISTED, PHASES, Measures
from driftduel.worlds.measures.phases import Phases
from driftduel.worlds.measures.spells import spells

TRUTHS = tuple(name for name in COUNTS + PHASES if "weighted" not in name)
"""What a learner may be told of a stream, which has no weight; of phases, how many there are."""


@dataclass(frozen=True)
class StreamInfo:
    """A stream of an experiment and what is true of it.

    Attributes
    ----------
    label : str
        Its name in the tables.
    world : str
        The built-in world, or the file.
    parameters : str
        The parameters of the world as JSON.
    n_arms, horizon : int
        Its size.
    labels : list of str
        Names of the arms, or their numbers as text.
    span : list of str or None
        The dates of the first and the last round, for worlds made from real votes.
    changes : list of int or None
        The rounds at which the matrix changes; None if there are more than 1,000.
    shifts : dict of str to list of int or None
        For every criterion the rounds at which significant phases begin, but for the first; None
        where undefined or more than 1,000.
    winners : dict of str to list of (start, end, arm) or None
        For every criterion who wins when, in spells; None where undefined or more than 1,000.
    measures : dict of str to number or None
        How much the stream moves; of phases, how many there are.
    id : str
        A hash of the content.
    credits : list of str
        The notices of the owners of the data it is made from.
    """

    label: str
    world: str
    parameters: str
    n_arms: int
    horizon: int
    labels: list[str]
    span: list[str] | None
    changes: list[int] | None
    shifts: dict[str, list[int] | None]
    winners: dict[str, list[tuple[int, int, int]] | None]
    measures: dict[str, float | None] = field(default_factory=dict)
    id: str = ""
    credits: list[str] = field(default_factory=list)


def describe(entry: StreamEntry, parameters: str, stream: Stream, content: str) -> StreamInfo:
    """Measure a stream and return what is true of it."""
    found = measure(stream)
    names = {criterion_name(text): text for text in ("borda", "condorcet", *entry.criteria)}
    return StreamInfo(
        label=entry.label,
        world=entry.world,
        parameters=parameters,
        n_arms=stream.n_arms,
        horizon=stream.horizon,
        labels=list(stream.labels or map(str, range(stream.n_arms))),
        span=None if stream.span is None else [day.isoformat() for day in stream.span],
        changes=_as_rounds(stream.starts[1:]),
        shifts={name: _shifts(stream, found, text) for name, text in names.items()},
        winners={name: _winners(stream, text) for name, text in names.items()},
        measures=truths(found),
        id=content,
        credits=list(stream.credits),
    )


def truths(found: Measures) -> dict[str, float | None]:
    """Return the measures of a stream as numbers, None where undefined."""
    values = {name: getattr(found, name) for name in TRUTHS}
    return {
        name: len(value) if isinstance(value, Phases) else value for name, value in values.items()
    }


def from_json(item: Mapping[str, Any]) -> StreamInfo:
    """Return what is true of a stream from what JSON keeps of it."""
    winners = {
        name: None if spells is None else [tuple(spell) for spell in spells]
        for name, spells in item["winners"].items()
    }
    return StreamInfo(**{**item, "winners": winners})


def _as_rounds(rounds: Any) -> list[int] | None:
    return None if len(rounds) > LISTED else [int(round_) for round_ in rounds]


def _shifts(stream: Stream, found: Measures, text: CriterionText) -> list[int] | None:
    if text in ("borda", "weak borda"):
        phases = found.significant_borda
    elif text in ("condorcet", "weak condorcet"):
        if found.significant_condorcet is None:
            return None
        phases = found.significant_condorcet
    elif isinstance(text, str):
        return None
    else:
        phases = measure(stream, list(text)).significant_weighted
    return None if len(phases) > LISTED + 1 else _as_rounds(phases.starts[1:])


def _winners(stream: Stream, text: CriterionText) -> list[tuple[int, int, int]] | None:
    """Return who wins when, the first of those that tie."""
    found = list(islice(spells(stream, criterion_of(text)[0]), LISTED + 1))
    if len(found) > LISTED or not all(spell.arms for spell in found):
        return None
    return [(spell.start, spell.end, spell.arms[0]) for spell in found]
