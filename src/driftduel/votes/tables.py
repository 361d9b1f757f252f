"""A table of votes as it was found, and where its rows stand in their file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.log import BadRow

if TYPE_CHECKING:
    import polars as pl

_LOOKED_AT = 200


@dataclass(frozen=True, eq=False)
class Table:
    """A table, its header without blanks around the names, and where its rows came from.

    Attributes
    ----------
    frame : polars.DataFrame
        The rows that are not empty. All columns of a text file are text.
    name : str
        The name of the file, empty if there is none.
    header : tuple of str
        The names of the columns, with those that are there twice.
    line : callable or None
        Gives the line of a row in its file; None where there are no lines.
    notes : tuple of str
        What is to be said of how the table was found in its file.
    """

    frame: pl.DataFrame
    name: str
    header: tuple[str, ...]
    line: Callable[[int], int | None] | None = None
    origin: NDArray[np.int64] | None = None
    """Which row of the whole table each row was, if some were left out."""
    notes: tuple[str, ...] = ()

    def some(self, kept: NDArray[np.bool_]) -> Table:
        """Return some of the rows, which know where they stood."""
        import polars as pl

        rows = np.flatnonzero(kept)
        origin = rows if self.origin is None else self.origin[rows]
        return replace(self, frame=self.frame.filter(pl.Series(kept)), origin=origin)

    def below(self, row: int) -> Table | None:
        """Return the table whose headings stand in a row of this one; None if these are too few."""
        cells = [str(cell or "").strip() for cell in self.frame.row(row)]
        named = [n for n, cell in enumerate(cells) if cell]
        names = tuple(cells[n] for n in named)
        if len(names) < 2 or len({*names}) < len(names):
            return None
        rest = self.some(np.arange(self.frame.height) > row)
        kept = rest.frame.select(self.frame.columns[n] for n in named)
        note = f"the columns are named in {self.place(row)}, what is above is left out"
        return replace(
            rest, frame=kept.rename(dict(zip(kept.columns, names, strict=True))), header=names,
            notes=(*self.notes, note),
        )  # fmt: skip

    def original(self, row: int) -> int:
        """Return which row of the whole table a row was."""
        return row if self.origin is None else int(self.origin[row])

    def place(self, row: int) -> str:
        """Return where a row stands: the line of a file as an editor counts, or the row."""
        row = self.original(row)
        line = None if self.line is None else self.line(row)
        return f"row {row + 1}" if line is None else f"line {line}"

    def complaint(self, error: ValueError) -> ValueError:
        """Return an error with the name of the file and the place of the row in front."""
        text = f"{self.place(error.row)}: {error.reason}" if isinstance(error, BadRow) else error
        return ValueError(f"{self.name}: {text}" if self.name else str(text))

    @property
    def begins_with_a_vote(self) -> bool:
        """Whether what should be the header stands in later rows too, as names of options do."""
        import polars as pl

        text = self.frame.head(_LOOKED_AT).select(pl.col(pl.String))
        cells = {cell for column in text for cell in column}
        return self.line is not None and bool({name for name in self.header if name} & cells)


def frame_table(frame: pl.DataFrame, name: str = "") -> Table:
    """Return a data frame as a table."""
    return Table(frame, name, tuple(frame.columns))


def as_square(table: Table) -> Table | None:
    """Return a square table without the numbers of its rows in front; None if it is not square."""
    if is_square(table):
        return table
    few = table.frame.height <= 2 * len(table.header)
    if len(table.header) < 4 or not few or not _numbers_rows(table):
        return None
    rest = replace(table, frame=table.frame[:, 1:], header=table.header[1:])
    note = f"{table.header[0] or 'the first column'} numbers the rows and is left out"
    return replace(rest, notes=(*rest.notes, note)) if is_square(rest) else None


def _numbers_rows(table: Table) -> bool:
    """Tell whether the first column counts the rows from 0 or 1 on."""
    import polars as pl

    first = table.frame[:, 0]
    if first.dtype.is_nested() or not len(first):
        return False
    counted = first.cast(pl.String).str.strip_chars().to_list()
    return any(counted == [str(n + begin) for n in range(len(counted))] for begin in (0, 1))


def is_square(table: Table) -> bool:
    """Return whether the first column names different arms, half of those in the header at least.

    So that an error can name what a square table lacks.
    """
    import polars as pl

    arms = table.header[1:]
    if {"left", "right"} <= {*table.header} or len(arms) < 2 or table.frame[:, 0].dtype.is_nested():
        return False
    if table.frame.height > 2 * len(arms):
        return False
    first = table.frame[:, 0].cast(pl.String, strict=False).str.strip_chars()
    return not first.is_duplicated().any() and 2 * len({*first} & {*arms}) >= len(arms)
