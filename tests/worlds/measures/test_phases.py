"""Runs of phases."""

from __future__ import annotations

import numpy as np
import pytest

from driftduel import Phases


def test_runs_spread_out_to_starts_lengths_and_arms():
    phases = Phases([(0, 3, 2), (6, 10, 1), (16, 2, 3)], arms=[1, 0, 2])
    assert phases.starts.tolist() == [0, 3, 6, 16, 18, 20]
    assert phases.lengths.tolist() == [3, 3, 10, 2, 2, 2]
    assert phases.last_safe.tolist() == [1, 1, 0, 2, 2, 2]
    assert phases.run_arms == [1, 0, 2]
    assert (len(phases), phases.changes, phases.horizon) == (6, 5, 22)
    assert phases.starts.dtype == np.int64


def test_neighbouring_runs_that_say_the_same_become_one():
    split = Phases([(0, 5, 1), (5, 5, 2), (15, 5, 1), (20, 5, 1)], arms=[0, 0, 0, 1])
    whole = Phases([(0, 5, 4), (20, 5, 1)], arms=[0, 1])
    assert split == whole
    assert split.runs == [(0, 5, 4), (20, 5, 1)]


@pytest.mark.parametrize(
    ("runs", "arms"),
    [
        ([(0, 5, 3)], [0]),
        ([(0, 5, 4)], [1]),
        ([(0, 4, 5)], [0]),
        ([(0, 5, 3), (15, 1, 5)], [0, 0]),
    ],
)
def test_phases_that_differ_are_not_equal(runs, arms):
    assert Phases(runs, arms) != Phases([(0, 5, 4)], [0])


def test_phases_do_not_equal_other_things():
    assert Phases([(0, 5, 4)], [0]) != [0, 5, 10, 15]


def test_phases_cannot_be_hashed():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Phases([(0, 5, 4)], [0]))


def test_a_quadrillion_phases_cost_nothing():
    phases = Phases([(0, 6, 10**15), (6 * 10**15, 4, 1)], arms=[0, 2])
    assert len(phases) == 10**15 + 1
    assert phases.sum_of_powers(1) == phases.horizon == 6 * 10**15 + 4
    assert phases.starts_at([6 * 10**14, 6 * 10**14 + 1]).tolist() == [True, False]
    assert repr(phases).startswith("Phases(1,000,000,000,000,001 phases of 6,000,")


def test_the_sum_of_powers_is_the_sum_over_phases():
    phases = Phases([(0, 8, 2), (16, 27, 1)], arms=[0, 0])
    assert phases.sum_of_powers(2 / 3) == pytest.approx(4 + 4 + 9, rel=1e-15)


def test_every_start_is_found_and_nothing_else():
    phases = Phases([(0, 3, 2), (6, 10, 1), (16, 2, 3)], arms=[1, 0, 2])
    found = np.flatnonzero(phases.starts_at(np.arange(phases.horizon)))
    assert found.tolist() == phases.starts.tolist()


@pytest.mark.parametrize("round_", [-1, 20])
def test_rounds_outside_the_horizon_are_refused(round_):
    with pytest.raises(ValueError, match="between 0 and 19"):
        Phases([(0, 5, 4)], [0]).starts_at([round_])


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([(0, 10, 1)], "Phases(1 phase of 10 rounds, starting at 0)"),
        ([(0, 5, 4)], "Phases(4 phases of 20 rounds, starting at 0, 5, 10, 15)"),
        ([(0, 5, 5)], "Phases(5 phases of 25 rounds, starting at 0, 5, 10, 15, ...)"),
        ([(0, 9, 1), (9, 1, 2)], "Phases(3 phases of 11 rounds, starting at 0, 9, 10)"),
    ],
)
def test_the_repr_tells_how_many_and_where_the_first_start(runs, text):
    assert repr(Phases(runs, [0] * len(runs))) == text


@pytest.mark.parametrize(
    ("runs", "arms", "message"),
    [
        ([], [], "one at least"),
        ([(0, 5)], [0], "one at least"),
        ([(0, 5, 1)], [0, 1], "1 runs but arms of shape"),
        ([(0, 0, 1)], [0], "at least 1"),
        ([(0, 5, 0)], [0], "at least 1"),
        ([(1, 5, 1)], [0], "start at 0"),
        ([(0, 5, 1), (6, 5, 1)], [0, 0], "without a hole"),
    ],
)
def test_runs_that_do_not_fit_are_refused(runs, arms, message):
    with pytest.raises(ValueError, match=message):
        Phases(runs, arms)
