"""D-TS that forgets: by the letter, by frequency, and in a world that changes."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.contract.base import learner_generator
from driftduel.learners.parts.posterior import above
from driftduel.learners.rivals.forgetting_thompson import limit_above_half
from tests.learners.driving import drawn, ladder, lower_wins, play, play_beside
from tests.modes import COMPILED
from tests.naive import forgetting_thompson as naive

LEARNERS = [dd.learners.DiscountedDTS, dd.learners.SlidingDTS]
SEEDS = range(8)
ROUNDS = 200


def compare_candidates(learner, oracle):
    """The candidates and who is beaten are those of the letter."""
    posterior = learner._session.state.posterior
    assert posterior.candidates[: posterior.record[0]].tolist() == oracle.candidates()
    for i in range(learner.n_arms):
        for j in range(learner.n_arms):
            assert posterior.verdicts.beaten[i, j] == (oracle.counts.upper(i, j) < 0.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_discounted_d_ts_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed, 5)
    alpha, memory = float(rng.choice([0.03, 0.2, 0.7])), float(rng.choice([5.3, 20.7, 80.1]))
    learner = dd.learners.DiscountedDTS(n_arms, seed=seed, alpha=alpha, memory=memory)
    oracle_of = partial(naive.ForgettingDTS, n_arms, alpha, naive.discounting(memory))
    late = 0.4 * (seed % 2)
    play_beside(learner, oracle_of, ROUNDS, seed, late=late, compare=compare_candidates)


@pytest.mark.parametrize("seed", SEEDS)
def test_sliding_d_ts_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed, 5)
    alpha, window = float(rng.choice([0.031, 0.203, 0.71])), int(rng.choice([1, 7, 40, 150]))
    learner = dd.learners.SlidingDTS(n_arms, seed=seed, alpha=alpha, window=window)
    oracle_of = partial(naive.ForgettingDTS, n_arms, alpha, naive.within(window))
    late = 0.4 * (seed % 2)
    played = play_beside(learner, oracle_of, ROUNDS, seed, late=late, compare=compare_candidates)
    for i in range(n_arms):
        for j in set(range(n_arms)) - {i}:
            posterior = learner._session.state.posterior
            assert posterior.verdicts.wins[i, j] == played.oracle.counts.wins[i, j]


def test_it_plays_its_letter_on_after_weights_are_made_light():
    learner = dd.learners.DiscountedDTS(4, memory=1.5, alpha=0.05, seed=3)
    oracle_of = partial(naive.ForgettingDTS, 4, 0.05, naive.discounting(1.5))
    play_beside(learner, oracle_of, 300, seed=3)
    # A memory of 1.5 rounds trebles the weight each time: 3^210 > 1e100, so it was divided once.
    assert learner._session.state.fading[0]["unit"] == pytest.approx(3.0**90)


def test_pairs_are_as_frequent_as_when_everything_is_drawn():
    # Six standard deviations (and a little, for rare pairs) of the difference of two counts are
    # exceeded with probability below 1e-8, so the 48 counts fail a right learner with probability
    # below 1e-6.
    n = 3_000 if COMPILED else 1_500
    learner = dd.learners.DiscountedDTS(4, alpha=0.2, memory=60, seed=2)
    state = learner._session.state
    letter = naive.Letter(4, 0.2, naive.discounting(60), np.random.default_rng(5))
    script = np.random.default_rng(3)
    rng = learner_generator(1)
    sizes = []
    for age in range(141):
        if age in (0, 60, 140):
            counts = np.zeros((2, 4, 4))
            sizes.append(int(state.posterior.record[0]))
            for _ in range(n):
                left, right, _ = learner._choose(state, rng)
                counts[0, left, right] += 1
                counts[1][letter.ask()[:2]] += 1
            assert (np.abs(counts[0] - counts[1]) < 6 * np.sqrt(counts.sum(axis=0) + 9)).all()
        left, right = script.choice(4, 2, replace=False).tolist()
        outcome = float(script.random() < 0.5 + 0.12 * (right - left))
        letter.tell(left, right, (None,), outcome)
        if learner._learn(state, left, right, (np.nan,), outcome):
            learner._settle(state, rng)
    assert sizes[0] == 4
    assert min(sizes) < 4


@pytest.mark.parametrize("a", [1.0, 1.2, 3.7, 20.0, 300.5])
@pytest.mark.parametrize("b", [1.0, 1.9, 4.0, 31.3, 400.0])
def test_the_limit_is_above_the_chance(a, b):
    assert above(a, b, 0.5) <= limit_above_half(a, b) <= 1


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_pair_that_is_forgotten_is_tried_again(kind):
    """Arm 0 beats the other surely; when its duels are forgotten the challenger comes back."""
    remembered = {"memory": 30} if kind is dd.learners.DiscountedDTS else {"window": 60}
    pairs = play(kind(2, alpha=0.1, seed=1, **remembered), 600, lower_wins)
    late = [left == right for left, right in pairs[200:]]
    assert 0.5 < np.mean(late) < 1


def test_weights_stay_finite_for_ever():
    """A memory of 1.001 makes weights grow a thousandfold each time."""
    learner = dd.learners.DiscountedDTS(3, memory=1.001, seed=1)
    for _ in range(300):
        play(learner, 1, lower_wins)
        state = learner._session.state
        assert np.isfinite(state.posterior.verdicts.wins).all()
        assert 1 <= state.fading[0]["unit"] <= 1e100


@pytest.mark.large
@pytest.mark.parametrize("kind", LEARNERS)
def test_a_switch_costs_little(kind):
    """A ladder of 4 arms is turned round at half time. T = 10^5, seeds 0 to 2.

    Uniform play loses .15 a round, D-TS goes on with the first arm for long. The mean of 40 other
    seeds is at most 640 with a standard deviation of 260, so a right learner fails with
    probability far below 1e-6.
    """
    horizon = 100_000
    matrix = ladder(4, 0.1)
    world = dd.Stream.piecewise([matrix, matrix.T], [0, horizon // 2], horizon)
    for seed in range(3):
        run = dd.simulate(kind(4), world, seed, points=2)
        assert run.best == 3
        assert run.regret("condorcet")[-1] < 0.2 * 0.15 * horizon


@pytest.mark.parametrize("kind", LEARNERS)
def test_only_condorcet_is_served(kind):
    with pytest.raises(ValueError, match=rf"^criterion is 'borda', {kind.__name__} serves"):
        kind(3, criterion="borda")
    assert kind(3).criterion == dd.Condorcet()


@pytest.mark.parametrize("memory", [1, 0.5, -3, math.inf, "10"])
def test_a_memory_is_more_than_one(memory):
    with pytest.raises(ValueError, match=r"^memory is "):
        dd.learners.DiscountedDTS(3, memory=memory)


@pytest.mark.parametrize("window", [0, -1, 2.5, "10"])
def test_a_window_is_a_number_of_rounds(window):
    with pytest.raises(ValueError, match=r"^window is "):
        dd.learners.SlidingDTS(3, window=window)


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("alpha", [0, -1, math.inf, math.nan, "1", True])
def test_alpha_is_positive(kind, alpha):
    with pytest.raises(ValueError, match=r"^alpha is .*, must be a positive number( and finite)?$"):
        kind(3, alpha=alpha)
