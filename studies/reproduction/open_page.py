"""Tables for reading on the questions that the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from driftduel.report.findings import number, shown
from driftduel.report.tables import Column, Table
from studies.reproduction.open_questions import (
    designs,
    predictors,
    unaligned,
    weak_bounds,
)

if TYPE_CHECKING:
    from driftduel.experiments.results import Results

_TWO_DIGITS = "{:.2f}".format


def open_tables(found: Mapping[str, Results]) -> list[Table]:
    """Return a table for each open question that was measured, but for exponents."""
    tables = []
    if "open-measures" in found:
        tables.append(_predictors(predictors(found["open-measures"])))
    if "open-weights" in found:
        tables.append(_unaligned(unaligned(found["open-weights"])))
    if "weak-borda" in found:
        tables.append(_weak(weak_bounds(found["weak-borda"])))
    if "open-instances" in found:
        tables.append(_designs(designs(found["open-instances"])))
    return tables


def _predictors(frame: pl.DataFrame) -> Table:
    return Table.of(
        frame,
        [
            Column("learner", "learner"),
            Column("measure", "measure"),
            Column("worlds", "worlds"),
            Column("correlation", "rank correlation", _TWO_DIGITS),
            Column(("low", "high"), "95 % over worlds", "{:.2f} to {:.2f}".format),
        ],
        name="predictors",
        title="Open: which measure of change predicts regret",
        caption=(
            "Spearman's correlation, over the worlds, of the mean Condorcet regret and the number "
            "of changes or phases, with 95 % intervals from resampling the worlds."
        ),
    )


def _unaligned(frame: pl.DataFrame) -> Table:
    return Table.of(
        frame,
        [
            Column("world", "world"),
            Column("learner", "learner"),
            Column("horizon", "T", shown),
            Column("aligned", "worst weight that stays", number),
            Column("unaligned", "that changes", number),
            Column("error", "standard error", number),
            Column("times", "times as much", _TWO_DIGITS),
            Column("exponent", "exponent in T", _TWO_DIGITS),
        ],
        name="unaligned",
        title="Open: weights that change at any time",
        caption=(
            "Mean regret at the point mass that costs the learner most, and if a point mass is "
            "chosen afresh in every round, when the pair is known; how that grows with the horizon."
        ),
    )


def _weak(frame: pl.DataFrame) -> Table:
    return Table.of(
        frame,
        [
            Column("stream", "stream"),
            Column("learner", "learner"),
            Column("mean", "weak Borda regret", number),
            Column("error", "standard error", number),
            Column("bound", "bound", number),
            Column("strong", "Borda regret", number),
        ],
        name="weak",
        title="Weak Borda regret beside its bound",
        caption=(
            "Mean regret of the better arm of each pair, and its bound where there is one: that of "
            "the bandit that chooses the left arm. Exponents are in their own table."
        ),
        grouped=True,
    )


def _designs(frame: pl.DataFrame) -> Table:
    return Table.of(
        frame,
        [
            Column("stream", "stream"),
            Column("gap", "smallest gap", "{:.3f}".format),
            Column("simple", "K ln T / gap^2", number),
            Column("design", "design value x ln T", number),
            Column("learner", "learner"),
            Column("mean", "mean regret", number),
            Column("error", "standard error", number),
            Column("times", "over the design value", _TWO_DIGITS),
        ],
        name="designs",
        title="Open: constants of an instance",
        caption=(
            "Mean Borda regret in worlds that do not change, beside the design value of the "
            "dearest arm: what the cheapest duels cost that tell it from the best arm."
        ),
        grouped=True,
    )
