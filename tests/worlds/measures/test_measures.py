"""`measure` and `aligned` against the definitions, and what they refuse."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings

import driftduel as dd
from driftduel.worlds.measures import aligned
from tests.modes import COMPILED
from tests.naive import shifts as naive
from tests.worlds.measures.worlds import World, worlds

CYCLE = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
TIES = np.full((3, 3), 0.5)
BORDA_IS_NOT_CONDORCET = [[0.5, 0.6, 0.6], [0.4, 0.5, 1], [0.4, 0, 0.5]]


def as_lists(phases: dd.Phases) -> tuple[list[int], list[int]]:
    return phases.starts.tolist(), phases.last_safe.tolist()


@settings(max_examples=400 if COMPILED else 100, deadline=None, derandomize=True)
@given(worlds())
def test_every_measure_follows_its_definition(world: World):
    rounds, unit, uniform = world.rounds, world.unit, [1] * world.n_arms
    m = dd.measure(world.stream, world.sequence)

    assert (m.n_arms, m.horizon) == (world.n_arms, len(rounds))
    assert m.changes == naive.changes(rounds)
    assert m.variation == naive.variation(rounds, unit)
    assert m.borda_switches == naive.switches([naive.score_winners(P, uniform) for P in rounds])
    assert m.weighted_switches == naive.switches(
        [naive.score_winners(P, w) for P, w in zip(rounds, world.weights, strict=True)]
    )
    assert as_lists(m.significant_borda) == naive.significant_weighted(
        rounds, [uniform] * len(rounds), unit
    )
    assert as_lists(m.significant_weighted) == naive.significant_weighted(
        rounds, world.weights, unit
    )
    unknown = naive.significant_unknown(rounds, unit)
    assert as_lists(m.significant_unknown) == unknown
    assert m.aligned(world.sequence) == naive.aligned(unknown[0], world.weights)

    condorcet = [naive.condorcet_winners(P, unit) for P in rounds]
    if all(condorcet):
        assert m.condorcet_switches == naive.switches(condorcet)
        assert as_lists(m.significant_condorcet) == naive.significant_condorcet(rounds, unit)
    else:
        assert m.condorcet_switches is m.significant_condorcet is None
        first = f"round {condorcet.index(set())}: "
        assert m.reasons["condorcet_switches"].startswith(first)
        assert m.reasons["significant_condorcet"].startswith(first)
    dominant = [naive.gic_winners(P) for P in rounds]
    if all(dominant):
        assert m.gic_switches == naive.switches(dominant)
        assert as_lists(m.approximate_winner) == naive.approximate_winner(rounds, unit)
    else:
        assert m.gic_switches is m.approximate_winner is None
        first = f"round {dominant.index(set())}: "
        assert m.reasons["gic_switches"].startswith(first)
        assert m.reasons["approximate_winner"].startswith(first)
    undefined = {name for name, value in vars(m).items() if value is None}
    assert set(m.reasons) == undefined


def test_point_masses_are_the_worst_weights():
    rng = np.random.default_rng(3)
    upper = np.triu(rng.random((50, 4, 4)), 1)
    palette = upper + np.tril(1 - upper.swapaxes(1, 2), -1) + np.eye(4) / 2

    def summed(weight):
        scores = palette @ weight
        return (scores.max(axis=1, keepdims=True) - scores).sum(axis=0)

    worst = np.max([summed(mass) for mass in np.eye(4)], axis=0)
    for weight in rng.dirichlet(np.full(4, 0.3), 500):
        assert (summed(weight) <= worst + 1e-12).all()


def test_without_a_weight_the_weighted_measures_are_the_borda_ones():
    stream = dd.Stream.piecewise([BORDA_IS_NOT_CONDORCET, CYCLE], [0, 50], 100)
    left_out, uniform = dd.measure(stream), dd.measure(stream, [1 / 3] * 3)
    assert left_out.significant_weighted == left_out.significant_borda
    assert uniform.significant_weighted == left_out.significant_borda
    assert uniform.weighted_switches == left_out.borda_switches


def test_a_weight_may_be_an_array_or_a_sequence_of_one():
    stream = dd.Stream.stationary(BORDA_IS_NOT_CONDORCET, 5000)
    mass = [0.0, 0.0, 1.0]
    from_array = dd.measure(stream, mass)
    from_sequence = dd.measure(stream, dd.WeightSequence([mass]))
    assert from_array.significant_weighted == from_sequence.significant_weighted
    assert from_array.significant_weighted.last_safe.tolist() == [1]
    assert dd.measure(stream, [1.0, 0.0, 0.0]).significant_weighted.last_safe.tolist() == [0]


def test_a_weight_that_changes_makes_phases_in_a_stationary_world():
    stream = dd.Stream.stationary(BORDA_IS_NOT_CONDORCET, 10**6)
    weights = dd.WeightSequence([[0, 0, 1], [1, 0, 0]], [0, 5 * 10**5])
    m = dd.measure(stream, weights)
    assert (m.changes, m.weighted_switches, m.fixed_weight) == (0, 1, False)
    assert len(m.significant_weighted) == 2
    assert m.significant_weighted.last_safe.tolist() == [1, 0]


def test_weights_beyond_the_horizon_do_not_matter():
    stream = dd.Stream.stationary(BORDA_IS_NOT_CONDORCET, 100)
    m = dd.measure(stream, dd.WeightSequence([[0, 0, 1], [1, 0, 0]], [0, 100]))
    assert m.fixed_weight
    assert m.weighted_switches == 0


def test_relabelling_arms_moves_the_last_safe_arm_and_nothing_else():
    rng = np.random.default_rng(5)
    upper = np.triu(rng.random((200, 4, 4)), 1)
    stream = dd.Stream.sequence(upper + np.tril(1 - upper.swapaxes(1, 2), -1) + np.eye(4) / 2)
    order = [2, 0, 3, 1]
    before, after = dd.measure(stream), dd.measure(stream.relabel(order))
    assert after.significant_unknown.starts.tolist() == before.significant_unknown.starts.tolist()
    finished = slice(0, before.significant_unknown.changes)
    assert [order[arm] for arm in after.significant_unknown.last_safe[finished]] == list(
        before.significant_unknown.last_safe[finished]
    )


def test_what_is_undefined_says_why_and_where():
    stream = dd.Stream.piecewise([TIES, BORDA_IS_NOT_CONDORCET, CYCLE], [0, 30, 70], 100)
    m = dd.measure(stream)
    assert m.reasons == {
        "condorcet_switches": "round 70: no arm is a Condorcet winner",
        "significant_condorcet": "round 70: no arm is a Condorcet winner",
        "gic_switches": "round 30: no arm maximises every column, so GIC fails",
        "approximate_winner": "round 30: no arm maximises every column, so GIC fails",
    }


def test_measures_are_frozen():
    with pytest.raises(FrozenInstanceError):
        dd.measure(dd.Stream.stationary(TIES, 10)).changes = 1


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0.5, 0.5], "has 2 entries, there are 3 arms"),
        ([0.5, 0.6, 0.1], "sums to 1.2"),
        ([1.5, -0.5, 0], "must not be negative"),
        ([np.nan, 0.5, 0.5], r"w\[0\] is nan"),
        ("borda", "must be numbers"),
        (dd.WeightSequence([[0.5, 0.5]]), "has 2 entries, there are 3 arms"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        dd.measure(dd.Stream.stationary(TIES, 10), weight)


def test_something_else_than_a_stream_is_refused():
    with pytest.raises(TypeError, match="stream must be a Stream, not a list"):
        dd.measure(CYCLE)


def test_aligned_weights_change_at_the_starts_of_phases_only():
    stream = dd.Stream.stationary(CYCLE, 10**9)
    masses = np.eye(3)
    for starts, expected in [
        ([0, 6, 6 * 10**7], True),
        ([0, 6, 6 * 10**7 + 1], False),
        ([0, 6, 10**9], True),
    ]:
        weights = dd.WeightSequence(masses, starts)
        assert aligned(stream, weights) is expected
        assert dd.measure(stream).aligned(weights) is expected


def test_a_weight_repeated_is_no_change():
    weights = dd.WeightSequence([[1, 0, 0], [1, 0, 0]], [0, 5])
    assert aligned(dd.Stream.stationary(CYCLE, 100), weights)
    assert dd.measure(dd.Stream.stationary(CYCLE, 100), weights).fixed_weight


def test_aligned_refuses_weights_for_other_arms():
    weights = dd.WeightSequence([[0.5, 0.5]])
    with pytest.raises(ValueError, match="has 2 entries, there are 3 arms"):
        aligned(dd.Stream.stationary(CYCLE, 10), weights)
    with pytest.raises(ValueError, match="has 2 entries, there are 3 arms"):
        dd.measure(dd.Stream.stationary(CYCLE, 10)).aligned(weights)


def test_many_arms_are_fine():
    rng = np.random.default_rng(0)
    utility = rng.permutation(70)[None, :] / 200
    stream = dd.Stream.piecewise(
        [0.5 + u[:, None] - u[None, :] for u in (utility[0], utility[0][::-1])], [0, 900], 2000
    )
    m = dd.measure(stream)
    assert (m.borda_switches, m.condorcet_switches, m.gic_switches) == (1, 1, 1)


def test_a_world_that_changes_every_round_is_measured_like_its_rounds():
    rng = np.random.default_rng(11)
    turn = np.linspace(0, 25, 700)[:, None] + np.arange(3) * 2 * np.pi / 3
    utility = 4 * np.sin(turn) + rng.normal(size=(700, 3)) / 10
    stream = dd.Stream.sequence(1 / (1 + np.exp(utility[:, None, :] - utility[:, :, None])))
    m = dd.measure(stream)
    best = stream.palette.max(axis=1)
    point_masses = (best[:, None, :] - stream.palette).transpose(2, 0, 1)
    starts, last_safe = naive.significant_loops(point_masses, 3, 9.0)
    assert as_lists(m.significant_unknown) == (starts, last_safe)
    borda = dd.Borda().gap_table(stream.palette)[None]
    assert as_lists(m.significant_borda) == naive.significant_loops(borda, 3, 3.0)
    condorcet = dd.Condorcet().gap_table(stream.palette)[None]
    assert as_lists(m.significant_condorcet) == naive.significant_loops(condorcet, 2, 3.0)
    assert len(m.significant_condorcet) > len(m.significant_borda) > 1


def test_one_weight_for_all_rounds_is_aligned_however_it_is_given():
    stream = dd.Stream.stationary([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]], horizon=100)
    assert dd.measure(stream).aligned([0.5, 0.3, 0.2])
    assert dd.worlds.measures.aligned(stream, [0.5, 0.3, 0.2])
