"""The benchmark of polls: its worlds, and the figures it makes of runs."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import _poll_worlds
from benchmarks._poll_worlds import DECKS, FILE, HALVES, World, borda, worlds


def test_worlds_are_those_that_their_rule_draws():
    text = "\n".join(_poll_worlds._written()) + "\n"
    assert FILE.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", DECKS)
def test_every_world_has_a_best_arm_at_all_times_that_changes_as_it_says(half, kind):
    for world in worlds(half, kind):
        play = world.play
        assert np.allclose(play.palette + play.palette.transpose(0, 2, 1), 1)
        assert (play.palette > 0).all()
        best = play.scores.argmax(axis=1)
        assert np.allclose(play.scores, borda(play.palette))
        changed = {"none": 0, "wobble": 0, "one": 1, "all": 1, "two": 2, "five": 5}
        assert (np.diff(best) != 0).sum() == changed.get(world.drift, 1), world.name
        assert len(play.before) == (world.votes if kind == "drifting" else _poll_worlds.LONG)


def test_a_trap_is_one_and_a_ladder_is_none():
    trap = World(10, 1000, "trap", "none", 0, 0, 3)
    assert not trap.transitive
    matrix = trap.play.palette[0]
    best = borda(matrix).argmax()
    assert (matrix[best] < 0.5).sum() == 1
    assert World(10, 1000, "ladder .3", "none", 0, 0, 3).transitive
