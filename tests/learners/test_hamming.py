"""Hamming-LUCB against its letter, and on an easy world."""

from __future__ import annotations

from functools import partial

import pytest

import driftduel as dd
from tests.learners.driving import drawn, ladder, play_beside
from tests.naive import hamming as naive


@pytest.mark.parametrize("seed", range(12))
def test_tosses_are_those_of_the_letter(seed):
    rng, n_arms = drawn(seed, most_arms=7)
    top = int(rng.integers(1, n_arms))
    wrong = int(rng.integers(0, min(top, n_arms - top)))
    learner = dd.learners.HammingLUCB(n_arms, seed=seed, top=top, wrong=wrong, failure=0.4)
    oracle_of = partial(naive.HammingLUCB, n_arms, top, wrong, 0.4)
    play_beside(learner, oracle_of, 500, seed, late=0.4 * (seed % 2))


def test_more_may_be_wrong_and_it_ends_sooner():
    ends = []
    for wrong in (0, 1):
        learner = dd.learners.HammingLUCB(6, seed=2, top=2, wrong=wrong, failure=0.3)
        oracle_of = partial(naive.HammingLUCB, 6, 2, wrong, 0.3)
        world = [ladder(6, 0.1)]
        pairs = play_beside(learner, oracle_of, 3000, 2, world=world).pairs
        ends.append(next((t for t, (i, j) in enumerate(pairs) if i == j), 3000))
    assert ends[1] < ends[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"top": 4}, "top is 4, must be at most 3"),
        ({"top": 0}, "top is 0, must be at least 1"),
        ({"wrong": 1}, "wrong is 1, must be at most 0"),
        ({"top": 2, "wrong": 2}, "wrong is 2, must be at most 1"),
        ({"failure": 0}, "failure is 0, must be"),
        ({"criterion": "condorcet"}, "criterion is 'condorcet', HammingLUCB serves 'borda' only"),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        dd.learners.HammingLUCB(4, 100, **settings)


@pytest.mark.large
def test_an_easy_stationary_world_is_soon_known_for_good():
    """K = 5, the best arm ahead by .24 in Borda score, T = 10^5, seeds 0 to 4.

    It is wrong with probability below 1/T by its guarantee.
    """
    matrix = ladder(5, 0.1)
    matrix[0, 1:], matrix[1:, 0] = 0.9, 0.1
    world = dd.Stream.stationary(matrix, 100_000)
    for seed in range(5):
        run = dd.simulate(dd.learners.HammingLUCB(5, 100_000), world, seed, points=10)
        assert run.best == 0
        assert run.regret()[-1] == run.regret()[1]
