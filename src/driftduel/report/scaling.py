"""The figure "how it grows": final regret against a parameter of the world, both logarithmic.

A rate such as T^(2/3) is a straight line here; its slope is the fitted exponent, shown with a 95 %
interval that is about the seeds only, and in brackets if the points lie on no line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from driftduel.experiments.grids import read_parameters
from driftduel.report.extra import drawing_library
from driftduel.report.figures import ROUND_NUMBERS, SHORT_NUMBERS, WIDTH, line_legend, line_styles
from driftduel.report.findings import title_of
from driftduel.report.regret import round_figures

if TYPE_CHECKING:
    import altair as alt

    from driftduel.experiments.results import Results
    from driftduel.report.regret import Panel
else:
    alt = drawing_library("altair")

WORDS = {"horizon": "horizon T", "n_arms": "arms K", "n_phases": "phases"}

IN_BRACKETS = (
    "The intervals are about the seeds only, not about how straight the line is. In brackets: the "
    "points lie on no line, by a standard error of the exponent above 0.05 that their distances "
    "from it imply."
)
"""What a reader of exponents must know."""


@dataclass(frozen=True)
class Growth:
    """Final regret along one parameter of a world, everything else fixed.

    Attributes
    ----------
    world, criterion, variable : str
        Which world, what regret is about, and the parameter that varies.
    fixed : dict
        The other parameters of the world.
    points : DataFrame
        Columns learner, value, mean and error, the standard error.
    exponents : DataFrame
        Columns learner, exponent, low, high and good.
    """

    world: str
    criterion: str
    variable: str
    fixed: dict[str, Any]
    points: pl.DataFrame
    exponents: pl.DataFrame


def growths(results: Results) -> list[Growth]:
    """Return every way in which regret grows that the grids of an experiment show."""
    from driftduel.experiments.rates import exponents

    groups = exponents(results).group_by(
        *("world", "criterion", "variable", "fixed"), maintain_order=True
    )
    return [
        Growth(
            world=str(group[0]),
            criterion=str(group[1]),
            variable=str(group[2]),
            fixed=read_parameters(str(group[3])),
            points=mine.select("learner", value="values", mean="means", error="errors").explode(
                "value", "mean", "error"
            ),
            exponents=mine.select("learner", "exponent", "low", "high", "good"),
        )
        for group, mine in groups
    ]


def exponent_text(exponent: float, good: bool) -> str:
    """Return an exponent for reading, in brackets if the points lie on no line.

    Examples
    --------
    >>> exponent_text(2 / 3, True), exponent_text(2 / 3, False)
    ('0.67', '(0.67)')
    """
    return f"{exponent:.2f}" if good else f"({exponent:.2f})"


def scaling_chart(growth: Growth, learners: Sequence[str]) -> Panel:
    """Draw one growth: means with two standard errors, and the fitted lines.

    ``learners`` are all of the experiment, in order; the order gives them their colours.
    """
    styles = line_styles(learners)
    fits = {row["learner"]: row for row in growth.exponents.to_dicts()}
    names = {
        name: f"{name}: {exponent_text(fit['exponent'], fit['good'])}"
        + (f", {fit['low']:.2f} to {fit['high']:.2f}" if fit["good"] else "")
        for name, fit in fits.items()
    }
    table = growth.points.with_columns(
        fit=pl.col("learner").replace_strict(names, return_dtype=pl.String),
        low=pl.max_horizontal(pl.col("mean") - 2 * pl.col("error"), pl.col("mean") / 10),
        high=pl.col("mean") + 2 * pl.col("error"),
    )
    lines = [
        row
        for (name,), mine in table.group_by("learner", maintain_order=True)
        for row in _fit_line(mine, names[str(name)], fits[name]["exponent"])
    ]
    variable = WORDS.get(growth.variable, growth.variable)
    x = alt.X(
        "value:Q",
        title=variable,
        scale=alt.Scale(type="log", nice=False, padding=20),
        axis=alt.Axis(labelExpr=SHORT_NUMBERS, values=sorted(set(table["value"])), grid=False),
    )
    heading = f"final {title_of(growth.criterion)} regret"
    y = alt.Y(
        "mean:Q",
        title=heading,
        scale=alt.Scale(type="log", nice=True),
        axis=alt.Axis(labelExpr=ROUND_NUMBERS, tickCount=5),
    )
    order = [name for name in learners if name in names]
    legend = line_legend([names[name] for name in order], "slope, 95 % over seeds")
    domain = [names[name] for name in order]
    colour = alt.Color(
        "fit:N",
        scale=alt.Scale(domain=domain, range=[styles[name][0] for name in order]),
        legend=legend,
    )
    dash = alt.StrokeDash(
        "fit:N",
        scale=alt.Scale(domain=domain, range=[styles[name][1] for name in order]),
        legend=legend,
    )
    base = alt.Chart(alt.InlineData(values=round_figures(table))).encode(x=x, color=colour)
    tooltip = [
        "learner:N",
        alt.Tooltip("value:Q", title=variable, format=",~g"),
        alt.Tooltip("mean:Q", title="mean regret", format=",.5~g"),
        alt.Tooltip("error:Q", title="standard error", format=",.3~g"),
        alt.Tooltip("fit:N", title="slope"),
    ]
    return alt.layer(
        alt.Chart(alt.InlineData(values=lines))
        .mark_line(strokeWidth=2)
        .encode(x=x, y=y, color=colour, strokeDash=dash),
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", title=heading), y2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1).encode(y=y, tooltip=tooltip),
    ).properties(width=WIDTH, height=330)


def _fit_line(points: pl.DataFrame, name: str, exponent: float) -> list[dict[str, Any]]:
    """Return the ends of the fitted line, which runs through the mean of the logarithms."""
    values, means = np.log(points["value"].to_numpy()), np.log(points["mean"].to_numpy())
    height = means.mean() - exponent * values.mean()
    return [
        {
            "value": float(np.exp(value)),
            "mean": float(np.exp(height + exponent * value)),
            "fit": name,
        }
        for value in (values.min(), values.max())
    ]
