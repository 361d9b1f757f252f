"""The figure "who noticed": regret over time, the true changes, and the episodes found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel.criteria import Criterion
from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, INK, WIDTH, stacked

if TYPE_CHECKING:
    import altair as alt

    from driftduel.simulation import Run
else:
    alt = drawing_library("altair")


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
    changes = [{"round": int(start)} for start in stream.starts[1:]]
    x = alt.X(
        "round:Q",
        title="round t",
        scale=alt.Scale(domain=[0, stream.horizon], nice=False),
        axis=alt.Axis(format="~s", grid=False, tickCount=10),
    )
    rules = (
        alt.Chart(alt.InlineData(values=changes))
        .mark_rule(strokeDash=[5, 4], color=INK)
        .encode(x=x, tooltip=[alt.Tooltip("round:Q", title="true change", format=",")])
    )
    panels = [alt.layer(*_curves(runs, criterion, x), rules).properties(width=WIDTH, height=330)]
    if noticing is not None:
        panels.append(_episodes(runs[noticing], noticing, x, rules))
    return stacked(panels, title, subtitle, spacing=14)


def _curves(
    runs: Mapping[str, Sequence[Run]], criterion: Criterion | str, x: alt.X
) -> list[alt.Chart]:
    rows: list[dict[str, Any]] = []
    for name, mine in runs.items():
        table = np.array([run.regret(criterion) for run in mine])
        mean = table.mean(axis=0)
        error = 2 * table.std(axis=0, ddof=min(1, len(mine) - 1)) / np.sqrt(len(mine))
        rows += [
            {"learner": name, "round": int(t), "regret": m, "low": m - e, "high": m + e}
            for t, m, e in zip(
                np.append(0, mine[0].rounds), np.append(0, mean), np.append(0, error), strict=True
            )
        ]
    colour = alt.Color(
        "learner:N",
        scale=alt.Scale(domain=list(runs), range=list(COLOURS[: len(runs)])),
        legend=alt.Legend(
            title=None,
            orient="top-left",
            symbolType="stroke",
            symbolStrokeWidth=3,
            symbolOpacity=1,
            labelLimit=400,
        ),
    )
    heading = "cumulative regret"
    y = alt.Y("regret:Q", title=heading, axis=alt.Axis(format="~s", gridColor="#EEE"))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x)
    tooltip = [
        "learner:N",
        alt.Tooltip("round:Q", format=","),
        alt.Tooltip("regret:Q", format=",.0f"),
    ]
    return [
        base.mark_area(opacity=0.25).encode(
            y=alt.Y("low:Q", title=heading), y2="high:Q", color=colour
        ),
        base.mark_line(strokeWidth=2.5).encode(y=y, color=colour, tooltip=tooltip),
    ]


def _episodes(runs: Sequence[Run], name: str, x: alt.X, rules: alt.Chart) -> Any:
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
    return alt.layer(ticks, rules).properties(width=WIDTH, height=18 * len(runs), title=heading)
