"""Finished tasks on disk: small files as they come, and larger files that hold many of them.

A finished task is written at once, to a file that appears whole or not at all: whatever stops a
sweep, what is there is good, and what is finished is there. Every few hundred files are merged
into one; rows name the file that they were first written to, so that files left behind by a merge
that was cut short are known for what they are.

The name of a file ends with a hash of what it holds. One that holds anything else is damaged:
readers refuse it, a sweep sets it aside and runs its tasks again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from driftduel._support.files import replacing
from driftduel._support.version import __version__
from driftduel.experiments.checksums import DamagedFileError, digest, set_aside
from driftduel.experiments.tasks import Row, Task

_MERGED = 500
"""Files that are merged into one."""

_NAME = re.compile(r"(merged-)?[0-9a-f]{24}-[0-9a-f]{16}\.parquet")

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
        self._sound: set[Path] = set()

    def open(self) -> list[Path]:
        """Make the folder and remove what a process that was killed left behind.

        Returns
        -------
        list of Path
            Damaged files, where they are now that they are set aside.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in self.folder.glob(".*.parquet"):
            file.unlink(missing_ok=True)
        damaged = [set_aside(file) for file in self._list_files() if not self._is_sound(file)]
        good = set(self._files())
        for file in self._list_files():
            if file not in good:
                file.unlink(missing_ok=True)
        self._loose = [file for file in good if not _is_merged(file)]
        return damaged

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
        content = BytesIO()
        pl.DataFrame(columns).write_parquet(content, statistics=False)
        file = self.folder / f"{name}-{digest(content.getvalue())}.parquet"
        with replacing(file) as temporary:
            temporary.write_bytes(content.getvalue())
        self._loose.append(file)
        if len(self._loose) >= _MERGED:
            self.merge()

    def merge(self) -> None:
        """Merge small files into one.

        Raises
        ------
        ValueError
            If one was damaged since it was written; it is set aside.
        """
        files, self._loose = sorted(self._loose), []
        if len(files) < 2:
            return
        for file in files:
            if not _matches(file):
                set_aside(file)
                raise DamagedFileError(file)
        name = f"merged-{_hash(map(_task_of, files))}"
        scratch = self.folder / f".{name}.parquet"
        try:
            pl.scan_parquet(files, glob=False).sink_parquet(scratch)
            with replacing(self.folder / f"{name}-{digest(scratch)}.parquet") as temporary:
                scratch.replace(temporary)
        finally:
            scratch.unlink(missing_ok=True)
        for file in files:
            file.unlink()

    def scan(self) -> pl.LazyFrame:
        """Return the rows of all finished tasks.

        Raises
        ------
        ValueError
            If a file is damaged; the message names it.
        """
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
        while True:
            # A sweep that is at work may merge files, and remove them, as they are read here.
            with suppress(FileNotFoundError):
                files = self._list_files()
                merged = [file for file in files if _is_merged(file)]
                self._check(merged)
                known: set[str] = set()
                if merged:
                    names = pl.scan_parquet(merged, glob=False).select(pl.col("file").unique())
                    known = set(names.collect()["file"])
                loose = [f for f in files if not _is_merged(f) and _task_of(f) not in known]
                self._check(loose)
                if merged == [file for file in self._list_files() if _is_merged(file)]:
                    return merged + loose

    def _list_files(self) -> list[Path]:
        return sorted(self.folder.glob("[!.]*.parquet"))

    def _check(self, files: Sequence[Path]) -> None:
        """Refuse damaged files, and tasks of another version of the package.

        A folder has those of one version, so it is enough to look at one of them.
        """
        for file in files:
            if not self._is_sound(file):
                raise DamagedFileError(file)
        for file in files[:1]:
            if list(pl.read_parquet_schema(file)) != list(ROW):
                raise _of_another_version(self.folder.parent)

    def _is_sound(self, file: Path) -> bool:
        """Tell whether a file holds what was written, which is found out once."""
        if file in self._sound:
            return True
        if not _NAME.fullmatch(file.name):
            raise _of_another_version(self.folder.parent)
        if _matches(file):
            self._sound.add(file)
        return file in self._sound


def _of_another_version(folder: Path) -> ValueError:
    return ValueError(
        f"{folder}: another version of driftduel wrote its tasks; run the spec into a new folder"
    )


def _matches(file: Path) -> bool:
    """Tell whether a file holds what its name says; what cannot be read does not."""
    try:
        return digest(file) == file.stem.rpartition("-")[2]
    except FileNotFoundError:
        raise
    except OSError:
        return False


def _task_of(file: Path) -> str:
    return file.name.partition("-")[0]


def _plain(value: Any) -> Any:
    """Return a value as polars takes it; several arrays of one length it would take for a table."""
    return pl.Series(value) if isinstance(value, np.ndarray) else value


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24]


def _is_merged(file: Path) -> bool:
    return file.name.startswith("merged-")
