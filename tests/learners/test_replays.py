"""Replays drawn by thinning have the law of one coin for every round and length.

B[s, m] is 1 with probability min(1, rate m^(-1/3) (s - episode)^(-2/3)), all independent. Every
statistical test here has a fixed seed; over seeds each would raise a false alarm with
probability 1e-6 at most.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.paper.meta import begin_episode, begin_replay
from driftduel.learners.parts.replays import schedule_replay
from tests.modes import COMPILED

SAMPLES = 3000 if COMPILED else 2000
EPISODES = 40
LONG = 5000
FALSE_ALARM = 1e-6


def coin(length, age, rate=1.0, anytime=False):
    """Return the probability that a replay of this length is due at this age of the episode."""
    if age < 1 or (anytime and age < length // 2):
        return 0.0
    return min(1.0, rate * length ** (-1 / 3) * age ** (-2 / 3))


def due_lengths(learner, rng, n_rounds, n_samples):
    """Draw the schedule of the first rounds of an episode many times, as the learner does."""
    state = learner._start(rng)
    clock = state.clock[0]
    samples = []
    for sample in range(n_samples):
        episode = 7 * (sample % 3)
        clock["round"] = episode
        begin_episode(state, rng)
        due = []
        for age in range(1, n_rounds + 1):
            clock["round"] = episode + age
            powers = np.flatnonzero(state.replays.due == clock["round"]).tolist()
            due.append(frozenset(2 << power for power in powers))
            assert (state.replays.schedule[0]["next"] == clock["round"]) == bool(powers)
            if powers:
                begin_replay(state, rng)
                assert (state.replays.due > clock["round"]).all()
        state.journal.written[0] = 0
        samples.append(tuple(due))
    return samples


def surprise(count, mean, trials):
    """Return -log of Hoeffding's bound on so many of ``trials`` independent coins landing.

    The bound holds for any number of coins, equal or not (Hoeffding 1963, theorem 1), on either
    side of the mean.
    """
    total = 0.0
    for seen, expected in ((count, mean), (trials - count, trials - mean)):
        if seen > 0:
            total += seen * math.log(seen / expected) if expected > 0 else math.inf
    return total


def worst_surprise(counts, means, trials):
    """Return the largest surprise of several counts, less what as many chances make of it.

    Above 0 with probability FALSE_ALARM at most.
    """
    assert set(counts) <= set(means)
    worst = max(surprise(counts.get(key, 0), means[key], trials) for key in means)
    return worst - math.log(2 * len(means) / FALSE_ALARM)


def law(lengths, n_rounds, **options):
    """Return the probability of each pattern of coins, rounds outermost."""
    coins = [coin(m, age, **options) for age in range(1, n_rounds + 1) for m in lengths]
    chances = {}
    for pattern in itertools.product((False, True), repeat=len(coins)):
        odds = [p if heads else 1 - p for heads, p in zip(pattern, coins, strict=True)]
        chances[pattern] = math.prod(odds)
    return chances


def patterns(samples, lengths, n_rounds):
    counts = {}
    for due in samples:
        pattern = tuple(m in due[age] for age in range(n_rounds) for m in lengths)
        counts[pattern] = counts.get(pattern, 0) + 1
    return counts


def surprise_of_law(samples, lengths, n_rounds, **options):
    """Compare how often each pattern came with its probability."""
    n = len(samples)
    means = {pattern: n * p for pattern, p in law(lengths, n_rounds, **options).items()}
    return worst_surprise(patterns(samples, lengths, n_rounds), means, n)


@pytest.mark.parametrize(("horizon", "rate"), [(16, 0.7), (16, 1.0), (16, 2.2), (None, 1.0)])
def test_each_length_is_due_at_the_rounds_its_coins_say(horizon, rate):
    learner = dd.MetaBosse(2, horizon, replay_rate=rate)
    samples = due_lengths(learner, np.random.default_rng(1), 4, SAMPLES)
    for length in (2, 4, 8, 16):
        assert surprise_of_law(samples, [length], 4, rate=rate, anytime=horizon is None) < 0


@pytest.mark.parametrize("horizon", [4, None])
def test_lengths_are_independent_of_each_other(horizon):
    learner = dd.MetaBosse(2, horizon)
    samples = due_lengths(learner, np.random.default_rng(2), 2, SAMPLES)
    assert surprise_of_law(samples, [2, 4], 2, anytime=horizon is None) < 0


def test_the_test_of_the_law_notices_coins_of_a_neighbouring_round():
    # The power of the tests above: an age counted from the round after is found out.
    learner = dd.MetaBosse(2, 16)
    samples = due_lengths(learner, np.random.default_rng(3), 5, SAMPLES)
    late = [due[1:] for due in samples]
    assert surprise_of_law(late, [8], 4) > 0


def ages_of(learner, rng, power):
    """Return the ages, up to LONG, at which one length is due in one episode."""
    state = learner._start(rng)
    ages = []
    age = 0
    while True:
        schedule_replay(state.replays, rng, power, 0, age)
        age = int(state.replays.due[power])
        if age > LONG:
            return ages
        ages.append(age)


def octave(age):
    return age.bit_length() - 1


@pytest.mark.parametrize("horizon", [LONG, None])
@pytest.mark.parametrize("rate", [1.0, 3.0])
def test_each_length_is_due_as_often_as_its_coins_say(horizon, rate):
    learner = dd.MetaBosse(2, horizon, replay_rate=rate)
    rng = np.random.default_rng(4)
    lengths = [2 << power for power in range(math.ceil(math.log2(LONG)))]
    counts = {}
    for _ in range(EPISODES):
        for power, length in enumerate(lengths):
            for age in ages_of(learner, rng, power):
                for key in ("length", length), ("octave", octave(age)):
                    counts[key] = counts.get(key, 0) + 1
    means = {}
    for length in lengths:
        for age in range(1, LONG + 1):
            p = coin(length, age, rate, anytime=horizon is None)
            for key in ("length", length), ("octave", octave(age)):
                means[key] = means.get(key, 0) + EPISODES * p
    # An octave has fewer coins than this; more coins of chance 0 do not change the law.
    assert worst_surprise(counts, means, EPISODES * LONG * len(lengths)) < 0
    # The power of the test: coins that land a quarter more often are found out.
    more = {key: 1.25 * mean for key, mean in means.items()}
    assert worst_surprise(counts, more, EPISODES * LONG * len(lengths)) > 0


def test_without_a_horizon_a_length_waits_for_half_its_rounds():
    learner = dd.MetaBosse(2, None, replay_rate=50.0)
    state = learner._start(np.random.default_rng(5))
    for power in range(8):
        # At this rate the coin of age m / 2 is certain, so the first replay is exactly there.
        assert state.replays.due[power] == 1 << power


def test_a_certain_coin_always_lands():
    learner = dd.MetaBosse(2, 64, replay_rate=1e6)
    samples = due_lengths(learner, np.random.default_rng(6), 20, 3)
    assert set(itertools.chain(*samples)) == {frozenset({2, 4, 8, 16, 32, 64})}


@pytest.mark.large
@pytest.mark.parametrize("criterion", ["borda", "condorcet"])
def test_runs_start_the_longest_replay_of_each_round_as_often_as_the_coins_say(criterion):
    # With the paper's own constants nothing is evicted, so there is one episode.
    horizon, n_runs = 4000, 40
    learner = dd.MetaBosse(3, horizon, criterion=criterion, constants="theory")
    world = dd.Stream.stationary(np.full((3, 3), 0.5), horizon)
    counts = {}
    for run in dd.simulate_many(learner, world, range(n_runs), points=1):
        assert run.episodes == [0]
        for replay in run.replays:
            counts[replay.length] = counts.get(replay.length, 0) + 1
    lengths = [2 << power for power in range(12)]
    means = {}
    for length in lengths:
        longer = [m for m in lengths if m > length]
        means[length] = n_runs * sum(
            coin(length, age) * math.prod(1 - coin(m, age) for m in longer)
            for age in range(1, horizon)
        )
    assert worst_surprise(counts, means, n_runs * horizon) < 0
    assert sum(counts.values()) > 1000
