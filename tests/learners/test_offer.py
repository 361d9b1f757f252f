"""Arms that come and go, for every learner whose arms may."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.learners.contract.ranges import check_state
from driftduel.learners.paper.carry import restart_clock, start_clock
from driftduel.testing.driving import essence, knowledge, snapshot
from tests.learners.variants import HASTY, QUICK

LEARNERS = {
    "DriftPoll": dd.DriftPoll,
    "DriftDuel": dd.DriftDuel,
    "DriftDuel condorcet": lambda n, **more: dd.DriftDuel(n, criterion="condorcet", **more),
    "DriftDuel hasty": lambda n, **more: dd.DriftDuel(n, calibration=HASTY, **more),
    "MetaBosse": dd.MetaBosse,
    "MetaBosse quick": lambda n, **more: dd.MetaBosse(n, constants=QUICK, **more),
    "MetaBosse condorcet": lambda n, **more: dd.MetaBosse(
        n, constants=QUICK, criterion="condorcet", **more
    ),
    "MetaBosse of all intervals": lambda n, **more: dd.MetaBosse(
        n, 400, constants=QUICK, intervals="all", **more
    ),
}
STRENGTHS = np.array([0.2, 0.1, 0.0, -0.1, 0.3, -0.2, 0.05, 0.15, -0.05, 0.1, 0.0, -0.1, 0.0])


@pytest.fixture(params=LEARNERS)
def make(request):
    return LEARNERS[request.param]


def outcome_of(duel, voter, strengths=STRENGTHS):
    won = voter.random() < 0.5 + strengths[duel.left] - strengths[duel.right]
    return float(won) if duel.is_vote else 0.5


def play(learner, n, seed=0):
    """Ask and tell; return the duels with their outcomes."""
    voter = np.random.default_rng(seed)
    told = []
    for _ in range(n):
        duel = learner.ask()
        offered = set(learner.offered.tolist())
        assert {duel.left, duel.right} <= offered, "an arm that is not on offer was asked"
        outcome = outcome_of(duel, voter)
        learner.tell(duel, outcome)
        told.append((duel, outcome))
    return told


def test_joining_before_the_first_round_equals_a_plain_run_bit_for_bit(make):
    plain, joined = make(4, seed=3), make(3, seed=3)
    joined.change_arms(join=[3])
    assert snapshot(joined, named=False) == snapshot(plain, named=False)
    one, other = play(plain, 120), play(joined, 120)
    assert essence([duel for duel, _ in one]) == essence([duel for duel, _ in other])
    assert snapshot(joined)["session"]["state"] == snapshot(plain)["session"]["state"]


def test_arms_that_left_before_the_first_round_might_as_well_never_have_been(make):
    plain, fewer = make(3, seed=3), make(5, seed=3)
    fewer.change_arms(leave=[0, 3])
    arms = fewer.offered
    assert arms.tolist() == [1, 2, 4]
    for seed in range(120):
        one, other = plain.ask(), fewer.ask()
        assert (arms[one.left], arms[one.right]) == (other.left, other.right)
        assert one.propensity == other.propensity
        outcome = float(seed % 3 > 0) if one.is_vote else 0.5
        plain.tell(one, outcome)
        fewer.tell(other, outcome)
    assert knowledge(plain)["state"] == knowledge(fewer)["state"]
    assert fewer.best_index == arms[plain.best_index]
    assert fewer.active.tolist() == arms[plain.active].tolist()


def test_numbers_and_labels_stay_when_arms_come_and_go(make):
    learner = make(3, labels=["tea", "coffee", "milk"])
    play(learner, 20)
    learner.change_arms(join=["mate"], leave=["tea"])
    assert learner.labels == ("tea", "coffee", "milk", "mate")
    assert (learner.n_arms, learner.offered.tolist()) == (4, [1, 2, 3])
    learner.change_arms(join=["tea"], leave=[1, "milk"])
    assert (learner.n_arms, learner.offered.tolist()) == (4, [0, 3])
    assert learner.best_index in (0, 3)
    assert set(learner.active.tolist()) <= {0, 3}
    report = learner.report()
    assert report.names == learner.labels
    assert report.best == learner.best_index


def test_a_report_says_who_is_gone_and_does_not_count_them_as_set_aside():
    learner = dd.MetaBosse(4, labels=["tea", "coffee", "milk", "mate"])
    play(learner, 20)
    assert "No longer offered" not in str(learner.report())
    learner.change_arms(leave=["milk"])
    told = str(learner.report()).splitlines()
    assert "All 3 arms are in play." in told
    assert "No longer offered: milk." in told
    poll = dd.DriftPoll(4, labels=["tea", "coffee", "milk", "mate"])
    play(poll, 300)
    poll.change_arms(leave=["milk", "tea"])
    play(poll, 300)
    told = str(poll.report())
    assert "\n  tea: " not in told
    assert "\nNo longer offered: tea and milk." in told


def test_arms_without_labels_join_by_the_next_number(make):
    learner = make(2)
    learner.change_arms(join=[2, 3], leave=[0])
    learner.change_arms(join=[0, 4])
    assert (learner.n_arms, learner.offered.tolist()) == (5, [0, 1, 2, 3, 4])
    assert learner.labels is None


def test_nothing_to_change_changes_nothing(make):
    learner = make(3, seed=1)
    play(learner, 30)
    before = snapshot(learner)
    learner.change_arms()
    assert snapshot(learner) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"join": "mate"}, r"^join is 'mate', must be a list of arms$"),
        ({"leave": 1}, r"^leave is 1, must be a list of arms$"),
        ({"join": [5]}, r"^join\[0\] is 5, must be an arm that left or a new label$"),
        ({"join": ["tea"]}, r"^join\[0\] is 'tea', which is on offer already$"),
        ({"join": ["mate", "mate"]}, r"^join\[1\] is 'mate', which is on offer already$"),
        ({"join": [True]}, r"^join\[0\] is True, must be an arm that left or a new label$"),
        ({"leave": ["mate"]}, r"^leave\[0\] is 'mate', must be one of the arms on offer: tea, "),
        ({"leave": ["tea", 0]}, r"^leave\[1\] is 0, must be one of the arms on offer"),
        ({"leave": ["tea", "milk"]}, r"^leave: 1 would be on offer, two arms at least must be$"),
        ({"join": ["a\x1b"]}, r"^labels: name 4 is .*, must be printable$"),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_changes_nothing(make, change, message):
    learner = make(3, labels=["tea", "coffee", "milk"], seed=1)
    play(learner, 10)
    before = snapshot(learner)
    with pytest.raises(ValueError, match=message):
        learner.change_arms(**change)
    assert snapshot(learner) == before
    assert learner.n_arms == 3


def test_arms_without_labels_cannot_join_by_a_label(make):
    with pytest.raises(ValueError, match=r"^join\[0\] is 'tea', must be .* left or 3, the next"):
        make(3).change_arms(join=["tea"])


def test_a_learner_that_cannot_change_its_arms_says_who_can():
    able = [name for name, kind in dd.all_learners().items() if kind.can_change_arms]
    assert able == sorted({name.split()[0] for name in LEARNERS})
    with pytest.raises(ValueError, match=r"^Uniform cannot change its arms; who can: .*DriftPoll"):
        dd.learners.Uniform(3).change_arms(join=[3])


def test_a_duel_open_across_a_leave_is_a_round_that_teaches_nothing(make):
    learner = make(4, seed=2)
    play(learner, 40)
    for _ in range(2000):
        duel = learner.ask()
        if 3 in (duel.left, duel.right) and duel.is_vote:
            break
        learner.cancel(duel)
    learner.change_arms(leave=[3])
    silent = copy.deepcopy(learner)
    learner.tell(duel, "left")
    assert learner.rounds == 41
    with pytest.raises(dd.learners.AlreadyTold):
        learner.tell(duel, "left")
    # Whatever is told of it, the learner is the same.
    silent.tell(duel, "right")
    assert knowledge(silent) == knowledge(learner)


def test_a_saved_learner_keeps_who_is_on_offer_and_goes_on_bit_for_bit(make, tmp_path):
    learner = make(4, seed=2, labels=["a", "b", "c", "d"])
    play(learner, 60)
    duel = learner.ask()
    learner.change_arms(join=["e"], leave=["b"])
    play(learner, 20)
    learner.save(tmp_path / "learner.json")
    again = dd.load_learner(tmp_path / "learner.json")
    assert snapshot(again) == snapshot(learner)
    with dd.learner_file(tmp_path / "learner.json") as held:
        held.change_arms(join=["b"], leave=["c"])
    changed = dd.load_learner(tmp_path / "learner.json")
    learner.change_arms(join=["b"], leave=["c"])
    assert snapshot(changed) == snapshot(learner)
    for one in (learner, changed):
        one.tell(duel, "tie")
    assert essence([d for d, _ in play(learner, 30)]) == essence([d for d, _ in play(changed, 30)])


def test_copies_keep_who_is_on_offer_and_clones_start_with_all_arms(make):
    learner = make(3, seed=2)
    play(learner, 30)
    learner.change_arms(join=[3], leave=[1])
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        assert snapshot(twin) == snapshot(learner)
        assert twin.offered.tolist() == [0, 2, 3]
    clone = learner.clone()
    assert clone.offered.tolist() == [0, 1, 2, 3]
    assert snapshot(clone, named=False) == snapshot(make(4, seed=2), named=False)


def test_a_log_of_outcomes_and_changes_gives_the_same_state(make):
    learner, replica = make(3, seed=5), make(3, seed=5)
    late = learner.ask()
    for join, leave in ([3], []), ([], [0]), ([4, 0], [1]), ([], [4]):
        log = play(learner, 50)
        learner.tell(late, "tie")
        columns = [(d.left, d.right, d.ticket, outcome) for d, outcome in log]
        columns.append((late.left, late.right, late.ticket, 0.5))
        replica.fold(*zip(*columns, strict=True))
        late = learner.ask()
        for one in (learner, replica):
            one.change_arms(join=join, leave=leave)
        assert knowledge(replica) == knowledge(learner)
        assert replica.best_index == learner.best_index


CHANGES = st.lists(
    st.tuples(st.integers(1, 12), st.sets(st.integers(0, 6)), st.sets(st.integers(0, 6))),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(changes=CHANGES, n_arms=st.integers(2, 4), seed=st.integers(0, 5), data=st.data())
@pytest.mark.parametrize("name", LEARNERS)
def test_whatever_comes_and_goes_only_arms_on_offer_are_asked(name, changes, n_arms, seed, data):
    learner = LEARNERS[name](n_arms, seed=seed)
    late = []
    for n_votes, join, leave in changes:
        late.append(learner.ask())
        play(learner, n_votes, seed)
        offered = set(learner.offered.tolist())
        left = sorted(leave & offered)[: len(offered) - 2]
        gone = set(range(learner.n_arms)) - offered
        joined = sorted(join & gone) + ([learner.n_arms] if max(join, default=0) > 3 else [])
        learner.change_arms(join=joined, leave=left)
        expected = sorted(offered - set(left) | set(joined))
        assert learner.offered.tolist() == expected
        assert learner.best_index in expected
        assert set(learner.active.tolist()) <= set(expected)
        check_state(learner._player, learner._session.state, learner.rounds)
        if data.draw(st.booleans()):
            learner.tell(late.pop(), "tie")
    play(learner, 10, seed)
    check_state(learner._player, learner._session.state, learner.rounds)
    assert learner.rounds == int(learner._session.state.clock["round"][0])


def test_propensities_match_frequencies_among_the_arms_on_offer(make):
    """By chi squared of 4,000 draws; a right learner fails with probability below 1e-6."""
    learner = make(4, seed=4)
    play(learner, 60)
    learner.change_arms(join=[4], leave=[1])
    play(learner, 5)
    chances, counts = {}, {}
    for _ in range(4000):
        duel = learner.ask()
        pair = duel.left, duel.right
        assert chances.setdefault(pair, duel.propensity) == duel.propensity
        counts[pair] = counts.get(pair, 0) + 1
        learner.cancel(duel)
    assert abs(sum(chances.values()) - 1) < 0.01
    likely = [pair for pair, chance in chances.items() if chance > 0.002]
    statistic = sum(
        (counts[pair] - 4000 * chances[pair]) ** 2 / (4000 * chances[pair]) for pair in likely
    )
    freedom = len(likely)
    assert statistic < freedom + 7 * np.sqrt(2 * freedom) + 25


# DriftPoll


def test_a_poll_that_loses_its_leader_declares_no_change():
    poll = dd.DriftPoll(4, seed=1)
    play(poll, 400)
    assert poll.best_index == 0
    poll.change_arms(leave=[0])
    assert poll.best_index == 1
    play(poll, 400)
    assert poll.best_index == 1
    assert poll.changes == []


def test_a_poll_finds_a_new_best_arm_and_calls_it_no_change_of_taste():
    poll = dd.DriftPoll(4, seed=1)
    play(poll, 400)
    poll.change_arms(join=[4])
    assert poll.best_index == 0
    play(poll, 400)
    assert poll.best_index == 4
    assert poll.changes == []
    assert poll.probabilities[4] > 0.7


def test_a_poll_keeps_the_changes_it_declared_when_arms_go():
    poll = dd.DriftPoll(3, seed=1)
    voter = np.random.default_rng(1)
    for strengths in ([0.3, 0, -0.1], [-0.2, 0.2, -0.1]):
        for _ in range(400):
            duel = poll.ask()
            poll.tell(duel, outcome_of(duel, voter, strengths))
    before = poll.changes
    assert [(one.before, one.after) for one in before] == [(0, 1)]
    poll.change_arms(join=[3], leave=[0])
    assert poll.changes == before
    assert poll.report().changes == tuple(before)
    assert poll.probabilities[0] == 0
    assert abs(poll.probabilities.sum() - 1) < 1e-9


def test_two_arms_of_a_poll_become_three_and_two_again():
    poll = dd.DriftPoll(2, seed=1)
    play(poll, 200)
    sure = poll.probabilities
    poll.change_arms(join=[2])
    assert poll.best_index == 0
    play(poll, 200)
    assert poll.best_index == 0
    poll.change_arms(leave=[2])
    assert poll.best_index == 0
    assert poll.probabilities[0] > sure[0] - 0.1
    poll._session.before = None
    poll.change_arms(join=[3], leave=[1])
    assert poll.probabilities[3] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("saved", [False, True])
def test_who_leaves_and_comes_back_without_an_outcome_between_leaves_no_trace(
    make, saved, tmp_path
):
    learner = make(4, seed=1, labels=["tea", "coffee", "milk", "mate"])
    play(learner, 150)
    plain, report = copy.deepcopy(learner), learner.report()
    learner.change_arms(leave=["tea"])
    learner.change_arms(leave=["milk"])
    if saved:
        learner.save(tmp_path / "learner.json")
        learner = dd.load_learner(tmp_path / "learner.json")
    learner.change_arms(join=["tea"])
    learner.change_arms(join=["milk"])
    assert learner.report() == report
    assert knowledge(learner) == knowledge(plain)
    play(plain, 20, seed=1)
    play(learner, 20, seed=1)
    assert knowledge(learner) == knowledge(plain)


def test_several_changes_of_arms_without_an_outcome_between_are_one(make):
    one, other = make(4, seed=1), make(4, seed=1)
    for learner in (one, other):
        play(learner, 150)
    one.change_arms(leave=[0])
    one.change_arms(join=[4])
    one.change_arms(leave=[1])
    other.change_arms(leave=[0, 1], join=[4])
    assert knowledge(one) == knowledge(other)
    play(one, 1)
    assert one._session.before is None


# What best means


PANEL = {
    "DriftDuel": lambda: dd.DriftDuel(3, criterion=[0.5, 0.5, 0.0], labels=["a", "b", "c"]),
    "MetaBosse": lambda: dd.MetaBosse(3, criterion=[0.5, 0.5, 0.0], labels=["a", "b", "c"]),
}


@pytest.mark.parametrize("name", PANEL)
def test_the_weights_of_a_panel_stay_whoever_comes_and_goes(name):
    learner = PANEL[name]()
    play(learner, 100)
    learner.change_arms(join=["d"], leave=["c"])
    play(learner, 100)
    assert learner.criterion == dd.Weighted([0.5, 0.5, 0.0, 0.0])
    assert learner._player.criterion == dd.Weighted([0.5, 0.5, 0.0])
    before = snapshot(learner)
    with pytest.raises(ValueError, match=r"^leave: b has a weight, it must stay$"):
        learner.change_arms(leave=["b"])
    assert snapshot(learner) == before


# DriftDuel


@pytest.fixture(params=["borda", "condorcet"])
def criterion(request):
    return request.param


def test_the_next_best_leads_when_the_leader_leaves_and_no_change_is_declared(criterion):
    for seed in range(5):
        learner = dd.DriftDuel(4, seed=seed, criterion=criterion)
        play(learner, 1500, seed)
        assert learner.best_index == 0
        learner.change_arms(leave=[0])
        assert learner.best_index in (1, 2, 3)
        play(learner, 1000, seed)
        assert learner.best_index == 1
        assert learner.report().changes == ()
        assert learner.episodes == [0]


def test_a_new_arm_that_is_best_soon_leads_and_no_change_is_declared(criterion):
    for seed in range(5):
        learner = dd.DriftDuel(4, seed=seed, criterion=criterion)
        play(learner, 3000, seed)
        learner.change_arms(join=[4])
        assert learner.best_index == 0
        assert 4 in learner.active
        play(learner, 600, seed)
        assert learner.best_index == 4
        assert learner.report().changes == ()


def test_a_new_arm_that_is_worse_is_set_aside_and_the_leader_stays(criterion):
    for seed in range(5):
        learner = dd.DriftDuel(5, seed=seed, criterion=criterion)
        play(learner, 3000, seed)
        assert learner.best_index == 4
        learner.change_arms(join=[5])
        led = []
        for n in range(1000):
            play(learner, 1, 1000 * seed + n)
            led.append(learner.best_index)
        assert 5 not in learner.active
        assert np.mean(np.array(led) == 4) > 0.95


# MetaBosse


def aged_metabosse(seed=0):
    """A MetaBosse some of whose arms were evicted, and that has played replays."""
    learner = dd.MetaBosse(5, seed=seed, constants=QUICK)
    voter = np.random.default_rng(seed)
    while True:
        duel = learner.ask()
        learner.tell(duel, outcome_of(duel, voter))
        state = learner._session.state
        evicted = state.arms["evidence"] >= state.clock["episode"][0]
        if learner.rounds > 300 and 1 < evicted.sum() < 5 and learner.replays:
            return learner, evicted


def test_who_joins_restarts_the_clock_while_evicted_arms_stay_out():
    learner, evicted = aged_metabosse()
    before = learner.rounds, learner.best_index, learner.episodes
    learner.change_arms(join=[5])
    assert (learner.rounds, learner.best_index, learner.episodes) == before
    assert learner.active.tolist() == [*np.flatnonzero(~evicted).tolist(), 5]
    clock = learner._session.state.clock[0]
    assert (clock["depth"], clock["rate"]) == (1, 1.0)
    play(learner, 64)
    age = learner.rounds - before[0]
    if learner._session.state.clock[0]["depth"] == 1:
        rate = learner._session.state.clock[0]["rate"]
        assert rate == pytest.approx(min(1, (6 / age) ** (1 / 3)), rel=0.02)


@pytest.mark.parametrize("intervals", ["dyadic", "all"])
def test_joining_and_leaving_of_an_arm_never_played_equals_a_restart_of_the_clock(intervals):
    learner = dd.MetaBosse(4, 2000, seed=1, constants=QUICK, intervals=intervals)
    play(learner, 230)
    other = copy.deepcopy(learner)
    learner.change_arms(join=[4])
    learner._session.before = None  # else nothing would have happened, as no round was between
    learner.change_arms(leave=[4])
    session = other._session
    fresh = other._allocate()
    start_clock(session.state, fresh)
    restart_clock(session.state, fresh, np.arange(4), session.settle_rng)
    session.state = fresh
    other._collect(fresh, session.history)
    for part, expected in zip(learner._session.state.arms, fresh.arms, strict=True):
        assert part == expected or part["since"] == expected["since"] + 2
    same = essence([duel for duel, _ in play(learner, 300)])
    assert same == essence([duel for duel, _ in play(other, 300)])
    assert learner.evictions == other.evictions
    assert learner.replays == other.replays


def test_who_leaves_costs_no_exploring_and_the_rest_goes_on():
    learner, evicted = aged_metabosse()
    gone = int(np.flatnonzero(evicted)[0])
    rate = learner._session.state.clock[0]["rate"]
    active = learner.active.tolist()
    learner.change_arms(leave=[gone])
    assert learner._session.state.clock[0]["rate"] <= rate
    assert set(learner.active.tolist()) == set(active) - {gone}


def test_an_episode_begins_if_only_evicted_arms_are_left():
    learner, evicted = aged_metabosse()
    learner.change_arms(leave=np.flatnonzero(~evicted).tolist())
    assert learner.episodes[-1] == learner.rounds
    assert learner.active.tolist() == np.flatnonzero(evicted).tolist()


def test_no_arm_is_evicted_by_rounds_before_it_joined_or_another_left():
    for seed in range(4):
        learner = dd.MetaBosse(4, seed=seed, constants=QUICK)
        play(learner, 200, seed)
        then = learner.rounds
        learner.change_arms(join=[4], leave=[1])
        play(learner, 150, seed)
        later = [one for one in learner.evictions if one.round >= then]
        assert all(one.first >= then for one in later)
        then = learner.rounds
        learner.change_arms(leave=[2])
        play(learner, 150, seed)
        begins = then if then in learner.episodes else then + 1
        assert all(one.first >= begins for one in learner.evictions if one.round >= then)
