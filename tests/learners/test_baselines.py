"""Parameters that every learner has, and the two learners that learn nothing."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import driftduel as dd
from tests.learners.recorder import Recorder


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_arms": 1}, "n_arms is 1, must be at least 2"),
        ({"n_arms": 2.0}, "n_arms is 2.0, must be a whole number"),
        ({"n_arms": "3"}, "n_arms is '3', must be a whole number"),
        ({"n_arms": True}, "n_arms is True, must be a whole number"),
        ({"n_arms": 10**9}, "n_arms is 1000000000, must be at most 1000000"),
        ({"horizon": 0}, "horizon is 0, must be at least 1"),
        ({"horizon": -5}, "horizon is -5, must be at least 1"),
        ({"horizon": 1e6}, "horizon is 1000000.0, must be a whole number or none"),
        ({"horizon": 2**62 + 1}, f"horizon is {2**62 + 1}, must be at most {2**62}"),
        ({"seed": -1}, "seed is -1, must be at least 0"),
        ({"seed": None}, "seed is None, must be a whole number"),
        ({"labels": ["a", "b"]}, "labels: 2 given, there are 3 arms"),
        ({"labels": ["a", "b", "a"]}, "labels: each arm needs a different one"),
        ({"labels": ["a", "b", "\x1b[31mc"]}, r"labels: name 3 is '\x1b[31mc', must be printable"),
        ({"labels": "abc"}, "labels: must be a list of names, not the text 'abc'"),
        ({"labels": 3}, "labels is 3, must be a list of names"),
        (
            {"criterion": dd.Weighted([0.5, 0.5])},
            "criterion.weight: has 2 entries, there are 3 arms",
        ),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        Recorder(**{"n_arms": 3, **options})
    assert str(error.value) == message


def test_an_unknown_criterion_is_refused():
    with pytest.raises(ValueError, match=r"^criterion is 'best', must be "):
        Recorder(3, criterion="best")


def test_parameters_are_turned_into_plain_ones():
    learner = Recorder(np.int64(3), np.int32(9), seed=np.uint8(7), labels=["a", 2, "c"])
    expected = {
        "n_arms": 3,
        "horizon": 9,
        "criterion": dd.Borda(),
        "seed": 7,
        "labels": ("a", "2", "c"),
    }
    assert learner.config() == expected
    assert {type(learner.config()[name]) for name in ("n_arms", "horizon", "seed")} == {int}


def test_a_learner_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Recorder(3).n_arms = 4


def test_a_learner_shows_its_parameters():
    shown = repr(Recorder(3, criterion="condorcet"))
    expected = "n_arms=3, horizon=None, criterion=Condorcet(), seed=0, labels=None"
    assert shown == f"Recorder({expected})"


# The baselines


def test_uniform_play_asks_every_pair_with_the_same_chance():
    learner = dd.learners.Uniform(3, seed=5)
    duels = [learner.ask() for _ in range(900)]
    assert {duel.propensity for duel in duels} == {1 / 9}
    assert {(duel.left, duel.right) for duel in duels} == {
        (left, right) for left in range(3) for right in range(3)
    }


LEADS = [[0, 1, 1, -2], [0, 0, 3, 3], [0, 0, 0, 0], [0, 0, 0, 0]]
"""Arm 1 is ahead in all, arm 3 beats arm 0, arm 1 loses to arm 0 only."""


@pytest.mark.parametrize(
    ("criterion", "rounds", "best"),
    [
        (dd.Borda(), 0, 1),
        (dd.Condorcet(), 0, 1),
        (dd.Weighted([1, 0, 0, 0]), 0, 3),
        (dd.Weighted([0, 1, 0, 0]), 0, 0),
        (dd.Weighted(dd.WeightSequence([[1, 0, 0, 0], [0, 1, 0, 0]], [0, 5])), 4, 3),
        (dd.Weighted(dd.WeightSequence([[1, 0, 0, 0], [0, 1, 0, 0]], [0, 5])), 5, 0),
    ],
)
def test_uniform_play_thinks_best_what_its_criterion_says(criterion, rounds, best):
    learner = dd.learners.Uniform(4, criterion=criterion)
    learner._session.state.leads[:] = LEADS
    learner._session.state.rounds[0] = rounds
    assert learner.best() == best


def test_uniform_play_counts_an_outcome_for_the_left_arm():
    learner = dd.learners.Uniform(2)
    learner._session.open.update({0: (0, 1, (0.25,)), 1: (1, 0, (0.25,)), 2: (0, 1, (0.25,))})
    learner._session.asked = 3
    learner.tell(0, 1)
    learner.tell(1, 0.5)
    learner.tell(2, 1)
    assert learner._session.state.leads.tolist() == [[0, 1], [0, 0]]
    assert learner.best() == 0


def test_a_fixed_pair_is_asked_for_ever():
    learner = dd.learners.FixedPair(5, left=4, right=2)
    for _ in range(3):
        duel = learner.ask()
        assert (duel.left, duel.right, duel.propensity) == (4, 2, 1.0)
        learner.tell(duel, 0)
    assert learner.best() == 2
    assert learner.active.tolist() == [2, 4]
    assert dd.learners.FixedPair(5, left=3, right=3).active.tolist() == [3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"left": 5}, "left is 5, must be at most 4"),
        ({"right": -1}, "right is -1, must be at least 0"),
        ({"left": 1.0}, "left is 1.0, must be a whole number"),
        ({"right": "tea"}, "right is 'tea', must be a whole number"),
    ],
)
def test_a_fixed_pair_of_arms_that_do_not_exist_is_refused(options, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.learners.FixedPair(5, **options)
    assert str(error.value) == message
