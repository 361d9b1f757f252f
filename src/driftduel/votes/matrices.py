"""One matrix from whatever holds it: a square table, or the votes of all times together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from driftduel.votes.containers import tables_of
from driftduel.votes.log import Log
from driftduel.votes.reading import read, read_with_cautions
from driftduel.votes.roles import Columns
from driftduel.votes.squares import Matrix, from_wins, matrix_of
from driftduel.votes.tables import Table, as_square


def read_matrix(source: Any, *, columns: Columns | None = None) -> Matrix:
    """Read one preference matrix from whatever `driftduel.read_log` reads, or from a square table.

    A square table has the names of the arms in its first row and in its first column. An entry
    says how often row was preferred to column: probabilities, where the two of a pair sum to 1 and
    one of them may be left out, or else numbers of wins. The diagonal is ignored.

    Of rows of votes or counts, those of all times count alike. Pairs that never met count as
    equal; a warning says how many there are.

    Parameters
    ----------
    source : path, data frame, dict, list or Log
        The table.
    columns : mapping, optional
        For rows: what columns are called in the table, as ``{"left": "home"}``.

    Examples
    --------
    >>> import polars as pl
    >>> wins = pl.DataFrame({"": ["tea", "milk"], "tea": [None, 10], "milk": [30, None]})
    >>> m = read_matrix(wins)
    >>> m
    Matrix(2 arms, 40 duels)
    >>> m.P
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    tables = [*tables_of(source)]
    matrix = _of_square(tables, columns)
    if matrix is None:
        log, cautions = read_with_cautions(tables, columns)
        found, more = from_wins(log.arms, log.head_to_head())
        matrix = found, [*cautions, *more]
    for note in matrix[1]:
        warnings.warn(note, stacklevel=2)
    return matrix[0]


def matrix_or_votes(
    source: Any, columns: Columns | None = None, *, header: bool = True, **options: Any
) -> tuple[Matrix | None, Log | None, list[str]]:
    """Return the matrix of a square table, the votes that are there, and notes.

    A table of probabilities is a matrix without votes. ``options`` are those of
    `driftduel.votes.read`.
    """
    tables = [*tables_of(source, header=header)]
    square = _of_square(tables, columns) if header else None
    if square is not None and square[0].duels is None:
        return square[0], None, square[1]
    log = read(tables, columns=columns, header=header, **options)
    return None if square is None else square[0], log, [*log.notes]


def matrix_of_votes(log: Log) -> tuple[Matrix, list[str]]:
    """Return the matrix of all votes together, and what is to be said of it."""
    return from_wins(log.arms, log.head_to_head())


def _of_square(
    tables: Sequence[Table | Log], columns: Columns | None
) -> tuple[Matrix, list[str]] | None:
    """Return the matrix of a square table and what is to be said of it; None if it is none."""
    if columns or len(tables) != 1 or isinstance(tables[0], Log):
        return None
    square = as_square(tables[0])
    if square is None:
        return None
    matrix, notes = matrix_of(square)
    return matrix, [*square.notes, *notes]
