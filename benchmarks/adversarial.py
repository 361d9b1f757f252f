"""Worlds made to break DRIFTDUEL: what it loses there, beside METABOSSE and uniform play.

python -m benchmarks adversarial [--quick] [--seeds N] [--criteria ...] [--out FOLDER] plays the
suite and prints, for every world, the mean regret, its standard error, the largest of the runs over
their median, in how many runs the right arm leads at the end, and the mean over those of METABOSSE
and of uniform play. Of worlds with ties, which streams do not have, the share is of the rounds
since the winner changed. Runs of streams are kept in the folder: killed and begun again, it goes
on.

With --search MINUTES it looks for new worlds instead, as benchmarks/_adversarial_search.py says.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks._adversarial_search import search
from benchmarks._adversarial_ties import tied_standings
from benchmarks._adversarial_worlds import CRITERIA, LEARNERS, spec
from driftduel.experiments import Results, run_sweep

SEEDS, FEW = 16, 4
OURS, PAPER, UNIFORM = LEARNERS
LIMITS = {"over METABOSSE": 1.0, "over uniform": 1.05, "max/median": 6.0}
"""What is wanted of every world."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="10^5 rounds and 4 seeds")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--criteria", nargs="*", choices=CRITERIA, default=CRITERIA)
    parser.add_argument("--out", type=Path, default=Path("adversarial"), help="keep the runs here")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--search", type=float, metavar="MINUTES", help="look for new worlds")
    options, _ = parser.parse_known_args()
    if options.search is not None:
        search(options.out, options.search)
        return
    seeds = options.seeds or (FEW if options.quick else SEEDS)
    tables = []
    for criterion in options.criteria:
        folder = options.out / f"{criterion}{'-quick' if options.quick else ''}-{seeds}"
        run_sweep(spec(criterion, seeds, long=not options.quick), folder, workers=options.workers)
        played = [standings(Results.load(folder), criterion), tied_standings(criterion, seeds)]
        tables.append(pl.concat(played))
        print("\n".join(page(tables[-1], criterion, seeds)), flush=True)
    print(verdict(pl.concat(tables)))


def standings(results: Results, criterion: str) -> pl.DataFrame:
    """Return a row for every world: what the learner loses there and beside whom."""
    last = {
        info.label: spells[-1][2] if (spells := info.winners[criterion]) else None
        for info in results.streams
    }
    right = (
        results.runs.filter(pl.col("learner") == OURS)
        .with_columns(winner=pl.col("stream").replace_strict(last, return_dtype=pl.Int32))
        .group_by("stream")
        .agg(
            right=(pl.col("best") == pl.col("winner")).mean(),
            restarts=pl.col("restarts").mean(),
        )
    )
    table = (
        results.final()
        .group_by("stream", "learner")
        .agg(
            mean=pl.col("regret").mean(),
            error=pl.col("regret").std() / pl.len().sqrt(),
            tail=pl.col("regret").max() / pl.col("regret").median(),
        )
    )
    beside = table.pivot("learner", index="stream", values="mean")
    order = {info.label: place for place, info in enumerate(results.streams)}
    return (
        table.filter(pl.col("learner") == OURS)
        .join(beside, on="stream")
        .join(right, on="stream")
        .select(
            pl.lit(criterion).alias("criterion"),
            pl.col("stream").alias("world"),
            "mean",
            "error",
            "right",
            "restarts",
            (pl.col("mean") / pl.col(PAPER)).alias("over METABOSSE"),
            (pl.col("mean") / pl.col(UNIFORM)).alias("over uniform"),
            pl.col("tail").alias("max/median"),
        )
        .sort(pl.col("world").replace_strict(order, return_dtype=pl.Int64))
    )


def page(table: pl.DataFrame, criterion: str, seeds: int) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"{criterion.title()} regret of {OURS}, {seeds} seeds:"
    yield ""
    yield f"| world | mean | right at the end | restarts | {' | '.join(LIMITS)} |"
    yield "|---|---:|---:|---:|" + "---:|" * len(LIMITS)
    for row in table.iter_rows(named=True):
        cells = [
            f"{row[name]:.2f}{' !' if row[name] > limit else ''}" for name, limit in LIMITS.items()
        ]
        regret = f"{row['mean']:,.0f} ± {row['error']:,.0f}"
        front = [row["world"], regret, share(row["right"]), f"{row['restarts']:.1f}"]
        yield f"| {' | '.join([*front, *cells])} |"
    yield ""


def share(value: float | None) -> str:
    """Return a share as it stands in a table; where several arms are best it is not defined."""
    return "-" if value is None else f"{value:.0%}"


def verdict(table: pl.DataFrame) -> str:
    """Return the worst world for each figure, and in how many the limit is not kept."""
    lines = []
    for name, limit in LIMITS.items():
        worst = table.sort(name, descending=True).row(0, named=True)
        above = table.filter(pl.col(name) > limit).height
        lines.append(
            f"{name}: at most {limit:g} is wanted; above it in {above} of {table.height} worlds, "
            f"the worst is {worst[name]:.2f} ({worst['criterion'].title()}, {worst['world']})"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
