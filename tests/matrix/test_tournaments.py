"""Tournament solutions and the von Neumann winner against their definitions, and by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import driftduel as dd
from benchmarks import vonneumann
from driftduel.matrix.tournaments import MOST_BANKS, von_neumann_table
from driftduel.worlds import datasets
from tests.naive import tournaments as naive

SOLUTIONS = ("top_cycle", "uncovered_set", "copeland_set", "banks_set")


def random_matrix(rng, n_arms, ties):
    """Chances in eighths, which floats hold exactly; sometimes none of them is a tie."""
    steps = rng.choice(
        [0, 1, 2, 3, 4, 5, 6, 7, 8] if ties else [0, 1, 2, 3, 5, 6, 7, 8], (n_arms,) * 2
    )
    upper = np.triu(steps, 1)
    return (upper + np.tril(8 - upper.T, -1) + 4 * np.eye(n_arms)) / 8


def cases(seed, n=120, most_arms=5):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield random_matrix(rng, int(rng.integers(2, most_arms + 1)), rng.random() < 0.5)


def fractions(P):
    return [[Fraction(float(p)) for p in row] for row in P]


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_is_what_its_definition_says(name):
    sizes = set()
    for P in cases(1, most_arms=6):
        expected = getattr(naive, name)(fractions(P))
        assert getattr(dd.matrix, name)(P).tolist() == expected
        sizes.add(len(expected))
    assert len(sizes) > 3


def test_the_von_neumann_winner_is_one_with_the_largest_support():
    kinds = set()
    for P in cases(2):
        corners = naive.von_neumann_winners(fractions(P))
        found = dd.matrix.von_neumann_winner(P)
        support = [a for a in range(len(P)) if any(v[a] > 0 for v in corners)]
        assert found.support.tolist() == support
        assert found.unique == (len(corners) == 1)
        assert found.weight.sum() == pytest.approx(1)
        assert ((P - 0.5).T @ found.weight).min() > -1e-11
        if found.unique:
            assert found.weight == pytest.approx([float(share) for share in corners[0]], abs=1e-12)
        kinds.add((found.unique, len(support) > 1))
    assert kinds == {(True, False), (True, True), (False, True)}


def test_the_von_neumann_winner_does_not_depend_on_the_order_of_the_arms():
    rng = np.random.default_rng(3)
    for P in cases(3, n=60, most_arms=7):
        order = rng.permutation(len(P))
        turned = dd.matrix.von_neumann_winner(P[np.ix_(order, order)])
        assert turned.weight == pytest.approx(
            dd.matrix.von_neumann_winner(P).weight[order], abs=1e-9
        )


def test_many_matrices_at_once_are_as_one_by_one():
    palette = np.array([random_matrix(np.random.default_rng(n), 5, ties=n % 2) for n in range(40)])
    weights, support, unique = von_neumann_table(palette)
    for P, weight, member, only in zip(palette, weights, support, unique, strict=True):
        alone = dd.matrix.von_neumann_winner(P)
        assert weight == pytest.approx(alone.weight, abs=1e-9)
        assert (np.flatnonzero(member).tolist(), only) == (alone.support.tolist(), alone.unique)


def test_solutions_contain_each_other_where_nobody_ties():
    for P in cases(4, most_arms=8):
        if (P == 0.5).sum() == len(P):
            found = dd.classify(P)
            uncovered = set(found.uncovered)
            assert uncovered <= set(found.top_cycle)
            assert set(found.copeland) | set(found.banks) <= uncovered
            assert set(found.von_neumann) <= set(found.top_cycle)


def test_a_winner_against_all_is_the_only_one_of_every_kind():
    found = dd.classify(datasets.matrix("cyclic").P)
    assert found.top_cycle == found.uncovered == found.copeland == (0,)
    assert found.banks == found.von_neumann == (0,)
    assert found.von_neumann_unique


def test_where_all_tie_everyone_wins_and_the_mixture_is_uniform():
    found = dd.classify(np.full((4, 4), 0.5))
    everyone = (0, 1, 2, 3)
    assert found.top_cycle == found.uncovered == found.copeland == found.banks == everyone
    assert found.von_neumann == everyone
    assert not found.von_neumann_unique
    assert dd.matrix.von_neumann_winner(np.full((4, 4), 0.5)).weight == pytest.approx(
        np.full(4, 0.25)
    )


def test_winners_of_hudrys_tournament():
    # Of its thirteen arms the first beats most; three others share the best Borda score.
    found = dd.classify(datasets.matrix("hudry").P)
    assert found.copeland == (0,)
    assert found.top_cycle == tuple(range(13))
    assert set(found.banks) <= set(found.uncovered) < set(range(13))


def test_the_rings_of_the_benchmark_have_a_uniform_winner_on_three_arms_that_changes():
    world = vonneumann.rings(6, 1000, 4)
    supports = [dd.matrix.von_neumann_winner(P).support.tolist() for P in world.palette]
    assert len(supports) == 4
    assert all(len(support) == 3 for support in supports)
    assert len(set(map(tuple, supports))) > 1
    for P in world.palette:
        assert dd.matrix.von_neumann_winner(P).weight.max() == pytest.approx(1 / 3)
        assert not dd.classify(P).condorcet
    assert {learner.n_arms for _, learner in vonneumann.players(6, 1000, 4)} == {6}


def test_the_banks_set_of_many_arms_is_refused_in_a_sentence():
    P = np.full((MOST_BANKS + 1,) * 2, 0.5)
    with pytest.raises(ValueError, match="has 21 arms, the Banks set is known for 20 at most"):
        dd.matrix.banks_set(P)
    assert dd.classify(P).banks is None


@pytest.mark.parametrize("name", [*SOLUTIONS, "von_neumann_winner"])
def test_a_wrong_matrix_is_refused(name):
    with pytest.raises(ValueError, match=r"P\[0,1\] \+ P\[1,0\] = 1.1, must be 1"):
        getattr(dd.matrix, name)([[0.5, 0.7], [0.4, 0.5]])
