"""Bounds from weighted votes: by the definition, and under drift with a sampler that adapts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage import weighted_votes
from driftduel.votes.mixtures import deviation, log_wealth, mean_bounds, running_sums
from tests.naive import sequences as naive

values = st.floats(0, 20)
levels = st.sampled_from([0.001, 0.025, 0.05, 0.3])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(values, values), min_size=1, max_size=30), levels)
def test_the_bounds_are_those_of_loops_and_of_trying_numbers(votes, alpha):
    gains, losses = zip(*votes, strict=True)
    step = 0.05
    low, high = mean_bounds(gains, losses, alpha)
    expected = naive.mean_bounds(gains, losses, alpha, step)
    near = step / len(votes) + 1e-9
    assert expected[0] - 1e-9 <= low <= expected[0] + near
    assert expected[1] - near <= high <= expected[1] + 1e-9


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1e4), levels)
def test_the_wealth_at_the_deviation_is_what_the_level_asks_for(variance, alpha):
    m = float(deviation(variance, alpha))
    assert naive.wealth(m, variance) * alpha == pytest.approx(1, rel=1e-6)
    assert log_wealth(m, variance) == pytest.approx(-math.log(alpha), rel=1e-9)


def test_the_deviation_grows_like_the_square_root_of_the_variance():
    variance = np.array([1e2, 1e4, 1e6, 1e8, 1e10, 1e12])
    ratio = deviation(variance, 0.025) / np.sqrt(variance)
    # The best theta alone would give sqrt(2 ln(p_k / alpha)); p_k falls with the logarithm of V.
    assert np.all((ratio > math.sqrt(2 * math.log(40))) & (ratio < 5.5))
    assert deviation(np.zeros((2, 3)), 0.025).shape == (2, 3)
    assert np.all(np.diff(deviation(np.arange(100), 0.05)) > 0)


def test_guesses_are_made_before_the_round():
    totals, variances = running_sums([[0.0, 4.0], [1.0, 0.0]])
    assert totals.tolist() == [[0.0, 4.0], [1.0, 1.0]]
    assert variances.tolist() == [[0.25, 0.25 + 3.75**2], [0.25, 0.25 + 0.75**2]]
    longer = running_sums([0.0, 4.0, 9.0])
    assert longer[1][:2].tolist() == variances[0].tolist()


def test_one_huge_weight_proves_little():
    few = np.full(100, 0.5)
    huge = np.where(np.arange(100) == 50, 50.0, 0.0)
    assert mean_bounds(few, few, 0.05)[0] > 0.3
    assert mean_bounds(huge, few, 0.05)[0] == 0.0


def test_the_bounds_ever_miss_no_more_often_than_they_say():
    """60 runs of 2,000 votes, seeds 0 to 59, drifting tastes, pairs chosen by who is ahead.

    If they ever missed with 5 %, more than 10 of 60 runs would miss with probability 2e-4; they do
    with less. The width of about .22 shows that they are not everything.
    """
    missed, widths = np.transpose([weighted_votes(seed, 2_000) for seed in range(60)])
    assert missed.sum() <= 10
    assert 0.1 < widths.mean() < 0.3


@settings(max_examples=200, deadline=None)
@given(st.floats(0, 0.5), st.floats(0, 1), st.floats(0, 1), st.floats(0, 30), st.floats(0, 30))
def test_nobody_gains_by_betting_on_a_sum(theta, guess, chance, low, high):
    """One round of any two values with any guess: the mean of the factor is 1 at most."""
    mean = (1 - chance) * low + chance * high
    psi = -math.log1p(-theta) - theta
    factor = sum(
        share * math.exp(theta * (value - mean) - psi * (value - guess) ** 2)
        for share, value in ((1 - chance, low), (chance, high))
    )
    assert factor <= 1 + 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: deviation(-1, 0.05), "variance = -1, must be a finite number of at least 0"),
        (lambda: deviation(1, 1.0), "alpha is 1.0, must be a positive number and below 1"),
        (lambda: running_sums([]), "values: there are none, must be one at least"),
        (lambda: running_sums(3.0), "values: there are none, must be one at least"),
        (lambda: mean_bounds([1, math.nan], [0, 1], 0.05), r"values\[1\] = nan, must be a finite"),
        (lambda: mean_bounds([1, 1], [1], 0.05), r"gains and losses: of shapes \(2,\) and \(1,\)"),
        (lambda: mean_bounds([1], [1], 0), "alpha is 0, must be a positive number and below 1"),
    ],
)
def test_what_is_no_weighted_vote_is_refused(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
