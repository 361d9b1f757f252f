"""The worlds of the benchmark: enough of every kind, in two fixed halves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from driftduel.criteria import as_criterion
from driftduel.studies.benchmark import suite

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


@pytest.mark.parametrize("criterion", suite.CRITERIA)
def test_every_kind_is_in_both_halves_equally_often(criterion):
    halves = Counter((world.kind, world.half) for world in suite.worlds(criterion))
    assert {kind for kind, _ in halves} == KINDS
    assert all(halves[kind, "tuning"] == halves[kind, "held-out"] for kind in KINDS)
    assert halves.total() >= 24


def test_the_halves_do_not_change_unnoticed():
    """A world that changes its half after somebody has looked at scores spoils the comparison."""
    held_out = [world.label for world in suite.worlds("borda", "held-out")]
    assert held_out[:3] == [
        "stationary: Bradley-Terry-Luce",
        "stationary: language models",
        "switching: 5 arms, 3 phases",
    ]
    assert held_out[-1] == "votes: Formula 1"


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
