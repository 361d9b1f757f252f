"""Confidence sequences: against the definition, and that they hold at every moment at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage import draw, ever_misses, wilson_ever_misses, worlds
from driftduel.votes.sequences import interval, log_evidence, simultaneous
from tests.naive import sequences as naive

halves = st.integers(0, 80).flatmap(
    lambda n: st.tuples(st.integers(0, 2 * n).map(lambda twice: twice / 2), st.just(n))
)
levels = st.sampled_from([0.001, 0.0125, 0.05, 0.2, 0.5])


@settings(max_examples=60, deadline=None)
@given(halves, levels)
def test_the_interval_is_that_of_a_fine_grid(votes, alpha):
    grid = 1_000
    low, high = interval(*votes, alpha)
    expected = naive.interval(*votes, alpha, grid)
    step = 1 / grid + 1e-12  # the ends of the grid are rounded
    assert low <= expected[0] <= low + step
    assert high - step <= expected[1] <= high


@settings(max_examples=100, deadline=None)
@given(halves, st.floats(0.02, 0.98))
def test_the_evidence_is_the_integral_over_bets(votes, mean):
    # The midpoint rule is exact for whole wins; half wins leave an error of about STEPS^-2.
    expected = naive.evidence(*votes, mean)
    assert np.exp(log_evidence(*votes, mean)) == pytest.approx(expected, rel=1e-5)


@settings(max_examples=100, deadline=None)
@given(halves, levels)
def test_an_end_is_outside_and_not_1e_12_too_far_out(votes, alpha):
    low, high = interval(*votes, alpha)
    for end, inwards in ((low, 1e-12), (high, -1e-12)):
        if 0 < end < 1:
            # Logarithms of the evidence are rounded by less than 1e-12.
            assert log_evidence(*votes, end) >= -np.log(alpha) - 1e-12
            assert log_evidence(*votes, end + inwards) <= -np.log(alpha) + 1e-12


def test_whole_wins_are_bet_on_as_krichevsky_and_trofimov_did():
    fortune, wins = 1.0, 0
    for n, outcome in enumerate([1, 1, 0, 1, 0, 1, 1, 1]):
        belief = (wins + 0.5) / (n + 1)
        fortune *= belief / 0.3 if outcome else (1 - belief) / 0.7
        wins += outcome
        assert np.exp(log_evidence(wins, n + 1, 0.3)) == pytest.approx(fortune, rel=1e-12)


def test_without_tosses_the_interval_is_everything():
    low, high = interval([0, 0], [0, 0], 0.05)
    assert low.tolist() == [0, 0]
    assert high.tolist() == [1, 1]


def test_an_arm_that_always_won_may_win_always():
    low, high = interval([20, 0], [20, 20], 0.05)
    assert (high[0], low[1]) == (1.0, 0.0)
    assert low[0] == pytest.approx(1 - high[1], abs=2e-12)
    assert 0.7 < low[0] < 0.9


def test_who_loses_has_the_mirrored_interval():
    wins = np.arange(0, 50.5, 0.5)
    low, high = interval(wins, 50, 0.05)
    assert low == pytest.approx(1 - high[::-1], abs=2e-12)
    assert np.all(np.diff(low) >= 0)
    assert np.all((low <= wins / 50) & (wins / 50 <= high))


def test_less_error_needs_a_wider_interval_and_more_tosses_a_narrower_one():
    for fewer, more in [((6, 10, 0.05), (60, 100, 0.05)), ((60, 100, 0.01), (60, 100, 0.1))]:
        wide, narrow = interval(*fewer), interval(*more)
        assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_a_million_tosses_are_no_harder_than_ten():
    low, high = interval(600_000, 1_000_000, 0.05)
    # sqrt(2 p (1-p) / n (ln(1/alpha) + ln(pi n / 2) / 2)), the width of the sequence for large n.
    half = np.sqrt(2 * 0.24 / 1e6 * (np.log(20) + np.log(np.pi * 1e6 / 2) / 2))
    assert [0.6 - low, high - 0.6] == pytest.approx([half, half], rel=1e-3)


def test_all_arms_together_share_the_level():
    wins, tosses = [30, 50, 10, 0.5], [60, 60, 60, 1]
    for one, other in zip(
        simultaneous(wins, tosses, 0.05), interval(wins, tosses, 0.0125), strict=True
    ):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("name", worlds(10))
def test_the_sequence_ever_misses_no_more_often_than_it_says(name):
    """400 runs of 5,000 votes, seed 1.

    If it ever missed with 5 %, more than 36 of 400 runs would miss with probability 3e-4; it does
    with less. Under drift the average of the means so far is meant.
    """
    means, ties = worlds(5_000)[name]
    outcomes = draw(np.random.default_rng(1), 400, means, ties)
    assert ever_misses(outcomes, means) <= 36 / 400


def test_wilsons_interval_does_not_hold_at_every_moment():
    """The same votes as above: it ever misses in about half of the runs.

    If it were 5 %, more than 100 of 400 runs would miss with probability below 1e-30.
    """
    means, ties = worlds(5_000)["mean .6"]
    outcomes = draw(np.random.default_rng(1), 400, means, ties)
    assert wilson_ever_misses(outcomes, means) > 100 / 400


def test_outcomes_have_the_mean_and_the_ties_that_are_asked_for():
    """120,000 outcomes, seed 2: five standard deviations, missed with probability below 1e-6."""
    outcomes = draw(np.random.default_rng(2), 40, np.full(3_000, 0.6), 0.3)
    assert set(np.unique(outcomes)) == {0.0, 0.5, 1.0}
    assert outcomes.mean() == pytest.approx(0.6, abs=5 * 0.42 / np.sqrt(120_000))
    assert np.mean(outcomes == 0.5) == pytest.approx(0.3, abs=5 * 0.46 / np.sqrt(120_000))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3], [2], 0.05), "wins: 3 of 2 tosses, must be at most the tosses"),
        (([1, -1], [2, 2], 0.05), r"wins\[1\] = -1, must be a finite number of at least 0"),
        ((1, float("inf"), 0.05), "tosses = inf, must be a finite number of at least 0"),
        ((float("nan"), 2, 0.05), "wins = nan, must be a finite number"),
        (("many", 2, 0.05), "wins: must be numbers in rows of equal length"),
        ((1, 2, 0), "alpha is 0, must be a positive number and below 1"),
        ((1, 2, 1), "alpha is 1, must be a positive number and below 1"),
    ],
)
def test_what_is_no_count_of_wins_is_refused(arguments, message):
    for function in (interval, simultaneous):
        with pytest.raises(ValueError, match=f"^{message}"):
            function(*arguments)


def test_evidence_is_asked_against_a_mean_between_0_and_1():
    with pytest.raises(ValueError, match=r"^mean: 1.5 is among them, must be at most 1$"):
        log_evidence(1, 2, [0.5, 1.5])
    assert log_evidence([1, 0], [2, 2], [0.0, 0.0])[0] == np.inf
    assert log_evidence([1, 0], [2, 2], [0.0, 0.0])[1] < 0
