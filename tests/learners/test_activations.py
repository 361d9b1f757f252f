"""Arms that come back are noted as those that go are."""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.testing.driving import tell_as_played

QUICK = dd.learners.Constants(scale=0.004)
HASTY = dd.learners.Calibration(alarm=0.5, proof=-6.0, likely=-2.0, watch=1.0, replay_rate=1.0)

LEARNERS = {
    "METABOSSE": lambda: dd.MetaBosse(4, 600, seed=1, constants=QUICK),
    "METABOSSE for Condorcet": lambda: dd.MetaBosse(
        4, 600, seed=1, criterion="condorcet", constants=QUICK
    ),
    "ANACONDA": lambda: dd.learners.Anaconda(4, 600, seed=1, scale=0.01),
    "DRIFTDUEL": lambda: dd.DriftDuel(4, seed=1, calibration=HASTY),
    "DRIFTDUEL for Condorcet": lambda: dd.DriftDuel(
        4, seed=1, criterion="condorcet", calibration=HASTY
    ),
}


def rounds_of(learner, n_rounds=600):
    """Play ties; yield who went and came back in each round, and who is active then."""
    script = np.random.default_rng(2)
    gone = back = 0
    for _ in range(n_rounds):
        tell_as_played(learner, learner.ask(), float(script.random() < 0.5))
        went = learner.evictions[gone:]
        came = [item.arm for item in learner.activations[back:]]
        assert all(item.round == learner.rounds for item in learner.activations[back:])
        gone, back = gone + len(went), back + len(came)
        yield went, came, set(learner.active.tolist())


@pytest.mark.parametrize("name", LEARNERS)
def test_who_comes_back_was_evicted_and_is_active(name):
    out = set()
    n_back = 0
    for went, came, active in rounds_of(LEARNERS[name]()):
        out |= {item.arm for item in went}
        assert set(came) <= out
        assert set(came) <= active
        out -= set(came)
        n_back += len(came)
    assert n_back > 2


@pytest.mark.parametrize("name", ["METABOSSE", "METABOSSE for Condorcet", "ANACONDA"])
def test_who_was_evicted_is_not_active_until_it_comes_back(name):
    out = set()
    learner = LEARNERS[name]()
    for went, came, active in rounds_of(learner):
        # Evidence from before a replay began counts against an arm when the replay is over.
        replayed = learner.replays[-1:] and learner.replays[-1].start == learner.rounds
        out |= {item.arm for item in went if item.first >= item.base and not replayed}
        out -= set(came)
        assert not out & active


def test_a_restarted_learner_counts_the_rounds_from_the_start():
    inner = dd.MetaBosse(3, 150, constants=QUICK)
    learner = dd.learners.PeriodicRestart.of(inner, every=150, seed=3)
    for _ in rounds_of(learner):
        pass
    assert {item.round // 150 for item in learner.activations} == {0, 1, 2, 3}
