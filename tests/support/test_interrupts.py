"""An interrupt from the keyboard waits for what must not stop half way."""

from __future__ import annotations

import signal
import sys
import threading

import pytest

import driftduel as dd
from driftduel._support.interrupts import defer_interrupts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


@pytest.fixture(autouse=True)
def _usual_handler():
    """Whoever started the tests may have told them to ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def twice_and_on(done):
    with defer_interrupts():
        interrupt()
        interrupt()
        done.append(True)


def inside_and_on(done):
    with defer_interrupts():
        with defer_interrupts():
            interrupt()
        done.append(True)


def test_an_interrupt_waits_for_the_end_of_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt):
        twice_and_on(done)
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_block_in_a_block_waits_for_the_outer_one():
    done = []
    with pytest.raises(KeyboardInterrupt):
        inside_and_on(done)
    assert done == [True]


def test_without_an_interrupt_errors_pass_and_the_handler_is_back():
    with pytest.raises(ZeroDivisionError), defer_interrupts():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_ignores_interrupts_goes_on_doing_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with defer_interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            interrupt()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_the_handler_alone():
    seen = []

    def look():
        with defer_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


class Interrupted(dd.learners.Uniform):
    """Is interrupted in the middle of choosing and of learning."""

    when = "never"

    @staticmethod
    def _choose(state, rng):
        if Interrupted.when == "choose":
            interrupt()
        return 0, 1, (1.0,)

    @staticmethod
    def _learn(state, left, right, ticket, outcome):
        if Interrupted.when == "learn":
            interrupt()
        return False


def test_a_duel_that_was_drawn_is_open_though_an_interrupt_came(monkeypatch):
    learner = Interrupted(3)
    monkeypatch.setattr(Interrupted, "when", "choose")
    with pytest.raises(KeyboardInterrupt):
        learner.ask()
    assert len(learner.open_duels) == 1


def test_an_outcome_that_was_learned_counts_though_an_interrupt_came(monkeypatch):
    learner = Interrupted(3)
    duel = learner.ask()
    monkeypatch.setattr(Interrupted, "when", "learn")
    with pytest.raises(KeyboardInterrupt):
        learner.tell(duel, 1.0)
    assert learner.rounds == 1
    with pytest.raises(dd.learners.AlreadyTold):
        learner.tell(duel, 1.0)
