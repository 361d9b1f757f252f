from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftduel import Borda, Condorcet, Weighted, classify
from driftduel.matrix.preferences import gic_winners
from driftduel.matrix.weights import uniform
from driftduel.worlds import hard, synthetic
from tests.naive import preferences as naive

properties = settings(max_examples=100, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32)

SMALL = 1e-12


def total_variation(stream):
    matrices = stream.palette[stream.which]
    return np.abs(np.diff(matrices, axis=0)).max(axis=(1, 2)).sum()


def significant_phases(stream, weights, exponent, cell):
    """Count phases by the definition, over all intervals made of whole cells of rounds.

    An arm is unsafe on [s1, s2] if for one of the weights the sum of its gaps is at least
    K^exponent (s2 - s1)^(2/3); a phase ends when every arm has been unsafe inside it.
    """
    matrices = np.stack([stream.matrix(t) for t in range(0, stream.horizon, cell)])
    scores = np.einsum("tab,wb->wta", matrices, np.asarray(weights))
    gaps = cell * (scores.max(axis=2, keepdims=True) - scores)
    start, count, safe = 0, 1, set(range(stream.n_arms))
    for last in range(len(matrices)):
        for first in range(start, last + 1):
            rounds = (last + 1 - first) * cell
            sums = gaps[:, first : last + 1].sum(axis=1).max(axis=0)
            unsafe = sums >= stream.n_arms**exponent * (rounds - 1) ** (2 / 3) - SMALL
            safe -= set(np.flatnonzero(unsafe).tolist())
        if not safe:
            start, count, safe = last, count + 1, set(range(stream.n_arms))
    return count


weights = st.integers(3, 9).flatmap(
    lambda n: st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any)
)


@properties
@given(weights, seeds)
def test_the_bad_half_has_half_of_a_known_weight(shares, seed):
    weight = np.array(shares) / sum(shares)
    n_arms = len(weight)
    instance = hard.known_weight(n_arms=n_arms, horizon=10**6, weight=weight, seed=seed)
    assert len(instance.good) == len(instance.bad) == n_arms // 2
    assert not set(instance.good) & set(instance.bad)
    neither = set(range(n_arms)) - set(instance.good) - set(instance.bad)
    outside = sum(weight[list(neither)])
    assert outside <= weight.min() + SMALL
    assert weight[list(instance.bad)].sum() >= (1 - outside) / 2 - SMALL


@properties
@given(weights, seeds)
def test_the_known_weight_instance_has_the_scores_of_the_paper(shares, seed):
    weight = np.array(shares) / sum(shares)
    instance = hard.known_weight(n_arms=len(weight), horizon=10**7, weight=weight, seed=seed)
    (winner,) = instance.winners
    good, bad = list(instance.good), list(instance.bad)
    centred = instance.stream.matrix(0) - 0.5
    expected = np.zeros(len(weight))
    expected[good] = 0.4 * weight[bad].sum()
    expected[winner] = (0.4 + instance.epsilon) * weight[bad].sum()
    # The paper leaves out the last term, which only makes bad arms worse.
    expected[bad] = -0.4 * weight[good].sum() - instance.epsilon * weight[winner]
    assert centred @ weight == pytest.approx(expected, abs=SMALL)
    assert instance.weight.at(0) == pytest.approx(weight)


@pytest.mark.parametrize("n_arms", [4, 7, 10])
def test_in_the_known_weight_instance_all_but_the_winner_cost_epsilon(n_arms):
    instance = hard.known_weight(n_arms=n_arms, horizon=10**6)
    gaps = instance.criterion.gaps(instance.stream.matrix(0))
    (winner,) = instance.winners
    mass = len(instance.bad) / n_arms
    assert gaps[winner] == 0
    others = np.delete(gaps, winner)
    assert (others >= instance.epsilon * mass - SMALL).all()
    assert (gaps[list(instance.bad)] >= 0.4 * (1 - 1 / n_arms)).all()
    assert instance.criterion == Weighted(uniform(n_arms))


@pytest.mark.parametrize("n_arms", [4, 5, 6])
def test_the_known_weight_instance_is_gic_and_even_sst(n_arms):
    instance = hard.known_weight(n_arms=n_arms, horizon=10**6)
    P = instance.stream.matrix(0).tolist()
    assert naive.gic_winners(P) == list(instance.winners)
    assert naive.is_sst(P)


def test_every_good_arm_is_a_variant():
    for winner in range(4):
        instance = hard.known_weight(n_arms=8, horizon=10**6, winner=winner)
        assert Borda().winners(instance.stream.matrix(0)).tolist() == [winner]
    drawn = {hard.known_weight(n_arms=8, horizon=10, seed=seed).winners for seed in range(60)}
    assert drawn == {(0,), (1,), (2,), (3,)}


def test_without_epsilon_all_good_arms_are_equal():
    instance = hard.known_weight(n_arms=6, horizon=100, epsilon=0)
    assert Borda().winners(instance.stream.matrix(0)).tolist() == [0, 1, 2]


def test_epsilon_is_the_cube_root_of_the_paper_below_its_cap():
    assert hard.known_weight(n_arms=8, horizon=10**6).epsilon == pytest.approx(0.02)
    assert hard.known_weight(n_arms=9, horizon=10**6).epsilon == pytest.approx(0.02)
    assert hard.known_weight(n_arms=8, horizon=100).epsilon == hard.LARGEST_EPSILON < 0.05
    assert hard.gic(n_arms=8, horizon=64 * 10**6).epsilon == pytest.approx(0.01)
    assert hard.gic(n_arms=8, horizon=100).epsilon == hard.LARGEST_EPSILON
    dynamic = hard.known_weight_dynamic(n_arms=8, horizon=10**7, n_phases=10)
    assert dynamic.epsilon == pytest.approx(0.02)
    dynamic = hard.gic_dynamic(n_arms=8, horizon=64 * 10**7, n_phases=10)
    assert dynamic.epsilon == pytest.approx(0.01)


@pytest.mark.parametrize("build", [hard.known_weight_dynamic, hard.gic_dynamic])
def test_a_dynamic_instance_draws_a_winner_for_each_even_phase(build):
    instance = build(n_arms=20, horizon=1003, n_phases=10, seed=1)
    starts = [n * 1003 // 10 for n in range(10)]
    assert len(instance.winners) == 10
    assert set(instance.winners) <= set(instance.good)
    assert len(set(instance.winners)) > 1
    assert set(instance.stream.starts.tolist()) <= set(starts)
    for start, winner in zip(starts, instance.winners, strict=True):
        gaps = instance.criterion.gaps(instance.stream.matrix(start), start)
        assert np.flatnonzero(gaps <= SMALL).tolist() == [winner]


@pytest.mark.parametrize("seed", range(3))
def test_a_dynamic_known_weight_instance_has_no_more_shifts_than_promised(seed):
    instance = hard.known_weight_dynamic(n_arms=20, horizon=8_000_000, n_phases=40, seed=seed)
    assert instance.epsilon < hard.LARGEST_EPSILON
    assert instance.stream.n_stretches <= 40
    assert 1 < significant_phases(instance.stream, [uniform(20)], 1 / 3, 100_000) <= 40


@pytest.mark.parametrize("seed", range(3))
def test_a_dynamic_gic_instance_has_no_more_shifts_than_promised(seed):
    instance = hard.gic_dynamic(n_arms=4, horizon=3_000_000, n_phases=20, seed=seed)
    assert instance.epsilon < hard.LARGEST_EPSILON
    assert instance.stream.n_stretches <= 20
    assert 1 < significant_phases(instance.stream, np.eye(4), 2 / 3, 30_000) <= 20


def test_one_phase_of_a_dynamic_instance_is_the_stationary_one():
    for one, many in ((hard.known_weight, hard.known_weight_dynamic), (hard.gic, hard.gic_dynamic)):
        single = many(n_arms=10, horizon=10**5, n_phases=1, seed=3)
        assert one(n_arms=10, horizon=10**5, seed=3).stream == single.stream


@properties
@given(
    st.sampled_from([hard.known_weight_variation, hard.gic_variation]),
    st.integers(4, 12),
    st.integers(1, 10**7),
    st.floats(0, 1),
    seeds,
)
def test_the_total_variation_stays_within_its_budget(build, n_arms, horizon, share, seed):
    budget = share * min(horizon, 50)
    instance = build(n_arms=n_arms, horizon=horizon, variation=budget, seed=seed)
    assert total_variation(instance.stream) <= budget + SMALL


def test_the_number_of_phases_within_a_budget_is_that_of_the_paper():
    # T^(1/4) V^(3/4) K^(-1/4) = 20 * 8 / 2 and T^(1/4) V^(3/4) K^(-1/2) = 20 * 8 / 4.
    parameters = {"n_arms": 16, "horizon": 160_000, "variation": 16.0}
    assert len(hard.known_weight_variation(**parameters).winners) == 80
    assert len(hard.gic_variation(**parameters).winners) == 40
    assert len(hard.gic_variation(n_arms=17, horizon=160_000, variation=16.0).winners) == 40
    assert len(hard.known_weight_variation(variation=0).winners) == 1


def test_the_budget_is_nearly_used_up_when_epsilon_is_not_cut():
    instance = hard.known_weight_variation(n_arms=40, horizon=10**7, variation=1.0)
    assert instance.epsilon < hard.LARGEST_EPSILON
    assert 0.8 < total_variation(instance.stream) <= 1


@pytest.mark.parametrize("n_arms", [4, 5, 6])
def test_the_gic_instance_is_gic_and_only_one_entry_tells_its_winner(n_arms):
    instance = hard.gic(n_arms=n_arms, horizon=10**8, winner=1, rival=3)
    P = instance.stream.matrix(0)
    assert naive.gic_winners(P.tolist()) == [1]
    reference = hard.gic(n_arms=n_arms, horizon=10**8, epsilon=0).stream.matrix(0)
    assert np.argwhere(reference != P).tolist() == [[1, 3], [3, 1]]
    assert P[1, 3] == 0.9 + instance.epsilon


def test_the_gic_instance_costs_epsilon_at_its_own_weight_and_nothing_at_another():
    instance = hard.gic(n_arms=6, horizon=10**8, winner=2, rival=4)
    P, epsilon = instance.stream.matrix(0), instance.epsilon
    assert instance.weight.at(0).tolist() == [0, 0, 0, 0, 1, 0]
    assert instance.criterion.gaps(P) == pytest.approx(
        [epsilon, epsilon, 0, 0.4 + epsilon, 0.4 + epsilon, 0.4 + epsilon], abs=SMALL
    )
    elsewhere = Weighted([0, 0, 0, 0, 0, 1]).gaps(P)
    assert elsewhere == pytest.approx([0, 0, 0, 0.4, 0.4, 0.4], abs=SMALL)


@properties
@given(st.integers(4, 9), st.integers(1, 12), seeds)
def test_the_weight_of_a_dynamic_gic_instance_follows_the_entry_that_moves(n_arms, n_phases, seed):
    instance = hard.gic_dynamic(n_arms=n_arms, horizon=97, n_phases=n_phases, seed=seed)
    for t in range(97):
        P = instance.stream.matrix(t)
        (winner,) = gic_winners(P)
        (rival,) = np.flatnonzero(np.isclose(P[winner], 0.9 + instance.epsilon, atol=SMALL))
        assert rival in instance.bad
        assert np.flatnonzero(instance.weight.at(t)).tolist() == [rival]
    rows = [row.tolist() for row in instance.weight.table]
    assert all(a != b for a, b in pairwise(rows))


def test_the_two_worlds_are_those_of_the_paper():
    first, second = hard.gic_pair(horizon=8 * 10**6, constant=2.0)
    assert first.epsilon == second.epsilon == pytest.approx(0.04)
    assert first.stream.matrix(0) == pytest.approx(
        np.array([[0.5, 0.5, 0.94], [0.5, 0.5, 0.9], [0.06, 0.1, 0.5]]), abs=SMALL
    )
    assert second.stream.matrix(0) == pytest.approx(
        np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.94], [0.1, 0.06, 0.5]]), abs=SMALL
    )


def test_the_two_worlds_are_gic_with_different_winners():
    for winner, instance in enumerate(hard.gic_pair(horizon=10**6)):
        P = instance.stream.matrix(0)
        assert naive.gic_winners(P.tolist()) == [winner]
        assert Borda().winners(P).tolist() == [winner]
        assert winner in Condorcet().winners(P)
        assert np.flatnonzero(instance.weight.at(0)).tolist() == [winner]
        # The Borda gaps that the proof uses: 0.4 * 2/3 of arm 2, epsilon / 3 of the other.
        gaps = Borda().gaps(P)
        assert gaps[2] >= 0.4 * 2 / 3
        assert gaps[1 - winner] == pytest.approx(instance.epsilon / 3, abs=SMALL)


def test_the_two_worlds_differ_against_the_bad_arm_only():
    first, second = (world.stream.matrix(0) for world in hard.gic_pair(horizon=10**6))
    differing = {tuple(entry) for entry in np.argwhere(first != second).tolist()}
    assert differing == {(0, 2), (2, 0), (1, 2), (2, 1)}


def test_the_two_worlds_cut_epsilon_on_short_horizons():
    for instance in hard.gic_pair(horizon=1000):
        assert instance.epsilon == hard.LARGEST_EPSILON


def exact_borda_against_condorcet():
    rows = hard.borda_against_condorcet(horizon=1).matrix(0).tolist()
    return [[Fraction(entry).limit_denominator(10) for entry in row] for row in rows]


def exact_gaps(P, weight):
    scores = [sum(p * w for p, w in zip(row, weight, strict=True)) for row in P]
    return [max(scores) - score for score in scores]


def test_borda_against_condorcet_has_the_gaps_of_the_paper():
    P = exact_borda_against_condorcet()
    assert [
        [Fraction(1, 2), Fraction(3, 5), Fraction(3, 5)],
        [Fraction(2, 5), Fraction(1, 2), Fraction(1)],
        [Fraction(2, 5), Fraction(0), Fraction(1, 2)],
    ] == P
    assert exact_gaps(P, [Fraction(1, 3)] * 3) == [Fraction(1, 15), 0, Fraction(1, 3)]
    assert exact_gaps(P, [1, 0, 0]) == [0, Fraction(1, 10), Fraction(1, 10)]
    member = classify(hard.BORDA_AGAINST_CONDORCET)
    assert member.condorcet_winner == 0
    assert not member.gic


def test_every_arm_played_a_third_of_the_time_costs_a_45th_for_some_weight():
    P = exact_borda_against_condorcet()
    borda, condorcet = exact_gaps(P, [Fraction(1, 3)] * 3), exact_gaps(P, [1, 0, 0])
    for arm in range(3):
        assert max(borda[arm], condorcet[arm]) / 3 >= Fraction(1, 45)


def test_every_mixture_of_arms_costs_a_45th_for_some_weight():
    P = exact_borda_against_condorcet()
    borda, condorcet = exact_gaps(P, [Fraction(1, 3)] * 3), exact_gaps(P, [1, 0, 0])
    # The larger of two regrets is at least any average of them; this average is linear in the
    # mixture, so its least value is at one of the three arms.
    average = [
        Fraction(3, 5) * b + Fraction(2, 5) * c for b, c in zip(borda, condorcet, strict=True)
    ]
    assert min(average) == Fraction(1, 25) > Fraction(1, 45)
    # The same by enumeration; the best mixture reaches the bound.
    steps, worst = 20, []
    for i in range(steps + 1):
        for j in range(steps + 1 - i):
            mixture = [Fraction(part, steps) for part in (i, j, steps - i - j)]
            worst.append(
                max(
                    sum(m * g for m, g in zip(mixture, gaps, strict=True))
                    for gaps in (borda, condorcet)
                )
            )
    assert min(worst) == Fraction(1, 25)


def test_a_policy_pays_a_45th_a_round_on_the_stream_itself():
    stream = hard.borda_against_condorcet(horizon=900)
    for seed in range(5):
        left, right = np.random.default_rng(seed).integers(3, size=(2, 900))
        regrets = [stream.regret(left, right, name)[-1] for name in ("borda", "condorcet")]
        assert max(regrets) >= 900 / 45


@properties
@given(st.integers(2, 9), seeds)
def test_shuffled_halves_are_halves_with_a_gap_of_one_half(n_arms, seed):
    stream = hard.shuffled_halves(n_arms=n_arms, horizon=20, seed=seed)
    half = n_arms // 2
    for t in range(20):
        P = stream.matrix(t)
        good = gic_winners(P)
        bad = gic_winners(P.T)
        assert len(good) == len(bad) == half
        assert (P[np.ix_(good, bad)] == 1).all()
        assert (P == 1).sum() == half * half
        assert (P == 0.5).sum() == n_arms**2 - 2 * half * half
        assert set(np.unique(Condorcet().gaps(P))) <= {0, 0.5}


def test_shuffled_halves_are_fresh_and_fair_every_round():
    horizon = 10_000
    stream = hard.shuffled_halves(n_arms=4, horizon=horizon, seed=11)
    assert len(stream.palette) == 6
    lengths = np.diff(np.append(stream.starts, horizon))
    split = np.repeat(stream.which, lengths)
    counts = np.bincount(split)
    # Each of six splits has probability 1/6, each of 36 pairs of neighbours 1/36; five standard
    # deviations make a false alarm rarer than 42 * 6e-7.
    assert np.abs(counts - horizon / 6).max() < 5 * np.sqrt(horizon * 5 / 36)
    pairs = np.bincount(6 * split[:-1] + split[1:])
    assert np.abs(pairs - horizon / 36).max() < 5 * np.sqrt(horizon / 36)


def test_shuffled_halves_keep_each_split_once_and_can_last():
    assert len(hard.shuffled_halves(n_arms=6, horizon=10_000).palette) == 20
    slow = hard.shuffled_halves(n_arms=10, horizon=1000, every=100)
    assert set(slow.starts.tolist()) <= set(range(0, 1000, 100))


def test_spurious_switches_are_the_synthetic_world():
    assert hard.spurious_switches is synthetic.spurious_switches


@pytest.mark.parametrize(
    ("build", "parameters", "message"),
    [
        (hard.known_weight, {"n_arms": 2}, "n_arms is 2, must be at least 3"),
        (hard.known_weight, {"horizon": 0}, "horizon is 0, must be at least 1"),
        (hard.known_weight, {"winner": 7}, r"winner is 7, must be one of the good arms \[0, 1, 2"),
        (hard.known_weight, {"winner": 10}, "winner is 10, must be at most 9"),
        (hard.known_weight, {"epsilon": 0.05}, "epsilon is 0.05, must be between 0 and 0.049"),
        (hard.known_weight, {"epsilon": -0.01}, "epsilon is -0.01, must be between 0 and 0.049"),
        (hard.known_weight, {"weight": [0.5, 0.5]}, "weight: has 2 entries, there are 10 arms"),
        (hard.known_weight, {"n_arms": 3, "weight": [1, 1, 0]}, "weight: sums to 2, must sum to 1"),
        (hard.known_weight, {"seed": -3}, "seed is -3, must be at least 0"),
        (hard.known_weight_dynamic, {"n_phases": 0}, "n_phases is 0, must be at least 1"),
        (hard.known_weight_dynamic, {"n_phases": 9, "horizon": 8}, "at most the horizon 8"),
        (hard.known_weight_dynamic, {"n_phases": 2.5}, "n_phases is 2.5, must be a whole number"),
        (hard.known_weight_variation, {"variation": -1}, "variation is -1, must be between 0 and"),
        (hard.known_weight_variation, {"variation": 11, "horizon": 10}, "between 0 and 10"),
        (hard.known_weight_variation, {"variation": float("nan")}, "variation is nan"),
        (hard.gic, {"n_arms": 3}, "n_arms is 3, must be at least 4"),
        (hard.gic, {"winner": 5}, r"winner is 5, must be one of the good arms \[0, 1, 2, 3, 4\]"),
        (hard.gic, {"rival": 4}, r"rival is 4, must be one of the bad arms \[5, 6, 7, 8, 9\]"),
        (hard.gic, {"n_arms": 5, "rival": 4}, r"must be one of the bad arms \[2, 3\]"),
        (hard.gic, {"epsilon": "x"}, "epsilon is 'x', must be a number"),
        (hard.gic, {"horizon": 1.5}, "horizon is 1.5, must be a whole number"),
        (hard.gic_dynamic, {"n_arms": 3}, "n_arms is 3, must be at least 4"),
        (hard.gic_dynamic, {"n_phases": 200_000}, "must be at most the horizon 100000"),
        (hard.gic_variation, {"n_arms": 2}, "n_arms is 2, must be at least 4"),
        (hard.gic_variation, {"variation": -0.5}, "variation is -0.5, must be between 0 and"),
        (hard.gic_pair, {"horizon": 0}, "horizon is 0, must be at least 1"),
        (hard.gic_pair, {"constant": 0}, "constant is 0, must be a positive number"),
        (hard.gic_pair, {"constant": -1}, "constant is -1, must be a positive number"),
        (hard.borda_against_condorcet, {"horizon": -1}, "horizon is -1, must be at least 1"),
        (hard.shuffled_halves, {"n_arms": 1}, "n_arms is 1, must be at least 2"),
        (hard.shuffled_halves, {"horizon": 0}, "horizon is 0, must be at least 1"),
        (hard.shuffled_halves, {"every": 0}, "every is 0, must be at least 1"),
        (
            hard.shuffled_halves,
            {"n_arms": 400, "horizon": 5000},
            "5,000 matrices of 400 arms would take 6.0 GB; raise every or lower n_arms",
        ),
    ],
)
def test_hard_instances_refuse(build, parameters, message):
    with pytest.raises(ValueError, match=message):
        build(**parameters)
