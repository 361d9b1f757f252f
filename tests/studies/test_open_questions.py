"""The tables on open questions, from small runs, by hand where that can be."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.experiments import Results, Spec, run_sweep
from studies.reproduction.experiments import OPEN_QUESTIONS, experiments
from studies.reproduction.open_page import open_tables
from studies.reproduction.open_questions import (
    MEASURES,
    design_values,
    designs,
    predictors,
    rank_correlation,
    unaligned,
    weak_bounds,
)

GIC = """
seeds = 3
points = 2

[[stream]]
world = "gic"
n_arms = 4
winner = 0
rival = 2
criteria = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
horizon = [200, 400]

[[learner]]
name = "Uniform"
"""

WEAK = """
seeds = 2
points = 2
criteria = ["weak borda", "borda"]
horizon = 300

[[stream]]
world = "switching"
n_arms = 3
n_phases = [1, 2]

[[learner]]
name = "UniformOpponent"
label = "tsallis"

[[learner]]
name = "UniformOpponent"
label = "exp3s"
bandit = "exp3s"
n_phases = "@borda_switches + 1"

[[learner]]
name = "DriftDuel"
regret = "weak"
"""

PAIRS = """
seeds = 2
points = 2
criteria = ["condorcet"]
horizon = 3000

[[stream]]
world = "formula-1"
arms = [["ferrari", "mclaren"], ["ferrari", "mercedes"], ["mclaren", "mercedes"], ["ferrari", "williams"]]

[[learner]]
name = "Uniform"
"""  # noqa: E501

STILL = """
seeds = 2
points = 2
horizon = 500

[[stream]]
world = "one-winner"
n_arms = 4
margin = [0.2, 0.4]

[[learner]]
name = "BCB"
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The results of small editions, by the name of their experiment."""
    specs = {
        "open-weights": GIC,
        "weak-borda": WEAK,
        "open-measures": PAIRS,
        "open-instances": STILL,
    }
    loaded = {}
    for name, text in specs.items():
        folder = tmp_path_factory.mktemp(name)
        run_sweep(Spec.parse(text), folder)
        loaded[name] = Results.load(folder)
    return loaded


def test_all_of_them_go_by_one_name():
    assert [item.name for item in experiments(["open-questions"])] == list(OPEN_QUESTIONS)
    both = experiments(["open-questions", "gic"])
    assert [item.name for item in both] == ["gic", *OPEN_QUESTIONS]


def test_weights_that_stay_cost_what_their_criteria_do(found):
    results = found["open-weights"]
    (row,) = unaligned(results).to_dicts()
    final = results.final().filter(pl.col("settings").str.contains("400"))
    by_weight = final.group_by("criterion").agg(pl.col("regret").mean())
    assert row["aligned"] == pytest.approx(by_weight["regret"].max())
    assert row["horizon"] == 400
    assert row["unaligned"] >= row["aligned"]
    assert row["times"] == pytest.approx(row["unaligned"] / row["aligned"])
    assert 0.5 < row["exponent"] < 1.5  # uniform play is linear; 200 and 400 rounds, three seeds


def test_weak_regret_has_the_bound_of_its_bandit(found):
    table = weak_bounds(found["weak-borda"])
    bounds = {(row["stream"], row["learner"]): row["bound"] for row in table.to_dicts()}
    one, two = dict.fromkeys(table["stream"])
    assert bounds[one, "tsallis"] == pytest.approx(4 * math.sqrt(900) + 1)
    assert bounds[two, "tsallis"] is None
    phases = 2 * math.log(900) + math.e
    assert bounds[two, "exp3s"] == pytest.approx(2 * math.sqrt((math.e - 1) * 900 * phases))
    assert bounds[one, "DriftDuel"] is None
    assert (table["mean"] <= table["strong"]).all()


def test_every_measure_is_held_beside_the_regret_of_every_learner(found):
    table = predictors(found["open-measures"])
    assert table["measure"].to_list() == list(MEASURES.values())
    assert table["worlds"].to_list() == [4] * 4
    assert table.filter(pl.col("correlation") > pl.col("high") + 1e-9).is_empty()


def test_rank_correlation_takes_ties_in_the_middle():
    a, b = np.array([1.0, 2.0, 2.0, 4.0]), np.array([10.0, 20.0, 30.0, 40.0])
    assert rank_correlation(a, b) == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    assert rank_correlation(a, -b) == -rank_correlation(a, b)
    assert math.isnan(rank_correlation(a, np.ones(4)))


def test_the_design_value_is_the_least_cost_of_all_designs():
    # Any numbers of duels that tell arm a from the best cost at least so much.
    rng = np.random.default_rng(2)
    upper = np.triu(rng.uniform(0.1, 0.9, (4, 4)), 1)
    P = upper + np.tril(1 - upper.T, -1) + np.eye(4) / 2
    gaps = dd.Borda().gaps(P)
    best, v, r = int(gaps.argmin()), P * (1 - P), (gaps[:, None] + gaps) / 2
    others = ~np.eye(4, dtype=bool)
    for a in np.flatnonzero(gaps > 0):
        costs = []
        for _ in range(300):
            N = rng.exponential(size=(4, 4)) + 0.01
            variance = sum((v[x] / N[x])[others[x]].sum() / 16 for x in (a, best))
            N *= variance * 2 / gaps[a] ** 2  # so that the variance is gap^2 / 2
            costs.append(sum((N[x] * r[x])[others[x]].sum() for x in (a, best)))
        assert min(costs) >= design_values(P)[a] * (1 - 1e-9)
        ideal = np.sqrt(v / np.where(others, r, 1.0))
        variance = sum((v[x] / ideal[x])[others[x]].sum() / 16 for x in (a, best))
        ideal *= variance * 2 / gaps[a] ** 2
        cost = sum((ideal[x] * r[x])[others[x]].sum() for x in (a, best))
        assert cost == pytest.approx(design_values(P)[a])


def test_regret_is_told_beside_the_dearest_arm(found):
    table = designs(found["open-instances"])
    assert table["learner"].to_list() == ["BCB"] * 2
    # One arm of 4 beats the others by .2 or .4: its Borda score is ahead by as much.
    assert table["gap"].to_list() == pytest.approx([0.2, 0.4])
    assert table["simple"].to_list() == pytest.approx(
        [4 * math.log(500) / 0.04, 4 * math.log(500) / 0.16]
    )
    assert (table["times"] > 0).all()


def test_the_report_has_a_table_for_each(found):
    tables = open_tables(found)
    assert [table.name for table in tables] == ["predictors", "unaligned", "weak", "designs"]
    assert all(len(table.cells) for table in tables)
