"""Programs run in this process, for the tests of commands."""

from __future__ import annotations

import json
from dataclasses import dataclass


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


def runner(main, capsys):
    """Return a function that runs the program, which must succeed."""

    def command(*arguments, allowed=None):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        done = Done(code, *capsys.readouterr())
        said = _but_how_it_was_read(done.err)
        assert done.code == 0
        assert said == "" if allowed is None else allowed in said
        return done

    return command


def _but_how_it_was_read(err):
    """Return what is on standard error beside the line that says how columns were read."""
    lines = err.splitlines(keepends=True)
    return "".join(
        line
        for line in lines
        if not (line.startswith("driftduel: note: ") and ": read as: " in line)
    )


def refuser(main, name, capsys):
    """Return a function that runs the program on bad input and returns its one sentence."""

    def command(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        done = Done(code, *capsys.readouterr())
        assert (done.code, done.out) == (2, "")
        done = Done(done.code, done.out, _but_how_it_was_read(done.err))
        assert done.err.startswith(f"{name}: ")
        assert done.err.count("\n") == 1
        return done.err.removeprefix(f"{name}: ").rstrip("\n")

    return command
