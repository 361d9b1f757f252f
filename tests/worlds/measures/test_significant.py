"""The significant shifts of `driftduel.worlds.measures.significant` against their definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftduel.worlds.measures.phases import Phases
from driftduel.worlds.measures.significant import Gaps, significant_phases
from tests.modes import COMPILED
from tests.naive import shifts as naive
from tests.worlds.measures.worlds import timeline


def as_gaps(table: np.ndarray, starts: np.ndarray | None = None, horizon: int = 0) -> Gaps:
    """Gaps [w, n, a] of the stretches that begin at ``starts``, or one stretch a round."""
    levels = np.ascontiguousarray(-table.transpose(1, 2, 0))
    if starts is None:
        starts, horizon = np.arange(len(levels)), len(levels)
    gaps = Gaps(
        levels,
        np.zeros((len(levels), len(table))),
        np.arange(len(levels)),
        np.array(starts, dtype=np.int64),
        horizon,
    )
    for array in gaps[:4]:
        array.setflags(write=False)
    return gaps


def as_lists(phases: Phases) -> tuple[list[int], list[int]]:
    return phases.starts.tolist(), phases.last_safe.tolist()


def merged(table: np.ndarray) -> Gaps:
    """The same with neighbouring rounds of equal gaps made one stretch."""
    differs = (table[:, 1:] != table[:, :-1]).any(axis=(0, 2))
    starts = np.flatnonzero(np.append(True, differs))
    return as_gaps(table[:, starts], starts, table.shape[1])


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """Whole-number gaps [w, t, a] and their unit; larger than 1 too, so that shifts abound."""
    n_weights, n_arms = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    horizon = draw(st.integers(1, 60))
    unit = draw(st.sampled_from((1, 2, 8)))
    largest = draw(st.sampled_from((1, 2, 4 * unit)))
    longest = draw(st.sampled_from((1, 2, 5, horizon)))
    n_levels = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    palette = rng.integers(0, largest + 1, (n_levels, n_weights, n_arms))
    palette *= rng.random(palette.shape) < draw(st.sampled_from((0.3, 1.0)))
    if draw(st.booleans()):
        palette = np.sort(palette, axis=0)
        which = np.sort(timeline(rng, n_levels, horizon, longest))
    else:
        which = np.array(timeline(rng, n_levels, horizon, longest))
    return palette[which].transpose(1, 0, 2), unit


@settings(max_examples=2000 if COMPILED else 300, deadline=None, derandomize=True)
@given(tables(), st.sampled_from(((3, 1), (3, 2), (3, 8), (3, 25), (2, 1), (2, 4), (2, 5))))
def test_phases_and_last_safe_arms_follow_the_definition(case, threshold):
    table, unit = case
    degree, factor = threshold
    expected = naive.significant(table.tolist(), degree, factor, unit)
    one_stretch_a_round = significant_phases(as_gaps(table / unit), factor, degree)
    assert as_lists(one_stretch_a_round) == expected
    assert significant_phases(merged(table / unit), factor, degree) == one_stretch_a_round


@pytest.mark.parametrize("seed", range(12))
def test_long_random_sums_agree_with_loops_over_all_intervals(seed):
    rng = np.random.default_rng(seed)
    shape = (2, 700, 3)
    table = [
        lambda: rng.random(shape),
        lambda: np.abs(np.cumsum(rng.normal(size=shape), axis=1)) / 30,
        lambda: 0.5 + 0.5 * np.sin(np.linspace(0, 20, 700)[:, None] + rng.random((2, 1, 3))),
        lambda: rng.random(shape)[:, np.array(timeline(rng, 700, 700, 60))],
    ][seed % 4]()
    degree = 2 + seed % 2
    factor = (2.0, 5.0, 30.0)[seed % 3]
    starts, last_safe = naive.significant_loops(table, degree, factor)
    phases = significant_phases(merged(table), factor, degree)
    assert as_lists(phases) == (starts, last_safe)
    assert len(phases) > 1


@pytest.mark.parametrize("seed", range(60))
def test_stretches_of_any_length_follow_the_definition(seed):
    # Gaps over 2^20 on stretches of 1 to 10^12 rounds. In each stretch one arm has no gap: else a
    # single stretch would hold phases by the million.
    rng = np.random.default_rng(seed)
    n_stretches, n_arms = int(rng.integers(3, 10)), int(rng.integers(2, 4))
    lengths = (10 ** rng.uniform(0, 12, n_stretches)).astype(np.int64)
    table = (2 ** rng.uniform(0, 21, (2, n_stretches, n_arms))).astype(np.int64)
    table[:, np.arange(n_stretches), rng.integers(0, n_arms, n_stretches)] = 0
    ends = np.cumsum(lengths)
    starts = ends - lengths
    degree, factor = 3 - seed % 2, 1 + seed % 7
    expected = naive.significant_stretches(
        table.tolist(), starts.tolist(), int(ends[-1]), degree, factor, 2**20
    )
    phases = significant_phases(as_gaps(table / 2**20, starts, int(ends[-1])), factor, degree)
    assert phases.starts.tolist() == expected


def test_a_single_round_is_never_an_interval():
    # Read with s1 = s2 the threshold is 0, and the first round would be a shift.
    table = np.array([[[0.0], [0.9], [0.0], [0.0]]])
    assert len(significant_phases(as_gaps(table), 1, 3)) == 1


def test_the_round_of_a_shift_begins_the_next_phase():
    # Two rounds of gap 1/2 reach the threshold 1, so every round but the first is a shift.
    table = np.full((1, 5, 1), 0.5)
    assert significant_phases(as_gaps(table), 1, 3).starts.tolist() == [0, 1, 2, 3, 4]


def test_the_pair_across_a_boundary_counts():
    table = np.array([[[0.0]] * 4 + [[0.9]] + [[1.1]] + [[0.0]] * 4])
    assert significant_phases(as_gaps(table), 8, 3).starts.tolist() == [0, 5]


def test_gaps_that_keep_rising_need_a_deep_stack():
    table = np.linspace(0, 0.04, 300)[None, :, None]
    starts, _ = naive.significant_loops(table, 3, 2e-3)
    assert starts == [0, 250, 290]
    assert significant_phases(as_gaps(table), 2e-3, 3).starts.tolist() == starts


def test_phases_inside_one_stretch_are_one_run():
    # (n + 1)^3 >= 9 n^2 first holds at n = 6.
    gaps = as_gaps(np.ones((1, 1, 2)), np.array([0]), 10**15)
    phases = significant_phases(gaps, 9, 3)
    assert phases.runs == [(0, 6, (10**15 - 1) // 6), (10**15 - 4, 4, 1)]
    assert len(phases) == (10**15 - 1) // 6 + 1


@pytest.mark.parametrize("k", [10, 100, 700])
def test_a_threshold_hit_exactly_after_millions_of_rounds_is_reached(k):
    # (n + 1) g = 2 k^2 is the cube root of 2 n^2 at n = 2 k^3; the gap g itself is rounded.
    n = 2 * k**3
    gap = 2 * k**2 / (n + 1)
    phases = significant_phases(as_gaps(np.full((1, 1, 1), gap), np.array([0]), 10**9), 2, 3)
    assert phases.runs[0][1] == n


@pytest.mark.parametrize("gap", [0.002, 0.01, 0.37])
def test_a_threshold_missed_by_a_little_is_missed(gap):
    exact = Fraction(gap)
    low, high = 1, 10**10
    while high - low > 1:
        middle = (low + high) // 2
        if ((middle + 1) * exact) ** 3 >= 2 * middle**2:
            high = middle
        else:
            low = middle
    phases = significant_phases(as_gaps(np.full((1, 1, 1), gap), np.array([0]), 10**10), 2, 3)
    assert phases.runs[0][1] == high


@pytest.mark.parametrize(("last", "shifts"), [(1.0, [10**8 + 1]), (1.0 - 1e-9, [])])
def test_a_short_interval_is_exact_after_a_long_phase(last, shifts):
    # The sum before is 1e5: as a difference of sums the pair would be known to 1e-11 only.
    table = np.array([[[0.001], [1.0], [last], [0.0]]])
    starts = np.array([0, 10**8, 10**8 + 1, 10**8 + 2])
    phases = significant_phases(as_gaps(table, starts, 10**9), 8, 3)
    assert phases.starts.tolist() == [0, *shifts]


@pytest.mark.parametrize("horizon", [10**9, 10**18])
def test_a_gap_of_zero_is_never_significant(horizon):
    table = np.zeros((1, 1, 1))
    assert significant_phases(as_gaps(table, np.array([0]), horizon), 1, 2).runs == [
        (0, horizon, 1)
    ]


@pytest.mark.parametrize("horizon", [1, 2])
def test_the_shortest_horizons_have_one_phase_or_two(horizon):
    table = np.ones((1, horizon, 2))
    assert len(significant_phases(as_gaps(table), 8, 3)) == horizon


def test_the_arm_still_safe_at_the_horizon_is_the_lowest_one():
    table = np.zeros((1, 6, 3))
    table[0, :, 0] = 1
    assert significant_phases(as_gaps(table), 2, 3).last_safe.tolist() == [1]


def test_the_weight_that_fires_first_decides():
    # Arm 0 fails at round 1 under the second weight only, arm 1 at round 3 under the first.
    table = np.zeros((2, 8, 2))
    table[1, :2, 0] = 1
    table[0, 2:4, 1] = 1
    phases = significant_phases(as_gaps(table), 8, 3)
    assert as_lists(phases) == ([0, 3], [1, 0])
