"""The picture of the likely story: P(best) over time as coloured bands, with who took over when.

A band is as high as its option is likely to be best. Dashed lines are take-overs that are likely,
with the range of each above; a diamond is a change, or a best option now, that is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel._support.text import listing
from driftduel.report.document import Figure
from driftduel.report.extra import drawing_library
from driftduel.report.figures import (
    COLOURS,
    GREY,
    TRUTH,
    WIDTH,
    harmless,
    legend_columns,
    skip_validation,
)
from driftduel.verdict.parts import percent
from driftduel.verdict.standing import Moment

if TYPE_CHECKING:
    import altair as alt

    from driftduel.votes.likely.timeline import Timeline

OTHERS = "others"

_STEPS = 160
_HEIGHT = 300


def chart(timeline: Timeline) -> alt.LayerChart:
    """Return the picture as a chart that a notebook shows."""
    with skip_validation():
        figure = story(timeline)
        drawn: alt.LayerChart = harmless(figure.chart.properties(title=figure.heading))
    return drawn


def story(timeline: Timeline, seals: Sequence[tuple[Moment, str]] = ()) -> Figure:
    """Return the picture; ``seals`` are moments with what is proved of them."""
    alt = drawing_library("altair")
    known = timeline.likely
    shown = _shown(timeline)
    names = [known.names[arm] for arm in shown]
    others = len(shown) < len(known.names)
    domain = [*names, OTHERS] if others else names
    colours = [*COLOURS[: len(names)], GREY][: len(domain)]
    dated = timeline.log.dated
    kind: Any = "temporal" if dated else "quantitative"
    scale = alt.Scale(type="utc", nice=False) if dated else alt.Scale(nice=False, zero=False)
    axis = alt.Axis(labelOverlap="greedy", labelSeparation=8)
    x = alt.X("at", type=kind, title=None if dated else "time", scale=scale, axis=axis)
    order = {name: n for n, name in enumerate(domain)}
    base = alt.Chart(alt.InlineData(values=_rows(timeline, shown, others, order)))
    area = base.mark_area(interpolate="step-after", opacity=0.85).encode(
        x=x,
        y=alt.Y(
            "probability:Q",
            stack="zero",
            scale=alt.Scale(domain=[0, 1.08], nice=False),
            axis=alt.Axis(format="%", title="likely to be best", values=[0, 0.25, 0.5, 0.75, 1]),
        ),
        color=alt.Color(
            "arm:N",
            scale=alt.Scale(domain=domain, range=colours),
            legend=alt.Legend(
                title=None,
                orient="top",
                direction="horizontal",
                columns=legend_columns(domain),
                labelLimit=300,
                symbolOpacity=1,
            ),
        ),
        order=alt.Order("order:Q"),
    )
    parts = [area]
    turns = [
        {
            "at": era.since.to_json(),
            "earliest": era.earliest.to_json(),
            "latest": era.latest.to_json(),
            "y": 1.03,
        }
        for era in known.eras[1:]
    ]
    if turns:
        turn = alt.Chart(alt.InlineData(values=turns))
        parts.append(
            turn.mark_rule(strokeDash=[4, 3], strokeWidth=1.5).encode(x=alt.X("at", type=kind))
        )
        parts.append(
            turn.mark_rule(strokeWidth=3, color=TRUTH).encode(
                x=alt.X("earliest", type=kind), x2="latest", y=alt.Y("y:Q")
            )
        )
    if seals:
        marks = [{"at": at.to_json(), "y": 1.05, "proved": what} for at, what in seals]
        parts.append(
            alt.Chart(alt.InlineData(values=marks))
            .mark_point(shape="diamond", size=130, filled=True, opacity=1, stroke="white")
            .encode(x=alt.X("at", type=kind), y=alt.Y("y:Q"), tooltip="proved:N")
        )
    said = "A band is as high as its option is likely to be the best of those on offer."
    if turns:
        said += " Dashed: take-overs that are likely; the bar above one is where it lies with 95 %."
    if seals:
        said += " Diamonds: what is proved."
    return Figure(
        "timeline",
        "likely",
        "Who was likely best when",
        said,
        f"P(best) over time of {listing(names)}; "
        + "; ".join(
            f"{known.names[era.option]} {percent(era.probability)} from {era.since.to_json()}"
            for era in known.eras[-5:]
        ),
        alt.layer(*parts).properties(width=WIDTH, height=_HEIGHT),
    )


def _shown(timeline: Timeline) -> list[int]:
    """Return the arms with a colour of their own, in the order of their time."""
    told = timeline.story.p_best
    total = told.sum(axis=0)
    for era in timeline.story.eras:
        total[era.arm] += (era.end - era.begin) * era.probability
    most = len(COLOURS)
    arms = [int(arm) for arm in np.argsort(-total, kind="stable")[:most] if total[arm] > 0]
    when = np.arange(len(told)) @ told / np.maximum(told.sum(axis=0), 1e-12)
    return sorted(arms, key=lambda arm: float(when[arm]))


def _rows(
    timeline: Timeline, shown: list[int], others: bool, order: dict[str, int]
) -> list[dict[str, Any]]:
    rows = []
    names = timeline.log.arms
    steps = timeline.telling.steps(_STEPS)
    moments = [(timeline.telling.start_of(begin), told) for begin, _, told, _ in steps]
    moments.append((timeline.telling.end_of(steps[-1][1] - 1), steps[-1][2]))
    for at, told in moments:
        shares = {names[arm]: float(told[arm]) for arm in shown}
        if others:
            shares[OTHERS] = max(1 - sum(shares.values()), 0.0)
        rows += [
            {"at": at.to_json(), "arm": name, "probability": round(share, 4), "order": order[name]}
            for name, share in shares.items()
        ]
    return rows
