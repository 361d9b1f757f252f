"""Several logs as one, of files or parts that were read apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftduel._support.text import listing
from driftduel.votes.log import Log


def joined(parts: Sequence[tuple[str, Log]]) -> Log:
    """Return several logs as one."""
    import polars as pl

    logs = [log for _, log in parts]
    for attribute, words in (
        ("timed", "some of the files say when votes were cast, others do not"),
        ("dated", "the times of some files are dates, those of others are numbers"),
    ):
        if len({getattr(log, attribute) for log in logs}) > 1:
            names = ", ".join(name for name, log in parts if not getattr(log, attribute))
            raise ValueError(f"{words}: {names}")
    chances = [log.propensity for log in logs if log.propensity is not None]
    if chances and len(chances) < len(logs):
        raise ValueError("some of the files have propensities, others do not")
    labels = sorted({arm for log in logs for arm in log.arms})
    place = {arm: n for n, arm in enumerate(labels)}
    new = [np.array([place[arm] for arm in log.arms]) for log in logs]
    extras = [
        log.extras if log.extras is not None else pl.DataFrame({"": [None] * len(log)})
        for log in logs
    ]
    known = any(log.extras is not None for log in logs)
    every = pl.concat(extras, how="diagonal_relaxed") if known else None
    return Log(
        labels,
        np.concatenate([log.time for log in logs]) if logs[0].timed else None,
        np.concatenate([at[log.left] for at, log in zip(new, logs, strict=True)]),
        np.concatenate([at[log.right] for at, log in zip(new, logs, strict=True)]),
        np.concatenate([log.outcome for log in logs]),
        np.concatenate([log.count for log in logs]),
        propensity=np.concatenate(chances) if chances else None,
        dated=logs[0].dated,
        credits=[*dict.fromkeys(line for log in logs for line in log.credits)],
        sides=all(log.sides for log in logs),
        extras=None if every is None else every.drop("", strict=False),
        notes=_shared_notes(parts),
    )


def _shared_notes(parts: Sequence[tuple[str, Log]]) -> list[str]:
    """Return the notes of several logs, those of all of them once."""
    notes = {
        note: [name for name, log in parts if note in log.notes]
        for _, log in parts
        for note in log.notes
    }
    return [
        note if len(names) == len(parts) or not any(names) else f"{listing(names)}: {note}"
        for note, names in notes.items()
    ]
