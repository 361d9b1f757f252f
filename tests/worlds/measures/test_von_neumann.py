"""The von Neumann winner of a stream against the definition of its shifts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import driftduel as dd
from tests.modes import COMPILED
from tests.naive import von_neumann as naive
from tests.worlds.measures.worlds import KINDS, World, matrix, timeline, worlds

ROCK = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])


@st.composite
def small_worlds(draw: st.DrawFn) -> list[list[list[float]]]:
    """Two or three arms that change now and then, long enough to shift."""
    n_arms = draw(st.sampled_from((2, 3)))
    unit = draw(st.sampled_from((2, 8, 16)))
    horizon = draw(st.sampled_from((1, 2, 40, 60)))
    kinds = draw(st.sampled_from(KINDS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    palette = [matrix(rng, n_arms, unit, kinds[m % len(kinds)]) / unit for m in range(3)]
    longest = draw(st.sampled_from((1, 20, 30)))
    return [palette[m].tolist() for m in timeline(rng, 3, horizon, longest)]


@settings(max_examples=150 if COMPILED else 60, deadline=None, derandomize=True)
@given(small_worlds())
def test_phases_follow_their_definition(rounds: list[list[list[float]]]):
    found = dd.measure(dd.Stream.sequence(rounds)).von_neumann
    assert found.phases.starts.tolist() == naive.phase_starts(rounds)


@settings(max_examples=60 if COMPILED else 20, deadline=None, derandomize=True)
@given(worlds(), st.integers(0, 2**32 - 1))
def test_no_mixture_is_safe_for_longer_than_a_phase(world: World, seed: int):
    assume(world.n_arms > 3)
    gains = np.array(world.rounds) / world.unit - 0.5
    phases = dd.measure(world.stream).von_neumann.phases
    rng = np.random.default_rng(seed)
    for mixture in rng.dirichlet(np.full(world.n_arms, 0.5), 20):
        lost = gains @ mixture
        for start, length in zip(phases.starts[:-1], phases.lengths[:-1], strict=True):
            assert reached(lost[start : start + length + 1], world.n_arms)


def reached(lost: np.ndarray, n_arms: int) -> bool:
    """Whether some arm gains enough on a mixture, over some interval, to make it unsafe."""
    n = len(lost)
    return any(
        lost[s1 : s2 + 1].sum(axis=0).max() >= np.sqrt(n_arms * (s2 - s1)) * (1 - 1e-9)
        for s1 in range(n)
        for s2 in range(s1 + 1, n)
    )


def test_it_says_whom_the_winner_plays_and_whether_it_is_the_only_one():
    ties = np.full((3, 3), 0.5)
    one = dd.measure(dd.Stream.stationary(ROCK, 10**9)).von_neumann
    assert (one.unique, one.support, one.largest_support) == (True, (0, 1, 2), 3)
    assert one.phases.runs == [(0, 10**9, 1)]
    many = dd.measure(dd.Stream.piecewise([ROCK, ties], [0, 50], 100)).von_neumann
    assert not many.unique


def test_one_winner_throughout_is_no_shift_however_much_others_change():
    best = [[0.5, 0.6, 0.6], [0.4, 0.5, 1], [0.4, 0, 0.5]]
    other = [[0.5, 0.9, 0.9], [0.1, 0.5, 0], [0.1, 1, 0.5]]
    stream = dd.Stream.piecewise([best, other] * 5, np.arange(10) * 10**5, 10**6)
    found = dd.measure(stream).von_neumann
    assert (found.support, found.largest_support, len(found.phases)) == ((0,), 1, 1)


def test_a_new_winner_is_a_shift_once_the_old_one_has_lost_enough():
    first, then = [[0.5, 0.75], [0.25, 0.5]], [[0.5, 0.25], [0.75, 0.5]]
    phases = dd.measure(dd.Stream.piecewise([first, then], [0, 1000], 2000)).von_neumann.phases
    # A mixture may play arm 1 with chance x as long as arm 0 gains x / 4 * 1000 < sqrt(2 * 999).
    # Then arm 1 gains (1 - x) / 4 * (n + 1) on it in n + 1 rounds, and sqrt(2 n) for n = 46 first.
    x = 4 * np.sqrt(2 * 999) / 1000
    first_n = next(n for n in range(1, 99) if (1 - x) / 4 * (n + 1) >= np.sqrt(2 * n))
    assert phases.starts.tolist() == [0, 1000 + first_n] == [0, 1046]
    assert phases.last_safe.tolist() == [0, 1]


def test_it_is_left_out_where_arms_come_and_go():
    stream = dd.Stream.stationary(ROCK, 100).offering([[True, True, False]])
    assert dd.measure(stream).von_neumann is None


@pytest.mark.parametrize("n_arms", [2, 5, 20])
def test_a_world_that_changes_in_every_round_has_no_more_phases_than_rounds(n_arms):
    rng = np.random.default_rng(n_arms)
    upper = np.triu(rng.random((60, n_arms, n_arms)), 1)
    P = upper + np.tril(1 - upper.swapaxes(1, 2), -1) + np.eye(n_arms) / 2
    phases = dd.measure(dd.Stream.sequence(P)).von_neumann.phases
    assert 1 <= len(phases) <= 60
    assert phases.horizon == 60
