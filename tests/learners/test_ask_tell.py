from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import Duel, Learner, inline_kernel
from driftduel.learners.storage import as_payload


class Ledger(NamedTuple):
    """Everything a learner was told, and how often it was told anything."""

    rounds: np.ndarray
    rows: np.ndarray


@inline_kernel
def choose(state, rng):
    n = state.rounds[0]
    return n % 3, 2, (np.nan if n % 2 else 0.25, float(n))


@inline_kernel
def learn(state, left, right, ticket, outcome):
    row = state.rows[state.rounds[0]]
    row[0] = left
    row[1] = right
    row[2] = ticket[1]
    row[3] = outcome
    state.rounds[0] += 1
    return False


@dataclass(frozen=True, eq=False)
class Recorder(Learner):
    """Tells its learning kernel the number of outcomes known at the time of asking."""

    choose = staticmethod(choose)
    learn = staticmethod(learn)

    def allocate(self):
        return Ledger(np.zeros(1, np.int64), np.full((20, 4), np.nan))

    def best_of(self, state):
        return 0


def told(learner):
    return learner.session.state.rows[: learner.rounds].tolist()


# Asking


def test_a_duel_has_a_number_a_pair_a_propensity_and_its_learner():
    learner = Recorder(3)
    first = learner.ask()
    assert first == Duel(0, 0, 2, 0.25, learner.session.name)
    learner.tell(first, 1.0)
    second = learner.ask()
    assert (second.id, second.left, second.right) == (1, 1, 2)
    assert {type(value) for value in (second.id, second.left, second.right)} == {int}


def test_an_unknown_propensity_is_none():
    learner = Recorder(3)
    learner.tell(learner.ask(), 1.0)
    duel = learner.ask()
    assert duel.propensity is None
    assert learner.open_duels[0].propensity is None


def test_a_duel_cannot_be_changed():
    duel = Recorder(3).ask()
    with pytest.raises(FrozenInstanceError):
        duel.left = 1


def test_learners_have_names_of_their_own():
    one, other = Recorder(3), Recorder(3)
    assert one.ask() != other.ask()
    assert one.session.name != other.session.name


# Telling


@pytest.mark.parametrize(
    "outcome", [1, 0, 0.5, 1.0, 0.0, np.float32(0.5), np.int8(1), Fraction(1, 2)]
)
def test_outcomes_may_be_any_kind_of_number(outcome):
    learner = Recorder(3)
    learner.tell(learner.ask(), outcome)
    assert told(learner) == [[0, 2, 0, float(outcome)]]


def test_an_outcome_is_learned_with_the_ticket_of_the_time_of_asking():
    learner = Recorder(3)
    early = [learner.ask() for _ in range(3)]
    learner.tell(early[2], 1.0)
    later = learner.ask()
    learner.tell(later, 0.5)
    learner.tell(early[0], 0.0)
    latest = learner.ask()
    learner.tell(early[1], 1.0)
    learner.tell(latest, 0.0)
    assert told(learner) == [
        [0, 2, 0, 1.0],
        [1, 2, 1, 0.5],
        [0, 2, 0, 0.0],
        [0, 2, 0, 1.0],
        [0, 2, 3, 0.0],
    ]


def test_a_duel_may_be_told_by_its_number():
    learner = Recorder(3)
    learner.ask()
    learner.ask()
    learner.tell(1, 0.5)
    learner.tell(np.int64(0), 0)
    assert learner.rounds == 2
    assert learner.open_duels == []


def test_open_duels_are_those_asked_and_not_told():
    learner = Recorder(3)
    duels = [learner.ask() for _ in range(5)]
    learner.tell(duels[3], 1)
    learner.tell(duels[0], 1)
    assert learner.open_duels == [duels[1], duels[2], duels[4]]


def unchanged_by(learner, duel, outcome):
    before = as_payload(learner)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.tell(duel, outcome)
    assert as_payload(learner) == before
    return str(error.value)


@pytest.mark.parametrize(
    "outcome",
    [float("nan"), float("inf"), 2, -1, 0.49, "1", b"1", True, False, np.True_, None, [1], 1j],
)
def test_a_bad_outcome_is_refused(outcome):
    learner = Recorder(3)
    duel = learner.ask()
    message = f"outcome is {outcome!r}, must be 1 (left), 0 (right) or 0.5 (tie)"
    assert unchanged_by(learner, duel, outcome) == message
    learner.tell(duel, 1)


def test_an_array_is_not_an_outcome():
    learner = Recorder(3)
    duel = learner.ask()
    for outcome in (np.array(1.0), np.array([1.0]), np.array([0, 1])):
        assert unchanged_by(learner, duel, outcome).startswith("outcome is array(")


def test_a_duel_told_twice_is_refused():
    learner = Recorder(3)
    duel = learner.ask()
    learner.tell(duel, 1)
    assert unchanged_by(learner, duel, 1) == "duel 0 was told already"
    assert unchanged_by(learner, 0, 1) == "duel 0 was told already"


def test_a_duel_never_asked_is_refused():
    learner = Recorder(3)
    assert unchanged_by(learner, 0, 1) == "duel 0 was never asked"
    duel = learner.ask()
    assert unchanged_by(learner, replace(duel, id=7), 1) == "duel 7 was never asked"


def test_a_duel_of_another_learner_is_refused():
    learner, other = Recorder(3), Recorder(3)
    learner.ask()
    assert unchanged_by(learner, other.ask(), 1) == "duel 0 was asked by another learner"
    assert unchanged_by(learner, other.ask(), 1) == "duel 1 was asked by another learner"


@pytest.mark.parametrize("change", [{"left": 1}, {"right": 0}, {"propensity": 1.0}])
def test_a_duel_that_is_not_the_one_asked_is_refused(change):
    learner = Recorder(3)
    duel = learner.ask()
    message = "duel 0 was asked by a copy of this learner"
    assert unchanged_by(learner, replace(duel, **change), 1) == message


@pytest.mark.parametrize("duel", [1.0, "0", None, True, (0, 1)])
def test_something_that_is_no_duel_is_refused(duel):
    learner = Recorder(3)
    learner.ask()
    assert unchanged_by(learner, duel, 1) == f"duel is {duel!r}, must be a whole number"


def test_rounds_are_refused_after_a_horizon_that_must_not_be_passed():
    learner = dd.MetaBosse(2, 3, intervals="all")
    duels = [learner.ask() for _ in range(5)]
    for duel in duels[:3]:
        learner.tell(duel, 1)
    assert unchanged_by(learner, duels[3], 1).startswith("the horizon of 3 rounds is over")
    before = as_payload(learner)
    with pytest.raises(ValueError, match=r"^the horizon of 3 rounds is over"):
        learner.ask()
    assert as_payload(learner) == before


# Parameters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_arms": 1}, "n_arms is 1, must be at least 2"),
        ({"n_arms": 2.0}, "n_arms is 2.0, must be a whole number"),
        ({"n_arms": "3"}, "n_arms is '3', must be a whole number"),
        ({"n_arms": True}, "n_arms is True, must be a whole number"),
        ({"horizon": 0}, "horizon is 0, must be at least 1"),
        ({"horizon": -5}, "horizon is -5, must be at least 1"),
        ({"horizon": 1e6}, "horizon is 1000000.0, must be a whole number"),
        ({"horizon": 2**62 + 1}, f"horizon is {2**62 + 1}, must be at most {2**62}"),
        ({"seed": -1}, "seed is -1, must be at least 0"),
        ({"seed": None}, "seed is None, must be a whole number"),
        ({"labels": ["a", "b"]}, "labels: 2 given, there are 3 arms"),
        ({"labels": ["a", "b", "a"]}, "labels: each arm needs a different one"),
        ({"labels": "abc"}, "labels: must be a list of names, not the text 'abc'"),
        ({"criterion": dd.Weighted([0.5, 0.5])}, "weight: has 2 entries, there are 3 arms"),
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
    learner = dd.Uniform(3, seed=5)
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
    learner = dd.Uniform(4, criterion=criterion)
    learner.session.state.leads[:] = LEADS
    learner.session.state.rounds[0] = rounds
    assert learner.best() == best


def test_uniform_play_counts_an_outcome_for_the_left_arm():
    learner = dd.Uniform(2)
    learner.session.open.update({0: (0, 1, (0.25,)), 1: (1, 0, (0.25,)), 2: (0, 1, (0.25,))})
    learner.session.asked = 3
    learner.tell(0, 1)
    learner.tell(1, 0.5)
    learner.tell(2, 1)
    assert learner.session.state.leads.tolist() == [[0, 1], [0, 0]]
    assert learner.best() == 0


def test_a_fixed_pair_is_asked_for_ever():
    learner = dd.FixedPair(5, left=4, right=2)
    for _ in range(3):
        duel = learner.ask()
        assert (duel.left, duel.right, duel.propensity) == (4, 2, 1.0)
        learner.tell(duel, 0)
    assert learner.best() == 2
    assert learner.active.tolist() == [2, 4]
    assert dd.FixedPair(5, left=3, right=3).active.tolist() == [3]


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
        dd.FixedPair(5, **options)
    assert str(error.value) == message
