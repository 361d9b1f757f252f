from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.report import regret_over_time, save_figure

P, Q = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]


@pytest.fixture
def runs():
    world = dd.Stream.piecewise([P, Q], [0, 120], 300)
    players = {
        "random pairs": dd.learners.Uniform(2),
        "never adapts": dd.learners.FixedPair(2, left=0, right=0),
    }
    return {
        name: dd.simulate_many(player, world, range(3), points=10)
        for name, player in players.items()
    }


def rows(chart, *keys):
    """Every row of data in a chart that has just these keys."""
    return [row for data in chart["datasets"].values() for row in data if set(keys) == set(row)]


def drawn_as(numbers):
    """Numbers of six figures are drawn; a difference of two of them is as good as the larger."""
    return pytest.approx(numbers, rel=1e-5, abs=1e-4)


def test_the_curves_are_the_mean_regret_from_zero_on_with_two_standard_errors(runs):
    chart = regret_over_time(runs, title="who noticed").to_dict()
    drawn = rows(chart, "learner", "round", "regret", "low", "high")
    for name, mine in runs.items():
        curve = [row for row in drawn if row["learner"] == name]
        assert [row["round"] for row in curve] == [0, *mine[0].rounds.tolist()]
        regret = np.array([run.regret() for run in mine])
        assert [row["regret"] for row in curve] == drawn_as([0, *regret.mean(axis=0)])
        error = 2 * regret.std(axis=0, ddof=1) / np.sqrt(3)
        width = [row["high"] - row["low"] for row in curve]
        assert width == drawn_as([0, *(2 * error)])


def test_a_single_run_has_no_band(runs):
    one = {name: mine[:1] for name, mine in runs.items()}
    drawn = rows(
        regret_over_time(one, title="one").to_dict(), "learner", "round", "regret", "low", "high"
    )
    assert all(row["low"] == row["high"] == row["regret"] for row in drawn)


def test_the_true_changes_are_marked_and_the_axes_named(runs):
    chart = regret_over_time(runs, title="who noticed", subtitle=["no prior knowledge"]).to_dict()
    assert rows(chart, "round") == [{"round": 120}]
    curves = chart["vconcat"][0]["layer"][1]["encoding"]
    assert (curves["x"]["title"], curves["y"]["title"]) == ("round t", "cumulative regret")
    assert chart["title"]["subtitle"] == ["no prior knowledge"]


def test_every_learner_is_named_in_the_legend(runs, tmp_path):
    chart = regret_over_time(runs, title="who noticed")
    (file,) = save_figure(chart, tmp_path, "regret", ["svg"])
    for name in runs:
        assert f">{name}<" in file.read_text()


def test_episodes_have_a_row_for_each_run(runs):
    for run, episodes in zip(runs["random pairs"], ([0], [0, 130], [0, 5, 200]), strict=True):
        run.episodes[:] = episodes
    chart = regret_over_time(runs, title="who noticed", noticing="random pairs").to_dict()
    assert rows(chart, "run", "round") == [
        {"run": "seed 1", "round": 130},
        {"run": "seed 2", "round": 5},
        {"run": "seed 2", "round": 200},
    ]
    domain = chart["vconcat"][1]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert domain == ["seed 0", "seed 1", "seed 2"]
