from __future__ import annotations

import pytest

import driftduel as dd


def test_regret_has_a_panel_for_each_stream_and_criterion(grid):
    panels = dd.plot.regret(grid).to_dict()["concat"]
    titles = [panel["title"] for panel in panels]
    assert titles == [info.label for info in grid.streams[:4] for _ in range(2)] + ["real"]


def test_one_stream_and_criterion_are_a_single_panel(grid):
    chart = dd.plot.regret(grid, stream="real", criterion="borda").to_dict()
    final = [
        row
        for data in chart["datasets"].values()
        for row in data
        if row.get("round") == 400 and row.get("learner") == "random pairs"
    ]
    mean = grid.summary().filter(stream="real", learner="random pairs")["mean"][0]
    assert [row["regret"] for row in final] == [pytest.approx(mean, rel=1e-5)]


def test_an_unknown_stream_or_criterion_is_refused(grid):
    with pytest.raises(ValueError, match=r"^stream is 'tea', must be one of "):
        dd.plot.regret(grid, stream="tea")
    with pytest.raises(ValueError, match=r"^criterion is 'tea', must be one of 'borda', 'cond"):
        dd.plot.regret(grid, criterion="tea")


def test_what_cannot_be_drawn_is_one_sentence(grid):
    world = dd.Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 9)
    with pytest.raises(ValueError, match=r"^run is of the type Stream, must be what driftduel\.s"):
        dd.plot.timeline(world)
    with pytest.raises(ValueError, match=r"^run is of the type Results, must be what driftduel\.s"):
        dd.plot.timeline(grid)
    for draw in (dd.plot.regret, dd.plot.scaling):
        with pytest.raises(ValueError, match=r"^results is of the type Stream, must be what drift"):
            draw(world)


def test_a_label_never_becomes_markup_in_a_notebook(one):
    chart = dd.plot.regret(one)
    assert "<i>" not in chart.to_html()
    assert chart.to_dict()["title"].replace("\u2060", "") == "two <i>winners</i>"


def test_labels_without_markup_stay_as_they_are():
    P = [[0.5, 0.9], [0.1, 0.5]]
    world = dd.Stream.stationary(P, 50, labels=["1 < 2", "tea & milk"])
    drawn = dd.plot.timeline(dd.simulate(dd.MetaBosse(2, 50), world, points=1)).to_dict()
    rows = {row["row"] for data in drawn["datasets"].values() for row in data if "row" in row}
    assert {"1 < 2", "tea & milk"} <= rows
