"""The figure "who was played": how often each pair met, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from driftduel.report.extra import drawing_library
from driftduel.report.regret import round_figures

if TYPE_CHECKING:
    import altair as alt
else:
    alt = drawing_library("altair")

MOST_DRAWN = 24
"""Arms drawn; of more, the rest are put together."""

OTHERS = "all others"
_SIDE = 260


def shares_of_pairs(plays: pl.DataFrame, arms: Sequence[str]) -> pl.DataFrame:
    """Return the share of the duels of each ordered pair, as columns left, right and share.

    Parameters
    ----------
    plays : DataFrame
        Columns left, right (numbers of arms) and count.
    arms : sequence of str
        Names of the arms. If they are many, those played least become one, `OTHERS`.

    Examples
    --------
    >>> plays = pl.DataFrame({"left": [0, 0], "right": [0, 1], "count": [3, 1]})
    >>> shares_of_pairs(plays, ["tea", "coffee"]).rows()
    [('tea', 'tea', 0.75), ('tea', 'coffee', 0.25)]
    """
    names = dict(enumerate(arms))
    if len(arms) > MOST_DRAWN:
        sides = pl.concat(
            plays.select(pl.col(side).alias("arm"), pl.col("count")) for side in ("left", "right")
        )
        most = sides.group_by("arm").agg(pl.col("count").sum()).sort("count", descending=True)
        kept = set(most["arm"][: MOST_DRAWN - 1].to_list())
        names = {arm: name if arm in kept else OTHERS for arm, name in names.items()}
    named = plays.with_columns(
        pl.col(side).replace_strict(names, return_dtype=pl.String) for side in ("left", "right")
    )
    total = pl.col("count").sum()
    return (
        named.group_by("left", "right", maintain_order=True)
        .agg(total)
        .select("left", "right", share=pl.col("count") / total)
    )


def plays_chart(shares: pl.DataFrame, arms: Sequence[str]) -> alt.Chart:
    """Draw what `shares_of_pairs` returns, a square for each pair, the darker the more often."""
    seen = {*shares["left"], *shares["right"]}
    many = len(arms) > MOST_DRAWN
    order = [name for name in arms if name in seen or not many]
    order += [OTHERS] if OTHERS in seen else []
    axis = alt.Axis(labelLimit=90, labelOverlap=True, grid=False, domain=False, ticks=False)
    return (
        alt.Chart(alt.InlineData(values=round_figures(shares)))
        .mark_rect()
        .encode(
            x=alt.X("right:N", scale=alt.Scale(domain=order), axis=axis, title="right"),
            y=alt.Y("left:N", scale=alt.Scale(domain=order), axis=axis, title="left"),
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(type="sqrt", scheme="viridis", domainMin=0),
                legend=alt.Legend(
                    title="share of duels",
                    format=".2~p",
                    orient="bottom",
                    values=[0, max(shares["share"].to_list())],
                    gradientLength=160,
                ),
            ),
            tooltip=["left:N", "right:N", alt.Tooltip("share:Q", format=".3~%")],
        )
        .properties(width=_SIDE, height=_SIDE)
    )
