from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.report.belief import LENGTHS, MOST_ROWS, Belief, belief_chart
from driftduel.report.document import compose
from driftduel.testing.driving import tell_as_played
from driftduel.worlds.measures.spells import Spell
from tests.report import sweeps

P, Q = [[0.5, 0.95], [0.05, 0.5]], [[0.5, 0.05], [0.95, 0.5]]


def rows(chart, what):
    drawn = chart.to_dict()["datasets"].values()
    return [row for data in drawn for row in data if row["what"] == what]


@pytest.fixture(scope="module")
def run():
    world = dd.Stream.piecewise([P, Q], [0, 2000], 4000, labels=["tea", "coffee"])
    return dd.simulate(dd.MetaBosse(2, 4000), world, seed=1)


QUICK = dd.learners.Constants(scale=0.07)
HASTY = dd.learners.Calibration(alarm=0.5, proof=-6.0, likely=-2.0, watch=1.0, replay_rate=1.0)
LEARNERS = {
    "METABOSSE": dd.MetaBosse(4, 399, seed=2, constants=QUICK),
    "ANACONDA": dd.learners.Anaconda(4, 399, seed=2, scale=0.07),
    "DRIFTDUEL": dd.DriftDuel(4, seed=1, calibration=HASTY),
    "DRIFTDUEL for Condorcet": dd.DriftDuel(4, seed=1, criterion="condorcet", calibration=HASTY),
    "METABOSSE, restarted": dd.learners.PeriodicRestart.of(
        dd.MetaBosse(4, 150, constants=QUICK), every=150, seed=1
    ),
}


def drawn(chart, what, arms, horizon):
    """Return which arms have a bar of a kind at which round."""
    shown = np.zeros((horizon, len(arms)), dtype=bool)
    for row in rows(chart, what):
        shown[row["round"] : row["end"], arms.index(row["row"])] = True
    return shown


@pytest.mark.parametrize("name", LEARNERS)
def test_who_is_drawn_in_play_is_active_in_that_very_round(name):
    learner = LEARNERS[name].clone()
    world = dd.Stream.stationary(np.full((4, 4), 0.5), 399, labels=list("abcd"))
    chart = dd.plot.timeline(dd.simulate(learner, world, learner.seed, points=399))
    outcomes = dd.experiments.simulation.world_generator(learner.seed)
    active, picks = np.zeros((399, 4), dtype=bool), np.zeros((399, 4), dtype=bool)
    for round_ in range(399):
        active[round_, learner.active] = True
        picks[round_, learner.best_index] = True
        tell_as_played(learner, learner.ask(), float(outcomes.random() < 0.5))
    changes = np.abs(np.diff(active.astype(int), axis=0)).sum()
    assert changes >= 10  # arms go and come back, or there is nothing to see
    assert (drawn(chart, "in play", list("abcd"), 399) == active).all()
    assert (drawn(chart, "would pick", list("abcd"), 399) == picks).all()


@pytest.mark.large
def test_a_report_draws_who_is_in_play_as_the_run_saw_it(tmp_path):
    text = """
        seeds = 1
        points = 50
        [[stream]]
        label = "cars"
        world = "formula-1"
        horizon = 4000
        [[learner]]
        name = "DriftDuel"
        label = "ours"
    """
    results = sweeps.sweep(text, tmp_path)
    figures = compose(results).chapters[0].figures
    (chart,) = [figure.chart for figure in figures if figure.kind == "timeline"]
    world = dd.worlds.catalogue.build("formula-1", horizon=4000)
    run = dd.simulate(dd.DriftDuel(world.n_arms), world, points=50)
    names = list(world.labels)
    shown = drawn(chart, "in play", names, 4000)
    assert (shown[run.moments] == run.active).all()
    evicted = [item.arm for item in run.evictions if item.round < 1000]
    assert shown[2000:, evicted].any()  # evicted early, and yet in play: it was taken back
    # The arm it would pick is in play at every moment; a picture in which nobody is was wrong.
    assert shown.any(axis=1).all()
    kinds = set(results.events["kind"])
    assert {"activation", "in play", "pick"} <= kinds


def test_replays_end_with_their_episode_and_the_longest_are_drawn():
    replays = [(5, 2), (10, 4), (30, 8), (60, 16), (61, 8)]
    belief = Belief("ab", 70, [0, 35], replays, [])
    assert belief.long_replays() == {16: [(60, 70)], 8: [(30, 35), (61, 70)], 4: [(10, 15)]}
    assert len(belief.long_replays()) == LENGTHS


def test_of_many_arms_the_winners_and_those_longest_in_play_are_shown():
    n_arms = MOST_ROWS + 10
    in_play = [(arm, 0, arm + 1) for arm in range(n_arms - 1)] + [(n_arms - 1, 0, 1000)]
    names = [f"arm {arm}" for arm in range(n_arms)]
    belief = Belief(names, 1000, [0], [], [Spell(0, 1000, (3,))], in_play=in_play)
    shown = belief.shown()
    assert shown == [3, *range(n_arms - MOST_ROWS + 1, n_arms)]
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
    chart = belief_chart(Belief("ab", 100, [0], [], [], in_play=[(0, 0, 100)])).to_dict()
    assert chart["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["in play"]


def test_the_timeline_asks_for_the_winner_the_learner_is_after():
    cycle = [[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]
    world = dd.Stream.stationary(cycle, 50)
    for criterion, winner in ((dd.Borda(), "1"), (dd.Condorcet(), "0")):
        run = dd.simulate(dd.MetaBosse(3, 50, criterion=criterion), world)
        best = rows(dd.plot.timeline(run), "truly best")
        assert [row["row"] for row in best] == [winner]
