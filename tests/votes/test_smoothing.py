from __future__ import annotations

import math
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftduel.votes import YEAR, Log, choose_bandwidth, left_bias, smooth, stream_from_log
from driftduel.votes import bandwidth as bandwidth_module
from driftduel.votes import smoothing as smoothing_module
from driftduel.worlds import Stream
from tests.modes import COMPILED
from tests.naive import smoothing as naive

EXACT = {"rtol": 1e-12, "atol": 1e-10}
"""Votes beyond 8 bandwidths are left out: 375 of them weigh 5e-12, a pseudo-count 0.1 or more."""


@st.composite
def ballots(draw, min_times=1):
    """A few votes between two to four arms, many at equal times, with ties and counts."""
    n_arms = draw(st.integers(2, 4))
    times = draw(
        st.lists(
            st.integers(-40, 40).map(lambda n: n / 4), min_size=max(1, min_times), max_size=25
        ).filter(lambda values: len(set(values)) >= min_times)
    )
    votes = []
    for time in sorted(times):
        left = draw(st.integers(0, n_arms - 1))
        right = (left + draw(st.integers(1, n_arms - 1))) % n_arms
        outcome = draw(st.sampled_from([0.0, 0.5, 1.0]))
        votes.append((time, left, right, outcome, draw(st.integers(1, 15))))
    return n_arms, votes


def as_log(n_arms, votes, **options):
    time, left, right, outcome, count = zip(*votes, strict=True)
    return Log([f"arm {n}" for n in range(n_arms)], time, left, right, outcome, count, **options)


def sampled_log(n_votes, utilities, beta, rng, *, left_odds=None):
    """Votes of the logistic model, with log-odds beta for the left arm."""
    n_arms = utilities(0.0).size
    left = rng.choice(n_arms, n_votes, p=left_odds)
    right = (left + rng.integers(1, n_arms, n_votes)) % n_arms
    time = np.sort(rng.random(n_votes))
    strength = np.array([utilities(t) for t in time])
    rows = np.arange(n_votes)
    log_odds = strength[rows, left] - strength[rows, right] + beta
    won = rng.random(n_votes) < 1 / (1 + np.exp(-log_odds))
    return Log([f"arm {n}" for n in range(n_arms)], time, left, right, won.astype(float))


@pytest.fixture
def log():
    """Two arms; the first is preferred on the first two of four days."""
    return Log(["tea", "milk"], [0, 1, 2, 3], [0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 0, 1])


@given(
    ballots(),
    st.lists(st.integers(-60, 60).map(lambda n: n / 5), min_size=1, max_size=4),
    st.sampled_from([0.3, 1.0, 5.0, math.inf]),
    st.sampled_from([0.1, 1.0, 3.0]),
)
@settings(deadline=None, derandomize=True, max_examples=200 if COMPILED else 100)
def test_smoothed_matrices_are_those_of_the_formula(ballots, times, bandwidth, pseudo_count):
    n_arms, votes = ballots
    log = as_log(n_arms, votes)
    fast = smooth(log, times, bandwidth, pseudo_count=pseudo_count)
    slow = [naive.matrix(votes, n_arms, t, bandwidth, pseudo_count) for t in times]
    np.testing.assert_allclose(fast, slow, **EXACT)


@given(ballots(min_times=4))
@settings(deadline=None, derandomize=True, max_examples=200 if COMPILED else 100)
def test_the_left_bias_and_its_removal_are_those_of_the_formulas(ballots):
    n_arms, votes = ballots
    log = as_log(n_arms, votes)
    bias = naive.left_bias(votes)
    if bias is None:
        with pytest.raises(ValueError, match="left/right bias: cannot be told from preference"):
            left_bias(log)
        return
    assert left_bias(log) == pytest.approx(bias, rel=1e-12)
    fast = smooth(log, [0.0, 3.0], 2.0, remove_bias=True)
    slow = [naive.matrix(votes, n_arms, t, 2.0, 1.0, bias) for t in (0.0, 3.0)]
    np.testing.assert_allclose(fast, slow, **EXACT)


@given(
    ballots(min_times=2),
    st.sampled_from([0.3, 2.0, 20.0]),
    st.integers(2, 6),
    st.sampled_from([0.1, 1.0]),
)
@settings(deadline=None, derandomize=True, max_examples=100 if COMPILED else 60)
def test_held_out_losses_are_those_of_the_definition(ballots, bandwidth, folds, pseudo_count):
    n_arms, votes = ballots
    log = as_log(n_arms, votes)
    for remove_bias in (False, True):
        bias = naive.left_bias(votes) if remove_bias else 0.5
        if bias is None:
            continue
        choice = choose_bandwidth(
            log, [bandwidth], folds=folds, pseudo_count=pseudo_count, remove_bias=remove_bias
        )
        expected = [
            naive.held_out_loss(votes, n_arms, h, pseudo_count, folds, bias)
            for h in (bandwidth, math.inf)
        ]
        assert [*choice.losses, choice.static_loss] == pytest.approx(expected, rel=1e-11)


@given(
    ballots(min_times=3),
    st.sampled_from([0.3, 2.0, 20.0]),
    st.integers(2, 6),
    st.sampled_from([0.1, 1.0]),
)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_margins_are_those_of_the_definition(ballots, bandwidth, folds, pseudo_count):
    n_arms, votes = ballots
    options = (n_arms, bandwidth, pseudo_count, folds)
    moving = naive.held_out_losses(votes, *options)
    static = naive.held_out_losses(votes, n_arms, math.inf, pseudo_count, folds)
    leaning = naive.leaning_losses(votes, *options)
    expected = [naive.margin(losses, moving) for losses in (static, leaning)]
    log = as_log(n_arms, votes)
    choice = choose_bandwidth(log, [bandwidth], folds=folds, pseudo_count=pseudo_count)
    if None not in expected:
        assert choice.margins == (pytest.approx(min(expected), rel=1e-5, abs=1e-5),)
        assert (choice.bandwidth == bandwidth) == (choice.margins[0] >= choice.needed)


def test_far_from_all_votes_the_estimate_is_a_tie(log):
    assert smooth(log, [1000.0], 1.0).tolist() == [[[0.5, 0.5], [0.5, 0.5]]]


def test_pseudo_counts_lean_to_a_tie():
    one_vote = Log(["a", "b"], [0], [0], [1], [1])
    assert smooth(one_vote, [0.0], 1.0, pseudo_count=1)[0, 0, 1] == 0.75
    assert smooth(one_vote, [0.0], 1.0, pseudo_count=3)[0, 0, 1] == 0.625


def test_a_count_is_that_many_votes():
    many = Log(["a", "b"], [0] * 4 + [1] * 2, [0] * 6, [1] * 6, [1] * 4 + [0] * 2)
    few = Log(["a", "b"], [0, 1], [0, 0], [1, 1], [1, 0], count=[4, 2])
    np.testing.assert_allclose(smooth(few, [0.3], 1.0), smooth(many, [0.3], 1.0), **EXACT)
    left, right = (choose_bandwidth(log, [0.5, 1.0]) for log in (few, many))
    assert left.losses == pytest.approx(right.losses, rel=1e-12)


def test_times_come_back_in_the_order_they_were_asked(log):
    forward = smooth(log, [0.0, 1.5, 3.0], 0.7)
    assert np.array_equal(smooth(log, [3.0, 0.0, 1.5], 0.7), forward[[2, 0, 1]])


def test_dates_are_smoothed_in_days():
    days = [date(2024, 1, 1) + timedelta(days=n) for n in range(4)]
    stamps = [(day - date(1970, 1, 1)).days for day in days]
    dated = Log(["a", "b"], stamps, [0] * 4, [1] * 4, [1, 1, 0, 0], dated=True)
    plain = Log(["a", "b"], range(4), [0] * 4, [1] * 4, [1, 1, 0, 0])
    assert np.array_equal(smooth(dated, days, 1.5), smooth(plain, range(4), 1.5))
    assert np.array_equal(smooth(dated, [str(day) for day in days], 1.5), smooth(dated, days, 1.5))


def test_a_year_is_a_julian_year():
    assert YEAR == 365.25


def test_a_stream_is_the_estimate_at_the_middle_of_equal_parts(log):
    s = stream_from_log(log, horizon=90, bandwidth=1.0, points=3)
    assert s.starts.tolist() == [0, 30, 60]
    assert np.array_equal(s.palette, smooth(log, [0.5, 1.5, 2.5], 1.0))
    assert s.labels == ("tea", "milk")
    assert s.span is None


def test_parts_share_a_horizon_they_do_not_divide_as_evenly_as_can_be(log):
    s = stream_from_log(log, horizon=10, bandwidth=1.0, points=4)
    assert np.diff(np.append(s.starts, s.horizon)).tolist() == [2, 3, 2, 3]


@pytest.mark.parametrize("horizon", [1, 2, 7, 1000, 10**15])
def test_any_horizon_from_one_round_up_will_do(log, horizon):
    s = log.stream(horizon, bandwidth=1.0)
    assert s.horizon == horizon
    assert s.n_stretches == min(horizon, 150)


def test_one_round_shows_the_middle_of_the_log(log):
    assert np.array_equal(log.stream(1, 1.0).matrix(0), smooth(log, [1.5], 1.0)[0])


def test_fifty_points_a_bandwidth_are_the_default_and_ten_thousand_the_most(log):
    assert log.stream(10**6, 3.0).n_stretches == 50
    won = np.random.default_rng(3).integers(0, 2, 400)
    many = Log(["a", "b"], np.arange(400), [0] * 400, [1] * 400, won)
    assert many.stream(10**6, 0.9).starts.tolist() == list(range(0, 10**6, 100))


def test_an_infinite_bandwidth_gives_one_matrix_throughout(log):
    s = log.stream(100, math.inf)
    assert s == Stream.stationary([[0.5, 0.5], [0.5, 0.5]], 100, labels=["tea", "milk"])


def test_votes_of_one_time_make_a_stationary_world():
    at_once = Log(["a", "b"], [5, 5, 5], [0, 0, 0], [1, 1, 1], [1, 1, 0], dated=True)
    s = at_once.stream(100)
    assert s.n_stretches == 1
    assert s.matrix(0)[0, 1] == 2.5 / 4
    assert s.span == (date(1970, 1, 6), date(1970, 1, 6))


def test_a_stream_of_dated_votes_knows_its_dates():
    votes = Log(["a", "b"], [0.2, 30.9], [0, 0], [1, 1], [1, 0], dated=True)
    s = votes.stream(1000, 10.0)
    assert s.span == (date(1970, 1, 1), date(1970, 1, 31))
    assert s.date(500) == date(1970, 1, 16)


def test_a_stream_of_chosen_arms_is_the_stream_of_their_votes():
    votes = Log(["a", "b", "c"], [0, 1, 2, 3], [0, 1, 2, 0], [1, 2, 0, 2], [1, 1, 1, 0])
    s = votes.stream(100, 1.0, arms=["c", "a"])
    assert s.labels == ("c", "a")
    assert s == votes.select(["c", "a"]).stream(100, 1.0)


def test_without_a_bandwidth_the_chosen_one_is_used(log):
    chosen = choose_bandwidth(log).bandwidth
    assert log.stream(100) == log.stream(100, chosen)


def test_the_static_matrix_is_chosen_when_nothing_drifts():
    steady = Log(["a", "b"], np.arange(60), [0] * 60, [1] * 60, np.arange(60) % 3 > 0)
    choice = choose_bandwidth(steady, [0.5, 1.0])
    assert choice.bandwidth == math.inf
    assert choice.loss == choice.static_loss < min(choice.losses)


def test_the_best_candidate_is_chosen():
    days = np.arange(200)
    turning = Log(["a", "b"], days, 0 * days, 0 * days + 1, days // 50 % 2)
    choice = choose_bandwidth(turning, [0.1, 5.0, 100.0])
    assert choice.bandwidths == (0.1, 5.0, 100.0)
    assert choice.bandwidth == 5.0
    assert choice.loss == choice.losses[1] == min(choice.losses) < choice.static_loss


def test_default_candidates_run_from_a_500th_to_half_of_the_time_covered():
    hourly = Log(["a", "b"], np.arange(1001), [0] * 1001, [1] * 1001, np.arange(1001) % 2)
    bandwidths = choose_bandwidth(hourly).bandwidths
    assert len(bandwidths) == 12
    assert bandwidths[0] == pytest.approx(1000 / 500)
    assert bandwidths[-1] == pytest.approx(1000 / 2)


def test_no_default_candidate_is_below_the_spacing_of_the_dates(log):
    assert choose_bandwidth(log).bandwidths[0] == 1.0
    assert choose_bandwidth(log, cluster=1.5).bandwidths == (1.5,)
    two_days = Log(["a", "b"], [3, 9.5], [0, 0], [1, 1], [1, 0], dated=True)
    assert choose_bandwidth(two_days).bandwidths == (6.0,)


def equal_arms(n_votes, n_arms, n_dates, seed):
    rng = np.random.default_rng([5, seed])
    left = rng.integers(n_arms, size=n_votes)
    right = (left + rng.integers(1, n_arms, size=n_votes)) % n_arms
    labels = [f"arm {n}" for n in range(n_arms)]
    return Log(labels, rng.integers(n_dates, size=n_votes), left, right, rng.random(n_votes) < 0.5)


@pytest.mark.parametrize(("n_votes", "n_arms"), [(2000, 4), (800, 20)])
def test_votes_of_equal_arms_get_no_bandwidth(n_votes, n_arms):
    """Narrow ones lean to 1/2, which is right here, and for no other reason predict better.

    Ten logs each; about 1 of 500 such logs gets a finite bandwidth, so false alarm 2 %.
    """
    logs = [equal_arms(n_votes, n_arms, 100, seed) for seed in range(10)]
    assert [choose_bandwidth(log).bandwidth for log in logs] == [math.inf] * 10


def test_a_finite_bandwidth_must_be_clearly_better(monkeypatch):
    rng = np.random.default_rng(6)
    days = np.repeat(np.arange(60), 5)
    won = rng.random(300) < np.where(days < 30, 0.6, 0.4)
    log = Log(["a", "b"], days, 0 * days, 0 * days + 1, won)
    choice = choose_bandwidth(log)
    assert min(choice.losses) < choice.static_loss
    assert 0 < max(choice.margins) < choice.needed
    assert (choice.bandwidth, choice.loss) == (math.inf, choice.static_loss)
    monkeypatch.setattr(bandwidth_module, "CLEARLY", 0.5)
    assert choose_bandwidth(log).loss == min(choice.losses)


def test_the_fewer_the_dates_the_clearer_it_must_be():
    needed = [choose_bandwidth(equal_arms(50, 2, n, 0)).needed for n in (4, 20, 10**6)]
    assert needed[0] > needed[1] > needed[2] > 2.5


def test_votes_of_one_date_are_held_out_together():
    """Each day's votes agree with each other only, so nothing can be learned of another day."""
    hours = np.arange(0, 40, 0.25)
    won = np.random.default_rng(1).integers(0, 2, 40)[hours.astype(int)]
    timed = Log(["a", "b"], hours, 0 * hours, 0 * hours + 1, won, dated=True)
    noon = np.floor(hours) + 0.5
    daily = Log(["a", "b"], noon, 0 * hours, 0 * hours + 1, won, dated=True)
    by_day = choose_bandwidth(timed, [0.5, 3.0])
    assert by_day == choose_bandwidth(daily, [0.5, 3.0])
    assert by_day.losses[0] > 0.6
    assert choose_bandwidth(timed, [0.5], cluster=0.25).loss < 0.5


def test_a_cluster_of_numbers_is_a_stretch_of_the_given_width():
    times = np.array([0.0, 3.0, 9.0, 10.0, 19.0, 25.0])
    log = Log(["a", "b"], times, [0] * 6, [1] * 6, [1, 0, 1, 0, 0, 1])
    snapped = Log(["a", "b"], np.floor(times / 10) * 10 + 5, [0] * 6, [1] * 6, [1, 0, 1, 0, 0, 1])
    assert choose_bandwidth(log, [8.0], cluster=10) == choose_bandwidth(snapped, [8.0])


def test_a_known_bias_is_found_though_taste_drifts_and_sides_are_uneven():
    """20,000 votes: the standard error of the bias is .006; five of them, false alarm 6e-7."""
    rng = np.random.default_rng(20)

    def utilities(t):
        return np.array([2 * math.sin(6 * t), 2 * math.cos(6 * t), 0.0])

    log = sampled_log(20_000, utilities, 0.4, rng, left_odds=[0.6, 0.3, 0.1])
    assert left_bias(log) == pytest.approx(1 / (1 + math.exp(-0.4)), abs=0.03)


def test_strong_arms_shown_left_are_not_taken_for_a_bias():
    """20,000 votes: the standard error of the bias is .0075; five of them, false alarm 6e-7."""
    rng = np.random.default_rng(21)
    strengths = np.array([1.5, 0.0, -1.5])
    log = sampled_log(20_000, lambda t: strengths, 0.0, rng, left_odds=[0.8, 0.15, 0.05])
    assert log.left_share > 0.65
    assert left_bias(log) == pytest.approx(0.5, abs=0.0375)


def test_removing_a_bias_gives_the_matrix_of_a_fair_showing():
    """Frequencies of the logistic model, exact up to rounding, with sides as uneven as 9 to 1."""
    strengths, beta = np.array([0.8, 0.0, -0.5]), 0.3
    sides = {(0, 1): 900_000, (1, 0): 100_000, (0, 2): 500_000, (2, 0): 500_000}
    sides |= {(1, 2): 200_000, (2, 1): 800_000}
    votes = []
    for (a, b), shown in sides.items():
        left_wins = 1 / (1 + math.exp(-(strengths[a] - strengths[b] + beta)))
        won = round(shown * left_wins)
        votes += [(0.0, a, b, 1.0, won), (0.0, a, b, 0.0, shown - won)]
    log = as_log(3, votes)
    fair = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    assert np.abs(smooth(log, [0.0], 1.0)[0] - fair).max() > 0.04
    assert left_bias(log) == pytest.approx(1 / (1 + math.exp(-beta)), abs=1e-5)
    np.testing.assert_allclose(smooth(log, [0.0], 1.0, remove_bias=True)[0], fair, atol=1e-5)


def test_removing_a_bias_brings_estimates_nearer_the_truth():
    """40,000 votes: the largest error is .060 +- .0024 before and .0065 +- .003 after.

    Each bound is four standard deviations or more away, false alarm below 1e-4.
    """
    rng = np.random.default_rng(22)
    strengths = np.array([0.8, 0.0, -0.5])
    log = sampled_log(40_000, lambda t: strengths, 0.6, rng, left_odds=[0.7, 0.2, 0.1])
    fair = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    kept = np.abs(smooth(log, [0.5], math.inf)[0] - fair).max()
    removed = np.abs(smooth(log, [0.5], math.inf, remove_bias=True)[0] - fair).max()
    assert kept > 0.05
    assert removed < 0.03


def test_removing_a_bias_predicts_held_out_votes_better():
    rng = np.random.default_rng(23)
    strengths = np.array([0.5, 0.0, -0.5])
    log = sampled_log(3000, lambda t: strengths, 0.6, rng)
    losses = [
        choose_bandwidth(log, [0.3], cluster=0.01, remove_bias=remove).loss
        for remove in (False, True)
    ]
    assert losses[1] < losses[0] - 0.02


def test_sides_that_do_not_matter_leave_the_estimate_alone():
    votes = [(0.0, 0, 1, 1.0, 3), (1.0, 1, 0, 0.0, 3), (2.0, 0, 1, 0.0, 2), (3.0, 1, 0, 1.0, 2)]
    log = as_log(2, votes)
    assert left_bias(log) == 0.5
    times = [0.0, 1.7]
    assert np.array_equal(smooth(log, times, 1.0, remove_bias=True), smooth(log, times, 1.0))


@pytest.mark.parametrize(
    ("left", "outcome"),
    [([0, 0, 0], [1, 0, 1]), ([0, 1, 0], [1, 1, 1]), ([0, 1, 0], [0, 0, 0])],
)
def test_a_bias_that_cannot_be_told_is_an_error(left, outcome):
    log = Log(["a", "b"], [1, 2, 3], left, 1 - np.array(left), outcome)
    message = (
        r"^left/right bias: cannot be told from preference, too few pairs of arms were shown in "
        r"both orders$"
    )
    for attempt in (
        lambda: left_bias(log),
        lambda: smooth(log, [1.0], 1.0, remove_bias=True),
        lambda: log.stream(10, 1.0, remove_bias=True),
        lambda: choose_bandwidth(log, remove_bias=True),
    ):
        with pytest.raises(ValueError, match=message):
            attempt()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizon": 0}, "horizon is 0, must be at least 1"),
        ({"horizon": 2.5}, "horizon is 2.5, must be a whole number"),
        ({"bandwidth": 0.0}, "bandwidth is 0.0, must be a positive number"),
        ({"bandwidth": -1}, "bandwidth is -1, must be a positive number"),
        ({"bandwidth": math.nan}, "bandwidth is nan, must be a positive number"),
        ({"bandwidth": "1.5y"}, "bandwidth is '1.5y', must be a positive number"),
        ({"bandwidth": True}, "bandwidth is True, must be a positive number"),
        ({"pseudo_count": 0.0}, "pseudo_count is 0.0, must be a positive number"),
        ({"pseudo_count": math.inf}, "pseudo_count is inf, must be a positive number and finite"),
        ({"points": 0}, "points is 0, must be at least 1"),
        ({"points": 101}, "points is 101, must be at most 100"),
        ({"points": 2.0}, "points is 2.0, must be a whole number"),
        ({"arms": ["tea", "rum"]}, "arms: 'rum' is not in the log, known are: tea, milk"),
    ],
)
def test_a_stream_refuses_what_makes_no_sense(log, options, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        log.stream(**({"horizon": 100, "bandwidth": 1.0} | options))
    assert str(error.value) == message


def test_a_stream_too_big_for_memory_is_refused():
    labels = [str(n) for n in range(1000)]
    votes = Log(labels, [0, 1], [0, 0], [1, 1], [1, 0])
    with pytest.raises(ValueError, match=r"would take 7\.5 GB; give fewer points$"):
        votes.stream(10**6, 1.0, points=1000)


@pytest.mark.parametrize("times", [[math.nan], [math.inf]])
def test_smoothing_refuses_times_that_are_not_finite(log, times):
    with pytest.raises(ValueError, match=r"^times: must be finite$"):
        smooth(log, times, 1.0)


def test_smoothing_refuses_a_bandwidth_that_is_not_positive(log):
    with pytest.raises(ValueError, match=r"^bandwidth is 0, must be a positive number$"):
        smooth(log, [1.0], 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidates": []}, "candidates: must be a list of bandwidths, one at least"),
        ({"candidates": [[1.0]]}, "candidates: must be a list of bandwidths, one at least"),
        ({"candidates": "wide"}, "candidates: must be a list of bandwidths"),
        ({"candidates": [1.0, 0.0]}, "bandwidth is 0.0, must be a positive number"),
        ({"candidates": [math.inf]}, "bandwidth is inf, must be a positive number and finite"),
        ({"folds": 1}, "folds is 1, must be at least 2"),
        ({"folds": 2.5}, "folds is 2.5, must be a whole number"),
        ({"cluster": 0.0}, "cluster is 0.0, must be a positive number"),
        ({"pseudo_count": -1.0}, "pseudo_count is -1.0, must be a positive number"),
        (
            {"cluster": 10.0},
            "no bandwidth can be chosen: all votes are in one cluster of time, give a bandwidth "
            "or a narrower cluster",
        ),
    ],
)
def test_choosing_a_bandwidth_refuses_what_makes_no_sense(log, options, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        choose_bandwidth(log, **options)
    assert str(error.value) == message


def drifting(n_votes, seed=0):
    """Votes at times that all differ; the first arm falls while the second rises."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.uniform(0, 100, n_votes))
    left = rng.integers(3, size=n_votes)
    right = (left + rng.integers(1, 3, size=n_votes)) % 3
    chance = 0.5 + 0.4 * np.cos(time / 30) * ((left == 0) - 1.0 * (right == 0))
    return Log(["a", "b", "c"], time, left, right, rng.random(n_votes) < chance)


@pytest.mark.parametrize("bandwidth", [1.0, 10.0])
def test_adding_up_neighbours_in_time_is_nothing_beside_the_standard_error(monkeypatch, bandwidth):
    log = drifting(4000)
    times = np.linspace(0, 100, 21)
    one_by_one = smooth(log, times, bandwidth, remove_bias=True)
    monkeypatch.setattr(smoothing_module, "_MANY", 3999)
    together = smooth(log, times, bandwidth, remove_bias=True)
    votes = 4000 / 100 / 3 * bandwidth * math.sqrt(2 * math.pi)  # of a pair, within the kernel
    assert 0 < np.abs(together - one_by_one).max() < 0.05 * 0.5 / math.sqrt(votes)


def test_adding_up_all_votes_is_the_static_matrix(monkeypatch):
    log = drifting(400)
    one_by_one = smooth(log, [50.0], math.inf)
    monkeypatch.setattr(smoothing_module, "_MANY", 399)
    np.testing.assert_allclose(smooth(log, [50.0], math.inf), one_by_one, **EXACT)


def test_votes_farther_apart_than_a_twentieth_of_the_bandwidth_stay_as_they_are(monkeypatch):
    log = drifting(100)
    one_by_one = smooth(log, [50.0], 1e-3)
    monkeypatch.setattr(smoothing_module, "_MANY", 99)
    assert smooth(log, [50.0], 1e-3).tolist() == one_by_one.tolist()


def test_losses_do_not_depend_on_whether_kernels_are_kept_in_a_table(monkeypatch):
    log = drifting(150)
    kept = choose_bandwidth(log, [0.5, 5.0], cluster=1.0, remove_bias=True)
    monkeypatch.setattr(bandwidth_module, "_MOST_TIMES", 10)
    counted = choose_bandwidth(log, [0.5, 5.0], cluster=1.0, remove_bias=True)
    assert kept.losses == pytest.approx(counted.losses, rel=1e-12)


def test_very_many_times_are_put_into_a_thousand_clusters(monkeypatch):
    monkeypatch.setattr(bandwidth_module, "_MOST_TIMES", 50)
    monkeypatch.setattr(bandwidth_module, "_CLUSTERS", 20)
    log = drifting(120)
    width = (log.time[-1] - log.time[0]) / 20
    assert choose_bandwidth(log) == choose_bandwidth(log, cluster=width)
