"""The votes of a poll that count as a log with what they carry, as models read it."""

from __future__ import annotations

import io

from driftduel.arena.service.export import votes_csv
from driftduel.arena.service.service import Service
from driftduel.arena.store.connection import SLOW
from driftduel.arena.store.fields import fields_of
from driftduel.votes.log import Log

_DRAWN = ("generation", "swapped", "ticket")
"""How the pair of each vote was drawn."""

MOST_VOTES = 50_000
"""Of more votes the latest are looked at."""


def log_of(service: Service, slug: str) -> tuple[Log | None, list[str]]:
    """Return the votes that count, None if there are hardly any, and the fields of the poll.

    Beside each vote stand its voter, its context and its fields, nothing as an empty text.
    """
    import polars as pl

    from driftduel.votes.reading import read

    with service.store.reading(each=SLOW) as connection:
        fields = sorted(fields_of(connection, service.hosted(slug).arena.id))
    table = pl.read_csv(io.StringIO("".join(votes_csv(service, slug))), infer_schema=False)
    columns = ["time", "left", "right", "left_won", "voter", "context", *_DRAWN, *fields]
    empty = pl.col("context", *fields).fill_null("")
    table = table.select(columns).tail(MOST_VOTES).with_columns(empty)
    if len(table) < 2 or table.select("left", "right").n_unique() < 2:
        return None, fields
    table = table.with_columns(pl.col("left_won").cast(pl.Float64))
    return read(table, columns={"time": "time", "left": "left", "right": "right"}), fields
