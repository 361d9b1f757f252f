from __future__ import annotations

import inspect
import sys
import time

import numpy as np
import pytest

import driftduel as dd
from driftduel.matrix.preferences import (
    SYMMETRY,
    TIE,
    as_matrix,
    as_palette,
    condorcet_winners,
    gic_winners,
    is_sti,
    maximisers,
)
from tests.naive import preferences as naive

ROCK_PAPER_SCISSORS = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
LADDER = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]


def from_gaps(upper: np.ndarray) -> np.ndarray:
    """The matrix with P[a, b] = 1/2 + upper[a, b] for a < b."""
    upper = np.triu(upper, 1)
    return 0.5 + upper - upper.T


def shuffled(P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    order = rng.permutation(len(P))
    return P[np.ix_(order, order)]


def random_world(rng: np.random.Generator, K: int) -> np.ndarray:
    """A matrix with many ties, often in or just outside one of the classes."""
    kind = rng.integers(8)
    utility = np.sort(rng.integers(0, 5, K))[::-1] / 8
    steps = utility[:, None] - utility[None, :]
    distance = np.arange(K)[None, :] - np.arange(K)[:, None]
    if kind == 0:
        upper = rng.integers(-2, 3, (K, K)) / 4
    elif kind == 1:
        upper = rng.integers(-4, 5, (K, K)) / 8
    elif kind == 2:
        upper = rng.choice([0, 0, 0.25, 0.5], (K, K))
    elif kind == 3:
        upper = rng.choice([0.125, 0.25, 0.25, 0.5], (K, K))
    elif kind == 4:
        upper = steps
    elif kind == 5:
        upper = np.where(steps > 0.125, 0.5, steps)
    elif kind == 6:
        upper = steps * (rng.random((K, K)) < 0.8)
    else:
        upper = 0.25 * (distance <= rng.integers(0, K, K)[:, None])
    return shuffled(from_gaps(upper), rng)


@pytest.mark.parametrize(("K", "n"), [(2, 200), (3, 1500), (4, 1500), (5, 800), (6, 150)])
def test_classify_agrees_with_brute_force_over_all_orders(K, n):
    rng = np.random.default_rng(K)
    seen = {"condorcet": set(), "gic": set(), "sst": set(), "sti": set()}
    for _ in range(n):
        P = random_world(rng, K)
        rows = P.tolist()
        found = dd.classify(P)
        winners = naive.condorcet_winners(rows)
        assert condorcet_winners(P).tolist() == winners
        assert found.condorcet_winner == (winners[0] if winners else None)
        assert found.condorcet == bool(winners)
        assert list(found.gic_winners) == naive.gic_winners(rows)
        assert found.gic == bool(found.gic_winners)
        assert found.sst == naive.is_sst(rows)
        assert found.sti == naive.is_sti(rows)
        assert found.sst <= found.gic <= found.condorcet
        for name, answers in seen.items():
            answers.add(getattr(found, name))
    if K > 2:
        assert all(answers == {True, False} for answers in seen.values())


def test_two_arms_are_in_every_class():
    found = dd.classify([[0.5, 0.2], [0.8, 0.5]])
    assert (found.condorcet_winner, found.gic_winners) == (1, (1,))
    assert (found.condorcet, found.gic, found.sst, found.sti) == (True,) * 4


def test_a_cycle_is_in_no_class():
    found = dd.classify(ROCK_PAPER_SCISSORS)
    assert found.condorcet_winner is None
    assert found.gic_winners == ()
    assert (found.condorcet, found.gic, found.sst, found.sti) == (False,) * 4


def test_gic_and_sti_do_not_imply_each_other():
    gic_only = dd.classify(from_gaps(np.array([[0, 0.1, 0.4], [0, 0, 0.1], [0, 0, 0]])))
    assert gic_only.gic
    assert not gic_only.sti
    sti_only = dd.classify(from_gaps(np.array([[0, 0.3, 0.1], [0, 0, 0.2], [0, 0, 0]])))
    assert sti_only.sti
    assert not sti_only.gic


def test_a_condorcet_winner_may_fail_to_be_a_gic_winner():
    P = [[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]
    assert dd.classify(P).condorcet_winner == 0
    assert dd.classify(P).gic_winners == ()


def test_all_ties_make_every_arm_a_winner_of_every_kind():
    found = dd.classify(np.full((4, 4), 0.5))
    assert found.gic_winners == (0, 1, 2, 3)
    assert found.condorcet_winner == 0
    assert found.sst
    assert found.sti


def test_sti_is_meant_in_gaps_and_not_in_probabilities():
    """P[0, 2] = 1 is at most P[0, 1] + P[1, 2] = 1.1, but its gap is more than the two gaps."""
    P = from_gaps(np.array([[0, 0.05, 0.5], [0, 0, 0.05], [0, 0, 0]]))
    assert not is_sti(P)


def test_sti_allows_equality():
    assert is_sti(from_gaps(np.array([[0, 0.1, 0.3], [0, 0, 0.2], [0, 0, 0]])))


def test_a_tie_between_neighbours_can_hide_the_only_sti_order():
    """Arms 0 and 1 tie, and 0 must come first: it beats arm 2 by less."""
    P = from_gaps(np.array([[0, 0, 0.1], [0, 0, 0.2], [0, 0, 0]]))
    order = [1, 0, 2]
    assert is_sti(P[np.ix_(order, order)])


def test_rounding_does_not_change_the_class():
    P = np.array(LADDER)
    noise = from_gaps(np.array([[0, 3, -2], [0, 0, 1], [0, 0, 0]]) * TIE / 20) - 0.5
    assert dd.classify(P + noise) == dd.classify(P)


@pytest.mark.parametrize("K", [10, 11, 12, 13])
def test_sti_of_many_ties_is_decided_quickly(K):
    """Where ties leave up to 13! orders, ten answers take under two seconds, not years."""
    rng = np.random.default_rng(K)
    begin = time.process_time()
    for _ in range(10):
        is_sti(random_world(rng, K))
    assert is_sti(np.full((K, K), 0.5))
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("K", [100, 1200])
def test_sti_of_all_ties_holds_for_many_arms(K):
    assert is_sti(np.full((K, K), 0.5))


def test_sti_of_many_arms_in_a_ladder_needs_no_deep_recursion():
    utility = np.linspace(0.5, 0, 300)
    P = 0.5 + utility[:, None] - utility[None, :]
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        assert is_sti(P)
    finally:
        sys.setrecursionlimit(usual)


def test_sti_fails_when_one_of_many_unrelated_groups_fails():
    """Thirty pairs that tie with all others, and a cycle: 30! orders of pairs do not matter."""
    K = 63
    P = np.full((K, K), 0.5)
    for a in range(0, 60, 2):
        P[a, a + 1], P[a + 1, a] = 0.7, 0.3
    assert is_sti(P)
    P[np.ix_([60, 61, 62], [60, 61, 62])] = ROCK_PAPER_SCISSORS
    assert not is_sti(P)
    P[np.ix_(range(9), range(9))] = from_gaps(np.full((9, 9), 0.25))
    assert not is_sti(P)
    P[np.ix_([60, 61, 62], [60, 61, 62])] = LADDER
    assert is_sti(P)


@pytest.mark.parametrize("good", [True, False])
def test_sti_of_groups_below_a_common_leader_follows_the_leaders_gaps(good):
    """A leader who beats a group by different margins fixes where its arms stand."""
    K = 21
    P = np.full((K, K), 0.5)
    for a in range(1, K, 2):
        P[0, a] = P[0, a + 1] = 0.9 - 0.01 * a
        P[a, a + 1], P[a + 1, a] = 0.6, 0.4
    if not good:
        P[0, 1], P[0, 2] = P[0, 20], P[0, 1]
    P[1:, 0] = 1 - P[0, 1:]
    assert is_sti(P) == good


def test_sti_of_random_wins_losses_and_ties_is_decided_for_a_hundred_arms():
    rng = np.random.default_rng(0)
    acyclic = from_gaps(rng.choice([0, 0.5], (100, 100)))
    assert not is_sti(shuffled(acyclic, rng))
    assert not is_sti(from_gaps(rng.choice([-0.5, 0, 0.5], (100, 100))))
    assert is_sti(shuffled(from_gaps(np.full((100, 100), 0.5)), rng))


def test_winners_of_near_equal_scores_are_all_maximisers():
    assert maximisers(np.array([0.3, 0.7, 0.7 - TIE / 2, 0.7 - 3 * TIE])).tolist() == [1, 2]


def test_gic_winners_have_equal_rows():
    P = np.array([[0.5, 0.5, 0.8], [0.5, 0.5, 0.8], [0.2, 0.2, 0.5]])
    assert gic_winners(P).tolist() == [0, 1]


def test_a_valid_matrix_is_returned_as_floats():
    matrix = as_matrix([[0.5, 1], [0, 0.5]])
    assert matrix.dtype == np.float64
    assert matrix.tolist() == [[0.5, 1.0], [0.0, 0.5]]


def test_a_valid_palette_is_not_copied():
    palette = np.full((3, 2, 2), 0.5)
    assert as_palette(palette) is palette


def test_sums_that_miss_one_by_rounding_are_evened_out_in_a_copy():
    """Else a matrix could be valid and yet lose its Condorcet winner to the rounding."""
    given = np.array([[0.5, 0.5 - SYMMETRY / 2], [0.5 - SYMMETRY / 4, 0.5 - SYMMETRY / 4]])
    before = given.copy()
    matrix = as_matrix(given)
    assert (given == before).all()
    assert (matrix.diagonal() == 0.5).all()
    assert matrix[0, 1] + matrix[1, 0] == 1
    assert np.abs(matrix - given).max() < SYMMETRY
    assert dd.classify(given).condorcet


def test_an_error_in_the_last_bit_is_left_alone():
    P = np.array([[0.5, 0.1 + 0.2], [0.7, 0.5]])
    assert P[0, 1] + P[1, 0] == 1.0 or abs(P[0, 1] + P[1, 0] - 1) < TIE
    assert as_matrix(P)[0, 1] == 0.1 + 0.2


def test_palettes_larger_than_a_chunk_are_checked_to_the_end():
    palette = np.full((40_000, 2, 2), 0.5)
    assert as_palette(palette) is palette
    palette[39_999, 0, 1] = 0.75
    with pytest.raises(ValueError, match=r"^preference matrix 39999: P\[0,1\] \+ P\[1,0\] = 1.25"):
        as_palette(palette)


def broken(entry: tuple[int, int], value: float) -> list[list[float]]:
    P = [row.copy() for row in LADDER]
    P[entry[0]][entry[1]] = value
    return P


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (0.5, "has 1 dimensions, must be a K x K matrix"),
        ([0.5, 0.5], "has 1 dimensions, must be a K x K matrix"),
        ([LADDER], "has 3 dimensions, must be a K x K matrix"),
        ([[0.5, 0.5]], "has shape (1, 2), must be square"),
        ([[0.5]], "has 1 arm, at least 2 are needed"),
        (np.zeros((0, 0)), "has 0 arm, at least 2 are needed"),
        ([[0.5, 0.5], [0.5]], "must be numbers in rows of equal length"),
        ([["a", "b"], ["c", "d"]], "must be numbers in rows of equal length"),
        ([["0.5", "0.5"], ["0.5", "0.5"]], "must be numbers in rows of equal length"),
        (np.full((2, 2), 0.5 + 0j), "must be numbers in rows of equal length"),
        (None, "has 1 dimensions, must be a K x K matrix"),
        ({"P": 1}, "must be numbers in rows of equal length"),
        (broken((1, 2), float("nan")), "P[1,2] is nan"),
        (broken((2, 0), float("inf")), "P[2,0] is inf"),
        (broken((0, 1), None), "P[0,1] is nan"),
        (broken((0, 2), -0.1), "P[0,2] = -0.1, must be between 0 and 1"),
        (broken((0, 2), 1.5), "P[0,2] = 1.5, must be between 0 and 1"),
        (broken((1, 1), 0.4), "P[1,1] = 0.4, must be 0.5"),
        (broken((1, 1), 0.50000001), "P[1,1] = 0.50000001, must be 0.5"),
        (broken((2, 1), 0.5), "P[1,2] + P[2,1] = 1.1, must be 1"),
        (broken((2, 1), 0.40000003), "P[1,2] + P[2,1] = 1.00000003, must be 1"),
    ],
)
def test_a_bad_matrix_is_refused_with_the_entry_named(bad, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        as_matrix(bad)
    assert str(error.value) == f"preference matrix: {message}"
    with pytest.raises(ValueError):  # noqa: PT011
        dd.classify(bad)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (LADDER, "votes: has shape (3, 3), must be a list of K x K matrices"),
        (np.zeros((0, 3, 3)), "votes: there is none, at least one is needed"),
        ([], "votes: has shape (0,), must be a list of K x K matrices"),
        (np.zeros((2, 2, 3)), "votes: has shape (2, 3), must be square"),
        ([LADDER, broken((0, 1), 2)], "votes 1: P[0,1] = 2, must be between 0 and 1"),
        ([LADDER, LADDER, broken((0, 1), 0.7)], "votes 2: P[0,1] + P[1,0] = 1.1, must be 1"),
    ],
)
def test_a_bad_palette_is_refused_with_the_matrix_named(bad, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        as_palette(bad, "votes")
    assert str(error.value) == message
