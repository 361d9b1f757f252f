"""D-TS and D-TS+ against their letter, by round and by frequency, and on an easy world."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.contract.base import learner_generator
from driftduel.learners.parts.posterior import above, quantile
from tests.learners.driving import drawn, final_and_late_regret, ladder, play_beside
from tests.modes import COMPILED
from tests.naive import thompson as naive

SEEDS = range(8)
ROUNDS = 200
PAIRS = [(dd.learners.DTS, naive.DTS), (dd.learners.DTSPlus, naive.DTSPlus)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("kind", "letter"), PAIRS)
def test_it_plays_what_its_letter_plays(kind, letter, seed):
    _, n_arms = drawn(seed)

    def compare(learner, oracle):
        state = learner._session.state
        assert state.candidates[: state.record[0]].tolist() == oracle.candidates()

    learner = kind(n_arms, seed=seed)
    oracle_of = partial(letter, n_arms, 0.51)
    late = 0.4 * (seed % 2)
    oracle = play_beside(learner, oracle_of, ROUNDS, seed, late=late, compare=compare).oracle
    for i in range(n_arms):
        for j in range(n_arms):
            assert learner._session.state.verdicts.wins[i, j] == oracle.counts.wins[i, j]
            if i != j:
                risk = learner._session.state.risk[i, j]
                assert risk == pytest.approx(oracle.chance_of(j, i), abs=1e-10)


@pytest.mark.parametrize(("kind", "plus"), [(dd.learners.DTS, False), (dd.learners.DTSPlus, True)])
def test_pairs_are_as_frequent_as_when_everything_is_drawn(kind, plus):
    # The counts a and b of a pair in n draws of each differ with a variance of at most a + b or
    # so; six standard deviations (and a little, for rare pairs) are exceeded with probability
    # below 1e-8, so the 96 counts of both tests fail a right learner with probability below 1e-6.
    n = 3_000 if COMPILED else 1_500
    learner = kind(4, seed=2)
    state = learner._session.state
    letter = naive.Letter(4, 0.51, np.random.default_rng(5), plus)
    script = np.random.default_rng(3)
    sizes = []
    for age in range(101):
        if age in (0, 30, 100):
            counts = np.zeros((2, 4, 4))
            rng = learner_generator(age)
            sizes.append(int(state.record[0]))
            for _ in range(n):
                left, right, _ = learner._choose(state, rng)
                counts[0, left, right] += 1
                counts[1][letter.ask()[:2]] += 1
            assert (np.abs(counts[0] - counts[1]) < 6 * np.sqrt(counts.sum(axis=0) + 9)).all()
        left, right = script.choice(4, 2, replace=False).tolist()
        outcome = float(script.random() < 0.5 + 0.1 * (right - left))
        letter.tell(left, right, (None,), outcome)
        if learner._learn(state, left, right, (np.nan,), outcome):
            learner._settle(state, rng)
    assert sizes[0] == 4
    assert min(sizes) in (2, 3)


def test_the_first_duel_is_fair():
    # Every arm is a candidate and every preference even: each left arm has chance 1/3. Six
    # standard deviations are exceeded with probability below 1e-8.
    n = 3000
    learner = dd.learners.DTS(3, seed=1)
    lefts = [learner._choose(learner._session.state, learner._session.rng)[0] for _ in range(n)]
    assert np.abs(np.bincount(lefts, minlength=3) - n / 3).max() < 6 * math.sqrt(n * 2 / 9)


def test_a_certain_winner_plays_itself_by_hand():
    # Arm 0 won 40 of 40 against both: Beta(1, 41) is above 0.5 with chance 2^-41.
    learner = dd.learners.DTS(3, seed=1)
    state = learner._session.state
    for _ in range(40):
        for other in (1, 2):
            if learner._learn(state, 0, other, (np.nan,), 1.0):
                learner._settle(state, learner._session.rng)
    assert state.candidates[: state.record[0]].tolist() == [0]
    assert state.risk[0, 1] == pytest.approx(2.0**-41)
    assert learner.best() == 0
    duel = learner.ask()
    assert (duel.left, duel.right, duel.propensity) == (0, 0, None)


@pytest.mark.parametrize("a", [1.0, 1.5, 2.0, 7.5, 40.0, 300.0])
@pytest.mark.parametrize("b", [1.0, 2.5, 9.0, 80.0, 350.0])
def test_the_chance_above_a_point_is_the_integral_of_the_density(a, b):
    for point in (0.3, 0.5, 0.71):
        assert above(a, b, point) == pytest.approx(naive.above(a, b, point), abs=2e-9)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 9), (9, 1), (30, 50), (500, 560)])
def test_the_chance_above_one_half_is_a_sum_of_binomials(a, b):
    n = a + b - 1
    exact = sum(math.comb(n, k) for k in range(a)) / 2**n
    assert above(float(a), float(b), 0.5) == pytest.approx(exact, rel=1e-9)


def test_the_chance_above_the_ends_is_certain():
    assert above(2.0, 3.0, 0.0) == 1.0
    assert above(2.0, 3.0, 1.0) == 0.0


@pytest.mark.parametrize(("a", "b"), [(1.0, 4.0), (3.5, 20.0), (100.0, 160.0), (10.0, 900.0)])
def test_a_quantile_has_its_chance(a, b):
    whole = above(a, b, 0.5)
    for share in (0.999, 0.5, 0.01):
        point = quantile(a, b, share * whole)
        assert 0.5 < point <= 1
        assert above(a, b, point) == pytest.approx(share * whole, rel=1e-6)


@pytest.mark.parametrize("kind", [dd.learners.DTS, dd.learners.DTSPlus])
@pytest.mark.parametrize("alpha", [-1, 0, np.inf, np.nan, "1", True])
def test_alpha_is_positive(kind, alpha):
    with pytest.raises(ValueError, match=r"^alpha is .*, must be a positive number( and finite)?$"):
        kind(3, alpha=alpha)


@pytest.mark.parametrize(("kind", "letter"), PAIRS)
def test_a_small_alpha_decides_early_and_follows_the_letter(kind, letter):
    learner = kind(4, alpha=0.03, seed=1)
    play_beside(learner, partial(letter, 4, 0.03), ROUNDS, 1)
    assert learner._session.state.verdicts.beaten.any()


@pytest.mark.parametrize("kind", [dd.learners.DTS, dd.learners.DTSPlus])
def test_only_condorcet_is_served(kind):
    with pytest.raises(ValueError, match=f"'borda', {kind.__name__} serves 'condorcet' only"):
        kind(3, criterion="borda")
    assert kind(3).criterion == dd.Condorcet()


@pytest.mark.large
@pytest.mark.parametrize("kind", [dd.learners.DTS, dd.learners.DTSPlus])
def test_regret_is_small_and_flat_at_the_end(kind):
    # Uniform play has regret 0.175 a round. None of 40 runs with other seeds came to two thirds
    # of these limits.
    horizon = 100_000
    world = dd.Stream.stationary(ladder(8, 0.05), horizon)
    final, late = final_and_late_regret(kind(8), world, range(4))
    assert (final < 0.05 * 0.175 * horizon).all()
    assert (late < 0.02 * 0.175 * horizon / 4).all()
