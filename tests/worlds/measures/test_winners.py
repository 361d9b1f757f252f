"""Changes of matrix and of winner, and approximate winner phases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.worlds.measures.winners import winner_switches
from tests.modes import COMPILED
from tests.naive import shifts as naive


def beats(margin: float, winner: int = 0, n_arms: int = 2) -> np.ndarray:
    """One arm beats every other by ``margin``, the rest tie."""
    P = np.full((n_arms, n_arms), 0.5)
    P[winner] += margin
    P[:, winner] -= margin
    return P


@settings(max_examples=300 if COMPILED else 100, deadline=None, derandomize=True)
@given(
    st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=1, max_size=6),
    st.lists(st.integers(0, 5), min_size=1, max_size=15),
)
def test_winner_switches_are_the_fewest_possible(sets, order):
    table = np.array([[arm in winners for arm in range(4)] for winners in sets])
    which = np.array(order) % len(sets)
    assert winner_switches(table, which) == naive.switches([sets[m] for m in which])


def test_a_tie_between_two_winners_is_one_change_not_two():
    both = [[0.5, 0.5], [0.5, 0.5]]
    stream = dd.Stream.piecewise([beats(0.25), both, beats(0.25, 1)], [0, 10, 20], 30)
    m = dd.measure(stream)
    assert (m.borda_switches, m.condorcet_switches, m.gic_switches) == (1, 1, 1)


def test_a_tie_that_ends_where_it_began_is_no_change():
    both = [[0.5, 0.5], [0.5, 0.5]]
    stream = dd.Stream([beats(0.25), both], [0, 1, 0], [0, 10, 20], 30)
    m = dd.measure(stream)
    assert (m.changes, m.borda_switches, m.condorcet_switches) == (2, 0, 0)


def test_winners_closer_than_rounding_tie():
    stream = dd.Stream.piecewise([beats(1e-14), beats(1e-14, 1)], [0, 5], 10)
    m = dd.measure(stream)
    assert (m.changes, m.borda_switches, m.condorcet_switches, m.gic_switches) == (1, 0, 0, 0)


def test_variation_sums_the_largest_change_of_an_entry():
    P, Q = beats(0.25, 0, 3), beats(0.125, 1, 3)
    stream = dd.Stream([P, Q], [0, 1, 0], [0, 4, 5], 9)
    assert dd.measure(stream).variation == 2 * 0.375


def test_a_stationary_world_does_not_move():
    m = dd.measure(dd.Stream.stationary(beats(0.25), 10**9))
    assert (m.changes, m.variation, m.borda_switches, m.condorcet_switches) == (0, 0.0, 0, 0)
    for phases in (m.significant_borda, m.significant_unknown, m.significant_condorcet):
        assert phases.runs == [(0, 10**9, 1)]
    assert m.approximate_winner.runs == [(0, 10**9, 1)]


def test_an_approximate_winner_may_fall_short_by_exactly_the_bound():
    # Arm 1 is short by 1/2 and fails after round 32, where K^2 / 32 is the cube of 1/2. Then arm 0
    # is short by 1/4 and fails after round 256.
    stream = dd.Stream.piecewise([beats(0.5), beats(0.25, 1)], [0, 40], 1000)
    phases = dd.measure(stream).approximate_winner
    assert phases.starts.tolist() == [0, 257]
    assert phases.last_safe.tolist() == [0, 1]


@pytest.mark.parametrize("margin", ["0.001", "0.01", "0.3"])
def test_approximate_phases_are_exact_after_many_rounds(margin):
    # A thousandth hits the bound exactly at round 4e9; in floats it is a little more than that.
    stream = dd.Stream.piecewise([beats(0.5), beats(float(margin), 1)], [0, 40], 10**12)
    phases = dd.measure(stream).approximate_winner
    assert phases.starts.tolist() == [0, 4 // Fraction(margin) ** 3 + 1]


def test_near_equal_winners_that_take_turns_share_one_approximate_phase():
    rounds = [beats(0.01, t % 2, 3) for t in range(400)]
    m = dd.measure(dd.Stream.sequence(rounds))
    assert m.condorcet_switches == 399
    assert len(m.approximate_winner) == 1
