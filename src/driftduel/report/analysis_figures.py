"""The pictures of what votes tell: scores with their ranges, scores over time, votes over time."""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING

import polars as pl

from driftduel._support.text import listing
from driftduel.report.document import Figure
from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, TRUTH, WIDTH, harmless, line_legend, skip_validation
from driftduel.report.likely import story
from driftduel.verdict.parts import percent
from driftduel.verdict.standing import Moment

if TYPE_CHECKING:
    import altair as alt

    from driftduel.votes.analysis import Analysis

_MOST_LINES = 4
"""Arms in the figure over time: those that are ahead and those that were."""

KINDS = ("likely", "time", "scores")


def chart(analysis: Analysis, kind: str | None = None) -> alt.LayerChart:
    """Return a picture as a chart that a notebook shows."""
    with skip_validation():
        figure = figure_of(analysis, kind)
        drawn: alt.LayerChart = harmless(figure.chart.properties(title=figure.heading))
    return drawn


def figure_of(analysis: Analysis, kind: str | None = None) -> Figure:
    """Return who was ahead over time, or who is ahead; over time if that is known."""
    if kind is None:
        kind = "time" if analysis.times > 1 else "scores"
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}, must be one of {', '.join(map(repr, KINDS))}")
    if kind == "likely" and analysis.likely is not None:
        return likely_story(analysis)
    return bands(analysis) if kind != "scores" else ranges(analysis.scores)


def likely_story(analysis: Analysis) -> Figure:
    """Return how likely each arm was best over time, with a seal on what is proved."""
    assert analysis.likely is not None
    standing = analysis.standing
    seals = [
        (one.around, f"{standing.options[one.before].name} to {standing.options[one.after].name}")
        for one in standing.changes or ()
        if one.around is not None
    ]
    for reign in standing.reigns:
        seals += [
            (end, f"{standing.options[reign.option].name} was best on average, proved {which}")
            for end, which in ((reign.since, "from here"), (reign.until, "until here"))
            if end is not None
        ]
    if standing.decided and standing.best is not None and standing.last is not None:
        seals.append((standing.last, f"{standing.options[standing.best].name} is best"))
    return story(analysis.likely, seals)


def ranges(frame: pl.DataFrame) -> Figure:
    """Return the shares of votes that arms won, with the ranges that are proved."""
    alt = drawing_library("altair")
    names = ("arm", "score_against_others", "low_against_others", "high_against_others")
    rows = frame.select(names).to_dicts()
    order = frame["arm"].to_list()
    y = alt.Y("arm:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", title="votes won against the others")
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=y)
    bars = base.mark_rule(strokeWidth=4, color=COLOURS[0], opacity=0.6).encode(
        x=alt.X("low_against_others:Q", scale=scale, axis=axis), x2="high_against_others:Q"
    )
    points = base.mark_point(filled=True, size=70, color=COLOURS[0], opacity=1).encode(
        x=alt.X("score_against_others:Q", scale=scale)
    )
    even = (
        alt.Chart(alt.InlineData(values=[{"x": 0.5}]))
        .mark_rule(strokeDash=[4, 4], color=TRUTH)
        .encode(x=alt.X("x:Q", scale=scale))
    )
    chart = alt.layer(even, bars, points).properties(width=WIDTH, height=max(60, 26 * len(order)))
    return Figure(
        "overview",
        "ranges",
        "Who is ahead, and how sure",
        "A dot is the share of votes won, a bar the range that is proved. Arms whose bars "
        "overlap may still be told apart, as they were seen in the same votes.",
        "Shares of votes won with ranges: "
        + "; ".join(f"{row['arm']} {percent(row['score_against_others'])}" for row in rows),
        chart,
    )


def bands(analysis: Analysis) -> Figure:
    """Return the scores of a few arms over time, with bands and the changes that are proved."""
    alt = drawing_library("altair")
    past = analysis.history
    leaders = [name for change in past.changes for name in (change.before, change.after)]
    lines = list(dict.fromkeys([*past.candidates[:3], *leaders, *past.scores["arm"]]))[:_MOST_LINES]
    dated = analysis.log.dated
    steps = past.bands.filter(pl.col("arm").is_in(lines)).drop("assuming")
    rows = [
        {**row, "begin": _json(row["begin"]), "end": _json(row["end"])} for row in steps.to_dicts()
    ]
    # A step goes on to the next one; the last has none.
    rows += [row | {"begin": row["end"]} for row in rows[-len(lines) :]]
    kind = "temporal" if dated else "quantitative"
    scale = alt.Scale(type="utc", nice=False) if dated else alt.Scale(nice=False, zero=False)
    x = alt.X("begin", type=kind, title="date" if dated else "time", scale=scale)
    colours = alt.Scale(domain=lines, range=list(COLOURS[: len(lines)]))
    colour = alt.Color("arm:N", scale=colours, legend=line_legend(lines))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
    y = alt.Axis(format="%", title="score", tickCount=6)
    ends = [row[name] for row in rows for name in ("low", "high")]
    domain = [math.floor(10 * min(ends)) / 10, math.ceil(10 * max(ends)) / 10]
    area = base.mark_area(opacity=0.14, interpolate="step-after").encode(
        y=alt.Y("low:Q", axis=y, scale=alt.Scale(domain=domain)), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2, interpolate="step-after").encode(y="score:Q")
    moments = [{"x": _json(change.likeliest)} for change in past.changes]
    rule = (
        alt.Chart(alt.InlineData(values=moments))
        .mark_rule(strokeDash=[4, 3], color=TRUTH)
        .encode(x=alt.X("x", type=kind, scale=scale))
    )
    parts = [area, line, rule] if moments else [area, line]
    return Figure(
        "timeline",
        "bands",
        "Scores over time",
        "Each step is the average over its time; the bands hold all at once with "
        f"{level(analysis)}{beside(analysis)}."
        + (
            " Dashed: the likeliest moment of each proved change, if it came at once."
            if moments
            else ""
        ),
        f"Scores over time of {listing(lines)}, with bands.",
        alt.layer(*parts).properties(width=WIDTH, height=300),
    )


def votes_over_time(analysis: Analysis) -> Figure:
    """Return how many votes were cast when."""
    alt = drawing_library("altair")
    bars = [{"begin": bar.begin.to_json(), "votes": bar.votes} for bar in analysis.bars]
    dated = isinstance(bars[0]["begin"], str)
    x = alt.X(
        "begin",
        type="temporal" if dated else "quantitative",
        title="date" if dated else "time",
        scale=alt.Scale(type="utc") if dated else alt.Scale(zero=False),
    )
    chart = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(color=COLOURS[0])
        .encode(x=x, y=alt.Y("votes:Q", title="votes"))
        .properties(width=WIDTH, height=160)
    )
    return Figure(
        "plays", "votes", "Votes over time", "How many votes were cast when.",
        "Numbers of votes over time.", chart,
    )  # fmt: skip


def level(analysis: Analysis) -> str:
    """Return the probability with which all ranges hold."""
    return f"{1 - analysis.history.alpha:.3g}"


def _json(moment: date | float) -> object:
    """Return a moment as figures take it."""
    return Moment.of(moment).to_json()


def beside(analysis: Analysis) -> str:
    """Return what stands beside it: what is taken for granted, if anything."""
    assuming = analysis.history.assuming
    return "" if assuming is None else f", if {assuming}"
