"""The figure "who noticed": regret over time, the true changes, and the episodes found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from driftduel.matrix.criteria import Criterion
from driftduel.report.extra import drawing_library
from driftduel.report.figures import (
    COLOURS,
    SHORT_NUMBERS,
    TRUTH,
    WIDTH,
    harmless,
    line_legend,
    line_styles,
    stack,
)

if TYPE_CHECKING:
    import altair as alt

    from driftduel.experiments.results import Results
    from driftduel.experiments.simulation import Run

    Panel = alt.LayerChart | alt.FacetChart
else:
    alt = drawing_library("altair")

MOST_MARKS = 40
"""More changes than this are not marked: they would hide the curves."""


def regret_over_time(
    runs: Mapping[str, Sequence[Run]],
    *,
    title: str,
    subtitle: Sequence[str] = (),
    criterion: Criterion | str = "borda",
    noticing: str | None = None,
) -> alt.VConcatChart:
    """Draw the mean regret of learners on one stream, with bands and the changes of the world.

    Parameters
    ----------
    runs : mapping of str to sequence of Run
        Runs by the name of the learner, all on the same stream and with the same points.
    title, subtitle : str, sequence of str
        What stands above.
    criterion : Criterion or str
        What regret is about.
    noticing : str, optional
        The learner whose episodes are drawn below, a row for each run.

    Returns
    -------
    altair.VConcatChart
        Save it with `save_figure`.
    """
    stream = next(iter(runs.values()))[0].stream
    table = pl.concat(
        pl.DataFrame(
            {
                "learner": name,
                "seed": run.seed,
                "round": run.rounds,
                "regret": run.regret(criterion),
            }
        )
        for name, mine in runs.items()
        for run in mine
    )
    changes = stream.starts[1:].tolist()
    curves = mean_curves(table)
    panels = [regret_panel(curves, list(runs), stream.horizon, changes=changes, legend_inside=True)]
    if noticing is not None:
        panels.append(_episodes(runs[noticing], noticing, stream.horizon, changes))
    return harmless(stack(panels, title, subtitle, spacing=14))


def learners_of(results: Results) -> list[str]:
    """Return the learners of an experiment in the order of its spec, which gives the colours."""
    learners: list[str] = results.runs["learner"].unique(maintain_order=True).to_list()
    return learners


def mean_curves(regret: pl.DataFrame | pl.LazyFrame, *keys: str) -> pl.DataFrame:
    """Return mean regret over the seeds from round 0 on, with two standard errors either side.

    Parameters
    ----------
    regret : DataFrame or LazyFrame
        Columns learner, seed, round, regret, and the keys.
    *keys : str
        Columns to keep apart besides the learner.

    Examples
    --------
    >>> table = pl.DataFrame({"learner": "tea", "seed": [0, 1], "round": 9, "regret": [2.0, 4.0]})
    >>> mean_curves(table).rows()
    [('tea', 0, 0.0, 0.0, 0.0), ('tea', 9, 3.0, 1.0, 5.0)]
    """
    groups = [*keys, "learner"]
    band = 2 * pl.col("regret").std().fill_null(0.0) / pl.len().sqrt()
    mean = pl.col("regret").mean()
    curves = (
        regret.lazy()
        .group_by(*groups, pl.col("round").cast(pl.Int64))
        .agg(mean, low=mean - band, high=mean + band)
        .collect()
    )
    zero = (
        curves.select(groups)
        .unique()
        .with_columns(
            pl.lit(0, pl.Int64).alias("round"),
            *(pl.lit(0.0).alias(name) for name in ("regret", "low", "high")),
        )
    )
    return pl.concat([zero, curves]).sort(*groups, "round")


def regret_panel(
    curves: pl.DataFrame,
    learners: Sequence[str],
    horizon: int,
    *,
    changes: Sequence[int] = (),
    shifts: Sequence[int] = (),
    heading: str = "cumulative regret",
    legend_inside: bool = False,
) -> Panel:
    """Draw curves of regret with their bands, the changes of the world and the shifts that matter.

    Parameters
    ----------
    curves : DataFrame
        What `mean_curves` returns.
    learners : sequence of str
        Their order in the legend, which gives them their colours.
    horizon : int
        Where the time axis ends.
    changes, shifts : sequence of int
        Rounds to mark by a dashed line, and by a triangle at the top.
    heading : str
        The title of the axis of regret.
    legend_inside : bool
        Put the legend where curves of regret leave room, not below.
    """
    x = time_axis(horizon)
    styles = line_styles(learners)
    legend = line_legend(learners, inside=legend_inside)
    colour = alt.Color(
        "learner:N",
        scale=alt.Scale(domain=list(styles), range=[colour for colour, _ in styles.values()]),
        legend=legend,
    )
    dash = alt.StrokeDash(
        "learner:N",
        scale=alt.Scale(domain=list(styles), range=[dash for _, dash in styles.values()]),
        legend=legend,
    )
    y = alt.Y("regret:Q", title=heading, axis=alt.Axis(labelExpr=SHORT_NUMBERS, tickCount=6))
    base = alt.Chart(alt.InlineData(values=round_figures(curves))).encode(x=x)
    tooltip = [
        "learner:N",
        alt.Tooltip("round:Q", format=","),
        alt.Tooltip("regret:Q", title="mean regret", format=",.5~g"),
        alt.Tooltip("low:Q", title="band from", format=",.5~g"),
        alt.Tooltip("high:Q", title="band to", format=",.5~g"),
    ]
    return alt.layer(
        *change_rules(x, changes),
        base.mark_area(opacity=0.22).encode(
            y=alt.Y("low:Q", title=heading), y2="high:Q", color=colour
        ),
        base.mark_line(strokeWidth=2.5).encode(y=y, color=colour, strokeDash=dash),
        base.mark_point(filled=True, size=160, opacity=0).encode(
            y=y, color=colour, tooltip=tooltip
        ),
        *shift_marks(x, shifts),
    ).properties(width=WIDTH, height=330)


def time_axis(horizon: int) -> alt.X:
    """Return the axis of rounds."""
    return alt.X(
        "round:Q",
        title="round t",
        scale=alt.Scale(domain=[0, horizon], nice=False),
        axis=alt.Axis(labelExpr=SHORT_NUMBERS, grid=False, tickCount=10, labelFlush=True),
    )


def change_rules(x: alt.X, changes: Sequence[int]) -> list[alt.Chart]:
    """Return dashed lines at the true changes; none if they are too many to mark."""
    if not 0 < len(changes) <= MOST_MARKS:
        return []
    return [
        alt.Chart(alt.InlineData(values=[{"round": int(start)} for start in changes]))
        .mark_rule(strokeDash=[5, 4], color=TRUTH, strokeWidth=1.5)
        .encode(x=x, tooltip=[alt.Tooltip("round:Q", title="true change", format=",")])
    ]


def shift_marks(x: alt.X, shifts: Sequence[int]) -> list[alt.Chart]:
    """Return triangles at the top where shifts that matter are established."""
    if not 0 < len(shifts) <= MOST_MARKS:
        return []
    return [
        alt.Chart(alt.InlineData(values=[{"round": int(start)} for start in shifts]))
        .mark_point(shape="triangle-down", size=90, filled=True, color=TRUTH, opacity=1)
        .encode(
            x=x,
            y=alt.value(5),
            tooltip=[alt.Tooltip("round:Q", title="significant shift", format=",")],
        )
    ]


def round_figures(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows with numbers of six figures, which no eye can tell from more."""
    floats = [name for name, kind in table.schema.items() if kind.is_float()]
    return table.with_columns(pl.col(floats).round_sig_figs(6)).to_dicts()


def _episodes(runs: Sequence[Run], name: str, horizon: int, changes: Sequence[int]) -> Any:
    x = time_axis(horizon)
    rows = [
        {"run": f"seed {run.seed}", "round": start} for run in runs for start in run.episodes[1:]
    ]
    ticks = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_tick(thickness=3, size=13, color=COLOURS[0])
        .encode(
            x=x,
            y=alt.Y(
                "run:N",
                title="run",
                scale=alt.Scale(domain=[f"seed {run.seed}" for run in runs]),
            ),
            tooltip=["run:N", alt.Tooltip("round:Q", title="new episode", format=",")],
        )
    )
    heading = alt.TitleParams(
        f"Where {name} began a new episode; dashed: the true changes, which nobody told it",
        anchor="start",
        fontSize=13,
        fontWeight="normal",
    )
    return alt.layer(ticks, *change_rules(x, changes)).properties(
        width=WIDTH, height=18 * len(runs), title=heading
    )
