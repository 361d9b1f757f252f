from __future__ import annotations

import json

import numpy as np
import pytest

import driftduel as dd
from driftduel.experiments import Spec
from driftduel.experiments.plan import make_plan
from driftduel.experiments.simulation import oracle_of
from driftduel.experiments.tasks import make_learner, play, source_of, stream_hash
from tests.experiments.conftest import SMALL

STREAM = dd.Stream.stationary([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], 100)


def test_a_task_is_what_simulate_gives():
    (task, *_) = make_plan(Spec.parse(SMALL)).tasks({})
    stream = task.source.build()
    rows = play(task)
    assert [row["seed"] for row in rows] == [0, 1, 2, 3]
    for row in rows:
        run = dd.simulate(dd.learners.Uniform(3, 200), stream, row["seed"], points=5)
        assert row["regret"] == [run.regret("borda").tolist()]
        assert np.array_equal(row["rounds"], run.rounds)
        plays = np.zeros((3, 3), int)
        plays[row["left"], row["right"]] = row["count"]
        assert np.array_equal(plays, run.plays)


def test_a_stream_that_is_not_the_one_planned_is_refused(tmp_path):
    STREAM.save(tmp_path / "a.npz")
    text = SMALL.replace('world = "switching"\nn_arms = [3, 4]\nn_phases = 2', 'file = "a.npz"')
    (task, *_) = make_plan(Spec.parse(text, folder=tmp_path)).tasks({})
    STREAM[:50].save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"a\.npz: this machine makes another stream"):
        play(task)


def test_a_file_may_be_stretched(tmp_path):
    STREAM.save(tmp_path / "a.npz")
    assert source_of("a.npz", {"horizon": 70}, tmp_path / "a.npz").build().horizon == 70
    assert source_of("a.npz", {}, tmp_path / "a.npz").build() == STREAM


def test_labels_are_no_part_of_the_content():
    named = dd.Stream.stationary(STREAM.matrix(0), 100, labels=["a", "b", "c"])
    assert stream_hash(named) == stream_hash(STREAM)
    assert stream_hash(STREAM.relabel([1, 0, 2])) != stream_hash(STREAM)


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("RUCB", {"alpha": 0.7}, dd.learners.RUCB(3, 100, alpha=0.7)),
        ("MetaBosse", {"horizon": "none"}, dd.MetaBosse(3)),
        (
            "MetaBosse",
            {"criterion": [0.5, 0.3, 0.2], "constants": {"scale": 0.3}},
            dd.MetaBosse(
                3,
                100,
                criterion=dd.Weighted([0.5, 0.3, 0.2]),
                constants=dd.learners.Constants(0.3),
            ),
        ),
        (
            "SlidingWindow",
            {"window": 50, "inner": {"name": "RUCB", "alpha": 0.7}},
            dd.learners.SlidingWindow(3, 100, window=50, inner=dd.learners.RUCB(3, 100, alpha=0.7)),
        ),
        (
            "Oracle",
            {"criterion": "condorcet"},
            oracle_of(STREAM, "condorcet"),
        ),
    ],
)
def test_learners_are_made_from_plain_values(name, parameters, expected):
    made = make_learner(name, json.loads(json.dumps(parameters)), STREAM)
    assert type(made) is type(expected)
    assert repr(made) == repr(expected)


def test_what_happens_is_kept_in_the_order_of_rounds():
    text = (
        'seeds = 1\n[[stream]]\nworld = "one-winner"\nn_arms = 3\nhorizon = 3000\nmargin = 0.5\n'
        '[[learner]]\nname = "MetaBosse"\nconstants = {scale = 0.01, least_rounds = 2}\n'
    )
    (task,) = make_plan(Spec.parse(text)).tasks({})
    (row,) = play(task)
    kinds = {"episode", "eviction", "activation", "replay", "in play", "pick"}
    assert {event["kind"] for event in row["events"]} == kinds
    rounds = [event["round"] for event in row["events"]]
    assert rounds == sorted(rounds)
    run = dd.simulate(
        make_learner("MetaBosse", json.loads(task.parameters), task.source.build()),
        task.source.build(),
    )
    assert row["restarts"] == len(run.episodes) - 1
    replays = [event for event in row["events"] if event["kind"] == "replay"]
    assert [(event["round"], event["length"]) for event in replays] == [
        (replay.start, replay.length) for replay in run.replays
    ]
    assert all(event["last"] < 3000 for event in replays)
    back = [event for event in row["events"] if event["kind"] == "activation"]
    assert [(event["round"], event["arm"]) for event in back] == [
        (item.round, item.arm) for item in run.activations
    ]
