"""The stationary Borda learners against their definitions, and in worlds made for them."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.rivals.active_ranking import ActiveRanking
from driftduel.learners.rivals.borda import BCB, BordaETC
from driftduel.learners.rivals.borda_elimination import (
    BordaElimination,
    SparseBordaElimination,
    sparse_lead,
)
from driftduel.testing.driving import tell_as_played
from tests.learners.driving import drawn, ladder, play_beside
from tests.naive import borda as naive

SEEDS = range(20)
LEARNERS = [BordaETC, BCB, BordaElimination, SparseBordaElimination, ActiveRanking]


def committed(pairs):
    """The round from which on one arm is played against itself."""
    return next((n for n in range(len(pairs)) if len({*pairs[n:]}) == 1), None)


@pytest.mark.parametrize("seed", SEEDS)
def test_explore_then_commit_follows_its_definition(seed):
    rng, n_arms = drawn(seed)
    n_rounds, late = int(rng.integers(1, 200)), 0.4 * (seed % 2)
    learner = BordaETC(n_arms, exploration=n_rounds, seed=seed)
    oracle_of = partial(naive.ExploreThenCommit, n_arms, n_rounds)
    pairs = play_beside(learner, oracle_of, n_rounds + 40, seed, late=late).pairs
    assert committed(pairs) == n_rounds if late == 0 else committed(pairs) > n_rounds


def test_the_default_exploration_balances_cost_and_risk():
    learner = BordaETC(10, 100_000)
    expected = math.ceil((10 * math.log(10**6)) ** (1 / 3) * 100_000 ** (2 / 3))
    assert learner._session.state.clock[0]["end"] == expected == 11138
    assert BordaETC(10, 20)._session.state.clock[0]["end"] == 20


@pytest.mark.parametrize("seed", SEEDS)
def test_the_confidence_bound_follows_its_definition(seed):
    rng, n_arms = drawn(seed, 5)
    failure, width = float(rng.choice([0.01, 0.5])), float(rng.choice([0.05, 0.2, 0.4]))
    learner = BCB(n_arms, 400, failure=failure, width=width, seed=seed)
    oracle_of = partial(naive.ConfidenceBound, n_arms, 400, failure, width)
    play_beside(learner, oracle_of, 400, seed, late=0.4 * (seed % 2))


def test_the_confidence_bound_commits_after_the_rounds_computed_by_hand():
    """K = 2, arm 1 wins always: after t rounds it is ahead by 2 (its duels as left)/t.

    With width 2 and delta = 1/T, T = 10^6: 4 sqrt((2/t) ln(4 10^12)) < about 1 from t = 929 on.
    """
    learner = BCB(2, 10**6, seed=5)
    as_left = 0
    for t in range(1, 5000):
        duel = learner.ask()
        if duel.left == duel.right:
            break
        as_left += duel.left
        tell_as_played(learner, duel, float(duel.left))
        sure = 2 * as_left / t > 4 * math.sqrt(2 / t * math.log(4e12))
        assert learner.active.tolist() == ([1] if sure else [0, 1])
    assert 800 < t < 1100
    assert (duel.left, duel.propensity) == (1, 1.0)


def play_elimination(n_arms, n_rounds, seed, failure, width, sparse):
    """Play beside the letter, with (k, T0, width) of the sparse rule if there is one."""
    sparsity, after, sparse_width = sparse or (None, 0, 6.0)
    learner = BordaElimination(
        n_arms,
        failure=failure,
        width=width,
        sparse=sparse is not None,
        sparsity=sparsity,
        sparse_after=after,
        sparse_width=sparse_width,
        seed=seed,
    )
    oracle_of = partial(naive.Elimination, n_arms, failure, width, sparsity, after, sparse_width)
    return play_beside(learner, oracle_of, n_rounds, seed, late=0.4 * (seed % 2)).oracle


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_elimination_follows_its_definition(seed, sparse):
    rng, n_arms = drawn(seed, 5)
    failure, width = float(rng.choice([0.01, 0.5])), float(rng.choice([0.2, 0.5, 1.0]))
    rule = None
    if sparse:
        rule = int(rng.integers(1, 5)), int(rng.integers(0, 20)), rng.choice([0.003, 0.01, 0.03])
    play_elimination(n_arms, 250, seed, failure, width, rule)


def test_the_sparse_rule_removes_arms_in_these_tests():
    removed = set()
    for seed in SEEDS:
        oracle = play_elimination(5, 150, seed, 0.5, 1.0, (2, 3, 0.03))
        removed |= {rule for _, _, rule in oracle.removed}
    assert "sparse" in removed


def test_the_sparse_rule_adds_up_the_largest_differences():
    wins = np.zeros((6, 6))
    wins[0, 5], wins[1, 5] = 10.0, 4.0
    wins[0, 1], wins[1, 0] = 5.0, 5.0
    wins[0, 2:5], wins[1, 2:5] = 5.0, [5.0, 6.0, 4.0]
    # t = 60 steps: the scale is n/t = 1/10, so p_01 = 1/2 and p_05 - p_15 = 0.6.
    assert sparse_lead(wins, 0, 1, 1, 0.1) == pytest.approx(0.6)
    # The next two differ by -0.1 and +0.1; arm 3 comes first.
    assert sparse_lead(wins, 0, 1, 2, 0.1) == pytest.approx(0.5)
    assert sparse_lead(wins, 0, 1, 9, 0.1) == pytest.approx(0.6)
    assert sparse_lead(wins, 1, 0, 1, 0.1) == pytest.approx(-0.6)


@pytest.mark.parametrize("seed", SEEDS)
def test_active_ranking_follows_its_definition(seed):
    rng, n_arms = drawn(seed)
    top = int(rng.integers(1, n_arms))
    failure, width = float(rng.choice([0.01, 0.5])), float(rng.choice([0.3, 1.0, 4.0]))
    learner = ActiveRanking(n_arms, top=top, failure=failure, width=width, seed=seed)
    oracle_of = partial(naive.ActiveRanking, n_arms, top, failure, width)
    play_beside(learner, oracle_of, 400, seed, late=0.4 * (seed % 2))


def test_active_ranking_keeps_the_top_in_play():
    learner = ActiveRanking(5, top=2, seed=2)
    for _ in range(5000):
        duel = learner.ask()
        tell_as_played(
            learner, duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right)
        )
        if len(learner.active) == 2:
            break
    assert learner.active.tolist() == [3, 4]
    assert learner.best() == 4


def test_elimination_waits_for_the_duel_whose_turn_it_is():
    learner = BordaElimination(4, 1000, seed=1)
    first, same, third = learner.ask(), learner.ask(), learner.ask()
    assert (first.left, first.right) == (same.left, same.right)
    tell_as_played(learner, same, 1.0)
    before = learner._session.state.sums.tolist()
    tell_as_played(learner, first, 1.0)
    tell_as_played(learner, third, 0.0)
    assert learner._session.state.sums.tolist() == before


@pytest.mark.large
@pytest.mark.parametrize("kind", LEARNERS)
def test_an_easy_stationary_world_is_soon_known_for_good(kind):
    """K = 5, the best arm ahead by .24 in Borda score, T = 10^5, 5 seeds.

    Every learner but BordaETC is wrong with probability below 1/T by its own guarantee. BordaETC
    explores 5092 rounds: 1000 duels an arm, whose rates are off by .12 with probability below
    2 exp(-2 1000 .12^2) = 1e-12. All commit before half time, as gaps are large.
    """
    matrix = ladder(5, 0.1)
    matrix[0, 1:], matrix[1:, 0] = 0.9, 0.1
    horizon = 100_000
    world = dd.Stream.stationary(matrix, horizon)
    for seed in range(5):
        regret = dd.simulate(kind(5, horizon), world, seed, points=10).regret()
        uniform = dd.simulate(dd.learners.Uniform(5), world, seed, points=10).regret()
        assert regret[-1] < uniform[-1] / 3
        assert regret[-1] == regret[4]


@pytest.mark.large
@pytest.mark.parametrize("kind", LEARNERS)
def test_none_comes_back_after_a_switch(kind):
    """The first arm wins until half time, then loses: all stay with it, as said in the docs."""
    world = dd.testing.driving.switching_world(4, 100_000)
    run = dd.simulate(kind(4, 100_000), world, 1, points=2)
    assert run.best == 0
    # From half time on each round costs the gap between the best and the worst arm.
    assert run.regret()[1] - run.regret()[0] == pytest.approx(50_000 * 0.6)


@pytest.mark.parametrize("kind", LEARNERS)
def test_only_borda_will_do(kind):
    with pytest.raises(
        ValueError, match=rf"^criterion is 'condorcet', {kind.__name__} serves 'borda' only"
    ):
        kind(3, 100, criterion="condorcet")


@pytest.mark.parametrize("kind", [BCB, BordaElimination, ActiveRanking])
@pytest.mark.parametrize("failure", [0, 1, 1.5, -0.1, math.nan, "0.1", True])
def test_a_probability_of_failure_is_between_0_and_1(kind, failure):
    with pytest.raises(ValueError, match=r"^failure is "):
        kind(3, 100, failure=failure)


@pytest.mark.parametrize("kind", [BCB, BordaElimination, ActiveRanking])
def test_a_width_is_positive(kind):
    with pytest.raises(ValueError, match=r"^width is 0, must be a positive number$"):
        kind(3, 100, width=0)


def test_what_needs_a_horizon_says_so():
    with pytest.raises(ValueError, match=r"^horizon is None, so exploration, the rounds"):
        BordaETC(3)
    with pytest.raises(ValueError, match=r"^horizon is None, BCB must be told it$"):
        BCB(3)
    assert BordaETC(3, exploration=5).horizon is None
    for kind in (BordaElimination, SparseBordaElimination, ActiveRanking):
        assert kind(3).ask().left in range(3)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (BordaETC, {"exploration": 0}, "exploration is 0, must be at least 1"),
        (BordaElimination, {"sparse": 1}, "sparse is 1, must be true or false"),
        (BordaElimination, {"sparsity": 0}, "sparsity is 0, must be at least 1"),
        (BordaElimination, {"sparse_after": -1}, "sparse_after is -1, must be at least 0"),
        (BordaElimination, {"sparse_width": -1}, "sparse_width is -1, must be a positive number"),
        (ActiveRanking, {"top": 3}, "top is 3, must be at most 2"),
        (ActiveRanking, {"top": 0}, "top is 0, must be at least 1"),
    ],
)
def test_bad_parameters_are_refused(kind, settings, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        kind(3, 100, **settings)
