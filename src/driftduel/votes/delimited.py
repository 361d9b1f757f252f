"""Tables from text: what separates the columns, how it is encoded, and the line of a row.

Every column is read as text, so that what does not parse can be named with its line.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.tables import Table

if TYPE_CHECKING:
    import polars as pl

Read = Callable[[], bytes]
"""Gives the text of a file; again if a line is asked for, since it may be large."""

HEAD = 2**16
"""Bytes by which it is judged what a file is."""

_SEPARATORS = (",", ";", "\t", "|")
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)*")
_SAYS_SEPARATOR = re.compile(rb"sep=.\r?\n")
_PAGE = re.compile(rb"\s*<(!doctype|html|\?xml|head|body|table)\b", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
_DECIMAL = r"^[+-]?\d+(,\d+)?$"
_TITLES = 10
_SEVERAL_BLANKS = re.compile(rb"[ \t]+")
_WIDEST = 1000
_UNREADABLE = "is not a readable CSV file"


def parse_text(read: Read, name: str, *, path: Path | None = None, header: bool = True) -> Table:
    """Return the table in a text.

    Parameters
    ----------
    read : callable
        Gives the text.
    name : str
        The name of the file; a tab is likelier in .tsv than in .csv.
    path : Path, optional
        The file, if what it holds is the text as it is; polars then reads it without a copy.
    header : bool
        Whether the first row names the columns; else they are called 1, 2, 3, ...

    Raises
    ------
    ValueError
        If it holds no table; without the name of the file.
    """
    import polars as pl

    head = b""
    if path is not None:
        with path.open("rb") as file:
            head = file.read(HEAD)
    found = _Layout.of(head if _is_plain(head) else read(), name)
    plain = _is_plain(head) and found.as_it_is
    text: bytes | Path = path if plain and path is not None else found.mended(read())
    first = next(_records(found.mended(head) if plain else text, found.separator))[1]  # type: ignore[arg-type]
    columns = tuple(field.strip() for field in first)
    if not header:
        columns = tuple(str(n) for n in range(1, len(columns) + 1))
    try:
        frame = pl.read_csv(
            text, infer_schema=False, separator=found.separator, has_header=header,
            quote_char='"', encoding="utf8",
        )  # fmt: skip
    except (UnicodeDecodeError, pl.exceptions.PolarsError):
        wrong = found.what_is_wrong(read())
        if wrong:
            raise ValueError(wrong) from None
        # Nothing stands in what is too much, as spreadsheets write rows below a table.
        frame = pl.read_csv(
            text, infer_schema=False, separator=found.separator, has_header=header,
            quote_char='"', encoding="utf8", truncate_ragged_lines=True,
        )  # fmt: skip
    if len(columns) != frame.width:
        raise ValueError(found.what_is_wrong(read()) or _UNREADABLE)
    frame.columns = _distinct(columns)
    frame, records = _without_empty_rows(frame)
    if found.separator != ",":
        frame = _with_points(frame)
    return Table(frame, name, columns, found.lines(read, records, header))


class _Layout:
    """How a text is laid out: what separates its columns, and what is before its header."""

    def __init__(self, separator: str, begin: int, blanks: bool, mac: bool, name: str) -> None:
        self.separator = separator
        self.begin = begin
        self.blanks = blanks
        self.mac = mac
        self.name = name

    @classmethod
    def of(cls, data: bytes, name: str) -> _Layout:
        text = as_utf8(data)
        mac = b"\n" not in text and b"\r" in text
        if mac:
            text = text.replace(b"\r", b"\n")
        if _PAGE.match(text):
            raise ValueError("is a web page and no table; download the file itself")
        if text.startswith(b"%PDF"):
            raise ValueError("is a PDF and no table; save the table as CSV or Excel")
        if _CONTROL.search(text[:_WIDEST]):
            raise ValueError("is no text, and no Parquet, Arrow, Excel or zip file either")
        begin = _beginning(text)
        text = text[begin:]
        if not text[:HEAD].strip():
            raise ValueError("is empty")
        try:
            separator = _separator(text, name)
            first = next(_records(text, separator))[1]
        except UnicodeDecodeError:
            raise ValueError(_not_utf8(text, begin=0)) from None
        except csv.Error:
            raise ValueError(_UNREADABLE) from None
        blanks = any(field.startswith(" ") and field.lstrip().startswith('"') for field in first)
        return cls(separator, begin, blanks, mac, name)

    @property
    def as_it_is(self) -> bool:
        """Whether polars can read the text without any change."""
        return not (self.begin or self.blanks or self.mac or self.separator == " ")

    def mended(self, data: bytes) -> bytes:
        """Return the text from its header on, as polars can read it."""
        text = as_utf8(data)
        if self.mac:
            text = text.replace(b"\r", b"\n")
        text = text[self.begin :] if self.begin else text
        if self.separator == " ":
            text = _SEVERAL_BLANKS.sub(b" ", text)
            text = text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        return _without_blanks(text, self.separator) if self.blanks else text

    def before(self, data: bytes) -> int:
        """Return how many lines come before the header."""
        return as_utf8(data)[: self.begin].count(b"\r" if self.mac else b"\n")

    def lines(
        self, read: Read, records: NDArray[np.int64], header: bool
    ) -> Callable[[int], int | None]:
        """Return what tells the line of a row; it gives None where a cell is too large for that."""

        def line(row: int) -> int | None:
            wanted = int(records[row]) + header
            data = read()
            each = _records(self.mended(data), self.separator)
            try:
                return next(at for n, (at, _) in enumerate(each) if n == wanted) + self.before(data)
            except csv.Error:
                return None

        return line

    def what_is_wrong(self, data: bytes) -> str:
        """Return what is wrong with a text; nothing if some rows have empty cells too many."""
        before, text = self.before(data), self.mended(data)
        try:
            text.decode()
        except UnicodeDecodeError:
            return _not_utf8(text, begin=before)
        columns, wider = 0, False
        try:
            for line, fields in _records(text, self.separator):
                columns = columns or len(fields)
                wider |= len(fields) > columns
                if any(field.strip() for field in fields[columns:]):
                    return (
                        f"line {line + before} has {len(fields)} fields, the header has {columns}"
                    )
        except csv.Error:
            pass
        return "" if wider else _UNREADABLE


def as_utf8(data: bytes) -> bytes:
    """Return a text as UTF-8 without a mark; other encodings than UTF-16 stay as they are."""
    if data[:2] in _UTF_16:
        kind = "utf-16"
    elif b"\0" in data[:_WIDEST]:
        kind = "utf-16-le" if not any(data[1:40:2]) else "utf-16-be"
        if any(data[1:40:2]) and any(data[0:40:2]):
            raise ValueError("is no text, and no Parquet, Arrow, Excel or zip file either")
    else:
        return data.removeprefix(codecs.BOM_UTF8)
    try:
        return data[: len(data) // 2 * 2].decode(kind).encode()
    except UnicodeDecodeError:
        raise ValueError("is encoded as UTF-16, but damaged") from None


def _is_plain(head: bytes) -> bool:
    """Tell whether a text begins like one that needs no change: no mark, no blank line."""
    return bool(head) and b"\n" in head and b"\0" not in head and head[:3] != codecs.BOM_UTF8


def _beginning(text: bytes) -> int:
    """Return where the header begins: after blank lines, and after Excel's ``sep=;``."""
    begin = _BLANK_LINES.match(text).end()  # type: ignore[union-attr]
    said = _SAYS_SEPARATOR.match(text, begin)
    if said is not None:
        return said.end()
    return begin + _titles(text[begin : begin + HEAD])


def _titles(text: bytes) -> int:
    """Return where a table begins below a title or comments, lines that hold no columns."""
    lines = text.splitlines(keepends=True)[: _TITLES + 1]
    cut = [max(line.count(sign.encode()) for sign in _SEPARATORS) for line in lines]
    if len(lines) < 2 or not (
        lines[0].startswith(b"#") or (cut[0] == 0 and b" " in lines[0].strip())
    ):
        return 0
    begins = (n for n in range(1, len(lines)) if cut[n] > max(1, cut[0]) and lines[n][:1] != b"#")
    first = next(begins, 0)
    return sum(map(len, lines[:first]))


def _separator(text: bytes, name: str) -> str:
    """Return what cuts the header into most columns, a comma or as the file is called if none."""
    first = "\t" if ".tsv" in name else ","
    order = sorted(_SEPARATORS, key=lambda sign: sign != first)
    columns = {sign: len(next(_records(text, sign))[1]) for sign in order}
    separator = max(columns, key=columns.__getitem__)
    if columns[separator] > 1:
        return separator
    header = "".join(next(_records(text, first))[1][:1]).strip()
    if " " in header or "\t" in header:
        return " "
    if ":" in header:
        raise ValueError(
            f"the header is one column, {header!r}: is the separator ':'? "
            "It must be a comma, a semicolon, a tab, a bar or blanks"
        )
    return separator


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


def _not_utf8(text: bytes, *, begin: int) -> str:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1 + begin
        return (
            f"line {line} is not UTF-8, perhaps the file is encoded as Windows-1252 or Latin-1; "
            "save it as CSV UTF-8"
        )
    return _UNREADABLE


def _without_empty_rows(frame: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Return the rows that hold something, and which they were."""
    import polars as pl

    records = np.arange(frame.height)
    if not frame.width or not frame[:, 0].has_nulls():
        return frame, records
    filled = ~frame.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy()
    return (frame, records) if filled.all() else (frame.filter(filled), records[filled])


def _with_points(frame: pl.DataFrame) -> pl.DataFrame:
    """Return columns of numbers such as 0,5 with points, where commas do not separate."""
    import polars as pl

    head = frame.head(_WIDEST)
    for name in head.columns:
        cells = head[name].drop_nulls()
        if cells.str.contains(",", literal=True).any() and cells.str.contains(_DECIMAL).all():
            points = pl.col(name).str.replace(",", ".", literal=True)
            frame = frame.with_columns(
                pl.when(pl.col(name).str.contains(_DECIMAL))
                .then(points)
                .otherwise(name)
                .alias(name)
            )
    return frame


def _distinct(names: tuple[str, ...]) -> list[str]:
    """Return names with a mark on those that were there before."""
    before: set[str] = set()
    marked = []
    for place, name in enumerate(names, start=1):
        marked.append(f"{name} (column {place})" if name in before else name)
        before |= {name, marked[-1]}
    return marked
