"""How soon a learner declares a change of the winner, and how soon its `best` is the new one.

The world, the same for both criteria: until half of the rounds one arm beats every other with
probability 1/2 + gap and the others tie; from then on another arm does, and the old winner is one
of the rest. The gap is that of Borda scores (over all K arms) as well as the margin of the
Condorcet winner. The two arms are drawn again in each run, which has the seed of the learner and of
the votes.

- *Declared*: an episode begins after the change and before the end. Its *delay* is counted from the
  change. *False*: runs in which an episode began at the change or before.
- *best()*: rounds from the change until the learner would pick the new winner and does so at every
  later look; looks are dense at first and never more than a hundredth of the time apart.
- *Names*: of the changes declared, how many name both the old and the new winner rightly, in
  `report().changes`. *Ranges*: where these say from when to when it happened, how many hold the
  true round, and the median of ``latest - earliest``.

Quartiles of the declaration are over the runs that declared; "median of all" and the quartiles of
`best` count a run without as never. Results are written to a parquet file with a row for each run,
and beside it as tables in markdown. A cell that the file holds, played by the same code, is not
played again.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import driftduel as dd
from driftduel._support.files import replacing
from driftduel.experiments.simulation.loop import batches
from driftduel.experiments.simulation.runs import world_generator
from driftduel.experiments.versions import learner_version
from driftduel.learners.contract.build import learner_from
from driftduel.worlds.matrices import winner_matrix
from studies.benchmark.suite import CRITERIA, LEARNER

ARMS = (3, 10, 30)
GAPS = (0.1, 0.2, 0.4)
ROUNDS = 10**5
RUNS = 300
FILE = Path("detection.parquet")

CELL = ("learner", "code", "criterion", "n_arms", "gap", "rounds")
SCHEMA = {
    "learner": pl.String,
    "code": pl.String,  # the version of the learner's code
    "criterion": pl.String,
    "n_arms": pl.Int64,
    "gap": pl.Float64,
    "rounds": pl.Int64,
    "seed": pl.Int64,
    "old": pl.Int64,  # the winner before
    "new": pl.Int64,
    "false": pl.Int64,  # episodes that began at the change or before
    "noticed": pl.Int64,  # the first that began after it
    "again": pl.Int64,  # how many more did
    "settled": pl.Int64,  # rounds from the change until best is the new winner for good
    "before": pl.Int64,  # what the learner says of the change
    "after": pl.Int64,
    "around": pl.Int64,
    "earliest": pl.Int64,
    "latest": pl.Int64,
}


@dataclass(frozen=True)
class Cell:
    """What all runs of a row of the table have in common, by the names of CELL."""

    learner: str
    code: str
    criterion: str
    n_arms: int
    gap: float
    rounds: int

    @property
    def change(self) -> int:
        """The first round in which the new winner wins."""
        return self.rounds // 2

    def make(self) -> dd.Learner:
        """Return the learner."""
        table = {"criterion": self.criterion}
        return learner_from(self.learner, table, self.n_arms, self.rounds)

    def of(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the runs of this cell."""
        return table.filter(*(pl.col(name) == value for name, value in asdict(self).items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--learner", nargs="+", default=[LEARNER], help="one or more, by name")
    parser.add_argument("--criteria", nargs="+", default=CRITERIA, choices=CRITERIA)
    parser.add_argument("--arms", type=int, nargs="+", default=ARMS)
    parser.add_argument("--gaps", type=float, nargs="+", default=GAPS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--out", type=Path, default=FILE, help="the file to write, or to go on with"
    )
    options, _ = parser.parse_known_args()
    axes = product(options.criteria, options.arms, options.gaps, options.learner)
    try:
        cells = [
            Cell(name, learner_version(name), criterion, n_arms, gap, options.rounds)
            for criterion, n_arms, gap, name in dict.fromkeys(axes)
        ]
        for cell in cells:
            cell.make()
            world(cell, seed=0)
    except ValueError as error:
        parser.error(str(error))
    table = played(cells, options.runs, options.workers, options.out)
    text = "\n".join(page(cells, table))
    options.out.with_suffix(".md").write_text(text + "\n", encoding="utf-8")
    print(text)


def played(cells: Sequence[Cell], runs: int, workers: int, file: Path) -> pl.DataFrame:
    """Return a row for each of so many runs of every cell, and keep them in a file."""
    table = pl.read_parquet(file) if file.exists() else pl.DataFrame(schema=SCHEMA)
    began = time.monotonic()
    for number, cell in enumerate(cells, 1):
        seeds = sorted(set(range(runs)) - set(cell.of(table)["seed"]))
        if not seeds:
            continue
        print(
            f"cell {number} of {len(cells)}, after {time.monotonic() - began:.0f} s: "
            f"{cell.learner}, {cell.criterion}, {cell.n_arms} arms, gap {cell.gap}, "
            f"{len(seeds)} runs",
            file=sys.stderr,
            flush=True,
        )
        rows = list(play(cell, seeds, workers))
        fresh = pl.DataFrame(rows, schema=SCHEMA)
        table = pl.concat([table, fresh])
        with replacing(file) as temporary:
            table.write_parquet(temporary)
    return table.filter(pl.col("seed") < runs)


def play(cell: Cell, seeds: Sequence[int], workers: int) -> Iterator[dict[str, Any]]:
    """Yield the row of each seed, in order."""
    learner = cell.make()
    one(learner, cell, seeds[0], end=1)  # compiled here, so that threads need not wait
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda seed: one(learner, cell, seed), seeds)


def one(learner: dd.Learner, cell: Cell, seed: int, end: int | None = None) -> dict[str, Any]:
    """Play a run, or as many rounds of it, and return its row."""
    stream, old, new = world(cell, seed)
    stream = stream[:end]
    player = learner.clone(seed=seed)
    session = player._session
    looks = moments(cell.change, stream.horizon)
    picks = []
    plays = batches(
        player,
        stream,
        session.state,
        session.rng,
        session.settle_rng,
        world_generator(seed),
        session.history,
        looks.tolist(),
        lambda _: picks.append(player.best_index),
    )
    for _ in plays:
        pass
    session.told = stream.horizon
    picks.append(player.best_index)
    begun = [start for start in player.episodes if 0 < start < stream.horizon]
    after = [start for start in begun if start > cell.change]
    noticed = after[0] if after else None
    changes = player.report().changes or ()
    change = next((item for item in changes if item.noticed == noticed), None)
    said = ("before", "after", "around", "earliest", "latest")
    return {
        **asdict(cell),
        "seed": seed,
        "old": old,
        "new": new,
        "false": len(begun) - len(after),
        "noticed": noticed,
        "again": max(0, len(after) - 1),
        "settled": settled(np.append(looks, stream.horizon) - cell.change, picks, new),
        **{name: getattr(change, name, None) for name in said},
    }


def world(cell: Cell, seed: int) -> tuple[dd.Stream, int, int]:
    """Return the world of a run, and who wins before and after the change."""
    if not 0 < cell.gap <= 0.5:
        raise ValueError(f"the gap is {cell.gap}, must be above 0 and at most 0.5")
    if cell.rounds < 2:
        raise ValueError(f"there are {cell.rounds} rounds, must be 2 at least")
    # Apart from the generators of the learner and of the votes, which have the same seed.
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2, cell.n_arms)))
    old, new = map(int, rng.permutation(cell.n_arms)[:2])
    matrices = [winner_matrix(cell.n_arms, arm, cell.gap) for arm in (old, new)]
    return dd.Stream.piecewise(matrices, [0, cell.change], cell.rounds), old, new


def moments(change: int, horizon: int) -> NDArray[np.int64]:
    """Return the rounds after which to look, between a change and the end."""
    left = max(1, horizon - change)
    delays = np.concatenate([np.geomspace(1, left, 240), np.linspace(0, left, 101)[1:]])
    found = np.unique(change + delays.astype(np.int64))
    return found[found < horizon]


def settled(delays: NDArray[np.int64], picks: Sequence[int], new: int) -> int | None:
    """Return the first delay from which on all picks are right, None if the last is wrong."""
    wrong = np.flatnonzero(np.asarray(picks) != new)
    first = wrong[-1] + 1 if len(wrong) else 0
    return int(delays[first]) if first < len(delays) else None


def page(cells: Iterable[Cell], table: pl.DataFrame) -> Iterator[str]:
    """Yield the lines of the tables."""
    cells = list(cells)
    runs = max(cell.of(table).height for cell in cells)
    gaps = sorted({cell.gap for cell in cells})
    yield f"Share declared, median delay of the declaration and of `best`, {runs} runs:"
    yield ""
    yield line("", "K", *(f"gap {gap}" for gap in gaps))
    yield "|---|---:|" + "---:|" * len(gaps)
    groups: dict[tuple[str, str, int], dict[float, Summary]] = {}
    for cell in cells:
        group = groups.setdefault((cell.learner, cell.criterion, cell.n_arms), {})
        group[cell.gap] = Summary.of(cell, table)
    for (learner, criterion, n_arms), by_gap in groups.items():
        entries = [
            f"{one.declared:.0%}, {words(one.delay[1])}, {words(one.best[1])}"
            for one in map(by_gap.__getitem__, gaps)
        ]
        yield line(f"{learner}, {criterion.title()}", n_arms, *entries)
    yield ""
    yield line(
        *("", "K", "gap", "declared", "false", "delay of the declaration: quartiles"),
        *("median of all", "delay of `best()`: quartiles", "right at the end"),
        *("names right", "ranges that hold the round", "median width"),
    )
    yield "|---|" + "---:|" * 11
    for cell in cells:
        yield Summary.of(cell, table).row()


@dataclass(frozen=True)
class Summary:
    """What the runs of a cell come to; shares are None where there is nothing to share."""

    cell: Cell
    declared: float
    false: int
    delay: tuple[float, ...]
    of_all: float
    best: tuple[float, ...]
    right: float
    named: float | None
    held: float | None
    width: float

    @classmethod
    def of(cls, cell: Cell, table: pl.DataFrame) -> Summary:
        """Summarise the runs of a cell."""
        runs = cell.of(table)
        declared = runs.filter(pl.col("noticed").is_not_null())
        told = declared.filter(pl.col("before").is_not_null())
        dated = declared.filter(pl.col("earliest").is_not_null() & pl.col("latest").is_not_null())
        delays = runs["noticed"] - cell.change
        return cls(
            cell=cell,
            declared=declared.height / runs.height,
            false=runs.filter(pl.col("false") > 0).height,
            delay=quartiles(delays.drop_nulls()),
            of_all=quartiles(delays)[1],
            best=quartiles(runs["settled"]),
            right=1 - runs["settled"].null_count() / runs.height,
            named=share(
                told, (pl.col("before") == pl.col("old")) & (pl.col("after") == pl.col("new"))
            ),
            held=share(dated, pl.lit(cell.change).is_between("earliest", "latest")),
            width=quartiles(dated["latest"] - dated["earliest"])[1],
        )

    def row(self) -> str:
        """Return the row of the table."""
        cell = self.cell
        return line(
            *(f"{cell.learner}, {cell.criterion.title()}", cell.n_arms, cell.gap),
            *(f"{self.declared:.0%}", self.false, ", ".join(map(words, self.delay))),
            *(words(self.of_all), ", ".join(map(words, self.best)), f"{self.right:.0%}"),
            *(percent(self.named), percent(self.held), words(self.width)),
        )


def quartiles(values: pl.Series) -> tuple[float, float, float]:
    """Return the quartiles, values of the series; null is above all others."""
    if values.is_empty():
        return math.nan, math.nan, math.nan
    numbers = values.cast(pl.Float64).fill_null(math.inf).to_numpy()
    low, middle, high = np.quantile(numbers, [0.25, 0.5, 0.75], method="inverted_cdf").tolist()
    return low, middle, high


def share(runs: pl.DataFrame, condition: pl.Expr) -> float | None:
    """Return the share of runs that meet a condition, None if there are none."""
    return runs.filter(condition).height / runs.height if runs.height else None


def words(number: float) -> str:
    """Return a number of rounds, as it stands in a table."""
    if math.isnan(number):
        return "-"
    return "never" if math.isinf(number) else f"{number:,.0f}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def line(*entries: object) -> str:
    return f"| {' | '.join(map(str, entries))} |"


if __name__ == "__main__":
    main()
