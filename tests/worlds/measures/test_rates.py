"""The regret bounds, evaluated on streams whose measures are known."""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd

K, T = 8, 10**6
CYCLE = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]


def beats(winner: int) -> np.ndarray:
    P = np.full((K, K), 0.5)
    P[winner] += 0.25
    P[:, winner] -= 0.25
    return P


@pytest.fixture(scope="module")
def switching() -> dd.Measures:
    """Half the rounds each: every measure finds two phases, the second a little late."""
    return dd.measure(dd.Stream.piecewise([beats(0), beats(1)], [0, T // 2], T))


def test_the_measures_of_the_example_are_as_meant(switching):
    assert (switching.borda_switches, switching.condorcet_switches) == (1, 1)
    assert switching.variation == 0.5
    for phases in (
        switching.significant_borda,
        switching.significant_unknown,
        switching.significant_condorcet,
        switching.approximate_winner,
    ):
        assert len(phases) == 2


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("metabosse_borda", 2 * 1e4 * 2 ** (1 / 3)),
        ("metabosse_weighted", 2 * 1e4 * 2 ** (1 / 3)),
        ("metabosse_borda_variation", 0.5**0.25 * T**0.75 * K**0.25 + 2e4),
        ("metabosse_weighted_variation", 0.5**0.25 * T**0.75 * K**0.25 + 2e4),
        ("metabosse_unknown", 4 * 1e4 * 2 ** (1 / 3)),
        ("metabosse_unknown_variation", K**0.5 * 0.5**0.25 * T**0.75 + 4e4),
        ("metabosse_condorcet", 4 * 1e4 * 2 ** (1 / 3)),
        ("metabosse_condorcet_variation", K**0.5 * 0.5**0.25 * T**0.75 + 4e4),
        ("dex3s_condorcet", (2 * K * T) ** 0.5),
        ("anaconda", K * (2 * T) ** 0.5),
        ("metaswift", (2 * K * T) ** 0.5),
        ("dex3s_borda", 2 ** (1 / 6) / 2 * T ** (5 / 6) + 2**0.5 * 2e4),
    ],
)
def test_rates_are_the_formulas_of_the_papers(switching, name, rate):
    assert switching.rates()[name] == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "phases", "factor"),
    [
        ("metabosse_borda", "significant_borda", 2),
        ("metabosse_weighted", "significant_weighted", 2),
        ("metabosse_unknown", "significant_unknown", 4),
        ("metabosse_condorcet", "approximate_winner", 4),
    ],
)
def test_sums_over_phases_use_their_lengths(switching, name, phases, factor):
    lengths = getattr(switching, phases).lengths.astype(float)
    rates = switching.rates()
    expected = factor * (lengths ** (2 / 3)).sum()
    assert rates[f"{name}_phases"] == pytest.approx(expected, rel=1e-12)
    assert rates[f"{name}_phases"] <= rates[name]


def test_bosse_has_a_rate_only_where_one_arm_wins_throughout(switching):
    fixed = dd.measure(dd.Stream.stationary(beats(0), T)).rates()
    assert fixed["bosse_borda"] == fixed["bosse_weighted"] == pytest.approx(2e4)
    assert fixed["bosse_unknown"] == pytest.approx(4e4)
    moving = switching.rates()
    assert moving["bosse_borda"] is moving["bosse_weighted"] is moving["bosse_unknown"] is None


def test_rates_are_none_where_their_measure_is_undefined():
    rates = dd.measure(dd.Stream.stationary(CYCLE, 1000)).rates()
    undefined = {name for name, rate in rates.items() if rate is None}
    assert undefined == {
        "bosse_unknown",
        "metabosse_unknown_variation",
        "metabosse_condorcet",
        "metabosse_condorcet_phases",
        "metabosse_condorcet_variation",
        "dex3s_condorcet",
        "anaconda",
        "metaswift",
    }


def test_total_variation_bounds_nothing_if_the_weight_moves():
    stream = dd.Stream.stationary(CYCLE, 1000)
    weights = dd.WeightSequence([[1, 0, 0], [0, 1, 0]], [0, 500])
    rates = dd.measure(stream, weights).rates()
    assert rates["metabosse_weighted_variation"] is None
    assert rates["metabosse_borda_variation"] == pytest.approx(3 ** (1 / 3) * 100)


@pytest.mark.parametrize("learner", [dd.learners.Uniform, dd.MetaBosse])
def test_without_gic_regret_is_linear_though_nothing_varies(learner):
    """Rock, paper, scissors for ever; the weight is a point mass, drawn again for each SUW phase.

    Nothing that is seen depends on the weight. The three weights of a phase together lose 3/2 a
    round, whatever is played, so a random one loses 1/2. A bound in V would be of order T^(2/3).
    """
    horizon = 30_000
    stream = dd.Stream.stationary(CYCLE, horizon)
    measures = dd.measure(stream)
    starts = measures.significant_unknown.starts
    drawn = np.random.default_rng(0).integers(3, size=len(starts))
    masses = [
        dd.Weighted(dd.WeightSequence(np.eye(3)[(drawn + shift) % 3], starts)) for shift in range(3)
    ]
    assert measures.variation == 0
    assert all(measures.aligned(mass.weight) for mass in masses)

    player = learner(3, horizon, criterion="condorcet")
    run = dd.simulate(player, stream, seed=1, points=1, criteria=masses)
    losses = [run.regret(mass)[-1] for mass in masses]
    assert sum(losses) == pytest.approx(1.5 * horizon)

    rates = measures.rates()
    assert rates["metabosse_unknown_variation"] is None
    assert rates["metabosse_unknown_phases"] > max(losses)
    assert 3 ** (2 / 3) * horizon ** (2 / 3) < max(losses) / 7
