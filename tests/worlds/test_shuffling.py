from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from driftduel.votes import Log, shuffling
from driftduel.votes.shuffling import Shuffler


def some_votes(n_votes=300, n_arms=4, n_dates=10, seed=0, **options):
    rng = np.random.default_rng(seed)
    left = rng.integers(n_arms, size=n_votes)
    right = (left + rng.integers(1, n_arms, size=n_votes)) % n_arms
    labels = [f"arm {n}" for n in range(n_arms)]
    outcome = rng.choice([0, 0.5, 1], n_votes)
    count = rng.integers(1, 4, n_votes)
    return Log(labels, rng.integers(n_dates, size=n_votes), left, right, outcome, count, **options)


def tally(log, *names):
    """How many votes there are of everything that differs in the named columns."""
    votes = Counter()
    for n in range(len(log)):
        votes[tuple(getattr(log, name)[n] for name in names)] += log.count[n]
    return votes


def test_who_was_shown_when_on_which_side_stays_and_so_does_how_often_it_won():
    log = some_votes(dated=True)
    shuffled = Shuffler(log).shuffled(np.random.default_rng(1))
    assert (shuffled.arms, shuffled.dated) == (log.arms, True)
    for columns in (("time", "left", "right"), ("left", "right", "outcome")):
        assert tally(shuffled, *columns) == tally(log, *columns)
    every = ("time", "left", "right", "outcome")
    assert tally(shuffled, *every) != tally(log, *every)


def test_every_order_of_the_outcomes_is_as_likely():
    """Four votes, two won: 6 orders, 6,000 draws. Each has 1,000 +- 29; five of them, 3e-6."""
    log = Log(["a", "b"], [1, 2, 3, 4], [0] * 4, [1] * 4, [1, 1, 0, 0])
    shuffler, rng = Shuffler(log), np.random.default_rng(2)
    orders = Counter(tuple(shuffler.shuffled(rng).outcome) for _ in range(6000))
    assert len(orders) == 6
    assert max(abs(number - 1000) for number in orders.values()) < 145


def test_an_arm_that_came_late_still_comes_late():
    log = Log(["a", "b", "c"], [1, 2, 3, 4], [0, 0, 0, 0], [1, 1, 2, 2], [1, 0, 1, 0])
    shuffled = Shuffler(log).shuffled(np.random.default_rng(0))
    assert shuffled.time[shuffled.right == 2].tolist() == [3, 4]


def test_very_many_times_are_rounded_evenly_and_the_ends_stay(monkeypatch):
    monkeypatch.setattr(shuffling, "_MANY", 10)
    log = Log(["a", "b"], np.linspace(5, 9, 2001), [0] * 2001, [1] * 2001, np.arange(2001) % 2)
    shuffled = Shuffler(log).shuffled(np.random.default_rng(0))
    times = np.unique(shuffled.time)
    assert (len(times), times[0], times[-1]) == (250, 5, 9)
    assert tally(shuffled, "outcome") == tally(log, "outcome")
    narrow = Shuffler(log, 0.04).shuffled(np.random.default_rng(0))
    assert len(np.unique(narrow.time)) == 4 / 0.04 * 8
    assert Shuffler(log, 1e-300).n_cells <= 2001


def test_more_votes_than_can_be_dealt_are_dealt_evenly():
    log = Log(["a", "b"], [1, 2], [0, 0], [1, 1], [1, 0], count=[2**60, 2**61])
    shuffled = Shuffler(log).shuffled(np.random.default_rng(0))
    assert shuffled.n_votes == pytest.approx(2**60 * 3, rel=1e-12)
    won = shuffled.count[(shuffled.time == 1) & (shuffled.outcome == 1)]
    assert won[0] == pytest.approx(2**60 / 3, rel=1e-9)
    assert math.isfinite(Shuffler(log).work)
