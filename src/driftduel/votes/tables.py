"""Tables from files as people have them: separators, encodings, and the line of a row."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from driftduel._support.limits import LOG_FILE
from driftduel.votes.log import BadRow, Ints

if TYPE_CHECKING:
    import polars as pl

PARQUET = ".parquet"
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", PARQUET)
"""How the names of files end that hold tables."""

_SEPARATORS = (",", ";", "\t")
_OTHERS = ("|", ":", " ")
_GZIP, _ZSTD, _ZLIB = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"\x01", b"\x5e", b"\x9c", b"\xda")
"""How files begin that polars would unpack."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)*")
_PIECE = 2**24


@dataclass(frozen=True, eq=False)
class Table:
    """A table, its header without blanks around the names, and where its rows came from.

    Attributes
    ----------
    frame : polars.DataFrame
        The rows that are not empty. All of a file's columns are text.
    name : str
        The name of the file, empty if there is none.
    header : tuple of str
        The names of the columns, with those that are there twice.
    """

    frame: pl.DataFrame
    name: str
    header: tuple[str, ...]
    _records: Ints
    _text: Callable[[], bytes] | None  # read again if a line is asked for: it may be large
    _separator: str
    _lines_before: int

    def place(self, row: int) -> str:
        """Return where a row stands: the line of a file as an editor counts, or the row."""
        if self._text is None:
            return f"row {row + 1}"
        wanted = int(self._records[row]) + 1  # the header is a record too
        lines = (line for n, (line, _) in enumerate(self._each()) if n == wanted)
        return f"line {next(lines)}"

    def complaint(self, error: ValueError) -> ValueError:
        """Return an error with the name of the file and the place of the row in front."""
        text = f"{self.place(error.row)}: {error.reason}" if isinstance(error, BadRow) else error
        return ValueError(f"{self.name}: {text}" if self.name else str(text))

    def _each(self) -> Iterator[tuple[int, list[str]]]:
        assert self._text is not None
        for line, fields in _records(self._text(), self._separator):
            yield line + self._lines_before, fields


def frame_table(frame: pl.DataFrame, name: str = "") -> Table:
    """Return a data frame as a table."""
    return Table(frame, name, tuple(frame.columns), np.arange(frame.height), None, "", 0)


def read_table(path: Path) -> Table:
    """Read every column of a CSV file as text, so that what does not parse can be named.

    A Parquet file knows what its columns are.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    if path.name.endswith(PARQUET):
        return _read_parquet(path)
    try:
        return _parse(lambda: _plain(path), path.name)
    except (OSError, EOFError, zlib.error, csv.Error):
        raise ValueError(f"{path.name}: is not a readable CSV file") from None
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def _read_parquet(path: Path) -> Table:
    import polars as pl

    try:
        return frame_table(pl.read_parquet(path), path.name)
    except (OSError, pl.exceptions.PolarsError):
        raise ValueError(f"{path.name}: is not a readable Parquet file") from None


def is_square(table: Table) -> bool:
    """Return whether the first column names different arms, half of those in the header at least.

    So that an error can name what a square table lacks.
    """
    import polars as pl

    arms = table.header[1:]
    if {"left", "right"} <= {*table.header} or len(arms) < 2:
        return False
    first = table.frame[:, 0].cast(pl.String, strict=False).str.strip_chars()
    return not first.is_duplicated().any() and 2 * len({*first} & {*arms}) >= len(arms)


def _plain(path: Path) -> bytes:
    """Return what is in a file, or what a .gz file unpacks to, if that is not too much.

    Polars would unpack it too, but all of it, and other formats as well.
    """
    with path.open("rb") as file:
        begin = file.read(4)
    if begin[:4] == _ZSTD or (begin[:1] == b"x" and begin[1:2] in _ZLIB):
        raise OSError("packed, but not as .gz")
    if begin[:2] != _GZIP:
        return path.read_bytes()
    parts: list[bytes] = []
    size = 0
    with gzip.open(path) as packed:
        while part := packed.read(_PIECE):
            parts.append(part)
            size += len(part)
            if size > LOG_FILE:
                raise ValueError(f"unpacks to more than {LOG_FILE // 2**30} GB")
    return b"".join(parts)


def _parse(read: Callable[[], bytes], name: str) -> Table:
    import polars as pl

    text, before = _begun(read())
    if not text.strip():
        raise ValueError("is empty")
    try:
        separator = _separator(text, name)
        blanks = _blank_before_quote(text, separator)
        if blanks:
            text = _without_blanks(text, separator)
        header = tuple(field.strip() for field in next(_records(text, separator))[1])
        frame = pl.read_csv(text, infer_schema=False, separator=separator)
    except (UnicodeDecodeError, pl.exceptions.PolarsError):
        raise ValueError(_what_is_wrong(text, name, before)) from None
    frame.columns = _distinct(header)
    filled = ~frame.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy()
    records = np.flatnonzero(filled)
    if len(records) < frame.height:
        frame = frame.filter(filled)

    def again() -> bytes:
        found, _ = _begun(read())
        return _without_blanks(found, separator) if blanks else found

    return Table(frame, name, header, records, again, separator, before)


def _begun(data: bytes) -> tuple[bytes, int]:
    """Return a text from its header on, and how many lines come before."""
    if data.startswith(_UTF_16) or b"\0" in data[:1000]:
        raise ValueError("is encoded as UTF-16, must be UTF-8; save it as CSV UTF-8")
    text = data.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    begin = _BLANK_LINES.match(text).end()  # type: ignore[union-attr]
    return text[begin:], text[:begin].count(b"\n")


def _separator(text: bytes, name: str) -> str:
    """Return what cuts the header into most columns, a comma or as the file is called if none."""
    first = "\t" if ".tsv" in name else ","
    order = sorted(_SEPARATORS, key=lambda sign: sign != first)
    columns = {sign: len(next(_records(text, sign))[1]) for sign in order}
    separator = max(columns, key=columns.__getitem__)
    if columns[separator] == 1:
        header = next(_records(text, first))[1][0].strip()
        for sign in _OTHERS:
            if sign in header:
                raise ValueError(
                    f"the header is one column, {header!r}: is the separator {sign!r}? "
                    "It must be a comma, a semicolon or a tab"
                )
    return separator


def _blank_before_quote(text: bytes, separator: str) -> bool:
    """Tell whether a name in the header stands in quotes after a blank."""
    header = next(_records(text, separator))[1]
    return any(field.startswith(" ") and field.lstrip().startswith('"') for field in header)


def _without_blanks(text: bytes, separator: str) -> bytes:
    """Return the same lines without blanks after separators, where quotes would count as text."""
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    written = io.StringIO(newline="")
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    csv.writer(written, delimiter=separator, lineterminator="\n").writerows(rows)
    return written.getvalue().encode()


def _records(text: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Return records with the lines they begin in, the first of them 1; a blank line is one too."""
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=separator)
    line = 1
    for fields in reader:
        yield line, fields
        line = reader.line_num + 1


def _what_is_wrong(text: bytes, name: str, before: int) -> str:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1 + before
        return (
            f"line {line} is not UTF-8, perhaps the file is encoded as Windows-1252 or Latin-1; "
            "save it as CSV UTF-8"
        )
    columns = 0
    for line, fields in _records(text, _separator(text, name)):
        columns = columns or len(fields)
        if len(fields) > columns:
            return f"line {line + before} has {len(fields)} fields, the header has {columns}"
    return "is not a readable CSV file"


def _distinct(names: tuple[str, ...]) -> list[str]:
    """Return names with a mark on those that were there before."""
    before: set[str] = set()
    marked = []
    for place, name in enumerate(names, start=1):
        marked.append(f"{name} (column {place})" if name in before else name)
        before |= {name, marked[-1]}
    return marked
