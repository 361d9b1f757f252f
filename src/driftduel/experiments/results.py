"""The results of an experiment: tables of regret, events, plays and runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from driftduel._support.files import replacing
from driftduel._support.notebook import InNotebooks
from driftduel.experiments.record import Record
from driftduel.experiments.store import Store
from driftduel.experiments.worlds import StreamInfo

__all__ = ["TABLES", "Results", "StreamInfo", "write_tables"]

TABLES = ("regret", "events", "plays", "runs")
"""The tables that `write_tables` writes, a Parquet file each."""

_LOOKS = 5
"""How often a table is looked for: a merge takes away what it merged, hundreds of tasks apart."""

_EVENT = ("kind", "round", "arm", "beaten_by", "first", "last", "length", "statistic", "threshold")


class Results(InNotebooks):
    """The results of an experiment, finished or not.

    Tables are polars frames, made when first asked for; ``scan`` gives the same tables lazily.

    Parameters
    ----------
    folder : Path
        The folder that ``driftduel run`` wrote.

    Attributes
    ----------
    title, spec_text : str
        The title, and the spec as it was written.
    environment : dict
        What it ran on, with the seeds.
    streams : list of StreamInfo
        What is true of the streams.
    plan : DataFrame
        A row for every learner on every stream, with labels, classes and parameters.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        record = Record.load(folder)
        self.spec_text = record.spec
        self.environment = record.environment
        self.streams = record.streams
        self.plan = record.table()
        self.title: str = self.environment["title"]
        self._store = Store(folder)
        self._store.scan()

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Results:
        """Read the results in a folder, of a sweep that is finished or was stopped.

        Raises
        ------
        ValueError
            If the folder holds no results, or a file of it is damaged; the message names it.
        """
        path = Path(folder)
        if not path.is_dir():
            raise ValueError(f"{path}: there is no such folder")
        return cls(path)

    @property
    def seeds(self) -> list[int]:
        """The seeds of the spec."""
        return list(self.environment["seeds"])

    @property
    def planned(self) -> int:
        """Number of runs that the spec asks for."""
        return len(self.plan) * len(self.seeds)

    @property
    def finished(self) -> bool:
        """Whether all runs that the spec asks for are there."""
        return len(self.runs) == self.planned

    @cached_property
    def regret(self) -> pl.DataFrame:
        """Regret over time: a row for every run, criterion and round that is kept."""
        return self._in_order(self._regret)

    @cached_property
    def events(self) -> pl.DataFrame:
        """What learners did and who was in play, in the order of rounds for every run."""
        return self._in_order(self._events)

    @cached_property
    def plays(self) -> pl.DataFrame:
        """How often every ordered pair was played, over all seeds; pairs never played left out."""
        return self._in_order(lambda: self._plays().sort("left", "right"))

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """How often every ordered pair was played, run by run."""
        return self._in_order(lambda: self._pairs().sort("left", "right"))

    @cached_property
    def runs(self) -> pl.DataFrame:
        """One row a run: the arm it would pick in the end, restarts, seconds of play."""
        return self._in_order(self._runs)

    def scan(self, table: str) -> pl.LazyFrame:
        """Return one of the tables lazily, in any order, for results that do not fit in memory."""
        make = {
            "regret": self._regret,
            "events": self._events,
            "plays": self._plays,
            "runs": self._runs,
        }
        if table not in make:
            raise ValueError(f"no table is called {table!r}, there are {', '.join(make)}")
        return make[table]()

    def summary(self) -> pl.DataFrame:
        """Return how every learner did on every stream, the best first.

        Columns: ``stream``, ``criterion``, ``learner``, ``runs``, ``mean`` and ``error`` (the
        mean final regret and its standard error), ``ratio`` (to the least mean above 0 of the
        stream and criterion), ``restarts`` (the mean number of episodes after the first) and
        ``shifts`` (the significant shifts of the criterion that are true of the stream).
        """
        means = _collect(
            lambda: (
                self._final()
                .group_by("stream", "criterion", "learner")
                # Sums of floats depend on their order, so it is that of the seeds.
                .agg(pl.col("regret").sort_by("seed"), pl.col("restarts").mean())
                .select(
                    *("stream", "criterion", "learner", "restarts"),
                    runs=pl.col("regret").list.len(),
                    mean=pl.col("regret").list.mean(),
                    error=pl.col("regret").list.std() / pl.col("regret").list.len().sqrt(),
                )
            )
        )
        best = pl.col("mean").filter(pl.col("mean") > 0).min().over("stream", "criterion")
        ranked = (
            means.with_columns(ratio=pl.col("mean") / best)
            .join(self._shifts(), on=["stream", "criterion"], how="left")
            .select(
                "stream",
                "criterion",
                "learner",
                "runs",
                "mean",
                "error",
                "ratio",
                "restarts",
                "shifts",
            )
            .sort("criterion", "mean", "learner")
        )
        order = {stream.label: place for place, stream in enumerate(self.streams)}
        place = pl.col("stream").replace_strict(order, return_dtype=pl.Int64)
        return ranked.sort(place, maintain_order=True)

    def final(self) -> pl.DataFrame:
        """Return the regret at the horizon: `regret` with one row a run and criterion."""
        columns = ("learner", "stream", "world", "settings", "seed", "criterion", "regret")
        return self._in_order(lambda: self._final().select(columns))

    def to_pandas(self) -> Any:
        """Return the table of regret as a pandas frame, where pandas is installed."""
        import pandas

        return pandas.DataFrame(
            {name: self.regret[name].to_numpy() for name in self.regret.columns}
        )

    def _in_order(self, make: Callable[[], pl.LazyFrame]) -> pl.DataFrame:
        """Return a table in the order of the spec: streams, learners, seeds."""
        order = self.plan.select("stream", "learner").with_row_index("place")
        table = _collect(make)
        keys = [name for name in ("place", "seed") if name in {"place", *table.columns}]
        return (
            table.join(order, on=["stream", "learner"], how="left", maintain_order="left")
            .sort(keys, maintain_order=True)
            .drop("place")
        )

    def _rows(self, *columns: str) -> pl.LazyFrame:
        """Return these columns of the runs that the spec asks for, with all labels."""
        labels = self.plan.lazy()
        seeds = pl.Series(self.seeds, dtype=pl.Int64)
        return (
            self._store.scan()
            .filter(pl.col("seed").is_in(seeds.implode()))
            .select("key", "version", "seed", *columns)
            .join(labels, on="key")
        )

    def _final(self) -> pl.LazyFrame:
        return (
            self._rows("restarts", "criteria", "regret")
            .explode("criteria", "regret")
            .with_columns(regret=pl.col("regret").list.last())
            .rename({"criteria": "criterion"})
        )

    def _regret(self) -> pl.LazyFrame:
        return (
            self._rows("rounds", "criteria", "regret")
            .explode("criteria", "regret")
            .explode("rounds", "regret")
            .select(
                pl.lit(self.environment["spec"]).alias("spec"),
                "version",
                "learner",
                "name",
                "parameters",
                "stream",
                "world",
                "settings",
                "n_arms",
                "horizon",
                "seed",
                pl.col("rounds").alias("round"),
                pl.col("criteria").alias("criterion"),
                "regret",
            )
        )

    def _events(self) -> pl.LazyFrame:
        return (
            self._rows("events")
            .explode("events")
            .select("learner", "stream", "seed", pl.col("events").struct.unnest())
            .select("learner", "stream", "seed", *_EVENT)
        )

    def _plays(self) -> pl.LazyFrame:
        return (
            self._pairs().group_by("learner", "stream", "left", "right").agg(pl.col("count").sum())
        )

    def _pairs(self) -> pl.LazyFrame:
        return (
            self._rows("left", "right", "count")
            .select("learner", "stream", "seed", "left", "right", "count")
            .explode("left", "right", "count")
        )

    def _runs(self) -> pl.LazyFrame:
        return self._rows("best", "restarts", "seconds").select(
            "learner",
            "stream",
            "seed",
            "best",
            "restarts",
            "seconds",
            (pl.col("horizon") / pl.col("seconds")).alias("rounds_per_second"),
        )

    def _shifts(self) -> pl.DataFrame:
        rows = [
            (stream.label, criterion, None if shifts is None else len(shifts))
            for stream in self.streams
            for criterion, shifts in stream.shifts.items()
        ]
        schema = {"stream": pl.String, "criterion": pl.String, "shifts": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def __repr__(self) -> str:
        return f"Results({self.title!r}, {len(self.runs):,} of {self.planned:,} runs)"


def _collect(make: Callable[[], pl.LazyFrame]) -> pl.DataFrame:
    """Return a table, though a sweep that is at work merges files between a look and a read."""
    for _ in range(_LOOKS - 1):
        with suppress(FileNotFoundError):
            return make().collect()
    return make().collect()


def write_tables(results: Results) -> list[Path]:
    """Write the tables beside the results as Parquet, for other tools, and return the files."""
    files = []
    for name in TABLES:
        file = results.folder / f"{name}.parquet"
        with replacing(file) as temporary:
            results.scan(name).sink_parquet(temporary)
        files.append(file)
    return files
