"""Reading votes from CSV and Parquet files and from data frames.

A log is a table with one row a vote and the columns

- ``time``: an ISO date, an ISO date and time (without a zone: taken as UTC), a date such as
  31.05.2024, or a number;
- ``left``, ``right``: the labels of the two arms, as they were shown;
- ``left_won``: 1 left preferred, 0 right preferred, 0.5 tie; or true, false, left, right, tie,
  draw or the label of the winner;
- or ``winner``: left, right, tie, draw or the label of the winner, but no other number, for
  nobody knows whether 1 is the left arm or the second;
- ``count``, optional: how many such votes the row stands for, 1 if the column is missing;
- ``propensity``, optional: the probability of the ordered pair when it was asked, above 0 and at
  most 1. With it rows between an arm and itself are kept, as rounds in which nobody was asked.

A row may also hold counts, of what the left arm did: ``left_wins`` and ``n``, or ``wins``,
``losses`` and perhaps ``ties``. Other columns are ignored.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from driftduel._support.checks import LONGEST, one_of
from driftduel._support.text import count as in_words
from driftduel._support.text import meant
from driftduel.votes.log import OUTCOMES, Array, BadRow, Ints, Log, as_days, first_true
from driftduel.votes.tables import Table, frame_table, is_square, read_table

if TYPE_CHECKING:
    import polars as pl

Columns = Mapping[str, str]
"""What the columns of a table are called there, by what they are called here."""

ROLES = (
    "time", "left", "right", "left_won", "winner", "count",
    "left_wins", "wins", "right_wins", "losses", "ties", "n", "propensity",
)  # fmt: skip
"""What a column can be."""

_OUTCOMES = ("left_won", "winner")
_WINS, _LOSSES = ("left_wins", "wins"), ("right_wins", "losses")
_COUNTED = (*_WINS, *_LOSSES, "ties", "n")
_SHAPES = (
    "votes (time, left, right, left_won or winner), counts (left, right, left_wins, n or wins, "
    "losses, ties) or a square table with the arms in its first row and first column"
)
_VALUES = (0, 0.5, 1)
_WORDS = {"left": 1.0, "right": 0.0, "tie": 0.5, "draw": 0.5, "tie (bothbad)": 0.5}  # LMArena's
_TRUTHS = {"true": 1.0, "false": 0.0, "0,5": 0.5}
_MOST_NAMED = 3

_USUAL_TIMES = (
    "date", "datetime", "timestamp", "tstamp", "when", "day", "created_at", "voted_at",
)  # fmt: skip
_USUAL_WINNERS = ("preferred", "preference", "chosen", "choice", "result", "who_won")
_USUAL_STEMS = ("", *(f"{stem}_" for stem in ("option", "model", "arm", "item", "design", "variant",
    "candidate", "version", "image", "player", "team")))  # fmt: skip
_USUAL_SIDES = [(f"{stem}{a}", f"{stem}{b}") for stem in _USUAL_STEMS for a, b in ("ab", "12")]

VOTER = "voter"
"""The column that names voters, as an arena exports it."""
_USUAL_VOTERS = ("voter_id", "user", "user_id", "judge")
_CROWD, _CROWDED = 20, 0.05


def read_log(
    source: str | os.PathLike[str] | pl.DataFrame,
    *,
    arms: Sequence[str] | None = None,
    columns: Columns | None = None,
) -> Log:
    """Read votes from a CSV file (plain or .gz), a Parquet file or a polars DataFrame.

    Rows between an arm and itself are left out unless there are propensities. A warning says so,
    and which labels differ only in case or blanks.

    Parameters
    ----------
    source : path or polars.DataFrame
        A table of votes with the columns ``time``, ``left``, ``right``, ``left_won`` or
        ``winner``, and perhaps ``count`` and ``propensity``; or of counts, with ``left_wins`` and
        ``n`` or ``wins``, ``losses`` and ``ties``. Commas, semicolons or tabs separate its columns.
    arms : sequence of str, optional
        Keep the votes between these arms only, in this order. All arms, sorted by label, if
        left out.
    columns : mapping, optional
        What columns are called in the table, if not as above: ``{"time": "when"}``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a column is missing or a value makes no sense. The message names the file and the
        line, as an editor counts; in a data frame the row, from 1 on.

    Examples
    --------
    >>> import polars as pl
    >>> votes = {"time": ["2024-05-01", "2024-05-02"], "left": ["tea", "milk"]}
    >>> votes |= {"right": ["milk", "tea"], "result": ["milk", "draw"], "count": [10, 4]}
    >>> read_log(pl.DataFrame(votes), columns={"winner": "result"})
    Log(2 arms, 14 votes, 2024-05-01 to 2024-05-02)
    """
    table = as_table(source)
    if not columns and is_square(table):
        raise table.complaint(ValueError("is a square table, read_matrix reads it"))
    log, notes = votes_of(table, columns)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return log if arms is None else log.select(arms)


def as_table(source: str | os.PathLike[str] | pl.DataFrame) -> Table:
    """Return what a file or a data frame holds."""
    import polars as pl

    return frame_table(source) if isinstance(source, pl.DataFrame) else read_table(Path(source))


def votes_of(
    table: Table,
    columns: Columns | None = None,
    *,
    timed: bool = True,
    propensities: bool = True,
) -> tuple[Log, list[str]]:
    """Return the votes of a table and what is to be said about them.

    Without ``timed`` all votes are of one time and no column says when they were cast; without
    ``propensities`` a column of them counts as any other.
    """
    try:
        named = find_columns(table, columns)
        if not propensities:
            named.pop("propensity", None)
        _check_shape(table, named, timed)
        return _votes(table, named, timed)
    except ValueError as error:
        raise table.complaint(error) from None


def find_columns(table: Table, columns: Columns | None) -> dict[str, str]:
    """Return what the columns of a table are called there, for all that it has."""
    # A heading in capitals means the same, unless there is one in small letters as well.
    there = {name.lower(): name for name in reversed(table.frame.columns)}
    there |= {name: name for name in table.frame.columns}
    named = {role: there[role] for role in ROLES if role in there}
    given = dict(columns or {})
    for role, name in given.items():
        one_of(role, "columns: the name", ROLES)
        if name not in table.frame.columns:
            like = meant(name, table.header)
            raise ValueError(f"there is no column {name!r}{like}, {_there(table)}")
    if given.keys() & {*_OUTCOMES}:  # what is said counts more than what a column is called
        named = {role: name for role, name in named.items() if role not in _OUTCOMES}
    named |= given
    for name in named.values():
        if table.header.count(name) > 1:
            raise ValueError(f"there is more than one column {name!r}, {_there(table)}")
    return named


def usual_columns(table: Table, columns: Columns) -> tuple[dict[str, str], list[str]]:
    """Return what columns are called, by usual names where nothing is said, and what to say of it.

    A usual name counts if the table has one of its kind alone, and a column is never guessed that
    is there by its own name.

    Examples
    --------
    >>> import polars as pl
    >>> votes = {"Date": ["2024-05-01"], "Option A": ["tea"], "Option B": ["milk"], "winner": ["tea"]}
    >>> usual_columns(frame_table(pl.DataFrame(votes)), {})
    ({'time': 'Date', 'left': 'Option A', 'right': 'Option B'},
     ["read as time: 'Date', left: 'Option A', right: 'Option B'; --columns says otherwise"])
    """  # noqa: E501
    named = find_columns(table, columns)
    there: dict[str, list[str]] = {}
    for name in table.header:
        there.setdefault("_".join(name.lower().replace("-", " ").split()), []).append(name)
    free = {key: names[0] for key, names in there.items() if names[0] not in named.values()}
    found: dict[str, str] = {}
    if "time" not in named:
        found |= _only({"time": free[name]} for name in _USUAL_TIMES if name in free)
    if not named.keys() & {"left", "right"}:
        sides = [pair for pair in _USUAL_SIDES if free.keys() >= {*pair}]
        found |= _only({"left": free[one], "right": free[other]} for one, other in sides)
    if not named.keys() & {*_OUTCOMES} and not holds_counts(named):
        found |= _only({"winner": free[name]} for name in _USUAL_WINNERS if name in free)
    if not found:
        return dict(columns), []
    said = ", ".join(f"{role}: {name!r}" for role, name in found.items())
    return {**columns, **found}, [f"read as {said}; --columns says otherwise"]


def _only(found: Iterable[dict[str, str]]) -> dict[str, str]:
    """Return what was found if it is one thing, else nothing."""
    every = list(found)
    return every[0] if len(every) == 1 else {}


def holds_counts(named: Columns) -> bool:
    """Return whether the rows of a table with these columns are counts."""
    has = named.keys()
    others = has & {*_LOSSES, "n"}
    return not has & {*_OUTCOMES} and bool(has & {*_WINS}) and bool(others)


def alike(labels: Iterable[str]) -> list[str]:
    """Return what is to be said about labels that differ only in case or blanks.

    Examples
    --------
    >>> alike(["Green tea", "green  tea", "milk"])
    ["arms 'Green tea' and 'green  tea' differ only in case or blanks; they count as different"]
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault("".join(label.casefold().split()), []).append(label)
    found = [" and ".join(map(repr, group)) for group in groups.values() if len(group) > 1]
    if not found:
        return []
    more = len(found) - _MOST_NAMED
    named = ", ".join(found[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return [f"arms {named} differ only in case or blanks; they count as different"]


def crowding(table: Table) -> list[str]:
    """Return what is to be said about a voter with many of the votes, if a column names voters.

    Examples
    --------
    >>> import polars as pl
    >>> crowding(frame_table(pl.DataFrame({"voter": ["ann"] * 30 + list("bcdefghij")})))
    ['one voter cast 30 of 39 votes, which count as if many had cast them']
    """
    there = {name.lower(): name for name in table.frame.columns}
    names = [there[name] for name in (VOTER, *_USUAL_VOTERS) if name in there]
    if not names:
        return []
    voters = table.frame[names[0]].drop_nulls()
    most = int(voters.value_counts()["count"].max() or 0) if len(voters) else 0  # type: ignore[arg-type]
    if most < _CROWD or most <= _CROWDED * len(voters):
        return []
    return [
        f"one voter cast {most:,} of {len(voters):,} votes, which count as if many had cast them"
    ]


def texts(column: pl.Series) -> pl.Series:
    """Return a column as text without blanks around it; BadRow if some is empty."""
    import polars as pl

    stripped = column.cast(pl.String).str.strip_chars()
    _check_present(stripped)
    return stripped


def _there(table: Table) -> str:
    return f"the columns are: {', '.join(table.header) or 'none'}"


def _check_shape(table: Table, named: Columns, timed: bool) -> None:
    """Raise ValueError if the columns are neither those of votes nor those of counts."""
    missing = [role for role in ("time", "left", "right") if role not in named]
    if not timed and "time" in missing:
        missing.remove("time")
    if not missing and not named.keys() & {*_OUTCOMES} and not holds_counts(named):
        missing = ["left_won"]
    if missing:
        raise ValueError(
            f"there is no column {missing[0]!r}, {_there(table)}; expected are {_SHAPES}, other "
            "names are told by columns, or --columns, as in time=when"
        )
    if table.frame.height == 0:
        raise ValueError("holds no votes, at least one is needed")


def _votes(table: Table, named: Columns, timed: bool) -> tuple[Log, list[str]]:
    frame = table.frame
    time, dated = _times(frame[named["time"]]) if timed else (np.zeros(frame.height), False)
    left, right = texts(frame[named["left"]]), texts(frame[named["right"]])
    rows = np.arange(frame.height)
    if holds_counts(named):
        rows, outcome, count = _counted(frame, named)
    else:
        outcome = _outcomes(frame, named, left, right)
        count = _numbers(frame[named["count"]]) if "count" in named else np.ones(frame.height)
    propensity = _propensities(frame, named)
    alone = (left == right).to_numpy() & (propensity is None)
    notes = []
    if alone.any():
        first = table.place(first_true(alone))
        number = in_words(int(alone.sum()), "row")
        notes.append(f"{number} between an arm and itself left out, the first in {first}")
        kept = ~alone[rows]
        rows, outcome, count = rows[kept], outcome[kept], count[kept]
    if not (left != right).to_numpy()[rows].any():
        raise ValueError("holds no votes between two different arms, at least one is needed")
    seen = np.zeros(frame.height, dtype=np.bool_)
    seen[rows] = True
    labels = sorted({*left.filter(seen).unique()} | {*right.filter(seen).unique()})
    index = {label: n for n, label in enumerate(labels)}
    shown, other = (
        side.replace_strict(index, default=0).to_numpy()[rows] for side in (left, right)
    )
    try:
        chances = None if propensity is None else propensity[rows]
        log = Log(labels, time[rows], shown, other, outcome, count, propensity=chances, dated=dated)
    except BadRow as error:
        raise BadRow(int(rows[error.row]), error.reason) from None
    return log, notes + alike(labels)


def _propensities(frame: pl.DataFrame, named: Columns) -> Array | None:
    """Return the probabilities of the pairs; None if there is no such column or it is empty."""
    import polars as pl

    if "propensity" not in named:
        return None
    column = frame[named["propensity"]]
    empty = column.is_null()
    if column.dtype == pl.String:
        empty = empty | (column.str.strip_chars() == "").fill_null(value=True)
    if empty.any() and not empty.all():
        row = first_true(empty.to_numpy())
        raise BadRow(row, f"{column.name} is empty, must be in every row or in none")
    return None if empty.all() else _numbers(column)


def _outcomes(frame: pl.DataFrame, named: Columns, left: pl.Series, right: pl.Series) -> Array:
    """Return what the rows say of the left arm, in numbers, in words or by the winner's name."""
    import polars as pl

    role = "left_won" if "left_won" in named else "winner"
    column = frame[named[role]]
    if role == "left_won" and column.dtype != pl.String:
        found = _numbers(column)
    else:
        said = texts(column)
        words = _side_words(named)
        numbers = np.full(len(said), np.nan)
        if role == "left_won":
            words |= _TRUTHS
            parsed = said.cast(pl.Float64, strict=False)
            _check_present(parsed.fill_null(0.0))
            numbers = parsed.to_numpy()
        is_number = np.isin(numbers, _VALUES)
        found = numbers if is_number.all() else _in_words(said, words, left, right)
        found = np.where(is_number, numbers, found)
    wrong = ~np.isin(found, _VALUES)
    if wrong.any():
        row = first_true(wrong)
        like = meant(str(column[row]).strip(), (left[row], right[row]))
        rule = f"{OUTCOMES}, true, false, " if role == "left_won" else "must be "
        other = ""
        if role == "winner" and str(column[row]).strip().casefold() in {*_TRUTHS, "0", "1", "0.5"}:
            other = f"; whether left won is told as in left_won={column.name}"
        raise BadRow(
            row,
            f"{column.name} is {column[row]!r}{like}, {rule}left, right, tie, draw or the name of "
            f"one of the two arms{other}",
        )
    if role == "left_won" and "winner" in named:
        _check_agreement(frame, named, left, right, found)
    return found


def _check_agreement(
    frame: pl.DataFrame, named: Columns, left: pl.Series, right: pl.Series, found: Array
) -> None:
    """Raise BadRow if a winner is told too, and is another; what is no winner does not matter."""
    import polars as pl

    said = frame[named["winner"]].cast(pl.String, strict=False).str.strip_chars()
    told = _in_words(said.fill_null(""), _side_words(named), left, right)
    against = np.isfinite(told) & (told != found)
    if against.any():
        row = first_true(against)
        name = named["left_won"]
        raise BadRow(
            row,
            f"{name} is {frame[name][row]}, but {named['winner']} is {said[row]!r}; say which of "
            f"them counts, as in left_won={name}",
        )


def _side_words(named: Columns) -> dict[str, float]:
    """Return words for outcomes; those for the sides include what their columns are called."""
    return {named["left"].casefold(): 1.0, named["right"].casefold(): 0.0} | _WORDS


def _in_words(
    said: pl.Series, words: Mapping[str, float], left: pl.Series, right: pl.Series
) -> Array:
    """Return outcomes by words and names, NaN for what is neither."""
    import polars as pl

    lower = said.str.to_lowercase()
    by_word = lower.replace_strict(words, default=None, return_dtype=pl.Float64).to_numpy()
    sides = [(said == side).to_numpy() for side in (left, right)]
    by_name = np.select(sides, [1.0, 0.0], np.nan)
    clash = (by_word + by_name == 1) | (np.isfinite(by_name) & (by_word == 0.5))
    clash &= ~(sides[0] & sides[1])
    if clash.any():
        row = first_true(clash)
        raise BadRow(
            row, f"{said.name} is {said[row]!r}, which is also the name of an arm; rename the arm"
        )
    return np.where(np.isnan(by_name), by_word, by_name)


def _counted(frame: pl.DataFrame, named: Columns) -> tuple[Ints, Array, Array]:
    """Return the rows, outcomes and counts of the votes that rows of counts stand for."""
    have = {role: _whole(frame[name]) for role, name in named.items() if role in _COUNTED}
    wins = have[next(role for role in _WINS if role in have)]
    ties = have.get("ties", np.zeros(frame.height))
    losing = [role for role in _LOSSES if role in have]
    losses = have[losing[0]] if losing else have["n"] - wins - ties
    if "n" in have:
        of = have["n"]
        wrong = (losses < 0) | (wins + ties + losses != of)
        if wrong.any():
            row = first_true(wrong)
            more = wins[row] + ties[row] + (losses[row] if losing else 0)
            raise BadRow(row, f"n is {of[row]:g}, but wins, losses and ties make {more:g}")
    rows = np.repeat(np.arange(frame.height), 3)
    outcome = np.tile([1.0, 0.5, 0.0], frame.height)
    count = np.stack([wins, ties, losses], axis=1).ravel()
    some = count > 0
    return rows[some], outcome[some], count[some]


def _whole(column: pl.Series) -> Array:
    values = _numbers(column)
    wrong = ~((values >= 0) & (np.floor(values) == values) & (values <= LONGEST))
    if wrong.any():
        row = first_true(wrong)
        raise BadRow(row, f"{column.name} is {column[row]}, must be a whole number, at least 0")
    return values


def _check_present(column: pl.Series) -> None:
    import polars as pl

    empty: pl.Series = column.is_null()
    if column.dtype == pl.String:
        empty = empty | (column == "").fill_null(value=True)
    if empty.any():
        raise BadRow(first_true(empty.to_numpy()), f"{column.name} is empty")
    if column.dtype.is_float() and column.is_nan().any():
        row = first_true(column.is_nan().to_numpy())
        raise BadRow(row, f"{column.name} is nan, must be a number")


def _numbers(column: pl.Series) -> Array:
    import polars as pl

    if column.dtype == pl.String:
        column = texts(column)
    _check_present(column)
    if not (column.dtype.is_numeric() or column.dtype in (pl.String, pl.Boolean)):
        raise ValueError(f"{column.name}: holds {column.dtype}, must hold numbers")
    numbers = column.cast(pl.Float64, strict=False)
    if numbers.has_nulls():
        row = first_true(numbers.is_null().to_numpy())
        raise BadRow(row, f"{column.name} is {column[row]!r}, must be a number")
    _check_present(numbers)
    return numbers.to_numpy()


def _times(column: pl.Series) -> tuple[Array, bool]:
    """Return the times as numbers, and whether they are days since 1970."""
    import polars as pl

    if column.dtype == pl.String:
        column = _parse_times(texts(column))
    _check_present(column)
    if column.dtype == pl.Date:
        return as_days(column.to_numpy()), True
    if column.dtype == pl.Datetime:
        if column.dtype.time_zone is not None:  # type: ignore[attr-defined]
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return as_days(column.to_numpy()), True
    return _numbers(column), False


def _parse_times(said: pl.Series) -> pl.Series:
    """Parse all rows as what the first row is: a number, a date, or a date and time."""
    import polars as pl

    def stamps(texts: pl.Series, zone: str = "") -> pl.Series:
        texts = texts.str.replace(" ", "T", literal=True).str.replace("Z$", "+00:00")
        return texts.str.to_datetime(f"%Y-%m-%dT%H:%M:%S%.f{zone}", time_unit="us", strict=False)

    readings: dict[str, Callable[[pl.Series], pl.Series]] = {
        "a number": lambda texts: texts.cast(pl.Float64, strict=False),
        "a date like 2024-05-31": lambda texts: texts.str.to_date("%Y-%m-%d", strict=False),
        "a date like 31.05.2024": lambda texts: texts.str.to_date("%d.%m.%Y", strict=False),
        "a time like 2024-05-31T12:30": lambda texts: stamps(texts + ":00"),
        "a time like 2024-05-31T12:30:00": stamps,
        "a time like 2024-05-31T12:30:00+00:00": lambda texts: stamps(texts, "%z"),
    }
    for kind, read in readings.items():
        if read(said.head(1))[0] is None:
            continue
        parsed = read(said)
        if parsed.has_nulls():
            row = first_true(parsed.is_null().to_numpy())
            raise BadRow(row, f"{said.name} is {said[row]!r}, must be {kind} as in the first row")
        return parsed
    raise BadRow(
        0,
        f"{said.name} is {said[0]!r}, must be a number, an ISO date or an ISO date and time, such "
        "as 2024-05-31",
    )
