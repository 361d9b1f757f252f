"""The likely story as a figure of pages: P(best) over time as bands, for templates.

A band is as high as its option is likely to be best. Places are per cent of the width, and
thousandths inside the bands, whose box is stretched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from driftduel.arena.web.pages.shapes import NARROWEST, Bar, Tick, colour_of
from driftduel.verdict import likely as words
from driftduel.verdict.parts import Sentence, chance
from driftduel.verdict.standing import ENOUGH, Moment
from driftduel.votes.likely.telling import Telling

OTHERS = "others"
_WORTH_SHOWING = 0.03
_STEPS = 160
_MOST_BANDS = 6
_WHOLE = 1000


@dataclass(frozen=True)
class Band:
    """How likely an option was to be best over time; ``colour`` is None for all others."""

    name: str
    colour: int | None
    path: str
    now: float


@dataclass(frozen=True)
class Era:
    """Who is named best from where on; ``turn`` is where it took over with 95 %, if it did."""

    name: str
    bar: Bar
    turn: Bar | None


@dataclass(frozen=True)
class Bands:
    """The figure, what it shows in words, and how well the model predicted these votes."""

    bands: tuple[Band, ...]
    eras: tuple[Era, ...]
    ticks: tuple[Tick, ...]
    alt: str
    record: tuple[Sentence, ...]
    proved: bool


def shown_of(telling: Telling) -> list[int]:
    """Return the options that have a band: those likeliest now and before, each of its own colour.

    Of two with one colour, of more options than there are colours, the likelier one is shown.
    """
    told = telling.story.p_best
    most = told.max(axis=0)
    weight = np.where(most >= _WORTH_SHOWING, told.mean(axis=0) + told[-1], -1.0)
    shown: dict[int, int] = {}
    for option in np.argsort(-weight, kind="stable").tolist():
        if weight[option] >= 0 and len(shown) < _MOST_BANDS:
            shown.setdefault(colour_of(option), option)
    return sorted(shown.values())


def bands_of(
    telling: Telling | None,
    place: Callable[[Moment], float],
    ticks: Sequence[Tick],
    *,
    proved: bool,
) -> Bands | None:
    """Return the figure; None of too few votes for a picture."""
    if telling is None or telling.votes < ENOUGH:
        return None
    steps = telling.steps(_STEPS)
    edges = [10 * place(telling.start_of(begin)) for begin, *_ in steps] + [float(_WHOLE)]
    told = np.array([p_best for _, _, p_best, _ in steps])
    floor = np.zeros(len(steps))
    names, now = telling.names, telling.story.p_best[-1]
    bands = []
    shown = shown_of(telling)
    for option in shown:
        height = told[:, option]
        path = _path(edges, floor, floor + height)
        bands.append(Band(names[option], colour_of(option), path, float(now[option])))
        floor = floor + height
    if (floor < 1 - _WORTH_SHOWING).any():
        rest = max(1.0 - float(now[shown].sum()), 0.0)
        bands.append(Band(OTHERS, None, _path(edges, floor, np.ones(len(steps))), rest))
    known = telling.likely
    eras = []
    for n, era in enumerate(known.eras):
        x = place(era.since)
        end = place(era.until) if n + 1 < len(known.eras) else 100.0
        left, right = place(era.earliest), place(era.latest)
        turn = Bar(left, round(max(right - left, NARROWEST), 3)) if n else None
        eras.append(Era(names[era.option], Bar(x, round(max(end - x, 0.0), 3)), turn))
    alt = "; ".join(f"{names[era.option]} {chance(era.probability)}" for era in known.eras)
    said = f"How likely each option was to be best over time, in turn: {alt}."
    return Bands(
        tuple(bands), tuple(eras), tuple(ticks), said, tuple(words.prediction(known)), proved
    )


def _path(edges: Sequence[float], low: np.ndarray, high: np.ndarray) -> str:
    """Return a step between two heights as the path of an SVG."""
    top = [
        (x, y)
        for n, share in enumerate(high)
        for x, y in ((edges[n], share), (edges[n + 1], share))
    ]
    below = [
        (x, y)
        for n, share in reversed(list(enumerate(low)))
        for x, y in ((edges[n + 1], share), (edges[n], share))
    ]
    points = [f"{x:.0f} {_WHOLE * (1 - min(max(y, 0.0), 1.0)):.0f}" for x, y in [*top, *below]]
    return f"M{'L'.join(points)}Z"
