"""The learners of the benchmark beside the best rivals, as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping

import polars as pl

from driftduel.experiments.detections import shifts_found
from driftduel.experiments.results import Results
from studies.benchmark import suite

EASY = 100
"""Where the best rival loses less than so many duels, a ratio says little."""

KEYS = ("criterion", "world")


def standings(found: Mapping[tuple[str, str], Results]) -> pl.DataFrame:
    """Return how the learners did on every world beside the best rival.

    Parameters
    ----------
    found : mapping of tuple to Results
        The results by criterion and half.

    Returns
    -------
    DataFrame
        Columns ``criterion``, ``half``, ``world``, ``learner``, ``runs``, ``mean`` and ``error``
        (of the regret at the horizon), ``rival``, ``told``, ``parameters`` (JSON), ``best`` and
        ``best_error`` (the rival for this criterion with the least mean regret), ``ratio`` and
        ``ratio_error``; ``other``, ``other_told`` and ``any_ratio`` (the rival with the least mean
        regret whatever criterion it is made for, and the ratio to it);
        ``shifts`` (true ones), and, means over the runs, ``restarts``, ``found`` (shifts that a
        restart followed before the next), ``delay`` (rounds until then) and ``false`` (the other
        restarts), all None where shifts are not defined; ``speed`` (rounds a second, median).
    """
    played = pl.concat(
        _played(results, criterion).with_columns(half=pl.lit(half))
        for (criterion, half), results in found.items()
    )
    against = (
        played.select(*KEYS, "learner")
        .join(rivals(), on=list(KEYS))
        .filter(pl.col("rival") != pl.col("learner"))
        .sort("best", "rival")
    )
    each = [*KEYS, "learner"]
    best = against.filter(pl.col("aims") == pl.col("criterion")).group_by(each).first()
    anybody = (
        against.group_by(each).first().select(*each, other="rival", other_told="told", least="best")
    )
    table = played.join(best, on=each, how="left", maintain_order="left").join(
        anybody, on=each, how="left", maintain_order="left"
    )
    ratio, noise = pl.col("mean") / pl.col("best"), _relative("error", "mean")
    table = table.with_columns(
        ratio=ratio,
        ratio_error=ratio * (noise**2 + _relative("best_error", "best") ** 2).sqrt(),
        any_ratio=pl.col("mean") / pl.col("least"),
    )
    front = ("criterion", "half", "world", "learner", "runs", "mean", "error", "rival", "told")
    more = ("parameters", "best", "best_error", "ratio", "ratio_error")
    last = ("shifts", "restarts", "found", "delay", "false", "speed")
    return table.select(*front, *more, "other", "other_told", "any_ratio", *last).sort(
        "criterion", pl.col("half").cast(pl.Enum(suite.HALVES)), maintain_order=True
    )


def rivals() -> pl.DataFrame:
    """Return what every rival reached on every world.

    Columns ``criterion``, ``world``, ``rival``, ``told``, ``parameters`` (JSON), ``best`` and
    ``best_error`` (mean regret and its standard error), and ``aims`` (the criterion that the rival
    is made for).
    """
    rows = [
        (
            criterion,
            world,
            rival,
            answer["told"],
            json.dumps(answer["parameters"]),
            answer["mean"],
            answer["error"],
            answer["aims"],
        )
        for criterion, worlds in suite.hindsight().items()
        for world, answers in worlds.items()
        for rival, answer in answers.items()
    ]
    names = [*KEYS, "rival", "told", "parameters", "best", "best_error", "aims"]
    return pl.DataFrame(rows, schema=names, orient="row")


def entrants() -> pl.DataFrame:
    """Return how many rivals were scored, by criterion.

    Columns ``criterion``, ``rivals`` (made for it), ``tuned`` (of these, in hindsight), ``fewest``
    (of these, on a world) and ``others`` (made for another criterion).
    """
    made_for_it = pl.col("aims") == pl.col("criterion")
    tuned = pl.col("told") == "tuned in hindsight"
    return (
        rivals()
        .group_by("criterion", maintain_order=True)
        .agg(
            rivals=pl.col("rival").filter(made_for_it).n_unique(),
            tuned=pl.col("rival").filter(made_for_it & tuned).n_unique(),
            fewest=pl.col("world").filter(made_for_it).unique_counts().min(),
            others=pl.col("rival").filter(~made_for_it).n_unique(),
        )
    )


def totals(table: pl.DataFrame) -> pl.DataFrame:
    """Return the ratios of `standings` by criterion, half and learner.

    Columns ``worlds``, ``geometric`` (mean) and ``geometric_error``, ``median``, ``worst`` and
    ``worst_world``, ``hard`` and ``hard_worst`` (mean and worst where the best rival lost at least
    100), ``any`` and ``any_worst`` (those of the ratios to the best rival for any criterion) and
    ``false`` (mean restarts a run in worlds without a shift).
    """
    return table.group_by("criterion", "half", "learner", maintain_order=True).agg(
        worlds=pl.len(),
        geometric=_geometric("ratio"),
        geometric_error=_geometric("ratio")
        * (_relative("ratio_error", "ratio") ** 2).sum().sqrt()
        / pl.len(),
        median=pl.col("ratio").median(),
        worst=pl.col("ratio").max(),
        worst_world=pl.col("world").sort_by("ratio").last(),
        hard=pl.col("ratio").filter(pl.col("best") >= EASY).log().mean().exp(),
        hard_worst=pl.col("ratio").filter(pl.col("best") >= EASY).max(),
        any=_geometric("any_ratio"),
        any_worst=pl.col("any_ratio").max(),
        false=pl.col("restarts").filter(pl.col("shifts") == 0).mean(),
    )


def duels(table: pl.DataFrame) -> pl.DataFrame:
    """Return the benchmark's learner against each rival over the worlds where it was scored.

    Columns ``criterion``, ``rival``, ``told``, ``aims``, ``worlds``, ``geometric`` (mean of the
    learner's regret over the rival's), ``median``, ``worst`` and ``won`` (in how many worlds the
    learner lost less); the hardest rival first.
    """
    against = (
        table.filter(pl.col("learner") == suite.LEARNER)
        .select(*KEYS, "mean")
        .join(rivals().filter(pl.col("rival") != suite.LEARNER), on=list(KEYS))
        .with_columns(ratio=pl.col("mean") / pl.col("best"))
    )
    return (
        against.group_by("criterion", "rival", "told", "aims", maintain_order=True)
        .agg(
            worlds=pl.len(),
            geometric=_geometric("ratio"),
            median=pl.col("ratio").median(),
            worst=pl.col("ratio").max(),
            won=(pl.col("ratio") < 1).sum(),
        )
        .sort("criterion", "geometric", descending=[False, True])
    )


def _played(results: Results, criterion: str) -> pl.DataFrame:
    speeds = results.runs.group_by("stream", "learner").agg(
        speed=pl.col("rounds_per_second").median()
    )
    summary = results.summary().sort(
        pl.col("stream").replace_strict(
            {info.label: place for place, info in enumerate(results.streams)},
            return_dtype=pl.Int64,
        ),
        pl.col("learner").replace_strict(
            {name: place for place, name in enumerate(suite.PLAYERS)}, return_dtype=pl.Int64
        ),
    )
    return (
        summary.drop("ratio", "shifts")
        .join(speeds, on=["stream", "learner"], how="left", maintain_order="left")
        .join(
            shifts_found(results, criterion),
            on=["stream", "learner"],
            how="left",
            maintain_order="left",
        )
        .rename({"stream": "world"})
    )


def _relative(error: str, mean: str) -> pl.Expr:
    return pl.col(error).fill_null(0.0) / pl.col(mean)


def _geometric(column: str) -> pl.Expr:
    return pl.col(column).log().mean().exp()
