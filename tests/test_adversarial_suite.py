"""The benchmark of adversarial worlds: what it plays, what it prints, and the search."""

from __future__ import annotations

import json
import sys

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from benchmarks import _adversarial_search as finding
from benchmarks import adversarial
from benchmarks._adversarial_ties import play
from benchmarks._adversarial_worlds import CRITERIA, rows, spec
from driftduel.matrix.criteria import as_criterion
from driftduel.worlds import catalogue


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_world_of_the_suite_is_in_the_catalogue_and_has_a_winner_at_the_end(criterion):
    for label, world, parameters in rows(criterion):
        stream = catalogue.build(world, **parameters, horizon=2000)
        last = stream.matrix(1999)
        scores = as_criterion(criterion).score_table(last[None])[0]
        assert np.count_nonzero(scores > scores.max() - 1e-9) == 1, label


def test_the_short_suite_is_the_first_half_of_the_long_one():
    short, long = (spec("borda", 2, long=which).streams for which in (False, True))
    assert len(long) == 2 * len(short)
    assert [one.label for one in long[: len(short)]] == [one.label for one in short]


def test_it_prints_ratios_and_marks_what_is_above_a_limit(monkeypatch, tmp_path, capsys):
    """Of two worlds, played in a moment; a repetition finds all runs."""
    few = list(rows("condorcet"))[:2]
    monkeypatch.setattr("benchmarks._adversarial_worlds.rows", lambda criterion: few)
    monkeypatch.setattr("benchmarks._adversarial_worlds.SHORT", 500)
    monkeypatch.setattr("benchmarks._adversarial_ties.ROUNDS", 200)
    words = f"benchmarks adversarial --quick --seeds 2 --criteria condorcet --out {tmp_path}"
    monkeypatch.setattr(sys, "argv", words.split())
    adversarial.main()
    first = capsys.readouterr().out
    assert first.count("| spoilers: ") == 2
    assert first.count("| 90% ties: ") == 2
    assert "over METABOSSE: at most 1 is wanted; above it in " in first
    adversarial.main()
    assert capsys.readouterr().out == first


def test_of_worlds_with_ties_a_tenth_of_the_regret_is_lost(monkeypatch):
    world = catalogue.build("one-winner", n_arms=2, margin=0.5, horizon=50, seed=0)
    best = int(world.palette[0].sum(axis=1).argmax())
    for arm, lost, right in ((best, 0.0, 1.0), (1 - best, 50 * 0.1 * 0.5, 0.0)):
        player = dd.learners.FixedPair(2, left=arm, right=arm)
        regret, share, restarts = play(player, world, "condorcet", 1)
        assert regret == pytest.approx(lost)
        assert (share, restarts) == (right, 0)


def test_the_verdict_names_the_worst_world():
    table = pl.DataFrame(
        {
            "criterion": ["borda", "borda"],
            "world": ["calm", "wild"],
            "over METABOSSE": [0.5, 2.0],
            "over uniform": [1.5, 1.0],
            "max/median": [1.0, 2.0],
        }
    )
    lines = adversarial.verdict(table).splitlines()
    assert lines[0].endswith("above it in 1 of 2 worlds, the worst is 2.00 (Borda, wild)")
    assert lines[1].endswith("above it in 1 of 2 worlds, the worst is 1.50 (Borda, calm)")
    assert "above it in 0 of 2 worlds" in lines[2]


def test_the_search_keeps_the_worst_and_goes_on_where_it_ended(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(finding, "judge", lambda world, criterion, seeds: world.n_arms / 10)
    monkeypatch.setattr(finding, "KEPT", 3)
    finding.search(tmp_path, 0.0)
    assert capsys.readouterr().out.startswith("0 worlds tried")
    finding.search(tmp_path, 0.005)
    known = json.loads((tmp_path / "search.json").read_text())
    ratios = [one["ratio"] for one in known["worst"]]
    assert ratios == sorted(ratios, reverse=True)
    assert len(ratios) == 3
    tried = known["tried"]
    finding.search(tmp_path, 0.002)
    assert json.loads((tmp_path / "search.json").read_text())["tried"] > tried


def test_worlds_of_the_search_are_drawn_again_from_their_number():
    for number in range(30):
        world = finding.draw(number)
        assert world == finding.draw(number)
        assert 1 <= world.n_stretches <= 4
        assert "borda" in finding.criteria_of(world)
