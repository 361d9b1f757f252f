"""The benchmark of false restarts: voters with a taste for a side, and the bound it prints."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import driftduel as dd
from benchmarks import falsealarms
from benchmarks.calibration import upper


def test_a_taste_for_a_side_helps_whoever_stands_left():
    matrix = np.array([[0.5, 0.75], [0.25, 0.5]])
    world = falsealarms.sided(matrix, 10, taste=0.2)
    assert world.matrix(0) == pytest.approx(np.array([[0.6, 0.8], [0.4, 0.6]]))
    assert falsealarms.sided(matrix, 10, taste=0.0) == dd.Stream.stationary(matrix, 10)


def test_votes_are_drawn_with_the_taste():
    """The left arm wins 300 +- 14 votes of 1000 without the taste, and 720 +- 14 with it."""
    matrix = [[0.5, 0.3], [0.7, 0.5]]
    pair = dd.learners.FixedPair(2, left=0, right=1)
    best = [
        dd.simulate(pair, falsealarms.sided(matrix, 1000, taste), points=1).best
        for taste in (0.0, 0.6)
    ]
    assert best == [1, 0]


def test_cases_of_both_tastes_are_counted(monkeypatch, capsys):
    words = "benchmarks falsealarms --criteria borda --rounds 200 --runs 2 --arms 3 --worlds"
    monkeypatch.setattr(sys, "argv", [*words.split(), "one winner", "cyclic"])
    falsealarms.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("taste ")[1][:3] for line in lines[1:5]] == ["0.0", "0.0", "0.2", "0.2"]
    assert all(line.endswith("0/   2  0.0000, at most 0.7764") for line in lines[1:5])
    assert lines[5].startswith("in all 0/8; in 0 of 4 cases at most 1 %")


def test_a_restart_counts_once_a_run(monkeypatch):
    world = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], 50)
    assert falsealarms.restarting("Uniform", "borda", world, 3, workers=1) == 0
    restarting = dd.learners.PeriodicRestart(2, 50, every=10)
    monkeypatch.setattr(falsealarms, "learner_from", lambda *_: restarting)
    assert falsealarms.restarting("any", "borda", world, 3, workers=1) == 3


def test_the_bound_is_that_of_clopper_and_pearson():
    assert upper(0, 300, 0.05) == pytest.approx(1 - 0.05 ** (1 / 300))
    # 2 of 10: the root of (1-p)^10 + 10 p (1-p)^9 + 45 p^2 (1-p)^8 = .025.
    assert upper(2, 10) == pytest.approx(0.5561, abs=1e-4)
    assert upper(5, 5) == 1.0
    assert 0.5 < upper(5000, 10_000, 0.05) < 0.51
