"""ECW-RMED against its letter, its targets against the linear program, and on known matrices."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.worlds import datasets
from tests.learners.driving import drawn, final_and_late_regret, higher_wins, play, play_beside
from tests.naive import ecw as naive

SEEDS = range(10)


@pytest.mark.parametrize("seed", SEEDS)
def test_ecw_rmed_plays_what_its_letter_plays(seed):
    rng, n_arms = drawn(seed)
    alpha, beta = float(rng.choice([0.3, 1.0, 3.0])), float(rng.choice([0.01, 0.07]))
    learner = dd.learners.ECWRMED(n_arms, seed=seed, alpha=alpha, beta=beta)
    oracle_of = partial(naive.ECWRMED, n_arms, alpha, beta)
    play_beside(learner, oracle_of, 300, seed, late=0.4 * (seed % 2))


def test_targets_are_followed_where_nobody_beats_everybody():
    # Chances far from 1/2, so that pairs are soon clear; three arms beat each other in a ring.
    world = np.array(
        [[0.5, 0.9, 0.1, 0.8], [0.1, 0.5, 0.9, 0.8], [0.9, 0.1, 0.5, 0.8], [0.2] * 3 + [0.5]]
    )
    learner = dd.learners.ECWRMED(4, alpha=0.5)
    oracle_of = partial(naive.ECWRMED, 4, 0.5, 0.01)
    played = play_beside(learner, oracle_of, 800, 3, world=[world])
    assert played.oracle.planned > 20
    assert any(left == right for left, right in played.pairs)


def test_the_closed_form_of_the_targets_is_the_linear_program():
    rng = np.random.default_rng(1)
    for _ in range(60):
        n = int(rng.integers(1, 5))
        m = int(rng.integers(1, n + 1))
        c = [Fraction(int(number), 8) for number in rng.integers(0, 12, n)]
        shares = naive.cheapest_shares([float(price) for price in c], m)
        cost = sum(float(price) * share for price, share in zip(c, shares, strict=True))
        assert cost == pytest.approx(float(naive.least_cost(c, m)))
        assert sum(sorted(shares)[:m]) == pytest.approx(1)


def test_first_rounds_by_hand():
    # All pairs meet once, as t = 1 asks for none; then until each has 3 sqrt(ln t) duels.
    learner = dd.learners.ECWRMED(3)
    assert play(learner, 3, higher_wins) == [(0, 1), (0, 1), (0, 1)]
    # t = 4: 3 sqrt(ln 4) = 3.53.
    assert play(learner, 1, higher_wins) == [(0, 1)]
    # t = 5: 3 sqrt(ln 5) = 3.81.
    assert play(learner, 1, higher_wins) == [(0, 2)]


def test_the_winner_meets_itself_until_a_pair_lacks_duels():
    learner = dd.learners.ECWRMED(2, alpha=1.0)
    pairs = play(learner, 60, higher_wins)
    # The proof takes ln t / ln 2 duels, which is 1 for t = 2, 2 for t = 4, 3 for t = 8.
    duels = [t for t, (left, right) in enumerate(pairs, 1) if left != right]
    assert len(duels) == 6
    assert all(t in (2**n, 2**n + 1) for n, t in enumerate(duels[1:], 1))


def test_borda_is_refused_and_copeland_is_the_default():
    with pytest.raises(ValueError, match="'borda', ECWRMED serves 'copeland', 'condorcet' only"):
        dd.learners.ECWRMED(3, criterion="borda")
    assert dd.learners.ECWRMED(3).criterion == dd.Copeland()


@pytest.mark.parametrize(("name", "value"), [("alpha", 0), ("beta", 0), ("beta", 0.6)])
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(ValueError, match=f"^{name} is {value}, must be"):
        dd.learners.ECWRMED(3, **{name: value})


@pytest.mark.large
def test_copeland_regret_is_small_and_flat_where_copeland_and_borda_disagree():
    # Hudry's thirteen arms, T = 2e5, seeds 0 to 3. Uniform play costs 0.25 a round. None of 20
    # runs with other seeds came to two thirds of these limits.
    P = datasets.matrix("hudry").P
    world = dd.Stream.stationary(P, 200_000)
    uniform = float(dd.Copeland().gaps(P).mean()) * 200_000
    final, late = final_and_late_regret(dd.learners.ECWRMED(13), world, range(4))
    assert (final < 0.1 * uniform).all()
    assert (late < 0.05 * uniform / 4).all()
