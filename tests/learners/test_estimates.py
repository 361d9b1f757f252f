"""The estimates have the scores for their mean: every pair and outcome is gone through.

The kernels themselves are used. `choose` is handed its numbers by going to the function that
was compiled, so that each pair can be made to come up; `learn` adds the estimate.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.paper.bosse import choose, learn
from driftduel.testing.driving import tell_as_played
from tests.learners.driving import as_matrix, random_world
from tests.learners.problems import CRITERIA, random_learner

GRID = 1000
PER_KIND = 6
ROUNDING = 1e-12


class Numbers:
    """Stands for a generator; its numbers are known."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


def duel_of(state, left, right):
    return getattr(choose, "py_func", choose)(state, Numbers(left, right))


def draws(state):
    """Return for each arm the numbers of a grid of (0, 1) that draw it."""
    found = {}
    for n in range(GRID):
        number = (n + 0.5) / GRID
        found.setdefault(int(duel_of(state, number, 0.5)[0]), []).append(number)
    return found


def tickets(state, drawn=None):
    """Return the ticket of every pair that may come up."""
    drawn = drawn or draws(state)
    numbers = {arm: them[len(them) // 2] for arm, them in drawn.items()}
    found = {}
    for left, u in numbers.items():
        for right, v in numbers.items():
            *pair, ticket = duel_of(state, u, v)
            assert tuple(pair) == (left, right)
            found[left, right] = ticket
    return found


def estimate(state, left, right, ticket, outcome):
    """Return what `learn` adds to the sums, one row per reference weight."""
    blank = deepcopy(state)
    blank.sums[:] = 0
    learn(blank, left, right, ticket, outcome)
    return blank.sums


def expected_estimate(state, found, matrix):
    total = np.zeros_like(state.sums)
    for (left, right), ticket in found.items():
        for outcome, chance in ((1.0, matrix[left, right]), (0.0, matrix[right, left])):
            total += ticket[0] * chance * estimate(state, left, right, ticket, outcome)
    return total


def reference_weights(learner, state):
    K = learner.n_arms
    if isinstance(learner.criterion, dd.Condorcet):
        return np.eye(K)
    if isinstance(learner.criterion, dd.Borda):
        return np.full((1, K), 1 / K)
    return learner.criterion.weight.at(int(state.clock[0]["round"]))[None]


def visited_states(learner, rng, n_states):
    """Play a world by ask and tell; return copies of the state at some of the rounds."""
    world = random_world(rng, learner.n_arms, learner.horizon)
    keep = set(rng.choice(learner.horizon, min(n_states, learner.horizon), replace=False))
    states = []
    for t in range(learner.horizon):
        if t in keep | {0}:
            states.append(deepcopy(learner._session.state))
        duel = learner.ask()
        tell_as_played(learner, duel, float(rng.random() < world[t, duel.left, duel.right]))
    return states


def problem(seed, kind):
    """Return a learner of either class with a cap that keeps every active arm in play."""
    rng = np.random.default_rng([seed, CRITERIA.index(kind), 2])
    intervals = str(rng.choice(["all", "dyadic"]))
    settings = {"intervals": intervals}
    if intervals == "dyadic":
        settings |= {"smallest_block": 4}
    learner = random_learner(rng, (dd.Bosse, dd.MetaBosse)[seed % 2], kind, **settings)
    capped = replace(learner.constants, cap=0.5)
    return learner.clone(constants=capped), rng


@pytest.mark.parametrize("kind", CRITERIA)
def test_estimates_are_unbiased_for_the_arms_that_are_played(kind):
    sets, rates = set(), set()
    for seed in range(PER_KIND):
        learner, rng = problem(seed, kind)
        states = visited_states(learner, rng, 4)
        matrix = as_matrix(rng.random((learner.n_arms, learner.n_arms)))
        centre = 0.5 if learner.estimator == "centred" else 0.0
        for state in states:
            found = tickets(state)
            assert math.fsum(ticket[0] for ticket in found.values()) == pytest.approx(
                1, abs=ROUNDING
            )
            active = learner._active_of(state)
            played = sorted({left for left, _ in found})
            assert set(active) <= set(played)
            scores = (matrix - centre) @ reference_weights(learner, state).T
            # The outcome may be told in another state than the duel was asked in.
            for teller in (state, states[-1]):
                mean = expected_estimate(teller, found, matrix)
                assert mean.T[played] == pytest.approx(scores[played], abs=ROUNDING)
            sets.add((learner.n_arms, *active))
            rates.add(float(state.clock[0]["rate"]))
    assert len(sets) > 3
    assert len(rates) > 3


@pytest.mark.parametrize("kind", CRITERIA)
def test_arms_are_drawn_as_often_as_their_propensity_says(kind):
    for seed in range(PER_KIND):
        learner, rng = problem(seed, kind)
        for state in visited_states(learner, rng, 2):
            drawn = draws(state)
            found = tickets(state, drawn)
            for arm, numbers in drawn.items():
                # An arm is drawn by K + 2 stretches of numbers at most; the grid may be off by
                # one at either end of each.
                off = 2 * (learner.n_arms + 2) / GRID
                chance = math.sqrt(found[arm, arm][0])
                assert len(numbers) / GRID == pytest.approx(chance, abs=off)
                for other in drawn:
                    product = chance * math.sqrt(found[other, other][0])
                    assert found[arm, other][0] == pytest.approx(product, rel=ROUNDING)


@pytest.mark.parametrize("kind", CRITERIA)
def test_a_tie_counts_as_half_a_win_and_half_a_loss(kind):
    learner, rng = problem(0, kind)
    state = visited_states(learner, rng, 1)[-1]
    for (left, right), ticket in tickets(state).items():
        win, tie, loss = (estimate(state, left, right, ticket, x) for x in (1.0, 0.5, 0.0))
        assert tie == pytest.approx((win + loss) / 2, abs=ROUNDING)


def test_without_a_cap_an_arm_without_weight_is_never_played():
    # The paper's letter: at the rate 1 the arm is active, but its estimate is 0 for ever.
    matrix = np.array([[0.5, 0.5, 0.1], [0.5, 0.5, 0.1], [0.9, 0.9, 0.5]])
    criterion = dd.Weighted([0.5, 0.5, 0.0])
    letter = dd.Bosse(3, 100, criterion=criterion, constants="theory")._session.state
    assert sorted({left for left, _ in tickets(letter)}) == [0, 1]
    assert expected_estimate(letter, tickets(letter), matrix)[0, 2] == 0
    ours = dd.Bosse(3, 100, criterion=criterion)._session.state
    assert expected_estimate(ours, tickets(ours), matrix)[0] == pytest.approx([0, 0, 0.4])


@pytest.mark.parametrize("rate", [0.25, 1 / 3, 1.0])
def test_a_number_below_the_rate_explores_and_the_rate_itself_does_not(rate):
    learner = dd.MetaBosse(4, 1000)
    state = learner._allocate()
    learner._begin(state, np.random.default_rng(0))
    state.active[0] = 2
    state.clock["n_active"] = 1
    state.clock["rate"] = rate
    state.clock["explore_scale"] = 4 / rate
    state.clock["exploit_scale"] = 1 / (1 - rate) if rate < 1 else 0.0
    numbers = [0.0, rate / 2, np.nextafter(rate, 0), rate, np.nextafter(rate, 1), 0.999]
    drawn = [int(duel_of(state, number, 0.5)[0]) for number in numbers if number < 1]
    assert drawn == ([0, 2, 3, 2, 2, 2] if rate < 1 else [0, 2, 3, 3])
