"""Everything the library can say about a stream, as plain data that becomes JSON or a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel.matrix.criteria import Borda
from driftduel.matrix.preferences import first_outside
from driftduel.worlds.measures.measures import COUNTS, LISTED, PHASES
from driftduel.worlds.measures.shown import shown
from driftduel.worlds.measures.spells import Spell, spells
from driftduel.worlds.stream import Stream
from driftduel.worlds.timelines import Ints

if TYPE_CHECKING:
    from driftduel.worlds.measures.measures import Measures
    from driftduel.worlds.measures.phases import Phases

_MOST_ENTRIES = 300_000
"""Of the matrices of all stretches, for the von Neumann winner to be told: a second or two."""


def summarise(stream: Stream, measures: Measures) -> dict[str, Any]:
    """Return what a stream is, how much it moves and who wins when, as plain data.

    The keys are those of ``driftduel measure --json``, listed in docs/command-measure.md.

    Examples
    --------
    >>> import driftduel as dd
    >>> P, Q = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]
    >>> s = dd.Stream.piecewise([P, Q], [0, 400], 1000, labels=["tea", "coffee"])
    >>> summary = summarise(s, dd.measure(s))
    >>> for phase in summary["measures"]["significant_borda"]["first"]:
    ...     print(phase)
    {'start': 0, 'from': None, 'last_safe': 'tea'}
    {'start': 472, 'from': None, 'last_safe': 'coffee'}
    >>> [spell["arms"] for spell in summary["winners"]["borda"]]
    [['tea'], ['coffee']]
    """
    names = arm_names(stream)
    found: dict[str, Any] = {name: getattr(measures, name) for name in COUNTS}
    found |= {name: _phases(stream, getattr(measures, name), names) for name in PHASES}
    return {
        "n_arms": stream.n_arms,
        "arms": names,
        "horizon": stream.horizon,
        "span": None if stream.span is None else [day.isoformat() for day in stream.span],
        "stretches": stream.n_stretches,
        "matrices": len(stream.palette),
        "classes": {
            name: {"holds": fails is None, "fails_at": fails, "fails_on": day_of(stream, fails)}
            for name, fails in first_failures(stream).items()
        },
        "measures": found,
        "von_neumann": _von_neumann(stream, measures, names),
        "undefined": dict(measures.reasons),
        "winners": {
            "borda": _timeline(stream, spells(stream, "borda"), names),
            "condorcet": _timeline(stream, spells(stream, "condorcet"), names),
        },
        "rates": measures.rates(),
        "notices": list(stream.credits),
    }


def first_failures(stream: Stream) -> dict[str, int | None]:
    """Return the first round at which CW, GIC, SST and STI fail, None for what always holds.

    Every matrix is looked at, as `driftduel.classify` would.

    Examples
    --------
    >>> P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
    >>> rock = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    >>> first_failures(Stream.piecewise([P, rock], starts=[0, 70], horizon=100))
    {'CW': 70, 'GIC': 70, 'SST': 70, 'STI': 70}
    """
    # Matrices are stored in the order in which they first rule, so the first that fails is the
    # first to fail in time.
    return {
        name: None if matrix is None else int(stream.starts[np.argmax(stream.which == matrix)])
        for name, matrix in first_outside(stream.palette).items()
    }


def borda_at(stream: Stream, rounds: Ints) -> list[list[float | None]]:
    """Return the Borda scores of all arms in some rounds; None for arms that are not on offer.

    Examples
    --------
    >>> s = Stream.stationary([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], 10)
    >>> borda_at(s.offering([[True, False, True]]), np.array([4]))
    [[0.6, None, 0.4]]
    """
    world = shown(stream)
    matrices = world.which[np.searchsorted(world.starts, rounds, side="right") - 1]
    if world.weights is None:
        return Borda().score_table(world.palette[matrices]).tolist()
    weights = world.weights[matrices]
    scores = np.einsum("mab,mb->ma", world.palette[matrices], weights).round(12)
    found = zip(scores.tolist(), weights.tolist(), strict=True)
    return [
        [score if weight > 0 else None for score, weight in zip(*row, strict=True)] for row in found
    ]


def arm_names(stream: Stream) -> list[str]:
    """Return the labels of the arms, or their numbers if they have none."""
    return list(stream.labels or map(str, range(stream.n_arms)))


def day_of(stream: Stream, round_: int | None) -> str | None:
    """Return the date of a round as ISO text, None if there is no date or no round."""
    day = None if round_ is None else stream.date(round_)
    return None if day is None else day.isoformat()


def _phases(stream: Stream, phases: Phases | None, names: list[str]) -> dict[str, Any] | None:
    """Return the first phases one by one and all of them as runs; there may be millions."""
    if phases is None:
        return None
    runs: list[dict[str, Any]] = [
        {"start": start, "step": step, "count": count, "last_safe": names[arm]}
        for (start, step, count), arm in zip(phases.runs, phases.run_arms, strict=True)
    ]
    first: list[dict[str, Any]] = []
    for run in runs:
        for place in range(min(run["count"], LISTED - len(first))):
            start = run["start"] + place * run["step"]
            first.append(
                {"start": start, "from": day_of(stream, start), "last_safe": run["last_safe"]}
            )
    return {"phases": len(phases), "first": first, "runs": runs}


def _von_neumann(stream: Stream, measures: Measures, names: list[str]) -> dict[str, Any] | None:
    affordable = stream.n_stretches == 1 or stream.n_stretches * stream.n_arms**2 <= _MOST_ENTRIES
    found = measures.von_neumann if affordable else None
    if found is None:
        return None
    return {
        "unique": found.unique,
        "support": [names[arm] for arm in found.support],
        "largest_support": found.largest_support,
        "significant": _phases(stream, found.phases, names),
    }


def _timeline(stream: Stream, spells: Iterable[Spell], names: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "start": spell.start,
            "end": spell.end,
            "from": day_of(stream, spell.start),
            "to": day_of(stream, spell.end - 1),
            "arms": [names[arm] for arm in spell.arms],
        }
        for spell in spells
    ]
