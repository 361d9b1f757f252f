"""The site of the documentation: its pages, their links, and what the reference lists."""

from __future__ import annotations

import inspect
import re

import pytest

import driftduel as dd
from website import api, check, stage

PAGES = {path: (stage.ROOT / path).read_text() for path in stage.pages() if path.endswith(".md")}
ENTRIES = [entry for found in api.entries().values() for entry in found]


def test_links_lead_to_pages_of_the_site_or_to_the_repository():
    places = {"docs/votes.md": "votes.md", "CHANGELOG.md": "changelog.md"}
    page = "[a](votes.md#what) [b](../CHANGELOG.md) [c](../LICENSE) [d](https://x.org) [e](#here)"
    followed = stage.follow("docs/index.md", page, places)
    assert followed == (
        f"[a](votes.md#what) [b](changelog.md) [c]({stage.REPOSITORY}/LICENSE) "
        "[d](https://x.org) [e](#here)"
    )
    fenced = "```sh\n[a](nowhere.md)\n```\n"
    assert stage.follow("docs/index.md", fenced, places) == fenced
    with pytest.raises(FileNotFoundError, match=r"docs/index\.md links to nowhere\.md"):
        stage.follow("docs/index.md", "[a](nowhere.md)", places)


@pytest.mark.parametrize("path", PAGES)
def test_every_link_of_a_page_leads_somewhere(path):
    assert stage.follow(path, PAGES[path], stage.pages()).count("\n") == PAGES[path].count("\n")


def test_every_page_is_in_one_table_of_contents():
    listed = []
    for text in PAGES.values():
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            listed += [line for line in block.split("\n") if line and not line.startswith(":")]
    there = [name.rpartition(".")[0] for name in stage.pages().values()]
    there = [name for name in there if not name.startswith("images/") and name != "index"]
    assert sorted(listed) == sorted([*there, "api/index"])


@pytest.mark.parametrize("path", PAGES)
def test_no_table_is_wider_than_seven_columns(path):
    heads = re.findall(r"^\|(?:[ :]*-+[ :]*\|)+$", PAGES[path], re.MULTILINE)
    assert all(head.count("|") <= 8 for head in heads)


def test_the_reference_lists_every_name_once():
    paths = [entry.path for entry in ENTRIES]
    assert len(paths) == len(set(paths)) == len({id(entry.thing) for entry in ENTRIES})
    things = {id(entry.thing) for entry in ENTRIES}
    for name in dd.__all__:
        thing = getattr(dd, name)
        assert not (inspect.isclass(thing) or api.is_function(thing)) or id(thing) in things, name
    assert {f"driftduel.learners.{name}" for name in ("RUCB", "Duel", "bounded")} <= set(paths)
    assert "driftduel.worlds.datasets.premier_league_log" in paths


def test_what_is_wrong_with_a_site_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#place">x</a><a href="gone.html">x</a><script src="https://x.org/y.js">'
    )
    (tmp_path / "b.html").write_text('<p id="other">')
    (tmp_path / "c.css").write_text("@import 'https://fonts.example/f.css';")
    assert check.faults_of_files(tmp_path) == [
        "a.html leads to b.html#place, and b.html has no such place",
        "a.html leads to gone.html, and there is no gone.html",
        "a.html loads https://x.org/y.js from elsewhere",
        "c.css loads https://fonts.example/f.css from elsewhere",
    ]
    (tmp_path / "b.html").write_text('<p id="place">')
    (tmp_path / "a.html").write_text('<a href="b.html#place">')
    (tmp_path / "c.css").write_text("")
    assert check.faults_of_files(tmp_path) == []
