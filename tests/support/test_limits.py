from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel._support import limits
from driftduel.experiments import Spec
from driftduel.experiments.plan import make_plan
from driftduel.worlds import catalogue
from tests.experiments.conftest import SMALL

HUGE = 10**9
ENDLESS = 2**62


def test_one_matrix_of_the_most_arms_is_as_large_as_matrices_may_be():
    assert 8 * limits.WORLD_ARMS**2 <= limits.PALETTE < 8 * (limits.WORLD_ARMS + 1) ** 2


@pytest.mark.parametrize("make", [dd.learners.Uniform, dd.MetaBosse])
def test_a_learner_of_too_many_arms_is_refused_at_once(make):
    with pytest.raises(ValueError, match=f"n_arms is {HUGE}, must be at most 1000000"):
        make(HUGE)


@pytest.mark.parametrize(
    ("world", "values", "sentence"),
    [
        ("switching", {"horizon": ENDLESS, "n_phases": HUGE}, "would take .* GB; lower n_phases"),
        ("alternation", {"n_arms": 9999, "contenders": 9999}, "would take .* GB; lower contenders"),
        (
            "spurious-switches",
            {"n_arms": 9999, "contenders": 9999},
            "would take .* GB; lower contenders",
        ),
    ],
)
def test_a_world_that_does_not_fit_in_memory_is_refused_at_once(world, values, sentence):
    with pytest.raises(ValueError, match=sentence):
        catalogue.build(world, **values)


def test_too_many_points_or_seeds_of_a_run_are_refused_at_once():
    stream = dd.Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 10**12)
    with pytest.raises(ValueError, match=f"points is {HUGE}, must be at most 1000000"):
        dd.simulate(dd.learners.Uniform(2), stream, points=HUGE)
    with pytest.raises(ValueError, match="seeds: there are more than 1,000,000"):
        dd.simulate_many(dd.learners.Uniform(2), stream, seeds=range(HUGE))


def test_more_counts_than_fit_in_memory_are_refused_at_once():
    stream = dd.Stream.stationary(np.full((1000, 1000), 0.5), 10**9)
    with pytest.raises(ValueError, match="counts of 1,000 arms over 1,000,000 segments are too"):
        dd.simulate(dd.learners.Uniform(1000), stream, points=1_000_000)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("seeds = 4", f"seeds = {HUGE}", f"spec, line 4: seeds: is {HUGE}, must be at most 1,000,"),
        ("points = 5", f"points = {HUGE}", f"line 5: points: is {HUGE}, must be at most 1,000,000"),
        (
            "horizon = 200",
            f"horizon = {ENDLESS}",
            r"stream\[0\]\.horizon: .*is 4611.*, must be at most 1000000000000 to be played",
        ),
        ("[3, 4]", f"{HUGE}", rf"stream\[0\]\.n_arms: is {HUGE}, must be at most 11585"),
        (
            "n_phases = 2",
            f"n_phases = {list(range(1, 400))}\nseed = {list(range(400))}",
            r"stream\[0\]\.seed: the grid would have more than 100,000 points",
        ),
        (
            "exploration = 0.1",
            f"exploration = {[n / 1e6 for n in range(1, 20_000)]}\nwidth = [1, 2, 3, 4, 5, 6]",
            r"learner\[1\]\.width: the grid would have more than 100,000 points",
        ),
        (
            "seeds = 4",
            "seeds = 1_000_000\n",
            "spec: asks for 4,000,000 runs, of 2 learners on 2 streams with 1,000,000 seeds; at",
        ),
    ],
)
def test_a_spec_that_asks_for_too_much_is_refused_at_once(old, new, sentence, monkeypatch):
    monkeypatch.setattr("driftduel.experiments.spec.RUNS", 3_999_999)
    with pytest.raises(ValueError, match=sentence):
        make_plan(Spec.parse(SMALL.replace(old, new)))
