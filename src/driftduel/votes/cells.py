"""Cells of a column as text or as numbers, or which row has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from driftduel._support.checks import LONGEST
from driftduel.votes.log import Array, BadRow, first_true

if TYPE_CHECKING:
    import polars as pl


def texts(column: pl.Series) -> pl.Series:
    """Return a column as text without blanks around it; BadRow if some is empty."""
    import polars as pl

    stripped = column.cast(pl.String).str.strip_chars()
    check_present(stripped)
    return stripped


def check_present(column: pl.Series) -> None:
    """Raise BadRow if a cell is empty, or not a number in a column of numbers."""
    import polars as pl

    empty: pl.Series = column.is_null()
    if column.dtype == pl.String:
        empty = empty | (column == "").fill_null(value=True)
    if empty.any():
        raise BadRow(first_true(empty.to_numpy()), f"{column.name} is empty")
    if column.dtype.is_float() and column.is_nan().any():
        row = first_true(column.is_nan().to_numpy())
        raise BadRow(row, f"{column.name} is nan, must be a number")


def numbers(column: pl.Series) -> Array:
    """Return a column as numbers; BadRow if a cell is none."""
    import polars as pl

    if column.dtype == pl.String:
        column = texts(column)
    check_present(column)
    if not (column.dtype.is_numeric() or column.dtype in (pl.String, pl.Boolean)):
        raise ValueError(f"{column.name}: holds {column.dtype}, must hold numbers")
    found = column.cast(pl.Float64, strict=False)
    if found.has_nulls():
        row = first_true(found.is_null().to_numpy())
        raise BadRow(row, f"{column.name} is {column[row]!r}, must be a number")
    check_present(found)
    return found.to_numpy()


def whole(column: pl.Series) -> Array:
    """Return a column as whole numbers that are at least 0; BadRow if a cell is none."""
    values = numbers(column)
    wrong = ~((values >= 0) & (np.floor(values) == values) & (values <= LONGEST))
    if wrong.any():
        row = first_true(wrong)
        raise BadRow(row, f"{column.name} is {column[row]}, must be a whole number, at least 0")
    return values


def counts_rows(column: pl.Series) -> bool:
    """Tell whether a column holds whole numbers of votes, and is no number of the row.

    Examples
    --------
    >>> import polars as pl
    >>> counts_rows(pl.Series([10, 5, 4])), counts_rows(pl.Series(["1", "2", "3"]))
    (True, False)
    """
    import polars as pl

    if column.dtype.is_nested() or column.dtype.is_temporal() or column.dtype == pl.Boolean:
        return False
    found = column.cast(pl.Float64, strict=False)
    if not len(found) or found.has_nulls() or not found.is_finite().all():
        return False
    whole = bool(((found >= 1) & (found == found.floor())).all())
    steps = found.diff().drop_nulls()
    return whole and not (len(steps) > 0 and bool((steps == 1).all()))


def is_empty(column: pl.Series) -> pl.Series:
    """Return which cells of a column hold nothing, blanks apart."""
    import polars as pl

    empty = column.is_null()
    if column.dtype == pl.String:
        empty = empty | (column.str.strip_chars() == "").fill_null(value=True)
    return empty
