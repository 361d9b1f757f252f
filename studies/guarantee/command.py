"""``python -m studies guarantee``: what the guard of docs/guarantee.md costs, and what it saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

import driftduel as dd
from driftduel.cli.shared import Workers, processes
from driftduel.worlds import adversarial
from studies.guarantee.guard import Guard

N_ARMS = 5
LEARNERS: dict[str, Callable[..., dd.Learner]] = {
    "BordaETC": lambda k, seed: dd.learners.BordaETC(k, 2000, exploration=2000, seed=seed),
    "RUCB": lambda k, seed: dd.learners.RUCB(k, seed=seed),
    "DriftDuel": lambda k, seed: dd.DriftDuel(k, seed=seed),
}
"""Two learners that never adapt, and one that does without a proof."""


def ladder(best: int, gap: float = 0.2) -> np.ndarray:
    """Return a matrix in which one arm beats all others by so much, and they are equal."""
    matrix = np.full((N_ARMS, N_ARMS), 0.5)
    matrix[best], matrix[:, best] = 0.5 + gap, 0.5 - gap
    matrix[best, best] = 0.5
    return matrix


WORLDS: dict[str, Callable[[int], dd.Stream]] = {
    "nothing changes": lambda t: dd.Stream.stationary(ladder(0), t),
    "the best arm changes once": lambda t: dd.Stream.piecewise(
        [ladder(0), ladder(1)], [0, t // 4], t
    ),
    "a hidden rise": lambda t: adversarial.hidden_rise(n_arms=N_ARMS, horizon=t, seed=1),
}


def guarantee(
    horizons: Annotated[
        list[int], typer.Option("--rounds", min=1000, help="Rounds of a run; may be repeated.")
    ] = [30_000, 100_000],  # noqa: B006 - typer reads it
    seeds: Annotated[int, typer.Option(min=1, help="Runs in each world.")] = 8,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the runs are written.")] = Path(
        "guarantee.parquet"
    ),
    workers: Workers = None,
) -> None:
    """Play learners with the guard of docs/guarantee.md and without.

    About five minutes. Prints mean Borda regret with its standard error, and mean alarms.
    """
    tasks = [
        (learner, world, horizon, seed)
        for learner in LEARNERS
        for world in WORLDS
        for horizon in horizons
        for seed in range(seeds)
    ]
    with ProcessPoolExecutor(processes(workers)) as pool:
        runs = pl.DataFrame(list(_shown(pool.map(play, tasks), len(tasks))))
    partial = out.with_name(out.name + ".part")
    runs.write_parquet(partial)
    partial.replace(out)
    names = ["learner", "world", "rounds"]
    table = runs.group_by(names, maintain_order=True).agg(
        *(
            figure
            for how in ("alone", "guarded")
            for figure in (
                pl.col(how).mean().round(0).alias(how),
                (pl.col(how).std() / pl.len() ** 0.5).round(0).alias(f"{how} error"),
            )
        ),
        pl.col("METABOSSE").mean().round(0),
        pl.col("alarms").mean().round(2),
    )
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_hide_dataframe_shape=True, tbl_width_chars=140):
        print(table)
    print(f"All runs: {out}")


def play(task: tuple[str, str, int, int]) -> dict[str, Any]:
    """Return the regret of one learner in one world, alone and guarded, and of METABOSSE."""
    name, world_name, horizon, seed = task
    world, make = WORLDS[world_name](horizon), LEARNERS[name]
    alone = dd.simulate(make(N_ARMS, seed), world, seed=seed, points=2)
    paper = dd.simulate(dd.MetaBosse(N_ARMS, horizon, seed=seed), world, seed=seed, points=2)
    guard = Guard(lambda s: make(N_ARMS, s), N_ARMS, horizon, seed=seed)
    guarded = guard.play(world)
    return {
        "learner": name,
        "world": world_name,
        "rounds": horizon,
        "seed": seed,
        "alone": float(alone.regret("borda")[-1]),
        "guarded": float(guarded.regret[-1]),
        "METABOSSE": float(paper.regret("borda")[-1]),
        "tosses": guarded.tosses,
        "alarms": len(guarded.alarms),
    }


def _shown(rows: Iterator[dict[str, Any]], total: int) -> Iterator[dict[str, Any]]:
    for done, row in enumerate(rows, 1):
        typer.echo(f"\r{done} of {total} runs", nl=done == total, err=True)
        yield row
