from __future__ import annotations

import pytest

from driftduel.cli import terminal
from studies import PROGRAM
from studies.__main__ import main
from tests.commands import refuser, runner


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a study in this process; it must succeed. Lines are wide enough not to wrap."""
    monkeypatch.setattr(terminal, "_WIDTH_OF_A_FILE", 400)
    return runner(main, capsys)


@pytest.fixture
def refused(capsys):
    """Run a study on bad input and return its one sentence."""
    return refuser(main, PROGRAM, capsys)
