"""SAVAGE for Copeland and Borda against its letter, and on known matrices."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.worlds import datasets
from tests.learners.driving import drawn, ladder, lower_wins, play, play_beside
from tests.naive import savage as naive

KINDS = [dd.learners.CopelandSAVAGE, dd.learners.BordaSAVAGE]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_pairs_are_those_of_the_letter(kind, seed):
    rng, n_arms = drawn(seed, most_arms=5)
    horizon = [None, 40][seed % 2]
    delta = float(rng.choice([0.3, 0.9]))
    learner = kind(n_arms, horizon, seed=seed, delta=delta)
    oracle_of = partial(naive.SAVAGE, n_arms, horizon, delta, kind is dd.learners.CopelandSAVAGE)
    play_beside(learner, oracle_of, 300, seed, late=0.4 * (seed % 3 == 2))


def test_a_pair_is_done_with_when_both_arms_are_out():
    # Two arms far ahead of two that tie: nobody asks which of these two is better.
    matrix = np.full((4, 4), 0.5)
    matrix[:2, 2:], matrix[2:, :2] = 1.0, 0.0
    matrix[0, 1], matrix[1, 0] = 0.6, 0.4
    for kind in KINDS:
        learner = kind(4, 5000, delta=0.5)
        oracle_of = partial(naive.SAVAGE, 4, 5000, 0.5, kind is dd.learners.CopelandSAVAGE)
        played = play_beside(learner, oracle_of, 1200, 1, world=[matrix])
        assert (2, 3) in played.pairs[:100]
        assert (2, 3) not in played.pairs[-600:]


def test_copeland_duels_until_decided_by_hand():
    # Three pairs, T = 2: eta = 2 * 3 * 2, so c(n)^2 = ln(12 / 0.5) / (2 n) = 1.59 / n, below 1/4
    # from n = 7 on. Each pair is duelled 7 times in turn, but for the last one: after 19 duels the
    # first arm is known to beat both others, who are out.
    learner = dd.learners.CopelandSAVAGE(3, 2, delta=0.5)
    pairs = play(learner, 24, lower_wins)
    assert pairs[:18] == [(0, 1), (0, 2), (1, 2)] * 6
    assert pairs[18:20] == [(0, 1), (0, 2)]
    assert pairs[-1] == (0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_horizon_or_a_delta_is_needed(kind):
    with pytest.raises(ValueError, match="delta is None and so is horizon, one of them must be"):
        kind(3)
    with pytest.raises(ValueError, match=f"'condorcet', {kind.__name__} serves"):
        kind(3, 10, criterion="condorcet")
    assert kind(3, delta=0.1).horizon is None


@pytest.mark.large
def test_the_copeland_winner_of_hudrys_tournament_is_found():
    """T = 2e5, seeds 0 to 4; each is wrong with probability below 1/T by its guarantee."""
    world = dd.Stream.stationary(datasets.matrix("hudry").P, 200_000)
    for seed in range(5):
        run = dd.simulate(dd.learners.CopelandSAVAGE(13, 200_000), world, seed, points=4)
        assert run.best == 0
        assert run.regret("copeland")[-1] == run.regret("copeland")[-2]


@pytest.mark.large
def test_the_borda_winner_is_found():
    """K = 5, the best arm ahead by .1 in Borda score, T = 10^6, seeds 0 to 4; as above."""
    world = dd.Stream.stationary(ladder(5, 0.1), 10**6)
    for seed in range(5):
        run = dd.simulate(dd.learners.BordaSAVAGE(5, 10**6), world, seed, points=4)
        assert run.best == 0
        assert run.regret()[-1] == run.regret()[-2]
