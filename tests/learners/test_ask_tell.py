from __future__ import annotations

import copy
import pickle
import re
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import AlreadyTold, ClosedDuel, Duel
from driftduel.learners.contract import session
from driftduel.learners.contract.storage import as_payload
from tests.learners.recorder import Recorder, told, unchanged_by

# Asking


def test_a_duel_has_a_number_a_pair_a_propensity_and_its_learner():
    learner = Recorder(3)
    first = learner.ask()
    assert first == Duel(0, 0, 2, 0.25, learner._session.name)
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
    assert one._session.name != other._session.name


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


@pytest.mark.parametrize(
    "outcome",
    [float("nan"), float("inf"), 2, -1, 1.01, "1", b"left", True, False, np.True_, None, [1], 1j],
)
def test_a_bad_outcome_is_refused(outcome):
    learner = Recorder(3)
    duel = learner.ask()
    for wrong in (outcome, "middle", "", "cancelled"):
        message = f"outcome is {wrong!r}, must be 1 or 'left', 0 or 'right', 0.5 or 'tie'"
        assert unchanged_by(learner, duel, wrong) == message
    learner.tell(duel, 1)


def test_an_array_is_not_an_outcome():
    learner = Recorder(3)
    duel = learner.ask()
    for outcome in (np.array(1.0), np.array([1.0]), np.array([0, 1])):
        assert unchanged_by(learner, duel, outcome).startswith("outcome is array(")


@pytest.mark.parametrize(
    ("word", "value"), [("left", 1.0), ("right", 0.0), ("tie", 0.5), ("LEFT", 1.0)]
)
def test_outcomes_may_be_words(word, value):
    learner = Recorder(3)
    learner.tell(learner.ask(), word)
    assert told(learner) == [[0, 2, 0, value]]


@pytest.mark.parametrize(("word", "value"), [("left", 1.0), ("right", 0.0), ("tie", 0.5)])
def test_a_duel_told_twice_is_refused_with_the_outcome_that_counts(word, value):
    learner = Recorder(3)
    duel = learner.ask()
    learner.tell(duel, value)
    for again in (duel, 0, duel.code):
        assert unchanged_by(learner, again, 1) == f"duel 0 was told already: {word}"
    with pytest.raises(AlreadyTold) as error:
        learner.tell(duel, 1)
    assert (error.value.number, error.value.outcome) == (0, value)
    again = pickle.loads(pickle.dumps(error.value))
    assert (type(again), str(again), again.outcome) == (AlreadyTold, str(error.value), value)


def test_how_the_latest_duels_were_told_is_remembered_of_the_others_only_that(monkeypatch):
    monkeypatch.setattr(session, "REMEMBERED", 3)
    learner = Recorder(3)
    duels = [learner.ask() for _ in range(6)]
    for duel in reversed(duels):  # the order of telling counts, not that of asking
        learner.tell(duel, 0.5)
    for duel in duels[:3]:
        assert unchanged_by(learner, duel, 1) == f"duel {duel.id} was told already: tie"
    for duel in duels[3:]:
        expected = f"duel {duel.id} was told or cancelled already, too long ago to say how"
        assert unchanged_by(learner, duel, 1) == expected
        with pytest.raises(ClosedDuel) as error:
            learner.tell(duel.code, 1)
        assert not isinstance(error.value, AlreadyTold)
        assert error.value.how is None


# One arm twice: show this one, ask nobody


def test_of_one_arm_twice_nothing_but_a_tie_can_be_told():
    learner = dd.learners.FixedPair(3, left=2, right=2)
    duel = learner.ask()
    assert not duel.is_vote
    for outcome in ("left", "right", 1, 0.0):
        assert unchanged_by(learner, duel, outcome) == (
            f"duel 0 shows arm 2 twice, nobody can prefer one: outcome is {outcome!r}, must be "
            "0.5 or 'tie'"
        )
    learner.tell(duel, "tie")
    assert learner.rounds == 1
    before = as_payload(learner)
    for outcome in (1.0, 0.0):
        with pytest.raises(
            ValueError, match=r"^outcomes\[1\] = . of arm 1 against itself, must be"
        ):
            learner.fold([1, 1], [2, 1], [(1.0,)] * 2, [1.0, outcome])
    assert as_payload(learner) == before


def test_who_asks_for_votes_gets_two_arms_and_self_duels_pass_as_ties():
    learner, beside = dd.DriftDuel(3, seed=1), dd.DriftDuel(3, seed=1)
    for _ in range(200):
        duel = learner.ask(votes_only=True)
        twin = beside.ask()
        while not twin.is_vote:
            beside.tell(twin, "tie")
            twin = beside.ask()
        assert (duel.id, duel.left, duel.right) == (twin.id, twin.left, twin.right)
        assert duel.ticket == twin.ticket
        assert duel.propensity == pytest.approx(
            twin.propensity / beside._session.state.plan[0]["total"]
        )
        learner.tell(duel, float(duel.left < duel.right))
        beside.tell(twin, float(duel.left < duel.right))
    assert learner.rounds == beside.rounds > 400
    assert as_payload(learner)["session"]["state"] == as_payload(beside)["session"]["state"]


def test_votes_that_wait_keep_their_propensity_in_a_file(tmp_path):
    for learner, chance in (
        (dd.learners.Uniform(3, seed=1), 1 / 6),
        (dd.learners.DTS(3, seed=1), None),
    ):
        duel = learner.ask(votes_only=True)
        assert duel.propensity == (chance and pytest.approx(chance))
        learner.save(tmp_path / "drinks.json")
        again = dd.load_learner(tmp_path / "drinks.json")
        assert again.open_duels == [duel]
        again.tell(duel, "left")


def test_a_learner_that_only_serves_is_not_asked_for_votes_for_ever():
    learner = dd.learners.FixedPair(3, left=2, right=2)
    with pytest.raises(
        ValueError, match=r"^10,000 duels in a row were of one arm twice: FixedPair"
    ):
        learner.ask(votes_only=True)
    assert (learner.rounds, learner.open_duels) == (10_000, [])


# Codes


def test_a_code_is_the_number_with_four_digits():
    learner = Recorder(3)
    codes = [learner.ask().code for _ in range(12)]
    assert all(re.fullmatch(r"\d+-[0-9a-f]{4}", code) for code in codes)
    assert [int(code.partition("-")[0]) for code in codes] == list(range(12))
    assert codes == [duel.code for duel in learner.open_duels]


def test_a_duel_may_be_told_by_its_code():
    learner = Recorder(3)
    codes = [learner.ask().code for _ in range(2)]
    learner.tell(codes[1], "tie")
    assert [duel.code for duel in learner.open_duels] == codes[:1]


def test_a_code_of_another_learner_or_pair_is_refused_open_or_told():
    learner, other = dd.learners.Uniform(9, seed=1), dd.learners.Uniform(9, seed=2)
    learner.tell(learner.ask(), 0.5)
    other.tell(other.ask(), 0.5)
    twin = copy.deepcopy(learner)
    twin._session.rng.random()  # so that it asks other pairs
    for told_here in (False, True):
        mine, theirs, copied = learner.ask(), other.ask(), twin.ask()
        assert (mine.left, mine.right) != (copied.left, copied.right)
        if told_here:
            learner.tell(mine, 1)
        for code in (theirs.code, copied.code):
            assert unchanged_by(learner, code, 1) == (
                f"duel {code} was asked by another learner, or by a copy of this one"
            )
        assert unchanged_by(learner, copied, 1) == (
            f"duel {mine.id} was asked by a copy of this learner"
        )


def test_every_pair_of_nine_arms_has_a_code_of_its_own():
    codes = {Duel(7, left, right, None, "a" * 32).code for left in range(9) for right in range(9)}
    assert len(codes) == 81


@pytest.mark.parametrize("code", ["0-", "0-12345", "0-XYZW", "-1-0000", "0", " 0-0000", "9" * 5000])
def test_a_code_that_is_none_is_refused(code):
    learner = Recorder(3)
    learner.ask()
    assert unchanged_by(learner, code, 1) == (
        f"duel is {code!r}, must be a duel, its number or its code, as in '17-5f3a'"
    )
    assert unchanged_by(learner, "1-0000", 1) == "duel 1 was never asked"


# Cancelling


def test_a_duel_cancelled_is_not_open_and_cannot_be_told():
    learner = Recorder(3)
    duels = [learner.ask() for _ in range(4)]
    learner.cancel(duels[0])
    learner.cancel(1)
    learner.cancel(duels[2].code)
    assert learner.open_duels == duels[3:]
    assert learner.rounds == 0
    for duel in duels[:3]:
        assert unchanged_by(learner, duel, 1) == f"duel {duel.id} was cancelled"
        before = as_payload(learner)
        learner.cancel(duel)
        assert as_payload(learner) == before
    learner.tell(duels[3], 1)
    assert told(learner) == [[0, 2, 0, 1.0]]


def test_a_duel_that_was_told_or_never_asked_is_not_cancelled():
    learner = Recorder(3)
    duel = learner.ask()
    learner.tell(duel, 0)
    before = as_payload(learner)
    for wrong, message in (
        (duel, "duel 0 was told already: right"),
        (7, "duel 7 was never asked"),
        (Recorder(3).ask(), "duel 0 was asked by another learner"),
    ):
        with pytest.raises(ValueError) as error:  # noqa: PT011
            learner.cancel(wrong)
        assert str(error.value) == message
    assert as_payload(learner) == before


# Duels that are not the one asked


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
    assert unchanged_by(learner, duel, 1) == (
        f"duel is {duel!r}, must be a duel, its number or its code, as in '17-5f3a'"
    )


def test_rounds_are_refused_after_a_horizon_that_must_not_be_passed():
    learner = dd.MetaBosse(2, 3, intervals="all")
    duels = [learner.ask() for _ in range(5)]
    for duel in duels[:3]:
        learner.tell(duel, 0.5)
    assert unchanged_by(learner, duels[3], 0.5).startswith("the horizon of 3 rounds is over")
    before = as_payload(learner)
    with pytest.raises(ValueError, match=r"^the horizon of 3 rounds is over"):
        learner.ask()
    assert as_payload(learner) == before
