"""Duels asked and not yet told: how many there may be, for how long, and in files."""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.contract import session
from driftduel.learners.contract.storage import as_payload
from tests.learners.recorder import Recorder, unchanged_by


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
