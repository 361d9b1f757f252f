"""An owner looks at polls: the truth of the simulation, what counts as false, and the command."""

from __future__ import annotations

import csv
import gzip
import io
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from studies.__main__ import app
from studies.owner import weeks
from studies.owner.judging import judge
from studies.owner.polls import KINDS, polls
from studies.owner.summary import faults, rows
from studies.owner.weeks import play


@pytest.fixture(scope="module")
def decided():
    """A poll in which one is best by far, and what its owner saw in three days."""
    (poll,) = polls(1, seed=3)
    first = max(poll.before, key=lambda name: poll.before[name])
    strengths = {name: 3.0 if name == first else 0.0 for name in poll.options}
    poll = replace(poll, before=strengths, after=strengths, change=99.0)
    return poll, play(poll, days=3, votes=120, looks=2)


def test_polls_are_what_they_are_called():
    known = polls(8)
    assert [one.kind for one in known] == [*KINDS, *KINDS]
    assert [len(one.options) for one in known[:4]] == [4, 5, 4, 4]
    for one in known:
        assert one.change == 12.5
        assert one.best(0, one.options) != one.best(13, one.options)
        assert bool(one.edits) == (one.kind == "edits")
    hard = known[3]
    best = hard.best(0, hard.options)
    rival = hard.best(13, hard.options)
    assert hard.score(best, 0, [best, rival]) == pytest.approx(0.57, abs=0.005)


def test_what_is_true_is_not_called_false(decided):
    _, looks = decided
    assert len(looks) == 6
    assert looks[-1].votes == pytest.approx(350, abs=40)  # some skip
    assert all(not one.judged.false and not one.judged.clashes for one in looks)
    assert looks[-1].judged.proved
    assert all(one.judged.right for one in looks)
    assert "is best on average since" in looks[-1].said


def test_what_is_false_is_called_so(decided, monkeypatch):
    poll, _ = decided
    last = max(poll.options, key=lambda name: (poll.before[name] == 0.0, name))
    wrong = replace(poll, before={**poll.before, last: 9.0}, after={**poll.after, last: 9.0})
    monkeypatch.setattr(weeks, "judge", lambda _, *rest: judge(wrong, *rest))
    looks = play(poll, days=2, votes=120, looks=1)
    assert looks[-1].judged.false == ("is best",)
    assert looks[-1].judged.right is False
    (line,) = faults(looks[-1:])
    assert line.startswith(f"{poll.name}, day 2.00: is best")
    (mine, every) = rows([poll], looks)
    assert (mine.false, every.kind) == (sum(bool(one.judged.false) for one in looks), "all")


def test_the_command_plays_polls_of_all_kinds_and_says_nothing_false(tmp_path):
    out = tmp_path / "looks.csv.gz"
    said = ["owner", "--polls", "4", "--days", "3", "--votes", "60", "--looks", "1"]
    done = CliRunner().invoke(app, [*said, "--jobs", "1", "--out", str(out)])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:7]] == [f"| {one}" for one in (*KINDS, "all")]
    cells = lines[6].split(" | ")
    assert cells[3:5] == ["0", "0"]
    table = list(csv.DictReader(io.StringIO(gzip.decompress(out.read_bytes()).decode())))
    assert {row["kind"] for row in table} == set(KINDS)
    assert sum(row["after"] != "" for row in table) >= 2  # the owner changed options
    just = [row["said"] for row in table if row["after"] == "0"]
    assert all(re.match(r"\w+ (is|may be) ", said) for said in just)  # somebody is named at once
