"""The guard of docs/guarantee.md: its estimates, its blocks, and that tosses stay unseen."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from studies.guarantee.command import ladder, play
from studies.guarantee.guard import Blocks, Guard

K = 3


def stuck(seed):
    return dd.learners.BordaETC(5, 200, exploration=200, seed=seed)


class Notes:
    """A learner that notes what it proposed."""

    def __init__(self, learner):
        self.learner, self.pairs = learner, []

    def ask(self):
        duel = self.learner.ask()
        self.pairs.append((duel.left, duel.right))
        return duel

    def tell(self, duel, outcome):
        self.learner.tell(duel, outcome)

    def cancel(self, duel):
        self.learner.cancel(duel)


@pytest.mark.parametrize("proposed", [(0, 0), (0, 1), (2, 1)])
def test_gains_are_in_the_mean_what_an_arm_is_ahead_of_the_pair(proposed):
    matrix = np.array([[0.5, 0.8, 0.3], [0.2, 0.5, 0.9], [0.7, 0.1, 0.5]])
    eta, guard = 0.2, Guard(stuck, K, 100)
    mean = np.zeros(K)
    for arm, other, won in product(range(K), range(K), (0.0, 1.0)):
        chance = matrix[arm, other] if won else 1 - matrix[arm, other]
        mean += eta / K**2 * chance * guard.gains(arm, proposed, eta, won)
    scores = matrix.mean(axis=1)
    np.testing.assert_allclose(mean, scores - scores[list(proposed)].mean(), atol=1e-12)


def alarms_by_definition(rows, etas, smallest, quiet):
    """Return after which rounds some dyadic block from the start has too large a sum."""
    found = []
    for end in range(1, len(rows) + 1):
        length = smallest
        while length <= end:
            if end % length == 0:
                block, inverse = rows[end - length : end], 1 / etas[end - length : end]
                noise = np.sqrt(K * inverse.sum()) + K * inverse.max()
                bar = max(K ** (1 / 3) * (length - 1) ** (2 / 3), noise)
                if block.sum(axis=0).max() >= quiet * bar:
                    found.append(end)
                    break
            length *= 2
    return found


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_blocks_alarm_as_defined(seed, n_rounds):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0.4, 2, (n_rounds, K)) * (rng.random((n_rounds, 1)) < 0.7)
    etas = rng.uniform(0.1, 0.9, n_rounds)
    blocks, found = Blocks(K, 2, 6), []
    for number, (row, eta) in enumerate(zip(rows, etas, strict=True), 1):
        blocks.add(row if row.any() else None, eta)
        if blocks.alarm(0.31):
            found.append(number)
    assert found == alarms_by_definition(rows, etas, 2, 0.31)


def test_what_a_learner_proposes_does_not_depend_on_tosses_and_replays():
    world = dd.Stream.piecewise([ladder(0), ladder(1)], [0, 500], 1500)
    proposals, tosses = [], []
    for rate in (0.01, 1.0):
        noted = []

        def make(seed, noted=noted):
            noted.append(Notes(dd.DriftDuel(5, seed=seed)))
            return noted[-1]

        played = Guard(make, 5, 1500, rate=rate, quiet=np.inf, seed=3).play(world)
        proposals.append(noted[0].pairs)
        tosses.append(played.tosses)
    assert proposals[0] == proposals[1]
    assert tosses[1] > 1.1 * tosses[0]


def test_hidden_rounds_and_tosses_are_as_many_as_was_said():
    horizon = 4000
    played = Guard(stuck, 5, horizon, rate=0.0, quiet=np.inf, seed=1).play(
        dd.Stream.stationary(ladder(0), horizon)
    )
    rates = np.minimum(0.25, (5 / np.arange(1, horizon + 1)) ** (1 / 3))
    # Five standard deviations: a right guard fails once in a million seeds.
    assert abs(played.hidden - 0.25 * horizon) < 5 * np.sqrt(0.25 * 0.75 * horizon)
    assert abs(played.tosses - rates.sum()) < 5 * np.sqrt((rates * (1 - rates)).sum())


@pytest.mark.parametrize(
    ("world", "alarms"),
    [
        (dd.Stream.stationary(ladder(0, 0.4), 12_000), 0),
        (dd.Stream.piecewise([ladder(0, 0.4), ladder(1, 0.4)], [0, 1000], 12_000), 1),
    ],
)
def test_a_learner_that_is_stuck_raises_the_alarm_and_no_other_does(world, alarms):
    played = Guard(stuck, 5, world.horizon, seed=2).play(world)
    assert len(played.alarms) == alarms
    assert played.watches[0] == 0
    alone = dd.simulate(stuck(2), world, seed=2, points=2).regret("borda")[-1]
    if alarms:
        assert played.regret[-1] < 0.8 * alone


def test_a_run_of_the_study_tells_regret_with_the_guard_and_without():
    row = play(("RUCB", "a hidden rise", 1000, 0))
    assert row["tosses"] > 0
    assert 0 < row["alone"] < 500
    assert 0 < row["guarded"] < 500
