"""Worlds that change at once: when, who wins then, and what they refuse."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftduel import Borda, Condorcet, classify
from driftduel.matrix.preferences import condorcet_winners, gic_winners
from driftduel.worlds import synthetic
from driftduel.worlds.matrices import KINDS
from driftduel.worlds.synthetic import phases
from tests.worlds.made_up import (
    approximate_phases,
    properties,
    seeds,
    total_variation,
    winner_per_stretch,
)


@properties
@given(st.sampled_from(KINDS), st.integers(4, 7), st.integers(1, 12), seeds)
def test_a_winner_that_changes_does_so_at_every_switch(kind, n_arms, n_phases, seed):
    stream = synthetic.switching(
        n_arms=n_arms, horizon=100, n_phases=n_phases, kind=kind, spacing="random", seed=seed
    )
    winners = winner_per_stretch(stream, Borda() if kind == "any" else Condorcet())
    assert len(winners) == n_phases
    assert all(a != b for a, b in pairwise(winners))


@properties
@given(st.sampled_from(KINDS), st.integers(4, 7), st.integers(1, 12), seeds)
def test_a_winner_that_stays_does_so_while_the_rest_switches(kind, n_arms, n_phases, seed):
    stream = synthetic.switching(
        n_arms=n_arms, horizon=100, n_phases=n_phases, kind=kind, winner="stays", seed=seed
    )
    winners = winner_per_stretch(stream, Borda() if kind == "any" else Condorcet())
    assert len(winners) == n_phases
    assert len(set(winners)) == 1


def test_a_winner_left_to_chance_sometimes_stays_and_sometimes_changes():
    stream = synthetic.switching(n_arms=2, horizon=100, n_phases=100, winner="chance")
    winners = winner_per_stretch(stream, Condorcet())
    changes = sum(a != b for a, b in pairwise(winners))
    # 99 fair coins fall outside 20 to 79 with a probability below 1e-8.
    assert 20 <= changes <= 79


def test_the_changed_winner_may_be_any_other_arm():
    stream = synthetic.switching(n_arms=4, horizon=400, n_phases=400, kind="sst", seed=2)
    winners = winner_per_stretch(stream, Condorcet())
    # Each of the 12 ordered pairs is missed by 399 switches with a probability below 1e-14.
    assert len(set(pairwise(winners))) == 12


@pytest.mark.parametrize("kind", ["cw", "gic", "sst", "sst-sti"])
def test_every_phase_of_a_switching_world_is_of_its_kind(kind):
    stream = synthetic.switching(n_arms=5, horizon=50, n_phases=10, kind=kind)
    members = [classify(P) for P in stream.palette]
    assert all(member.condorcet for member in members)
    assert all(member.gic for member in members) or kind == "cw"
    assert all(member.sst for member in members) or kind in ("cw", "gic")
    assert all(member.sti for member in members) or kind != "sst-sti"


@properties
@given(st.integers(1, 40), st.data())
def test_even_phases_differ_in_length_by_one_round_at_most(horizon, data):
    n_phases = data.draw(st.integers(1, horizon))
    starts = phases.even_starts(horizon, n_phases)
    lengths = np.diff(np.append(starts, horizon))
    assert len(starts) == n_phases
    assert lengths.sum() == horizon
    assert lengths.min() >= 1
    assert lengths.max() - lengths.min() <= 1


def test_random_phases_can_fill_the_horizon_and_be_few_in_a_long_one():
    full = synthetic.switching(horizon=20, n_phases=20, spacing="random")
    assert full.starts.tolist() == list(range(20))
    long = synthetic.switching(horizon=10**9, n_phases=100, spacing="random")
    assert long.n_stretches == 100


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_phases": 0}, "n_phases is 0, must be at least 1"),
        ({"n_phases": 11, "horizon": 10}, "n_phases is 11, must be at most the horizon 10"),
        ({"winner": "moves"}, "winner is 'moves', must be one of changes, stays, chance"),
        ({"spacing": "odd"}, "spacing is 'odd', must be one of even, random"),
        ({"kind": "cyclic", "n_arms": 3}, "n_arms is 3, must be at least 4"),
        (
            {"n_arms": 1000, "horizon": 1000, "n_phases": 1000},
            "1,000 matrices of 1000 arms would take 7.5 GB; lower n_phases or n_arms",
        ),
    ],
)
def test_switching_refuses(parameters, message):
    with pytest.raises(ValueError, match=message):
        synthetic.switching(**parameters)


@properties
@given(st.integers(2, 8), st.integers(1, 120), st.integers(1, 9), seeds, st.data())
def test_spurious_switches_change_the_winner_on_time_in_one_approximate_phase(
    n_arms, horizon, every, seed, data
):
    contenders = data.draw(st.integers(2, n_arms))
    stream = synthetic.spurious_switches(
        n_arms=n_arms, horizon=horizon, every=every, contenders=contenders, seed=seed
    )
    winners = []
    for t in range(horizon):
        (winner,) = condorcet_winners(stream.matrix(t))
        assert gic_winners(stream.matrix(t)).tolist() == [winner]
        winners.append(winner)
    changes = [t for t in range(1, horizon) if winners[t] != winners[t - 1]]
    assert changes == list(range(every, horizon, every))
    assert len(set(winners)) <= contenders
    assert approximate_phases(stream) == 1


def test_spurious_switches_every_round_have_the_most_switches_there_can_be():
    stream = synthetic.spurious_switches(n_arms=10, horizon=1000)
    winners = winner_per_stretch(stream, Condorcet())
    assert len(winners) == 1000
    assert all(a != b for a, b in pairwise(winners))
    assert total_variation(stream) == pytest.approx(999 * 2 * 0.1, abs=1e-9)


def test_the_margin_of_spurious_switches_shrinks_with_the_horizon():
    stream = synthetic.spurious_switches(n_arms=4, horizon=128_000)
    P = stream.matrix(0)
    assert np.sort(Condorcet().gaps(P)) == pytest.approx([0, 0.05, 0.3, 0.3], abs=1e-12)


def test_a_large_margin_makes_the_switches_matter():
    stream = synthetic.spurious_switches(n_arms=2, horizon=2000, every=100, margin=0.4)
    assert approximate_phases(stream) > 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"every": 0}, "every is 0, must be at least 1"),
        ({"contenders": 1}, "contenders is 1, must be at least 2"),
        ({"contenders": 11}, "contenders is 11, must be at most 10"),
        ({"margin": 0.51}, "margin is 0.51, must be between 0 and 0.5"),
        ({"gap": -0.1}, "gap is -0.1, must be between 0 and 0.5"),
    ],
)
def test_spurious_switches_refuse(parameters, message):
    with pytest.raises(ValueError, match=message):
        synthetic.spurious_switches(**parameters)


@properties
@given(st.integers(2, 8), st.integers(1, 120), st.integers(1, 50), seeds)
def test_a_wobble_keeps_its_winner_and_changes_its_margin(n_arms, horizon, every, seed):
    stream = synthetic.wobble(
        n_arms=n_arms, horizon=horizon, every=every, high=0.3, low=0.125, seed=seed
    )
    (best,) = condorcet_winners(stream.matrix(0))
    for t in range(horizon):
        (winner,) = condorcet_winners(stream.matrix(t))
        assert winner == best
        margin = 0.125 if t // every % 2 else 0.3
        gaps = Condorcet().gaps(stream.matrix(t))
        assert np.delete(gaps, best) == pytest.approx([margin] * (n_arms - 1))


def test_the_winner_of_a_wobble_can_be_named():
    assert winner_per_stretch(synthetic.wobble(horizon=10, winner=7), Borda()) == [7]


@properties
@given(st.integers(2, 8), st.integers(1, 120), st.integers(1, 50), seeds, st.data())
def test_in_an_alternation_arms_win_in_turn(n_arms, horizon, every, seed, data):
    contenders = data.draw(st.integers(2, n_arms))
    stream = synthetic.alternation(
        n_arms=n_arms, horizon=horizon, every=every, contenders=contenders, seed=seed
    )
    winners = [int(condorcet_winners(stream.matrix(t))[0]) for t in range(horizon)]
    turns = winners[::every]
    assert winners == [turns[t // every] for t in range(horizon)]
    assert len(set(turns)) == min(contenders, len(turns))
    assert all(turns[n] == turns[n - contenders] for n in range(contenders, len(turns)))
    assert np.sort(Borda().gaps(stream.matrix(0)))[1:] == pytest.approx(
        [0.3] * (n_arms - 1), abs=1e-12
    )


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        (synthetic.wobble, {"every": 0}, "every is 0, must be at least 1"),
        (synthetic.wobble, {"high": 0.6}, "high is 0.6, must be between 0 and 0.5"),
        (synthetic.wobble, {"low": -0.1}, "low is -0.1, must be between 0 and 0.5"),
        (synthetic.wobble, {"winner": 10}, "winner is 10, must be"),
        (synthetic.alternation, {"every": 0}, "every is 0, must be at least 1"),
        (synthetic.alternation, {"contenders": 1}, "contenders is 1, must be at least 2"),
        (synthetic.alternation, {"contenders": 11}, "contenders is 11, must be at most 10"),
        (synthetic.alternation, {"margin": 0.7}, "margin is 0.7, must be between 0 and 0.5"),
    ],
)
def test_worlds_of_turns_refuse(world, parameters, message):
    with pytest.raises(ValueError, match=message):
        world(**parameters)


@properties
@given(st.integers(2, 8), st.integers(1, 3000), st.integers(1, 50), st.floats(0.05, 3), seeds)
def test_bursts_change_the_winner_each_time_and_keep_the_shortest_distance(
    n_arms, horizon, shortest, tail, seed
):
    stream = synthetic.bursts(
        n_arms=n_arms, horizon=horizon, shortest=shortest, tail=tail, margin=0.25, seed=seed
    )
    winners = winner_per_stretch(stream, Condorcet())
    assert winners == winner_per_stretch(stream, Borda())
    assert all(a != b for a, b in pairwise(winners))
    assert (np.diff(stream.starts) >= shortest).all()
    assert all(np.sort(Condorcet().gaps(P))[1:] == pytest.approx(0.25) for P in stream.palette)


def test_the_distances_of_bursts_are_pareto():
    stream = synthetic.bursts(n_arms=3, horizon=10**9, shortest=1000, tail=1.5, seed=2)
    distances = np.diff(stream.starts)
    assert len(distances) > 10**5
    for factor in (2, 4, 8):
        # A share of 10^5 is 0.01 off with a probability below 1e-9.
        assert np.mean(distances > 1000 * factor) == pytest.approx(factor**-1.5, abs=0.01)


def test_any_other_arm_may_win_after_a_change_of_bursts():
    stream = synthetic.bursts(n_arms=4, horizon=10**6, shortest=100, tail=2)
    assert len(set(pairwise(winner_per_stretch(stream, Condorcet())))) == 12


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"margin": -0.1}, "margin is -0.1, must be between 0 and 0.5"),
        ({"shortest": 0}, "shortest is 0, must be at least 1"),
        ({"tail": 0}, "tail is 0, must be a positive number"),
        ({"horizon": 10**12, "shortest": 1}, "lower horizon or raise shortest"),
    ],
)
def test_bursts_refuse(parameters, message):
    with pytest.raises(ValueError, match=message):
        synthetic.bursts(**parameters)


@properties
@given(st.integers(3, 9), st.integers(1, 120), st.integers(1, 50), seeds, st.data())
def test_one_winner_moves_and_the_other_stays(n_arms, horizon, every, seed, data):
    lead = data.draw(st.floats(0.1, 0.5))
    margin = data.draw(st.floats(0.01, 0.9)) * lead * (n_arms - 2) / n_arms
    moves = data.draw(st.sampled_from(["borda", "condorcet"]))
    stream = synthetic.one_winner_moves(
        n_arms=n_arms,
        horizon=horizon,
        every=every,
        moves=moves,
        margin=margin,
        lead=lead,
        seed=seed,
    )
    borda, condorcet = (winner_per_stretch(stream, c) for c in (Borda(), Condorcet()))
    moving, staying = (borda, condorcet) if moves == "borda" else (condorcet, borda)
    assert len(set(staying)) == 1
    assert set(moving).isdisjoint(staying)
    assert all(a != b for a, b in pairwise(moving))
    assert stream.starts.tolist() == list(range(0, horizon, every))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_arms": 2}, "n_arms is 2, must be at least 3"),
        ({"moves": "both"}, "moves is 'both', must be one of borda, condorcet"),
        ({"n_arms": 4, "margin": 0.2}, "lead is 0.4, must be above 0.4 for the winners to differ"),
        ({"lead": 0.6}, "lead is 0.6, must be between 0 and 0.5"),
        ({"every": 0}, "every is 0, must be at least 1"),
    ],
)
def test_one_winner_moves_refuses(parameters, message):
    with pytest.raises(ValueError, match=message):
        synthetic.one_winner_moves(**parameters)
