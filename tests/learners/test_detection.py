"""MDB and DETECT against their rules, their formulas by hand, and when winners change."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.rivals.detection import DETECT, MDB
from driftduel.learners.rivals.elimination import RRDB
from driftduel.testing import CHECKS
from driftduel.testing.driving import switching_world, tell_as_played
from tests.learners.driving import drawn, higher_wins, lower_wins, play, play_beside, random_world
from tests.naive import detection as naive

SEEDS = range(10)
LATE = (0.0, 0.4)


def problem(seed):
    """Number of arms, the learner's seed, a window and a threshold, drawn from a seed."""
    rng, n_arms = drawn(seed, 5)
    window = 2 * int(rng.integers(1, 12))
    return n_arms, int(rng.integers(2**31)), window, float(rng.uniform(0.3, 0.6) * window / 2)


def restarts_of(learner, oracle_of, seed, late):
    """Play a world with some changes; return how often the learner restarted."""
    world = random_world(np.random.default_rng(seed), learner.n_arms, 800, 0.01)
    play_beside(learner, oracle_of, 800, seed, world=world, late=late)
    return len(learner.episodes) - 1


@pytest.mark.parametrize("late", LATE)
def test_mdb_plays_what_its_rule_says(late):
    changes = 0
    for seed in SEEDS:
        n_arms, own, window, threshold = problem(seed)
        rate = (0.5, 0.3, 0.07)[seed % 3]
        learner = MDB(n_arms, 9, seed=own, window=window, threshold=threshold, rate=rate)
        oracle_of = partial(naive.MDB, n_arms, window, threshold, rate, 1.05)
        changes += restarts_of(learner, oracle_of, seed, late)
    assert changes > 2 * len(SEEDS)


@pytest.mark.parametrize("late", LATE)
def test_detect_plays_what_its_rule_says(late):
    changes = 0
    for seed in SEEDS:
        n_arms, own, window, threshold = problem(seed)
        exploration = (1, 10, 37)[seed % 3]
        learner = DETECT(
            n_arms, 9, seed=own, window=window, threshold=threshold, exploration=exploration
        )
        oracle_of = partial(naive.DETECT, n_arms, window, threshold, exploration)
        changes += restarts_of(learner, oracle_of, seed, late)
    assert changes > 2 * len(SEEDS)


# By hand.


@pytest.mark.parametrize("segments", [1, 7])
def test_mdb_is_tuned_by_the_formulas(segments):
    for n_arms, change in ((2, 1.0), (4, 0.5), (10, 0.3)):
        learner = MDB(n_arms, 10**7, segments=segments, change=change)
        assert learner._tuning() == pytest.approx(
            naive.mdb_tuning(10**7, segments, n_arms, change), rel=1e-12
        )


@pytest.mark.parametrize("tuning", [1, 2])
def test_detect_is_tuned_by_the_formulas(tuning):
    for n_arms, change, winning in ((2, 1.0, 0.9), (4, 0.5, 0.6), (10, 0.3, 0.55)):
        learner = DETECT(n_arms, 10**6, change=change, winning=winning, tuning=tuning)
        assert learner._tuned() == pytest.approx(
            naive.detect_tuning(10**6, n_arms, change, winning, tuning), rel=1e-12
        )


@pytest.mark.parametrize("horizon", [1, 2, 10])
def test_short_horizons_have_a_tuning(horizon):
    window, threshold, rate = MDB(3, horizon, segments=9)._tuning()
    assert window >= 2
    assert threshold > 0
    assert rate == 0.5
    for tuning in (1, 2):
        window, threshold, exploration = DETECT(50, horizon, tuning=tuning)._tuned()
        assert window >= 2
        assert threshold > 0
        assert exploration >= 1


def test_mdb_looks_at_all_pairs_in_each_period():
    learner = MDB(3, 1000, seed=4, rate=0.25, window=100)
    pairs = play(learner, 36, lower_wins)
    looks = [pairs[n : n + 3] for n in (0, 12, 24)]
    assert sorted(looks[0]) == [(0, 1), (0, 2), (1, 2)]
    assert looks[0] == looks[1] == looks[2]


def test_mdb_begins_anew_when_the_newer_half_differs_by_more_than_the_threshold():
    learner = MDB(2, 1000, seed=4, rate=0.5, window=8, threshold=2)
    play(learner, 40, lower_wins)
    assert learner.episodes == [0]
    # Of the two rounds of a period the first looks; the third look after the change is round 45.
    play(learner, 4, higher_wins)
    assert learner.episodes == [0]
    play(learner, 1, higher_wins)
    assert learner.episodes == [0, 45]
    play(learner, 40, higher_wins)
    assert learner.episodes == [0, 45]
    assert learner.best() == 1


def test_detect_plays_the_winner_it_found_against_the_others_in_turn():
    learner = DETECT(4, 1000, seed=4, exploration=30, window=10, threshold=2.5)
    play(learner, 30, lower_wins)
    assert play(learner, 6, lower_wins) == [(0, 1), (0, 2), (0, 3)] * 2


def test_detect_begins_anew_after_a_change():
    learner = DETECT(2, 1000, seed=4, exploration=10, window=8, threshold=2)
    play(learner, 20, lower_wins)
    play(learner, 2, higher_wins)
    assert learner.episodes == [0]
    play(learner, 1, higher_wins)
    assert learner.episodes == [0, 23]
    play(learner, 11, higher_wins)
    assert learner.best() == 1
    assert play(learner, 2, higher_wins) == [(1, 0)] * 2


def test_outcomes_from_before_a_new_beginning_do_not_count():
    for learner in (
        MDB(2, 1000, seed=4, rate=0.5, window=8, threshold=2.5),
        DETECT(2, 1000, seed=4, exploration=10, window=8, threshold=2.5),
    ):
        play(learner, 40, lower_wins)
        late = [learner.ask() for _ in range(30)]
        while len(learner.episodes) == 1:
            play(learner, 1, higher_wins)
        state = learner._session.state
        before = [array.copy() for array in (state.windows, state.watch, *state.inner)]
        for duel in late:
            tell_as_played(learner, duel, 1.0)
        after = [state.windows, state.watch, *state.inner]
        assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
        assert learner._session.state.clock[0]["round"] == learner.rounds


def test_late_outcomes_of_the_learner_inside_change_nothing():
    learner = DETECT(3, 1000, seed=4, exploration=10, window=8, threshold=2.5)
    play(learner, 9, lower_wins)
    late = [learner.ask() for _ in range(20)]
    play(learner, 1, lower_wins)
    expected = learner.best()
    for duel in late:
        tell_as_played(learner, duel, float(duel.left != expected))
    assert learner.best() == expected
    assert not learner._session.state.watch["kept"].any()
    assert learner._session.state.clock[0]["left"] == 0


def test_a_turn_is_taken_once_however_many_duels_were_asked():
    learner = DETECT(3, 1000, seed=4, exploration=10, window=8, threshold=2.5)
    play(learner, 10, lower_wins)
    duels = [learner.ask() for _ in range(2)]
    assert [(duel.left, duel.right) for duel in duels] == [(0, 1)] * 2
    for duel in duels:
        tell_as_played(learner, duel, 1.0)
    assert play(learner, 1, lower_wins) == [(0, 2)]
    assert learner._session.state.watch["kept"].tolist() == [0, 2, 1]


# Bad input.


@pytest.mark.parametrize("kind", [MDB, DETECT])
def test_what_is_missing_or_wrong_is_named(kind):
    assert isinstance(kind(3, 10).criterion, dd.Condorcet)
    with pytest.raises(ValueError, match="criterion is 'borda'"):
        kind(3, 10, criterion="borda")
    with pytest.raises(ValueError, match="horizon is None"):
        kind(3)
    for wrong in (0, -0.1, 1.1, math.nan, None):
        with pytest.raises(ValueError, match="change is"):
            kind(3, 10, change=wrong)
    for wrong in (0, 1, 3, 2.5, "4"):
        with pytest.raises(ValueError, match="window is"):
            kind(3, 10, window=wrong)
    for wrong in (0, -1, math.inf):
        with pytest.raises(ValueError, match="threshold is"):
            kind(3, 10, threshold=wrong)


def test_what_is_wrong_with_mdb_alone_is_named():
    for wrong in (0, -1, 1.5, None):
        with pytest.raises(ValueError, match="segments is"):
            MDB(3, 10, segments=wrong)
    for wrong in (0, 0.6, math.nan):
        with pytest.raises(ValueError, match="rate is"):
            MDB(3, 10, rate=wrong)
    with pytest.raises(ValueError, match="growth is 1, must be a number above 1"):
        MDB(3, 10, growth=1)


def test_what_is_wrong_with_detect_alone_is_named():
    for wrong in (0.5, 0.3, 0, 1.1, math.nan):
        with pytest.raises(ValueError, match="winning is"):
            DETECT(3, 10, winning=wrong)
    for wrong in (0, 3, "1"):
        with pytest.raises(ValueError, match="tuning is"):
            DETECT(3, 10, tuning=wrong)
    for wrong in (0, -1, 2.5):
        with pytest.raises(ValueError, match="exploration is"):
            DETECT(3, 10, exploration=wrong)


QUICK = {
    "MDB": lambda n, t, seed: MDB(n, t, seed=seed, window=8, threshold=2, rate=0.4),
    "DETECT": lambda n, t, seed: DETECT(n, t, seed=seed, window=8, threshold=2, exploration=15),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("variant", QUICK)
def test_detectors_that_often_begin_anew_keep_the_contract(variant, check):
    assert check(QUICK[variant]) is None


# In worlds where they must do well.


@pytest.mark.large
@pytest.mark.parametrize(
    ("learner", "share"),
    [
        (MDB(4, 40_000, change=0.8), 0.25),
        (DETECT(4, 40_000, change=0.8, winning=0.9), 0.01),
    ],
    ids=["MDB", "DETECT"],
)
def test_a_switch_is_found_that_breaks_a_learner_without_detection(learner, share):
    # 5 fixed seeds. In 100 others each found exactly one change, and the regret never exceeded
    # 0.222 and 0.007 of that of uniform play; most of MDB's is the price of monitoring.
    stream = switching_world(4, 40_000)
    weak = isinstance(learner, DETECT)
    blind = dd.simulate(dd.learners.Uniform(4), stream).regret("condorcet", weak=weak)[-1]
    for seed in range(5):
        run = dd.simulate(learner, stream, seed=seed)
        broken = dd.simulate(RRDB(4, 40_000), stream, seed=seed)
        assert run.best == 3
        assert len(run.episodes) == 2
        assert 20_000 < run.episodes[1] < 25_000
        assert run.regret("condorcet", weak=weak)[-1] < share * blind
        assert broken.best == 0
        assert broken.regret("condorcet", weak=weak)[-1] > 0.6 * blind
