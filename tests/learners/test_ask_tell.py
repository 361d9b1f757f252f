from __future__ import annotations

import copy
import pickle
import re
from dataclasses import FrozenInstanceError, dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import AlreadyTold, ClosedDuel, Duel, Learner, inline_kernel
from driftduel.learners.contract import session
from driftduel.learners.contract.storage import as_payload


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

    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    def _allocate(self):
        return Ledger(np.zeros(1, np.int64), np.full((20, 4), np.nan))

    def _best_of(self, state):
        return 0


def told(learner):
    return learner._session.state.rows[: learner.rounds].tolist()


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


def unchanged_by(learner, duel, outcome):
    before = as_payload(learner)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.tell(duel, outcome)
    assert as_payload(learner) == before
    return str(error.value)


@pytest.mark.parametrize(
    "outcome",
    [float("nan"), float("inf"), 2, -1, 0.49, "1", b"left", True, False, np.True_, None, [1], 1j],
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


# Open duels: how many, how long


class Clock:
    """A clock that the test sets."""

    def __init__(self, monkeypatch):
        self.now = 1_000_000.0
        monkeypatch.setattr(session.time, "time", lambda: self.now)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def test_so_many_duels_may_be_open_and_no_more():
    learner = Recorder(3)
    learner.limit_open(3)
    duels = [learner.ask() for _ in range(3)]
    before = as_payload(learner)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.ask()
    assert str(error.value) == (
        "3 duels are open, no more are allowed: tell or cancel some, let old ones expire, or "
        "allow more"
    )
    assert as_payload(learner) == before
    learner.tell(duels[1], 1)
    learner.ask()
    learner.cancel(duels[0])
    assert learner.ask().id == 4


def test_ten_thousand_duels_may_be_open_unless_it_is_said_otherwise():
    learner = dd.learners.FixedPair(2)
    for _ in range(10_000):
        learner.ask()
    with pytest.raises(ValueError, match=r"^10,000 duels are open, no more are allowed"):
        learner.ask()
    learner.limit_open(10_001)
    learner.ask()


def test_a_duel_remembers_when_it_was_asked(clock):
    learner = Recorder(3)
    assert learner.ask().asked_at == 1_000_000
    clock.now += 60
    assert learner.ask().asked_at == 1_000_060
    assert [duel.asked_at for duel in learner.open_duels] == [1_000_000, 1_000_060]


def test_a_duel_that_was_open_for_too_long_has_expired(clock):
    learner = Recorder(3)
    learner.limit_open(2, expire=60)
    early = learner.ask()
    clock.now += 40
    late = learner.ask()
    clock.now += 20
    assert learner.open_duels == [early, late]
    clock.now += 1
    assert learner.open_duels == [late]
    assert unchanged_by(learner, early, 1) == "duel 0 has expired, it was open for too long"
    learner.cancel(early)
    third = learner.ask()  # which makes room first
    assert learner.open_duels == [late, third]
    assert unchanged_by(learner, early, 1) == "duel 0 has expired, it was open for too long"
    learner.cancel(early)
    learner.limit_open(2)
    clock.now += 10**6
    assert learner.open_duels == [late, third]


def test_what_is_learned_depends_on_what_is_told_alone(clock):
    plain, other = (dd.MetaBosse(3, 2000, seed=4) for _ in range(2))
    other.limit_open(4, expire=5)
    for n in range(1000):
        duel, twin = plain.ask(), other.ask()
        assert (duel.left, duel.right, duel.propensity) == (twin.left, twin.right, twin.propensity)
        clock.now += 1
        if n % 3 == 0:
            other.cancel(twin)
        elif n % 3 == 1:
            plain.tell(duel, "left" if duel.is_vote else "tie")
            other.tell(twin, "left" if twin.is_vote else "tie")
    saved = [as_payload(item)["session"] for item in (plain, other)]
    for part in ("state", "generator", "told", "episodes", "evictions", "replays"):
        assert saved[0][part] == saved[1][part]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_open": 0}, "max_open is 0, must be at least 1"),
        ({"max_open": 2.5}, "max_open is 2.5, must be a whole number"),
        ({"expire": 0}, "expire is 0, must be a positive number"),
        ({"expire": float("nan")}, "expire is nan, must be a positive number"),
        ({"expire": "1h"}, "expire is '1h', must be a positive number"),
    ],
)
def test_limits_that_make_no_sense_are_refused(options, message):
    learner = Recorder(3)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.limit_open(**options)
    assert str(error.value) == message
    assert (learner._session.max_open, learner._session.expire) == (10_000, None)


def test_limits_and_closed_duels_are_kept_in_a_file(tmp_path, clock):
    learner = dd.learners.Uniform(3, seed=1)
    learner.limit_open(5, expire=60)
    early = learner.ask()
    clock.now += 61
    duels = [learner.ask() for _ in range(4)]
    learner.tell(duels[2], "right")
    learner.tell(duels[0], "tie")
    learner.cancel(duels[1])
    learner.save(tmp_path / "learner.json")
    again = dd.load_learner(tmp_path / "learner.json")
    assert as_payload(again) == as_payload(learner)
    assert again._session.closed == learner._session.closed
    assert [duel.asked_at for duel in again.open_duels] == [clock.now]
    for duel, end in (
        (early, "has expired, it was open for too long"),
        (duels[2], "was told already: right"),
        (duels[0].code, "was told already: tie"),
        (duels[1], "was cancelled"),
    ):
        number = duel if isinstance(duel, str) else duel.id
        assert unchanged_by(again, duel, 1) == f"duel {str(number).split('-')[0]} {end}"


def test_a_file_of_many_votes_grows_by_six_bytes_a_vote_and_then_no_more(tmp_path):
    sizes = []
    learner = dd.learners.FixedPair(2)
    for n in range(20_001):
        if n % 5_000 == 0:
            learner.save(tmp_path / "learner.json")
            sizes.append((tmp_path / "learner.json").stat().st_size)
        learner.tell(learner.ask(), 1)
    grown = np.diff(sizes)
    assert (grown[:2] < 6 * 5_000).all()
    assert (abs(grown[2:]) < 100).all()


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


# Parameters


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
