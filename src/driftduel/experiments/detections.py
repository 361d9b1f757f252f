"""Which shifts were found: the restarts of learners held against the shifts that are true.

A shift is found if a restart comes after the change that makes it and before the next; every other
restart is false.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from driftduel.experiments.results import Results, StreamInfo


def shifts_found(results: Results, criterion: str) -> pl.DataFrame:
    """Return how every learner found the significant shifts of every stream that has them known.

    Columns ``stream``, ``learner``, ``shifts`` (true ones), and, means over the runs, ``found``,
    ``delay`` (rounds from the change to the restart, None if none was found) and ``false``.
    """
    began = (
        results.scan("events")
        .filter((pl.col("kind") == "episode") & (pl.col("round") > 0))
        .select("stream", "learner", "seed", "round")
        .collect()
    )
    restarts = {
        key: sorted(group["round"].to_list())
        for key, group in began.group_by("stream", "learner", "seed")
    }
    rows = []
    for info in results.streams:
        starts = origins(info, criterion)
        if starts is None:
            continue
        mine = results.runs.filter(stream=info.label)
        for (learner,), runs in mine.group_by("learner", maintain_order=True):
            each = [restarts.get((info.label, learner, seed), []) for seed in runs["seed"]]
            delays = [
                delay
                for one in each
                for delay in detections(one, starts, info.horizon)
                if delay is not None
            ]
            found, false = len(delays), sum(map(len, each)) - len(delays)
            mean = sum(delays) / found if found else None
            shares = (found / len(each), mean, false / len(each))
            rows.append((info.label, learner, len(starts), *shares))
    schema = {
        "stream": pl.String,
        "learner": pl.String,
        "shifts": pl.Int64,
        "found": pl.Float64,
        "delay": pl.Float64,
        "false": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def origins(info: StreamInfo, criterion: str) -> list[int] | None:
    """Return when what makes each significant shift began, None where shifts are not known.

    A shift is significant once every arm has lost much, some time after the world changed. What
    began it is the last change of the winner before, or of the world where no winner is defined.
    """
    shifts = info.shifts.get(criterion)
    if shifts is None:
        return None
    spells = info.winners.get(criterion)
    begins = info.changes if spells is None else [start for start, _, _ in spells]
    if not begins:
        return list(shifts)
    places = [bisect_right(begins, shift) for shift in shifts]
    return sorted(
        {begins[place - 1] if place else shift for place, shift in zip(places, shifts, strict=True)}
    )


def detections(restarts: Sequence[int], began: Sequence[int], horizon: int) -> list[int | None]:
    """Return for each shift how many rounds passed until a restart, None if the next came first.

    Examples
    --------
    >>> detections([90, 130, 150, 420], began=[100, 300, 400], horizon=1000)
    [30, None, 20]
    """
    delays: list[int | None] = []
    for start, end in pairwise([*began, horizon]):
        first = next((round_ for round_ in restarts if start < round_ <= end), None)
        delays.append(None if first is None else first - start)
    return delays
