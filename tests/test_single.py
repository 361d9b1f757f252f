"""The benchmark of the best single rival with one setting: who is tried, and when it ends."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import single
from studies.benchmark import suite

WORLDS = [
    suite.SuiteWorld(
        f"one winner: number {n}", "borda", "tuning", "one-winner", {"n_arms": 3, "horizon": 300}
    )
    for n in range(2)
]


@pytest.fixture
def few(monkeypatch):
    """Two small worlds, and answers in which BordaETC is second and Uniform hopeless."""
    means = {"BordaElimination": 1.0, "BordaETC": 2.0, "Uniform": 1e9, "DriftDuel": 0.1}
    answers = {name: {"mean": mean} for name, mean in means.items()}
    partly = {**answers, "DEXP3": {"mean": 0.5}}
    found = {"borda": {WORLDS[0].label: partly, WORLDS[1].label: answers}}
    monkeypatch.setattr(suite, "worlds", lambda criterion, half: WORLDS)
    monkeypatch.setattr(suite, "hindsight", lambda: found)


def test_rivals_come_in_the_order_of_what_no_single_setting_can_beat(few, tmp_path):
    half = single.Half("borda", "tuning", tmp_path)
    assert [name for _, name in half.bounds()] == ["BordaElimination", "BordaETC", "Uniform"]
    assert [bound for bound, _ in half.bounds()] == pytest.approx([1.0, 2.0, 1e9])


def test_it_ends_where_nobody_can_be_better_and_repeats_nothing(few, tmp_path, monkeypatch, capsys):
    words = f"benchmarks single --criterion borda --out {tmp_path}"
    monkeypatch.setattr(sys, "argv", words.split())
    single.main()
    first = capsys.readouterr().out
    assert "| BordaElimination | width " in first
    assert "nobody else can be better: the next is " in first
    assert "| Uniform |" not in first
    monkeypatch.setattr(single.dd, "simulate_many", None)
    single.main()
    assert capsys.readouterr().out == first


def test_the_setting_is_that_with_the_least_geometric_mean(few, tmp_path, monkeypatch):
    half = single.Half("borda", "tuning", tmp_path)
    rival = single.rival_of(half, "BordaElimination")
    wanted = rival.points(300)[2]
    asked = []

    def mean(name, rival, point, seeds):
        asked.append((point["width"], len(seeds)))
        return 1.0 if point == wanted else 2.0

    monkeypatch.setattr(half, "mean", mean)
    assert single.best_setting(half, "BordaElimination", rival) == wanted
    few_seeds = [width for width, seeds in asked if seeds == single.FEW]
    assert sorted(few_seeds) == [point["width"] for point in rival.points(300)]
    assert {seeds for width, seeds in asked if width == wanted["width"]} == {2, 4, 8}


def test_after_the_minutes_it_says_so_and_keeps_what_was_played(few, tmp_path, monkeypatch, capsys):
    words = f"benchmarks single --criterion borda --out {tmp_path} --minutes 0"
    monkeypatch.setattr(sys, "argv", words.split())
    (tmp_path / "borda-tuning.json").write_text(json.dumps({"kept": [1.0]}))
    single.main()
    assert "the minutes are over; repeat the command to go on" in capsys.readouterr().out
    assert json.loads((tmp_path / "borda-tuning.json").read_text()) == {"kept": [1.0]}
