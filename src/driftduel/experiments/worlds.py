"""What is true of the streams of an experiment: changes, significant shifts, who wins when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driftduel.experiments.spec import CriterionText, StreamEntry, criterion_name, criterion_of
from driftduel.shifts import measure
from driftduel.shifts.measures import Measures
from driftduel.streams import Stream

LISTED = 1000
"""Changes, shifts and spells are listed one by one up to this many."""

_COUNTS = ("changes", "variation", "borda_switches", "condorcet_switches", "gic_switches")
_PHASES = (
    "significant_borda",
    "significant_unknown",
    "significant_condorcet",
    "approximate_winner",
)
TRUTHS = _COUNTS + _PHASES
"""What a learner may be told of a stream; of phases, how many there are."""


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
        changes=_listed(stream.starts[1:]),
        shifts={name: _shifts(stream, found, text) for name, text in names.items()},
        winners={name: _winners(stream, text) for name, text in names.items()},
        measures=truths(found),
        id=content,
    )


def truths(found: Measures) -> dict[str, float | None]:
    """Return the measures of a stream as numbers, None where undefined."""
    numbers: dict[str, float | None] = {name: getattr(found, name) for name in _COUNTS}
    for name in _PHASES:
        phases = getattr(found, name)
        numbers[name] = None if phases is None else len(phases)
    return numbers


def from_json(item: Mapping[str, Any]) -> StreamInfo:
    """Return what is true of a stream from what JSON keeps of it."""
    winners = {
        name: None if spells is None else [tuple(spell) for spell in spells]
        for name, spells in item["winners"].items()
    }
    return StreamInfo(**{**item, "winners": winners})


def _listed(rounds: Any) -> list[int] | None:
    return None if len(rounds) > LISTED else [int(round_) for round_ in rounds]


def _shifts(stream: Stream, found: Measures, text: CriterionText) -> list[int] | None:
    if text == "borda":
        phases = found.significant_borda
    elif text == "condorcet":
        if found.significant_condorcet is None:
            return None
        phases = found.significant_condorcet
    elif isinstance(text, str):
        return None
    else:
        phases = measure(stream, list(text)).significant_weighted
    return None if len(phases) > LISTED + 1 else _listed(phases.starts[1:])


def _winners(stream: Stream, text: CriterionText) -> list[tuple[int, int, int]] | None:
    """Return who wins when; an arm that ties goes on winning."""
    try:
        losses, begins = stream.gap_rows(criterion_of(text), binary=True)
    except ValueError:
        return None
    # A set of arms as a whole number: a world may change in each of a million rounds.
    sets = [int.from_bytes(row.tobytes()) for row in np.packbits(losses == 0, axis=1)]
    width = 8 * (-(-stream.n_arms // 8))
    starts: list[int] = []
    unbroken: list[int] = []
    for start, now in zip(begins.tolist(), sets, strict=True):
        if unbroken and now & unbroken[-1]:
            unbroken[-1] &= now
        else:
            starts.append(start)
            unbroken.append(now)
            if len(starts) > LISTED:
                return None
    arms = [width - arms.bit_length() for arms in unbroken]
    return list(zip(starts, [*starts[1:], stream.horizon], arms, strict=True))
