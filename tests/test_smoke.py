"""The whole of it in small: what must work with every version of what it stands on."""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.cli import main
from driftduel.experiments import Spec, run_sweep

SPEC = """
title = "Smoke"
horizon = 300
seeds = 2

[[stream]]
world = "switching"
n_arms = 3
n_phases = 2

[[learner]]
name = "WinnerStays"

[[learner]]
name = "Uniform"
"""


@pytest.fixture(scope="module")
def world():
    before = np.array([[0.5, 0.9], [0.1, 0.5]])
    return dd.Stream.piecewise([before, before.T], [0, 200], 400)


def test_a_learner_plays_compiled(world):
    run, again = (dd.simulate(dd.learners.WinnerStays(2, seed=1), world, seed=1) for _ in range(2))
    assert 0 < run.regret("borda")[-1] < 400
    assert np.array_equal(run.regret("borda"), again.regret("borda"))


def test_a_learner_is_asked_told_saved_and_loaded(tmp_path):
    learner = dd.learners.WinnerStays(3, labels=["tea", "coffee", "juice"], seed=2)
    for _ in range(30):
        duel = learner.ask()
        learner.tell(duel, float(duel.left <= duel.right))
    learner.save(tmp_path / "drinks.duel")
    loaded = dd.load_learner(tmp_path / "drinks.duel")
    for _ in range(30):
        one, other = learner.ask(), loaded.ask()
        assert (one.left, one.right) == (other.left, other.right)
        learner.tell(one, 1.0)
        loaded.tell(other, 1.0)


def test_a_stream_is_measured(world):
    assert dd.measure(world).changes == 1


@pytest.mark.slow
def test_a_sweep_is_run_and_reported_on(tmp_path):
    folder = tmp_path / "results"
    assert run_sweep(Spec.parse(SPEC), folder, workers=2).runs == 4
    assert len(dd.Results.load(folder).regret) > 0
    for kind, made in (("html", "report.html"), ("png", "report"), ("csv", "report")):
        assert main(["report", str(folder), "--format", kind]) == 0
        assert (folder / made).exists()


@pytest.mark.slow
def test_a_cluster_runs_it_too(tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as cluster:
        done = run_sweep(Spec.parse(SPEC), tmp_path / "results", dask=cluster.scheduler_address)
    assert done.runs == 4


def test_the_command_keeps_a_vote(tmp_path, capsys):
    file = str(tmp_path / "drinks.duel")
    assert main(["new", file, "--arms", "tea,coffee,milk"]) == 0
    assert main(["ask", file]) == 0
    number = capsys.readouterr().out.splitlines()[-1].split()[0]
    assert main(["tell", file, number, "left"]) == 0
    assert main(["status", file]) == 0
    assert "tea" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["learners"]])
def test_the_command_tells_what_there_is(words, capsys):
    assert main(words) == 0
    assert capsys.readouterr().out.count("\n") > 10


def test_bad_input_is_refused_in_one_sentence(tmp_path, capsys):
    for words in (["new", str(tmp_path / "drinks.duel"), "--arms", "tea,tea"], ["measure"]):
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_an_arena_counts_a_vote(tmp_path):
    from driftduel.arena import service as arena

    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee"])
        asked = arena.ask(service, "drinks", "ann")
        assert arena.tell(service, asked.duel, "ann", "left").counted
        assert arena.status(service, "drinks").best == asked.left.name
        assert arena.verify(service.store)[0].votes == 1
