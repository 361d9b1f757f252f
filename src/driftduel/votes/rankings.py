"""Rows that rank several options at once, as votes: of every two, the one further ahead won.

A race of m options is m (m - 1) / 2 votes. They are not cast apart from each other, which is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from driftduel._support import hints
from driftduel.votes.cells import is_empty, numbers
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
    ranked = _in_columns(frame, places) if places else _in_cells(frame[named["ranking"]])
    return _pairs_of(ranked, frame, named)


def from_long(frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return the votes of rows of one option each, with its place in a contest.

    Who has no place, or one that is no number, did not finish and is left out.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"race": [1, 1, 1], "driver": ["ann", "bob", "cy"], "place": [2, 1, 3]}
    >>> columns = {"contest": "race", "option": "driver", "place": "place"}
    >>> votes = from_long(pl.DataFrame(rows), columns)
    >>> votes.labels, votes.rows.tolist(), len(votes.outcome)
    (['ann', 'bob', 'cy'], [0, 0, 0], 3)
    """
    import polars as pl

    contest = frame[named["contest"]].cast(pl.String)
    ranked = (
        pl.DataFrame(
            {
                "contest": contest,
                "place": frame[named["place"]].cast(pl.Float64, strict=False),
                "option": frame[named["option"]].cast(pl.String).str.strip_chars(),
            }
        )
        .with_row_index("row")
        .with_columns(pl.col("row").min().over("contest"))
    )
    ranked = ranked.filter(pl.col("place").is_not_null() & (pl.col("option") != ""))
    twice = ranked.select(pl.struct("contest", "option").is_duplicated()).to_series()
    if twice.any():
        row = ranked.filter(twice)[1]
        raise ValueError(
            f"{row['option'][0]} is there twice with {named['contest']} = {row['contest'][0]}, "
            "must have one place in it; say which column tells contests: "
            f"{hints.columns(contest='NAME')}"
        )
    return _pairs_of(ranked.select("row", "place", "option").sort("row", "place"), frame, named)


def from_ballots(frame: pl.DataFrame, named: Mapping[str, str], options: Sequence[str]) -> Votes:
    """Return the votes of rows that say of every option, a column each, which place it has."""
    import polars as pl

    columns = [
        frame.select(
            row=pl.int_range(pl.len()),
            place=pl.col(name).cast(pl.Float64, strict=False),
            option=pl.lit(name),
        )
        for name in options
    ]
    ranked = pl.concat(columns).filter(pl.col("place").is_not_null())
    return _pairs_of(ranked.sort("row", "place"), frame, named)


def from_best_and_worst(
    frame: pl.DataFrame, named: Mapping[str, str], items: Sequence[str] = ()
) -> Votes:
    """Return the votes of rows with the best and the worst of several: best, others, worst.

    Of the others nobody knows who is ahead, so that they make no votes among themselves.
    """
    import polars as pl

    best, worst = (
        frame[named[role]].cast(pl.String).str.strip_chars() for role in ("best", "worst")
    )
    rows = pl.int_range(frame.height, eager=True)
    pairs = [pl.DataFrame({"row": rows, "won": best, "lost": worst})]
    for name in items:
        item = frame[name].cast(pl.String).str.strip_chars()
        other = (item != best) & (item != worst)
        pairs.append(pl.DataFrame({"row": rows, "won": best, "lost": item}).filter(other))
        pairs.append(pl.DataFrame({"row": rows, "won": item, "lost": worst}).filter(other))
    every = pl.concat(pairs).sort("row", maintain_order=True)
    labels, (won, lost) = as_codes([every["won"], every["lost"]])
    at = every["row"].to_numpy().astype("int64")
    count = numbers(frame[named["count"]])[at] if "count" in named else None
    return tossed(Votes(labels, won, lost, np.ones(len(won)), count, at))


def are_places(column: pl.Series, most: int) -> bool:
    """Tell whether all cells are places from 1 to the most there may be, or empty."""
    import polars as pl

    if column.dtype.is_nested() or column.dtype.is_temporal() or column.dtype == pl.Boolean:
        return False
    found = column.cast(pl.Float64, strict=False)
    some = found.drop_nulls()
    whole = ((some >= 1) & (some <= most) & (some == some.floor())).all()
    return len(some) > 0 and bool(whole) and len(some) == len(column) - is_empty(column).sum()


def are_ballots(frame: pl.DataFrame) -> bool:
    """Tell whether every row has each place once, from the first on."""
    import polars as pl

    numbers = frame.select(pl.all().cast(pl.Float64, strict=False)).rows()
    ballots = [sorted(place for place in row if place is not None) for row in numbers]
    return all(places == [*range(1, len(places) + 1)] for places in ballots) and any(
        len(places) > 1 for places in ballots
    )


def _pairs_of(ranked: pl.DataFrame, frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return the votes of row, place and option, of every two in a row one."""
    import polars as pl

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
