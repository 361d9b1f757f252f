from __future__ import annotations

import sys
from pathlib import Path

import pytest

import driftduel as dd
from driftduel.cli import demo, research


@pytest.mark.large
def test_research_draws_its_figures_and_prints_what_they_show(run, monkeypatch, tmp_path):
    monkeypatch.setattr(research, "_DUELS", 200_000)
    monkeypatch.setattr(research, "_SEEDS", 2)
    done = run("demo", "--research", "--out", tmp_path / "figures")
    written = {file.name for file in (tmp_path / "figures").iterdir()}
    assert written == {
        f"{name}.{form}"
        for name in ("changes-of-taste", "formula-1")
        for form in ("svg", "png", "html")
    }
    assert "the favourite changed at rounds 60,000 and 130,000" in done.words
    assert "METABOSSE" in done.words
    assert "1997-03-09 2005-02-18 27.7% ferrari" in done.words
    assert "licensed under CC BY 4.0" in done.words
    svg = (tmp_path / "figures" / "formula-1.svg").read_text()
    for text in ("ferrari", "mercedes", "Borda winner", "2014-07", "Credit: F1DB"):
        assert text in svg


@pytest.mark.large
def test_the_demo_opens_three_doors_and_says_what_to_run_next(run, tmp_path):
    out = tmp_path / "demo"
    done = run("demo", "--out", out)
    assert sorted(file.name for file in out.iterdir()) == [
        "drinks.db", "poll.py", "premier-league.csv", "premier-league.html",
    ]  # fmt: skip
    assert "2015/16" in done.words
    assert "Leicester City" in done.words
    assert "is its champion in 24 of 33." in done.words
    assert "cocoa is best on average since vote 2,004" in done.words
    assert "Lemonade took over from Coffee between" in done.words
    assert "<svg" in (out / "premier-league.html").read_text()
    for word in ("driftduel analyse", "python", "driftduel arena serve"):
        assert f"next: {word} {out}" in done.words
    assert "openfootball" in done.words
    assert dd.read_log(out / "premier-league.csv").n_votes == 13_125
    status = run("arena", "status", "drinks", "--database", f"sqlite:{out}/drinks.db")
    assert status.out.partition("\n")[0] in done.out
    # What somebody voted there since is not lost.
    before = (out / "drinks.db").read_bytes()
    assert demo.page(None, out)[0].endswith("is there already, and is left as it is.")
    assert (out / "drinks.db").read_bytes() == before


def test_the_program_of_the_demo_is_that_of_the_readme():
    readme = (Path(demo.__file__).parents[3] / "README.md").read_text()
    code = [line[4:] for line in readme.splitlines() if line.startswith((">>> ", "... "))]
    compared = [line.partition("  #")[0].rstrip() for line in code]
    for line in demo._PROGRAM.splitlines():
        assert not line or line.partition("  #")[0].rstrip() in compared


def test_every_door_is_opened_and_says_what_it_wrote(run, monkeypatch, tmp_path):
    calls = []

    def door(screen, folder):
        calls.append(folder)
        return [f"written: {folder / 'page.html'}"]

    monkeypatch.setattr(demo, "DOORS", {"I have votes": door, "I want a page": door})
    done = run("demo", "--out", tmp_path)
    assert calls == [tmp_path, tmp_path]
    assert done.out.splitlines()[:3] == ["1. I have votes", "", f"written: {tmp_path}/page.html"]


def test_without_the_arena_extra_the_third_door_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert demo.page(None, tmp_path) == [
        'polls on a page need fastapi: pip install "driftduel[arena]"'
    ]


@pytest.mark.parametrize("library", ["altair", "jinja2", "vl_convert"])
def test_without_the_report_extra_the_demo_says_how_to_get_it(
    refused, monkeypatch, tmp_path, library
):
    monkeypatch.setitem(sys.modules, library, None)
    assert refused("demo", "--out", tmp_path / "figures") == (
        f'figures need {library}: pip install "driftduel[report]"'
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(refused, tmp_path):
    (tmp_path / "figures").write_text("tea")
    assert refused("demo", "--out", tmp_path / "figures") == f"{tmp_path / 'figures'}: file exists"
