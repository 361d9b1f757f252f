from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np

import driftduel as dd
from driftduel.experiments import Spec, worlds
from driftduel.experiments.plan import make_plan
from driftduel.experiments.worlds import from_json
from driftduel.worlds.matrices import winner_matrix

LEARNER = '[[learner]]\nname = "Uniform"\n'


def info(stream, tmp_path, top=""):
    stream.save(tmp_path / "a.npz")
    text = top + '[[stream]]\nfile = "a.npz"\n' + LEARNER
    return make_plan(Spec.parse(text, folder=tmp_path)).streams[0]


def test_a_winner_that_ties_goes_on_winning(tmp_path):
    tie = np.full((9, 9), 0.5)
    stream = dd.Stream.piecewise(
        [winner_matrix(9, 8, 0.4), tie, winner_matrix(9, 0, 0.4)], [0, 10, 20], 30
    )
    found = info(stream, tmp_path)
    assert found.winners["borda"] == [(0, 20, 8), (20, 30, 0)]
    assert found.winners["condorcet"] == [(0, 20, 8), (20, 30, 0)]


def test_what_is_undefined_is_none(tmp_path):
    rock = dd.Stream.stationary([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]], 100)
    found = info(rock, tmp_path)
    assert found.winners["condorcet"] is None
    assert found.shifts["condorcet"] is None
    assert found.measures["condorcet_switches"] is None


def test_weights_have_shifts_of_their_own(tmp_path):
    stream = dd.Stream.piecewise(
        [winner_matrix(3, 0, 0.4), winner_matrix(3, 1, 0.4)], [0, 1500], 3000
    )
    found = info(stream, tmp_path, "criteria = [[0.0, 0.5, 0.5]]\n")
    weighted = dd.measure(stream, [0.0, 0.5, 0.5]).significant_weighted
    assert found.shifts["weighted [0, 0.5, 0.5]"] == weighted.starts[1:].tolist()
    assert "borda" in found.shifts


def test_long_lists_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(worlds, "LISTED", 3)
    matrices = [winner_matrix(3, n % 2, 0.4) for n in range(6)]
    found = info(dd.Stream.piecewise(matrices, np.arange(6) * 10, 60), tmp_path)
    assert found.changes is None
    assert found.winners["borda"] is None
    assert found.measures["changes"] == 5


def test_descriptions_survive_a_file(tmp_path):
    stream = dd.Stream.stationary(winner_matrix(3, 0, 0.4), 100, labels=["a", "b", "c"])
    found = info(stream, tmp_path)
    assert from_json(json.loads(json.dumps(asdict(found)))) == found
    assert found.labels == ["a", "b", "c"]
