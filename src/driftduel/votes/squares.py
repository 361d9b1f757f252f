"""One matrix from a file: a square table of probabilities or of wins, or rows of counts."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftduel._support.text import count
from driftduel.matrix.preferences import as_matrix
from driftduel.votes.log import Array, BadRow, as_arms, first_true
from driftduel.votes.reading import (
    Columns,
    alike,
    as_table,
    find_columns,
    holds_counts,
    texts,
    votes_of,
)
from driftduel.votes.tables import Table, is_square
from driftduel.worlds.checks import check_arms
from driftduel.worlds.stream import Stream

if TYPE_CHECKING:
    import polars as pl

_SUMS = 1e-3
"""How far the two probabilities of a pair may be from 1 in sum, for tables are rounded."""


@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """A preference matrix that was read, with the names of its arms.

    Attributes
    ----------
    labels : tuple of str
        The names of the arms.
    P : array of shape (K, K)
        ``P[a, b]`` is the probability that a is preferred to b.
    duels : array of shape (K, K) or None
        How many duels each pair had; None if the file holds probabilities.
    """

    labels: tuple[str, ...]
    P: Array
    duels: Array | None = None

    def stream(self, horizon: int) -> Stream:
        """Return the world in which this matrix rules throughout."""
        return Stream.stationary(self.P, horizon, labels=self.labels)

    def __repr__(self) -> str:
        if self.duels is None:
            return f"Matrix({len(self.labels)} arms, probabilities)"
        return f"Matrix({len(self.labels)} arms, {count(self.n_duels, 'duel')})"

    @property
    def n_duels(self) -> int:
        """How many duels there were in all, 0 if the file holds probabilities."""
        return 0 if self.duels is None else round(float(np.triu(self.duels).sum()))


def read_matrix(
    source: str | os.PathLike[str] | pl.DataFrame, *, columns: Columns | None = None
) -> Matrix:
    """Read one preference matrix from a CSV file (plain or .gz) or from a polars DataFrame.

    Three shapes are read:

    - a square table, with the names of the arms in its first row and in its first column. An
      entry says how often row was preferred to column: probabilities, where the two of a pair
      sum to 1 and one of them may be left out, or else numbers of wins. The diagonal is ignored;
    - rows of counts, as for `driftduel.worlds.read_log`, without a time;
    - rows of votes, likewise. Votes of all times count alike.

    Pairs that never met count as equal; a warning says how many there are.

    Parameters
    ----------
    source : path or polars.DataFrame
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
    matrix, notes = matrix_of(as_table(source), columns)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return matrix


def is_one_matrix(table: Table, columns: Columns | None = None) -> bool:
    """Return whether a table is about one matrix: a square one, or counts without a time."""
    if not columns and is_square(table):
        return True
    try:
        named = find_columns(table, columns)
    except ValueError as error:
        raise table.complaint(error) from None
    return holds_counts(named) and "time" not in named


def matrix_of(table: Table, columns: Columns | None = None) -> tuple[Matrix, list[str]]:
    """Return the matrix of a table and what is to be said about it."""
    if columns or not is_square(table):
        log, notes = votes_of(table, columns, timed=False)
        matrix, more = _from_wins(log.arms, log.head_to_head())
        return matrix, notes + more
    try:
        labels, entries = _entries(table)
        if _are_probabilities(entries):
            return Matrix(labels, _from_probabilities(labels, entries)), alike(labels)
        _check_wins(labels, entries)
        matrix, notes = _from_wins(labels, np.nan_to_num(entries))
        return matrix, alike(labels) + notes
    except ValueError as error:
        raise table.complaint(error) from None


def _entries(table: Table) -> tuple[tuple[str, ...], Array]:
    """Return the arms in the order of the header and the entries, NaN where they are empty."""
    import polars as pl

    labels = as_arms(table.header[1:])
    check_arms(len(labels), "leave some of them out")
    rows = texts(table.frame[:, 0].alias("the name of the arm"))
    for row, label in enumerate(rows):
        if label not in labels:
            raise BadRow(row, f"there is no column for {label!r}, a square table has one")
    as_arms(rows.to_list())
    for label in labels:
        if label not in rows:
            raise ValueError(f"there is no row for the column {label!r}, a square table has one")
    entries = np.full((len(labels), len(labels)), np.nan)
    place = {label: n for n, label in enumerate(labels)}
    order = np.array([place[label] for label in rows])
    for column, label in enumerate(labels):
        said = table.frame[:, column + 1]
        if said.dtype == pl.String:
            said = said.str.strip_chars().str.replace("^0,", "0.")  # as in 0,7
            said = said.replace(["", "-"], None)
        numbers = said.cast(pl.Float64, strict=False)
        others = order != column
        wrong = (numbers.is_null() & said.is_not_null()).to_numpy() & others
        wrong |= (numbers < 0).fill_null(value=False).to_numpy() & others
        wrong |= numbers.is_infinite().fill_null(value=False).to_numpy() & others
        if wrong.any():
            row = first_true(wrong)
            raise BadRow(row, f"{label} is {said[row]!r}, must be a number, at least 0")
        entries[order, column] = numbers.to_numpy()
    np.fill_diagonal(entries, np.nan)
    return labels, entries


def _are_probabilities(entries: Array) -> bool:
    """Return whether no entry is above 1, and some is a fraction or the pairs all sum to 1."""
    known = entries[np.isfinite(entries)]
    if (known > 1).any():
        return False
    sums = (entries + entries.T)[np.triu_indices(len(entries), 1)]
    return bool((np.floor(known) != known).any() or (np.abs(sums - 1) <= _SUMS).all())


def _from_probabilities(labels: tuple[str, ...], entries: Array) -> Array:
    full = np.where(np.isnan(entries), 1 - entries.T, entries)
    np.fill_diagonal(full, 0.5)
    for a, b in np.argwhere(np.isnan(full)):
        raise ValueError(f"neither {labels[a]} against {labels[b]} nor the reverse has a number")
    for a, b in np.argwhere(np.abs(full + full.T - 1) > _SUMS):
        raise ValueError(
            f"{labels[a]} against {labels[b]} is {full[a, b]:g}, the reverse {full[b, a]:g}: "
            "probabilities must sum to 1, and numbers of wins must be whole"
        )
    return as_matrix((full - full.T) / 2 + 0.5)


def _check_wins(labels: tuple[str, ...], entries: Array) -> None:
    wrong = np.isfinite(entries) & (np.floor(2 * entries) != 2 * entries)
    for a, b in np.argwhere(wrong):
        raise ValueError(
            f"{labels[a]} against {labels[b]} is {entries[a, b]:g}; numbers of wins must be "
            "whole, ties half, and probabilities at most 1"
        )
    if not np.nansum(entries) > 0:
        raise ValueError("holds no duel, at least one is needed")


def _from_wins(labels: tuple[str, ...], wins: Array) -> tuple[Matrix, list[str]]:
    duels = wins + wins.T
    P = np.divide(wins, duels, out=np.full_like(wins, 0.5), where=duels > 0)
    never = int((np.triu(duels == 0, 1)).sum())
    met = "pair that never met counts" if never == 1 else "pairs that never met count"
    return Matrix(labels, as_matrix(P), duels), [f"{never:,} {met} as equal"] if never else []
