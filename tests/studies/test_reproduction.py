from __future__ import annotations

from collections import defaultdict
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

from driftduel.experiments import Results, Spec, run_sweep
from driftduel.experiments.plan import make_plan
from driftduel.experiments.rates import LEAST
from driftduel.worlds import hard
from studies.reproduction.experiments import (
    NAMES,
    Experiment,
    expected_seconds,
    experiments,
    quick_edition,
)
from studies.reproduction.tables import (
    THEOREM,
    comparable,
    found_exponents,
    halves,
    promised,
    tracking,
    worst_weights,
)

NO_EXPONENTS = {"intervals", "real-worlds", "weights", "weak-borda", "open-instances"}
"""Experiments about other things, or in one variable only of several that they have."""

GIC = """
seeds = 3
points = 2

[[stream]]
world = "gic"
n_arms = 4
winner = 0
rival = 2
criteria = [[0, 0, 1, 0]]
horizon = [100, 200, 400, 800]

[[stream]]
world = "gic"
n_arms = 5
winner = 0
rival = 3
criteria = [[0, 0, 0, 1, 0]]
horizon = 800

[[stream]]
world = "gic"
n_arms = 6
winner = 0
rival = 3
criteria = [[0, 0, 0, 1, 0, 0]]
horizon = 800

[[stream]]
world = "gic"
n_arms = 7
winner = 0
rival = 4
criteria = [[0, 0, 0, 0, 1, 0, 0]]
horizon = 800

[[learner]]
name = "Uniform"
label = "random pairs"
"""

WEIGHTS = """
seeds = 4
points = 2
criteria = ["borda", [1, 0, 0], [0, 1, 0], [0, 0, 1]]

[[stream]]
world = "borda-against-condorcet"
horizon = [300, 900]

[[learner]]
name = "Uniform"
"""

TURNS = """
seeds = 3
points = 2

[[stream]]
world = "alternation"
n_arms = 3
margin = 0.5
every = 600
horizon = 1200

[[learner]]
name = "Oracle"

[[learner]]
name = "Uniform"

[[learner]]
name = "MetaBosse"
constants = { scale = 0.05 }
"""


def results(text, folder):
    run_sweep(Spec.parse(text), folder)
    return Results.load(folder)


def test_every_spec_of_the_folder_is_an_experiment():
    folder = files("studies.reproduction").joinpath("specs")
    assert sorted(file.name for file in folder.iterdir()) == sorted(f"{n}.toml" for n in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_quick_edition_plays_fewer_rounds(name):
    (full,), (quick,) = experiments([name]), experiments([name], quick=True)
    assert "quick" not in quick.spec.text
    assert quick.seconds(Path("nowhere"), 1) < full.seconds(Path("nowhere"), 1)


def test_the_whole_of_the_quick_edition_is_expected_within_five_minutes_on_two_cores():
    assert expected_seconds(experiments(quick=True), Path("nowhere"), 2) < 300


def test_regret_under_gic_is_measured_at_the_weight_of_the_theorem():
    (item,) = experiments(["gic"])
    for stream in item.spec.streams:
        instance = hard.gic(**stream.parameters)
        assert stream.criteria == (tuple(instance.weight.at(0)),)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", sorted(set(NAMES) - NO_EXPONENTS))
def test_what_theory_promises_an_exponent_for_has_the_values_that_a_fit_needs(name, quick):
    (item,) = experiments([name], quick=quick)
    values = defaultdict(set)
    for stream in item.spec.streams:
        for variable in ("horizon", "n_arms", "n_phases", "variation"):
            if variable in stream.parameters:
                values[stream.world, variable].add(stream.parameters[variable])
    assert all(len(found) == 1 or len(found) >= LEAST for found in values.values())


def test_an_unknown_experiment_is_refused():
    with pytest.raises(ValueError, match=r"'gim' \(did you mean gic\?\), there are known-weight"):
        experiments(["gim"])


def test_only_marked_lines_change_in_the_quick_edition():
    text = 'title = "a"\nseeds = 8  # many\nhorizon = [10, 20]  # quick: [1, 2]\n'
    assert quick_edition(text) == 'title = "a"\nseeds = 8  # many\nhorizon = [1, 2]\n'


def test_worlds_under_gic_of_several_sizes_are_one_grid(tmp_path):
    found = found_exponents(results(GIC, tmp_path))
    assert found["variable"].to_list() == ["horizon", "n_arms"]
    assert found["criterion"].unique().to_list() == [THEOREM]
    assert found["values"].to_list() == [[100, 200, 400, 800], [4, 5, 6, 7]]
    assert found["promised"].to_list() == [1.0, None]
    assert found["exponent"][0] == pytest.approx(1, abs=0.2)
    assert len(comparable(Results.load(tmp_path)).final()) == 21


def test_the_last_step_is_the_slope_between_the_last_two_points(tmp_path):
    found = found_exponents(results(GIC, tmp_path)).row(0, named=True)
    ratio = found["means"][-1] / found["means"][-2]
    assert 2 ** found["last"] == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("case", "exponent"),
    [
        (("MetaBosse", "known-weight", "borda", "horizon"), 2 / 3),
        (("Bosse", "known-weight", "borda", "n_arms"), 1 / 3),
        (("Bosse", "gic", THEOREM, "n_arms"), 2 / 3),
        (("DEX3S", "gic", THEOREM, "n_arms"), None),
        (("DEX3S", "gic", "condorcet", "n_arms"), 1 / 2),
        (("MetaBosse", "switching", "weak borda", "horizon"), None),
        (("Bosse", "gic-dynamic", "condorcet", "n_phases"), None),
        (("MetaBosse", "gic-variation", "borda", "horizon"), 3 / 4),
        (("Anaconda", "spurious-switches", "condorcet", "horizon"), 1),
        (("Anaconda", "switching", "condorcet", "horizon"), 1 / 2),
        (("MetaBosse", "switching", "condorcet", "horizon", "gic"), 2 / 3),
        (("MetaBosse", "switching", "condorcet", "horizon", "cw"), None),
        (("MetaBosse", "switching", "borda", "horizon", "any"), 2 / 3),
        (("MetaSwift", "switching", "condorcet", "horizon", "gic"), None),
        (("MetaBosse", "formula-1", "borda", "horizon"), None),
        (("MetaBosse", "switching", "borda", "every"), None),
    ],
)
def test_what_theory_promises(case, exponent):
    assert promised(*case) == (None if exponent is None else pytest.approx(exponent))


def test_random_pairs_pay_more_than_a_45th_at_their_worst_weight(tmp_path):
    worst = worst_weights(results(WEIGHTS, tmp_path))
    assert worst["horizon"].to_list() == [300, 900]
    assert (worst["times"] > 1).all()
    # At the point mass on arm 2, a third of the choices lose 0.4 and a third 0.5.
    assert worst["weight"].to_list() == ["[0, 0, 1]", "[0, 0, 1]"]
    assert worst["regret"][1] == pytest.approx(900 * 0.9 / 3, rel=0.2)


def test_the_halves_of_a_lower_bound_cost_all_the_regret(tmp_path):
    found = results(GIC, tmp_path)
    split = halves(found)
    means = found.final().group_by("settings", maintain_order=True).agg(pl.col("regret").mean())
    odd = split["n_arms"] % 2 == 1
    total = (split["good"] + split["bad"]).filter(~odd).to_list()
    assert total == pytest.approx(means["regret"].filter(~odd).to_list())
    assert split["share"].is_between(0, 1).all()


def test_who_follows_the_winner(tmp_path):
    followed = {row["learner"]: row for row in tracking(results(TURNS, tmp_path)).to_dicts()}
    assert followed["Oracle"]["share"] == 0
    assert followed["Oracle"]["right"] == 1
    assert followed["Oracle"]["found"] is None
    assert followed["Uniform"]["share"] == 1
    assert followed["Uniform"]["right"] is None
    assert followed["MetaBosse"]["restarts"] > 0
    assert followed["MetaBosse"]["shifts"] == 1
    assert 0 < followed["MetaBosse"]["found"] <= 1


def test_what_is_finished_takes_no_time(tmp_path):
    tiny = Experiment("weights", Spec.parse(WEIGHTS))
    assert expected_seconds([tiny], tmp_path, 1) > 0
    run_sweep(tiny.spec, tmp_path / "weights")
    assert expected_seconds([tiny], tmp_path, 1) == 0
    (tmp_path / "weights" / "plan.json").write_text("rotten")
    assert expected_seconds([tiny], tmp_path, 1) > 0


@pytest.mark.parametrize("name", ["known-weight", "weights", "table-1-borda"])
def test_the_specs_can_be_planned(name):
    (item,) = experiments([name], quick=True)
    plan = make_plan(item.spec)
    assert len(plan.combinations) == len(item.spec.streams) * len(item.spec.learners)
