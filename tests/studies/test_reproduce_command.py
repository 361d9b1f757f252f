from __future__ import annotations

import pytest

from driftduel.experiments import Results
from studies.reproduction import experiments

TINY = """
title = "Tiny"
seeds = 2       # quick: 1
points = 2
criteria = ["borda", [1, 0, 0], [0, 1, 0], [0, 0, 1]]

[[stream]]
world = "borda-against-condorcet"
horizon = [50, 100, 200, 400]

[[learner]]
name = "Uniform"
"""


@pytest.fixture
def tiny(monkeypatch):
    def spec_text(name, *, quick=False):
        return experiments.quick_edition(TINY) if quick else TINY

    monkeypatch.setattr(experiments, "spec_text", spec_text)


def test_experiments_are_run_and_told_in_one_report(run, tiny, tmp_path):
    done = run("reproduce", "--out", tmp_path, "--workers", 1, "--only", "weights", "--only", "gic")
    assert done.words.startswith(f"2 experiments in {tmp_path}, 1 process: about")
    assert done.out.endswith(f"written: {tmp_path / 'report.html'}\n")
    page = (tmp_path / "report.html").read_text()
    for word in (
        "Exponents, found and promised",
        "The T/45 instance",
        "python -m studies reproduce",
    ):
        assert word in page
    for name in ("weights", "gic"):
        assert (tmp_path / name / "report.html").exists()
        assert Results.load(tmp_path / name).finished


def test_one_experiment_is_one(run, tiny, tmp_path):
    done = run("reproduce", "--quick", "--out", tmp_path, "--workers", 1, "--only", "weights")
    assert done.words.startswith(f"1 experiment in {tmp_path}, 1 process: about")
    page = (tmp_path / "report.html").read_text()
    assert '<p class="facts">1 experiment, 4 runs, ' in page


def test_a_second_call_runs_nothing_and_more_seeds_run_alone(run, tiny, tmp_path):
    options = ("--out", tmp_path, "--workers", 1, "--only", "weights")
    run("reproduce", "--quick", *options)
    before = Results.load(tmp_path / "weights").runs
    assert "about 0.0 s" in run("reproduce", "--quick", *options).words
    run("reproduce", *options)
    after = Results.load(tmp_path / "weights").runs
    assert len(after) == 2 * len(before)
    assert after.filter(seed=0).equals(before)


def test_an_unknown_experiment_is_refused(refused):
    assert refused("reproduce", "--only", "gim").startswith(
        "no experiment is called 'gim' (did you mean gic?), there are known-weight, "
    )


def test_exponents_that_theory_promises_are_printed(run, monkeypatch, tmp_path):
    text = """
seeds = 2
points = 2
[[stream]]
world = "known-weight"
n_arms = 4
horizon = [40, 80, 160, 320]
[[learner]]
name = "Bosse"
[[learner]]
name = "Uniform"
"""
    monkeypatch.setattr(experiments, "spec_text", lambda name, *, quick=False: text)
    done = run("reproduce", "--out", tmp_path, "--workers", 1, "--only", "known-weight")
    lines = [line.split() for line in done.out.splitlines()]
    (row,) = [line for line in lines if line and line[0] == "Bosse"]
    assert row[1:7] == ["T", "known-weight:", "K", "=", "4;", "Borda"]
    assert row[-1] == "0.67"
    assert not [line for line in lines if line and line[0] == "Uniform"]
