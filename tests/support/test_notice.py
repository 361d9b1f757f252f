"""A terminal is told once that something is compiled, if that takes long."""

from __future__ import annotations

import io
import threading

import pytest

from driftduel._support.compile import notice as room
from driftduel._support.compile.notice import SENTENCE, Notice


class Terminal(io.StringIO):
    def __init__(self, *, real):
        super().__init__()
        self.real, self.written = real, threading.Event()

    def isatty(self):
        return self.real

    def write(self, text):
        done = super().write(text)
        self.written.set()
        return done


@pytest.fixture
def terminal(monkeypatch):
    def put(*, real=True, after=0.0):
        made = Terminal(real=real)
        monkeypatch.setattr(room, "AFTER", after)
        monkeypatch.setattr(room.sys, "stderr", made)
        return made

    return put


def test_what_takes_long_is_said_once(terminal):
    shown, notice = terminal(), Notice()
    notice.begin()
    assert shown.written.wait(30)
    notice.begin()
    notice.end()
    notice.end()
    notice.begin()
    notice._timer.join(30)
    assert shown.getvalue() == f"{SENTENCE}\n"


def test_what_is_quick_is_not_said(terminal):
    shown, notice = terminal(after=3600.0), Notice()
    notice.begin()
    notice.begin()
    timer = notice._timer
    notice.end()
    assert not timer.finished.is_set()  # the caller is still being compiled
    notice.end()
    assert timer.finished.is_set()
    timer.join(30)
    assert shown.getvalue() == ""


def test_nothing_is_said_where_nobody_looks(terminal):
    shown, notice = terminal(real=False), Notice()
    notice.begin()
    assert notice._timer is None
    assert shown.getvalue() == ""
