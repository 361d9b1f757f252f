"""The benchmark of declared changes: its world, what it reads off a run, and going on."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, replace

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from benchmarks import detection
from benchmarks.detection import SCHEMA, Cell, Summary
from studies.benchmark.suite import LEARNER

CELL = Cell(LEARNER, "code", "borda", 3, 0.5, 3000)


@pytest.mark.parametrize("criterion", ["borda", "condorcet"])
@pytest.mark.parametrize("n_arms", [3, 10, 30])
def test_the_gap_is_that_of_both_criteria(criterion, n_arms):
    cell = Cell("Uniform", "", criterion, n_arms, 0.2, 100)
    stream, old, new = detection.world(cell, seed=4)
    assert old != new
    assert stream.starts.tolist() == [0, 50]
    rows, _ = stream.gap_rows(criterion)
    for winner, gaps in zip((old, new), rows, strict=True):
        expected = np.where(np.arange(n_arms) == winner, 0.0, 0.2)
        assert gaps == pytest.approx(expected)


def test_winners_are_drawn_anew_in_each_run():
    drawn = {detection.world(CELL, seed)[1:] for seed in range(100)}
    assert drawn == {(a, b) for a in range(3) for b in range(3) if a != b}


@pytest.mark.parametrize("criterion", ["borda", "condorcet"])
def test_a_run_is_what_simulate_plays(criterion):
    cell = replace(CELL, criterion=criterion)
    for seed in range(3):
        row = detection.one(cell.make(), cell, seed)
        stream, _, new = detection.world(cell, seed)
        run = dd.simulate(cell.make(), stream, seed, points=detection.moments(1500, 3000))
        after = [start for start in run.episodes if start > 1500]
        assert row["noticed"] == (after[0] if after else None)
        assert row["false"] + row["again"] == len(run.episodes) - 1 - bool(after)
        delays = np.append(run.moments[1:], 3000) - 1500
        assert row["settled"] == detection.settled(delays, [*run.picks[1:], run.best], new)


def test_a_clear_change_is_declared_and_named():
    row = detection.one(CELL.make(), CELL, seed=1)
    _, old, new = detection.world(CELL, seed=1)
    assert (row["old"], row["new"]) == (row["before"], row["after"]) == (old, new)
    assert 1500 < row["noticed"] < 3000
    assert 0 < row["settled"] < 1500
    assert set(row) == set(SCHEMA)


def test_a_learner_that_tells_nothing_of_changes_has_no_names():
    cell = replace(CELL, learner="Uniform")
    row = detection.one(cell.make(), cell, seed=0)
    assert row["noticed"] is row["before"] is row["earliest"] is None


def test_looks_begin_at_once_and_are_never_far_apart():
    looks = detection.moments(50_000, 100_000)
    assert looks[0] == 50_001
    assert np.diff([*looks, 100_000]).max() <= 500


@pytest.mark.parametrize(
    ("picks", "expected"),
    [([7, 3, 7, 7], 30), ([7, 7, 7, 7], 10), ([3, 3, 3, 7], 40), ([7, 7, 7, 3], None)],
)
def test_settled_is_when_the_picks_stay_right(picks, expected):
    assert detection.settled(np.array([10, 20, 30, 40]), picks, new=7) == expected


def test_quartiles_count_what_never_came_as_late():
    assert detection.quartiles(pl.Series([3, None, 1, 2])) == (1.0, 2.0, 3.0)
    assert detection.quartiles(pl.Series([1, None, None])) == (1.0, math.inf, math.inf)


def row(seed, **values):
    empty = dict.fromkeys(SCHEMA)
    return {**empty, **asdict(CELL), "seed": seed, "old": 0, "new": 1, "false": 0, **values}


def test_a_summary_tells_shares_of_those_that_can_have_them():
    table = pl.DataFrame(
        [
            row(0, noticed=1600, settled=90, before=0, after=1, earliest=1400, latest=1520),
            row(1, noticed=1800, settled=200, before=0, after=2, earliest=1501, latest=1600),
            row(2, noticed=1700, settled=150, before=2, after=1),
            row(3, false=2, settled=None),
        ],
        schema=SCHEMA,
    )
    found = Summary.of(CELL, table)
    assert (found.declared, found.false, found.right) == (0.75, 1, 0.75)
    assert found.delay == (100, 200, 300)
    assert (found.of_all, found.best) == (200, (90, 150, 200))
    assert found.named == pytest.approx(1 / 3)
    assert (found.held, found.width) == (0.5, 99)
    nothing = Summary.of(CELL, table.filter(seed=3))
    assert (nothing.declared, nothing.named, nothing.held) == (0, None, None)
    assert nothing.row().endswith("| -, -, - | never | never, never, never | 0% | - | - | - |")


def test_only_what_the_file_lacks_is_played(tmp_path, monkeypatch):
    calls = []

    def play(cell, seeds, workers):
        calls.append((cell.code, list(seeds)))
        return [row(seed, code=cell.code) for seed in seeds]

    monkeypatch.setattr(detection, "play", play)
    file = tmp_path / "runs.parquet"
    assert detection.played([CELL], 2, 1, file).height == 2
    assert detection.played([CELL], 3, 1, file)["seed"].to_list() == [0, 1, 2]
    assert CELL.of(detection.played([CELL], 1, 1, file))["seed"].to_list() == [0]
    detection.played([replace(CELL, code="edited")], 2, 1, file)
    assert calls == [("code", [0, 1]), ("code", [2]), ("edited", [0, 1])]


def test_learners_are_compared_in_one_table(tmp_path, monkeypatch, capsys):
    file = tmp_path / "runs.parquet"
    words = f"benchmarks detection --learner Uniform {LEARNER} --arms 3 --gaps .5 .4"
    more = f"--criteria borda --rounds 400 --runs 2 --out {file}"
    monkeypatch.setattr(sys, "argv", [*words.split(), *more.split()])
    detection.main()
    table = pl.read_parquet(file)
    assert table.schema == SCHEMA
    assert table.height == 8
    text = file.with_suffix(".md").read_text()
    assert text in capsys.readouterr().out
    assert text.count("| Uniform, Borda | 3 |") == 3
    assert text.count(f"| {LEARNER}, Borda | 3 |") == 3


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--learner Nobody", "Nobody"),
        ("--gaps .6", "the gap is 0.6, must be above 0 and at most 0.5"),
        ("--rounds 1", "there are 1 rounds, must be 2 at least"),
        ("--learner RUCB --criteria borda", "'borda', RUCB serves"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(option, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "detection", *option.split()])
    with pytest.raises(SystemExit) as error:
        detection.main()
    assert error.value.code == 2
    assert said in capsys.readouterr().err
