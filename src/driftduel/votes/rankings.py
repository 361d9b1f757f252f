"""Rows that rank several options at once, as votes: of every two, the one further ahead won.

A race of m options is m (m - 1) / 2 votes. They are not cast apart from each other, which is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from driftduel.votes.cells import numbers
from driftduel.votes.log import BadRow
from driftduel.votes.outcomes import Votes, as_codes, tossed

if TYPE_CHECKING:
    import polars as pl

CAUTION = (
    "every row ranks several options: each two of them count as a vote, and these are not "
    "independent, so that less is proved than is said"
)
_SIGNS = (">", "|", ";", ",")
_MOST = 1000
"""Options of one row; a thousand of them are half a million votes."""


def from_rankings(
    frame: pl.DataFrame, named: Mapping[str, str], places: Sequence[str] = ()
) -> Votes:
    """Return the votes of rows that rank options, in columns of places or as in ``a > b = c``.

    Examples
    --------
    >>> import polars as pl
    >>> votes = from_rankings(pl.DataFrame({"order": ["tea > milk = soda"]}), {"ranking": "order"})
    >>> votes.labels, votes.rows.tolist(), votes.outcome.tolist()
    (['milk', 'soda', 'tea'], [0, 0, 0], [0.0, 0.0, 0.5])
    """
    import polars as pl

    ranked = _in_columns(frame, places) if places else _in_cells(frame[named["ranking"]])
    most = int(ranked.group_by("row").len()["len"].max() or 0)  # type: ignore[arg-type]
    if most > _MOST:
        raise ValueError(f"a row ranks {most:,} options, must be at most {_MOST:,}")
    ahead = ranked.with_row_index("n")
    pairs = ahead.join(ahead, on="row", suffix="_other", maintain_order="left_right").filter(
        (pl.col("place") < pl.col("place_other"))
        | ((pl.col("place") == pl.col("place_other")) & (pl.col("n") < pl.col("n_other")))
    )
    if not pairs.height:
        raise ValueError("no row ranks two options, at least one is needed")
    labels, (won, lost) = as_codes([pairs["option"], pairs["option_other"]])
    tie = (pairs["place"] == pairs["place_other"]).to_numpy()
    rows = pairs["row"].to_numpy().astype("int64")
    count = numbers(frame[named["count"]])[rows] if "count" in named else None
    return tossed(Votes(labels, won, lost, 1 - 0.5 * tie, count, rows))


def _in_columns(frame: pl.DataFrame, places: Sequence[str]) -> pl.DataFrame:
    """Return row, place and option of every cell that holds one; later places may be empty."""
    import polars as pl

    columns = [
        frame.select(
            row=pl.int_range(pl.len()),
            place=pl.lit(place),
            option=pl.col(name).cast(pl.String).str.strip_chars(),
        )
        for place, name in enumerate(places)
    ]
    cells = pl.concat(columns).filter(pl.col("option").is_not_null() & (pl.col("option") != ""))
    return cells.sort("row", "place")


def _in_cells(column: pl.Series) -> pl.DataFrame:
    import polars as pl

    if column.dtype != pl.List(pl.String):
        if column.dtype != pl.String:
            raise ValueError(
                f"{column.name}: holds {column.dtype}, must hold text such as a > b > c"
            )
        first = next((cell for cell in column if cell), "")
        sign = next((sign for sign in _SIGNS if sign in first), None)
        if sign is None:
            raise BadRow(0, f"{column.name} is {first!r}, must be a ranking such as a > b > c")
        column = column.str.split(sign)
    lists = pl.DataFrame({"row": range(len(column)), "option": column})
    cells = lists.explode("option").with_columns(place=pl.int_range(pl.len()).over("row"))
    equal = cells.with_columns(pl.col("option").str.split("=")).explode("option")
    stripped = equal.with_columns(pl.col("option").str.strip_chars())
    return stripped.filter(pl.col("option").is_not_null() & (pl.col("option") != ""))
