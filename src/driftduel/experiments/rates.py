"""How regret grows: exponents fitted to final regret along the grids of an experiment.

A line fits any points somehow. How well is judged by its scatter, the standard error of the slope
that the distances of the points from the line imply: it is small if the points are many, far apart
and on a line, whatever the seeds say. A curve whose slope falls from 0.9 to 0.4 over four points,
each twice the one before, has a scatter of 0.08.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from driftduel.experiments.grids import read_parameters, write_parameters
from driftduel.experiments.results import Results

LEAST = 4
"""Values of a parameter that a fit needs."""

MOST_SCATTER = 0.05
"""Scatter of a fit that is good."""

_SCHEMA: dict[str, Any] = {
    "learner": pl.String,
    "world": pl.String,
    "criterion": pl.String,
    "variable": pl.String,
    "fixed": pl.String,
    "exponent": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "scatter": pl.Float64,
    "good": pl.Boolean,
    "points": pl.Int64,
    "values": pl.List(pl.Float64),
    "means": pl.List(pl.Float64),
    "errors": pl.List(pl.Float64),
}

Floats = NDArray[np.float64]


def exponents(results: Results, *, resamples: int = 1000, seed: int = 0) -> pl.DataFrame:
    """Fit the growth of mean final regret with every parameter that has four values or more.

    The fit is a line through the logarithms, least squares; its interval of 95 % comes from a
    bootstrap over the runs of every point, and is about the seeds only. Everything else about the
    world is fixed, but for its seed: streams that differ in their seed alone are runs of one point.

    Parameters
    ----------
    results : Results
        An experiment with a grid over a parameter of a world, such as ``horizon``.
    resamples : int
        Number of bootstrap samples.
    seed : int
        Seed of the bootstrap.

    Returns
    -------
    DataFrame
        Columns ``learner``, ``world``, ``criterion``, ``variable`` (the parameter), ``fixed`` (the
        other parameters as JSON), ``exponent``, ``low``, ``high``, ``scatter`` (the standard
        error of the exponent by the distances of the points from the line), ``good`` (whether
        that is at most 0.05), ``points`` (how many values), and the points themselves:
        ``values``, ``means`` and ``errors``. Without a grid it has no rows, and a learner without
        regret somewhere has none.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for group, points in _grids(results):
        values = np.array(sorted(points))
        finals = [points[value] for value in values]
        means = np.array([final.mean() for final in finals])
        if (means <= 0).any():
            continue
        low, high = np.quantile(_bootstrap(values, finals, resamples, rng), (0.025, 0.975))
        errors = [_error(final) for final in finals]
        slope = float(_slopes(values, means[None])[0])
        scatter = _scatter(values, means, slope)
        fit = (slope, float(low), float(high), scatter, scatter <= MOST_SCATTER, len(values))
        rows.append((*group, *fit, values.tolist(), means.tolist(), errors))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _grids(results: Results) -> Iterator[tuple[tuple[str, ...], dict[float, Floats]]]:
    """Yield learner, world, criterion, variable and fixed parameters, with the final regrets."""
    final = results.final()
    groups = final.group_by("learner", "world", "criterion", maintain_order=True)
    for (learner, world, criterion), mine in groups:
        regrets = {
            str(settings): part["regret"].to_numpy()
            for (settings,), part in mine.group_by("settings", maintain_order=True)
        }
        points: dict[tuple[str, str], dict[float, list[Floats]]] = {}
        grid = [(read_parameters(text), regret) for text, regret in regrets.items()]
        one_seed = len({settings.get("seed") for settings, _ in grid}) == 1
        for settings, regret in grid:
            for name, value in settings.items():
                if name != "seed" and _is_positive(value):
                    fixed = {
                        key: other
                        for key, other in settings.items()
                        if key != name and (one_seed or key != "seed")
                    }
                    place = points.setdefault((name, write_parameters(fixed)), {})
                    place.setdefault(float(value), []).append(regret)
        for (name, rest), found in points.items():
            if len(found) >= LEAST:
                pooled = {value: np.concatenate(parts) for value, parts in found.items()}
                yield (str(learner), str(world), str(criterion), name, rest), pooled


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _bootstrap(
    values: Floats, finals: list[Floats], resamples: int, rng: np.random.Generator
) -> Floats:
    """Return the exponents of samples drawn from the runs of every point."""
    means = np.empty((resamples, len(values)))
    for place, final in enumerate(finals):
        drawn = rng.integers(len(final), size=(resamples, len(final)))
        means[:, place] = final[drawn].mean(axis=1)
    return _slopes(values, means)


def _slopes(values: Floats, means: Floats) -> Floats:
    """Return the slope of the line through the logarithms, for every row of means."""
    x = np.log(values)
    x -= x.mean()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(means) @ x / (x @ x))


def _scatter(values: Floats, means: Floats, slope: float) -> float:
    """Return the standard error of a slope by the distances of the points from the line."""
    x, y = np.log(values), np.log(means)
    x -= x.mean()
    away = y - y.mean() - slope * x
    return float(np.sqrt(away @ away / (len(x) - 2) / (x @ x)))


def _error(final: Floats) -> float:
    return float(final.std(ddof=1) / np.sqrt(len(final))) if len(final) > 1 else 0.0
