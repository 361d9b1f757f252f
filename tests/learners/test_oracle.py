"""An oracle has no regret, under any criterion and in any world."""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.experiments.simulation import oracle_of
from driftduel.learners.rivals.oracle import Oracle
from tests.learners.driving import as_matrix

PAPERS = [[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]
CYCLE = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]


def random_world(rng, n_arms, horizon=80):
    """Many changes; arm 0, 1 or 2 is unbeaten in each matrix, so there are Condorcet winners."""
    matrices = []
    for n in range(12):
        matrix = as_matrix(rng.integers(0, 9, (n_arms, n_arms)) / 8)
        best = n % min(3, n_arms)
        matrix[best] = np.maximum(matrix[best], 0.5)
        matrix[:, best] = 1 - matrix[best]
        matrices.append(matrix)
    starts = np.sort(rng.choice(np.arange(1, horizon), 11, replace=False))
    return dd.Stream.piecewise(matrices, [0, *starts], horizon)


@pytest.mark.parametrize("seed", range(8))
def test_an_oracle_has_no_regret_of_any_kind(seed):
    rng = np.random.default_rng(seed)
    n_arms = int(rng.integers(2, 6))
    world = random_world(rng, n_arms)
    weights = rng.dirichlet(np.ones(n_arms), 2)
    turning = dd.Weighted(dd.WeightSequence(weights, [0, 33]))
    for criterion in ("borda", "condorcet", "copeland", dd.Weighted(weights[0]), turning):
        run = dd.simulate(oracle_of(world, criterion), world, seed, points=world.horizon)
        for weak in (False, True):
            for binary in (False, True):
                regret = run.regret(criterion, weak=weak, binary=binary)
                assert regret.tolist() == [0.0] * world.horizon
        assert (run.plays == np.diag(np.diag(run.plays))).all()


def test_the_oracle_of_one_criterion_has_regret_under_another():
    world = dd.Stream.stationary(PAPERS, 30)
    borda, condorcet = oracle_of(world), oracle_of(world, "condorcet")
    assert (borda.best(), condorcet.best()) == (1, 0)
    regret = dd.simulate(condorcet, world, points=1).regret("borda")
    assert regret == pytest.approx(30 * 0.2 / 3)


def test_an_arm_that_ties_with_the_condorcet_winner_is_not_taken_for_it():
    P = [[0.5, 0.25, 0.5], [0.75, 0.5, 0.25], [0.5, 0.75, 0.5]]
    assert oracle_of(dd.Stream.stationary(P, 5), "condorcet").best() == 2


def test_winners_that_stay_are_one_stretch():
    ladder = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
    steeper = [[0.5, 0.7, 0.9], [0.3, 0.5, 0.7], [0.1, 0.3, 0.5]]
    world = dd.Stream.piecewise([ladder, steeper, PAPERS], [0, 10, 20], 30)
    oracle = oracle_of(world)
    assert oracle.winners.tolist() == [0, 1]
    assert oracle.starts.tolist() == [0, 20]


def test_labels_and_horizon_are_those_of_the_stream():
    world = dd.Stream.stationary(PAPERS, 30, labels=["tea", "coffee", "milk"])
    oracle = oracle_of(world)
    assert (oracle.labels, oracle.horizon) == (("tea", "coffee", "milk"), 30)


def test_an_oracle_in_a_file_goes_on_in_its_stretch(tmp_path):
    oracle = Oracle(3, winners=[1, 2, 0], starts=[0, 2, 4])
    for _ in range(3):
        oracle.tell(oracle.ask(), 0.5)
    oracle.save(tmp_path / "oracle.json")
    again = dd.load_learner(tmp_path / "oracle.json")
    assert again.best() == 2
    again.tell(again.ask(), 0.5)
    assert again.best() == 0
    assert again.active.tolist() == [0]


def test_a_world_without_a_condorcet_winner_has_no_such_oracle():
    world = dd.Stream.piecewise([PAPERS, CYCLE], [0, 7], 10)
    with pytest.raises(ValueError, match=r"^round 7: no arm is a Condorcet winner"):
        oracle_of(world, "condorcet")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"winners": [0, 1]}, "winners: there are 2 for 1 starts"),
        ({"winners": [3]}, r"winners\[0\] = 3, must be between 0 and 2"),
        ({"winners": [-1]}, r"winners\[0\] = -1, must be between 0 and 2"),
        ({"winners": [0.5]}, r"winners\[0\] = 0.5, must be a whole number"),
        ({"winners": []}, "winners: must be a list of whole numbers, one at least"),
        ({"starts": [1]}, r"oracle: starts\[0\] = 1, must be 0"),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Oracle(3, 100, **settings)
