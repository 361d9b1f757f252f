"""Reading votes from CSV files and data frames.

A log is a table with one row a vote and the columns

- ``time``: an ISO date, an ISO date and time (without a zone: taken as UTC), or a number;
- ``left``, ``right``: the labels of the two arms, as they were shown;
- ``left_won``: 1 left preferred, 0 right preferred, 0.5 tie;
- ``count``, optional: how many such votes the row stands for, 1 if the column is missing.

Other columns are ignored.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from driftduel._limits import LOG_FILE
from driftduel.streams.logs import OUTCOMES, Array, Log, as_days, check_rows, first_true

if TYPE_CHECKING:
    import polars as pl

_GZIP, _ZSTD, _ZLIB = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"\x01", b"\x5e", b"\x9c", b"\xda")
"""How files begin that polars would unpack."""

_PIECE = 2**24

COLUMNS = ("time", "left", "right", "left_won")


def read_log(
    source: str | os.PathLike[str] | pl.DataFrame, *, arms: Sequence[str] | None = None
) -> Log:
    """Read votes from a CSV file (plain or .gz) or from a polars DataFrame.

    Parameters
    ----------
    source : path or polars.DataFrame
        A table with the columns ``time,left,right,left_won`` and perhaps ``count``.
    arms : sequence of str, optional
        Keep the votes between these arms only, in this order. All arms, sorted by label, if
        left out.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a column is missing or a value makes no sense. The message names the file and the
        row; the first row after the header is row 1.

    Examples
    --------
    >>> import polars as pl
    >>> votes = {"time": ["2024-05-01", "2024-05-02"], "left": ["tea", "milk"]}
    >>> votes |= {"right": ["milk", "tea"], "left_won": [1.0, 0.5], "count": [10, 4]}
    >>> read_log(pl.DataFrame(votes))
    Log(2 arms, 14 votes, 2024-05-01 to 2024-05-02)
    """
    import polars as pl

    if isinstance(source, pl.DataFrame):
        log = _from_frame(source)
    else:
        name = Path(source).name
        try:
            log = _from_frame(_read_csv(Path(source)))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return log if arms is None else log.select(arms)


def _read_csv(path: Path) -> pl.DataFrame:
    """Read every column as text, so that what does not parse can be named."""
    import polars as pl

    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        return pl.read_csv(_plain(path), infer_schema=False)
    except pl.exceptions.NoDataError:
        raise ValueError("is empty") from None
    except (pl.exceptions.PolarsError, OSError, EOFError, zlib.error):
        raise ValueError("is not a readable CSV file") from None


def _plain(path: Path) -> Path | bytes:
    """Return the file, or what a .gz file unpacks to, if that is not too much.

    Polars would unpack it too, but all of it, and other formats as well.
    """
    with path.open("rb") as file:
        begin = file.read(4)
    if begin[:4] == _ZSTD or (begin[:1] == b"x" and begin[1:2] in _ZLIB):
        raise OSError("packed, but not as .gz")
    if begin[:2] != _GZIP:
        return path
    parts: list[bytes] = []
    size = 0
    with gzip.open(path) as packed:
        while part := packed.read(_PIECE):
            parts.append(part)
            size += len(part)
            if size > LOG_FILE:
                raise ValueError(f"unpacks to more than {LOG_FILE // 2**30} GB")
    return b"".join(parts)


def _from_frame(frame: pl.DataFrame) -> Log:
    for name in COLUMNS:
        if name not in frame.columns:
            there = ", ".join(frame.columns) or "none"
            raise ValueError(f"there is no column {name!r}, the columns are: {there}")
    if frame.height == 0:
        raise ValueError("holds no votes, at least one is needed")
    time, dated = _times(frame["time"])
    left, right = _texts(frame["left"]), _texts(frame["right"])
    outcome = _numbers(frame["left_won"])
    check_rows(np.isin(outcome, (0, 0.5, 1)), "left_won", outcome, OUTCOMES)
    count = _numbers(frame["count"]) if "count" in frame.columns else None
    labels = sorted(set(left.unique()) | set(right.unique()))
    index = {label: n for n, label in enumerate(labels)}
    if len(labels) == 1:
        raise ValueError(f"row 1: left and right are both {labels[0]!r}, must differ")
    return Log(
        labels,
        time,
        left.replace_strict(index).to_numpy(),
        right.replace_strict(index).to_numpy(),
        outcome,
        count,
        dated=dated,
    )


def _texts(column: pl.Series) -> pl.Series:
    import polars as pl

    texts = column.cast(pl.String).str.strip_chars()
    _check_present(texts)
    return texts


def _check_present(column: pl.Series) -> None:
    import polars as pl

    empty = column.is_null()
    if column.dtype == pl.String:
        empty = empty | (column == "").fill_null(value=True)
    elif column.dtype.is_float():
        empty = empty | column.is_nan().fill_null(value=True)
    if empty.any():
        raise ValueError(f"row {first_true(empty.to_numpy()) + 1}: {column.name} is empty")


def _numbers(column: pl.Series) -> Array:
    import polars as pl

    if column.dtype == pl.String:
        column = _texts(column)
    _check_present(column)
    if not (column.dtype.is_numeric() or column.dtype in (pl.String, pl.Boolean)):
        raise ValueError(f"{column.name}: holds {column.dtype}, must hold numbers")
    numbers = column.cast(pl.Float64, strict=False)
    if numbers.has_nulls():
        row = first_true(numbers.is_null().to_numpy())
        raise ValueError(f"row {row + 1}: {column.name} is {column[row]!r}, must be a number")
    _check_present(numbers)
    return numbers.to_numpy()


def _times(column: pl.Series) -> tuple[Array, bool]:
    """Return the times as numbers, and whether they are days since 1970."""
    import polars as pl

    if column.dtype == pl.String:
        column = _parse_times(_texts(column))
    _check_present(column)
    if column.dtype == pl.Date:
        return as_days(column.to_numpy()), True
    if column.dtype == pl.Datetime:
        if column.dtype.time_zone is not None:  # type: ignore[attr-defined]
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return as_days(column.to_numpy()), True
    return _numbers(column), False


def _parse_times(texts: pl.Series) -> pl.Series:
    """Parse all rows as what the first row is: a number, a date, or a date and time."""
    import polars as pl

    stamps = texts.str.replace(" ", "T").str.replace("Z$", "+00:00")
    whole = "%Y-%m-%dT%H:%M:%S%.f"
    readings: dict[str, Callable[[], pl.Series]] = {
        "a number": lambda: texts.cast(pl.Float64, strict=False),
        "a date like 2024-05-31": lambda: texts.str.to_date("%Y-%m-%d", strict=False),
        "a time like 2024-05-31T12:30:00": lambda: stamps.str.to_datetime(
            whole, time_unit="us", strict=False
        ),
        "a time like 2024-05-31T12:30:00+00:00": lambda: stamps.str.to_datetime(
            whole + "%z", time_unit="us", strict=False
        ),
    }
    for kind, read in readings.items():
        parsed = read()
        if parsed[0] is None:
            continue
        if parsed.has_nulls():
            row = first_true(parsed.is_null().to_numpy())
            raise ValueError(
                f"row {row + 1}: time is {texts[row]!r}, must be {kind} as in the first row"
            )
        return parsed
    raise ValueError(
        f"row 1: time is {texts[0]!r}, must be a number, an ISO date or an ISO date and time"
    )
