from __future__ import annotations

import sys

import pytest

from driftduel.cli import demo


@pytest.mark.large
def test_the_demo_writes_its_figures_and_prints_what_they_show(run, monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "_DUELS", 200_000)
    monkeypatch.setattr(demo, "_SEEDS", 2)
    done = run("demo", "--out", tmp_path / "figures")
    written = {file.name for file in (tmp_path / "figures").iterdir()}
    assert written == {
        f"{name}.{form}"
        for name in ("changes-of-taste", "formula-1", "premier-league")
        for form in ("svg", "png", "html")
    }
    assert "the favourite changed at rounds 60,000 and 130,000" in done.words
    assert "METABOSSE" in done.words
    assert "1997-03-09 2005-02-18 27.7% ferrari" in done.words
    assert "licensed under CC BY 4.0" in done.words
    assert "2015/16" in done.words
    assert "Leicester City" in done.words
    svg = (tmp_path / "figures" / "formula-1.svg").read_text()
    for text in ("ferrari", "mercedes", "Borda winner", "2014-07", "Credit: F1DB"):
        assert text in svg


def test_every_scene_is_run_and_its_files_are_named(run, monkeypatch, tmp_path):
    calls = []

    def scene(screen, folder):
        calls.append(folder)
        return [folder / "picture.svg"]

    monkeypatch.setattr(demo, "SCENES", (scene, scene))
    done = run("demo", "--out", tmp_path)
    assert calls == [tmp_path, tmp_path]
    assert done.out == f"written: {tmp_path / 'picture.svg'}\n" * 2


@pytest.mark.parametrize("library", ["altair", "jinja2", "vl_convert"])
def test_without_the_report_extra_the_demo_says_how_to_get_it(
    refused, monkeypatch, tmp_path, library
):
    monkeypatch.setitem(sys.modules, library, None)
    assert refused("demo", "--out", tmp_path / "figures") == (
        f'figures need {library}: pip install "driftduel[report]"'
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(refused, monkeypatch, tmp_path):
    def scene(screen, folder):
        folder.mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(demo, "SCENES", (scene,))
    (tmp_path / "figures").write_text("tea")
    assert refused("demo", "--out", tmp_path / "figures") == f"{tmp_path / 'figures'}: file exists"
