"""What a learner reports: the numbers by hand, the words, and Wilson's interval by search."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.calibrated.account import wilson
from driftduel.learners.parts.journal import CHANGE, UNDATED, note_change, read_changes
from driftduel.testing.driving import tell_as_played

KINDS = ["borda", "condorcet"]


def play(learner, world, seed=0):
    """Play through a stream; return who met whom, with which outcome."""
    script = np.random.default_rng(seed)
    log = []
    for t in range(world.horizon):
        duel = learner.ask()
        tosses = learner.session.open[duel.id][2][1]
        outcome = float(script.random() < world.matrix(t)[duel.left, duel.right])
        tell_as_played(learner, duel, outcome)
        log.append((duel.left, duel.right, tosses, outcome))
    return log


@pytest.mark.parametrize("kind", KINDS)
def test_before_any_duel_nothing_is_known(kind):
    report = dd.CalibratedMetaBosse(3, criterion=kind).report()
    assert (report.rounds, report.best, report.since) == (0, 0, 0)
    assert (report.changes, report.evictions) == ((), ())
    for standing in report.standings:
        assert standing.score is None
        assert (standing.low, standing.high, standing.duels) == (0.0, 1.0, 0)
        assert standing.active
    assert str(report).splitlines() == [
        "After 0 rounds 0 is best, since round 0.",
        *(f"  {arm}: no duels yet" for arm in range(3)),
        "No change of taste was noticed.",
    ]


def test_scores_are_shares_of_the_tosses_since_the_world_may_have_changed():
    world = dd.testing.driving.switching_world(4, 1200)
    learner = dd.CalibratedMetaBosse(4, seed=1)
    log = play(learner, world)
    report = learner.report()
    won = {arm: [] for arm in range(4)}
    (change,) = report.changes
    for left, right, tosses, outcome in log[change.around :]:
        even = 0.5 if left == right else outcome
        if tosses in (1.0, 2.0):
            won[left].append(even)
        if tosses in (-1.0, 2.0):
            won[right].append(1 - even)
    assert len(report.standings) == 4
    for standing in report.standings:
        outcomes = won[standing.arm]
        assert standing.duels == len(outcomes)
        assert standing.score == pytest.approx(np.mean(outcomes))
        assert (standing.low, standing.high) == pytest.approx(
            wilson(sum(outcomes) - len(outcomes) / 2, len(outcomes))
        )
        assert standing.low < standing.score < standing.high


def test_condorcet_scores_are_shares_of_the_duels_with_the_best_in_this_episode():
    world = dd.testing.driving.switching_world(4, 2000)
    learner = dd.CalibratedMetaBosse(4, criterion="condorcet", seed=1)
    log = play(learner, world)
    report = learner.report()
    assert len(learner.episodes) == 2
    best = learner.best()
    for standing in report.standings[1:]:
        outcomes = []
        for left, right, _, outcome in log[learner.episodes[-1] :]:
            if (left, right) == (standing.arm, best):
                outcomes.append(outcome)
            elif (left, right) == (best, standing.arm):
                outcomes.append(1 - outcome)
        assert standing.duels == len(outcomes)
        assert standing.score == pytest.approx(np.mean(outcomes))
    assert report.standings[0].score is None
    assert str(report).splitlines()[1] == f"  {best}: the others are compared with it"


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_told_with_its_circumstances(kind):
    world = dd.testing.driving.switching_world(3, 4000)
    labels = ["tea", "coffee", "milk"]
    learner = dd.CalibratedMetaBosse(3, criterion=kind, seed=2, labels=labels)
    play(learner, world)
    report = learner.report()
    (change,) = report.changes
    assert change.noticed == learner.episodes[1]
    assert 1900 < change.around <= change.noticed
    assert (change.before, change.after) == (0, 2)
    assert report.rounds == 4000
    assert report.best == learner.best() == 2
    assert 2000 < report.since < 4000
    words = str(report)
    assert words.startswith(f"After 4,000 rounds milk is best, since round {report.since:,}.\n")
    assert (
        f"Tastes changed around round {change.around:,}, from tea to milk; "
        f"noticed at round {change.noticed:,}."
    ) in words
    assert "No change" not in words
    names = [standing.name for standing in report.standings]
    assert names[0] == "milk"
    assert sorted(names) == sorted(labels)


def test_a_change_is_told_with_the_range_of_rounds_it_happened_in_where_that_is_known():
    changes = np.zeros(2, CHANGE)
    note_change(changes, 0, 3_200, 3_000, UNDATED, UNDATED, 1, 0)
    note_change(changes, 1, 5_400, 5_021, 4_980, 5_060, 0, 1)
    undated, dated = read_changes(changes, 2)
    assert (undated.earliest, undated.latest) == (None, None)
    assert (dated.noticed, dated.around, dated.before, dated.after) == (5_400, 5_021, 0, 1)
    assert (dated.earliest, dated.latest) == (4_980, 5_060)
    report = dd.CalibratedMetaBosse(2, labels=["tea", "coffee"]).report()
    assert str(replace(report, changes=(undated, dated))).splitlines()[-2:] == [
        "Tastes changed around round 3,000, from coffee to tea; noticed at round 3,200.",
        "Tastes changed between rounds 4,980 and 5,060, from tea to coffee; "
        "noticed at round 5,400.",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_comes_first_and_the_others_by_score(kind):
    learner = dd.CalibratedMetaBosse(5, criterion=kind, seed=3)
    play(learner, dd.testing.driving.switching_world(5, 900))
    report = learner.report()
    assert report.standings[0].arm == report.best
    scores = [standing.score or 0.0 for standing in report.standings[1:]]
    assert scores == sorted(scores, reverse=True)
    assert {one.arm for one in report.standings if one.active} == set(learner.active.tolist())


def test_one_round_and_one_duel_are_told_as_one():
    learner = dd.CalibratedMetaBosse(2, criterion="condorcet", labels=["tea", "coffee"])
    tell_as_played(learner, learner.ask(), "left")
    words = str(learner.report())
    assert words.startswith("After 1 round ")
    assert ", 1 duel), " in words


def test_a_standing_is_told_in_one_line():
    learner = dd.CalibratedMetaBosse(2, seed=1, labels=["tea", "coffee"])
    play(learner, dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], 300))
    report = learner.report()
    first, second = report.standings
    assert (first.name, second.name) == ("tea", "coffee")
    lines = str(report).splitlines()
    assert lines[1] == (
        f"  tea: wins {first.score:.0%} against the others ({first.low:.0%} to {first.high:.0%}, "
        f"{first.duels} duels), may be best"
    )
    assert lines[2].endswith("out")
    assert lines[3] == "No change of taste was noticed."
    (eviction,) = report.evictions
    assert lines[4] == (
        f"coffee was found worse than tea at round {eviction.round:,}: "
        f"{eviction.statistic:.3g} behind, {eviction.threshold:.3g} was enough."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_who_is_out_is_told_with_a_reason_and_nobody_else(kind):
    world = dd.testing.driving.switching_world(4, 1500)
    for seed in range(3):
        learner = dd.CalibratedMetaBosse(4, criterion=kind, seed=seed)
        script = np.random.default_rng(seed)
        for t in range(world.horizon):
            duel = learner.ask()
            won = script.random() < world.matrix(t)[duel.left, duel.right]
            tell_as_played(learner, duel, float(won))
            if t % 25 == 0:
                report = learner.report()
                out = [one.arm for one in report.standings if not one.active]
                assert sorted(one.arm for one in report.evictions) == sorted(out)


def test_only_the_latest_changes_are_remembered_in_order():
    calibration = dd.learners.Calibration(alarm=0.5, proof=-9.0, likely=-9.0, watch=1.0)
    learner = dd.CalibratedMetaBosse(3, seed=1, calibration=calibration, false_restarts=0.5)
    script = np.random.default_rng(1)
    for n in range(12_000):
        duel = learner.ask()
        best = n // 40 % 3
        sure = 0.5 + 0.5 * ((duel.left == best) - (duel.right == best))
        tell_as_played(learner, duel, float(script.random() < sure))
    noticed = [change.noticed for change in learner.report().changes]
    assert len(learner.episodes) > 65
    assert noticed == learner.episodes[-64:]


@pytest.mark.parametrize("n", [1, 2, 7, 40, 1000])
def test_wilsons_interval_holds_the_chances_that_are_not_too_far(n):
    """Every chance p with |share - p| <= 1.96 sqrt(p (1 - p) / n), found by search."""
    chances = np.linspace(0, 1, 20_001)
    for wins in sorted({0, 0.5, 1, n // 3, n / 2, n - 1, n} & set(np.arange(0, n + 0.5, 0.5))):
        near = np.abs(wins / n - chances) <= 1.96 * np.sqrt(chances * (1 - chances) / n) + 1e-12
        low, high = wilson(wins - n / 2, n)
        assert low == pytest.approx(chances[near].min(), abs=1e-4)
        assert high == pytest.approx(chances[near].max(), abs=1e-4)


def test_wilsons_interval_without_tosses_is_everything():
    assert wilson(0.0, 0) == (0.0, 1.0)


def test_wilsons_interval_holds_the_truth_as_often_as_it_says():
    """10^4 samples of 30 tosses with chance .7: 95 %, here 93 to 97 %, ten standard errors."""
    wins = np.random.default_rng(1).binomial(30, 0.7, 10_000)
    ends = {w: wilson(w - 15.0, 30) for w in range(31)}
    held = np.mean([ends[w][0] <= 0.7 <= ends[w][1] for w in wins])
    assert 0.93 < held < 0.97
    assert all(math.isfinite(end) and 0 <= end <= 1 for pair in ends.values() for end in pair)
