"""The worlds of the benchmark: enough of every kind, in fixed halves, the last drawn by a rule."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks import draw
from benchmarks._hindsight_rivals import off_the_beat
from driftduel.matrix.criteria import as_criterion
from studies.benchmark import suite

KINDS = {
    "stationary",
    "switching",
    "drift",
    "spurious switches",
    "wobble",
    "alternation",
    "many arms",
    "small gaps",
    "cyclic",
    "hard",
    "votes",
}
NEW = {"handover", "bursts", "one winner moves"}
JOINED = {"borda": {"hidden rise", "dear challenger", "spoilers"}, "condorcet": {"spoilers"}}
"""Kinds of the tuning half alone."""


@pytest.mark.parametrize("criterion", suite.CRITERIA)
def test_every_kind_is_in_all_halves_equally_often_but_for_the_new_ones(criterion):
    halves = Counter((world.kind, world.half) for world in suite.worlds(criterion))
    assert {kind for kind, _ in halves} == KINDS | NEW | JOINED[criterion]
    for kind in KINDS:
        assert len({halves[kind, half] for half in suite.HALVES}) == 1
    for kind in NEW:
        assert [halves[kind, half] for half in suite.HALVES] == [2, 0, 0]
    for kind in JOINED[criterion]:
        assert [halves[kind, half] for half in suite.HALVES] == [0, 0, 1]


def test_the_halves_do_not_change_unnoticed():
    """A world that changes its half after somebody has looked at scores spoils the comparison."""
    earlier = [world.label for world in suite.worlds("borda", "earlier")]
    assert earlier[:3] == [
        "stationary: Bradley-Terry-Luce",
        "stationary: language models",
        "switching: 5 arms, 3 phases",
    ]
    assert earlier[-1] == "votes: Formula 1"


@pytest.mark.large
@pytest.mark.parametrize("criterion", suite.CRITERIA)
def test_the_held_out_half_is_what_the_script_draws(criterion):
    drawn = draw.drawn_half(criterion)
    file = suite.FOLDER / f"fresh-{criterion}.toml"
    assert draw.in_toml(criterion, drawn) == file.read_text(encoding="utf-8")
    assert drawn == suite.worlds(criterion, "held-out")
    rounds = [
        sorted(w.parameters["horizon"] for w in worlds if w.kind in KINDS)
        for worlds in (drawn, suite.worlds(criterion, "tuning"))
    ]
    assert rounds[0] == rounds[1]


@pytest.mark.large
@pytest.mark.parametrize("criterion", suite.CRITERIA)
def test_no_world_is_in_the_suite_twice(criterion):
    worlds = suite.worlds(criterion)
    streams = [world.stream() for world in worlds]
    for n, (world, stream) in enumerate(zip(worlds, streams, strict=True)):
        for other, another in zip(worlds[:n], streams[:n], strict=True):
            assert stream != another
            if "held-out" in (world.half, other.half):
                assert draw.essence(world) != draw.essence(other)


@pytest.mark.large
@pytest.mark.parametrize("world", suite.worlds(half="held-out"), ids=lambda w: w.label)
def test_evenly_spaced_changes_of_the_held_out_half_are_off_the_beat(world):
    stream = world.stream()
    assert all(off_the_beat(distance) for distance in draw.beat(stream))
    assert bool(draw.beat(stream)) or world.world not in ("alternation", "one-winner-moves")


def test_who_is_drawn_again_is_told_why():
    def of(kind, name, /, **parameters):
        return suite.SuiteWorld(f"{kind}: x", "condorcet", "held-out", name, parameters)

    turns = of("switching", "alternation", every=1290, horizon=5160)
    assert draw.why_not(turns, []) == "on the beat"
    off = of("switching", "alternation", every=1500, horizon=5160)
    assert draw.why_not(off, []) == ""
    assert draw.why_not(off, [off]) == "it is there already"
    calm = of("bursts", "bursts", horizon=100)
    assert draw.why_not(calm, []) == "it has few changes"
    odd = of("votes", "random-member", kind="any", n_arms=20, horizon=10)
    assert draw.why_not(odd, []) == "a round has no winner"


@pytest.mark.parametrize("criterion", suite.CRITERIA)
def test_labels_are_unique(criterion):
    labels = [world.label for world in suite.worlds(criterion)]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(world, marks=[pytest.mark.large] if world.kind == "votes" else [])
        for world in suite.worlds()
    ],
    ids=lambda world: f"{world.criterion}, {world.label}",
)
def test_every_world_can_be_built_and_scored(world):
    stream = world.stream()
    assert stream.horizon == world.parameters["horizon"]
    scores = as_criterion(world.criterion).score_table(stream.palette)
    assert np.isfinite(scores).all()
