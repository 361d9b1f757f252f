"""Finished tasks on disk: small files as they come, and larger files that hold many of them.

A finished task is written at once, to a file that appears whole or not at all: whatever stops a
sweep, what is there is good, and what is finished is there. Every few hundred files are merged
into one; rows name the file that they were first written to, so that files left behind by a merge
that was cut short are known for what they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from driftduel._files import replacing
from driftduel._version import __version__
from driftduel.experiments.tasks import Row, Task

_MERGED = 500
"""Files that are merged into one."""

EVENT = pl.Struct(
    {
        "kind": pl.String,
        "round": pl.Int64,
        "arm": pl.Int32,
        "beaten_by": pl.Int32,
        "first": pl.Int64,
        "last": pl.Int64,
        "length": pl.Int64,
        "statistic": pl.Float64,
        "threshold": pl.Float64,
    }
)

ROW: dict[str, Any] = {
    "file": pl.String,
    "key": pl.String,
    "version": pl.String,
    "seed": pl.Int64,
    "best": pl.Int32,
    "seconds": pl.Float64,
    "restarts": pl.Int32,
    "rounds": pl.List(pl.Int64),
    "criteria": pl.List(pl.String),
    "regret": pl.List(pl.List(pl.Float64)),
    "events": pl.List(EVENT),
    "left": pl.List(pl.Int32),
    "right": pl.List(pl.Int32),
    "count": pl.List(pl.Int64),
}
"""What is kept of a run: one row, with lists for what happened over time."""


class Store:
    """The finished tasks of a folder.

    Parameters
    ----------
    folder : Path
        The folder of the results; tasks live in ``tasks`` below it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tasks"
        self._loose: list[Path] = []

    def open(self) -> None:
        """Make the folder and remove what a process that was killed left behind."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in self.folder.glob(".*.parquet"):
            file.unlink(missing_ok=True)
        good = set(self._files())
        for file in self.folder.glob("*.parquet"):
            if file not in good:
                file.unlink(missing_ok=True)
        self._loose = [file for file in good if not _is_merged(file)]

    def add(self, task: Task, rows: Sequence[Row]) -> None:
        """Write a finished task."""
        name = _hash([task.key, *(str(row["seed"]) for row in rows)])
        mine = {"file": name, "key": task.key, "version": __version__}
        columns = {
            column: pl.Series(
                column, [_plain(row.get(column, mine.get(column))) for row in rows], dtype=kind
            )
            for column, kind in ROW.items()
        }
        file = self.folder / f"{name}.parquet"
        with replacing(file) as temporary:
            pl.DataFrame(columns).write_parquet(temporary, statistics=False)
        self._loose.append(file)
        if len(self._loose) >= _MERGED:
            self.merge()

    def merge(self) -> None:
        """Merge small files into one."""
        files, self._loose = sorted(self._loose), []
        if len(files) < 2:
            return
        target = self.folder / f"merged-{_hash(file.stem for file in files)}.parquet"
        with replacing(target) as temporary:
            pl.scan_parquet(files, glob=False).sink_parquet(temporary)
        for file in files:
            file.unlink()

    def scan(self) -> pl.LazyFrame:
        """Return the rows of all finished tasks."""
        files = self._files()
        if not files:
            return pl.LazyFrame(schema=ROW)
        return pl.scan_parquet(files, glob=False)

    def finished(self) -> dict[str, set[int]]:
        """Return the seeds that are finished, for every key."""
        found: dict[str, set[int]] = {}
        rows = self.scan().select("key", "seed").collect()
        for key, seed in rows.iter_rows():
            found.setdefault(key, set()).add(seed)
        return found

    def _files(self) -> list[Path]:
        """Return the files to read, each run in one of them."""
        files = sorted(self.folder.glob("[!.]*.parquet"))
        merged = [file for file in files if _is_merged(file)]
        loose = [file for file in files if not _is_merged(file)]
        self._check([*merged[:1], *loose[:1]])
        if not merged:
            return loose
        known: set[str] = set()
        with suppress(FileNotFoundError):
            names = pl.scan_parquet(merged, glob=False).select(pl.col("file").unique())
            known = set(names.collect()["file"])
        return merged + [file for file in loose if file.stem not in known]

    def _check(self, files: Iterable[Path]) -> None:
        """Refuse tasks of another version of the package; a folder has those of one."""
        for file in files:
            with suppress(FileNotFoundError):
                if list(pl.read_parquet_schema(file)) != list(ROW):
                    raise ValueError(
                        f"{self.folder.parent}: another version of driftduel wrote its tasks; "
                        "run the spec into a new folder"
                    )


def _plain(value: Any) -> Any:
    """Return a value as polars takes it; several arrays of one length it would take for a table."""
    return pl.Series(value) if isinstance(value, np.ndarray) else value


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24]


def _is_merged(file: Path) -> bool:
    return file.name.startswith("merged-")
