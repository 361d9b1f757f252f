from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from driftduel import Stream
from driftduel.worlds import adversarial, catalogue, hard, synthetic

NAMES = catalogue.names()
DATA = (
    "american-league", "formula-1", "premier-league", "six-rankers", "arithmetic", "cyclic",
    "llm-arena",
)  # fmt: skip


def defaults(name):
    return {key: item.default for key, item in catalogue.parameters(name).items()}


def test_the_catalogue_holds_every_world_that_is_made_up():
    made = {world.builder for world in catalogue.CATALOGUE.values()}
    for module in (adversarial, synthetic, hard):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            returns = inspect.signature(function).return_annotation
            if not name.startswith("_") and returns in ("Stream", "HardInstance"):
                assert function in made, name


def test_names_are_the_keys_and_the_data_come_last():
    assert tuple(catalogue.CATALOGUE) == NAMES
    assert NAMES[-7:] == DATA
    assert all(name == name.lower() and " " not in name for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_world_has_one_line_about_it(name):
    line = catalogue.describe(name)
    assert 10 < len(line) < 80
    assert "\n" not in line


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_has_a_default_and_a_kind(name):
    values = defaults(name)
    assert "horizon" in values
    assert inspect.Parameter.empty not in values.values()
    assert catalogue.build(name, **{**values, "horizon": 100}).horizon == 100


@pytest.mark.parametrize("name", NAMES)
def test_every_world_builds_for_any_size_and_seed(name):
    asked = [{"horizon": 37}]
    if "seed" in defaults(name):
        asked += [{"horizon": 10, "seed": seed} for seed in (0, 5, None)]
    if "n_arms" in defaults(name):
        asked += [{"horizon": 10, "n_arms": n_arms} for n_arms in (4, 5, 13)]
    for values in asked:
        stream = catalogue.build(name, **values)
        assert isinstance(stream, Stream)
        assert stream.horizon == values["horizon"]
        assert stream.n_arms == values.get("n_arms", stream.n_arms)


def test_a_built_world_is_the_one_of_its_function():
    assert catalogue.build("switching", horizon=50, seed=4) == synthetic.switching(
        horizon=50, seed=4
    )
    assert catalogue.build("gic", horizon=50, seed=4) == hard.gic(horizon=50, seed=4).stream
    for world in (1, 2):
        pair = hard.gic_pair(horizon=50)
        assert catalogue.build("gic-pair", horizon=50, world=world) == pair[world - 1].stream


def test_the_data_keep_their_labels():
    assert "red-bull" in catalogue.build("formula-1", horizon=10).labels
    assert catalogue.build("six-rankers", horizon=10).n_arms == 6
    assert len(catalogue.build("llm-arena", horizon=10).labels) == 16
    few = catalogue.build(
        "american-league", horizon=10, arms=["NYA", "BOS"], bandwidth=900, remove_bias=False
    )
    assert few.labels == ("NYA", "BOS")


def test_text_becomes_values_of_the_right_kind():
    texts = {"n_arms": "6", "step": "none", "spread": "2", "link": "probit", "seed": "3"}
    values = catalogue.parse("random-walk", texts)
    assert values == {"n_arms": 6, "step": None, "spread": 2.0, "link": "probit", "seed": 3}
    assert isinstance(values["spread"], float)
    assert catalogue.build("random-walk", horizon=20, **values) == synthetic.random_walk(
        n_arms=6, spread=2.0, link="probit", seed=3, horizon=20
    )
    assert catalogue.parse("random-walk", {"seed": "None"}) == {"seed": None}


def test_text_may_be_a_list_or_a_flag():
    assert catalogue.parse("known-weight", {"weight": "0.5, 0.5"}) == {"weight": [0.5, 0.5]}
    values = {"arms": "NYA, BOS", "remove_bias": "False", "bandwidth": "400"}
    assert catalogue.parse("american-league", values) == {
        "arms": ["NYA", "BOS"],
        "remove_bias": False,
        "bandwidth": 400.0,
    }


def test_values_may_be_of_any_numeric_type():
    asked = {"n_arms": np.int64(4), "horizon": 10, "weight": np.full(4, 0.25), "epsilon": 0}
    assert catalogue.build("known-weight", **asked).n_arms == 4
    assert catalogue.build("random-utilities", horizon=5, link=lambda x: 0.5 + 0 * x).horizon == 5
    assert catalogue.build("one-winner", horizon=5, seed=np.random.default_rng(1)).horizon == 5


@pytest.mark.parametrize(
    "ask",
    [catalogue.describe, catalogue.parameters, catalogue.build, lambda n: catalogue.parse(n, {})],
)
def test_an_unknown_world_is_refused_with_the_names_there_are(ask):
    with pytest.raises(
        ValueError, match=r"'swiching' \(did you mean switching\?\), there are one-w"
    ):
        ask("swiching")


def test_an_unknown_parameter_is_refused_with_the_names_there_are():
    message = "gic-pair: arms is no parameter, there are horizon, constant, world"
    with pytest.raises(ValueError, match=message):
        catalogue.build("gic-pair", arms=3)
    with pytest.raises(ValueError, match=message):
        catalogue.parse("gic-pair", {"arms": "3"})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_arms", "3", "switching: n_arms is '3', must be a whole number$"),
        ("n_arms", 3.0, "switching: n_arms is 3.0, must be a whole number$"),
        ("n_arms", True, "switching: n_arms is True, must be a whole number$"),
        ("horizon", None, "switching: horizon is None, must be a whole number$"),
        ("kind", 3, "switching: kind is 3, must be text$"),
        ("seed", "x", "switching: seed is 'x', must be a whole number or a generator or none$"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        catalogue.build("switching", **{name: value})


@pytest.mark.parametrize(
    ("world", "values", "message"),
    [
        ("one-winner", {"margin": [1]}, r"one-winner: margin is \[1\], must be a number$"),
        ("one-winner", {"margin": 0.9}, "margin is 0.9, must be between 0 and 0.5"),
        ("random-walk", {"step": 1.5}, "random-walk: step is 1.5, must be a whole number or none$"),
        ("random-walk", {"link": 3}, "random-walk: link is 3, must be text or a function$"),
        ("known-weight", {"weight": "a"}, "weight is 'a', must be a list of numbers or none$"),
        ("known-weight", {"weight": ["a"]}, "must be a list of numbers or none$"),
        ("american-league", {"remove_bias": 1}, "remove_bias is 1, must be true or false$"),
        ("american-league", {"arms": "NYA"}, "arms is 'NYA', must be a list of names or none$"),
        ("gic-pair", {"world": 3}, "world is 3, must be at most 2"),
    ],
)
def test_build_refuses(world, values, message):
    with pytest.raises(ValueError, match=message):
        catalogue.build(world, **values)


@pytest.mark.parametrize(
    ("world", "texts", "message"),
    [
        ("switching", {"n_arms": "3x"}, "switching: n_arms is '3x', must be a whole number$"),
        ("switching", {"n_arms": "3.0"}, "switching: n_arms is '3.0', must be a whole number$"),
        ("switching", {"n_arms": "none"}, "n_arms is 'none', must be a whole number$"),
        ("one-winner", {"margin": ""}, "one-winner: margin is '', must be a number$"),
        ("known-weight", {"weight": "0.5;0.5"}, "must be a list of numbers or none$"),
        ("american-league", {"remove_bias": "yes"}, "must be true or false$"),
        ("one-winner", {"seed": "x"}, "seed is 'x', must be a whole number or none$"),
    ],
)
def test_parse_refuses(world, texts, message):
    with pytest.raises(ValueError, match=message):
        catalogue.parse(world, texts)


@pytest.mark.parametrize("name", [name for name in NAMES if "n_arms" in defaults(name)])
def test_a_thousand_million_arms_are_refused(name):
    with pytest.raises(ValueError, match=rf"^{name}: n_arms is 1000000000, must be at most 11585$"):
        catalogue.build(name, n_arms=10**9)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DATA])
def test_the_longest_horizon_takes_little_memory_or_is_refused(name):
    try:
        assert catalogue.build(name, horizon=2**62).horizon == 2**62
    except ValueError as error:
        assert re.match(r"the world would have [\d,]+ stretches, must be", str(error))  # noqa: PT017


def test_too_many_phases_are_refused():
    with pytest.raises(ValueError, match=r"n_phases is 1000000000, must be at most 1000000$"):
        catalogue.build("known-weight-dynamic", horizon=10**12, n_phases=10**9)
