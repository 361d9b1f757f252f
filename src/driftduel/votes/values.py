"""What the cells of winners mean where the user says it: some values, or the two ends of a scale.

Of ``{"1": "left", "5": "right"}`` 1 and 2 are votes for the left one, 4 and 5 for the right one,
and 3, which is as far from both, is a tie. A value that is listed means what the list says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from driftduel._support import hints
from driftduel._support.text import listing
from driftduel.votes import names
from driftduel.votes.log import BadRow, first_true
from driftduel.votes.tables import Table

if TYPE_CHECKING:
    import polars as pl

Values = Mapping[Any, str]
"""What values mean, by the value: left, right, tie or skip."""

MEANINGS = ("left", "right", "tie", "skip")
_MOST_LISTED = 3


def with_values(
    table: Table, columns: Mapping[str, str] | None, values: Values
) -> tuple[Table, dict[str, str], str]:
    """Return a table whose winners are said in words, what its columns are, and what was meant.

    Examples
    --------
    >>> import polars as pl
    >>> from driftduel.votes.tables import frame_table
    >>> votes = frame_table(pl.DataFrame({"a": ["x"] * 3, "b": ["y"] * 3, "likert": [1, 3, 4]}))
    >>> table, columns, words = with_values(votes, None, {1: "left", 5: "right"})
    >>> table.frame["likert"].to_list(), columns, words
    (['left', 'tie', 'right'], {'winner': 'likert'}, '1 = left, 5 = right')
    """
    from dataclasses import replace

    known = _checked(values)
    given = dict(columns or {})
    name = given.get("winner") or _column(table, known, given)
    if name not in table.frame.columns:
        return table, given, ""  # which is told where columns are looked up
    column = _in_words(table.frame[name], known)
    words = ", ".join(f"{value} = {meaning}" for value, meaning in known.items())
    frame = table.frame.with_columns(column.alias(name))
    return replace(table, frame=frame), given | {"winner": name}, words


def would_tell(column: pl.Series) -> str:
    """Return how to say what the cells of a column of numbers mean, empty if they are not numbers.

    Examples
    --------
    >>> import polars as pl
    >>> would_tell(pl.Series(["1", "2", "3", "2"])), would_tell(pl.Series(["-2", "3", "1", "2"]))
    ("values={'1': 'left', '2': 'right', '3': 'tie'}", "values={'-2': 'left', '3': 'right'}")
    >>> would_tell(pl.Series(["tea", "milk"]))
    ''
    """
    import polars as pl

    cells = column.drop_nulls().unique()
    found = cells.cast(pl.Float64, strict=False)
    if not len(found) or found.has_nulls() or not found.is_finite().all():
        return ""
    said = [f"{value:g}" for value in found.unique().sort()]
    if len(said) == _MOST_LISTED and said[0] == "0":
        return hints.values({said[0]: "tie", said[1]: "left", said[2]: "right"})
    if len(said) == _MOST_LISTED and "-1" not in said:
        return hints.values(dict(zip(said, ("left", "right", "tie"), strict=True)))
    if said[0] == "0":  # as chances are
        return hints.values({said[0]: "right", said[-1]: "left"})
    return hints.values({said[0]: "left", said[-1]: "right"})


def _checked(values: Values) -> dict[str, str]:
    own = hints.either("--values", "values")
    known = {}
    for value, meaning in values.items():
        if meaning not in MEANINGS:
            raise ValueError(
                f"{own}: {value} is said to be {meaning!r}, must be {listing(MEANINGS, last='or')}"
            )
        known[_key(str(value))] = meaning
    if not known:
        raise ValueError(f"{own}: are empty, must say what values of winners mean")
    return known


def _column(table: Table, known: Mapping[str, str], given: Mapping[str, str]) -> str:
    """Return the one column of which all cells are told."""
    free = [name for name in table.frame.columns if name not in given.values()]
    fits = [name for name in free if _tells(table.frame[name], known)]
    called = [name for name in fits if names.joined(name) in names.WINNERS]
    found = called[:1] or fits
    if len(found) == 1:
        return found[0]
    own = hints.either("--values", "values")
    why = (
        f"{listing(found, last='or')} may hold them"
        if found
        else "no column holds only such values"
    )
    raise ValueError(f"{own}: {why}; say who won: {hints.columns(winner='NAME')}")


def _tells(column: pl.Series, known: Mapping[str, str]) -> bool:
    if column.dtype.is_nested() or column.dtype.is_temporal():
        return False
    try:
        meanings = {*_in_words(column, known).drop_nulls().unique()}
    except BadRow:
        return False
    return len(meanings & {"left", "right"}) > 0


def _in_words(column: pl.Series, known: Mapping[str, str]) -> pl.Series:
    """Return cells as left, right and tie; None for what is no vote."""
    import polars as pl

    cells = column.cast(pl.String, strict=False).str.strip_chars().replace("", None)
    meant: dict[str, str | None] = {}
    for cell in cells.drop_nulls().unique():
        meaning = _meaning(cell, known)
        if meaning is None:
            row = first_true((cells == cell).fill_null(value=False).to_numpy())
            own = hints.either("--values", "values")
            raise BadRow(row, f"{column.name} is {cell!r}, which {own} do not tell")
        meant[cell] = None if meaning == "skip" else meaning
    return cells.replace_strict(meant, default=None, return_dtype=pl.String)


def _meaning(cell: str, known: Mapping[str, str]) -> str | None:
    """Return what a cell means by the list, or by the end of the scale that is nearer."""
    key = _key(cell)
    if key in known:
        return known[key]
    ends = {
        side: [float(value) for value in known if known[value] == side and _is_number(value)]
        for side in ("left", "right")
    }
    if not (len(ends["left"]) == len(ends["right"]) == 1 and _is_number(key)):
        return None
    left, right, value = ends["left"][0], ends["right"][0], float(key)
    if not min(left, right) <= value <= max(left, right):
        return None
    to_left, to_right = abs(value - left), abs(value - right)
    return "tie" if to_left == to_right else "left" if to_left < to_right else "right"


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def _key(text: str) -> str:
    """Return a cell in small letters, and numbers in their shortest form."""
    text = text.strip()
    return f"{float(text):g}" if _is_number(text) else text.casefold()
