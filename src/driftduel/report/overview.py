"""The figure "everybody everywhere": the ratio to the best, learner by learner, on all streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from driftduel.report.extra import drawing_library
from driftduel.report.figures import ROUND_NUMBERS, WIDTH, legend_columns, line_styles
from driftduel.report.regret import round_figures

if TYPE_CHECKING:
    import altair as alt
else:
    alt = drawing_library("altair")

_STEP = 24
_SHAPES = ("circle", "square", "triangle-up")
_COLOURS = 6


def overview_chart(summary: pl.DataFrame, learners: Sequence[str]) -> alt.Chart:
    """Draw the ratio to the best of every learner, a row for each stream and criterion.

    Parameters
    ----------
    summary : DataFrame
        What `Results.summary` returns.
    learners : sequence of str
        Their order in the legend, which gives them their colours.
    """
    several = summary["criterion"].n_unique() > 1
    row = pl.format("{}, {}", "stream", "criterion") if several else pl.col("stream")
    table = summary.select("learner", "mean", "error", "ratio", row=row)
    styles = line_styles(learners)
    legend = alt.Legend(
        title=None,
        orient="bottom",
        direction="horizontal",
        columns=legend_columns(learners),
        labelLimit=300,
    )
    shapes = [_SHAPES[n // _COLOURS % len(_SHAPES)] for n in range(len(learners))]
    return (
        alt.Chart(alt.InlineData(values=round_figures(table.drop_nulls("ratio"))))
        .mark_point(filled=True, size=90, opacity=0.85)
        .encode(
            x=alt.X(
                "ratio:Q",
                title="ratio to the best",
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(labelExpr=ROUND_NUMBERS, tickCount=8, labelOverlap=True),
            ),
            y=alt.Y(
                "row:N",
                title=None,
                sort=None,
                axis=alt.Axis(labelLimit=260, grid=True, domain=False, ticks=False),
            ),
            color=alt.Color(
                "learner:N",
                scale=alt.Scale(domain=list(styles), range=[c for c, _ in styles.values()]),
                legend=legend,
            ),
            shape=alt.Shape(
                "learner:N",
                scale=alt.Scale(domain=list(styles), range=shapes),
                legend=legend,
            ),
            tooltip=[
                alt.Tooltip("row:N", title="stream"),
                "learner:N",
                alt.Tooltip("ratio:Q", title="ratio to best", format=".3~f"),
                alt.Tooltip("mean:Q", title="mean regret", format=",.5~g"),
                alt.Tooltip("error:Q", title="standard error", format=",.3~g"),
            ],
        )
        .properties(width=WIDTH, height=_STEP * table["row"].n_unique())
    )
