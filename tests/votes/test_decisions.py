"""When a poll is decided: by hand, by simulation, and how good "about n more votes" is."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import ASKED, POLLS, predictions
from driftduel.votes.decisions import is_decided, votes_until_decided
from driftduel.votes.sequences import interval, simultaneous


def test_a_poll_is_decided_when_the_leader_lies_above_all_others():
    low, high = [0.2, 0.6, 0.1], [0.5, 0.8, 0.59]
    assert is_decided(low, high, leader=1)
    assert not is_decided(low, high, leader=0)
    assert not is_decided(low, [0.5, 0.8, 0.6], leader=1)


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_the_intervals_come_apart_after_the_votes_that_were_said(share):
    wins, tosses, shares = np.array([60.0, 50, 45]), np.full(3, 100.0), np.array([share, 0.25, 0.1])
    votes = votes_until_decided(wins, tosses, shares, alpha=0.05, leader=0)
    for factor, expected in ((0.9, False), (1.1, True)):
        later = tosses + shares * votes * factor
        ends = simultaneous(wins / tosses * later, later, 0.05)
        assert is_decided(*ends, leader=0) == expected


def test_a_decided_poll_needs_no_more_votes():
    assert votes_until_decided([90, 10], [100, 100], [0.5, 0.5], 0.05, leader=0) == 0


def test_a_smaller_gap_takes_more_votes_and_none_takes_for_ever():
    def ahead_by(gap):
        return votes_until_decided([50 + gap, 50], [100, 100], [1, 1], 0.05, leader=0)

    assert ahead_by(20) < ahead_by(10) < ahead_by(5) < ahead_by(0.5)
    # A tenth of the gap needs a hundred times the votes and a little more, as the level is shared
    # by all moments.
    assert 100 < ahead_by(0.5) / ahead_by(5) < 150
    assert ahead_by(0) is None
    assert ahead_by(-1) is None
    assert ahead_by(1e-6) is None


def test_an_arm_that_gets_no_votes_may_keep_a_poll_open():
    assert votes_until_decided([60, 2], [100, 4], [1, 0], 0.05, leader=0) is None
    # It lost so often that the leader alone can come out above it.
    assert votes_until_decided([60, 2], [100, 20], [1, 0], 0.05, leader=0) > 0


def test_nothing_is_said_before_the_first_vote():
    assert votes_until_decided([0, 0], [0, 0], [1, 1], 0.05, leader=0) is None


@pytest.mark.parametrize("poll", POLLS)
def test_about_n_more_votes_is_right_up_to_a_factor_of_2_in_the_median(poll):
    """40 polls, seeds 0 to 39, asked with a quarter, half and three quarters of the votes in.

    The medians of 300 polls are 1.0 to 1.6 times the truth; by resampling these, one of 40 leaves
    1/2.5 to 2.5 with probability 5e-4 at most.
    """
    ratios = np.array([predictions(seed, *poll) for seed in range(40)])
    assert ratios.shape == (40, len(ASKED))
    middle = np.median(ratios[:, ASKED.index(0.25) :], axis=0)
    assert np.all((middle > 1 / 2.5) & (middle < 2.5))


def test_equal_arms_are_seldom_told_apart():
    """200 polls of 4 equal arms, 2,000 votes, looked at every 20, seed 3.

    If they were told apart with 5 %, more than 21 of 200 would be with probability 5e-4.
    """
    rng = np.random.default_rng(3)
    tosses = rng.multinomial(20, [0.25] * 4, size=(200, 100))
    wins = np.cumsum(rng.binomial(tosses, 0.5), axis=1).astype(float)
    played = np.cumsum(tosses, axis=1).astype(float)
    low, high = interval(wins, played, 0.05 / 4)  # looks share nothing, arms do
    apart = (low.max(axis=2) > high.min(axis=2)).any(axis=1)
    assert apart.sum() <= 21


def test_the_leader_is_one_of_the_arms():
    with pytest.raises(ValueError, match=r"^leader is 2, must be at most 1$"):
        is_decided([0.1, 0.2], [0.3, 0.4], leader=2)
    with pytest.raises(ValueError, match=r"^leader is -1, must be at least 0$"):
        votes_until_decided([6, 4], [10, 10], [1, 1], 0.05, leader=-1)


def test_shares_are_not_negative():
    with pytest.raises(ValueError, match=r"^shares\[1\] = -1, must be a finite number"):
        votes_until_decided([6, 4], [10, 10], [1, -1], 0.05, leader=0)
