"""DriftPoll: by the letter, in worlds that change or do not, and what its numbers promise."""

from __future__ import annotations

from dataclasses import astuple
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.learners.contract.base import learner_generator
from driftduel.learners.contract.ranges import check_state
from driftduel.learners.driftpoll.questions import pair_chance
from tests.learners.driving import (
    drawn,
    ladder,
    lower_wins,
    play,
    play_beside,
    random_matrix,
    tosses,
)
from tests.modes import COMPILED
from tests.naive.driftpoll import Poll

PROBLEMS = 24 if COMPILED else 10


def favourite(n_arms, chance, best):
    """One arm that beats the others, which are even."""
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[best], matrix[:, best] = chance, 1 - chance
    matrix[best, best] = 0.5
    return matrix


def compare(learner, oracle):
    state = learner._session.state
    assert state.guard.odds[0] == pytest.approx(oracle.odds, abs=1e-9)
    assert state.clock["prior"][0] == pytest.approx(oracle.s02, rel=1e-9)
    assert state.bank.arms["mean"].tolist() == pytest.approx(oracle.m, abs=1e-9)
    assert state.bank.arms["used"].tolist() == [len(bank) for bank in oracle.bank]
    noted = [
        (c.noticed, c.around, c.earliest, c.latest, c.before, c.after) for c in learner.changes
    ]
    assert noted == oracle.changes


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_it_plays_what_its_letter_plays(seed):
    _, n_arms = drawn(seed)
    rules = 1 if seed % 3 == 0 else 2
    learner = dd.DriftPoll(n_arms, seed=seed, rules=rules)
    late = 0.4 * (seed % 2)
    oracle_of = partial(Poll, n_arms, rules=rules)
    played = play_beside(learner, oracle_of, 400, seed, late=late, compare=compare, rel=1e-8)
    assert all(left != right for left, right in played.pairs)


@pytest.mark.parametrize("n_arms", [2, 3, 5])
def test_it_declares_what_its_letter_declares(n_arms):
    world = [favourite(n_arms, 0.9, best) for best in (0, 1, 0)]
    learner = dd.DriftPoll(n_arms, seed=1)
    oracle_of = partial(Poll, n_arms)
    played = play_beside(learner, oracle_of, 900, 1, world=world, compare=compare, rel=1e-8)
    assert [(one[-2], one[-1]) for one in played.oracle.changes] == [(0, 1), (1, 0)]


@settings(max_examples=15, deadline=None)
@given(
    n_arms=st.integers(2, 5),
    seed=st.integers(0, 1000),
    outcomes=st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=60),
)
def test_whatever_is_voted_it_does_what_its_letter_does(n_arms, seed, outcomes):
    learner = dd.DriftPoll(n_arms, seed=seed)
    letter = Poll(n_arms, None)
    for outcome in outcomes:
        duel = learner.ask()
        letter.rng = np.random.default_rng()
        letter.rng.bit_generator.state = learner._session.settle_rng.bit_generator.state
        letter.tell(duel.left, duel.right, duel.ticket, outcome)
        learner.tell(duel, outcome)
        assert learner.best() == letter.best()
    compare(learner, letter)
    chances = letter.chances()
    for (left, right), chance in chances.items():
        assert pair_chance(learner._session.state, left, right) == pytest.approx(chance, rel=1e-8)


@pytest.mark.parametrize("n_arms", [2, 3, 7])
def test_the_chances_of_all_pairs_sum_to_one(n_arms):
    learner = dd.DriftPoll(n_arms, seed=3)
    matrix = random_matrix(np.random.default_rng(n_arms), n_arms)
    for _ in range(20):
        state = learner._session.state
        pairs = [(i, j) for i in range(n_arms) for j in range(n_arms) if i != j]
        chances = [pair_chance(state, left, right) for left, right in pairs]
        assert sum(chances) == pytest.approx(1)
        assert min(chances) >= 0.1 / len(pairs)
        play(learner, 10, tosses(matrix))


def test_pairs_are_as_frequent_as_their_chances():
    # 20 pairs, six standard deviations: a right learner fails with probability below 1e-7.
    n_asks = 20_000 if COMPILED else 3_000
    learner = dd.DriftPoll(5, seed=1)
    play(learner, 300, tosses(ladder(5, 0.1)))
    state, rng = learner._session.state, learner_generator(7)
    counts = np.zeros((5, 5))
    for _ in range(n_asks):
        left, right, ticket = learner._choose(state, rng)
        counts[left, right] += 1
        assert ticket[0] == pair_chance(state, left, right)
    for left in range(5):
        for right in range(5):
            chance = 0.0 if left == right else pair_chance(state, left, right)
            deviation = np.sqrt(n_asks * chance * (1 - chance))
            assert abs(counts[left, right] - n_asks * chance) <= 6 * deviation


def test_only_ties_for_long_are_no_trouble():
    learner = dd.DriftPoll(3, seed=1)
    n_rounds = 30_000 if COMPILED else 3_000
    rows = n_rounds // 3
    left, right = np.tile([0, 1, 2], rows), np.tile([1, 2, 0], rows)
    tickets = np.tile([1 / 6, 1.0, 1.0], (n_rounds, 1))
    learner.fold(left, right, tickets, np.full(n_rounds, 0.5))
    check_state(learner, learner._session.state, learner.rounds)
    assert learner.probabilities.sum() == pytest.approx(1)
    assert learner.episodes == [0]


def test_an_arm_that_always_wins_and_one_that_always_loses_are_no_trouble():
    learner = dd.DriftPoll(4, seed=1)
    play(learner, 5_000 if COMPILED else 600, lower_wins)
    check_state(learner, learner._session.state, learner.rounds)
    assert learner.best() == 0
    assert learner.probabilities[0] > 0.9


def test_an_arm_told_against_itself_says_nothing():
    """Nobody asks for it, but a file or a log may hold it."""
    learner = dd.DriftPoll(4, seed=1)
    play(learner, 50, lower_wins)
    before = learner._session.state.bank.weights.copy()
    learner.fold([3] * 9, [3] * 9, [(0.1, 1.0, 1.0)] * 9, [0.5] * 9)
    assert (learner._session.state.bank.weights == before).all()
    assert learner.rounds == 59


def test_a_change_is_noticed_and_dated():
    # In 37 of 40 runs the range holds the change.
    learner = dd.DriftPoll(4, seed=2)
    play(learner, 800, tosses(favourite(4, 0.8, 1), 1))
    assert learner.best() == 1
    assert learner.changes == []
    play(learner, 800, tosses(favourite(4, 0.8, 3), 2))
    assert learner.best() == 3
    (change,) = learner.changes
    assert (change.before, change.after) == (1, 3)
    assert change.earliest <= 800 <= change.latest
    assert change.earliest <= change.around <= change.latest < change.noticed <= 1000
    assert learner.episodes == [0, change.noticed]


def test_a_change_is_noticed_although_the_best_were_close():
    """Arms 0 and 1 are even and ahead of the others, until arm 3 takes over."""
    even = np.full((4, 4), 0.5)
    even[:2, 2:], even[2:, :2] = 0.8, 0.2
    learner = dd.DriftPoll(4, seed=2)
    play(learner, 600, tosses(even, 1))
    play(learner, 600, tosses(favourite(4, 0.8, 3), 2))
    (change,) = learner.changes
    assert change.before in (0, 1)
    assert change.after == 3
    assert change.earliest <= 600 <= change.latest


def test_a_report_holds_what_is_known():
    learner = dd.DriftPoll(3, seed=1, labels=["tea", "coffee", "milk"])
    play(learner, 300, lower_wins)
    play(learner, 300, lambda left, right: 1 - lower_wins(left, right))
    report = learner.report()
    assert report.best == learner.best_index == 2
    assert report.active == (0, 1, 2)
    assert 300 <= report.since < 400
    assert report.probabilities == tuple(learner.probabilities)
    assert report.probabilities == tuple(learner.probabilities)
    assert report.changes == tuple(learner.changes)
    assert [astuple(one) for one in report.changes] != []


@pytest.mark.parametrize("rules", [1, 2])
@pytest.mark.parametrize("n_arms", [2, 3, 5])
def test_chances_to_be_best_are_those_of_its_letter(n_arms, rules):
    # Each within five standard deviations of the difference of two estimates from 4,000 draws.
    learner = dd.DriftPoll(n_arms, seed=4, rules=rules)
    oracle_of = partial(Poll, n_arms, rules=rules)
    letter = play_beside(learner, oracle_of, 120, 4, world=[ladder(n_arms, 0.06)]).oracle
    found = letter.chances_to_be_best(4_000, np.random.default_rng(2))
    assert learner.probabilities.tolist() == pytest.approx(found, abs=0.05)
    assert 0.3 < max(found) < 0.95


def test_two_equal_arms_are_hardly_ever_called_very_likely():
    """Forty runs of 1,000 votes with 20 looks at each.

    Of 300 runs of 5,000 votes 5 % do with looks after every tenth vote, so more than 8 of 40 do
    with a chance below .001.
    """
    n_runs = 40 if COMPILED else 2
    left, right, tickets = np.zeros(50, int), np.ones(50, int), np.full((50, 3), (0.5, 1.0, 1.0))
    ever = 0
    for seed in range(n_runs):
        learner, votes = dd.DriftPoll(2, seed=seed), np.random.default_rng(seed)
        said = []
        for _ in range(20):
            learner.fold(left, right, tickets, votes.integers(2, size=50).astype(float))
            said.append(learner.probabilities.max())
        ever += max(said) >= 0.95
    assert ever <= 8


def test_a_poll_by_the_first_rules_is_surer_and_asks_as_it_did():
    """Rules 1 count direct duels alike, however many there were of the pair."""
    weights = {}
    for rules in (1, 2):
        learner = dd.DriftPoll(5, seed=1, rules=rules)
        play(learner, 1_000, tosses(favourite(5, 0.8, 0)))
        drawn = [learner._choose(learner._session.state, learner_generator(n)) for n in range(200)]
        direct = [ticket[1] for _, _, ticket in drawn if ticket[1] == ticket[2] < 1]
        weights[rules] = max(direct)
        assert learner.clone().rules == rules
    assert weights[2] < weights[1] / 1.3


def test_other_rules_are_refused():
    with pytest.raises(ValueError, match="rules is 3, must be at most 2"):
        dd.DriftPoll(3, rules=3)


def test_two_equal_arms_are_as_likely_to_be_best_as_they_were():
    learner = dd.DriftPoll(2, seed=1)
    assert learner.probabilities.tolist() == pytest.approx([0.5, 0.5], abs=0.05)


def test_only_borda_is_served():
    with pytest.raises(
        ValueError, match=r"^criterion is 'condorcet', DriftPoll serves 'borda' only"
    ):
        dd.DriftPoll(3, criterion="condorcet")


@pytest.mark.large
def test_the_best_of_many_arms_is_followed():
    """Ten arms, the best wins .7 of its duels and changes once; 20 runs.

    None of 400 other runs names another arm at the end, so less than 1 % do (with 95 %), and six of
    twenty with a chance below 1e-7. All 400 declared one change.
    """
    worlds = [favourite(10, 0.7, 2), favourite(10, 0.7, 6)]
    stream = dd.Stream.piecewise(worlds, [0, 2500], 5000)
    runs = dd.simulate_many(dd.DriftPoll(10), stream, range(20), points=1)
    assert sum(run.best != 6 for run in runs) < 6
    assert sum(len(run.episodes) != 2 for run in runs) < 6
