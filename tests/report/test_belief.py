from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.report.belief import LENGTHS, MOST_ARMS, Belief, belief_chart
from driftduel.shifts.spells import Spell

P, Q = [[0.5, 0.95], [0.05, 0.5]], [[0.5, 0.05], [0.95, 0.5]]


def rows(chart, what):
    drawn = chart.to_dict()["datasets"].values()
    return [row for data in drawn for row in data if row["what"] == what]


@pytest.fixture(scope="module")
def run():
    world = dd.Stream.piecewise([P, Q], [0, 2000], 4000, labels=["tea", "coffee"])
    return dd.simulate(dd.MetaBosse(2, 4000), world, seed=1)


def test_an_arm_is_in_play_until_its_first_eviction_in_an_episode():
    belief = Belief("abc", 100, [0, 40], [(10, 2), (20, 2), (39, 1), (50, 0)], [], [])
    assert belief.in_play() == [
        (0, 0, 40),
        (1, 0, 40),
        (2, 0, 11),
        (0, 40, 51),
        (1, 40, 100),
        (2, 40, 100),
    ]


def test_a_learner_that_restarts_has_all_arms_evicted_before_each_new_episode(run):
    assert len(run.episodes) == 2
    in_play = np.zeros((2, 4000), dtype=bool)
    evictions = [(item.round, item.arm) for item in run.evictions]
    for arm, begin, end in Belief("ab", 4000, run.episodes, evictions, [], []).in_play():
        in_play[arm, begin:end] = True
    restart = run.episodes[1]
    assert in_play[:, restart].all()
    assert in_play[:, restart - 1].any()
    evicted = {arm for round_, arm in evictions if round_ < restart}
    assert evicted == {0, 1}


def test_replays_end_with_their_episode_and_the_longest_are_drawn():
    replays = [(5, 2), (10, 4), (30, 8), (60, 16), (61, 8)]
    belief = Belief("ab", 70, [0, 35], [], replays, [])
    assert belief.long_replays() == {16: [(60, 70)], 8: [(30, 35), (61, 70)], 4: [(10, 15)]}
    assert len(belief.long_replays()) == LENGTHS


def test_of_many_arms_the_winners_and_those_longest_in_play_are_shown():
    n_arms = MOST_ARMS + 10
    evictions = [(arm, arm) for arm in range(n_arms - 1)]
    names = [f"arm {arm}" for arm in range(n_arms)]
    belief = Belief(names, 1000, [0], evictions, [], [Spell(0, 1000, (3,))])
    shown = belief.shown()
    assert shown == [3, *range(n_arms - MOST_ARMS + 1, n_arms)]
    assert {row["row"] for row in rows(belief_chart(belief), "in play")} == {
        names[arm] for arm in shown
    }


def test_the_timeline_of_a_run_shows_its_episodes_replays_and_the_truth(run):
    chart = dd.plot.timeline(run)
    assert [row["round"] for row in rows(chart, "new episode")] == run.episodes[1:]
    assert [row["round"] for row in rows(chart, "true change")] == [2000]
    best = [(row["row"], row["round"], row["last"]) for row in rows(chart, "truly best")]
    assert best == [("tea", 0, 1999), ("coffee", 2000, 3999)]
    starts = {replay.start for replay in run.replays}
    assert {row["round"] for row in rows(chart, "replay")} <= starts
    assert rows(chart, "replay")


def test_what_does_not_occur_is_not_in_the_legend():
    chart = belief_chart(Belief("ab", 100, [0], [], [], [])).to_dict()
    assert chart["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["in play"]


def test_the_timeline_asks_for_the_winner_the_learner_is_after():
    cycle = [[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]
    world = dd.Stream.stationary(cycle, 50)
    for criterion, winner in ((dd.Borda(), "1"), (dd.Condorcet(), "0")):
        run = dd.simulate(dd.MetaBosse(3, 50, criterion=criterion), world)
        best = rows(dd.plot.timeline(run), "truly best")
        assert [row["row"] for row in best] == [winner]
