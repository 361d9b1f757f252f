from __future__ import annotations

import polars as pl
import pytest

import driftduel as dd
from driftduel.report.scaling import Growth, growths, scaling_chart


def growth():
    """Regret that grows as 2 T^(1/2) for one learner, not at all for the next, and then bends."""
    points = pl.DataFrame(
        {
            "learner": ["root"] * 4 + ["flat"] * 4 + ["bent"] * 4,
            "value": [1e2, 1e4, 1e6, 1e8] * 3,
            "mean": [20.0, 200.0, 2000.0, 20000.0, 5.0, 5.0, 5.0, 5.0, 5.0, 500.0, 999.0, 999.0],
            "error": [1.0] * 4 + [4.0, 0.0, 0.0, 0.0] + [0.0] * 4,
        }
    )
    exponents = pl.DataFrame(
        {
            "learner": ["root", "flat", "bent"],
            "exponent": [0.5, 0.0, 0.36],
            "low": 0.4,
            "high": 0.6,
            "good": [True, True, False],
        }
    )
    return Growth("world", "borda", "horizon", {"n_arms": 5}, points, exponents)


def rows(chart, key):
    drawn = chart.to_dict()["datasets"].values()
    return [row for data in drawn for row in data if key in row]


def test_the_fitted_lines_run_through_a_power_law():
    lines = rows(scaling_chart(growth(), ["root", "flat", "bent"]), "fit")
    ends = [row for row in lines if "error" not in row and row["fit"].startswith("root")]
    assert [(row["value"], row["mean"]) for row in ends] == [
        pytest.approx((1e2, 20)),
        pytest.approx((1e8, 20000)),
    ]


def test_the_legend_gives_slopes_with_their_intervals_and_poor_ones_in_brackets():
    chart = scaling_chart(growth(), ["somebody else", "root", "flat", "bent"]).to_dict()
    scale = chart["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == [
        "root: 0.50, 0.40 to 0.60",
        "flat: 0.00, 0.40 to 0.60",
        "bent: (0.36)",
    ]
    everybody = scaling_chart(growth(), ["root", "flat", "bent"]).to_dict()
    first = everybody["layer"][0]["encoding"]["color"]["scale"]["range"][0]
    assert first not in scale["range"], "a colour belongs to the place among all learners"


def test_error_bars_stay_above_zero_on_a_logarithmic_axis():
    points = rows(scaling_chart(growth(), ["root", "flat", "bent"]), "error")
    assert all(0 < row["low"] <= row["mean"] <= row["high"] for row in points)


def test_the_grids_of_an_experiment_are_found(grid):
    found = growths(grid)
    assert [(item.world, item.criterion, item.variable) for item in found] == [
        ("switching", "borda", "horizon"),
        ("switching", "condorcet", "horizon"),
    ]
    assert found[0].fixed["n_arms"] == 3
    means = grid.summary().filter(criterion="borda", learner="random pairs")
    drawn = found[0].points.filter(learner="random pairs")
    assert drawn["value"].to_list() == [100, 300, 900, 2700]
    assert drawn["mean"].to_list() == pytest.approx(means["mean"][:4].to_list())


def test_scaling_for_notebooks_has_a_panel_for_each_growth(grid):
    assert len(dd.plot.scaling(grid).to_dict()["concat"]) == 2


def test_without_a_grid_there_is_nothing_to_scale(one):
    assert growths(one) == []
    with pytest.raises(ValueError, match=r"^no parameter of a world has four values"):
        dd.plot.scaling(one)
