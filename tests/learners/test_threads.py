"""Threads that share a learner: no vote is lost, and copies and files show one moment."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import Learner
from driftduel.learners.contract.storage import as_payload

pytestmark = pytest.mark.once  # locks are not compiled

THREADS = 8
VOTES = 150
"""Votes of each thread."""


@pytest.fixture
def restless():
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*jobs):
    """Run jobs in a thread each, begun together, and return what they return."""
    barrier = threading.Barrier(len(jobs))
    results = [None] * len(jobs)

    def go(place, job):
        barrier.wait()
        try:
            results[place] = job()
        except Exception as error:  # shown by the assertion of the test
            results[place] = error

    threads = [threading.Thread(target=go, args=item) for item in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def voter(learner):
    """Ask two, tell the later one first, and so on."""

    def vote():
        duels = []
        for _ in range(VOTES // 2):
            pair = [learner.ask(), learner.ask()]
            duels += pair
            for duel in reversed(pair):
                learner.tell(duel, 1.0 if duel.is_vote else 0.5)
        return duels

    return vote


@pytest.mark.usefixtures("restless")
def test_threads_that_ask_and_tell_at_once_lose_nothing():
    learner = dd.learners.Uniform(4, seed=1)
    results = at_once(*[voter(learner)] * THREADS)
    duels = [duel for found in results for duel in found]
    total = THREADS * VOTES
    assert {duel.learner for duel in duels} == {learner._session.name}
    assert sorted(duel.id for duel in duels) == list(range(total))
    assert (learner.rounds, learner._session.state.rounds[0]) == (total, total)
    assert learner.open_duels == []
    leads = np.zeros((4, 4))
    for duel in duels:
        leads[duel.left, duel.right] += 0.5 * duel.is_vote
    assert learner._session.state.leads.tolist() == leads.tolist()


@pytest.mark.usefixtures("restless")
def test_what_is_read_while_others_vote_is_of_one_moment(tmp_path):
    learner = dd.learners.Uniform(4, seed=1)
    done = threading.Event()

    def read():
        moments = []
        while not done.is_set() or not moments:
            for other in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
                moments.append((other.rounds, other._session.state.rounds[0]))
            learner.save(tmp_path / "learner.json")
            other = dd.load_learner(tmp_path / "learner.json")
            moments.append((other.rounds, other._session.state.rounds[0]))
            assert 0 <= learner.best() < 4
            assert len(learner.open_duels) <= 2 * THREADS
        return moments

    def vote():
        try:
            return [duel for _ in range(3) for duel in voter(learner)()]
        finally:
            done.set()

    moments, *others = at_once(read, vote, vote)
    assert all(len(duels) == 3 * VOTES for duels in others)
    assert all(told == learned for told, learned in moments)


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copy_has_a_session_and_a_lock_of_its_own(duplicate):
    learner = dd.learners.Uniform(4, seed=1)
    duel = learner.ask()
    before = as_payload(learner)
    with learner._session.lock:
        twin = duplicate(learner)
    assert as_payload(twin) == before
    assert twin._session.lock is not learner._session.lock
    twin.tell(duel, 0.5)
    assert (twin.rounds, learner.rounds) == (1, 0)
    assert learner.clone().rounds == 0
    assert as_payload(learner) == before


class Steps(NamedTuple):
    """What is learned in steps."""

    told: np.ndarray  # outcomes learned
    busy: np.ndarray  # 1 in the middle of learning


LEARNING = threading.Event()
"""Set in the middle of learning."""


def choose(state, rng):
    return int(state.busy[0]), 0, (np.nan,)


def learn(state, left, right, ticket, outcome):
    told = state.told[0]
    state.busy[0] = 1
    LEARNING.set()
    time.sleep(0.05)  # others may go on meanwhile
    state.told[0] = told + 1
    state.busy[0] = 0
    return False


@dataclass(frozen=True, eq=False)
class Slow(Learner):
    """Names arm 1 to who looks at it in the middle of learning, otherwise arm 0."""

    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    def _allocate(self):
        return Steps(np.zeros(1, np.int64), np.zeros(1, np.int64))

    def _best_of(self, state):
        return int(state.busy[0])

    def _active_of(self, state):
        return state.busy.copy()


@pytest.fixture
def learning():
    """Return a learner in whose name a thread is in the middle of telling an outcome."""
    learner = Slow(2)
    duel = learner.ask()
    LEARNING.clear()
    thread = threading.Thread(target=learner.tell, args=(duel, 0.5))
    thread.start()
    LEARNING.wait()
    yield learner
    thread.join()


LOOKS = {
    "ask": lambda learner: learner.ask().left,
    "best": lambda learner: learner.best(),
    "active": lambda learner: int(learner.active[0]),
    "report": lambda learner: learner.report().best,
    "copy": lambda learner: copy.deepcopy(learner).best(),
    "pickle": lambda learner: pickle.loads(pickle.dumps(learner)).best(),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_nobody_sees_a_learner_that_has_half_learned(learning, look):
    assert look(learning) == 0


def test_no_file_holds_a_learner_that_has_half_learned(learning, tmp_path):
    learning.save(tmp_path / "slow.json")
    again = dd.load_learner(tmp_path / "slow.json", {"Slow": Slow})
    assert (again.rounds, again.best(), again._session.state.told[0]) == (1, 0, 1)


def test_an_outcome_told_while_another_is_learned_is_not_lost(learning):
    learning.tell(learning.ask(), 0.5)
    assert (learning.rounds, learning._session.state.told[0]) == (2, 2)
