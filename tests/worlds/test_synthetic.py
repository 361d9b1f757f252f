"""What holds of every made-up world, and worlds that never change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftduel import Borda, Condorcet, Stream, classify
from driftduel.matrix.preferences import condorcet_winners
from driftduel.worlds import synthetic
from driftduel.worlds.matrices import KINDS
from tests.worlds.made_up import (
    WORLDS,
    properties,
    seeds,
    winner_per_stretch,
)


@pytest.mark.parametrize("world", WORLDS)
def test_a_world_has_the_arms_and_rounds_asked_for(world):
    for n_arms, horizon in ((2, 10), (5, 1), (7, 100)):
        given_ = {"n_phases": 1} if world is synthetic.switching else {}
        stream = world(n_arms=n_arms, horizon=horizon, **given_)
        assert isinstance(stream, Stream)
        assert (stream.n_arms, stream.horizon) == (n_arms, horizon)


@pytest.mark.parametrize("world", WORLDS)
def test_a_seed_gives_the_same_world_again_and_another_seed_another(world):
    stream = world(n_arms=9, horizon=50, seed=3)
    assert stream == world(n_arms=9, horizon=50, seed=3)
    assert stream == world(n_arms=9, horizon=50, seed=np.random.default_rng(3))
    assert any(stream != world(n_arms=9, horizon=50, seed=seed) for seed in range(4, 10))


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_arms": 1}, "n_arms is 1, must be at least 2"),
        ({"n_arms": 2.0}, "n_arms is 2.0, must be a whole number"),
        ({"horizon": 0}, "horizon is 0, must be at least 1"),
        ({"horizon": -5}, "horizon is -5, must be at least 1"),
        ({"horizon": 10.5}, "horizon is 10.5, must be a whole number"),
        ({"seed": -1}, "seed is -1, must be at least 0"),
        ({"seed": 1.5}, "seed is 1.5, must be a whole number"),
    ],
)
def test_every_world_refuses(world, parameters, message):
    with pytest.raises(ValueError, match=message):
        world(**parameters)


@properties
@given(st.integers(2, 12), st.floats(0.001, 0.5), seeds)
def test_one_winner_wins_by_its_margin_and_the_others_tie(n_arms, margin, seed):
    P = synthetic.one_winner(n_arms=n_arms, horizon=5, margin=margin, seed=seed).matrix(0)
    (winner,) = condorcet_winners(P)
    others = np.delete(np.arange(n_arms), winner)
    assert Condorcet().gaps(P)[others] == pytest.approx(np.full(n_arms - 1, margin), abs=1e-15)
    assert (P[np.ix_(others, others)] == 0.5).all()
    assert Borda().winners(P).tolist() == [winner]


def test_one_winner_can_be_named():
    for winner in range(4):
        stream = synthetic.one_winner(n_arms=4, horizon=1, winner=winner)
        assert winner_per_stretch(stream, Condorcet()) == [winner]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"margin": 0.6}, "margin is 0.6, must be between 0 and 0.5"),
        ({"margin": -0.1}, "margin is -0.1, must be between 0 and 0.5"),
        ({"margin": float("nan")}, "margin is nan, must be between 0 and 0.5"),
        ({"margin": "big"}, "margin is 'big', must be a number"),
        ({"winner": 10}, "winner is 10, must be at most 9"),
        ({"winner": -1}, "winner is -1, must be at least 0"),
    ],
)
def test_one_winner_refuses(parameters, message):
    with pytest.raises(ValueError, match=message):
        synthetic.one_winner(**parameters)


@pytest.mark.parametrize("link", ["logistic", "probit", "linear"])
def test_random_utilities_give_sst_and_sti(link):
    for seed in range(10):
        stream = synthetic.random_utilities(n_arms=6, horizon=1, link=link, seed=seed)
        member = classify(stream.matrix(0))
        assert member.sst
        assert member.sti


def test_bradley_terry_luce_satisfies_the_product_rule():
    P = synthetic.bradley_terry_luce(n_arms=5, horizon=1, seed=4).matrix(0)
    odds = P / P.T
    assert odds[0, 1] * odds[1, 2] == pytest.approx(odds[0, 2], rel=1e-12)


def test_no_spread_makes_all_arms_tie():
    for world in (synthetic.bradley_terry_luce, synthetic.random_utilities):
        assert (world(n_arms=3, horizon=1, spread=0).matrix(0) == 0.5).all()


@pytest.mark.parametrize("world", [synthetic.bradley_terry_luce, synthetic.random_utilities])
def test_a_negative_or_endless_spread_is_refused(world):
    for spread in (-1.0, float("inf")):
        with pytest.raises(ValueError, match="spread is"):
            world(spread=spread)


@pytest.mark.parametrize("kind", KINDS)
def test_a_random_member_is_stationary(kind):
    assert synthetic.random_member(kind=kind, n_arms=4, horizon=10**9).n_stretches == 1


def test_an_unknown_kind_is_refused():
    for world in (synthetic.random_member, synthetic.switching):
        with pytest.raises(ValueError, match="kind is 'odd', must be one of any, cw"):
            world(kind="odd")
