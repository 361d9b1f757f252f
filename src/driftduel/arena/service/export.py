"""Votes out: as CSV line by line, and as Parquet.

The columns that ``driftduel measure`` reads come first. Left and right are as they were shown.
"""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from driftduel.arena.model import OUTCOMES
from driftduel.arena.service.service import Service
from driftduel.arena.store import statements

COLUMNS = (
    "time", "left", "right", "left_won", "verdict", "duel", "voter", "propensity", "context",
    "generation", "asked", "counted", "reason", "seq", "swapped", "ticket",
)  # fmt: skip
"""What is exported of a vote. The last three make the state again: swapped says that the learner
had the arms the other way round, and the ticket is its own, its numbers separated by blanks."""


def votes_csv(service: Service, slug: str, *, everything: bool = False) -> Iterator[str]:
    """Yield the votes of an arena as lines of CSV, the heading first.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which arena.
    everything : bool
        Also verdicts that do not count: skips, votes taken back, excluded or over a cap; then
        ``left_won`` is empty for skips, and ``driftduel measure`` should not be given it.
    """
    hosted = service.hosted(slug)
    number, head = hosted.arena.id, hosted.arena.head
    with service.store.reading() as connection:
        (arena,) = statements.arenas_of(connection, [number])
        head = arena.head
        names = {arm.id: arm.name for arm in statements.arms_of(connection, number)}
        marks = statements.marks_of(connection, number, head)
    return _lines(service, number, head, names, marks, everything)


def write_parquet(
    service: Service, slug: str, path: str | os.PathLike[str], *, everything: bool = False
) -> None:
    """Write the votes of an arena to a Parquet file, with the columns of `votes_csv`."""
    import polars as pl

    numbers = {"left_won": pl.Float64, "propensity": pl.Float64, "counted": pl.Boolean}
    whole = {"generation": pl.Int64, "seq": pl.Int64, "swapped": pl.Boolean}
    types: dict[str, Any] = dict.fromkeys(COLUMNS, pl.String) | numbers | whole
    with tempfile.TemporaryDirectory(prefix="driftduel-") as folder:
        lines = Path(folder) / "votes.csv"
        with lines.open("w", encoding="utf-8", newline="") as file:
            file.writelines(votes_csv(service, slug, everything=everything))
        table = pl.scan_csv(lines, schema=types)
        times = [pl.col(name).str.to_datetime("%+", time_zone="UTC") for name in ("time", "asked")]
        table.with_columns(times).sink_parquet(Path(path))


def _lines(
    service: Service,
    number: int,
    head: int,
    names: dict[int, str],
    marks: statements.Marks,
    everything: bool,
) -> Iterator[str]:
    yield ",".join(COLUMNS) + "\r\n"
    for low, high in statements.ranges(0, head):
        with service.store.reading() as connection:  # one for each part: readers may be slow
            rows = statements.events(connection, number, low, high)
        yield _part(rows, names, marks, everything)


def _part(rows: list[Any], names: dict[int, str], marks: statements.Marks, everything: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    for row in rows:
        if row.kind not in ("vote", "import", "skip"):
            continue
        reason = _reason(row, marks)
        if reason is not None and not everything:
            continue
        outcome = OUTCOMES.get(row.verdict)
        ticket = np.frombuffer(row.ticket or b"", "<f8").tolist()
        writer.writerow(
            [
                _iso(row.at),
                names[row.left],
                names[row.right],
                "" if outcome is None else f"{outcome:g}",
                row.verdict,
                row.duel,
                row.voter,
                "" if row.propensity is None else repr(row.propensity),
                row.context,
                row.generation,
                _iso(row.asked_at),
                str(reason is None).lower(),
                reason,
                row.seq,
                str(bool(row.swapped)).lower(),
                " ".join(map(repr, ticket)),
            ]
        )
    return text.getvalue()


def _reason(row: Any, marks: statements.Marks) -> str | None:
    """Return why a verdict does not count as of now, None if it does."""
    if row.seq in marks[1]:
        return "retracted"
    if row.kind == "skip":
        return "skip"
    if row.reason not in (None, "excluded"):
        return str(row.reason)
    return "excluded" if row.voter in marks[0] else None


def _iso(at: int | None) -> str:
    if at is None:
        return ""
    return (
        datetime.fromtimestamp(at // 1_000_000, UTC)
        .replace(microsecond=at % 1_000_000)
        .isoformat(timespec="microseconds")
    )
