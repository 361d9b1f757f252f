"""The learners of a Condorcet winner that forget: by the letter, and in worlds that change."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from tests.learners.driving import drawn, play_beside
from tests.naive import forgetting_condorcet as naive

LEARNERS = [
    dd.learners.DiscountedRUCB,
    dd.learners.SlidingRUCB,
    dd.learners.DiscountedCondorcetGreedy,
]
DISCOUNTED = LEARNERS[::2]

SEEDS = range(8)
ROUNDS = 300


def compare_verdicts(learner, oracle):
    """The hopeful arms, the favourite and who is beaten are those of the letter."""
    state = learner._session.state.optimism
    assert state.hopeful[: state.hopes[0]["count"]].tolist() == oracle.C
    favourite = state.hopes[0]["favourite"]
    assert ({favourite} if favourite >= 0 else set()) == oracle.B
    verdicts = state.verdicts
    for i in range(len(state.hopeful)):
        for j in range(len(state.hopeful)):
            assert verdicts.beaten[i, j] == (oracle.counts.upper(i, j) < 0.5)
    assert (verdicts.beaten.sum(1) == verdicts.arms["losses"]).all()
    assert (verdicts.beaten.sum(0) == verdicts.arms["victories"]).all()


def compare_wins(learner, oracle):
    compare_verdicts(learner, oracle)
    wins = learner._session.state.optimism.verdicts.wins
    for i in range(learner.n_arms):
        for j in set(range(learner.n_arms)) - {i}:
            assert wins[i, j] == oracle.counts.wins(i, j)


@pytest.mark.parametrize("seed", SEEDS)
def test_discounted_rucb_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed, 5)
    alpha, memory = float(rng.choice([0.03, 0.2, 0.7])), float(rng.choice([5.3, 20.7, 80.1]))
    learner = dd.learners.DiscountedRUCB(n_arms, seed=seed, alpha=alpha, memory=memory)
    oracle_of = partial(naive.discounted_rucb, n_arms, alpha, memory)
    late = 0.4 * (seed % 2)
    play_beside(learner, oracle_of, ROUNDS, seed, late=late, compare=compare_verdicts)


@pytest.mark.parametrize("seed", SEEDS)
def test_sliding_rucb_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed, 5)
    alpha, window = float(rng.choice([0.031, 0.203, 0.71])), int(rng.choice([1, 7, 40, 150]))
    learner = dd.learners.SlidingRUCB(n_arms, seed=seed, alpha=alpha, window=window)
    oracle_of = partial(naive.sliding_rucb, n_arms, alpha, window)
    play_beside(learner, oracle_of, ROUNDS, seed, late=0.4 * (seed % 2), compare=compare_wins)


@pytest.mark.parametrize("seed", SEEDS)
def test_greedy_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed, 5)
    exploration, memory = float(rng.choice([0.2, 0.7, 1.0])), float(rng.choice([3.3, 20.7, 80.1]))
    learner = dd.learners.DiscountedCondorcetGreedy(
        n_arms, seed=seed, exploration=exploration, memory=memory
    )
    oracle_of = partial(naive.Greedy, n_arms, exploration, memory)
    play_beside(learner, oracle_of, ROUNDS, seed, late=0.4 * (seed % 2))


def test_a_pair_that_is_forgotten_is_tried_again():
    """Arm 0 beats the other surely; after the quiet rounds its challenger comes back."""
    learner = dd.learners.DiscountedRUCB(2, alpha=0.1, memory=50, seed=1)
    pairs = []
    for _ in range(600):
        duel = learner.ask()
        pairs.append(duel.left == duel.right)
        learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left == 0))
    late = pairs[200:]
    assert 0.5 < np.mean(late) < 1
    assert learner.best() == 0


EAGER = {
    dd.learners.DiscountedRUCB: {},
    dd.learners.DiscountedCondorcetGreedy: {"exploration": 1.0},
}


@pytest.mark.parametrize("kind", DISCOUNTED)
def test_weights_stay_finite_for_ever(kind):
    """A memory of 1.001 makes weights grow a thousandfold each time."""
    learner = kind(3, memory=1.001, seed=1, **EAGER[kind])
    for _ in range(400):
        duel = learner.ask()
        learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
        state = learner._session.state
        wins = state.optimism.verdicts.wins if kind is dd.learners.DiscountedRUCB else state.wins
        unit = (
            state.fading[0]["unit"]
            if kind is dd.learners.DiscountedRUCB
            else state.clock[0]["unit"]
        )
        assert np.isfinite(wins).all()
        assert 1 <= unit <= 1e100


def test_it_plays_its_letter_on_after_weights_are_made_light():
    learner = dd.learners.DiscountedRUCB(4, memory=1.5, alpha=0.05, seed=3)
    play_beside(learner, partial(naive.discounted_rucb, 4, 0.05, 1.5), 500, seed=3)
    # A memory of 1.5 rounds trebles the weight each time: 3^210 > 1e100, so it was twice divided.
    assert learner._session.state.fading[0]["unit"] == pytest.approx(3.0**80)


@pytest.mark.large
@pytest.mark.parametrize("kind", LEARNERS)
def test_a_switch_costs_little(kind):
    """First arm 0 of 4 wins nine of ten duels, from half time on arm 3. T = 10^5, 3 seeds.

    A learner that never forgets goes on with arm 0 for long; the limits are regression guards.
    """
    horizon = 100_000
    world = dd.testing.driving.switching_world(4, horizon)
    for seed in range(3):
        run = dd.simulate(kind(4), world, seed, points=2)
        uniform = dd.simulate(dd.learners.Uniform(4), world, seed, points=2)
        assert run.best == 3
        assert run.regret("condorcet")[-1] < uniform.regret("condorcet")[-1] / 4


@pytest.mark.parametrize("kind", LEARNERS)
def test_only_condorcet_is_served(kind):
    with pytest.raises(ValueError, match=rf"^criterion is 'borda', {kind.__name__} serves"):
        kind(3, criterion="borda")
    assert kind(3).criterion == dd.Condorcet()


@pytest.mark.parametrize("kind", DISCOUNTED)
@pytest.mark.parametrize("memory", [1, 0.5, -3, math.inf, "10"])
def test_a_memory_is_more_than_one(kind, memory):
    with pytest.raises(ValueError, match=r"^memory is "):
        kind(3, memory=memory)


@pytest.mark.parametrize("window", [0, -1, 2.5, "10"])
def test_a_window_is_a_number_of_rounds(window):
    with pytest.raises(ValueError, match=r"^window is "):
        dd.learners.SlidingRUCB(3, window=window)


@pytest.mark.parametrize("kind", LEARNERS[:2])
@pytest.mark.parametrize("alpha", [0, -1, math.inf, math.nan, "1", True])
def test_alpha_is_positive(kind, alpha):
    with pytest.raises(ValueError, match=r"^alpha is .*, must be a positive number( and finite)?$"):
        kind(3, alpha=alpha)


@pytest.mark.parametrize("exploration", [0, -0.1, 1.1, math.nan, "0.1", True])
def test_a_chance_to_explore_is_above_0_and_at_most_1(exploration):
    with pytest.raises(ValueError, match=r"^exploration is .*, must be a positive number and at"):
        dd.learners.DiscountedCondorcetGreedy(3, exploration=exploration)
