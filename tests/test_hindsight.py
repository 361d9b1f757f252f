"""The search in hindsight: it walks downhill, stays within limits, and its answers are known."""

from __future__ import annotations

import math

import pytest
from benchmarks import hindsight

import driftduel as dd
from driftduel.studies.benchmark import suite

RIVAL = hindsight.Rival(
    dd.SlidingBordaGreedy,
    {"exploration": (0.01, 0.1, 1.0), "window": (10.0, 100.0)},
    {"exploration": 1.0},
    ("window",),
)


def bowl(best):
    """A loss that is least at a point and grows with the distance of logarithms."""
    return lambda point, _=math.inf: sum(math.log(point[key] / best[key]) ** 2 for key in best)


def test_a_walk_ends_within_a_step_of_the_best_also_beyond_the_grid():
    best = {"exploration": 0.05, "window": 700.0}
    loss = bowl(best)
    start = {"exploration": 0.1, "window": 100.0}
    found, least = hindsight.walk(RIVAL, loss, start, loss(start), 0.25)
    assert least == loss(found)
    for key, value in best.items():
        assert abs(math.log10(found[key] / value)) <= 0.125


def test_a_walk_stays_within_the_limits():
    loss = bowl({"exploration": 5.0, "window": 50.0})
    start = {"exploration": 0.1, "window": 10.0}
    found, _ = hindsight.walk(RIVAL, loss, start, loss(start), 0.5)
    assert found["exploration"] == pytest.approx(1.0)


def test_a_walk_that_finds_nothing_better_stays():
    start = {"exploration": 0.1, "window": 10.0}
    assert hindsight.walk(RIVAL, lambda _point, _least: 1.0, start, 1.0, 0.5) == (start, 1.0)


def test_points_are_rounded_to_what_is_reported():
    point = {"exploration": 1.234567, "window": 0.2}
    assert RIVAL.rounded(point) == {"exploration": 1.0, "window": 1}
    assert RIVAL.rounded({"window": 123456.0}) == {"window": 123000}


@pytest.mark.parametrize("distance", [2500, 5000, 10**4, 15000, 20000, 25000, 33334, 50000, 10**5])
def test_periods_are_off_the_beat_of_evenly_spaced_changes(distance):
    for period in hindsight.PERIODS:
        beats = distance / int(hindsight.Rival(dd.RUCB).rounded({"every": period})["every"])
        if 0.8 < beats < 8:
            assert abs(beats - round(beats)) > 0.06


def test_a_rival_whose_periods_are_off_the_beat_is_not_refined():
    stream = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], 200)
    periods = (30.0, 70.0)
    rival = hindsight.Rival(
        hindsight.restarting(dd.RUCB), {"every": periods}, {}, ("every",), refined=False
    )
    answer = hindsight.best_in_hindsight(rival, stream, "condorcet")
    assert answer["parameters"]["every"] in periods
    assert (answer["told"], answer["runs"], answer["aims"]) == (
        "tuned in hindsight",
        64,
        "condorcet",
    )


def test_large_worlds_are_left_out_where_a_rival_is_slow():
    slow = hindsight.Rival(dd.DTS, most_arms=5, most_rounds=100)
    worlds = {(n, t): dd.Stream.stationary([[0.5] * n] * n, t) for n in (5, 6) for t in (100, 101)}
    left_out = [size for size, world in worlds.items() if slow.too_slow(world)]
    assert left_out == [(5, 101), (6, 100), (6, 101)]


@pytest.mark.parametrize("world", suite.worlds(), ids=lambda w: f"{w.criterion}, {w.label}")
def test_every_world_has_an_answer_of_a_tuned_rival(world):
    answers = suite.hindsight()[world.criterion][world.label]
    tuned = [answer for answer in answers.values() if answer["parameters"]]
    assert len(tuned) >= 2
    for answer in answers.values():
        assert answer["mean"] > 0
        assert answer["error"] >= 0
        assert answer["runs"] in (len(hindsight.FEWER), len(hindsight.SCORING))
        assert answer["aims"] in suite.CRITERIA
        assert (answer["told"] == "tuned in hindsight") == bool(answer["parameters"])


def test_answers_are_about_worlds_of_the_suite():
    known = {(world.criterion, world.label) for world in suite.worlds()}
    stored = {(name, label) for name, answers in suite.hindsight().items() for label in answers}
    assert stored <= known
