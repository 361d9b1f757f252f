"""RMED1 and RMED2FH against their letter, by hand, and on an easy world."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.testing.driving import tell_as_played
from tests.learners.driving import drawn, final_and_late_regret, ladder, play_beside
from tests.naive import rmed as naive

SEEDS = range(8)
ROUNDS = 300


def problem(seed):
    rng, n_arms = drawn(seed)
    return n_arms, float(rng.choice([0.01, 0.3, 2.0]))


def compare(learner, oracle):
    arms = learner._session.state.arms
    if oracle.begun:
        for arm in range(oracle.K):
            assert abs(arms[arm]["divergence"] - oracle.divergence(arm)) < 1e-9
        assert np.flatnonzero(arms["waits"]).tolist() == oracle.LR
        assert np.flatnonzero(arms["comes"]).tolist() == sorted(oracle.LN)


@pytest.mark.parametrize("seed", SEEDS)
def test_rmed1_plays_what_its_letter_plays(seed):
    n_arms, width = problem(seed)
    learner = dd.learners.RMED1(n_arms, seed=seed, width=width)
    oracle_of = partial(naive.RMED, n_arms, width, None, None)
    play_beside(learner, oracle_of, ROUNDS, seed, late=0.4 * (seed % 2), compare=compare)


@pytest.mark.parametrize("seed", SEEDS)
def test_rmed2fh_plays_what_its_letter_plays(seed):
    n_arms, width = problem(seed)
    learner = dd.learners.RMED2FH(n_arms, ROUNDS, seed=seed, width=width, alpha=1.7)
    oracle_of = partial(naive.RMED, n_arms, width, ROUNDS, 1.7)
    late = 0.4 * (seed % 2)
    oracle = play_beside(learner, oracle_of, ROUNDS, seed, late=late, compare=compare).oracle
    assert learner._session.state.arms["cheapest"].tolist() == oracle.bhat


def test_the_cheapest_opponent_is_played_and_refused():
    # It is played if its pair did not get ahead of the one with the likely winner.
    both = set()
    for seed in range(8):
        n_arms, width = problem(seed)

        def look(learner, oracle):
            if oracle.begun:
                turn = oracle.LR[0]
                cheapest = oracle.bhat[turn]
                if cheapest not in (turn, oracle.best()):
                    both.add(oracle.opponent(turn) == cheapest)

        learner = dd.learners.RMED2FH(n_arms, ROUNDS, seed=seed, width=width)
        oracle_of = partial(naive.RMED, n_arms, width, ROUNDS, 3)
        play_beside(learner, oracle_of, ROUNDS // 2, seed, compare=look)
    assert both == {True, False}


def test_first_rounds_of_rmed1_by_hand():
    learner = dd.learners.RMED1(3, width=0.5)
    asked = []
    for outcome in (1.0, 1.0, 1.0):
        duel = learner.ask()
        asked.append((duel.left, duel.right))
        tell_as_played(learner, duel, outcome)
    assert asked == [(0, 1), (0, 2), (1, 2)]
    # One duel lost for certain costs kl(0, 1/2) = ln 2.
    divergences = learner._session.state.arms["divergence"]
    assert divergences == pytest.approx([0.0, math.log(2), 2 * math.log(2)])
    # In the list are all arms; the winner has nobody to fear and meets itself, the others meet it.
    for pair in ((0, 0), (1, 0), (2, 0)):
        duel = learner.ask()
        assert (duel.left, duel.right, duel.propensity) == (*pair, 1.0)
        tell_as_played(learner, duel, 0.5 if pair == (0, 0) else 0.0)
    # I = 0, 2 ln 2, 3 ln 2; ln 6 + 1/2 = 2.29 lets all in but they had to be in time: arm 1 at
    # round 5, 2 ln 2 <= ln 5 + 1/2 = 2.11, arm 2 at round 6, 3 ln 2 = 2.08 <= 2.29.
    assert learner._session.state.arms["waits"].tolist() == [1, 1, 1]


def test_an_outcome_told_late_does_not_skip_a_pair_at_the_beginning():
    learner = dd.learners.RMED1(3)
    duels = [learner.ask() for _ in range(4)]
    for duel in duels:
        tell_as_played(learner, duel, 1.0)
    asked = []
    for _ in range(2):
        duel = learner.ask()
        asked.append((duel.left, duel.right))
        tell_as_played(learner, duel, 1.0)
    assert asked == [(0, 2), (1, 2)]


@pytest.mark.parametrize(("horizon", "meetings"), [(1, 3), (2, 3), (15, 3), (16, 4), (10**5, 8)])
def test_every_pair_meets_a_few_times_before_rmed2fh_begins(horizon, meetings):
    learner = dd.learners.RMED2FH(2, horizon)
    assert learner._session.state.clock[0]["meetings"] == meetings


@pytest.mark.parametrize("kind", [dd.learners.RMED1, dd.learners.RMED2FH])
@pytest.mark.parametrize("width", [0, -1.0, np.nan, np.inf, "1", True])
def test_the_width_must_be_positive(kind, width):
    with pytest.raises(ValueError, match=r"width is .*, must be a positive number"):
        kind(3, 10, width=width)


@pytest.mark.parametrize("kind", [dd.learners.RMED1, dd.learners.RMED2FH])
def test_only_condorcet_is_served(kind):
    with pytest.raises(ValueError, match=f"'borda', {kind.__name__} serves 'condorcet' only"):
        kind(3, 10, criterion="borda")
    assert kind(3, 10).criterion == dd.Condorcet()


def test_rmed2fh_must_know_the_horizon():
    with pytest.raises(ValueError, match="horizon is None, RMED2FH must be told it"):
        dd.learners.RMED2FH(3)
    with pytest.raises(ValueError, match="alpha is 0, must be a positive number"):
        dd.learners.RMED2FH(3, 10, alpha=0)


def test_the_paper_width_is_the_default():
    assert dd.learners.RMED1(10)._list_width() == pytest.approx(0.3 * 10**1.01)


@pytest.mark.large
@pytest.mark.parametrize("kind", [dd.learners.RMED1, dd.learners.RMED2FH])
def test_regret_is_small_and_flat_at_the_end(kind):
    # Uniform play has regret 0.175 a round. None of 40 runs with other seeds came to two thirds
    # of these limits.
    horizon = 100_000
    world = dd.Stream.stationary(ladder(8, 0.05), horizon)
    final, late = final_and_late_regret(kind(8, horizon), world, range(4))
    assert (final < 0.05 * 0.175 * horizon).all()
    assert (late < 0.02 * 0.175 * horizon / 4).all()
