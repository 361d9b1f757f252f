"""What people keep votes in, as tables: text, JSON, Parquet, Arrow, Excel, zip, folders, frames.

A file is what it begins with, whatever it is called. Frames of other libraries are taken by the
Arrow stream they offer, so that none of these libraries is imported here.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftduel._support.extras import library
from driftduel._support.limits import LOG_FILE
from driftduel._support.text import listing
from driftduel.votes.delimited import HEAD, as_utf8, parse_text
from driftduel.votes.log import Log
from driftduel.votes.tables import Table, frame_table

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (
    ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather",
    ".ipc", ".xlsx", ".xls", ".ods", ".zip", ".gz",
)  # fmt: skip
"""How the names of files end that a folder of votes may hold."""

STDIN = "-"
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_GZIP, _ZIP, _PARQUET, _ARROW = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"ARROW1"
_STREAM, _OLD_FEATHER, _OLD_EXCEL = b"\xff\xff\xff\xff", b"FEA1", b"\xd0\xcf\x11\xe0"
_ZSTD, _ZLIB = b"\x28\xb5\x2f\xfd", (b"\x01", b"\x5e", b"\x9c", b"\xda")
_PIECE = 2**24
_MOST_JSON = 2**28


def tables_of(source: Any, *, header: bool = True) -> Iterator[Table | Log]:
    """Yield the tables of a source, one for each file; logs as they are.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If something is no table; the sentence names the file.
    """
    if isinstance(source, Log | Table):
        yield source
    elif isinstance(source, str | os.PathLike):
        yield from _of_path(source, header)
    elif isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        yield from _of_list(source, header)
    else:
        yield frame_table(as_frame(source))


def as_frame(source: Any) -> pl.DataFrame:
    """Return a data frame, of whatever library, or a dict of columns, as one of polars.

    Examples
    --------
    >>> as_frame({"left": ["tea"], "right": ["milk"]}).columns
    ['left', 'right']
    """
    import polars as pl

    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    try:
        if isinstance(source, Mapping):
            return pl.DataFrame(dict(source), strict=False)
        if hasattr(source, "__arrow_c_stream__"):
            return _from_arrow(source)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise ValueError(f"votes: make no table: {str(error).splitlines()[0]}") from None
    raise ValueError(
        f"votes: are {type(source).__name__}, must be a path, a data frame, a dict of columns, a "
        "list of dicts or a Log"
    )


class _Stream:
    """The stream of a frame and nothing else, so that polars does not treat some kinds apart."""

    def __init__(self, source: Any) -> None:
        self.__arrow_c_stream__ = source.__arrow_c_stream__


def _from_arrow(source: Any) -> pl.DataFrame:
    """Return a frame of another library; an index of pandas that has a name is a column too."""
    import polars as pl

    try:
        return pl.DataFrame(_Stream(source))
    except Exception:  # pandas makes its stream by pyarrow, which may not be there, or fail
        try:
            columns = {str(name): _as_column(source[name].tolist()) for name in source}
        except (AttributeError, TypeError, KeyError):
            columns = {}
        if not columns:
            raise
        return pl.DataFrame(columns, strict=False)


def _of_list(source: Sequence[Any], header: bool) -> Iterator[Table | Log]:
    import polars as pl

    if not source:
        raise ValueError("votes: there are none, at least one is needed")
    if isinstance(source[0], Mapping):
        try:
            frame = pl.DataFrame(list(source), infer_schema_length=None, strict=False)
        except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
            raise ValueError(f"votes: make no table: {str(error).splitlines()[0]}") from None
        yield frame_table(frame)
        return
    if isinstance(source[0], tuple | list):
        if header:
            raise ValueError(
                "votes: are rows without names, say what their columns are: a list of dicts, or "
                "header=False if each is a winner and a loser"
            )
        yield frame_table(pl.DataFrame(source, orient="row", schema=_numbered(source[0])))
        return
    for one in source:
        yield from tables_of(one, header=header)


def _numbered(row: Sequence[Any]) -> list[str]:
    return [str(n) for n in range(1, len(row) + 1)]


def _of_path(source: str | os.PathLike[str], header: bool) -> Iterator[Table]:
    name = os.fspath(source)
    if name == STDIN:
        yield _named("standard input", _from_bytes, sys.stdin.buffer.read(), header)
        return
    if _URL.match(name):
        raise ValueError(f"{name}: is an address on the network, download it first")
    path = Path(name)
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    if not path.is_dir():
        yield _named(path.name, _from_file, path, header)
        return
    files = [
        file
        for file in sorted(path.iterdir())
        if file.suffix.lower() in SUFFIXES and not file.name.startswith(".") and file.is_file()
    ]
    if not files:
        raise ValueError(f"{path}: is a folder without a file of votes ({', '.join(SUFFIXES)})")
    for file in files:
        yield _named(file.name, _from_file, file, header)


def _named(name: str, read: Any, what: Any, header: bool) -> Table:
    """Return the table of a file; what is wrong with it is said with its name."""
    try:
        found: Table = read(what, name, header)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    except (OSError, EOFError, zlib.error):
        raise ValueError(f"{name}: is not a readable file") from None
    return found


def _from_file(path: Path, name: str, header: bool) -> Table:
    """Return the table of a file; large ones are read by polars itself."""
    import polars as pl

    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(_PARQUET):
        return frame_table(_flat(pl.scan_parquet(path), "a readable Parquet file"), name)
    if head.startswith(_ARROW):
        return frame_table(_flat(pl.scan_ipc(path), "a readable Arrow file"), name)
    if _is_text(head, name):
        return parse_text(path.read_bytes, name, path=path, header=header)
    return _from_bytes(path.read_bytes(), name, header)


def _is_text(head: bytes, name: str) -> bool:
    known = (_GZIP, _ZIP, _STREAM, _OLD_FEATHER, _OLD_EXCEL, _ZSTD)
    if head.startswith(known) or _is_zlib(head):
        return False
    try:
        text = as_utf8(head)
    except ValueError:  # cut within a letter
        text = head
    return not text.lstrip().startswith((b"{", b"["))


def _is_zlib(head: bytes) -> bool:
    return head[:1] == b"x" and head[1:2] in _ZLIB


def _from_bytes(data: bytes, name: str, header: bool) -> Table:
    """Return the table that bytes are, by what they begin with."""
    import polars as pl

    if data.startswith(_GZIP):
        inner = name[:-3] if name.lower().endswith(".gz") else name
        found = _from_bytes(_unpacked(gzip.GzipFile(fileobj=io.BytesIO(data))), inner, header)
        return Table(found.frame, name, found.header, found.line)
    if data.startswith(_ZIP):
        return _from_zip(data, name, header)
    if data.startswith(_OLD_EXCEL):
        return frame_table(_from_excel(data), name)
    if data.startswith(_PARQUET):
        return frame_table(
            _flat(pl.scan_parquet(io.BytesIO(data)), "a readable Parquet file"), name
        )
    if data.startswith(_ARROW):
        return frame_table(_flat(pl.scan_ipc(io.BytesIO(data)), "a readable Arrow file"), name)
    if data.startswith(_STREAM):
        return frame_table(_arrow_stream(data), name)
    if data.startswith(_OLD_FEATHER):
        raise ValueError("is a Feather file of version 1, save it as version 2 or as Parquet")
    if data.startswith(_ZSTD) or _is_zlib(data):
        raise ValueError("is packed, but not as .gz or .zip; unpack it first")
    text = as_utf8(data)
    if text.lstrip()[:1] in (b"{", b"["):
        return frame_table(_from_json(text), name)
    return parse_text(lambda: data, name, header=header)


def _unpacked(packed: Any) -> bytes:
    """Return what is in a packed file, if that is not too much."""
    parts: list[bytes] = []
    size = 0
    with packed:
        while part := packed.read(_PIECE):
            parts.append(part)
            size += len(part)
            if size > LOG_FILE:
                raise ValueError(f"unpacks to more than {LOG_FILE // 2**30} GB")
    return b"".join(parts)


def _from_zip(data: bytes, name: str, header: bool) -> Table:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        files = [
            entry.filename
            for entry in archive.infolist()
            if not entry.is_dir()
            and not entry.filename.startswith("__MACOSX")
            and not Path(entry.filename).name.startswith(".")
        ]
        if "xl/workbook.xml" in files or "content.xml" in files:
            return frame_table(_from_excel(data), name)
        if "xl/workbook.bin" in files:
            raise ValueError("is a binary Excel file, save it as .xlsx or .csv")
        found = [file for file in files if Path(file).suffix.lower() in SUFFIXES]
        if len(found) != 1:
            held = listing(found) if found else "none"
            raise ValueError(f"must hold one table, there is {held}; unpack it first")
        inner = _from_bytes(_unpacked(archive.open(found[0])), Path(found[0]).name, header)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
        raise ValueError("is not a readable zip file") from None
    return Table(inner.frame, name, inner.header, inner.line)


def _from_excel(data: bytes) -> pl.DataFrame:
    """Return the first sheet of a workbook."""
    import polars as pl

    library("fastexcel", "Excel files", "excel")
    try:
        frame = pl.read_excel(
            io.BytesIO(data), engine="calamine", raise_if_empty=False, infer_schema_length=None
        )
    except Exception:
        raise ValueError("is not a readable Excel file") from None
    filled = ~frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    return frame.filter(filled) if frame.width else frame


def _arrow_stream(data: bytes) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_ipc_stream(io.BytesIO(data))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise ValueError("is not a readable Arrow stream") from None


def _flat(lazy: pl.LazyFrame, what: str) -> pl.DataFrame:
    """Return the columns of a file that are no lists or records: conversations may be large."""
    import polars as pl

    try:
        schema = lazy.collect_schema()
        flat = [name for name, kind in schema.items() if not kind.is_nested()]
        flat += [name for name, kind in schema.items() if kind == pl.List(pl.String)]
        return lazy.select(flat).collect()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise ValueError(f"is not {what}") from None


def _from_json(text: bytes) -> pl.DataFrame:
    """Return records, one after the other or in a list, or columns by their names."""
    import polars as pl

    lines = text.lstrip().startswith(b"{") and b"}\n" in text.replace(b"}\r\n", b"}\n")[:HEAD]
    if lines:
        try:
            return _flattened(pl.read_ndjson(io.BytesIO(text), infer_schema_length=None))
        except pl.exceptions.PolarsError:
            pass
    elif text.lstrip().startswith(b"["):
        try:
            found = pl.read_json(io.BytesIO(text), infer_schema_length=None)
        except pl.exceptions.PolarsError:
            found = pl.DataFrame()
        if found.width:
            return _flattened(found)
    return _flattened(_slowly_from_json(text))


def _flattened(frame: pl.DataFrame) -> pl.DataFrame:
    """Return records inside of cells as columns of their own, and choices of Prodigy as votes."""
    import polars as pl

    if {"options", "accept"} <= {*frame.columns}:
        frame = _of_choices(frame)
    for _ in range(2):
        for name, kind in frame.schema.items():
            if isinstance(kind, pl.Struct) and len(kind.fields):
                inner = [f"{name}.{field.name}" for field in kind.fields]
                if not {*inner} & {*frame.columns}:
                    frame = frame.with_columns(pl.col(name).struct.rename_fields(inner)).unnest(
                        name
                    )
    return frame


def _of_choices(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows of two options of which one was accepted as votes between the two."""
    import polars as pl

    options, accept = frame.schema["options"], frame.schema["accept"]
    if not (
        isinstance(options, pl.List)
        and isinstance(options.inner, pl.Struct)
        and isinstance(accept, pl.List)
        and "id" in (fields := {field.name for field in options.inner.fields})
        and (frame["options"].list.len() == 2).all()
    ):
        return frame
    what = "text" if "text" in fields else "id"

    def option(n: int, field: str) -> pl.Expr:
        return pl.col("options").list.get(n).struct.field(field).cast(pl.String)

    chosen = pl.col("accept").list.first().cast(pl.String)
    if "answer" in frame.columns:
        chosen = pl.when(pl.col("answer") == "accept").then(chosen)
    return frame.with_columns(
        left=option(0, what),
        right=option(1, what),
        winner=pl.when(chosen == option(0, "id"))
        .then(pl.lit("left"))
        .when(chosen == option(1, "id"))
        .then(pl.lit("right")),
    ).drop("options", "accept", "answer", strict=False)


def _slowly_from_json(text: bytes) -> pl.DataFrame:
    """Read what polars cannot: columns of several kinds, records inside something, columns."""
    import polars as pl

    try:
        found = json.loads(text)
    except ValueError:
        try:
            found = [*_one_after_the_other(text.decode())]
        except ValueError as error:
            raise ValueError(f"is not readable JSON: {error}") from None
    if isinstance(found, dict) and {"columns", "data"} <= found.keys():  # as pandas splits it
        found = [dict(zip(found["columns"], row, strict=False)) for row in found["data"]]
    if isinstance(found, dict):
        records = [value for value in found.values() if isinstance(value, list)]
        if len(records) == 1 and records[0] and isinstance(records[0][0], dict):
            found = records[0]
    if isinstance(found, dict) and _are_records(found):
        found = [*found.values()]
    if isinstance(found, dict) and all(isinstance(value, dict) for value in found.values()):
        found = {name: [*column.values()] for name, column in found.items()}  # as pandas writes it
    if isinstance(found, list) and _are_rows(found):
        found = [dict(zip(found[0], row, strict=False)) for row in found[1:]]
    if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
        names = {name: None for row in found for name in row}
        found = {name: [row.get(name) for row in found] for name in names}
    if not isinstance(found, dict) or not all(isinstance(v, list) for v in found.values()):
        raise ValueError("is JSON, but no list of records and no columns by their names")
    try:
        return pl.DataFrame({name: _as_column(values) for name, values in found.items()})
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        raise ValueError("is JSON, but its columns are not of one length") from None


def _one_after_the_other(text: str) -> Iterator[Any]:
    """Yield JSON values that stand behind each other, in lines of their own or not."""
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        yield value


def _are_rows(found: list[Any]) -> bool:
    """Tell whether lists of cells begin with one of headings, as a sheet does."""
    return (
        len(found) > 1
        and all(isinstance(row, list) and len(row) == len(found[0]) > 1 for row in found)
        and len({name for name in found[0] if isinstance(name, str)}) == len(found[0])
    )


def _are_records(found: dict[str, Any]) -> bool:
    """Tell whether values by some key are records, and no columns by the numbers of rows."""
    rows = [*found.values()]
    return (
        len(rows) > 0
        and all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows)
        and len(rows[0]) > 1
        and not all(name.isdigit() for name in rows[0])
    )


def _as_column(values: list[Any]) -> list[Any]:
    """Return values of one kind as they are, others as text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 or kinds <= {int, float}:
        return values
    return [None if value is None else str(value) for value in values]
