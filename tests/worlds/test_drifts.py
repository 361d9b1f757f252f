"""Worlds that drift without pause: how far, how finely, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftduel import Borda, Condorcet
from driftduel.matrix.preferences import condorcet_winners
from driftduel.worlds import synthetic
from tests.worlds.made_up import (
    DRIFTING,
    properties,
    seeds,
    total_variation,
    winner_per_stretch,
)


@pytest.mark.parametrize("world", DRIFTING)
def test_a_drift_over_a_million_rounds_takes_a_thousand_matrices(world):
    assert world(n_arms=3, horizon=10**6).n_stretches == 1000
    assert world(n_arms=3, horizon=1_500_500).n_stretches == 1000


@pytest.mark.parametrize("world", DRIFTING)
def test_a_drift_moves_every_step_rounds(world):
    stream = world(n_arms=3, horizon=100, step=7)
    assert stream.starts.tolist() == list(range(0, 100, 7))
    assert world(n_arms=3, horizon=100).n_stretches == 100
    assert world(n_arms=3, horizon=100, step=500).n_stretches == 1


@pytest.mark.parametrize("world", DRIFTING)
def test_a_drift_refuses(world):
    with pytest.raises(ValueError, match="step is 0, must be at least 1"):
        world(step=0)
    with pytest.raises(ValueError, match=r"step is 1\.5, must be a whole number"):
        world(step=1.5)
    with pytest.raises(ValueError, match=r"10,000,000 matrices of 10 arms .* raise step"):
        world(horizon=10**7, step=1)


def test_random_walks_travel_as_far_whatever_the_step():
    def ways(step):
        stream = synthetic.random_walk(
            n_arms=200, horizon=100, spread=0, travel=0.5, step=step, seed=step
        )
        last = stream.matrix(99)
        return np.log(last / last.T)[:, 0]

    for step in (1, 10, 25):
        # The spread of the differences to one arm is that of 200 normals, 0.5 times the root of
        # the share of the horizon covered by moves; an estimate is 30 % off with a probability
        # below 1e-8.
        covered = (99 // step) * step / 100
        assert np.std(ways(step)) == pytest.approx(0.5 * covered**0.5, rel=0.3)


def test_a_random_walk_that_does_not_travel_is_stationary():
    assert synthetic.random_walk(n_arms=3, horizon=100, travel=0).n_stretches == 1


def test_random_walks_refuse_negative_widths():
    for name in ("spread", "travel"):
        with pytest.raises(ValueError, match=f"{name} is -1.0, must be at least 0"):
            synthetic.random_walk(**{name: -1.0})


def test_every_arm_of_a_sinusoidal_world_is_best_once_in_a_period():
    stream = synthetic.sinusoidal(n_arms=5, horizon=1000, periods=1, seed=1)
    winners = winner_per_stretch(stream, Borda())
    turns = [a for a, b in zip(winners, [*winners[1:], winners[0]], strict=True) if a != b]
    assert sorted(turns) == [0, 1, 2, 3, 4]


def test_a_sinusoidal_world_comes_round_after_a_period():
    stream = synthetic.sinusoidal(n_arms=3, horizon=100, periods=2)
    assert stream.matrix(0) == pytest.approx(stream.matrix(50), abs=1e-12)
    assert np.abs(stream.matrix(0) - stream.matrix(25)).max() > 0.1


def test_a_sinusoidal_world_follows_its_formula():
    stream = synthetic.sinusoidal(
        n_arms=2, horizon=8, periods=1, amplitude=0.5, link="linear", seed=0
    )
    lag = np.random.default_rng(0).permutation(2) / 2
    for t in range(8):
        u = 0.5 * np.sin(2 * np.pi * (t / 8 + lag))
        assert stream.matrix(t)[0, 1] == pytest.approx((1 + u[0] - u[1]) / 2, abs=1e-12)


def test_sinusoidal_refuses_negative_numbers():
    for name in ("periods", "amplitude"):
        with pytest.raises(ValueError, match=f"{name} is -1.0, must be at least 0"):
            synthetic.sinusoidal(**{name: -1.0})


def test_only_one_entry_of_a_one_entry_drift_moves():
    stream = synthetic.one_entry_drift(n_arms=6, horizon=500, first=0.9, last=0.2, seed=5)
    moved = np.argwhere(np.ptp(stream.palette, axis=0) > 0)
    assert len(moved) == 2
    (a, b), (c, d) = moved.tolist()
    assert (a, b) == (d, c)
    assert total_variation(stream) == pytest.approx(0.7, abs=1e-9)
    entry = stream.palette[:, a, b]
    assert {float(entry[0]), float(entry[-1])} in ({0.9, 0.2}, {1 - 0.9, 1 - 0.2})
    assert np.diff(entry) == pytest.approx(np.full(499, np.diff(entry)[0]), abs=1e-12)


def test_a_one_entry_drift_changes_the_condorcet_winner_and_not_the_borda_winner():
    stream = synthetic.one_entry_drift(n_arms=6, horizon=1000)
    condorcet = [set(condorcet_winners(stream.matrix(t)).tolist()) for t in (0, 999)]
    assert len(condorcet[0]) == len(condorcet[1]) == 1
    assert condorcet[0] != condorcet[1]
    assert set(winner_per_stretch(stream, Borda())) == condorcet[0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"first": 1.2}, "first is 1.2, must be between 0 and 1"),
        ({"last": -0.2}, "last is -0.2, must be between 0 and 1"),
        ({"margin": 0.7}, "margin is 0.7, must be between 0 and 0.5"),
    ],
)
def test_one_entry_drift_refuses(parameters, message):
    with pytest.raises(ValueError, match=message):
        synthetic.one_entry_drift(**parameters)


@properties
@given(st.integers(2, 8), st.floats(0.01, 0.5), st.floats(0.2, 0.8), st.floats(0.01, 0.5), seeds)
def test_a_handover_changes_the_winner_once_in_both_senses(n_arms, margin, middle, width, seed):
    stream = synthetic.handover(
        n_arms=n_arms, horizon=200, margin=margin, middle=middle, width=width, seed=seed
    )
    for criterion in (Borda(), Condorcet()):
        winners = [int(criterion.winners(stream.matrix(t))[0]) for t in range(200)]
        changes = [t for t in range(1, 200) if winners[t] != winners[t - 1]]
        assert len(changes) == 1
        assert abs(changes[0] - 200 * middle) <= 1


def test_a_handover_follows_its_curve():
    stream = synthetic.handover(n_arms=4, horizon=1000, margin=0.4, middle=0.5, width=0.2, seed=3)
    (first,), (second,) = (condorcet_winners(stream.matrix(t)) for t in (0, 999))
    for t in (0, 400, 450, 500, 600, 999):
        gone = 1 / (1 + np.exp(-4 * (t / 1000 - 0.5) / 0.2))
        P = stream.matrix(t)
        assert P[first, second] == pytest.approx(0.5 + 0.4 * (1 - 2 * gone), abs=1e-12)
        for third in {0, 1, 2, 3} - {int(first), int(second)}:
            assert P[first, third] == pytest.approx(0.5 + 0.4 * (1 - gone), abs=1e-12)
            assert P[second, third] == pytest.approx(0.5 + 0.4 * gone, abs=1e-12)
    assert np.abs(np.diff(stream.palette, axis=0)).max() < 0.01


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"margin": 0.7}, "margin is 0.7, must be between 0 and 0.5"),
        ({"middle": 1.5}, "middle is 1.5, must be between 0 and 1"),
        ({"width": 0.0}, "width is 0.0, must be a positive number"),
    ],
)
def test_handover_refuses(parameters, message):
    with pytest.raises(ValueError, match=message):
        synthetic.handover(**parameters)


def test_a_drifting_glm_is_a_link_of_features_that_stay():
    features = synthetic.random_features(n_arms=6, n_features=2, seed=4)
    world = synthetic.glm_drift(n_arms=6, n_features=2, horizon=1000, seed=4)
    assert world.n_stretches == 1000
    for t in (0, 500, 999):
        odds = np.log(world.matrix(t) / (1 - world.matrix(t)))
        theta, *_ = np.linalg.lstsq(features - features[0], odds[:, 0], rcond=None)
        assert odds == pytest.approx((features[:, None] - features) @ theta, abs=1e-9)


def test_a_drifting_glm_takes_features_and_walks_the_same_way():
    features = synthetic.random_features(n_arms=6, n_features=2, seed=4)
    drawn = synthetic.glm_drift(n_arms=6, n_features=2, horizon=500, seed=4)
    given = synthetic.glm_drift(n_arms=6, n_features=2, features=features, horizon=500, seed=4)
    assert (drawn.matrix(300) == given.matrix(300)).all()
    still = synthetic.glm_drift(n_arms=6, horizon=500, travel=0)
    assert (still.matrix(0) == still.matrix(499)).all()
