"""Maxing against its letter, by hand, and on easy worlds."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from tests.learners.driving import drawn, ladder, lower_wins, play, play_beside
from tests.naive import maxing as naive

TOSSING = [dd.learners.BordaMaxing, dd.learners.BordaRanking]
MATCHES = [dd.learners.SeqEliminate, dd.learners.Knockout]
SEEDS = range(8)


@pytest.mark.parametrize("kind", TOSSING)
@pytest.mark.parametrize("seed", SEEDS)
def test_tosses_are_those_of_the_letter(kind, seed):
    rng, n_arms = drawn(seed)
    epsilon, delta = float(rng.choice([0.4, 1.0])), float(rng.choice([0.1, 0.9]))
    if kind is dd.learners.BordaMaxing:
        epsilon = 1.0
    learner = kind(n_arms, seed=seed, epsilon=epsilon, failure=delta)
    oracle_of = partial(naive.Tossing, n_arms, epsilon, delta, kind is dd.learners.BordaMaxing)
    rounds = 1800 if kind is dd.learners.BordaMaxing else 300
    oracle = play_beside(learner, oracle_of, rounds, seed, late=0.4 * (seed % 2)).oracle
    if kind is dd.learners.BordaRanking and epsilon == 1.0 and seed % 2 == 0:
        assert oracle.stages == 1


def test_the_better_half_stays_stage_after_stage():
    learner = dd.learners.BordaMaxing(5, epsilon=1.0, failure=0.9)
    oracle_of = partial(naive.Tossing, 5, 1.0, 0.9, True)
    oracle = play_beside(learner, oracle_of, 3500, 1, world=[ladder(5, 0.1)]).oracle
    assert oracle.stages == 3


@pytest.mark.parametrize("seed", SEEDS)
def test_seq_eliminate_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed)
    epsilon = float(rng.choice([0.2, 0.6]))
    learner = dd.learners.SeqEliminate(n_arms, seed=seed, epsilon=epsilon, failure=0.5)
    oracle_of = partial(naive.SeqEliminate, n_arms, epsilon, 0.5)
    play_beside(learner, oracle_of, 400, seed, late=0.4 * (seed % 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_knockout_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed, most_arms=7)
    epsilon, gamma = float(rng.choice([0.5, 1.0])), float(rng.choice([1.0, 1.3]))
    learner = dd.learners.Knockout(n_arms, seed=seed, epsilon=epsilon, failure=0.5, gamma=gamma)
    oracle_of = partial(naive.Knockout, n_arms, epsilon, 0.5, gamma)
    play_beside(learner, oracle_of, 500, seed, late=0.4 * (seed % 2))


def test_challengers_win_and_lose():
    changes = set()
    for seed in range(6):
        learner = dd.learners.SeqEliminate(4, seed=seed, epsilon=0.4, failure=0.5)
        oracle_of = partial(naive.SeqEliminate, 4, 0.4, 0.5)
        world = [ladder(4, 0.15)]
        changes.add(play_beside(learner, oracle_of, 400, seed, world=world).oracle.changes)
    assert len(changes) > 1


def test_a_challenge_by_hand():
    # Every duel is won by the lower arm. With delta = 0.2 a match ends once
    # 1/2 - epsilon/2 > sqrt(ln(4 n^2 K / delta) / (2 n)), or + for who loses: for K = 2 and
    # epsilon = 0.2 that is 0.4 > sqrt((3.69 + 2 ln n) / (2 n)) from n = 31 on, and 0.6 from n = 12.
    learner = dd.learners.SeqEliminate(2, epsilon=0.2, failure=0.2, seed=3)
    pairs = play(learner, 40, lower_wins)
    first = pairs[0]
    length = pairs.index((0, 0))
    assert set(pairs[:length]) == {first}
    lead = 0.4 if first == (0, 1) else 0.6
    ends = [n for n in range(1, 60) if lead > math.sqrt(math.log(4 * n**2 / 0.1) / (2 * n))]
    assert length == ends[0]


def test_a_knockout_by_hand():
    # delta_1 = 0.25 and eps_1 = (2^(1/3) - 1) 2^(-1/3) = 0.206: a match that one always wins ends
    # once 1/2 > sqrt(ln(16 n^2) / (2 n)) - 0.206.
    learner = dd.learners.Knockout(2, epsilon=1.0, failure=0.5)
    length = play(learner, 40, lower_wins).index((0, 0))
    ends = [n for n in range(1, 60) if math.sqrt(math.log(16 * n**2) / (2 * n)) < 0.7063]
    assert length == ends[0]


@pytest.mark.parametrize("kind", TOSSING + MATCHES)
def test_a_horizon_or_an_epsilon_is_needed(kind):
    with pytest.raises(ValueError, match=r"^epsilon is None and so is horizon, one of them must"):
        kind(3)
    with pytest.raises(ValueError, match=r"^epsilon is 0, must be"):
        kind(3, epsilon=0)
    with pytest.raises(ValueError, match=r"^failure is 1, must be"):
        kind(3, 100, failure=1)
    assert kind(3, epsilon=0.1).horizon is None
    served = kind._criteria[0].name
    with pytest.raises(ValueError, match=f"'copeland', {kind.__name__} serves '{served}' only"):
        kind(3, 100, criterion="copeland")


def test_the_epsilon_of_a_horizon():
    K, T = 10, 10**6
    state = dd.learners.BordaMaxing(K, T)._allocate()
    epsilon = (128 * K * math.log(6 * T) / T) ** (1 / 3)
    assert state.clock[0]["nearness"] == pytest.approx(epsilon / 4)
    state = dd.learners.SeqEliminate(K, T)._allocate()
    epsilon = (4 * K * math.log(2 * K * T) / T) ** (1 / 3)
    assert state.clock[0]["middle"] == pytest.approx(epsilon / 2)
    assert dd.learners.SeqEliminate(K, 10)._allocate().clock[0]["middle"] == 0.25


def test_gamma_is_at_least_one():
    with pytest.raises(ValueError, match=r"^gamma is 0.9, must be at least 1"):
        dd.learners.Knockout(3, 100, gamma=0.9)


@pytest.mark.large
@pytest.mark.parametrize("kind", TOSSING + MATCHES)
def test_an_easy_stationary_world_is_known_for_good(kind):
    """K = 5, the best arm ahead of all by .4, T = 2e6, seeds 0 to 4.

    Each is wrong with probability below 1/T by its own guarantee, and its default of epsilon lets
    it commit before half time.
    """
    matrix = ladder(5, 0.1)
    matrix[0, 1:], matrix[1:, 0] = 0.9, 0.1
    horizon = 2_000_000
    world = dd.Stream.stationary(matrix, horizon)
    for seed in range(5):
        run = dd.simulate(kind(5, horizon), world, seed, points=10)
        regret = run.regret(kind._criteria[0].name)
        assert run.best == 0
        assert regret[-1] == regret[4]
        assert regret[-1] < np.mean(kind._criteria[0]().gaps(matrix)) * horizon / 2


@pytest.mark.parametrize("kind", MATCHES)
def test_a_file_with_less_certainty_than_at_the_start_is_refused(kind, tmp_path):
    learner = kind(4, 1000, seed=0)
    learner.ask()
    learner._session.state.clock["level"] -= 1.0
    learner.save(tmp_path / "learner.json")
    with pytest.raises(ValueError, match=r"state\.clock\.level is"):
        dd.load_learner(tmp_path / "learner.json")
