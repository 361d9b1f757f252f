from __future__ import annotations

import pytest

import driftduel as dd
from driftduel.worlds import catalogue, datasets


def test_every_world_is_listed_on_one_line(run):
    lines = [" ".join(line.split()) for line in run("streams").out.splitlines()]
    for name in catalogue.names():
        assert f"{name} {catalogue.describe(name)}" in lines


def test_the_list_in_json(run):
    assert run("streams", "--json").json == {
        name: catalogue.describe(name) for name in catalogue.names()
    }


@pytest.mark.parametrize("name", catalogue.names())
def test_every_world_shows_its_parameters_with_their_defaults(run, name):
    found = run("streams", name, "--json").json
    assert found["parameters"] == {
        key: item.default for key, item in catalogue.parameters(name).items()
    }
    lines = [line.split() for line in run("streams", name).out.splitlines()]
    assert ["horizon", str(found["parameters"]["horizon"])] in lines


def test_a_world_is_written_as_it_would_be_built(run, tmp_path):
    path = tmp_path / "world.npz"
    params = ("--param", "n_arms=4", "--param", "horizon=500", "--param", "seed=7")
    done = run("streams", "switching", "--out", path, *params)
    assert dd.Stream.load(path) == catalogue.build("switching", n_arms=4, horizon=500, seed=7)
    assert done.out.startswith(f"{path}: Stream(4 arms, 500 rounds")


def test_writing_in_json_says_what_was_written(run, tmp_path):
    path = tmp_path / "world.npz"
    found = run("streams", "gic", "--out", path, "--param", "horizon=50", "--json").json
    assert found == {
        "file": str(path),
        "world": "gic",
        "parameters": {"horizon": 50},
        "n_arms": 10,
        "horizon": 50,
        "notices": [],
    }


def test_a_world_made_of_data_comes_with_its_notice(run, tmp_path):
    arguments = ("streams", "american-league", "--param", "horizon=40", "--out")
    assert "is copyrighted by Retrosheet" in run(*arguments, tmp_path / "a.npz").words
    found = run(*arguments, tmp_path / "b.npz", "--json").json
    assert found["notices"] == [datasets.notice("american_league")]


def test_an_unknown_world_is_refused(refused, tmp_path):
    sentence = refused("streams", "swiching", "--out", tmp_path / "world.npz")
    assert sentence.startswith(
        "no world is called 'swiching' (did you mean switching?), there are one-winner, "
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("param", "sentence"),
    [
        (
            "phases=3",
            "switching: phases is no parameter (did you mean n_phases?), there are n_arms, "
            "horizon, n_phases, kind, winner, spacing, seed",
        ),
        ("n_arms=ten", "switching: n_arms is 'ten', must be a whole number"),
        ("horizon=0", "switching: horizon is 0, must be at least 1"),
        ("horizon", "--param is 'horizon', must be KEY=VALUE"),
        ("=5", "--param is '=5', must be KEY=VALUE"),
    ],
)
def test_a_wrong_parameter_is_refused_and_nothing_written(refused, tmp_path, param, sentence):
    path = tmp_path / "world.npz"
    assert refused("streams", "switching", "--out", path, "--param", param) == sentence
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_given_twice_is_refused(refused, tmp_path):
    twice = ("--param", "seed=1", "--param", "seed=2")
    sentence = refused("streams", "switching", "--out", tmp_path / "world.npz", *twice)
    assert sentence == "--param: 'seed' is given twice"


def test_a_file_of_another_kind_is_refused(refused, tmp_path):
    path = tmp_path / "world.csv"
    assert refused("streams", "switching", "--out", path) == f"--out is {path}, must end in .npz"


def test_a_folder_that_does_not_exist_is_refused(refused, tmp_path):
    path = tmp_path / "no" / "world.npz"
    assert refused("streams", "switching", "--out", path) == (
        f"the folder {path.parent} does not exist"
    )


def test_parameters_without_a_file_or_a_world_are_refused(refused, tmp_path):
    assert refused("streams", "switching", "--param", "seed=1") == (
        "--param needs --out FILE, the file to write the world to"
    )
    sentence = "--out and --param need the NAME of a world"
    assert refused("streams", "--out", tmp_path / "world.npz") == sentence
    assert refused("streams", "--param", "seed=1") == sentence
