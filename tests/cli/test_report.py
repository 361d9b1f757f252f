from __future__ import annotations

import shutil
import sys

import pytest

from driftduel.experiments.record import Record
from tests.report import sweeps


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    text = sweeps.ONE.replace("horizon = 6000", "horizon = 300").replace(
        "every = 3000", "every = 99"
    )
    return sweeps.sweep(text, tmp_path_factory.mktemp("reporting")).folder


def test_the_page_is_written_beside_the_results(run, folder, tmp_path):
    mine = tmp_path / "results"
    shutil.copytree(folder, mine)
    assert run("report", mine).out == f"written: {mine / 'report.html'}\n"
    assert (mine / "report.html").read_text().startswith("<!DOCTYPE html>")


def test_figures_and_tables_go_to_a_folder(run, folder, tmp_path):
    done = run("report", folder, "--format", "svg", "--out", tmp_path / "figures")
    count = len(list((tmp_path / "figures").glob("*.svg")))
    assert done.out == f"written: {count} files in {tmp_path / 'figures'}\n"
    assert count == 5
    done = run("report", folder, "--format", "csv", "--out", tmp_path)
    assert done.out == f"written: {tmp_path / 'summary.csv'}\n"


def test_a_report_on_part_of_the_runs_says_so(run, folder, tmp_path):
    mine = tmp_path / "results"
    shutil.copytree(folder, mine)
    plan = Record.load(mine)
    plan.environment["seeds"].append(3)
    plan.save(mine)
    done = run("report", mine)
    assert done.words.startswith("9 of 12 runs are finished; the report is on those")


def test_a_folder_without_results_is_refused(refused, tmp_path):
    assert (
        refused("report", tmp_path / "nowhere")
        == f"{tmp_path / 'nowhere'}: there is no such folder"
    )
    assert refused("report", tmp_path) == f"{tmp_path}: holds no results, plan.json is missing"


def test_a_folder_is_no_page_and_a_file_no_folder(refused, folder, tmp_path):
    page = tmp_path / "report.html"
    sentence = refused("report", folder, "--out", tmp_path)
    assert sentence == f"{tmp_path}: is a folder, must be a file such as {page}"
    page.write_text("")
    sentence = refused("report", folder, "--format", "csv", "--out", page)
    assert sentence == f"{page}: is a file, must be a folder"


def test_an_unknown_format_is_refused(refused, folder):
    sentence = refused("report", folder, "--format", "gif")
    assert sentence == "--format is 'gif', must be one of html, png, svg, pdf, csv"


@pytest.mark.parametrize("library", ["altair", "jinja2", "vl_convert"])
def test_without_the_report_extra_it_says_how_to_get_it(refused, monkeypatch, folder, library):
    monkeypatch.setitem(sys.modules, library, None)
    sentence = refused("report", folder)
    assert sentence == f'figures need {library}: pip install "driftduel[report]"'
