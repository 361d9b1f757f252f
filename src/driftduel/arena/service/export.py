"""Votes out: as CSV line by line, and as Parquet.

The columns that ``driftduel measure`` reads come first. Left and right are as they were shown.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from driftduel.arena.errors import NotFound
from driftduel.arena.model import COLUMNS, OUTCOMES, Arena, Marks
from driftduel.arena.service.reports import status
from driftduel.arena.service.service import Service
from driftduel.arena.store import statements
from driftduel.arena.store.connection import SLOW
from driftduel.arena.store.fields import fields_of
from driftduel.arena.store.voters import answers_of
from driftduel.learners.driftpoll.state import tosses_in

_HASH = COLUMNS.index("hash")


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
    number = hosted.arena.id
    with service.store.reading(each=SLOW) as connection:
        (arena,) = statements.arenas_of(connection, [number])
        names = {arm.id: arm.name for arm in statements.arms_of(connection, number)}
        marks = statements.marks_of(connection, number, arena.head)
        fields = sorted(fields_of(connection, number))
    return _lines(service, arena, names, marks, everything, fields)


def voter_csv(service: Service, slug: str, voter: str) -> str:
    """Return all that one voter, by its hash, answered, as CSV: with what does not count.

    Raises
    ------
    NotFound
        If there is nothing of such a voter.
    """
    number = service.hosted(slug).arena.id
    with service.store.reading(each=SLOW) as connection:
        (arena,) = statements.arenas_of(connection, [number])
        names = {arm.id: arm.name for arm in statements.arms_of(connection, number)}
        marks = statements.marks_of(connection, number, arena.head)
        fields = sorted(fields_of(connection, number))
        rows = answers_of(connection, number, voter)
    if not rows:
        raise NotFound("there is no such voter in this arena")
    found = _exported(rows, names, marks, True, fields)
    return _as_csv([[*COLUMNS, *fields], *found])


STANDING = ("option", "offered", "score", "low", "high", "p_best", "votes")
"""What is exported of an option as it stands: the share of random comparisons won and its range,
how likely the option is best, and in how many votes it was."""


def standing_csv(service: Service, slug: str) -> str:
    """Return how the options stand now as CSV, a line for each."""
    now = status(service, slug)
    likely = now.likely
    chances = {} if likely is None else dict(zip(likely.names, likely.probability, strict=True))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(STANDING)
    for one in now.standing.options:
        numbers = (one.score, one.low, one.high, chances.get(one.name, one.probability))
        told = ["" if number is None else f"{number:.6g}" for number in numbers]
        writer.writerow([one.name, str(one.offered).lower(), *told, one.duels or 0])
    return text.getvalue()


def write_parquet(
    service: Service, slug: str, path: str | os.PathLike[str], *, everything: bool = False
) -> None:
    """Write the votes of an arena to a Parquet file, with the columns of `votes_csv`."""
    import polars as pl

    numbers = {"left_won": pl.Float64, "propensity": pl.Float64, "counted": pl.Boolean}
    numbers |= {"left_toss": pl.Boolean, "right_toss": pl.Boolean}
    whole = {"generation": pl.Int64, "seq": pl.Int64, "swapped": pl.Boolean}
    types: dict[str, Any] = dict.fromkeys(COLUMNS, pl.String) | numbers | whole
    with tempfile.TemporaryDirectory(prefix="driftduel-") as folder:
        lines = Path(folder) / "votes.csv"
        with lines.open("w", encoding="utf-8", newline="") as file:
            file.writelines(votes_csv(service, slug, everything=everything))
        with lines.open(encoding="utf-8", newline="") as file:
            columns = next(csv.reader(file))
        schema = {name: types.get(name, pl.String) for name in columns}
        table = pl.scan_csv(lines, schema=schema)
        times = [pl.col(name).str.to_datetime("%+", time_zone="UTC") for name in ("time", "asked")]
        table.with_columns(times).sink_parquet(Path(path))


def _lines(
    service: Service,
    arena: Arena,
    names: dict[int, str],
    marks: Marks,
    everything: bool,
    fields: Sequence[str],
) -> Iterator[str]:
    last: list[Any] = []
    yield _as_csv([[*COLUMNS, *fields]])
    for low, high in statements.ranges(0, arena.head):
        # One for each part: readers may be slow.
        with service.store.reading(each=SLOW) as connection:
            rows = statements.events(connection, arena.id, low, high)
        found = [*last, *_exported(rows, names, marks, everything, fields)]
        last = found[-1:]
        yield _as_csv(found[:-1])
    for row in last:
        yield _as_csv([[*row[:_HASH], arena.chain, *row[_HASH + 1 :]]])


def _as_csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _exported(
    rows: list[Any],
    names: dict[int, str],
    marks: Marks,
    everything: bool,
    fields: Sequence[str],
) -> Iterator[list[Any]]:
    for row in rows:
        if row.kind not in ("vote", "import", "skip"):
            continue
        reason = _reason(row, marks)
        if reason is not None and not everything:
            continue
        outcome = OUTCOMES.get(row.verdict)
        ticket = np.frombuffer(row.ticket or b"", "<f8").tolist()
        tosses = _tosses(ticket, swapped=bool(row.swapped))
        said = json.loads(row.fields) if row.fields else {}
        yield [
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
            *tosses,
            "",
            *(said.get(name, "") for name in fields),
        ]


def _tosses(ticket: list[float], *, swapped: bool) -> list[str]:
    """Return whether a vote is a toss of the left and of the right option, if it was told."""
    if not ticket:
        return ["", ""]
    found = [str(bool(one[0])).lower() for one in tosses_in(np.array([ticket]))]
    return found[::-1] if swapped else found


def _reason(row: Any, marks: Marks) -> str | None:
    """Return why a verdict does not count as of now, None if it does."""
    if row.seq in marks.retracted or (row.kind == "import" and marks.has_withdrawn(row.seq)):
        return "retracted"
    if row.kind == "skip":
        return "skip"
    if row.reason not in (None, "excluded"):
        return str(row.reason)
    return "excluded" if row.voter in marks.excluded else None


def _iso(at: int | None) -> str:
    if at is None:
        return ""
    return (
        datetime.fromtimestamp(at // 1_000_000, UTC)
        .replace(microsecond=at % 1_000_000)
        .isoformat(timespec="microseconds")
    )
