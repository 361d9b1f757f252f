from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftduel import Borda, Condorcet, Stream, classify
from driftduel.matrix.preferences import condorcet_winners, gic_winners
from driftduel.worlds import synthetic
from driftduel.worlds.matrices import KINDS

properties = settings(max_examples=100, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32)

DRIFTING = [
    synthetic.random_walk,
    synthetic.sinusoidal,
    synthetic.one_entry_drift,
    synthetic.handover,
]
WORLDS = [
    synthetic.one_winner,
    synthetic.bradley_terry_luce,
    synthetic.random_utilities,
    synthetic.random_member,
    synthetic.switching,
    *DRIFTING,
    synthetic.spurious_switches,
    synthetic.wobble,
    synthetic.alternation,
    synthetic.bursts,
]


def winner_per_stretch(stream, criterion):
    return [int(criterion.winners(stream.palette[m])[0]) for m in stream.which]


def total_variation(stream):
    matrices = stream.palette[stream.which]
    return np.abs(np.diff(matrices, axis=0)).max(axis=(1, 2)).sum()


def approximate_phases(stream):
    """Count phases in which one arm stays within (K^2 / (s - start))^(1/3) of the winner's row."""
    n_arms, start, count = stream.n_arms, 0, 1
    safe = set(range(n_arms))
    for s in range(stream.horizon):
        P = stream.matrix(s)
        best = P[gic_winners(P)[0]]
        if s > start:
            bound = (n_arms**2 / (s - start)) ** (1 / 3)
            safe = {x for x in safe if np.abs(best - P[x]).max() <= bound + 1e-12}
        if not safe:
            start, count, safe = s, count + 1, set(range(n_arms))
    return count


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
    starts = synthetic.even_starts(horizon, n_phases)
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
