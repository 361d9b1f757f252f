from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from driftduel.cli import main, shared


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def words(self):
        """The output on one line, whatever the width it was printed at."""
        return " ".join(self.out.split())


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process; it must succeed. Lines are wide enough not to wrap."""
    monkeypatch.setattr(shared, "_WIDTH_OF_A_FILE", 400)

    def command(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        done = Done(code, *capsys.readouterr())
        assert (done.code, done.err) == (0, "")
        return done

    return command


@pytest.fixture
def refused(capsys):
    """Run the command on bad input and return its one sentence."""

    def command(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        done = Done(code, *capsys.readouterr())
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("driftduel: ")
        assert done.err.count("\n") == 1
        return done.err.removeprefix("driftduel: ").rstrip("\n")

    return command
