from __future__ import annotations

import json

import pytest

import driftduel as dd
from driftduel.experiments import Spec, plan
from driftduel.experiments.plan import make_plan
from tests.experiments.conftest import SMALL

LEARNER = '[[learner]]\nname = "Uniform"\n'
SWITCHING = '[[stream]]\nworld = "switching"\nhorizon = 100\nn_arms = 3\n'


def keys(text):
    return [item.key for item in make_plan(Spec.parse(text)).combinations]


def refusal(text, tmp_path):
    with pytest.raises(ValueError, match=r"^spec, line \d+: ") as caught:
        make_plan(Spec.parse(text, folder=tmp_path))
    return str(caught.value)


def test_every_learner_plays_on_every_stream():
    made = make_plan(Spec.parse(SMALL))
    assert [(item.stream, item.learner) for item in made.combinations] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]
    assert made.rounds == 4 * 4 * 200
    assert len({item.key for item in made.combinations}) == 4


def test_only_missing_seeds_are_tasks():
    made = make_plan(Spec.parse(SMALL))
    first = made.combinations[0].key
    tasks = list(made.tasks({first: {0, 2}}))
    assert [task.seeds for task in tasks] == [(1, 3), *[(0, 1, 2, 3)] * 3]


def test_blocks_of_seeds_do_not_move_when_seeds_are_added(monkeypatch):
    monkeypatch.setattr(plan, "_ROUNDS", 600)
    text = "seeds = {}\n" + SWITCHING.replace("100", "200") + LEARNER
    few, many = (make_plan(Spec.parse(text.format(n))) for n in (4, 8))
    assert [task.seeds for task in few.tasks({})] == [(0, 1, 2), (3,)]
    done = {few.combinations[0].key: {0, 1, 2, 3}}
    assert [task.seeds for task in many.tasks(done)] == [(4, 5), (6, 7)]


def test_keys_depend_on_content_and_not_on_labels():
    base = keys(SWITCHING + LEARNER)
    assert keys(SWITCHING + 'label = "x"\n' + LEARNER + 'label = "y"\n') == base
    assert keys("seeds = 3\n" + SWITCHING + LEARNER) == base
    assert keys(SWITCHING + "n_phases = 5\n" + LEARNER) == base, "5 is the default"
    for other in (
        "points = 7\n" + SWITCHING + LEARNER,
        'criteria = ["copeland"]\n' + SWITCHING + LEARNER,
        SWITCHING + "seed = 1\n" + LEARNER,
        SWITCHING + LEARNER + 'horizon = "none"\n',
    ):
        assert keys(other) != base


def test_another_version_of_the_code_gives_another_key(monkeypatch):
    before = keys(SMALL)
    version = plan.learner_version
    monkeypatch.setattr(
        plan, "learner_version", lambda *names: "new" if "Uniform" in names else version(*names)
    )
    assert [old == new for old, new in zip(before, keys(SMALL), strict=True)] == [
        False,
        True,
        False,
        True,
    ]


def test_the_version_of_a_wrapper_is_also_that_of_the_learner_inside(monkeypatch):
    asked = []
    monkeypatch.setattr(plan, "learner_version", lambda *names: asked.append(names) or "v")
    keys(SWITCHING + '[[learner]]\nname = "PeriodicRestart"\nevery = 9\ninner = {name = "RUCB"}\n')
    assert asked == [("PeriodicRestart", "RUCB")]


def test_what_is_the_same_but_for_its_label_is_run_once():
    again = '[[learner]]\nname = "Uniform"\nlabel = "again"\n'
    made = make_plan(Spec.parse("seeds = 2\n" + SWITCHING + LEARNER + again))
    assert len(made.combinations) == 2
    assert len(list(made.tasks({}))) == 1


def test_a_learner_may_be_told_the_truth_about_each_stream():
    told = '[[learner]]\nname = "BordaDEX3S"\nn_phases = "@borda_switches + 1"\n'
    grid = SWITCHING.replace("n_arms = 3", "n_arms = 3\nn_phases = [2, 4]")
    made = make_plan(Spec.parse(grid + told))
    phases = [json.loads(item.parameters)["n_phases"] for item in made.combinations]
    streams = [dd.measure(source.build()).borda_switches + 1 for source in made.sources]
    assert phases == streams
    told = told.replace("borda_switches + 1", "changes")
    made = make_plan(Spec.parse(grid + told))
    assert [json.loads(item.parameters)["n_phases"] for item in made.combinations] == [1, 3]


def test_the_table_has_a_row_for_every_combination():
    table = make_plan(Spec.parse(SMALL)).record({}).table()
    assert table["learner"].to_list() == ["Uniform", "DiscountedBordaUCB"] * 2
    assert table["parameters"].to_list() == ["{}", '{"exploration": 0.1}'] * 2
    assert table["n_arms"].to_list() == [3, 3, 4, 4]


def test_measures_of_a_stream_are_taken_from_before_if_it_is_the_same(monkeypatch):
    first = make_plan(Spec.parse(SMALL))
    known = {stream.id: stream for stream in first.streams}
    monkeypatch.setattr(plan, "describe", None)
    again = make_plan(Spec.parse(SMALL.replace("[[stream]]", '[[stream]]\nlabel = "x"')), known)
    assert [stream.label for stream in again.streams] == ["x, n_arms = 3", "x, n_arms = 4"]
    assert [stream.shifts for stream in again.streams] == [s.shifts for s in first.streams]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SWITCHING.replace("n_arms = 3", "n_arms = 1") + LEARNER, "line 4: stream[0].n_arms: "),
        (SWITCHING.replace("3", '"x"') + LEARNER, "stream[0].n_arms: is 'x', must be a"),
        ('[[stream]]\nfile = "no.npz"\n' + LEARNER, "line 2: stream[0].file: there is no file"),
        (
            SWITCHING + '[[learner]]\nname = "RUCB"\nalpha = -1\n',
            "line 7: learner[0].alpha: is -1, must be a number above 0.5",
        ),
        (SWITCHING + '[[learner]]\nname = "PeriodicRestart"\nevery = 0\n', "learner[0].every: "),
        (
            SWITCHING + '[[learner]]\nname = "MetaBosse"\nconstants = {scale = -1}\n',
            "line 7: learner[0].constants.scale: is -1, must be a positive number (on the stream",
        ),
        (
            SWITCHING + '[[learner]]\nname = "DriftDuel"\ncalibration = {keep = 2}\n',
            "line 7: learner[0].calibration.keep: is 2, must be a positive number and at most 1",
        ),
        (
            SWITCHING + '[[learner]]\nname = "SlidingWindow"\n'
            'inner = {name = "RUCB", alpha = nan}\n',
            "line 7: learner[0].inner.alpha: is nan, must be a number above 0.5",
        ),
        (
            SWITCHING + '[[learner]]\nname = "SlidingWindow"\ninner = {name = "MetaBosse"}\n',
            "line 7: learner[0].inner: is a MetaBosse, which cannot be told outcomes again",
        ),
        (
            SWITCHING + '[[learner]]\nname = "DEX3S"\nn_phases = "@phases"\n',
            "n_phases: '@phases' is unknown (did you mean @changes?), there are @changes,",
        ),
        (
            SWITCHING + '[[learner]]\nname = "DEX3S"\nn_phases = "@changes + x"\n',
            "learner[0].n_phases: '@changes + x' is unknown",
        ),
        (
            '[[stream]]\nworld = "random-member"\nkind = "any"\nn_arms = 9\nhorizon = 100\n'
            '[[learner]]\nname = "DEX3S"\nn_phases = "@condorcet_switches + 1"\n',
            "'@condorcet_switches + 1' is undefined on the stream 'random-member'",
        ),
        (
            '[[stream]]\nworld = "random-member"\nkind = "any"\nn_arms = 9\nhorizon = 100\n'
            'criteria = ["condorcet"]\n' + LEARNER,
            "stream[0].criteria: condorcet: round 0: no arm is a Condorcet winner",
        ),
        ("criteria = [[0.5, 0.5]]\n" + SWITCHING + LEARNER, "weighted [0.5, 0.5]: weight: has 2"),
        (
            SWITCHING + '[[learner]]\nname = "MetaBosse"\ncriterion = [0.5, 0.5]\n',
            "has 2 entries, there are 3 arms (on the stream 'switching')",
        ),
    ],
)
def test_what_cannot_be_made_is_named_before_any_work(text, message, tmp_path):
    assert message in refusal(text, tmp_path)


def test_a_horizon_that_would_take_ages_is_refused_before_any_work(tmp_path):
    text = SWITCHING.replace("100", str(2**62)) + LEARNER
    assert "stream[0].horizon: is 46" in refusal(text, tmp_path)
