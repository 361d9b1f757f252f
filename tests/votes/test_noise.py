from __future__ import annotations

import math

import numpy as np
import pytest

import driftduel as dd
from benchmarks import noise
from driftduel.votes import Log
from driftduel.votes.noise import Band


@pytest.mark.large
def test_a_change_of_winner_in_five_thousand_votes_is_more_than_noise():
    found = dd.measure_log(noise.turning(1, n_arms=4, n_votes=5000, share=0.75), shuffles=19)
    assert math.isfinite(found.bandwidth)
    for name in ("changes", "borda_switches", "significant_borda", "condorcet_switches"):
        assert found.bands[name].verdict == "more"
    assert found.bands["borda_switches"] == Band(found=1, low=0, high=0)
    assert found.beyond_noise
    assert found.says.startswith("These votes tell of change. More than the same votes ever show")
    assert "changes of the Borda winner" in found.says


def test_votes_of_a_world_that_stands_still_say_so():
    log = noise.stationary(0, most_votes=1000)
    found = dd.measure_log(log, shuffles=2)
    assert (found.bandwidth, found.chosen, found.shuffles) == (math.inf, True, 2)
    assert found.world == log.stream(log.n_votes, math.inf)
    assert {band.verdict for band in found.bands.values()} <= {"within", None}
    assert not found.beyond_noise
    assert found.says.startswith(f"No change can be told from noise in {log.n_votes:,} votes")
    assert repr(found).endswith("bandwidth inf, more than noise: nothing)")


@pytest.mark.large
def test_noise_at_a_bandwidth_of_ones_own_is_told_as_noise():
    log = noise.stationary(3, most_votes=1000)
    width = float(log.time[-1] - log.time[0]) / 20
    found = dd.measure_log(log, bandwidth=width)
    assert found.measures.borda_switches > 3
    assert found.bands["borda_switches"].verdict == "within"
    assert found.says.startswith("Do not take these counts for changes: the same votes, with")


def test_a_seed_gives_the_same_bands_and_another_others():
    log = noise.turning(2, n_arms=3, n_votes=200, share=0.6, n_dates=30)
    one, same, other = (
        dd.measure_log(log, bandwidth=20.0, shuffles=2, seed=seed) for seed in (1, 1, 2)
    )
    assert one.bands == same.bands != other.bands


def test_the_world_and_its_measures_are_those_of_the_log():
    log = noise.turning(2, n_arms=3, n_votes=200, share=0.75, n_dates=30)
    found = dd.measure_log(log, 500, 20.0, weight=[1, 0, 0], shuffles=2)
    assert found.world == log.stream(500, 20.0)
    expected = dd.measure(found.world, [1, 0, 0])
    assert found.bands["weighted_switches"].found == expected.weighted_switches
    assert found.bands["significant_borda"].found == len(expected.significant_borda) - 1
    assert "weighted_switches" not in dd.measure_log(log, 500, 20.0, shuffles=1).bands


def test_one_matrix_that_was_asked_for_is_not_compared():
    log = noise.turning(2, n_arms=3, n_votes=900, share=0.75)
    found = dd.measure_log(log, bandwidth=math.inf)
    assert (found.shuffles, found.chosen, found.beyond_noise) == (0, False, False)
    assert found.says.startswith("One matrix for all 900 votes: it cannot show a change.")
    at_once = Log(["a", "b"], [5, 5], [0, 0], [1, 1], [1, 0])
    assert dd.measure_log(at_once).says == "One matrix for all 2 votes: it cannot show a change."


def test_one_round_shows_no_change_whatever_the_bandwidth():
    log = noise.turning(2, n_arms=3, n_votes=900, share=0.75)
    found = dd.measure_log(log, 1, 5.0, shuffles=2)
    assert found.says.startswith("The world of these 900 votes does not change.")


@pytest.mark.large
def test_what_some_shuffles_leave_undefined_has_no_band():
    found = dd.measure_log(noise.turning(1, 4, 5000, 0.75), bandwidth=2.0, shuffles=9)
    assert found.bands["condorcet_switches"].found is not None
    assert found.bands["condorcet_switches"].low is None
    assert found.bands["condorcet_switches"].verdict is None


@pytest.mark.parametrize(
    ("count", "verdict"), [(2, "less"), (3, "within"), (7, "within"), (8, "more"), (None, None)]
)
def test_the_verdict_is_the_side_of_the_band(count, verdict):
    assert Band(count, 3, 7).verdict == verdict


def test_rounding_is_not_a_verdict():
    assert Band(0.1 + 0.2, 0.3, 0.3).verdict == "within"


def test_a_bias_that_a_shuffle_hides_is_shuffled_again():
    """In 30 votes; of 19 shuffles of these some leave nothing to tell the bias from."""
    rng = np.random.default_rng(175)
    n_votes = int(rng.integers(4, 40))
    left = rng.integers(2, size=n_votes)
    won = rng.integers(2, size=n_votes)
    log = Log(["a", "b"], np.arange(n_votes), left, 1 - left, won)
    assert dd.measure_log(log, remove_bias=True, shuffles=19).shuffles == 19


@pytest.mark.large
def test_arms_that_come_late_are_no_change():
    """Thirty logs in which arm 2 is shown in the second half only; 1 in 500 may pass by chance."""
    for seed in range(30):
        rng = np.random.default_rng([6, seed])
        days = np.sort(rng.integers(60, size=1500))
        arms = np.array([rng.permutation(3 if day >= 30 else 2)[:2] for day in days])
        strength = np.array([0.0, 0.3, 1.0])[arms]
        won = rng.random(1500) < 1 / (1 + np.exp(strength[:, 1] - strength[:, 0]))
        log = Log(["a", "b", "c"], days, arms[:, 0], arms[:, 1], won)
        assert not dd.measure_log(log, shuffles=1).beyond_noise


@pytest.mark.large
def test_one_voter_a_date_with_a_taste_of_their_own_is_no_change():
    """Thirty logs of 100 voters; 1 in 500 may pass by chance."""
    for seed in range(30):
        rng = np.random.default_rng([7, seed])
        days = rng.integers(100, size=2000)
        left = rng.integers(4, size=2000)
        right = (left + rng.integers(1, 4, size=2000)) % 4
        taste = rng.normal(0, 1, (100, 4))
        won = rng.random(2000) < 1 / (1 + np.exp(taste[days, right] - taste[days, left]))
        log = Log(list("abcd"), days, left, right, won, dated=True)
        assert not dd.measure_log(log, shuffles=1).beyond_noise


@pytest.mark.large
def test_more_work_means_fewer_shuffles():
    small, large = noise.turning(0, 4, 500, 0.6), noise.turning(0, 12, 60_000, 0.6, n_dates=900)
    assert dd.measure_log(small).shuffles == 99
    assert 19 <= dd.measure_log(large, bandwidth=450.0).shuffles < 99


@pytest.mark.parametrize("shuffles", [0, 1.5])
def test_shuffles_that_make_no_sense_are_refused(shuffles):
    with pytest.raises(ValueError, match=r"^shuffles is"):
        dd.measure_log(noise.turning(0, 2, 50, 0.6), shuffles=shuffles)


@pytest.mark.slow
def test_at_most_one_stationary_log_in_twenty_shows_a_change():
    """100 logs of up to 10,000 votes: with 1 in 500 per log more than 5 are seen once in 10^8."""
    more = [dd.measure_log(noise.stationary(s, 10_000), shuffles=19) for s in range(1000, 1100)]
    assert sum(found.beyond_noise for found in more) <= 5
