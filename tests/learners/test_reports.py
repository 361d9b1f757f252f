"""What every learner reports: the facts, in words that are true, and as data."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import Constants, Report
from driftduel.learners.contract.history import Eviction
from driftduel.learners.contract.report import Change
from driftduel.learners.parts import journal
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
    assert (report.best, list(report.active)) == (learner.best_index, learner.active.tolist())
    assert list(report.episodes) == learner.episodes
    assert set(report.evictions) <= set(learner.evictions)
    name_of_round = "votes" if name == "DriftPoll" else "rounds"
    assert str(report).endswith(f"From 200 {name_of_round}.")
    assert report.standing.best == report.best
    assert report.to_dict()["best"] == LABELS[report.best]
    assert len(repr(report)) < 200
    assert json.loads(json.dumps(asdict(report)))["rounds"] == 200


def test_what_a_learner_does_not_know_is_none():
    report = played(dd.learners.RUCB(3)).report()
    assert (report.since, report.probabilities, report.intervals, report.changes) == (None,) * 4


def test_of_each_arm_that_is_set_aside_the_last_eviction_is_reported_in_the_order_of_rounds():
    learner = dd.MetaBosse(3, 3000, seed=1, constants=Constants(scale=0.02))
    found = set()
    for _ in range(15):
        played(learner, 100)
        report = learner.report()
        assert [one.round for one in report.evictions] == sorted(
            one.round for one in report.evictions
        )
        for eviction in report.evictions:
            assert eviction == [one for one in learner.evictions if one.arm == eviction.arm][-1]
        aside = {one.arm for one in report.evictions}
        assert aside == set(range(3)) - set(report.active)
        found.add(len(aside))
    assert len(learner.evictions) > 3
    assert found >= {0, 2}


PLAIN = Report(
    names=LABELS, rounds=1200, best=0, active=(0, 1, 2), episodes=(0,), evictions=(), activations=()
)
BEATEN = Eviction(351, 2, 0, 12, 351, None, 45.25, 44.125, 0)


def test_the_words_say_what_would_be_picked_and_nothing_more():
    assert str(PLAIN).splitlines() == [
        "After 1,200 rounds the learner would pick tea.",
        "All 3 arms are in play.",
        "From 1,200 rounds.",
    ]
    assert str(replace(PLAIN, rounds=1)).startswith("After 1 round the learner would pick tea.")


def test_the_words_tell_who_is_set_aside_for_now_and_when_the_learner_started_again():
    report = replace(PLAIN, active=(0, 1), episodes=(0, 512, 1100), evictions=(BEATEN,))
    assert str(report).splitlines()[1:-1] == [
        "It started again at round 512 and round 1,100.",
        "In play: tea and coffee; 1 set aside for now.",
        "milk is set aside for now: at round 351 it was 45.2 behind tea, 44.1 was enough.",
    ]


def test_of_each_arm_the_last_return_is_reported():
    learner = played(dd.MetaBosse(3, 3000, seed=1, constants=Constants(scale=0.02)), 1500)
    assert len(learner.activations) > 3
    found = learner.report().activations
    assert {one.arm: one for one in learner.activations} == {one.arm: one for one in found}


def test_the_words_are_few_however_much_happened():
    many = tuple(f"arm {arm}" for arm in range(200))
    beaten = tuple(replace(BEATEN, arm=arm) for arm in range(1, 51))
    episodes = tuple(range(0, 100_000, 10))
    report = replace(PLAIN, names=many, active=(0,), episodes=episodes, evictions=beaten)
    assert "It started again 9,999 times, the latest at round 99,950, " in str(report)
    assert len(str(report).splitlines()) == 9
    report = replace(
        KNOWN,
        names=many,
        active=tuple(range(200)),
        scores=(0.5,) * 200,
        intervals=((0.4, 0.6),) * 200,
        duels=(90,) * 200,
        rivals=tuple(range(1, 200)),
        changes=(CHANGE,) * 50,
    )
    assert "  and 180 more" in str(report).splitlines()
    assert "not yet decided against arm 1, arm 2, arm 3, arm 4 and 195 more" in str(report)
    assert "Who is best changed 50 times; the latest:" in str(report)
    assert len(str(report).splitlines()) == 30
    assert len(repr(report)) < 200


# Of learners that know scores

KNOWN = replace(
    PLAIN,
    unit="vote",
    since=400,
    scores=(0.61, 0.45, None),
    intervals=((0.5, 0.7), (0.4, 0.51), (0.0, 1.0)),
    duels=(200, 190, 0),
    counted_since=0,
    level=0.95,
    scored_against="the others",
    decided=False,
    rivals=(2, 1),
    missing=1,
    changes=(),
)
CHANGE = Change(1_100, 1_000, 1, 0, 990, 1_010)


def first_line(report):
    return str(report).splitlines()[0]


def test_the_sentence_says_who_leads_since_when_who_did_before_and_what_is_undecided():
    assert first_line(KNOWN) == (
        "tea leads since vote 400. It is not yet decided against milk and coffee: about 10 more "
        "votes."
    )
    assert first_line(replace(KNOWN, before=1, missing=None)) == (
        "tea leads since vote 400; coffee led until then. It is not yet decided against milk and "
        "coffee."
    )
    sure = replace(KNOWN, decided=True, since=0, rounds=1)
    assert first_line(sure) == "tea is best on average since the first vote."


def test_a_standing_is_told_with_its_interval_and_its_duels():
    report = replace(KNOWN, probabilities=(0.996, 0.003, 0.001), counted_since=30)
    assert str(report).splitlines()[1:] == [
        "  tea: wins 61% (50% to 70%) of 200 random comparisons, best with over 99%",
        "  coffee: wins 45% (40% to 51%) of 190 random comparisons, best with under 1%",
        "  milk: 0 of 30 random comparisons",
        "Random comparisons since vote 30 are those with an opponent drawn at random. Ranges hold "
        "with 95%, for all arms at once and at every moment; if tastes drifted, they are about the "
        "average.",
        "No change of taste was noticed.",
        "From 1,200 votes.",
    ]


def test_below_thirty_duels_nothing_is_claimed():
    report = replace(KNOWN, duels=(29, 12, 1), scores=(1.0, 0.0, 0.0))
    assert str(report).splitlines() == [
        "After 1,200 votes it is too early to name a leader.",
        "  tea: 29 of 30 random comparisons",
        "  coffee: 12 of 30 random comparisons",
        "  milk: 1 of 30 random comparisons",
        "No change of taste was noticed.",
        "From 1,200 votes.",
    ]


def test_who_is_set_aside_is_told_with_the_round_and_who_leads_again_is_not():
    report = replace(KNOWN, active=(0, 1), evictions=(BEATEN,))
    assert "  milk: 0 of 30 random comparisons, set aside for now since vote 351" in str(report)
    assert "set aside" not in str(replace(report, active=(0, 1, 2), evictions=()))


def test_who_left_is_told_and_has_no_line():
    report = replace(KNOWN, active=(0, 1), offered=(0, 1))
    assert "No longer offered: milk." in str(report).splitlines()
    assert "  milk:" not in str(report)


def test_that_nothing_changed_is_not_said_while_the_leader_has_just_been_replaced():
    assert "No change of taste was noticed." in str(KNOWN)
    replaced = replace(KNOWN, before=1)
    chance = "change of taste is proved: that another arm leads now may be chance."
    assert f"No {chance}" in str(replaced)
    late = replace(replaced, since=1_150, changes=(replace(CHANGE, after=2),))
    assert f"No other {chance}" in str(late)
    likely = replace(replaced, doubt=1_050)
    assert "because tastes changed around vote 1,050, which is not proved yet." in str(likely)
    assert "No change" not in str(likely)
    proved = replace(replaced, changes=(CHANGE,))
    assert first_line(proved).startswith("tea leads since about vote 1,000; coffee was until then.")
    assert str(proved).splitlines()[-2] == (
        "tea took over from coffee between vote 990 and vote 1,010, noticed at vote 1,100."
    )


def test_for_condorcet_the_others_are_compared_with_the_best():
    report = replace(KNOWN, scored_against="the best", duels=(0, 90, 90), scores=(None, 0.4, 0.5))
    report = replace(report, decided=True)
    assert str(report).splitlines()[1:3] == [
        "  tea: the others are compared with it",
        "  milk: wins 50% (0% to 100%) of 90 comparisons with the best",
    ]
    assert "drawn at random" not in str(report)


def test_a_change_is_told_with_the_range_of_rounds_it_happened_in_where_that_is_known():
    changes = np.zeros(2, journal.CHANGE)
    journal.note_change(changes, 0, 3_200, 3_000, journal.UNDATED, journal.UNDATED, 1, 0)
    journal.note_change(changes, 1, 5_400, 5_021, 4_980, 5_060, 0, 1)
    undated, dated = journal.read_changes(changes, 2)
    assert (undated.earliest, undated.latest) == (None, None)
    assert (dated.noticed, dated.around, dated.before, dated.after) == (5_400, 5_021, 0, 1)
    assert str(replace(PLAIN, changes=(undated, dated))).splitlines()[1:3] == [
        "tea took over from coffee around round 3,000, noticed at round 3,200.",
        "coffee took over from tea between round 4,980 and round 5,060, noticed at round 5,400.",
    ]


def test_only_the_latest_changes_are_remembered_in_order():
    """All ask which tastes are those of now: here they change every 80 votes."""
    learner = dd.DriftPoll(3, seed=1)
    for n in range(7_200):
        duel = learner.ask()
        best = n // 80 % 3
        learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    noticed = [change.noticed for change in learner.report().changes]
    assert len(learner.episodes) > 65
    assert noticed == learner.episodes[-64:]
