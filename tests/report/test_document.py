from __future__ import annotations

import json

import pytest

from driftduel.experiments import Results
from driftduel.report.document import compose, slug
from tests.report import sweeps


def test_the_summary_has_a_row_for_each_learner_and_the_best_stands_out(one):
    (table,) = compose(one).tables
    assert [row[0] for row in table.cells] == one.summary()["learner"].to_list()
    assert table.strong == {0}
    assert list(table.headings) == [
        "learner",
        "runs",
        "mean regret",
        "standard error",
        "ratio to best",
        "restarts found",
        "true shifts",
    ]
    assert table.cells[0][-2:] == ["1", "1"]


def test_streams_and_criteria_are_told_apart_where_there_are_several(grid):
    document = compose(grid)
    assert list(document.tables[0].headings)[:3] == ["stream", "criterion", "learner"]
    assert document.tables[1].name == "exponents"
    assert [table.grouped for table in document.tables] == [True, True]
    assert len(document.tables[1].cells) == len(document.tables[1].frame) == 6


def test_every_stream_has_regret_a_timeline_and_plays(grid):
    document = compose(grid)
    kinds = [[figure.kind for figure in chapter.figures] for chapter in document.chapters]
    switching = ["regret", "regret", "timeline", "plays", "plays", "plays"]
    assert kinds == [switching] * 4 + [switching[1:]]
    assert [(figure.name, figure.below) for figure in document.figures] == [
        ("overview", "summary"),
        ("scaling-1-horizon", "exponents"),
        ("scaling-2-horizon", "exponents"),
    ]


def test_the_timeline_is_of_the_first_seed(one):
    figure = next(item for item in compose(one).all_figures() if item.kind == "timeline")
    events = one.events.filter(learner="METABOSSE", seed=0)
    episodes = events.filter(kind="episode")["round"].to_list()[1:]
    drawn = [row for data in figure.chart.to_dict()["datasets"].values() for row in data]
    assert [row["round"] for row in drawn if row["what"] == "new episode"] == episodes
    assert [row["round"] for row in drawn if row["what"] == "true change"] == [3000]
    assert f"{events.filter(kind='eviction').height} evictions" in figure.description


def test_timelines_are_of_learners_that_evict_or_replay_and_metabosse_comes_first(tmp_path):
    text = """
seeds = 2
points = 2
horizon = 400
[[stream]]
world = "one-winner"
n_arms = 2
margin = 0.5
[[learner]]
name = "Uniform"
[[learner]]
name = "Anaconda"
[[learner]]
name = "Bosse"
constants = { scale = 0.01 }
[[learner]]
name = "MetaSwift"
[[learner]]
name = "MetaBosse"
criterion = "condorcet"
"""
    (chapter,) = compose(sweeps.sweep(text, tmp_path)).chapters
    names = [figure.name for figure in chapter.figures if figure.kind == "timeline"]
    assert names == [f"timeline-one-winner-{name}" for name in ("metabosse", "anaconda", "bosse")]


def test_streams_of_one_slug_have_figures_of_their_own(one, tmp_path):
    for file in one.folder.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "tasks").symlink_to(one.folder / "tasks")
    twice = Results.load(tmp_path)
    names = [figure.name for figure in compose(twice).all_figures()]
    twice.streams.append(twice.streams[0])
    doubled = [figure.name for figure in compose(twice).all_figures()]
    assert len(set(doubled)) == len(doubled) == 2 * len(names) + 1


def test_the_owners_of_the_data_are_credited(one, grid):
    assert compose(one).notices == []
    (notice,) = compose(grid).notices
    assert "F1DB" in notice


def test_a_folder_without_a_finished_run_is_refused(one, tmp_path):
    for file in one.folder.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ValueError, match=r"^the folder has no finished runs yet"):
        compose(Results.load(tmp_path))


def test_specs_are_json(one):
    for figure in compose(one).all_figures():
        assert json.loads(json.dumps(figure.chart.to_dict(), allow_nan=False))


def test_names_of_files_are_plain():
    assert slug("two <i>phases</i>, K = 5") == "two-i-phases-i-k-5"
    assert slug("../..") == "x"
