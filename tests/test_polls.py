"""The benchmark of polls: its worlds, and the figures it makes of runs."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import driftduel as dd
from benchmarks import _poll_worlds, polls
from benchmarks._poll_play import (
    LOOK,
    MEMORIES,
    Taste,
    bradley_terry,
    play,
    top_two,
    uniform,
    wrong,
)
from benchmarks._poll_worlds import DECKS, FILE, HALVES, Play, World, borda, favourite, worlds


def test_worlds_are_those_that_their_rule_draws():
    text = "\n".join(_poll_worlds._written()) + "\n"
    assert FILE.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", DECKS)
def test_every_world_has_a_best_arm_at_all_times_that_changes_as_it_says(half, kind):
    for world in worlds(half, kind):
        play = world.play
        assert np.allclose(play.palette + play.palette.transpose(0, 2, 1), 1)
        assert (play.palette > 0).all()
        best = play.scores.argmax(axis=1)
        assert np.allclose(play.scores, borda(play.palette))
        changed = {"none": 0, "wobble": 0, "one": 1, "all": 1, "two": 2, "five": 5}
        assert (np.diff(best) != 0).sum() == changed.get(world.drift, 1), world.name
        assert len(play.before) == (world.votes if kind == "drifting" else _poll_worlds.LONG)


def test_a_trap_is_one_and_a_ladder_is_none():
    trap = World(10, 1000, "trap", "none", 0, 0, 3)
    assert not trap.transitive
    matrix = trap.play.palette[0]
    best = borda(matrix).argmax()
    assert (matrix[best] < 0.5).sum() == 1
    assert World(10, 1000, "ladder .3", "none", 0, 0, 3).transitive


def sudden(arms=4, chance=0.9, votes=600, change=300):
    return Play.one_change(favourite(arms, chance), votes, change, seed=1)


def test_whoever_names_the_best_arm_of_the_moment_is_never_wrong():
    world = sudden()
    best = world.scores[world.before].argmax(axis=1)
    assert not wrong(world, best).any()
    assert wrong(world, (best + 1) % 4).all()
    assert wrong(world, np.stack([best, best[::-1]])).sum() == len(best)


def test_a_window_of_uniform_pairs_is_the_share_of_wins_in_it():
    """By the letter, with the votes that the loop drew."""
    taste = Taste.of(sudden(), ties=0.2, left=0.1)
    named = uniform(taste, 3, 600)
    assert named.shape == (2 * len(MEMORIES) + 1, 600)
    assert (named[-1] == uniform(taste, 3, 600, keep_all=True)[0]).mean() > 0.95  # ties by a coin
    assert not wrong(sudden(), named)[0, 200:300].any()
    assert wrong(sudden(), named)[-1, 300:400].all()
    assert not wrong(sudden(), named)[0, 450:].any()


@pytest.mark.parametrize("rule", [lambda *run: bradley_terry(*run)[0], top_two])
def test_other_rules_name_a_clear_favourite(rule):
    world = sudden(change=600)
    assert not wrong(world, rule(Taste.of(world), 1, 600))[300:].any()


@pytest.mark.parametrize("learner", [dd.DriftPoll(4), dd.learners.DTS(4)])
def test_learners_are_played_for_votes_and_looked_at_between(learner):
    world, seen = sudden(), []
    played = play(learner, Taste.of(world), 1, 600, [200, 600], lambda one: seen.append(one.rounds))
    assert seen == [200, 600]
    assert played.learner.rounds == len(played.best) == 600
    assert not wrong(world, played.best)[200:300].any()


def test_a_poll_is_asked_after_each_vote_and_another_learner_now_and_then():
    world = sudden()
    one = play(dd.DriftPoll(4), Taste.of(world), 1, 600).best
    other = play(dd.learners.DTS(4), Taste.of(world), 1, 600).best
    assert set(np.flatnonzero(np.diff(one)) % LOOK) - {LOOK - 1}
    assert set(np.flatnonzero(np.diff(other)) % LOOK) == {LOOK - 1}


def test_what_is_known_stays_known():
    missed = np.zeros((20, 1000), bool)
    missed[:, :100] = True
    missed[0] = True
    assert polls.known(missed) == 101
    missed[1, 900:] = True
    assert polls.known(missed) == 1000  # known from 101 to 900, but not to the end
    missed[1, 950:] = False  # windows of points a little apart
    assert 900 < polls.known(missed) <= 960
    missed[1] = True
    assert polls.known(missed) == 1000
    assert polls.known(np.zeros((20, 1000), bool)) == 2


def test_halves_have_no_world_and_no_run_in_common():
    names = {
        half: [world.seed for kind in DECKS for world in worlds(half, kind)] for half in HALVES
    }
    assert not set(names["tuning"]) & set(names["held-out"])
    runs = [
        {first + more + n for n in range(polls.WORST_RUNS) for more in (0, polls.OTHERS)}
        for first in polls.SEEDS.values()
    ]
    assert not runs[0] & runs[1]
    assert sum(map(len, runs)) == 4 * polls.WORST_RUNS


def test_nobody_knows_the_better_of_two_before_the_majority_does():
    """The rows of two options in the file, against the least number of votes that any rule needs.

    From t to 1.25 t the majority of the votes is right with chances that the binomial distribution
    gives; no rule is right more often. The shares measured differ by less than three standard
    deviations.
    """
    rows = json.loads(polls.FILE.read_text(encoding="utf-8"))["owner"]
    found = {row["chance"]: row for row in rows if row["arms"] == 2}
    assert {chance: _majority(chance, 0.05) for chance in (0.55, 0.6)} == {0.55: 241, 0.6: 60}
    for chance, row in found.items():
        slack = 3 * np.sqrt(0.05 * 0.95 / row["runs"])
        assert row["runs"] >= 1000
        assert row["until"] >= _majority(chance, 0.05 + slack)


def _majority(chance: float, wrong: float) -> int:
    """Return the first t such that majorities are wrong so often on average from t to 1.25 t."""
    votes = np.arange(1, 1000)
    misses = np.array([_miss(int(n), chance) for n in votes])
    return next(int(t) for t in votes if misses[t - 1 : int(np.ceil(1.25 * t))].mean() <= wrong)


def _miss(votes: int, chance: float) -> float:
    """Return the chance that a majority of votes is for the other arm, half of a draw."""
    wins = np.arange(votes + 1)
    return float(binom.pmf(wins, votes, chance) @ (0.5 + 0.5 * np.sign(votes - 2 * wins)))


def test_bands_of_chances_count_what_was_right():
    bands = polls.calibration([(0.92, True), (0.94, True), (0.93, False), (0.999, True)])
    band = next(one for one in bands if one["from"] == 0.9)
    assert (band["moments"], round(band["said"], 2), round(band["right"], 2)) == (3, 0.93, 0.67)


@pytest.mark.slow
def test_the_command_writes_a_file_and_its_tables(tmp_path, monkeypatch, capsys):
    trap = World(4, 300, "trap", "none", 0, 0, 1)
    few = {kind: [replace(worlds("tuning", kind)[0], votes=300)] for kind in DECKS}
    few["stationary"].append(trap)
    monkeypatch.setattr(polls, "worlds", lambda half, kind: few[kind])
    monkeypatch.setattr(polls, "OWNERS", [(2, 0.9)])
    monkeypatch.setattr(polls, "LONG", 400)
    monkeypatch.setattr(polls, "CLAIMS", [(2, "equal")])
    monkeypatch.setattr(_poll_worlds, "LONG", 400)
    monkeypatch.setattr(polls, "CHANGES", [(2, "favourite .9", 0.9)])
    page = tmp_path / "page.md"
    marks = [f"{polls.BEGIN.format(name)}\n{polls.END.format(name)}" for name in polls.BLOCKS]
    page.write_text("\n".join(marks), encoding="utf-8")
    words = f"benchmarks polls --half tuning --runs 2 --out {tmp_path / 'a.json'} --page {page}"
    monkeypatch.setattr(sys, "argv", words.split())
    polls.main()
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert len(found["halves"]["tuning"]["worlds"]) == 3
    printed = capsys.readouterr().out
    for block in page.read_text(encoding="utf-8").split(polls.BEGIN.format(""))[1:]:
        assert block in printed
    assert "| tracking error ratio, geometric mean |" in page.read_text(encoding="utf-8")
