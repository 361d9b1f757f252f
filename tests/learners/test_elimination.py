"""The eliminators against their literal rules, by hand, and in worlds where they must do well."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import RRDB, SAVAGE, BeatTheMean, InterleavedFilter
from driftduel.testing import CHECKS
from driftduel.testing.driving import tell_as_played
from tests.learners.driving import drawn, lower_wins, play, play_beside, random_world
from tests.naive import elimination as naive

SEEDS = range(8)
ELIMINATORS = (RRDB, SAVAGE, InterleavedFilter, BeatTheMean)


def evictions_of(learner, oracle_of, seed):
    """Play a world that hardly changes beside the oracle; count the arms dropped."""
    world = random_world(np.random.default_rng(seed), learner.n_arms, 600, 0.001)
    play_beside(learner, oracle_of, 600, seed, world=world, late=0.4 * (seed % 2))
    return learner.n_arms - len(learner.active)


def problem(seed):
    """Number of arms, horizon and the learner's seed, drawn from a seed."""
    rng, n_arms = drawn(seed, 5)
    return n_arms, int(rng.integers(1, 400)), int(rng.integers(2**31))


@pytest.mark.parametrize("delta", [None, 0.9])
def test_rrdb_plays_what_its_rule_says(delta):
    gone = 0
    for seed in SEEDS:
        n_arms, horizon, own = problem(seed)
        learner = RRDB(n_arms, horizon, seed=own, delta=delta)
        gone += evictions_of(learner, partial(naive.rrdb, n_arms, delta or 1 / horizon), seed)
    assert gone > len(SEEDS) / 2


@pytest.mark.parametrize(("delta", "known"), [(None, True), (0.9, True), (0.3, False)])
def test_savage_plays_what_its_rule_says(delta, known):
    gone = 0
    for seed in SEEDS:
        n_arms, horizon, own = problem(seed)
        horizon = horizon if known else None
        learner = SAVAGE(n_arms, horizon, seed=own, delta=delta)
        oracle_of = partial(naive.savage, n_arms, delta or 1 / horizon, horizon)
        gone += evictions_of(learner, oracle_of, seed)
    assert gone > len(SEEDS) / 2


def test_interleaved_filter_plays_what_its_rule_says():
    gone = changed = 0
    for seed in SEEDS:
        n_arms, horizon, own = problem(seed)
        scale = (4.0, 1.0, 0.31)[seed % 3]
        learner = InterleavedFilter(n_arms, horizon, seed=own, scale=scale)
        first = learner.best()
        oracle_of = partial(naive.InterleavedFilter, n_arms, horizon, scale)
        gone += evictions_of(learner, oracle_of, seed)
        changed += learner.best() != first
    assert gone > len(SEEDS) / 2
    assert changed > len(SEEDS) / 4


def test_beat_the_mean_plays_what_its_rule_says():
    gone = 0
    for seed in SEEDS:
        n_arms, horizon, own = problem(seed)
        scale = (1.0, 0.47, 0.19)[seed % 3]
        learner = BeatTheMean(n_arms, horizon, seed=own, scale=scale, gamma=1.1)
        gone += evictions_of(learner, partial(naive.BeatTheMean, n_arms, horizon, 1.1, scale), seed)
    assert gone > len(SEEDS) / 2


# By hand.


@pytest.mark.parametrize("kind", [RRDB, SAVAGE])
def test_least_compared_pairs_come_in_turn(kind):
    pairs = play(kind(3, 1000), 6, lambda left, right: 0.5)
    assert pairs == [(0, 1), (0, 2), (1, 2)] * 2


def test_rrdb_drops_a_loser_after_the_duels_its_radius_asks_for():
    # An arm that never wins leaves once n / 4 > ln(K t / delta), here with t = n.
    assert math.log(2 * 19 / 0.275) > 19 / 4
    assert math.log(2 * 20 / 0.275) < 20 / 4 < math.log(2 * 21 / 0.275)
    learner = RRDB(2, 1000, delta=0.275)
    play(learner, 19, lower_wins)
    assert learner.active.tolist() == [0, 1]
    assert play(learner, 3, lower_wins) == [(0, 1), (0, 0), (0, 0)]
    assert learner.active.tolist() == [0]


def test_savage_drops_a_loser_after_the_duels_its_radius_asks_for():
    # 2 (n / 2)^2 > n ln(2 T^2): n > 2 ln(2 T^2)
    needed = math.floor(2 * math.log(2 * 100**2)) + 1
    learner = SAVAGE(2, 100)
    play(learner, needed - 1, lower_wins)
    assert learner.active.tolist() == [0, 1]
    play(learner, 1, lower_wins)
    assert learner.active.tolist() == [0]


def test_interleaved_filter_judges_after_a_turn_of_all():
    learner = InterleavedFilter(3, 100, seed=3, scale=0.05)
    candidate = learner.best()
    others = [arm for arm in range(3) if arm != candidate]
    # The radius of one duel is sqrt(0.05 ln 900) = 0.58, of two 0.41.
    pairs = play(learner, 4, lambda left, right: float(right == others[0]))
    assert pairs == [(candidate, arm) for arm in others * 2]
    assert learner.best() == others[1]
    assert learner.active.tolist() == [others[1]]


def test_interleaved_filter_takes_the_first_better_arm_and_keeps_ties():
    learner = InterleavedFilter(5, 100, seed=3, scale=0.02)
    candidate = learner.best()
    worse, tied, first, second = (arm for arm in range(5) if arm != candidate)
    score = {worse: 0.5, tied: 0.5, first: 0.0, second: 0.0}
    # The radius of one duel is sqrt(0.02 ln 2500) = 0.396.
    play(learner, 1, lambda left, right: 1.0)
    late = learner.ask()
    play(learner, 3, lambda left, right: score[right])
    assert learner.best() == first
    assert learner.active.tolist() == sorted([tied, first, second])
    tell_as_played(learner, late, 1.0)
    assert learner._session.state.rivals["duels"].sum() == 0


def test_beat_the_mean_forgets_duels_with_an_arm_that_left():
    learner = BeatTheMean(3, 1000, seed=1, gamma=1, scale=0.3)
    while len(learner.active) == 3:
        play(learner, 1, lower_wins)
    state = learner._session.state
    for arm in learner.active:
        kept = sum(int(state.tally[arm, other]["duels"]) for other in learner.active)
        assert state.arms[arm]["duels"] == kept < state.tally[arm]["duels"].sum()


def test_outcomes_with_an_arm_that_left_do_not_count():
    for kind in (RRDB, SAVAGE):
        learner = kind(2, 100)
        late = [learner.ask() for _ in range(300)]
        while len(learner.active) == 2:
            play(learner, 1, lower_wins)
        for duel in late:
            tell_as_played(learner, duel, 0.0)
        assert learner.active.tolist() == [0]


# Bad input.


@pytest.mark.parametrize("kind", ELIMINATORS)
def test_only_condorcet_is_taken(kind):
    assert isinstance(kind(3, 10).criterion, dd.Condorcet)
    with pytest.raises(
        ValueError, match=f"criterion is 'borda', {kind.__name__} serves 'condorcet'"
    ):
        kind(3, 10, criterion="borda")


@pytest.mark.parametrize("kind", [InterleavedFilter, BeatTheMean])
def test_a_horizon_is_needed(kind):
    with pytest.raises(ValueError, match=r"horizon is None, .* must be told it"):
        kind(3)


@pytest.mark.parametrize("kind", [RRDB, SAVAGE])
def test_a_horizon_or_a_confidence_is_needed(kind):
    assert kind(3, delta=0.1).horizon is None
    with pytest.raises(ValueError, match="delta is None and so is horizon"):
        kind(3)
    for wrong in (0, -1, 2, math.nan, "0.1"):
        with pytest.raises(ValueError, match="delta is"):
            kind(3, 10, delta=wrong)


def test_wrong_factors_are_refused():
    for wrong in (0, -1, math.inf, math.nan, True, "4"):
        with pytest.raises(ValueError, match="scale is"):
            InterleavedFilter(3, 10, scale=wrong)
        with pytest.raises(ValueError, match="scale is"):
            BeatTheMean(3, 10, scale=wrong)
    for wrong in (0.5, 0, -1, math.inf, math.nan, None):
        with pytest.raises(ValueError, match="gamma is"):
            BeatTheMean(3, 10, gamma=wrong)


QUICK = {
    "RRDB": lambda n, t, seed: RRDB(n, t, seed=seed, delta=1),
    "InterleavedFilter": lambda n, t, seed: InterleavedFilter(n, t, seed=seed, scale=0.2),
    "BeatTheMean": lambda n, t, seed: BeatTheMean(n, t, seed=seed, scale=0.1),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("variant", QUICK)
def test_quick_eliminators_keep_the_contract(variant, check):
    assert check(QUICK[variant]) is None


# In worlds where they must do well.


def ordered_world(n_arms, horizon, step=0.1):
    """Arms in order, the first one best; strongly transitive."""
    arms = np.arange(n_arms)
    gaps = np.sign(arms[None] - arms[:, None]) * 0.2 + step * (arms[None] - arms[:, None])
    return dd.Stream.stationary(np.clip(0.5 + gaps, 0.02, 0.98), horizon)


@pytest.mark.large
@pytest.mark.parametrize("kind", ELIMINATORS)
def test_regret_is_small_and_flat_at_the_end(kind):
    # 5 fixed seeds; of 200 others none ended with a wrong arm or had regret after half time, and
    # the largest shares of uniform play were 0.021, 0.015, 0.054 and 0.098.
    horizon = 50_000
    world = ordered_world(5, horizon)
    blind = dd.simulate(dd.learners.Uniform(5), world, seed=0).regret("condorcet")[-1]
    for seed in range(5):
        run = dd.simulate(kind(5, horizon), world, seed=seed, points=10)
        regret = run.regret("condorcet")
        assert run.best == 0
        assert regret[-1] < 0.15 * blind
        assert regret[-1] == pytest.approx(regret[4])
