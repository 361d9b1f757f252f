"""Bradley-Terry: ratings, their ranges, and the test of whether one number an arm is enough."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import driftduel as dd
from driftduel._support.extras import MissingExtraError
from tests.naive.ratings import deviance, strengths
from tests.votes.test_estimates import sampled, without

CYCLE = np.array([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]])


def bradley_terry(worth):
    return 1 / (1 + np.exp(np.subtract.outer(worth, worth).T))


def counted(wins):
    """A log in which row won against column so often."""
    winner, loser = np.nonzero(wins)
    labels = [f"arm {n}" for n in range(len(wins))]
    count = np.asarray(wins)[winner, loser]
    return dd.Log(labels, np.zeros(len(count)), winner, loser, np.ones(len(count)), count)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_those_of_the_slow_algorithm(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 40, size=(4, 4))
    np.fill_diagonal(wins, 0)
    found = dd.ratings(counted(wins))
    expected = strengths(wins)
    assert found.ratings == pytest.approx(1000 + 400 / np.log(10) * np.array(expected), abs=1e-3)
    assert found.deviance == pytest.approx(deviance(wins, expected), abs=1e-6)
    assert found.freedom == 3
    assert found.ratings.mean() == pytest.approx(1000)


def test_two_arms_have_the_ratings_of_their_odds():
    found = dd.ratings(counted([[0, 75], [25, 0]]))
    assert np.diff(found.ratings[::-1]) == pytest.approx(400 * np.log10(3))
    # Half of the variance of a log odds, 1 / 75 + 1 / 25, is of either arm; z of .05 / 4.
    spread = 2.2414 * np.sqrt(1 / 75 + 1 / 25) / 2 * 400 / np.log(10)
    assert found.high - found.ratings == pytest.approx([spread] * 2, rel=1e-4)
    assert (found.p_value, found.fits, found.freedom) == (None, None, 0)
    assert "every pair can be rated exactly" in str(found)


def test_a_cycle_does_not_fit_and_the_worst_pair_is_named():
    found = dd.ratings(without(sampled(np.random.default_rng(1), 900, CYCLE)))
    assert found.fits is False
    assert found.p_value < 1e-6
    text = str(found)
    assert "Bradley-Terry does not fit these votes (p < 0.0001)" in text
    assert f"{found.odd.first} won {100 * found.odd.share:.0f} of 100 votes" in text
    assert found.odd.share > 0.7
    assert found.odd.rated < 0.6
    assert "One number an arm hides all cycles" in text


def test_ranges_hold_and_the_test_rejects_as_seldom_as_it_says():
    """Of 200 logs at .05, 21 or more are wrong with probability 1e-3 if each is with .05."""
    worth = np.array([0.6, 0.2, -0.2, -0.6])
    truth = 1000 + 400 / np.log(10) * worth
    missed = rejected = 0
    for seed in range(200):
        found = dd.ratings(sampled(np.random.default_rng(seed), 600, bradley_terry(worth)))
        missed += bool(((found.low > truth) | (truth > found.high)).any())
        rejected += found.fits is False
    assert missed <= 20
    assert rejected <= 20


def test_who_never_lost_or_never_won_is_not_rated():
    found = dd.ratings(counted([[0, 9, 9, 9], [0, 0, 6, 6], [0, 4, 0, 3], [0, 4, 4, 0]]))
    assert found.unrated == ("arm 0",)
    assert np.isnan(found.ratings[0])
    assert found.frame["arm"].to_list() == ["arm 1", "arm 3", "arm 2"]
    assert found.n_votes == 27
    assert "Not rated: arm 0; it takes a win and a loss" in str(found)
    nobody = dd.ratings(counted([[0, 9], [0, 0]]))
    assert nobody.unrated == nobody.arms
    assert nobody.frame.height == nobody.n_votes == 0


def test_few_votes_of_each_pair_are_not_tested():
    found = dd.ratings(counted([[0, 2, 1], [1, 0, 2], [2, 1, 0]]))
    assert found.p_value is None
    assert "too few votes each" in str(found)


def test_ties_count_half_and_serves_nothing():
    left, right = [0, 0, 0, 1], [1, 1, 1, 1]
    log = dd.Log(["a", "b"], range(4), left, right, [1, 0.5, 0, 0.5], [3, 4, 1, 50])
    assert dd.ratings(log).ratings == pytest.approx(dd.ratings(counted([[0, 5], [3, 0]])).ratings)


def test_without_the_extra_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match=r"^ratings need scipy: pip install") as error:
        dd.ratings(counted([[0, 2], [1, 0]]))
    assert str(error.value).endswith('"driftduel[ratings]"')


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"^alpha is 2, must be"):
        dd.ratings(counted([[0, 2], [1, 0]]), alpha=2)


def test_ranges_are_those_of_the_pseudo_inverse_and_never_undefined():
    for seed in range(40):
        wins = sampled(np.random.default_rng(seed), 120, bradley_terry(np.linspace(2, -2, 6)))
        found = dd.ratings(wins)
        known = ~np.isnan(found.ratings)
        assert np.isfinite(found.low[known]).all()
        strength = (found.ratings[known] - 1000) * np.log(10) / 400
        met = wins.head_to_head()[np.ix_(known, known)]
        met = met + met.T
        chances = bradley_terry(strength)
        weights = met * chances * (1 - chances)
        hessian = np.diag(weights.sum(axis=1)) - weights
        spread = (found.high - found.ratings)[known] * np.log(10) / 400
        covariance = np.linalg.pinv(hessian, rcond=1e-9, hermitian=True)
        ratio = spread / np.sqrt(np.diag(covariance))
        assert ratio == pytest.approx(np.full(len(ratio), ratio[0]), rel=1e-6)
