"""A log as a table, as data frames have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from driftduel.votes.log import Log

_MICROSECONDS = 86_400_000_000


def frame_of(log: Log) -> pl.DataFrame:
    """Return a row for each entry of a log; see `Log.frame`."""
    import polars as pl

    names = np.array(log.arms, dtype=object)
    columns: dict[str, Any] = {}
    if log.timed:
        columns["time"] = log.time
    columns |= {
        "left": names[log.left].tolist(),
        "right": names[log.right].tolist(),
        "left_won": log.outcome,
        "count": log.count,
    }
    if log.propensity is not None:
        columns["propensity"] = log.propensity
    frame = pl.DataFrame(columns)
    if log.timed and log.dated:
        moments = np.rint(log.time * _MICROSECONDS).astype(np.int64)
        frame = frame.with_columns(pl.Series("time", moments).cast(pl.Datetime("us")))
    if log.extras is not None:
        new = [name for name in log.extras.columns if name not in frame.columns]
        frame = frame.hstack(log.extras.select(new))
    return frame
