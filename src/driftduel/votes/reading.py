"""The one door for votes: whatever they are kept in, whatever their columns are called, as a Log.

`driftduel.votes.containers` opens what holds them, `driftduel.votes.columns` finds out which column
is what, `driftduel.votes.outcomes` who won and `driftduel.votes.moments` when. What had to be
assumed is said in a line of `Log.notes`. docs/votes.md lists what is read.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel._support.text import count, listing
from driftduel.votes.cells import is_empty, numbers
from driftduel.votes.columns import Columns, Shape, guess_columns
from driftduel.votes.containers import tables_of
from driftduel.votes.doubts import dominant_voter, near_duplicates
from driftduel.votes.log import Array, BadRow, Log, first_true
from driftduel.votes.moments import Times, read_times
from driftduel.votes.outcomes import (
    Codes,
    Votes,
    from_counts,
    from_one_hot,
    from_scores,
    from_votes,
    from_winners,
)
from driftduel.votes.rankings import CAUTION, from_rankings
from driftduel.votes.squares import votes_of_square
from driftduel.votes.tables import Table, is_square

if TYPE_CHECKING:
    import polars as pl

TIMELESS = "no column says when votes were cast, so that all count as of one time"
_LONG_TEXT = 200
"""Bytes a cell of a column that is no group of votes but a text; it is not kept."""

_MAKERS = {
    "votes": from_votes,
    "won_lost": from_winners,
    "one_hot": from_one_hot,
    "scores": from_scores,
    "counts": from_counts,
}


def read(
    source: Any,
    *,
    arms: Sequence[str] | None = None,
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
    propensities: bool = True,
) -> Log:
    """Read votes from whatever holds them; `Log.notes` says what was assumed.

    Parameters
    ----------
    source : path, data frame, dict, list or Log
        A file (CSV and other text, JSON, JSON lines, Parquet, Arrow, Excel; text and JSON also as
        .gz, or one table in a .zip), ``"-"`` for standard input, a folder of such files, several
        of them in a list; a data frame of pandas, polars, pyarrow or duckdb; a dict of columns, a
        list of dicts.
    arms : sequence of str, optional
        Keep the votes between these options only, in this order. All, sorted by name, if left out.
    columns : mapping, optional
        What columns are called, where their names do not tell: ``{"time": "played"}``. The roles
        are ``time``, ``left``, ``right``, ``winner``, ``loser``, ``left_won``, ``count``,
        ``left_wins``, ``right_wins``, ``wins``, ``losses``, ``ties``, ``n``, ``left_score``,
        ``right_score``, ``winner_left``, ``winner_right``, ``winner_tie``, ``ranking``,
        ``propensity`` and ``voter``.
    dayfirst : bool, optional
        Whether 01/02/2024 is the first of February; found from the file if left out.
    header : bool
        Whether the first row of a text names its columns. If not, they are called 1, 2, 3 and so
        on: two of them are who won and who lost, three are left, right and who won.
    propensities : bool
        Whether a column of propensities counts as such.

    Returns
    -------
    Log
        The votes, in the order of time. Rows of an option against itself are left out unless there
        are propensities.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it cannot be read. The sentence names the file, the line, and what would mend it.

    Examples
    --------
    >>> votes = read({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["model_a", "tie"]})
    >>> votes
    Log(2 arms, 2 votes, no times)
    >>> print(votes.notes[0])
    read as: left = model_a, right = model_b, winner = winner; no column says when votes were
    cast, so that all count as of one time
    """
    log, _ = read_with_cautions(source, columns, dayfirst, header, propensities)
    return log if arms is None else log.select(arms)


def read_log(
    source: Any,
    *,
    arms: Sequence[str] | None = None,
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
) -> Log:
    """Read votes as `driftduel.votes.read` does, and warn of what may be wrong with them.

    A warning says how many rows were skipped, which names differ only in case or blanks, and that
    votes from rankings are not independent.

    Examples
    --------
    >>> import polars as pl
    >>> votes = {"time": ["2024-05-01", "2024-05-02"], "left": ["tea", "milk"]}
    >>> votes |= {"right": ["milk", "tea"], "result": ["milk", "draw"], "count": [10, 4]}
    >>> read_log(pl.DataFrame(votes))
    Log(2 arms, 14 votes, 2024-05-01 to 2024-05-02)
    """
    log, cautions = read_with_cautions(source, columns, dayfirst, header)
    for caution in cautions:
        warnings.warn(caution, stacklevel=2)
    return log if arms is None else log.select(arms)


def read_with_cautions(
    source: Any,
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
    propensities: bool = True,
) -> tuple[Log, list[str]]:
    """Return the votes, and what somebody who does not read notes is to be warned of."""
    parts: list[tuple[str, Log]] = []
    cautions: list[str] = []
    for table in tables_of(source, header=header):
        if isinstance(table, Log):
            parts.append(("", table))
            continue
        try:
            log, doubts = _votes_of(table, columns, dayfirst, header, propensities)
        except ValueError as error:
            raise table.complaint(error) from None
        parts.append((table.name, log))
        cautions += doubts
    return (parts[0][1] if len(parts) == 1 else _joined(parts)), cautions


def _votes_of(
    table: Table,
    columns: Columns | None,
    dayfirst: bool | None,
    header: bool,
    propensities: bool,
) -> tuple[Log, list[str]]:
    if not columns and header and is_square(table):
        made = votes_of_square(table)
        log = Log(
            made.labels, None, made.left, made.right, made.outcome, made.count, sides=False,
            notes=[f"read as: a square table of wins; {TIMELESS}", *near_duplicates(made.labels)],
        )  # fmt: skip
        return log, near_duplicates(made.labels)
    frame = table.frame
    shape = guess_columns(table, columns, header=header)
    if frame.height == 0:
        raise ValueError("holds no votes, at least one is needed")
    named = shape.named
    times = read_times(frame[named["time"]], dayfirst) if "time" in named else None
    propensity = _propensities(frame, named) if propensities else None
    if shape.kind == "ranking":
        made = from_rankings(frame, named, shape.places)
    else:
        made = _MAKERS[shape.kind](frame, named)
    made, skipped = _without_self_duels(table, made, keep=propensity is not None)
    rows = made.rows
    labels, left, right = _seen(made)
    cautions = [*skipped, *near_duplicates(labels)]
    if shape.kind == "ranking":
        cautions.append(CAUTION)
    notes = ["; ".join(part) for part in [[*_assumed(shape, times), *skipped]] if part]
    notes += [caution for caution in cautions if caution not in skipped]
    if "voter" in named:
        notes += dominant_voter(frame[named["voter"]])
    try:
        log = Log(
            labels,
            None if times is None else _at(times.time, rows),
            left,
            right,
            made.outcome,
            made.count,
            propensity=None if propensity is None else _at(propensity, rows),
            dated=times is not None and times.dated,
            sides=shape.kind not in ("won_lost", "ranking"),
            extras=_extras(frame, shape, rows),
            notes=notes,
        )
    except BadRow as error:
        raise BadRow(error.row if rows is None else int(rows[error.row]), error.reason) from None
    return log, cautions


def _at(values: Array, rows: Codes | None) -> Array:
    return values if rows is None else values[rows]


def _without_self_duels(table: Table, votes: Votes, *, keep: bool) -> tuple[Votes, list[str]]:
    """Return the votes between two options, and how many rows were none."""
    alone = votes.left == votes.right
    if alone.all():
        raise ValueError("holds no votes between two different arms, at least one is needed")
    if keep or not alone.any():
        return votes, []
    rows = np.arange(len(alone)) if votes.rows is None else votes.rows
    first = table.place(int(rows[first_true(alone)]))
    number = count(len(np.unique(rows[alone])), "self-duel")
    kept = ~alone
    parts = (votes.left, votes.right, votes.outcome)
    left, right, outcome = (part[kept] for part in parts)
    counts = None if votes.count is None else votes.count[kept]
    some = Votes(votes.labels, left, right, outcome, counts, rows[kept])
    return some, [f"{number} skipped, the first in {first}"]


def _seen(votes: Votes) -> tuple[list[str], Codes, Codes]:
    """Return the options that are left, and the votes between them."""
    number = len(votes.labels)
    seen = np.bincount(votes.left, minlength=number) + np.bincount(votes.right, minlength=number)
    if seen.all():
        return votes.labels, votes.left, votes.right
    place = np.cumsum(seen > 0) - 1
    labels = [label for label, times in zip(votes.labels, seen, strict=True) if times]
    return labels, place[votes.left], place[votes.right]


def _assumed(shape: Shape, times: Times | None) -> list[str]:
    """Return what is to be said of how the columns were read, if anything had to be assumed."""
    how = "" if times is None else times.how
    told = [] if times is not None else [TIMELESS]
    if not (shape.guessed or how or shape.kind in ("won_lost", "ranking")):
        return told
    order = sorted(
        (role for role in shape.named if role not in ("propensity", "voter")),
        key=lambda role: (role == "time", role == "count"),
    )
    said = [f"{role} = {shape.named[role]}" for role in order]
    if shape.places:
        said.insert(0, f"places = {', '.join(shape.places)}")
    if how:
        said = [f"{part} ({how})" if part.startswith("time = ") else part for part in said]
    return [f"read as: {', '.join(said)}", *told]


def _propensities(frame: pl.DataFrame, named: Columns) -> Array | None:
    """Return the probabilities of the pairs; None if there is no such column or it is empty."""
    if "propensity" not in named:
        return None
    column = frame[named["propensity"]]
    empty = is_empty(column)
    if empty.any() and not empty.all():
        row = first_true(empty.to_numpy())
        raise BadRow(row, f"{column.name} is empty, must be in every row or in none")
    return None if empty.all() else numbers(column)


def _extras(frame: pl.DataFrame, shape: Shape, rows: Codes | None) -> pl.DataFrame | None:
    """Return the columns that are no part of the votes and may be groups of them."""
    kept = [
        name
        for name in frame.columns
        if name not in shape.used
        and not frame[name].dtype.is_nested()
        and frame[name].estimated_size() <= _LONG_TEXT * frame.height
    ]
    if not kept:
        return None
    return frame.select(kept) if rows is None else frame.select(kept)[rows]


def _joined(parts: Sequence[tuple[str, Log]]) -> Log:
    """Return several logs as one."""
    import polars as pl

    logs = [log for _, log in parts]
    for attribute, words in (
        ("timed", "some of the files say when votes were cast, others do not"),
        ("dated", "the times of some files are dates, those of others are numbers"),
    ):
        if len({getattr(log, attribute) for log in logs}) > 1:
            names = ", ".join(name for name, log in parts if not getattr(log, attribute))
            raise ValueError(f"{words}: {names}")
    chances = [log.propensity for log in logs if log.propensity is not None]
    if chances and len(chances) < len(logs):
        raise ValueError("some of the files have propensities, others do not")
    labels = sorted({arm for log in logs for arm in log.arms})
    place = {arm: n for n, arm in enumerate(labels)}
    new = [np.array([place[arm] for arm in log.arms]) for log in logs]
    extras = [
        log.extras if log.extras is not None else pl.DataFrame({"": [None] * len(log)})
        for log in logs
    ]
    known = any(log.extras is not None for log in logs)
    every = pl.concat(extras, how="diagonal_relaxed") if known else None
    return Log(
        labels,
        np.concatenate([log.time for log in logs]) if logs[0].timed else None,
        np.concatenate([at[log.left] for at, log in zip(new, logs, strict=True)]),
        np.concatenate([at[log.right] for at, log in zip(new, logs, strict=True)]),
        np.concatenate([log.outcome for log in logs]),
        np.concatenate([log.count for log in logs]),
        propensity=np.concatenate(chances) if chances else None,
        dated=logs[0].dated,
        credits=[*dict.fromkeys(line for log in logs for line in log.credits)],
        sides=all(log.sides for log in logs),
        extras=None if every is None else every.drop("", strict=False),
        notes=_shared_notes(parts),
    )


def _shared_notes(parts: Sequence[tuple[str, Log]]) -> list[str]:
    """Return the notes of several logs, those of all of them once."""
    notes = {
        note: [name for name, log in parts if note in log.notes]
        for _, log in parts
        for note in log.notes
    }
    return [
        note if len(names) == len(parts) or not any(names) else f"{listing(names)}: {note}"
        for note, names in notes.items()
    ]
