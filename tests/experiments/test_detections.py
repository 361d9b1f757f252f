from __future__ import annotations

import pytest

from driftduel.experiments.detections import detections, origins, shifts_found
from driftduel.experiments.worlds import StreamInfo


def info(shifts, winners=None, changes=None):
    labels = {"label": "x", "world": "x", "parameters": "{}", "labels": ["0", "1"], "span": None}
    return StreamInfo(
        **labels,
        n_arms=2,
        horizon=1000,
        changes=changes,
        shifts={"borda": shifts},
        winners={"borda": winners},
    )


def test_a_shift_begins_when_the_winner_changed_last():
    spells = [(0, 100, 0), (100, 200, 1), (200, 900, 0), (900, 1000, 1)]
    assert origins(info([150, 600], spells), "borda") == [100, 200]


def test_without_a_winner_a_shift_begins_when_the_world_changed():
    assert origins(info([150, 600], changes=[100, 550]), "borda") == [100, 550]
    assert origins(info([150, 600]), "borda") == [150, 600]


def test_where_no_shifts_are_defined_none_began():
    assert origins(info(None), "borda") is None


@pytest.mark.parametrize(
    ("restarts", "began", "delays"),
    [
        ([], [], []),
        ([5, 50], [], []),
        ([], [100], [None]),
        ([100, 101, 102], [100], [1]),
        ([250], [100, 200], [None, 50]),
        ([200], [100, 200], [100, None]),
    ],
)
def test_a_shift_is_found_by_the_first_restart_before_the_next(restarts, began, delays):
    assert detections(restarts, began, 1000) == delays


TURNS = """
seeds = 3
points = 2

[[stream]]
world = "alternation"
n_arms = 3
margin = 0.5
every = 600
horizon = 1200

[[learner]]
name = "MetaBosse"
constants = { scale = 0.05 }

[[learner]]
name = "Uniform"
"""


def test_every_restart_is_a_find_or_false(bench):
    bench.run(TURNS)
    eager, never = shifts_found(bench.results, "borda").to_dicts()
    runs = bench.results.runs.filter(learner="MetaBosse")
    assert (eager["stream"], eager["learner"], eager["shifts"]) == ("alternation", "MetaBosse", 1)
    assert eager["found"] + eager["false"] == pytest.approx(runs["restarts"].mean())
    episodes = bench.results.events.filter(learner="MetaBosse", kind="episode")
    delays = [
        min(later) - 600
        for _, mine in episodes.group_by("seed")
        for later in [[start for start in mine["round"] if start > 600]]
        if later
    ]
    assert eager["found"] == pytest.approx(len(delays) / 3)
    assert eager["delay"] == pytest.approx(sum(delays) / len(delays))
    assert (never["found"], never["delay"], never["false"]) == (0, None, 0)
