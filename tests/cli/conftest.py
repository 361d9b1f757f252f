from __future__ import annotations

import pytest

from driftduel.cli import main, terminal
from tests.commands import refuser, runner


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process; it must succeed. Lines are wide enough not to wrap."""
    monkeypatch.setattr(terminal, "_WIDTH_OF_A_FILE", 400)
    return runner(main, capsys)


@pytest.fixture
def refused(capsys):
    """Run the command on bad input and return its one sentence."""
    return refuser(main, "driftduel", capsys)
