from __future__ import annotations

import re

import pytest

import driftduel as dd
from driftduel.experiments import Spec, read_spec
from driftduel.experiments.grids import expand, labels, shown_as
from driftduel.experiments.spec import criterion_name, criterion_of

STREAM = '[[stream]]\nworld = "switching"\n'
LEARNER = '[[learner]]\nname = "Uniform"\n'


def refusal(text):
    with pytest.raises(ValueError, match=r"^spec") as caught:
        Spec.parse(text)
    return str(caught.value)


def test_lists_make_grids_and_every_point_has_a_label():
    spec = Spec.parse(
        'horizon = [100, 200]\n[[stream]]\nlabel = "taste"\nworld = "switching"\nn_arms = [3, 4]\n'
        '[[learner]]\nname = "RUCB"\nalpha = [0.6, 0.8]\n'
    )
    assert [entry.label for entry in spec.streams] == [
        "taste, n_arms = 3, horizon = 100",
        "taste, n_arms = 3, horizon = 200",
        "taste, n_arms = 4, horizon = 100",
        "taste, n_arms = 4, horizon = 200",
    ]
    assert spec.streams[1].parameters == {"n_arms": 3, "horizon": 200}
    assert [entry.label for entry in spec.learners] == ["RUCB, alpha = 0.6", "RUCB, alpha = 0.8"]


def test_a_world_keeps_its_own_horizon():
    spec = Spec.parse("horizon = 100\n" + STREAM + "horizon = 50\n" + LEARNER)
    assert spec.streams[0].parameters == {"horizon": 50}


def test_a_parameter_that_takes_a_list_is_a_grid_if_it_holds_lists():
    world = '[[stream]]\nworld = "known-weight"\nn_arms = 3\nweight = '
    one = Spec.parse(world + "[0.5, 0.3, 0.2]\n" + LEARNER)
    assert [entry.parameters["weight"] for entry in one.streams] == [[0.5, 0.3, 0.2]]
    two = Spec.parse(world + "[[0.5, 0.3, 0.2], [1, 0, 0]]\n" + LEARNER)
    assert [entry.parameters["weight"] for entry in two.streams] == [[0.5, 0.3, 0.2], [1, 0, 0]]


def test_features_are_rows_and_a_grid_if_there_are_several_tables_of_rows():
    world = '[[stream]]\nworld = "glm-drift"\nn_arms = 3\n'
    learner = '[[learner]]\nname = "BEXP3"\nfeatures = '
    rows = [[0, 1], [1, 1], [2, 0]]
    one = Spec.parse(f"horizon = 50\n{world}features = {rows}\n{learner}{rows}\n")
    assert [entry.parameters["features"] for entry in one.streams] == [rows]
    assert [entry.parameters["features"] for entry in one.learners] == [rows]
    two = Spec.parse(f"{world}{learner}[{rows}, [[0], [1], [2]]]\n")
    assert [entry.parameters["features"] for entry in two.learners] == [rows, [[0], [1], [2]]]


def test_a_criterion_is_a_weight_or_a_grid_of_names():
    learner = '[[learner]]\nname = "MetaBosse"\ncriterion = '
    weight = Spec.parse(STREAM + learner + "[0.5, 0.3, 0.2]\n").learners
    assert [entry.parameters["criterion"] for entry in weight] == [[0.5, 0.3, 0.2]]
    names = Spec.parse(STREAM + learner + '["borda", "condorcet"]\n').learners
    assert [entry.parameters["criterion"] for entry in names] == ["borda", "condorcet"]


def test_tables_inside_a_learner_are_grids_too():
    wrapped = '[[learner]]\nname = "SlidingWindow"\nwindow = 50\ninner = {name = "RUCB", alpha = '
    spec = Spec.parse(STREAM + wrapped + "[0.6, 0.7]}\n")
    assert [entry.label for entry in spec.learners] == [
        "SlidingWindow, inner = RUCB (alpha = 0.6)",
        "SlidingWindow, inner = RUCB (alpha = 0.7)",
    ]


def test_an_ablation_is_a_grid_of_tables():
    learner = '[[learner]]\nname = "DriftDuel"\ncalibration = '
    spec = Spec.parse(STREAM + learner + "[{alarm = 3.0}, {urge = 0.0, pair_urge = 0.0}]\n")
    assert [entry.label for entry in spec.learners] == [
        "DriftDuel, calibration = (alarm = 3)",
        "DriftDuel, calibration = (urge = 0, pair_urge = 0)",
    ]
    assert [entry.parameters["calibration"] for entry in spec.learners] == [
        {"alarm": 3.0},
        {"urge": 0.0, "pair_urge": 0.0},
    ]


def test_labels_of_two_tables_of_one_world_show_all_parameters():
    second = '[[stream]]\nworld = "switching"\nn_phases = 2\n'
    spec = Spec.parse(STREAM + "n_phases = 3\n" + second + LEARNER)
    assert [entry.label for entry in spec.streams] == [
        "switching, n_phases = 3",
        "switching, n_phases = 2",
    ]


def test_seeds_are_a_number_or_a_list():
    assert Spec.parse("seeds = 3\n" + STREAM + LEARNER).seeds == (0, 1, 2)
    assert Spec.parse("seeds = [7, 5]\n" + STREAM + LEARNER).seeds == (7, 5)


def test_none_is_a_word_where_it_is_allowed():
    spec = Spec.parse('[[stream]]\nworld = "one-winner"\nwinner = ["none", 1]\n' + LEARNER)
    assert [entry.parameters["winner"] for entry in spec.streams] == [None, 1]


def test_a_stream_may_have_criteria_of_its_own():
    spec = Spec.parse(
        'criteria = ["borda", [0.5, 0.5]]\n'
        + STREAM
        + '[[stream]]\nlabel = "b"\nworld = "switching"\ncriteria = ["copeland"]\n'
        + LEARNER
    )
    assert [entry.criteria for entry in spec.streams] == [("borda", (0.5, 0.5)), ("copeland",)]


def test_the_oracle_takes_a_criterion_alone():
    oracle = STREAM + '[[learner]]\nname = "Oracle"\n'
    assert Spec.parse(oracle + 'criterion = "condorcet"\n').learners
    assert "is no parameter, there are criterion" in refusal(oracle + "winners = [0]\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds = ", "spec: is not TOML"),
        ("title = " + "[" * 3000, "spec: lists or tables are nested too deeply"),
        ("seed = 3\n", "seed: no such key (did you mean seeds?), there are criteria, horizon"),
        ("sedes = 3\n", "spec, line 1: sedes: no such key (did you mean seeds?), there are"),
        ("title = 3\n", "spec, line 1: title: is 3, must be text"),
        ('title = "\\u001b[31m"\n', "spec, line 1: title: is '\\x1b[31m', must be printable"),
        ("points = 0\n", "spec, line 1: points: is 0, must be a whole number from 1 on"),
        ("seeds = true\n", "seeds: is True, must be a whole number from 1 on or a list"),
        ("seeds = [1, -1]\n", "seeds: -1 is no seed"),
        ("seeds = [1, 1]\n", "seeds: a seed is listed twice"),
        ("seeds = []\n", "seeds: the list is empty"),
        ("horizon = [10, 0]\n", "horizon: is 0, must be a whole number from 1 on or a list"),
        ('criteria = "borda"\n', "criteria: is 'borda', must be a list of"),
        ('criteria = ["best"]\n', "criteria: 'best': criterion is 'best', must be 'borda',"),
        ("criteria = [[0.5, 0.6]]\n", "criteria: [0.5, 0.6]: weight"),
        ("criteria = [3]\n", "criteria: 3: must be a list of"),
        ('criteria = ["borda", "borda"]\n', "criteria: a criterion is listed twice"),
    ],
)
def test_what_is_wrong_at_the_top_is_named(text, message):
    assert message in refusal(text + STREAM + LEARNER)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("n_arm = 3", "line 5: stream[1].n_arm: is no parameter (did you mean n_arms?), there are"),
        ("n_arms = []", "stream[1].n_arms: the list is empty, there is nothing to try"),
        ("n_arms = [3, 4, 3]", "spec, line 5: stream[1].n_arms: 3 is listed twice"),
        ('file = "a.npz"', "spec, line 3: stream[1]: needs either a world or a file"),
        ('label = ""', "stream[1].label: is '', must be text"),
        ('criteria = ["x"]', "spec, line 5: stream[1].criteria: 'x'"),
    ],
)
def test_what_is_wrong_in_a_stream_is_named_with_its_line(table, message):
    assert message in refusal(STREAM + '[[stream]]\nworld = "switching"\n' + table + "\n" + LEARNER)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (STREAM, "learner: there must be one [[learner]] table at least"),
        (LEARNER, "stream: there must be one [[stream]] table at least"),
        (STREAM + "[learner]\n", "learner: there must be one [[learner]] table at least"),
        ("stream = []\n" + LEARNER, "stream: there must be one [[stream]] table at least"),
        (STREAM + STREAM + LEARNER, "stream[1].label: 'switching' is also the label of stream[0]"),
        ("[[stream]]\nn_arms = 3\n" + LEARNER, "stream[0]: needs either a world or a file"),
        ('[[stream]]\nworld = "Switch"\n' + LEARNER, " (did you mean switching?), there are"),
        (STREAM + '[[learner]]\nname = "metabose"\n', " (did you mean MetaBosse?), there are"),
        ('[[stream]]\nworld = "mars"\n' + LEARNER, "line 2: stream[0].world: no world is called"),
        ("[[stream]]\nworld = 3\n" + LEARNER, "stream[0].world: is 3, must be text"),
        (
            '[[stream]]\nfile = "a.npz"\nn_arms = 3\n' + LEARNER,
            "stream[0].n_arms: is no parameter, there are horizon",
        ),
        (STREAM + '[[learner]]\nname = "Best"\n', "learner[0].name: no learner is called 'Best'"),
        (STREAM + LEARNER + "alpha = 1\n", "line 5: learner[0].alpha: is no parameter"),
        (STREAM + LEARNER + "seed = 1\n", "learner[0].seed: is given by seeds at the top"),
        (STREAM + LEARNER + "n_arms = 1\n", "learner[0].n_arms: is given by the stream"),
        (STREAM + LEARNER + "horizon = {a = 1}\n", "learner[0].horizon: is a table, must be"),
        (
            STREAM + '[[learner]]\nname = "SlidingWindow"\ninner = {name = "Best"}\n',
            "learner[0].inner.name: no learner is called 'Best'",
        ),
        (
            STREAM + '[[learner]]\nname = "MetaBosse"\nconstants = {scale = 1, foo = 1}\n',
            "line 5: learner[0].constants.foo: is no parameter, there are scale, ",
        ),
        (
            STREAM + '[[learner]]\nname = "MetaBosse"\nconstants = {cap = 1}\n',
            "line 5: learner[0].constants.scale: is missing",
        ),
        (
            STREAM + '[[learner]]\nname = "SlidingWindow"\ninner = {name = "RUCB", beta = 1}\n',
            "learner[0].inner.beta: is no parameter, there are horizon, ",
        ),
    ],
)
def test_what_is_wrong_in_a_table_is_named(tables, message):
    assert message in refusal(tables)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    file = tmp_path / "a.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not text in UTF-8"):
        read_spec(file)


def test_a_file_gives_its_name_to_messages_and_to_the_title(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(STREAM + LEARNER)
    assert read_spec(file).title == "a"
    file.write_text(STREAM + LEARNER + "x = 1\n")
    with pytest.raises(ValueError, match=re.escape("a.toml, line 5: learner[0].x")):
        read_spec(file)


def test_the_hash_is_that_of_the_text():
    one, two = Spec.parse(STREAM + LEARNER), Spec.parse(STREAM + LEARNER + "\n")
    assert one.hash != two.hash
    assert one.hash == Spec.parse(STREAM + LEARNER).hash


def test_criteria_have_names_for_tables():
    assert criterion_name("borda") == "borda"
    assert criterion_name((0.5, 0.25, 0.25)) == "weighted [0.5, 0.25, 0.25]"


def test_a_table_without_lists_is_one_point():
    assert expand({"a": 1}, lambda name: 0) == ([{"a": 1}], [])
    assert labels("x", [{"a": 1}], []) == ["x"]


def test_values_are_shown_as_a_reader_would_write_them():
    assert [shown_as(value) for value in (True, None, "@changes", [1, 0.5])] == [
        "true",
        "none",
        "@changes",
        "[1, 0.5]",
    ]
    assert shown_as({"name": "RUCB"}) == "RUCB"
    assert shown_as({"scale": 0.3}) == "(scale = 0.3)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STREAM + "n_phases = 2024-05-31\n" + LEARNER, "line 3: stream[0].n_phases: is a date"),
        (
            STREAM + LEARNER + "alpha = [12:30:00]\n",
            "line 5: learner[0].alpha: is a date or a time",
        ),
        (
            STREAM + LEARNER + "a = {b = 2024-05-31T12:30:00Z}\n",
            "learner[0].a: is a date or a time",
        ),
        (STREAM + 'label = "\\u001b[31m"\n' + LEARNER, r"label: is '\x1b[31m', must be printable"),
    ],
)
def test_dates_and_labels_that_cannot_be_printed_are_refused(text, message):
    assert message in refusal(text)


def test_a_criterion_may_be_weak():
    spec = Spec.parse(f'criteria = ["weak borda", "borda"]\n{STREAM}{LEARNER}')
    assert spec.streams[0].criteria == ("weak borda", "borda")
    assert criterion_of("weak condorcet") == (dd.Condorcet(), True)
    assert criterion_of((0.5, 0.5)) == (dd.Weighted([0.5, 0.5]), False)
    assert "'weak tea'" in refusal(f'criteria = ["weak tea"]\n{STREAM}{LEARNER}')
