"""What the experiments found beside what theory promises, as tables."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from driftduel.experiments.detections import shifts_found
from driftduel.experiments.grids import read_parameters, write_parameters
from driftduel.experiments.rates import exponents
from driftduel.experiments.results import Results
from driftduel.matrix.criteria import Weighted
from driftduel.worlds import hard

THEOREM = "weight of the theorem"
"""What the criterion of the GIC lower bound is called, whatever the number of arms."""

_IN_HORIZON = {
    "Bosse": 2 / 3,
    "MetaBosse": 2 / 3,
    "BordaDEX3S": 5 / 6,
    "DEX3S": 1 / 2,
    "Anaconda": 1 / 2,
    "MetaSwift": 1 / 2,
    "Uniform": 1.0,
}
_NEEDS = {"MetaBosse": {"sst-sti", "sst", "gic"}, "MetaSwift": {"sst-sti"}}
"""The kinds of matrices for which the Condorcet bounds of these learners hold."""

_LOWER_BOUNDS: dict[str, Callable[..., hard.HardInstance]] = {
    "known-weight": hard.known_weight,
    "gic": hard.gic,
}

_SILENT = ("american-league", "formula-1", "borda-against-condorcet")
"""Worlds about which theory has no exponents."""

_IN_ARMS = {"Bosse": 2 / 3, "MetaBosse": 2 / 3, "DEX3S": 1 / 2, "Anaconda": 1.0, "MetaSwift": 1 / 2}


def found_exponents(results: Results) -> pl.DataFrame:
    """Return the exponents of an experiment beside what theory promises.

    Columns: those of `driftduel.experiments.rates.exponents`, ``name`` (the class of the
    learner), ``promised`` (None where theory is silent) and ``last`` (the exponent between the
    last two points alone).
    """
    found = exponents(comparable(results))
    names = dict(results.scan("regret").select("learner", "name").unique().collect().iter_rows())
    promises = [
        promised(
            names[row["learner"]],
            row["world"],
            row["criterion"],
            row["variable"],
            read_parameters(row["fixed"]).get("kind"),
        )
        for row in found.iter_rows(named=True)
    ]
    return found.with_columns(
        name=pl.col("learner").replace_strict(names, return_dtype=pl.String),
        promised=pl.Series(promises, dtype=pl.Float64),
        last=_slope("means") / _slope("values"),
    )


def promised(
    name: str, world: str, criterion: str, variable: str, kind: str | None = None
) -> float | None:
    """Return the exponent that theory promises a learner, up to logarithms, or None.

    ``kind`` is the kind of matrices of a world that has one: against a Condorcet winner METABOSSE
    promises something under GIC, METASWIFT under SST and STI.

    Examples
    --------
    >>> promised("MetaBosse", "known-weight-variation", "borda", "variation")
    0.25
    """
    moving = world not in ("known-weight", "gic")
    if (name == "Bosse" and moving) or world in _SILENT or criterion.startswith("weak"):
        return None
    if criterion == THEOREM and name in ("DEX3S", "Anaconda", "MetaSwift"):
        return None  # they promise something of Condorcet regret only
    if criterion == "condorcet" and kind is not None and kind not in _NEEDS.get(name, {kind}):
        return None
    if world.endswith("-variation"):
        return {"horizon": 3 / 4, "variation": 1 / 4}.get(variable)
    if variable == "horizon":
        # A winner that changes in every round leaves the bounds in S with nothing to say.
        vacuous = world == "spurious-switches" and name != "MetaBosse"
        return 1.0 if vacuous else _IN_HORIZON.get(name)
    if variable == "n_arms":
        return 1 / 3 if criterion == "borda" else _IN_ARMS.get(name)
    return 1 / 3 if variable == "n_phases" else None


def worst_weights(results: Results) -> pl.DataFrame:
    """Return for every learner and horizon the point mass that costs it most.

    Columns ``learner``, ``horizon``, ``borda`` (mean Borda regret), ``weight``, ``regret`` (mean)
    and ``error`` (standard error) at that weight, and ``times`` (the regret over T/45).
    """
    final = results.final().with_columns(
        horizon=pl.col("settings").str.json_path_match("$.horizon").cast(pl.Int64)
    )
    means = final.group_by("learner", "horizon", "criterion", maintain_order=True).agg(
        pl.col("regret").mean(), error=pl.col("regret").std() / pl.len().sqrt()
    )
    borda = means.filter(criterion="borda").select("learner", "horizon", borda="regret")
    worst = (
        means.filter(pl.col("criterion").str.starts_with("weighted"))
        .sort("regret", descending=True, maintain_order=True)
        .group_by("learner", "horizon", maintain_order=True)
        .first()
        .with_columns(
            weight=pl.col("criterion").str.strip_prefix("weighted "),
            times=pl.col("regret") * 45 / pl.col("horizon"),
        )
    )
    return (
        borda.join(worst, on=["learner", "horizon"], maintain_order="left")
        .select("learner", "horizon", "borda", "weight", "regret", "error", "times")
        .sort("horizon", maintain_order=True)
    )


def halves(results: Results) -> pl.DataFrame:
    """Return what the good and the bad half of the arms cost on the lower bounds without phases.

    Columns ``learner``, ``world``, ``n_arms``, ``horizon``, ``good`` (mean regret paid for good
    arms that are not the winner), ``bad`` (for bad arms) and ``share`` (of the bad arms).
    """
    rows = []
    for info in results.streams:
        if info.world not in _LOWER_BOUNDS:
            continue
        instance = _LOWER_BOUNDS[info.world](**read_parameters(info.parameters))
        gaps = Weighted(instance.weight.at(0)).gaps(instance.stream.matrix(0))
        for learner in results.plays["learner"].unique(maintain_order=True):
            plays = results.plays.filter(stream=info.label, learner=learner)
            cost = {
                half: sum(_plays_of(plays, arm) * gaps[arm] for arm in arms) / len(results.seeds)
                for half, arms in (("good", instance.good), ("bad", instance.bad))
            }
            rows.append((learner, info.world, info.n_arms, info.horizon, *cost.values()))
    schema = {"learner": pl.String, "world": pl.String, "n_arms": pl.Int64, "horizon": pl.Int64}
    costs = {"good": pl.Float64, "bad": pl.Float64}
    table = pl.DataFrame(rows, schema={**schema, **costs}, orient="row")
    return table.with_columns(share=pl.col("bad") / (pl.col("good") + pl.col("bad")))


def tracking(results: Results) -> pl.DataFrame:
    """Return who follows the winner and who notices that it changes.

    Columns ``stream``, ``learner``, ``share`` (of the regret of random pairs), ``right`` (share of
    the runs that end with the true Borda winner, None for random pairs), ``found`` (the share of
    the true shifts that a restart followed before the next, None if the learner never restarts),
    ``restarts`` and ``shifts``.
    """
    summary = results.summary().filter(criterion="borda")
    labels = results.scan("regret").filter(pl.col("name") == "Uniform").select("learner").unique()
    random = summary.join(labels.collect(), on="learner", how="semi")
    last = {info.label: (info.winners["borda"] or [(0, 0, -1)])[-1][2] for info in results.streams}
    truth = pl.col("stream").replace_strict(last, return_dtype=pl.Int64)
    ends = results.runs.group_by("stream", "learner").agg(right=(pl.col("best") == truth).mean())
    return (
        summary.join(random.select("stream", random="mean"), on="stream", how="left")
        .join(ends, on=["stream", "learner"], how="left", maintain_order="left")
        .join(
            shifts_found(results, "borda").drop("shifts"),
            on=["stream", "learner"],
            how="left",
            maintain_order="left",
        )
        .with_columns(
            share=pl.col("mean") / pl.col("random"),
            found=pl.when((pl.col("shifts") > 0) & (pl.col("restarts") > 0)).then(
                pl.col("found") / pl.col("shifts")
            ),
            right=pl.when(~pl.col("learner").is_in(random["learner"].implode())).then("right"),
        )
        .select("stream", "learner", "share", "right", "found", "restarts", "shifts")
    )


def comparable(results: Results) -> Results:
    """Return results in which the GIC lower bounds of all sizes are one grid."""
    return _Comparable(results.folder)


class _Comparable(Results):
    """Results whose worlds differ in their size alone: the rival and the weight follow from it."""

    def final(self) -> pl.DataFrame:
        gic = (pl.col("world") == "gic") & pl.col("criterion").str.starts_with("weighted")
        return (
            super()
            .final()
            .with_columns(
                criterion=pl.when(gic).then(pl.lit(THEOREM)).otherwise(pl.col("criterion")),
                settings=pl.col("settings").map_elements(_without_parts, return_dtype=pl.String),
            )
        )


def _without_parts(settings: str) -> str:
    """Drop which arm plays which part."""
    values = read_parameters(settings)
    kept = {key: value for key, value in values.items() if key not in ("winner", "rival")}
    return write_parameters(kept)


def _plays_of(plays: pl.DataFrame, arm: int) -> float:
    """Return in how many rounds an arm was played, half a round for each side."""
    sides = (plays.filter(pl.col(side) == arm)["count"].sum() for side in ("left", "right"))
    return sum(map(float, sides)) / 2


def _slope(column: str) -> pl.Expr:
    return (pl.col(column).list.get(-1) / pl.col(column).list.get(-2)).log()
