"""The learners that forget against their definitions, and in worlds that change."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.rivals.forgetting import (
    DiscountedBordaGreedy,
    DiscountedBordaUCB,
    SlidingBordaGreedy,
    SlidingBordaUCB,
)
from driftduel.testing.driving import tell_as_played
from tests.learners.driving import drawn, play_beside
from tests.naive import forgetting as naive

LEARNERS = [DiscountedBordaGreedy, DiscountedBordaUCB, SlidingBordaGreedy, SlidingBordaUCB]
DISCOUNTED = LEARNERS[:2]
WITH_BOUND = LEARNERS[1::2]

SEEDS = range(12)


def random_pair(kind, seed):
    """Return a learner with settings drawn from a seed, and what makes its oracle."""
    rng, n_arms = drawn(seed, 5)
    settings = {"exploration": float(rng.choice([0.2, 0.5, 1.0]))}
    if kind in DISCOUNTED:
        settings["memory"] = memory = float(rng.choice([1.01, 2.0, 5.0, 30.0]))
    else:
        settings["window"] = window = int(rng.choice([1, 2, 10, 50]))
    if kind in WITH_BOUND:
        settings["width"] = float(rng.choice([0.1, 0.5]))
    learner = kind(n_arms, seed=seed, **settings)
    weight_of_age, leader = lambda age: float(age < window), None
    if kind in DISCOUNTED:
        weight_of_age, leader = lambda age: (1 - 1 / memory) ** age, learner.best
    numbers = settings["exploration"], weight_of_age, settings.get("width")
    return learner, partial(naive.Forgetting, n_arms, *numbers, leader)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", LEARNERS)
def test_it_follows_its_definition(kind, seed):
    learner, oracle_of = random_pair(kind, seed)
    play_beside(learner, oracle_of, 300, seed, late=0.4 * (seed % 2))


def test_the_first_rounds_of_the_bound_by_hand():
    """Arms are tried in turn; then 1 of 3 with one win, weights 1/4, 1/2 and 1, W = 7/4."""
    learner = DiscountedBordaUCB(3, exploration=1.0, memory=2, width=0.5)
    for arm, outcome in enumerate([1.0, 0.5, 0.0]):
        duel = learner.ask()
        assert duel.left == arm
        assert duel.propensity == pytest.approx(1 / 3)
        tell_as_played(learner, duel, outcome)
    # 1 + .5 sqrt(ln 1.75 / .25) = 1.75; .5 + .5 sqrt(ln 1.75 / .5) = 1.03; 0.37
    duel = learner.ask()
    assert duel.left == 0
    assert learner.best() == 0
    tell_as_played(learner, duel, 0.0)
    # Now the weights are 1/8 + 1, 1/4 and 1/2 and the scores 1/9, 1/2 and 0: the second arm.
    assert learner.best() == 1
    bounds = [1 / 9 + 0.5 * math.sqrt(math.log(1.875) / 1.125), 0.5 + math.sqrt(math.log(1.875))]
    assert bounds[1] > bounds[0]
    assert learner.ask().left == 1


def test_exploitation_teaches_nothing():
    learner = SlidingBordaGreedy(3, exploration=0.01, window=5, seed=3)
    for _ in range(20):
        duel = learner.ask()
        tell_as_played(learner, duel, 0.0)
    assert learner._session.state.weights.tolist() == [0, 0, 0]


def test_weights_stay_finite_for_ever():
    """A memory of 1.001 explorations makes weights grow a thousandfold each time."""
    learner = DiscountedBordaGreedy(2, exploration=1.0, memory=1.001, seed=1)
    for n in range(300):
        duel = learner.ask()
        tell_as_played(learner, duel, 0.5 + 0.5 * ((duel.left == n % 2) - (duel.right == n % 2)))
        state = learner._session.state
        assert np.isfinite(state.weights).all()
        assert 1 <= state.clock[0]["unit"] <= 1e100
        if duel.left != duel.right:
            assert learner.best() == n % 2


@pytest.mark.large
@pytest.mark.parametrize("kind", LEARNERS)
def test_a_switch_costs_little(kind):
    """First arm 0 of 4 wins nine of ten duels, from half time on arm 3. T = 10^5, 3 seeds.

    The leader is one of 1500 explorations in each half; it is wrong for some hundred of them at
    most, each of which stands for 33 rounds. Uniform play costs .3 a round. Explorations cost
    3 % of that; the rest is a margin of a factor of three for the leader to be wrong.
    """
    horizon = 100_000
    world = dd.testing.driving.switching_world(4, horizon)
    for seed in range(3):
        run = dd.simulate(kind(4), world, seed, points=2)
        uniform = dd.simulate(dd.learners.Uniform(4), world, seed, points=2)
        stuck = dd.simulate(dd.learners.BordaETC(4, horizon), world, seed, points=2)
        assert run.best == 3
        assert run.regret()[-1] < uniform.regret()[-1] / 5
        assert run.regret()[-1] < stuck.regret()[-1] / 5


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("exploration", [0, -0.1, 1.1, math.nan, "0.1", True])
def test_a_chance_to_explore_is_above_0_and_at_most_1(kind, exploration):
    with pytest.raises(ValueError, match=r"^exploration is .*, must be a positive number and at"):
        kind(3, exploration=exploration)


@pytest.mark.parametrize("kind", LEARNERS)
def test_only_borda_will_do(kind):
    with pytest.raises(
        ValueError, match=rf"^criterion is 'copeland', {kind.__name__} serves 'borda' only"
    ):
        kind(3, criterion="copeland")


@pytest.mark.parametrize("kind", DISCOUNTED)
@pytest.mark.parametrize("memory", [1, 0.5, -3, math.inf, "10"])
def test_a_memory_is_more_than_one_exploration(kind, memory):
    with pytest.raises(ValueError, match=r"^memory is "):
        kind(3, memory=memory)


@pytest.mark.parametrize("kind", LEARNERS[2:])
@pytest.mark.parametrize("window", [0, -1, 2.5, "10"])
def test_a_window_is_a_number_of_explorations(kind, window):
    with pytest.raises(ValueError, match=r"^window is "):
        kind(3, window=window)


@pytest.mark.parametrize("kind", WITH_BOUND)
def test_a_width_is_positive(kind):
    with pytest.raises(ValueError, match=r"^width is 0, must be a positive number$"):
        kind(3, width=0)
