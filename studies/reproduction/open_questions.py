"""What was measured about questions that the paper leaves open, as tables.

The *design value* of an arm a in a world that does not change is what the cheapest duels cost that
tell it from the best arm by its Borda score, over ln T. With ``N[x, j]`` duels of x and j the score
of x is known with the variance ``V_x = sum_j v[x, j] / (K^2 N[x, j])``, v = P (1 - P), and a
difference of ``gap[a]`` is told with an error probability of 1/T if
``V_a + V_best <= gap[a]^2 / (2 ln T)``. A duel of x and j costs the mean r[x, j] of the gaps of
both. The least cost, by Cauchy and Schwarz, is ln T times
``2 ((sum_j sqrt(v r)[a, j] + sum_j sqrt(v r)[best, j]) / K)^2 / gap[a]^2``. It is no lower bound on
regret: duels may serve several arms at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from driftduel.experiments.grids import read_parameters
from driftduel.experiments.results import Results
from driftduel.experiments.worlds import StreamInfo
from driftduel.matrix.criteria import Borda
from driftduel.worlds.catalogue import build

Floats = NDArray[np.float64]

MEASURES = {
    "condorcet_switches": "S, changes of the winner",
    "significant_condorcet": "S-tilde, significant changes",
    "approximate_winner": "S_approx, approximate winner",
    "significant_unknown": "SUW, unknown weights",
}
"""The measures that are held beside regret, and what they are called."""

RESAMPLES = 2000


def predictors(results: Results) -> pl.DataFrame:
    """Return how well each measure of change tells in which worlds regret is large.

    Columns ``learner``, ``measure``, ``worlds``, ``correlation`` (Spearman's, of the mean regret
    and the measure over all worlds in which every measure is defined) and its 95 % interval from
    resampling the worlds, ``low`` and ``high``.
    """
    found = {info.label: [info.measures.get(name) for name in MEASURES] for info in results.streams}
    known = [label for label, values in found.items() if None not in values]
    table = np.array([found[label] for label in known], dtype=np.float64).reshape(len(known), -1)
    means = results.final().group_by("learner", "stream", maintain_order=True).agg(
        pl.col("regret").mean()
    )  # fmt: skip
    rows = []
    for (learner,), part in means.group_by("learner", maintain_order=True):
        regret = dict(part.select("stream", "regret").iter_rows())
        lost = np.array([regret[label] for label in known])
        for column, words in enumerate(MEASURES.values()):
            low, high = _resampled(lost, table[:, column])
            rows.append(
                (learner, words, len(known), rank_correlation(lost, table[:, column]), low, high)
            )
    numbers = dict.fromkeys(("correlation", "low", "high"), pl.Float64)
    schema = {"learner": pl.String, "measure": pl.String, "worlds": pl.Int64, **numbers}
    return pl.DataFrame(rows, schema=schema, orient="row")


def rank_correlation(first: Floats, second: Floats) -> float:
    """Return Spearman's correlation, NaN if one of the two is constant.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, 9.0]), np.array([5.0, 6.0, 7.0]))
    1.0
    """
    ranks = [pl.Series(values).rank("average").to_numpy() for values in (first, second)]
    a, b = (values - values.mean() for values in ranks)
    scale = math.sqrt(float((a * a).sum() * (b * b).sum()))
    return float((a * b).sum() / scale) if scale > 0 else math.nan


def unaligned(results: Results) -> pl.DataFrame:
    """Return what the worst weights cost, one that stays and one that changes in every round.

    Columns ``world``, ``learner``, ``horizon`` (the longest), ``aligned`` (mean regret at the
    point mass that costs most), ``unaligned`` (if a point mass is chosen afresh in each round, when
    the pair is known), ``error`` of that, ``times`` (how many times as much), and ``exponent``, the
    growth of ``unaligned`` with the horizon.
    """
    rows = []
    for info in results.streams:
        matrix = _matrix(info)
        gaps = (matrix.max(axis=0) - matrix).T  # of each arm, in a row for each point mass
        for learner, plays in _plays_of(results, info):
            pairs = np.array([(gaps[:, a] + gaps[:, b]) / 2 for a, b in plays["pairs"]])
            fixed = plays["counts"] @ pairs
            free = plays["counts"] @ pairs.max(axis=1)
            error = free.std(ddof=1) / math.sqrt(len(free)) if len(free) > 1 else math.nan
            rows.append(
                (info.world, learner, info.horizon, fixed.mean(axis=0).max(), free.mean(), error)
            )
    numbers = dict.fromkeys(("aligned", "unaligned", "error"), pl.Float64)
    schema = {"world": pl.String, "learner": pl.String, "horizon": pl.Int64, **numbers}
    table = pl.DataFrame(rows, schema=schema, orient="row").sort("horizon", maintain_order=True)
    x, y = pl.col("horizon").log(), pl.col("unaligned").log()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    keys = ("world", "learner")
    last = table.group_by(*keys, maintain_order=True).last()
    grown = table.group_by(*keys, maintain_order=True).agg(exponent=slope)
    return last.with_columns(times=pl.col("unaligned") / pl.col("aligned")).join(
        grown, on=keys, maintain_order="left"
    )


def weak_bounds(results: Results) -> pl.DataFrame:
    """Return weak Borda regret beside its bound, where there is one.

    Columns ``stream``, ``learner``, ``mean``, ``error``, ``strong`` (the mean Borda regret) and
    ``bound``.
    """
    keys = ("stream", "learner", "criterion")
    means = results.final().group_by(*keys, maintain_order=True).agg(
        mean=pl.col("regret").mean(), error=pl.col("regret").std() / pl.len().sqrt()
    )  # fmt: skip
    strong = means.filter(criterion="borda").select("stream", "learner", strong="mean")
    weak = means.filter(criterion="weak borda").drop("criterion")
    made = results.scan("regret").select("learner", "name", "parameters").unique().collect()
    bandits = {
        learner: read_parameters(parameters).get("bandit", "tsallis-inf")
        for learner, name, parameters in made.iter_rows()
        if name == "UniformOpponent"
    }
    infos = {info.label: info for info in results.streams}
    bounds = [
        _weak_bound(infos[stream], bandits.get(learner))
        for stream, learner in weak.select("stream", "learner").iter_rows()
    ]
    return weak.with_columns(bound=pl.Series(bounds, dtype=pl.Float64)).join(
        strong, on=["stream", "learner"], maintain_order="left"
    )


def _weak_bound(info: StreamInfo, bandit: str | None) -> float | None:
    """Return the bound of a bandit that meets a drawn opponent."""
    K, T, changes = info.n_arms, info.horizon, info.measures["borda_switches"] or 0
    if bandit == "exp3s":
        phases = changes + 1
        return 2 * math.sqrt((math.e - 1) * K * T * (phases * math.log(K * T) + math.e))
    if bandit == "tsallis-inf" and changes == 0:
        return 4 * math.sqrt(K * T) + 1
    return None


def designs(results: Results) -> pl.DataFrame:
    """Return the regret in each world beside the design value of its dearest arm.

    Columns ``stream``, ``gap`` (the smallest), ``simple`` (K ln T / gap^2), ``design`` (ln T times
    the largest design value), ``learner``, ``mean``, ``error``, ``times`` (mean over design).
    """
    values = {}
    for info in results.streams:
        matrix = _matrix(info)
        gaps = Borda().gaps(matrix)
        gap = float(gaps[gaps > 0].min())
        log = math.log(info.horizon)
        values[info.label] = (
            gap,
            info.n_arms * log / gap**2,
            float(np.nanmax(design_values(matrix))) * log,
        )
    means = results.final().group_by("stream", "learner", maintain_order=True).agg(
        mean=pl.col("regret").mean(), error=pl.col("regret").std() / pl.len().sqrt()
    )  # fmt: skip
    known = pl.DataFrame(
        [(label, *numbers) for label, numbers in values.items()],
        schema={"stream": pl.String} | dict.fromkeys(("gap", "simple", "design"), pl.Float64),
        orient="row",
    )
    return (
        known.join(means, on="stream", maintain_order="left")
        .with_columns(times=pl.col("mean") / pl.col("design"))
        .select("stream", "gap", "simple", "design", "learner", "mean", "error", "times")
    )


def design_values(P: Floats) -> Floats:
    """Return the design value of each arm of a matrix; NaN for arms that are best.

    Examples
    --------
    >>> design_values(np.array([[0.5, 0.9], [0.1, 0.5]])).round(2)
    array([ nan, 0.22])
    """
    gaps = Borda().gaps(P)
    dear = np.sqrt(P * (1 - P) * (gaps[:, None] + gaps[None, :]) / 2)
    np.fill_diagonal(dear, 0.0)  # an arm against itself needs no duel
    sums = dear.sum(axis=1) / len(P)
    values = np.full(len(P), np.nan)
    behind = gaps > 0
    best = int(gaps.argmin())
    values[behind] = 2 * ((sums[behind] + sums[best]) / gaps[behind]) ** 2
    return values


def _matrix(info: StreamInfo) -> Floats:
    """Return the matrix of a world that does not change."""
    return build(info.world, **read_parameters(info.parameters)).matrix(0)


def _plays_of(results: Results, info: StreamInfo) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield for each learner the pairs it played and how often in each run (R, pairs)."""
    table = results.pairs.filter(stream=info.label)
    for (learner,), part in table.group_by("learner", maintain_order=True):
        wide = part.with_columns(pair=pl.col("left") * info.n_arms + pl.col("right"))
        pairs = wide["pair"].unique().sort().to_list()
        counts = [
            [dict(run.select("pair", "count").iter_rows()).get(pair, 0) for pair in pairs]
            for _, run in wide.group_by("seed", maintain_order=True)
        ]
        both = [(pair // info.n_arms, pair % info.n_arms) for pair in pairs]
        yield str(learner), {"pairs": both, "counts": np.array(counts, dtype=np.float64)}


def _resampled(lost: Floats, values: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the rank correlation over resampled worlds."""
    rng = np.random.default_rng(0)
    draws = rng.integers(len(lost), size=(RESAMPLES, len(lost)))
    found = [rank_correlation(lost[draw], values[draw]) for draw in draws]
    known = [value for value in found if not math.isnan(value)]
    low, high = np.quantile(known, [0.025, 0.975]) if known else (math.nan, math.nan)
    return float(low), float(high)
