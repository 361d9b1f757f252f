from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftduel import Borda, classify
from driftduel.matrix.preferences import as_matrix, condorcet_winners, gic_winners, is_sst
from driftduel.worlds.matrices import KINDS, btl_matrix, random_matrix, utility_matrix
from tests.naive import preferences as naive

IN_CLASS = {
    "any": lambda P: True,
    "cw": naive.condorcet_winners,
    "gic": naive.gic_winners,
    "sst": naive.is_sst,
    "sst-sti": naive.is_sst_and_sti,
    "cyclic": naive.condorcet_winners,
}

kinds = st.sampled_from(KINDS)
seeds = st.integers(0, 2**32)
few_arms = st.integers(2, 6)
properties = settings(max_examples=300, deadline=None, derandomize=True)


@properties
@given(kinds, few_arms, seeds)
def test_a_random_matrix_belongs_to_its_class_by_brute_force(kind, n_arms, seed):
    P = random_matrix(kind, max(n_arms, 4) if kind == "cyclic" else n_arms, seed)
    as_matrix(P)
    assert IN_CLASS[kind](P.tolist())


@properties
@given(st.integers(7, 30), seeds)
def test_a_random_matrix_of_many_arms_belongs_to_its_class(n_arms, seed):
    assert len(condorcet_winners(random_matrix("cw", n_arms, seed))) == 1
    assert len(gic_winners(random_matrix("gic", n_arms, seed))) == 1
    assert is_sst(random_matrix("sst", n_arms, seed))
    both = classify(random_matrix("sst-sti", n_arms, seed))
    assert both.sst
    assert both.sti


@properties
@given(st.integers(4, 12), seeds)
def test_a_cyclic_matrix_has_a_cycle_and_two_kinds_of_winner(n_arms, seed):
    P = random_matrix("cyclic", n_arms, seed)
    (condorcet,) = condorcet_winners(P)
    (borda,) = Borda().winners(P)
    assert borda != condorcet
    assert any(
        P[a, b] > 0.5 and P[b, c] > 0.5 and P[c, a] > 0.5
        for a, b, c in permutations(range(n_arms), 3)
    )


@pytest.mark.parametrize(
    ("kind", "stronger"),
    [("any", "condorcet"), ("cw", "gic"), ("gic", "sst"), ("sst", "sti"), ("gic", "sti")],
)
def test_a_random_matrix_is_seldom_in_a_stronger_class(kind, stronger):
    members = [classify(random_matrix(kind, 5, seed)) for seed in range(100)]
    assert sum(getattr(member, stronger) for member in members) < 50


def test_an_sst_and_sti_matrix_is_not_always_a_difference_of_utilities():
    for seed in range(20):
        P = random_matrix("sst-sti", 3, seed)
        low, middle, high = sorted(abs(P[np.triu_indices(3, 1)] - 0.5))
        assert low + middle > high + 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_every_arm_wins_some_random_matrix(kind):
    winners = {int(Borda().winners(random_matrix(kind, 4, seed))[0]) for seed in range(60)}
    assert winners == {0, 1, 2, 3}


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_matrix_again_and_another_seed_another(kind):
    P = random_matrix(kind, 5, 7)
    assert np.array_equal(P, random_matrix(kind, 5, 7))
    assert np.array_equal(P, random_matrix(kind, 5, np.random.default_rng(7)))
    assert not np.array_equal(P, random_matrix(kind, 5, 8))
    assert not np.array_equal(random_matrix(kind, 5, None), random_matrix(kind, 5, None))


def test_a_generator_moves_on_from_matrix_to_matrix():
    rng = np.random.default_rng(0)
    assert not np.array_equal(random_matrix("cw", 4, rng), random_matrix("cw", 4, rng))


def test_bradley_terry_luce_is_the_share_of_strength():
    strengths = [1, 2, 5, 8]
    P = btl_matrix(strengths)
    for a, mine in enumerate(strengths):
        for b, theirs in enumerate(strengths):
            assert P[a, b] == pytest.approx(float(Fraction(mine, mine + theirs)), abs=1e-15)


def test_bradley_terry_luce_survives_strengths_of_any_size():
    P = btl_matrix([1e308, 1e308, 1e-308])
    assert P.tolist() == [[0.5, 0.5, 1.0], [0.5, 0.5, 1.0], [0.0, 0.0, 0.5]]


def test_bradley_terry_luce_is_the_logistic_link_of_log_strengths():
    strengths = np.array([0.3, 1.0, 4.0])
    assert btl_matrix(strengths) == pytest.approx(utility_matrix(np.log(strengths)), abs=1e-15)


def test_each_link_is_its_formula():
    u = np.array([0.3, -0.2, 1.1])
    x = u[:, None] - u[None, :]
    assert utility_matrix(u, "logistic") == pytest.approx(1 / (1 + np.exp(-x)), abs=1e-15)
    assert utility_matrix(u, "linear") == pytest.approx(np.clip((1 + x) / 2, 0, 1), abs=1e-15)
    normal = [[NormalDist().cdf(value) for value in row] for row in x]
    assert utility_matrix(u, "probit") == pytest.approx(np.array(normal), abs=1e-15)
    assert utility_matrix(u, "linear")[2, 1] == 1.0


def test_links_do_not_overflow():
    for link in ("logistic", "probit", "linear"):
        assert utility_matrix([1e6, -1e6], link).tolist() == [[0.5, 1.0], [0.0, 0.5]]


def test_rows_of_utilities_give_one_matrix_each():
    rows = np.array([[0.0, 1.0], [0.5, 0.2]])
    both = utility_matrix(rows)
    assert np.array_equal(both, np.stack([utility_matrix(row) for row in rows]))


def test_any_function_can_be_the_link():
    P = utility_matrix([2.0, 0.0], lambda x: np.where(x > 0, 0.8, np.where(x < 0, 0.2, 0.5)))
    assert P.tolist() == [[0.5, 0.8], [0.2, 0.5]]


@properties
@given(
    st.lists(st.floats(-2, 2), min_size=2, max_size=5),
    st.sampled_from(["logistic", "probit", "linear"]),
)
def test_utilities_give_sst_and_sti_in_one_order(utilities, link):
    assert naive.is_sst_and_sti(utility_matrix(utilities, link).tolist())


@pytest.mark.parametrize(
    ("kind", "n_arms", "seed", "message"),
    [
        ("gci", 3, 0, "kind is 'gci', must be one of any, cw, gic, sst, sst-sti, cyclic"),
        ("cw", 1, 0, "n_arms is 1, must be at least 2"),
        ("cyclic", 3, 0, "n_arms is 3, must be at least 4"),
        ("cw", 2.5, 0, "n_arms is 2.5, must be a whole number"),
        ("cw", True, 0, "n_arms is True, must be a whole number"),
        ("cw", 3, -1, "seed is -1, must be at least 0"),
        ("cw", 3, "x", "seed is 'x', must be a whole number"),
    ],
)
def test_random_matrix_refuses(kind, n_arms, seed, message):
    with pytest.raises(ValueError, match=message):
        random_matrix(kind, n_arms, seed)


@pytest.mark.parametrize(
    ("strengths", "message"),
    [
        ([1, 0], "strengths: arm 1 has 0, must be above 0"),
        ([-2, 1], "strengths: arm 0 has -2, must be above 0"),
        ([1, float("nan")], "strengths: arm 1 is not finite"),
        ([float("inf"), 1], "strengths: arm 0 is not finite"),
        ([[1, 2], [3, 4]], r"strengths: has shape \(2, 2\), must be one number per arm"),
        (["a", "b"], "strengths: must be numbers"),
        ([1], "has 1 arm, at least 2 are needed"),
    ],
)
def test_bradley_terry_luce_refuses(strengths, message):
    with pytest.raises(ValueError, match=message):
        btl_matrix(strengths)


@pytest.mark.parametrize(
    ("utilities", "link", "message"),
    [
        ([0, 1], "cauchy", "link is 'cauchy', must be logistic, probit, linear or a function"),
        ([0, 1], lambda x: x.sum(), r"link: gives shape \(\) for \(2, 2\), must keep it"),
        ([0, 1], lambda x: 0.5 + 0 * x + 0.1 * (x > 0), r"this link: P\[0,1\] \+ P\[1,0\] = 1.1"),
        ([0, 1], lambda x: 0.5 + x, r"this link: P\[0,1\] = -0.5, must be between 0 and 1"),
        ([0, float("nan")], "linear", "utilities: arm 1 is not finite"),
        (3.0, "linear", "has 1 arm, at least 2 are needed"),
        ([[[1.0]]], "linear", r"utilities: has shape \(1, 1, 1\), must be one number per arm"),
        ("ab", "linear", "utilities: must be numbers"),
    ],
)
def test_utility_matrix_refuses(utilities, link, message):
    with pytest.raises(ValueError, match=message):
        utility_matrix(utilities, link)
