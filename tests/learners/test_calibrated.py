"""CALIBRATED METABOSSE: by the letter, in worlds that change or do not, and at the door."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.calibrated.calibration import FOR_PAIRS, FOR_SCORES, Calibration
from driftduel.learners.calibrated.scores import pair_chance
from driftduel.testing.driving import tell_as_played
from tests.learners.driving import drawn, play, play_beside, random_matrix, tosses
from tests.learners.problems import random_weight
from tests.modes import COMPILED
from tests.naive.calibrated.pairs import Pairs
from tests.naive.calibrated.scores import Scores
from tests.naive.protocol import TooCloseError

KINDS = ["borda", "weighted", "condorcet"]
PROBLEMS = 40 if COMPILED else 16
RUNS = 6 if COMPILED else 1
DEAF = 1e9
"""A threshold that nothing reaches."""


def jumpy(rng):
    """Thresholds so low that the learner looks again and restarts within a few hundred rounds."""
    return Calibration(
        alarm=float(rng.choice([0.5, 2.0])),
        proof=float(rng.choice([-7.0, -5.0, -3.0])),
        likely=float(rng.choice([-2.0, 1.0])),
        watch=float(rng.choice([0.35, 2.0, 40.0])),
        keep=float(rng.choice([0.1, 0.37])),
        slow_fade=float(rng.choice([0.0, 2.0])),
        doubt=float(rng.uniform(1.0, 2.0)),
        replay_rate=float(rng.choice([0.0, 0.01, 1.0])),
    )


def random_problem(kind, seed, calibration=None):
    """A learner, how to make its oracle, and a few matrices to play one after the other."""
    rng, n_arms = drawn(seed)
    if calibration is None and rng.random() < 0.8:
        calibration = jumpy(rng)
    wrong = float(rng.choice([0.01, 0.2]))
    constants = calibration or (FOR_PAIRS if kind == "condorcet" else FOR_SCORES)
    criterion, weights, starts = kind, [[1 / n_arms] * n_arms], [0]
    if kind == "weighted":
        starts = np.union1d([0], rng.integers(0, 300, rng.integers(0, 4)))
        sequence = dd.WeightSequence([random_weight(rng, n_arms) for _ in starts], starts)
        # Equal weights one after the other are one; a change of weights is a round with work.
        weights, starts = list(sequence.table), sequence.starts
        criterion = dd.Weighted(sequence)
    learner = dd.CalibratedMetaBosse(
        n_arms,
        criterion=criterion,
        seed=seed,
        false_restarts=wrong,
        calibration=calibration,
    )

    oracle_of = partial(Scores, n_arms, constants, wrong, weights, starts)
    if kind == "condorcet":
        oracle_of = partial(Pairs, n_arms, constants, wrong)
    return learner, oracle_of, [random_matrix(rng, n_arms) for _ in range(4)]


def compare(learner, oracle):
    clock = learner.session.state.watching.clock[0]
    assert clock["led"] == oracle.led
    assert clock["alarms"] == oracle.alarms
    assert clock["shifts"] == oracle.shifts
    assert abs(clock["watch"] - oracle.watch) < 1e-9


def compare_the_past(learner, oracle):
    for done, expected in zip(learner.evictions, oracle.evictions, strict=True):
        assert (done.round, done.arm, done.beaten_by) == expected[:3]
        # Weights fade by other roundings.
        assert (done.statistic, done.threshold) == pytest.approx(expected[3:], abs=1e-9)
    changes = [(c.noticed, c.around, c.before, c.after) for c in learner.report().changes]
    assert changes == oracle.changes[-64:]


def play_problem(kind, seed, n_rounds, calibration=None, look=compare, **how):
    """Play a random problem and return the learner, and whether rounding stopped the oracle."""
    learner, oracle_of, world = random_problem(kind, seed, calibration)
    how |= {"world": world, "compare": look, "rel": 1e-8}
    try:
        oracle = play_beside(learner, oracle_of, n_rounds, seed, **how).oracle
    except TooCloseError:
        return learner, True
    compare_the_past(learner, oracle)
    return learner, False


@pytest.mark.parametrize("kind", KINDS)
def test_it_plays_what_its_letter_plays(kind):
    """Outcomes of every other problem come late; each problem has something of everything."""
    seen = Counter()

    def look(learner, oracle):
        compare(learner, oracle)
        seen["replaying"] += oracle.replaying()
        if isinstance(oracle, Pairs) and oracle.trial:
            seen["tried by " + oracle.trial["by"]] += 1

    for seed in range(PROBLEMS):
        learner, too_close = play_problem(kind, seed, 400, look=look, late=0.6 * (seed % 2))
        seen["too close to tell"] += too_close
        seen["episodes"] += len(learner.episodes) - 1
        seen["evictions"] += len(learner.evictions)
        lengths = {one.length for one in learner.replays}
        seen["alarms"] += len([n for n in lengths if n & (n - 1)])
    wanted = ["episodes", "evictions", "alarms", "replaying"]
    wanted += ["tried by pair", "tried by score"] if kind == "condorcet" else []
    assert all(seen[name] >= 3 for name in wanted), seen
    assert seen["too close to tell"] <= PROBLEMS / 4


@pytest.mark.large
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_it_plays_its_letter_for_long_with_its_own_constants(kind, seed):
    constants = FOR_PAIRS if kind == "condorcet" else FOR_SCORES
    learner, _ = play_problem(kind, seed, 2500, constants)
    assert learner.rounds > 500


# Sides.


def any_weight(kind, n_arms):
    if kind == "weighted":
        return dd.Weighted(np.arange(1, n_arms + 1) / np.arange(1, n_arms + 1).sum())
    return kind


@pytest.mark.parametrize("kind", KINDS[:2])
def test_either_side_is_as_likely(kind):
    """4000 duels asked; by Hoeffding a false alarm has probability below 1e-6 for each pair."""
    learner = dd.CalibratedMetaBosse(4, criterion=any_weight(kind, 4), seed=3)
    play(learner, 60, tosses(np.full((4, 4), 0.5)))
    state = learner.session.state
    counts = np.zeros((4, 4))
    for _ in range(4000):
        duel = learner.ask()
        counts[duel.left, duel.right] += 1
    for i in range(4):
        for j in range(i):
            assert pair_chance(state, i, j) == pytest.approx(pair_chance(state, j, i), rel=1e-12)
            met = counts[i, j] + counts[j, i]
            assert met > 0
            assert abs(counts[i, j] - counts[j, i]) < math.sqrt(2 * met * math.log(2e6))


@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_voter_who_always_says_left_speaks_for_nobody(kind):
    """Every toss is then a fair coin; 6 seeds, each with a chance of 1 % to restart."""
    for seed in range(6):
        learner = dd.CalibratedMetaBosse(3, criterion=any_weight(kind, 3), seed=seed)
        for _ in range(1500):
            tell_as_played(learner, learner.ask(), 1.0)
        assert learner.episodes == [0]
        state = learner.session.state
        tosses = state.sums[1].sum()
        assert abs(state.sums[0]).max() < math.sqrt(tosses * math.log(2e6) / 2)


# Worlds.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_arms", [2, 3, 5])
def test_a_clear_change_of_the_winner_is_noticed(kind, n_arms):
    """First arm 0 wins nine of ten duels, from round 2000 on the last arm; 4 seeds at most.

    For Condorcet two arms may have met too few times before the change to prove it.
    """
    world = dd.testing.driving.switching_world(n_arms, 4000)
    learner = dd.CalibratedMetaBosse(n_arms, 4000, criterion=any_weight(kind, n_arms))
    for seed in range(min(RUNS, 4)):
        run = dd.simulate(learner, world, seed)
        assert run.best == n_arms - 1
        assert len(run.episodes) == 2 or (kind == "condorcet" and n_arms == 2)
        assert all(2000 < start < 3500 for start in run.episodes[1:])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_arms", [2, 6])
def test_ties_start_no_episode(kind, n_arms):
    """6 runs of 3000 rounds at most, each with a chance of 1 % to restart (see benchmarks)."""
    world = dd.Stream.stationary(np.full((n_arms, n_arms), 0.5), 3000)
    learner = dd.CalibratedMetaBosse(n_arms, criterion=any_weight(kind, n_arms))
    for seed in range(RUNS):
        assert list(dd.simulate(learner, world, seed).episodes) == [0]


@pytest.mark.parametrize("kind", ["borda", "condorcet"])
def test_the_fewer_false_restarts_the_higher_the_threshold(kind):
    thresholds, restarts = [], []
    for wrong in (0.5, 0.01, 1e-9):
        learner = dd.CalibratedMetaBosse(
            4,
            criterion=kind,
            false_restarts=wrong,
            calibration=Calibration(alarm=0.5, proof=1.0, watch=1.0),
        )
        thresholds.append(learner.session.state.watching.rule[0]["proof"])
        world = dd.testing.driving.switching_world(4, 600)
        runs = [dd.simulate(learner, world, seed) for seed in range(6)]
        restarts.append(sum(len(run.episodes) - 1 for run in runs))
    assert thresholds == pytest.approx([math.log(4 / w) + 1 for w in (0.5, 0.01, 1e-9)])
    assert restarts[0] >= restarts[1] >= restarts[2]
    assert restarts[0] > restarts[2]


@pytest.mark.parametrize("kind", KINDS)
def test_random_replays_look_at_all_arms_again(kind):
    """Deaf to alarms, every replay is a random one: its length is a power of 2."""
    calibration = Calibration(alarm=DEAF, proof=DEAF, replay_rate=1.0, watch=1e-9)
    learner = dd.CalibratedMetaBosse(
        4, criterion=any_weight(kind, 4), calibration=calibration, seed=2
    )
    matrix = dd.testing.driving.switching_world(4, 1).matrix(0)
    script = np.random.default_rng(1)
    for _ in range(600):
        duel = learner.ask()
        before, leader = len(learner.replays), learner.best()
        tell_as_played(learner, duel, float(script.random() < matrix[duel.left, duel.right]))
        if len(learner.replays) > before:
            assert learner.replays[-1].start == learner.rounds
            # For Condorcet a new leader ends the replay at once.
            assert learner.active.tolist() == [0, 1, 2, 3] or learner.best() != leader
    assert len(learner.replays) > 20
    assert all(one.length & (one.length - 1) == 0 for one in learner.replays)
    assert learner.episodes == [0]


@pytest.mark.parametrize("kind", KINDS)
def test_no_replays_at_rate_zero(kind):
    calibration = Calibration(alarm=DEAF, replay_rate=0.0)
    learner = dd.CalibratedMetaBosse(3, criterion=any_weight(kind, 3), calibration=calibration)
    play(learner, 500, tosses(np.full((3, 3), 0.5)))
    assert learner.replays == []


# The door.


@pytest.mark.parametrize("wrong", [0, -0.1, 0.51, math.nan, math.inf, "0.01", True, None])
def test_false_restarts_is_a_probability(wrong):
    with pytest.raises(ValueError, match=r"^false_restarts is .*, must be a positive number and "):
        dd.CalibratedMetaBosse(3, false_restarts=wrong)


def test_only_three_criteria_are_served():
    with pytest.raises(
        ValueError, match=r"^criterion is 'copeland', CalibratedMetaBosse serves 'borda"
    ):
        dd.CalibratedMetaBosse(3, criterion="copeland")


def test_the_weight_must_have_as_many_arms():
    with pytest.raises(ValueError, match=r"3 arms|2 arms"):
        dd.CalibratedMetaBosse(3, criterion=dd.Weighted([0.5, 0.5]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_horizon_does_not_matter(kind):
    ends = []
    for horizon in (None, 700, 10**6):
        learner = dd.CalibratedMetaBosse(3, horizon, criterion=any_weight(kind, 3), seed=5)
        play(learner, 400, tosses(random_matrix(np.random.default_rng(1), 3)))
        ends.append((learner.ask().propensity, learner.best(), learner.session.rng.random()))
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_calibration_survives_a_file(kind, tmp_path):
    calibration = replace(FOR_PAIRS, alarm=0.5, proof=-4.0, watch=0.7, replay_rate=0.5)
    learner = dd.CalibratedMetaBosse(
        3,
        criterion=any_weight(kind, 3),
        calibration=calibration,
        false_restarts=0.2,
        labels=["tea", "milk", "water"],
        seed=4,
    )
    matrix = random_matrix(np.random.default_rng(1), 3)
    play(learner, 250, tosses(matrix))
    learner.save(tmp_path / "drinks.json")
    again = dd.load_learner(tmp_path / "drinks.json")
    assert again.calibration == calibration
    assert again.false_restarts == 0.2
    assert again.report() == learner.report()
    for one in (learner, again):
        play(one, 250, tosses(matrix.T, seed=9))
    assert again.report() == learner.report()
    assert again.replays == learner.replays
    assert again.session.rng.bit_generator.state == learner.session.rng.bit_generator.state


def test_a_known_change_of_the_weight_is_followed():
    """Arm 0 beats arm 2 and arm 1 beats arm 0; from round 300 on only arm 0 is met."""
    matrix = np.array([[0.5, 0.1, 0.9], [0.9, 0.5, 0.1], [0.1, 0.9, 0.5]])
    sequence = dd.WeightSequence([[0, 0, 1], [1, 0, 0]], [0, 300])
    learner = dd.CalibratedMetaBosse(3, criterion=dd.Weighted(sequence), seed=1)
    met = []
    script = np.random.default_rng(2)
    for _ in range(1500):
        duel = learner.ask()
        met.append(duel)
        tell_as_played(learner, duel, float(script.random() < matrix[duel.left, duel.right]))
        if learner.rounds == 300:
            assert learner.best() == 0
    assert all(2 in (duel.left, duel.right) for duel in met[:300] if duel.left != duel.right)
    assert all(0 in (duel.left, duel.right) for duel in met[300:] if duel.left != duel.right)
    assert learner.best() == 1


def test_a_uniform_weight_is_borda():
    pairs = []
    for criterion in ("borda", dd.Weighted(np.full(4, 0.25))):
        learner = dd.CalibratedMetaBosse(4, criterion=criterion, seed=6)
        play(learner, 300, tosses(random_matrix(np.random.default_rng(1), 4)))
        pairs.append(learner.session.state.sums.tolist())
    assert pairs[0] == pairs[1]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"alarm": 0}, "alarm is 0, must be a positive number"),
        ({"keep": 2}, "keep is 2, must be a positive number and at most 1"),
        ({"keep": math.nan}, "keep is nan, must be a positive number and at most 1"),
        ({"watch": -1}, "watch is -1, must be at least 0"),
        ({"fade": "much"}, "fade is 'much', must be a number"),
        ({"proof": math.nan}, "proof is nan, must be finite"),
        ({"likely": "soon"}, "likely is 'soon', must be a number"),
    ],
)
def test_a_calibration_that_makes_no_sense_is_refused(values, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        dd.learners.Calibration(**values)


def test_a_calibration_must_be_one():
    with pytest.raises(ValueError, match="calibration is 'bold', must be a Calibration"):
        dd.CalibratedMetaBosse(3, calibration="bold")


@pytest.mark.large
def test_a_winner_whose_margin_wobbles_stays_the_winner():
    """Its score changes nine times, which is no reason to restart; 8 seeds."""
    world = dd.streams.catalogue.build("wobble", n_arms=5, every=10_000, high=0.4, low=0.1)
    runs = dd.simulate_many(dd.CalibratedMetaBosse(5), world, range(8), points=1)
    best = {run.best for run in runs}
    assert best == set(dd.Borda().winners(world.matrix(0)))
    assert sum(len(run.replays) for run in runs) >= 8
    assert all(run.episodes == [0] for run in runs)
