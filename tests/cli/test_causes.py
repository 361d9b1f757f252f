"""`driftduel analyse` says why who leads changed."""

from __future__ import annotations

import csv

import pytest

from tests.votes.likely.test_causes import drawn


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    log, _ = drawn("option", 2)
    file = tmp_path_factory.mktemp("votes") / "votes.csv"
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["time", "left", "right", "left_won", "kind"])
        for n in range(len(log)):
            names = (log.arms[log.left[n]], log.arms[log.right[n]])
            when = f"2024-05-{1 + n // 200:02}T{n % 200 // 10:02}:{n % 10:02}:00"
            writer.writerow([when, *names, int(log.outcome[n]), log.extras["kind"][n]])
    return file


def test_a_release_is_named(run, votes, tmp_path):
    page = tmp_path / "votes.html"
    told = run("analyse", votes, "--out", page, "--release", "version 2 of c@2024-05-08").out
    assert "because of a change of c alone" in told
    assert "It came with version 2 of c (" in told
    assert "because of a change of" in page.read_text(encoding="utf-8")
    facts = run("analyse", votes, "--by", "kind", "--json").json
    assert facts["causes"][0]["named"] == ["option"]
    assert facts["causes"][0]["voters"] == "kind"


@pytest.mark.parametrize("text", ["version 2", "@2024-05-01", "version 2@May", "version 2@"])
def test_what_is_no_release_is_refused(refused, votes, text):
    assert "must be NAME@DATE" in refused("analyse", votes, "--release", text)
