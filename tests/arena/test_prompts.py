"""The example of prompts, run small, and its made-up data."""

from __future__ import annotations

import csv
import json
import re
import runpy
import shlex
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

from driftduel.arena import service as arena
from tests.arena.serving import COMMAND
from tests.arena.voting import events

FOLDER = Path(__file__).parents[2] / "examples" / "prompts"
DATA = json.loads((FOLDER / "prompts.json").read_text())


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder in which the example was run with few votes, and what it printed."""
    folder = tmp_path_factory.mktemp("prompts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        words = [sys.executable, str(FOLDER / "run.py"), "--votes", "40"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.mark.slow
def test_a_fifth_prompt_joins_while_people_vote(played):
    folder, said = played
    assert re.findall(r"After (\d+) votes", said) == ["40", "80"]
    with arena.Service.open(f"sqlite:{folder}/prompts.db") as service:
        (found,) = arena.verify(service.store)
        assert [arm.name for arm in arena.status(service, "prompts").arms] == list(DATA["prompts"])
        votes = [row for row in events(service, "prompts") if row.kind == "vote"]
    assert found.votes == len(votes) == 80
    assert any(4 in (row.left, row.right) for row in votes[40:])
    assert not any(4 in (row.left, row.right) for row in votes[:40])


@pytest.mark.slow
def test_both_sides_are_always_shown_about_the_same_task(played):
    folder, _ = played
    with arena.Service.open(f"sqlite:{folder}/prompts.db") as service:
        contexts = {row.context for row in events(service, "prompts") if row.kind == "vote"}
    assert contexts <= set(DATA["answers"])


def test_every_task_has_an_answer_of_every_prompt_and_a_chance_for_every_pair():
    chances = runpy.run_path(str(FOLDER / "run.py"))["read_chances"]()
    wanted = {
        (task, *pair) for task in DATA["answers"] for pair in permutations(DATA["prompts"], 2)
    }
    assert set(chances) == wanted
    assert all(0 < chance < 1 for chance in chances.values())
    for answers in DATA["answers"].values():
        assert len(set(answers.values())) == len(DATA["prompts"]) == len(answers)
    with (FOLDER / "preferences.csv").open(newline="") as file:
        assert len(list(csv.reader(file))) == 1 + len(wanted) // 2


@pytest.mark.slow
def test_votes_on_one_task_are_analysed_as_the_page_says(played):
    folder, _ = played
    page = (FOLDER / "README.md").read_text().partition("For one task alone")[2]
    (block,) = re.findall("```sh\n(.*?)```", page, re.DOTALL)
    for line in block.splitlines():
        name, *words = shlex.split(line)
        command = [*COMMAND, *words] if name == "driftduel" else [sys.executable, *words]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (report,) = folder.glob("sky*.html")
    assert "Teacher" in report.read_text()
