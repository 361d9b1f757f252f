"""Tables for reading: which columns of a frame are shown, under what headings, as what text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Self

import polars as pl

NOTHING = "–"
"""What stands in a cell without a value."""


@dataclass(frozen=True)
class Column:
    """A column as it is shown.

    Attributes
    ----------
    name : str or tuple of str
        The column of the frame, or those whose values stand together in a cell.
    heading : str
        What stands above.
    format : callable
        Makes the text of a cell from its values; where the first of them is None, the cell is a
        dash.
    """

    name: str | tuple[str, ...]
    heading: str
    format: Callable[..., str] = str

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the frame."""
        return (self.name,) if isinstance(self.name, str) else self.name

    def texts(self, frame: pl.DataFrame) -> list[str]:
        """Return the cells from top to bottom."""
        rows = frame.select(self.names).iter_rows()
        return [NOTHING if row[0] is None else self.format(*row) for row in rows]

    def numeric(self, frame: pl.DataFrame) -> bool:
        """Tell whether the column begins with numbers, which stand at the right."""
        return frame.schema[self.names[0]].is_numeric()


@dataclass(frozen=True)
class Table:
    """Rows for reading; ``frame`` has them exactly, ``cells`` as text.

    ``headings`` are those of the cells, and whether a column holds numbers; ``strong`` are the
    rows that stand out. If it is ``grouped``, the first cell of a row says which group it is in.
    """

    name: str
    title: str
    caption: str
    frame: pl.DataFrame
    headings: dict[str, bool]
    cells: list[list[str]]
    strong: frozenset[int] = frozenset()
    grouped: bool = False

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        columns: Sequence[Column],
        *,
        name: str,
        title: str,
        caption: str,
        saved: pl.DataFrame | None = None,
        strong: frozenset[int] = frozenset(),
        grouped: bool = False,
    ) -> Self:
        """Return the columns of a frame as a table; ``saved`` is what is written to files instead.

        Examples
        --------
        >>> frame = pl.DataFrame({"arm": ["tea", "milk"], "low": [0.5, None], "high": [0.75, 1.0]})
        >>> columns = [Column("arm", "drink"), Column(("low", "high"), "share", "{:.0%}-{:.0%}".format)]
        >>> table = Table.of(frame, columns, name="drinks", title="Drinks", caption="")
        >>> table.headings, table.cells
        ({'drink': False, 'share': True}, [['tea', '50%-75%'], ['milk', '–']])
        """  # noqa: E501
        texts = [column.texts(frame) for column in columns]
        return cls(
            name=name,
            title=title,
            caption=caption,
            frame=frame if saved is None else saved,
            headings={column.heading: column.numeric(frame) for column in columns},
            cells=[list(row) for row in zip(*texts, strict=True)],
            strong=strong,
            grouped=grouped,
        )

    def groups(self) -> Iterator[tuple[str, list[tuple[bool, list[str]]]]]:
        """Yield the groups, or all rows as one: its name, and whether each row stands out.

        The cell that names the group is left out of its rows.
        """
        rows = [
            (row[0] if self.grouped else "", (n in self.strong, row[self.grouped :]))
            for n, row in enumerate(self.cells)
        ]
        for name, members in groupby(rows, lambda row: row[0]):
            yield name, [row for _, row in members]
