"""Whether groups of voters differ, by the model: by fields, by context, and new beside others."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from driftduel.arena.service.export import votes_csv
from driftduel.arena.service.service import Service
from driftduel.arena.store.connection import SLOW
from driftduel.arena.store.fields import fields_of
from driftduel.verdict.parts import Sentence, plain
from driftduel.votes.likely.groups import MOST_GROUPS, RETURNING

_MOST_VOTES = 50_000
"""Of more votes the latest are looked at."""

_MOST_PLACES = 150
"""Arms times groups that are followed together."""


@dataclass(frozen=True)
class Group:
    """A group of voters: its votes, and of each option P(best) and the score with its band."""

    name: str
    votes: int
    chances: tuple[float | None, ...]
    scores: tuple[tuple[float, float, float] | None, ...]


@dataclass(frozen=True)
class Grouped:
    """What groups of one kind say, and how likely each option is best in each."""

    by: str
    sentences: tuple[Sentence, ...]
    arms: tuple[str, ...]
    rows: tuple[Group, ...]
    facts: dict[str, Any]
    """The same as JSON has it."""


def groups(service: Service, slug: str) -> tuple[Grouped, ...]:
    """Return what groups of voters say, those by fields first; none where there is one group.

    It takes a second or more, so pages ask for it only when somebody does.
    """
    import polars as pl

    from driftduel.votes.likely.timeline import timeline
    from driftduel.votes.reading import read

    with service.store.reading(each=SLOW) as connection:
        fields = sorted(fields_of(connection, service.hosted(slug).arena.id))
    lines = [*votes_csv(service, slug)]
    table = pl.read_csv(io.StringIO("".join(lines)), infer_schema=False)
    columns = ["time", "left", "right", "left_won", "voter", "context", *fields]
    table = (
        table.select(columns)
        .tail(_MOST_VOTES)
        .with_columns(pl.col("context", *fields).fill_null(""))
    )
    if len(table) < 2 or table.select("left", "right").n_unique() < 2:
        return ()
    table = table.with_columns(pl.col("left_won").cast(pl.Float64))
    log = read(table, columns={"time": "time", "left": "left", "right": "right"})
    found = []
    for by in (*fields, "context", RETURNING):
        n_groups = 2 if by == RETURNING else table[by].n_unique()
        if not 2 <= n_groups <= MOST_GROUPS or log.n_arms * (n_groups + 1) > _MOST_PLACES:
            continue
        try:
            told = timeline(log, groups=by).groups
        except ValueError:  # all voters are new
            continue
        if told is None:
            continue
        there = told.story.bins.offered[-1]
        p_best, bands = told.p_best(), told.bands()
        rows = [
            Group(
                name,
                int(told.votes[g]),
                tuple(float(p_best[g, k]) if here else None for k, here in enumerate(there)),
                tuple(
                    (float(bands[0, g, k]), float(bands[1, g, k]), float(bands[2, g, k]))
                    if here
                    else None
                    for k, here in enumerate(there)
                ),
            )
            for g, name in enumerate(told.names)
        ]
        says = " ".join(plain(one) for one in told.sentences)
        facts = {**told.to_dict(), "says": says}
        found.append(Grouped(by, tuple(told.sentences), told.arms, tuple(rows), facts))
    return tuple(found)
