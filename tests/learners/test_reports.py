"""What every learner reports: the facts, in words that are true, and as data."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

import driftduel as dd
from driftduel.learners import Constants, Report
from driftduel.learners.history import Activation, Eviction
from driftduel.testing.driving import snapshot, switching_world, tell_as_played

LABELS = ("tea", "coffee", "milk")


def played(learner, n_rounds=200):
    world = switching_world(learner.n_arms, n_rounds)
    for t in range(n_rounds):
        duel = learner.ask()
        tell_as_played(learner, duel, float(world.matrix(t)[duel.left, duel.right] > 0.5))
    return learner


@pytest.mark.parametrize("name", sorted(dd.all_learners()))
def test_every_learner_reports_what_it_says_elsewhere(name):
    learner = played(dd.all_learners()[name](3, 1000, labels=LABELS))
    before = snapshot(learner)
    report = learner.report()
    assert snapshot(learner) == before
    assert isinstance(report, Report)
    assert (report.names, report.rounds) == (LABELS, 200)
    assert (report.best, list(report.active)) == (learner.best(), learner.active.tolist())
    assert list(report.episodes) == learner.episodes
    assert set(report.evictions) <= set(learner.evictions)
    assert f"After 200 rounds {LABELS[report.best]} is best" in str(report) or str(
        report
    ).startswith(f"After 200 rounds the learner would pick {LABELS[report.best]}.\n")
    assert json.loads(json.dumps(asdict(report)))["rounds"] == 200


def test_what_a_learner_does_not_know_is_none():
    report = played(dd.RUCB(3)).report()
    assert (report.since, report.probabilities, report.intervals, report.changes) == (None,) * 4


def test_the_calibrated_learner_says_more():
    report = played(dd.CalibratedMetaBosse(3, seed=1), 2000).report()
    assert report.since is not None
    assert report.changes is not None
    by_arm = {one.arm: (one.low, one.high) for one in report.standings}
    assert report.intervals == tuple(by_arm[arm] for arm in range(3))
    assert report.probabilities is None


def test_of_each_arm_the_last_eviction_is_reported_in_the_order_of_rounds():
    learner = played(dd.MetaBosse(3, 3000, seed=1, constants=Constants(scale=0.02)), 1500)
    assert len(learner.evictions) > 3
    found = learner.report().evictions
    for eviction in found:
        assert eviction == [one for one in learner.evictions if one.arm == eviction.arm][-1]
    assert {one.arm for one in found} == {one.arm for one in learner.evictions}
    assert [one.round for one in found] == sorted(one.round for one in found)


PLAIN = Report(
    names=LABELS, rounds=1200, best=0, active=(0, 1, 2), episodes=(0,), evictions=(), activations=()
)
BEATEN = Eviction(351, 2, 0, 12, 351, None, 45.25, 44.125, 0)


def test_the_words_say_what_would_be_picked_and_nothing_more():
    assert str(PLAIN) == ("After 1,200 rounds the learner would pick tea.\nAll 3 arms are in play.")
    assert str(replace(PLAIN, rounds=1)).startswith("After 1 round the learner would pick tea.")


def test_the_words_tell_who_is_set_aside_and_why_and_when_it_began_anew():
    report = replace(PLAIN, active=(0, 1), episodes=(0, 512, 1100), evictions=(BEATEN,))
    assert str(report).splitlines()[1:] == [
        "In play: tea, coffee; 1 set aside.",
        "It began anew at rounds 512, 1,100.",
        "milk was found worse than tea at round 351: 45.2 behind, 44.1 was enough.",
    ]


@pytest.mark.parametrize(("round_", "end"), [(351, "; it came back at round 351."), (350, ".")])
def test_the_words_tell_who_came_back(round_, end):
    report = replace(PLAIN, evictions=(BEATEN,), activations=(Activation(round_, 2),))
    assert str(report).endswith(f"44.1 was enough{end}")
    assert str(replace(report, active=(0, 1))).endswith("44.1 was enough.")


def test_of_each_arm_the_last_return_is_reported():
    learner = played(dd.MetaBosse(3, 3000, seed=1, constants=Constants(scale=0.02)), 1500)
    assert len(learner.activations) > 3
    found = learner.report().activations
    assert {one.arm: one for one in learner.activations} == {one.arm: one for one in found}


def test_the_words_are_few_however_much_happened():
    episodes = tuple(range(0, 100_000, 10))
    report = replace(PLAIN, episodes=episodes, evictions=(BEATEN,) * 50)
    assert "It began anew 9,999 times, the latest at rounds 99,950, " in str(report)
    assert len(str(report).splitlines()) == 8
