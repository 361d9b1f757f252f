"""Square tables: how often row was preferred to column, in numbers or as probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftduel._support import hints
from driftduel._support.text import count
from driftduel.matrix.preferences import as_matrix
from driftduel.votes.cells import texts
from driftduel.votes.doubts import near_duplicates
from driftduel.votes.log import Array, BadRow, as_arms, first_true
from driftduel.votes.outcomes import Votes, tossed
from driftduel.votes.tables import Table
from driftduel.worlds.checks import check_arms
from driftduel.worlds.stream import Stream

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


def matrix_of(table: Table) -> tuple[Matrix, list[str]]:
    """Return the matrix of a square table and what is to be said about it."""
    try:
        labels, entries = _entries(table)
        if _are_probabilities(entries):
            return Matrix(labels, _from_probabilities(labels, entries)), near_duplicates(labels)
        _check_wins(labels, entries)
        matrix, notes = from_wins(labels, np.nan_to_num(entries))
        return matrix, near_duplicates(labels) + notes
    except ValueError as error:
        raise table.complaint(error) from None


def votes_of_square(table: Table) -> Votes:
    """Return the votes that a square table of wins stands for; their sides are not known.

    Raises
    ------
    ValueError
        If it holds probabilities, of which nobody knows how many votes they are.
    """
    labels, entries = _entries(table)
    if _are_probabilities(entries):
        raise ValueError(
            "is a square table of probabilities, which are no votes; "
            f"{hints.either('driftduel measure', 'dd.read_matrix')} reads it"
        )
    _check_wins(labels, entries)
    wins = np.nan_to_num(entries)
    first, second = np.nonzero(np.triu(wins + wins.T, 1))
    won, lost = wins[first, second], wins[second, first]
    ties = won + lost - np.floor(won) - np.floor(lost)
    for n in np.flatnonzero(np.floor(ties) != ties):
        a, b = labels[first[n]], labels[second[n]]
        raise ValueError(f"{a} and {b} won {won[n]:g} and {lost[n]:g}: a tie is half for each")
    order = sorted(labels)  # as in every other log
    place = np.array([order.index(label) for label in labels])
    first, second = place[first], place[second]
    each = np.stack([np.floor(won), ties, np.floor(lost)])
    outcome = np.repeat([1.0, 0.5, 0.0], len(first))
    left, right = np.tile(first, 3), np.tile(second, 3)
    some = each.ravel() > 0
    return tossed(Votes(order, left[some], right[some], outcome[some], each.ravel()[some]))


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


def from_wins(labels: tuple[str, ...], wins: Array) -> tuple[Matrix, list[str]]:
    """Return the matrix of shares of wins, and how many pairs never met."""
    duels = wins + wins.T
    P = np.divide(wins, duels, out=np.full_like(wins, 0.5), where=duels > 0)
    never = int((np.triu(duels == 0, 1)).sum())
    met = "pair that never met counts" if never == 1 else "pairs that never met count"
    return Matrix(labels, as_matrix(P), duels), [f"{never:,} {met} as equal"] if never else []
