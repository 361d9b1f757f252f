"""The one door for votes: whatever they are kept in, whatever their columns are called, as a Log.

`driftduel.votes.containers` opens what holds them, `driftduel.votes.columns` finds out which column
is what, `driftduel.votes.outcomes` who won and `driftduel.votes.moments` when. What had to be
assumed is said in a line of `Log.notes`. docs/votes.md lists what is read.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support import hints
from driftduel._support.text import count
from driftduel.votes import names
from driftduel.votes.cells import is_empty, numbers
from driftduel.votes.columns import guess_columns
from driftduel.votes.containers import tables_of
from driftduel.votes.doubts import dominant_voter, near_duplicates
from driftduel.votes.joining import joined
from driftduel.votes.log import Array, BadRow, Log, first_true
from driftduel.votes.moments import Times, clocks_of, read_times
from driftduel.votes.outcomes import (
    Codes,
    Votes,
    codes_used,
    from_counts,
    from_one_hot,
    from_results,
    from_scores,
    from_votes,
    from_winners,
    has_no_vote,
)
from driftduel.votes.rankings import (
    CAUTION,
    from_ballots,
    from_best_and_worst,
    from_long,
    from_rankings,
)
from driftduel.votes.roles import Columns, NoShape, Shape
from driftduel.votes.tables import Table, as_square
from driftduel.votes.values import Values, with_values

if TYPE_CHECKING:
    import polars as pl

TIMELESS = "no column says when votes were cast, so that all count as of one time"
_DEEPEST_HEADER = 10
"""Rows among which the headings are looked for, if they are not in the first."""
_FEWEST_TEXTS, _ONCE, _LONG_NAME = 5, 0.8, 40
"""Options are texts and no names if they are so long and each is there about once."""
_LONG_TEXT = 200
"""Bytes a cell of a column that is no group of votes but a text; it is not kept."""

_MAKERS = {
    "votes": from_votes,
    "won_lost": from_winners,
    "one_hot": from_one_hot,
    "scores": from_scores,
    "results": from_results,
    "counts": from_counts,
    "long": from_long,
}
_OF_PLACES: dict[str, Callable[[pl.DataFrame, Columns, Sequence[str]], Votes]] = {
    "ranking": from_rankings, "ballots": from_ballots, "best_worst": from_best_and_worst,
}  # fmt: skip
_SIDELESS = ("won_lost", "long", *_OF_PLACES)
_OUTCOMES = {
    "votes": ("left_won", "right_won", "winner"),
    "scores": ("left_score", "right_score"),
    "results": ("left_result", "right_result"),
}


def read(
    source: Any,
    *,
    arms: Sequence[str] | None = None,
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
    propensities: bool = True,
    values: Values | None = None,
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
        are ``time``, ``left``, ``right``, ``winner``, ``loser``, ``left_won``, ``right_won``,
        ``count``, ``left_wins``, ``right_wins``, ``wins``, ``losses``, ``ties``, ``n``,
        ``left_score``, ``right_score``, ``left_result``, ``right_result``, ``winner_left``,
        ``winner_right``, ``winner_tie``, ``ranking``, ``best``, ``worst``, ``contest``,
        ``option``, ``place``, ``propensity`` and ``voter``.
    dayfirst : bool, optional
        Whether 01/02/2024 is the first of February; found from the file if left out.
    header : bool
        Whether the first row of a text names its columns. If not, they are called 1, 2, 3 and so
        on: two of them are who won and who lost, three are left, right and who won.
    propensities : bool
        Whether a column of propensities counts as such.
    values : mapping, optional
        What the cells that say who won mean, where they do not tell: ``left``, ``right``, ``tie``
        or ``skip``. Of a scale its ends are enough, ``{1: "left", 5: "right"}``: what is nearer to
        an end counts for it, and the middle is a tie.

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
    log, _ = read_with_cautions(source, columns, dayfirst, header, propensities, values)
    return log if arms is None else log.select(arms)


def read_log(
    source: Any,
    *,
    arms: Sequence[str] | None = None,
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
    values: Values | None = None,
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
    log, cautions = read_with_cautions(source, columns, dayfirst, header, values=values)
    for caution in cautions:
        warnings.warn(caution, stacklevel=2)
    return log if arms is None else log.select(arms)


def read_with_cautions(
    source: Any,
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
    propensities: bool = True,
    values: Values | None = None,
) -> tuple[Log, list[str]]:
    """Return the votes, and what somebody who does not read notes is to be warned of."""
    parts: list[tuple[str, Log]] = []
    cautions: list[str] = []
    for table in tables_of(source, header=header):
        if isinstance(table, Log):
            parts.append(("", table))
            continue
        try:
            log, doubts = _votes_of(table, columns, dayfirst, header, propensities, values)
        except ValueError as error:
            raise table.complaint(error) from None
        parts.append((table.name, log))
        cautions += doubts
    return (parts[0][1] if len(parts) == 1 else joined(parts)), cautions


def _votes_of(
    table: Table,
    columns: Columns | None,
    dayfirst: bool | None,
    header: bool,
    propensities: bool,
    values: Values | None,
) -> tuple[Log, list[str]]:
    square = as_square(table) if not columns and values is None and header else None
    if square is not None:
        from driftduel.votes.squares import votes_of_square  # imports worlds

        made = votes_of_square(square)
        log = Log(
            made.labels, None, made.left, made.right, made.outcome, made.count, sides=False,
            notes=[
                *square.notes, f"read as: a square table of wins; {TIMELESS}",
                *near_duplicates(made.labels),
            ],
        )  # fmt: skip
        return log, near_duplicates(made.labels)
    try:
        coded = ""
        if values is not None:
            table, columns, coded = with_values(table, columns, values)
        shape = replace(guess_columns(table, columns, header=header), coded=coded)
    except NoShape:
        below = _below_a_title(table, columns) if header else None
        if below is None:
            raise
        table, shape = below
    frame = table.frame
    if frame.height == 0:
        raise ValueError("holds no votes, at least one is needed")
    table, undecided = _with_an_outcome(table, shape)
    try:
        log, cautions = _votes_of_shape(table, shape, dayfirst, propensities, undecided)
    except BadRow as error:
        raise BadRow(table.original(error.row), error.reason) from None
    return log, [*undecided, *cautions]


def _knows_sides(shape: Shape, left: NDArray[np.integer], right: NDArray[np.integer]) -> bool:
    """Tell whether rows say who was shown left; counts may name each pair in any order, once."""
    if shape.kind != "counts" or "left" in shape.named["left"].casefold():
        return shape.kind not in _SIDELESS
    shown = {*zip(left.tolist(), right.tolist(), strict=True)}
    return any((other, one) in shown for one, other in shown)


def _below_a_title(table: Table, columns: Columns | None) -> tuple[Table, Shape] | None:
    """Return the table that begins further down, below a title, as spreadsheets have it."""
    for row in range(min(table.frame.height, _DEEPEST_HEADER) if table.line is not None else 0):
        below = table.below(row)
        if below is None:
            continue
        try:
            return below, guess_columns(below, columns)
        except ValueError:
            continue
    return None


def _with_an_outcome(table: Table, shape: Shape) -> tuple[Table, list[str]]:
    """Return the rows that say who won, if some do, and how many do not; a skip is no vote."""
    import polars as pl

    named, frame = shape.named, table.frame
    if "propensity" in named or shape.kind not in _OUTCOMES:
        return table, []
    roles = [role for role in _OUTCOMES[shape.kind] if role in named][: 1 + (shape.kind != "votes")]
    without = np.any(
        [has_no_vote(frame[named[role]], number=role == "left_won") for role in roles], axis=0
    )
    if shape.kind == "votes" and without.any():
        said = {*frame[named[roles[0]]].filter(without).cast(pl.String)}
        sides = (frame[named[side]].cast(pl.String, strict=False) for side in ("left", "right"))
        if said & {cell for side in sides for cell in side.unique()}:  # somebody is called so
            return table, []
    number = int(without.sum())
    if number == 0 or 2 * number >= len(without):
        return table, []
    columns = " and ".join(named[role] for role in roles)
    rows = count(number, "row")
    note = f"{rows} without {columns} skipped, the first in {table.place(first_true(without))}"
    return table.some(~without), [note]


def _votes_of_shape(
    table: Table,
    shape: Shape,
    dayfirst: bool | None,
    propensities: bool,
    undecided: Sequence[str],
) -> tuple[Log, list[str]]:
    frame, named = table.frame, shape.named
    times = read_times(frame[named["time"]], dayfirst) if "time" in named else None
    if "clock" in named:
        times, shape = _with_clocks(times, frame[named["clock"]], shape)
    propensity = _propensities(frame, named) if propensities else None
    if shape.kind in _OF_PLACES:
        made = _OF_PLACES[shape.kind](frame, named, shape.places)
    else:
        made = _MAKERS[shape.kind](frame, named)
    made, skipped = _without_self_duels(table, made, keep=propensity is not None)
    made, twice = _told_once(made, times, named)
    skipped += twice
    rows = made.rows
    if shape.kind == "votes" and "winner" in named and not shape.coded:
        shape = replace(shape, coded=codes_used(frame, named, made.labels))
    labels, left, right = _seen(made)
    _check_compared(shape, labels, len(left))
    cautions = [*skipped, *near_duplicates(labels)]
    if shape.kind in ("long", *_OF_PLACES):
        cautions.append(CAUTION)
    told = [*_assumed(shape, times), *undecided, *skipped]
    if shape.unread:
        cell = next((cell for cell in frame[shape.unread] if cell is not None), None)
        told.append(f"{shape.unread} is {cell!r}, which is no time that is known, and is left out")
    notes = ["; ".join(told)] if told else []
    notes = [*table.notes, *notes]
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
            sides=_knows_sides(shape, left, right),
            extras=_extras(frame, shape, rows),
            notes=notes,
        )
    except BadRow as error:
        raise BadRow(error.row if rows is None else int(rows[error.row]), error.reason) from None
    return log, cautions


def _with_clocks(
    times: Times | None, column: pl.Series, shape: Shape
) -> tuple[Times | None, Shape]:
    """Return days with the clock of their rows; where times are no days, it is another column."""
    clocks = clocks_of(column)
    if times is None or clocks is None or not times.dated or (times.time % 1).any():
        others = {role: name for role, name in shape.named.items() if role != "clock"}
        return times, replace(shape, named=others)
    return replace(times, time=times.time + clocks), shape


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


def _told_once(votes: Votes, times: Times | None, named: Columns) -> tuple[Votes, list[str]]:
    """Return votes that every side tells for itself, a player and its opponent, once each."""
    if "right" not in named or "opponent" not in names.words(named["right"]):
        return votes, []
    at = np.zeros(len(votes.left)) if times is None else _at(times.time, votes.rows)
    number = np.ones(len(votes.left)) if votes.count is None else votes.count
    there = np.stack([at, number, votes.left, votes.right, votes.outcome])
    back = np.stack([at, number, votes.right, votes.left, 1 - votes.outcome])
    if not np.array_equal(there[:, np.lexsort(there)], back[:, np.lexsort(back)]):
        return votes, []
    kept = votes.left < votes.right
    rows = np.arange(len(votes.left)) if votes.rows is None else votes.rows
    counts = None if votes.count is None else votes.count[kept]
    left, right, outcome = votes.left[kept], votes.right[kept], votes.outcome[kept]
    note = "every vote is there from both sides, and counts once"
    return Votes(votes.labels, left, right, outcome, counts, rows[kept]), [note]


def _check_compared(shape: Shape, labels: Sequence[str], rows: int) -> None:
    """Raise ValueError if options are texts that are hardly ever compared twice."""
    if rows < _FEWEST_TEXTS or len(labels) < _ONCE * 2 * rows:
        return
    if sum(map(len, labels)) < _LONG_NAME * len(labels):
        return
    roles = ("winner", "loser") if "loser" in shape.named else ("left", "right")
    columns = " and ".join(shape.named[role] for role in roles if role in shape.named)
    said = hints.columns(**dict.fromkeys(roles, "NAME"))
    raise ValueError(
        f"{columns} hold texts, {len(labels):,} different ones in {count(rows, 'vote')}, so that "
        f"hardly any is compared twice; say which columns name what wrote them: {said}"
    )


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
    """Return what is to be said of how the columns were read."""
    told = [] if times is not None else [TIMELESS]
    order = sorted(
        (role for role in shape.named if role not in ("propensity", "voter")),
        key=lambda role: (role in ("time", "clock"), role == "count"),
    )
    said = [f"{role} = {shape.named[role]}" for role in order]
    if shape.places:
        what = {"ballots": "places of", "best_worst": "items"}.get(shape.kind, "places")
        said.insert(0, f"{what} = {', '.join(shape.places)}")
    how = {"time": "" if times is None else times.how, "winner": shape.coded}
    said = [
        f"{part} ({words})" if (words := how.get(part.split(" = ")[0])) else part for part in said
    ]
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
