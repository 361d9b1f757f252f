"""Many outcomes told at once are outcomes told one by one; what cannot be told changes nothing."""

from __future__ import annotations

import signal
import sys

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.contract import fold
from driftduel.learners.parts.tickets import ticket_kernel
from driftduel.testing.driving import knowledge, snapshot
from tests.learners.recorder import Recorder
from tests.learners.variants import QUICK


def played(learner, n_rounds, seed=0):
    """Play ties, and return the log: arms, tickets and outcomes."""
    script = np.random.default_rng(seed)
    log = []
    for _ in range(n_rounds):
        duel = learner.ask()
        outcome = float(script.choice([0, 0.5, 1])) if duel.is_vote else 0.5
        learner.tell(duel, outcome)
        log.append((duel.left, duel.right, duel.ticket, outcome))
    return tuple(zip(*log, strict=True))


def quick(seed=1):
    return dd.MetaBosse(3, 600, seed=seed, constants=QUICK)


def test_a_copy_follows_a_log_with_all_that_happened():
    learner, copy = quick(), quick()
    log = played(learner, 500)
    copy.fold(*log)
    assert knowledge(copy) == knowledge(learner)
    assert len(copy.evictions) > 10
    assert (copy.episodes, copy.replays) == (learner.episodes, learner.replays)
    assert copy.rounds == 500


def test_a_log_in_pieces_between_duels_of_its_own_is_the_same_as_told():
    learner, copy = quick(), quick()
    left, right, tickets, outcomes = played(learner, 300)
    mine = copy.ask()
    for part in (slice(0, 1), slice(1, 200), slice(200, 200), slice(200, 300)):
        copy.fold(left[part], right[part], tickets[part], outcomes[part])
        copy.cancel(copy.ask())
    assert knowledge(copy) == knowledge(learner)
    assert copy.open_duels == [mine]
    copy.tell(mine, "left")
    assert (copy.rounds, copy._session.asked, copy._session.folded) == (301, 5, 300)


def test_tickets_of_a_learner_inside_a_learner_inside_a_learner_fit():
    def make():
        inner = dd.learners.PeriodicRestart.of(quick(), every=70)
        return dd.learners.PeriodicRestart.of(inner, every=200, horizon=None)

    learner, copy = make(), make()
    log = played(learner, 450)
    assert np.shape(log[2]) == (450, 6)
    copy.fold(*log)
    assert knowledge(copy) == knowledge(learner)
    assert len(copy.episodes) > 7


def test_a_learner_that_does_not_declare_its_tickets_takes_those_of_their_length():
    learner, copy = Recorder(3), Recorder(3)
    copy.fold(*played(learner, 10))
    assert np.array_equal(copy._session.state.rows, learner._session.state.rows, equal_nan=True)


def test_a_saved_learner_goes_on_after_a_fold(tmp_path):
    learner, copy = quick(), quick()
    log = played(learner, 100)
    still_open = copy.ask()
    copy.fold(*log)
    copy.save(tmp_path / "copy.json")
    again = dd.load_learner(tmp_path / "copy.json")
    assert snapshot(again) == snapshot(copy)
    assert again.open_duels[0].ticket == still_open.ticket
    again.tell(still_open, "left")
    assert again.rounds == 101


def test_a_duel_has_the_ticket_it_was_asked_with_as_long_as_it_is_open():
    learner = dd.learners.RUCB(3, seed=1)
    duel = learner.ask()
    assert duel.ticket == (duel.propensity,)
    assert learner._session.find(duel).ticket == duel.ticket
    learner.tell(duel, "tie")
    assert learner._session.find(duel).ticket is None
    assert np.isnan(dd.learners.DTS(3).ask().ticket).all()


@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_kernel_reads_a_ticket_of_any_length(length):
    row = np.arange(7.0)
    assert ticket_kernel(length)(row) == tuple(range(length))


GOOD = ([0, 1], [1, 2], [[0.5], [0.5]], [1.0, 0.5])


@pytest.mark.parametrize(
    ("place", "bad", "message"),
    [
        (0, [0], "left: has shape (1,), must be (2,), as there are tickets"),
        (0, [[0, 1]], "left: has shape (1, 2), must be (2,), as there are tickets"),
        (0, [0, 3], "left[1] = 3, must be an arm from 0 to 2"),
        (0, [-1, 0], "left[0] = -1, must be an arm from 0 to 2"),
        (0, ["tea", "milk"], "left: must be numbers in rows of equal length"),
        (1, [0, 1.5], "right[1] = 1.5, must be an arm from 0 to 2"),
        (1, [np.nan, 1], "right[0] = nan, must be an arm from 0 to 2"),
        (1, [np.inf, 1], "right[0] = inf, must be an arm from 0 to 2"),
        (2, [0.5, 0.5], "tickets: have shape (2,), must be rows of 1, as Duel.ticket is"),
        (2, [[0.5, 1]] * 2, "tickets: have shape (2, 2), must be rows of 1, as Duel.ticket is"),
        (2, [[0.5], []], "tickets: must be numbers in rows of equal length"),
        (2, [[0.5], [2]], "tickets[1][0] is 2.0, must be a chance above 0 and at most 1"),
        (2, [[np.nan], [1]], "tickets[0][0] is nan, must be a chance above 0 and at most 1"),
        (3, [1], "outcomes: has shape (1,), must be (2,), as there are tickets"),
        (3, [1, 1.25], "outcomes[1] = 1.25, must be from 0 to 1"),
        (3, [np.nan, 1], "outcomes[0] = nan, must be from 0 to 1"),
        (3, ["left", "tie"], "outcomes: must be numbers in rows of equal length"),
        (3, None, "outcomes: has shape (1,), must be (2,), as there are tickets"),
    ],
)
def test_what_cannot_be_told_is_named_and_changes_nothing(place, bad, message):
    learner = dd.learners.RUCB(3)
    learner.fold(*GOOD)
    before = snapshot(learner)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.fold(*GOOD[:place], bad, *GOOD[place + 1 :])
    assert str(error.value) == message
    assert snapshot(learner) == before


def test_more_than_the_horizon_is_refused_as_a_whole():
    learner = dd.MetaBosse(3, 10, intervals="all")
    log = played(learner.clone(), 8)
    learner.fold(*log)
    before = snapshot(learner)
    with pytest.raises(ValueError, match="horizon"):
        learner.fold(*(column[:3] for column in log))
    assert snapshot(learner) == before


def test_nothing_may_be_told():
    learner = dd.learners.RUCB(3)
    before = snapshot(learner)
    learner.fold([], [], [], [])
    assert snapshot(learner) == before


def test_arrays_that_are_given_stay_as_they_are_and_may_be_read_only():
    columns = [np.array(column) for column in GOOD]
    for column in columns:
        column.setflags(write=False)
    learner = dd.learners.RUCB(3)
    learner.fold(*columns)
    assert all(np.array_equal(a, b) for a, b in zip(columns, GOOD, strict=True))
    assert learner.rounds == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupted_fold_has_told_the_first_outcomes_and_says_how_many(monkeypatch):
    learner, copy, whole = quick(), quick(), quick()
    log = played(learner, 300)
    monkeypatch.setattr(fold, "_CHUNK", 64)
    collect = dd.MetaBosse._collect

    def interrupted(self, state, history):
        signal.raise_signal(signal.SIGINT)
        collect(self, state, history)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr(dd.MetaBosse, "_collect", interrupted)
        with pytest.raises(KeyboardInterrupt):
            copy.fold(*log)
        monkeypatch.setattr(dd.MetaBosse, "_collect", collect)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < copy.rounds <= 64
    whole.fold(*(column[: copy.rounds] for column in log))
    assert knowledge(copy) == knowledge(whole)
    copy.fold(*(column[copy.rounds :] for column in log))
    assert knowledge(copy) == knowledge(learner)
