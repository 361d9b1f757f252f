from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import driftduel as dd
from driftduel.experiments.simulation import loop, runs, world_generator
from driftduel.learners import Constants
from driftduel.testing.driving import tell_as_played
from tests.experiments.simulation.worlds import CYCLE, ORDER, SEQUENCE, SWITCHING, TURNED, played

EAGER = dd.MetaBosse(4, 300, constants=Constants(scale=0.01))
"""Evicts and restarts within a few rounds, so that its journal fills again and again."""


def facts(run):
    return (
        run.seed,
        run.rounds.tolist(),
        run.regret().tolist(),
        run.plays.tolist(),
        run.episodes,
        run.evictions,
        run.replays,
        run.best,
    )


# Points


def test_a_learner_is_looked_at_before_its_first_round_and_after_each_point():
    run = dd.simulate(EAGER, SWITCHING, points=[100, 200, 300])
    assert run.moments.tolist() == [0, 100, 200]
    assert run.active.shape == (3, 4)
    assert run.active[0].all()
    assert dd.simulate(EAGER, SWITCHING[:200]).best == run.picks[2]


def test_of_many_points_400_are_looked_at():
    run = dd.simulate(dd.learners.FixedPair(4), SWITCHING.stretch(1200), points=1200)
    assert run.moments.tolist() == list(range(0, 1200, 3))


def test_looking_at_a_learner_changes_nothing():
    seldom, often = (dd.simulate(EAGER, SWITCHING, seed=3, points=n) for n in (1, 300))
    assert facts(seldom)[3:] == facts(often)[3:]


def test_stretches_in_play_are_those_of_the_moments():
    run = dd.simulate(EAGER, SWITCHING, seed=2, points=60)
    shown = np.zeros((300, 4), dtype=bool)
    for arm, begin, end in run.in_play():
        assert not shown[max(begin - 1, 0) : end, arm].any()
        shown[begin:end, arm] = True
    assert (shown[::5] == run.active).all()
    assert (shown == np.repeat(run.active, 5, axis=0)).all()
    assert [arm for arm, begin, end in run.picked() for _ in range(begin, end)] == np.repeat(
        run.picks, 5
    ).tolist()


def test_points_are_evenly_spread_and_the_last_is_the_horizon():
    run = dd.simulate(dd.learners.FixedPair(4), SWITCHING, points=7)
    assert run.rounds.tolist() == [42, 85, 128, 171, 214, 257, 300]


def test_there_are_no_more_points_than_rounds():
    assert dd.simulate(dd.learners.FixedPair(4), SWITCHING[:3]).rounds.tolist() == [1, 2, 3]


def test_points_may_be_numbers_of_rounds_in_any_order():
    for points in ([300, 2, 2, 1], np.array([1, 2, 300]), (1.0, 2.0, 300.0), range(1, 3)):
        run = dd.simulate(dd.learners.FixedPair(4), SWITCHING, points=points)
        assert run.rounds.tolist() == sorted(set(points))
        assert run.rounds.dtype == np.int64


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (0, "points is 0, must be at least 1"),
        (-3, "points is -3, must be at least 1"),
        (True, "points is True, must be a whole number"),
        ([], "points: must be a list of whole numbers, one at least"),
        ([[1]], "points: must be a list of whole numbers, one at least"),
        ("all", "points: must be a list of whole numbers, one at least"),
        (None, "points: must be a list of whole numbers, one at least"),
        (2.5, "points: must be a list of whole numbers, one at least"),
        ([1, 2.5], "points[1] = 2.5, must be a whole number"),
        ([1, float("nan")], "points[1] = nan, must be a whole number"),
        ([1, 0], "points[1] = 0, must be between 1 and the horizon 300"),
        ([301, 1], "points[0] = 301, must be between 1 and the horizon 300"),
    ],
)
def test_bad_points_are_refused(points, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.simulate(dd.learners.FixedPair(4), SWITCHING, points=points)
    assert str(error.value) == message


# What a run says


def test_a_fixed_pair_has_the_regret_of_its_arms():
    run = dd.simulate(dd.learners.FixedPair(4, left=3, right=1), SWITCHING, points=[130, 171, 300])
    # Borda scores of ORDER are 25/32, 17/32, 12/32, 10/32; those of TURNED are 1 minus that.
    per_round = {"order": (15 / 32 + 8 / 32) / 2, "turned": (0 + 7 / 32) / 2}
    expected = np.cumsum([130 * per_round["order"], 41 * per_round["turned"], 0])
    expected[2] += 129 * per_round["order"]
    assert run.regret("borda").tolist() == expected.tolist()
    assert run.regret("borda", weak=True)[0] == 130 * 8 / 32
    assert run.regret("condorcet")[0] == 130 * (0.5 + 0.25) / 2
    assert run.regret(dd.Weighted([0, 0, 0, 1]))[0] == 130 * (0.5 + 0.25) / 2
    assert run.plays[3, 1] == 300


def test_the_play_of_the_best_arm_with_itself_has_no_regret():
    stream = dd.Stream.stationary(ORDER, 100)
    run = dd.simulate(dd.learners.FixedPair(4, left=0, right=0), stream, points=4)
    for criterion in ("borda", "condorcet", SEQUENCE.weight.at(0)):
        chosen = criterion if isinstance(criterion, str) else dd.Weighted(criterion)
        assert run.regret(chosen).tolist() == [0, 0, 0, 0]


def test_a_run_knows_what_it_is_of():
    learner = dd.learners.FixedPair(4)
    run = dd.simulate(learner, SWITCHING, seed=5)
    assert run.learner is learner
    assert run.stream is SWITCHING
    assert run.seed == 5
    assert run.best in (0, 1)
    assert (run.episodes, run.evictions, run.replays) == ([0], [], [])
    assert "ledger" not in repr(run)


def test_what_happened_lies_within_the_horizon():
    for seed in range(8):
        run = dd.simulate(EAGER, SWITCHING, seed=seed)
        assert run.episodes[0] == 0
        assert max(run.episodes) < 300
        assert max(replay.start for replay in run.replays) < 300
        assert max(eviction.round for eviction in run.evictions) < 300


def test_a_journal_that_fills_up_loses_nothing(monkeypatch):
    whole = dd.simulate(EAGER, SWITCHING, seed=2)
    assert len(whole.evictions) + len(whole.replays) + len(whole.episodes) > 100
    monkeypatch.setattr(loop, "_BATCH", 1)
    assert facts(dd.simulate(EAGER, SWITCHING, seed=2)) == facts(whole)


@pytest.mark.parametrize("batch", [1, 7, 130, 299, 300, 301])
def test_a_run_does_not_depend_on_the_size_of_batches(monkeypatch, batch):
    expected = facts(dd.simulate(dd.learners.Uniform(4), SWITCHING, seed=1, points=300))
    monkeypatch.setattr(loop, "_BATCH", batch)
    assert facts(dd.simulate(dd.learners.Uniform(4), SWITCHING, seed=1, points=300)) == expected


def test_a_world_that_changes_every_round_is_followed():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.integers(0, 9, (500, 4, 4)) / 8, 1)
    matrices = upper + np.tril(1 - upper.transpose(0, 2, 1), -1) + np.eye(4) / 2
    stream = dd.Stream.sequence(matrices)
    assert stream.n_stretches == 500
    learner = dd.learners.Uniform(4)
    run = dd.simulate(learner, stream, seed=1, points=[100, 500])
    left, right = played(learner, stream, 1)
    assert run.regret().tolist() == stream.regret(left, right)[[99, 499]].tolist()
    chance, wins = world_generator(1), 0
    for t in range(500):
        wins += chance.random() < matrices[t, left[t], right[t]]
    by_hand = learner.clone(seed=1)
    chance = world_generator(1)
    for t in range(500):
        duel = by_hand.ask()
        assert (duel.left, duel.right) == (left[t], right[t])
        tell_as_played(by_hand, duel, float(chance.random() < matrices[t, duel.left, duel.right]))
    assert by_hand._session.state.leads.sum() == wins - 250
    assert run.best == by_hand.best()


def test_rough_probabilities_decide_as_the_exact_ones_do(monkeypatch):
    rng = np.random.default_rng(3)
    upper = np.triu(rng.random((2, 9, 9)), 1)
    upper[0, 0, 1:4] = [1.0, 0.0, 255.5 / 256]
    palette = upper + np.tril(1 - upper.transpose(0, 2, 1), -1) + np.eye(9) / 2
    stream = dd.Stream(palette, which=[0, 1, 0], starts=[0, 900, 2000], horizon=2500)
    learner = dd.MetaBosse(9, 2500, constants=Constants(scale=0.02))
    expected = facts(dd.simulate(learner, stream, seed=1))
    assert loop.rough_palette(stream).shape == (1, 1, 1)
    monkeypatch.setattr(loop, "_NEAR", 1)
    assert loop.rough_palette(stream).shape == (2, 9, 9)
    assert facts(dd.simulate(learner, stream, seed=1)) == expected


def test_only_the_seed_given_counts():
    expected = facts(dd.simulate(dd.learners.Uniform(4, seed=1), SWITCHING, seed=9))
    assert facts(dd.simulate(dd.learners.Uniform(4, seed=2), SWITCHING, seed=9)) == expected
    assert facts(dd.simulate(dd.learners.Uniform(4, seed=1), SWITCHING, seed=8)) != expected


def test_the_generators_of_the_learner_and_of_the_world_differ():
    draws = [world_generator(seed).random(4).tolist() for seed in range(50)]
    own = [np.random.default_rng(seed).random(4).tolist() for seed in range(50)]
    everything = [number for row in draws + own for number in row]
    assert len(set(everything)) == len(everything)


# What must be refused


def test_a_learner_of_other_arms_is_refused():
    with pytest.raises(ValueError, match=r"^the learner has 3 arms, the stream 4$"):
        dd.simulate(dd.learners.Uniform(3), SWITCHING)


def test_a_horizon_longer_than_planned_is_refused_where_it_matters():
    with pytest.raises(ValueError, match=r"^the horizon of 299 rounds is over"):
        dd.simulate(dd.MetaBosse(4, 299, intervals="all"), SWITCHING)
    assert dd.simulate(dd.MetaBosse(4, 299), SWITCHING).rounds[-1] == 300


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None, True])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match=r"^seed is "):
        dd.simulate(dd.learners.Uniform(4), SWITCHING, seed=seed)


def test_a_criterion_nobody_knows_is_refused():
    with pytest.raises(ValueError, match=r"^criterion is 'best', must be "):
        dd.simulate(dd.learners.Uniform(4), SWITCHING, criteria=["best"])
    with pytest.raises(ValueError, match=r"^criterion is 'best', must be "):
        dd.simulate(dd.learners.Uniform(4), SWITCHING).regret("best")


def test_a_weight_over_other_arms_is_refused():
    run = dd.simulate(dd.learners.Uniform(4), SWITCHING)
    with pytest.raises(ValueError, match=r"^weight: has 2 entries, there are 4 arms$"):
        run.regret(dd.Weighted([0.5, 0.5]))


def test_condorcet_regret_without_a_winner_names_the_round():
    stream = dd.Stream.piecewise([ORDER, CYCLE, TURNED], [0, 120, 200], 300)
    run = dd.simulate(dd.learners.Uniform(4), stream)
    with pytest.raises(
        ValueError,
        match=r"^round 120: no arm is a Condorcet winner, so Condorcet regret is undefined$",
    ):
        run.regret("condorcet")
    assert run.regret("borda")[-1] > 0


# Progress


def test_progress_is_reported_after_every_batch(monkeypatch):
    monkeypatch.setattr(loop, "_BATCH", 128)
    seen = []
    dd.simulate(dd.learners.Uniform(4), SWITCHING, progress=lambda *args: seen.append(args))
    assert seen == [(128, 300), (256, 300), (300, 300)]


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_over_many_seeds_rises_to_the_sum_of_their_rounds(monkeypatch, workers):
    monkeypatch.setattr(loop, "_BATCH", 128)
    seen, busy = [], threading.Lock()

    def progress(done, total):
        assert busy.acquire(blocking=False), "two threads report at once"
        seen.append((done, total))
        busy.release()

    dd.simulate_many(dd.learners.Uniform(4), SWITCHING, range(5), workers, progress=progress)
    assert len(seen) == 15
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (1500, 1500)


def test_an_error_in_the_callback_stops_the_run():
    def progress(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dd.simulate(dd.learners.Uniform(4), SWITCHING, progress=progress)


# Many seeds


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_many_runs_are_the_single_ones_whatever_the_workers_and_the_order(workers):
    seeds = [4, 0, 7, 4]
    expected = [facts(dd.simulate(EAGER, SWITCHING, seed, 9)) for seed in seeds]
    many = dd.simulate_many(EAGER, SWITCHING, seeds, workers, points=9)
    assert [facts(run) for run in many] == expected
    assert expected[0] == expected[3]
    assert expected[0] != expected[1]


def test_many_runs_keep_the_criteria_apart():
    criteria = iter([SEQUENCE])
    many = dd.simulate_many(
        dd.learners.Uniform(4), SWITCHING, range(3), 2, points=1, criteria=criteria
    )
    for run in many:
        left, right = played(dd.learners.Uniform(4), SWITCHING, run.seed)
        expected = SWITCHING.regret(left, right, SEQUENCE)[-1]
        assert run.regret(SEQUENCE).tolist() == [expected]


def test_no_seeds_give_no_runs():
    assert dd.simulate_many(dd.learners.Uniform(4), SWITCHING, []) == []


@pytest.mark.parametrize(
    ("seeds", "workers", "message"),
    [
        ([0, -1], 1, "seed is -1, must be at least 0"),
        ([0, 1.0], 1, "seed is 1.0, must be a whole number"),
        ([0], 0, "workers is 0, must be at least 1"),
        ([0], "two", "workers is 'two', must be a whole number"),
    ],
)
def test_bad_seeds_or_workers_are_refused(seeds, workers, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.simulate_many(dd.learners.Uniform(4), SWITCHING, seeds, workers)
    assert str(error.value) == message


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_one_of_many_runs_is_raised(workers):
    with pytest.raises(ValueError, match=r"^the learner has 3 arms, the stream 4$"):
        dd.simulate_many(dd.learners.Uniform(3), SWITCHING, range(3), workers)
    learner = dd.MetaBosse(4, 299, intervals="all")
    with pytest.raises(ValueError, match=r"^the horizon of 299 rounds is over"):
        dd.simulate_many(learner, SWITCHING, range(3), workers)


def test_what_threads_need_is_compiled_before_they_start(monkeypatch):
    calls = []
    simulate = runs.simulate

    def watched(learner, stream, *args, **options):
        calls.append((threading.current_thread() is threading.main_thread(), stream.horizon))
        return simulate(learner, stream, *args, **options)

    monkeypatch.setattr(runs, "simulate", watched)
    dd.simulate_many(dd.learners.Uniform(4), SWITCHING, range(3), workers=2)
    assert calls[0] == (True, 1)
    assert calls[1:] == [(False, 300)] * 3


# Cost


@pytest.mark.large
def test_what_a_run_keeps_does_not_grow_with_the_horizon():
    def kept(horizon):
        run = dd.simulate(dd.MetaBosse(4, 10**4), dd.Stream.stationary(ORDER, horizon))
        return run.ledger.pairs.nbytes + run.ledger.cuts.nbytes + run.rounds.nbytes

    assert kept(10**6) == kept(10**4)


def test_simulating_imports_neither_tables_nor_commands_nor_figures():
    script = (
        "import sys, driftduel as dd\n"
        "dd.simulate(dd.learners.FixedPair(2), dd.Stream.stationary([[0.5, 0.5], [0.5, 0.5]], 3))\n"
        "heavy = {'polars', 'typer', 'rich', 'altair', 'pytest'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_horizon_that_would_take_ages_is_refused():
    world = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], 2**62)
    with pytest.raises(ValueError, match=r"^horizon is \d+, must be at most 10+ to be played$"):
        dd.simulate(dd.learners.Uniform(2), world)
