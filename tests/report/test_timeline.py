from __future__ import annotations

import re
import struct
import sys
from datetime import date
from itertools import pairwise

import numpy as np
import pytest

import driftduel as dd
from driftduel import report
from driftduel.report import MissingExtraError
from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, GREY, ink_on, save_figure, wrap
from driftduel.report.timeline import _drawable, best_over_time
from driftduel.worlds import catalogue, datasets
from driftduel.worlds.measures import Phases
from driftduel.worlds.measures.spells import Spell, spells

P, Q = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]


@pytest.fixture
def tastes():
    return dd.Stream.piecewise([P, Q], [0, 400], 1000, labels=["tea", "coffee"])


def drawn(stream, phases=None, **texts):
    phases = dd.measure(stream).significant_borda if phases is None else phases
    return best_over_time(stream, phases, **{"title": "who was best when", **texts}).to_dict()


def rows(chart, *keys):
    """Every row of data in a chart that has all the keys."""
    return [row for data in chart["datasets"].values() for row in data if set(keys) <= set(row)]


def test_the_lines_are_the_borda_scores(tastes):
    lines = rows(drawn(tastes), "score")
    assert [(row["x"], row["arm"], row["score"]) for row in lines] == [
        (0, "tea", 0.7),
        (0, "coffee", 0.3),
        (400, "tea", 0.35),
        (400, "coffee", 0.65),
        (999, "tea", 0.35),
        (999, "coffee", 0.65),
    ]


def test_significant_shifts_are_marked_with_their_round_and_arm(tastes):
    shifts = rows(drawn(tastes), "level")
    assert {(row["x"], row["label"], row["arm"]) for row in shifts} == {(472, "472", "coffee")}


def test_the_bands_are_the_spells_of_the_winners(tastes):
    boxes = rows(drawn(tastes), "fill")
    assert {(row["x"], row["end"], row["arm"]) for row in boxes} == {
        (0, 400, "tea"),
        (400, 1000, "coffee"),
    }
    assert {row["fill"] for row in boxes} == set(COLOURS[:2])


def test_a_dated_stream_is_drawn_against_dates():
    span = (date(2000, 1, 1), date(2009, 12, 31))
    stream = dd.Stream([P, Q], [0, 1], [0, 500], 1000, labels=["tea", "coffee"], span=span)
    chart = drawn(stream)
    assert rows(chart, "score")[0]["x"] == "2000-01-01"
    x = chart["vconcat"][0]["layer"][0]["encoding"]["x"]
    assert (x["type"], x["scale"]["type"], x["axis"]["title"]) == ("temporal", "utc", "date")


def test_every_axis_has_a_title_and_the_figure_a_legend(tastes):
    panel = drawn(tastes)["vconcat"][0]["layer"][0]["encoding"]
    assert panel["x"]["axis"]["title"] == "round t"
    assert panel["y"]["title"] == "Borda score (chance to beat a random arm)"
    assert panel["color"]["legend"]["title"] == "arm"
    assert panel["color"]["scale"]["domain"] == ["tea", "coffee"]


def test_title_subtitle_and_the_notice_of_the_data_are_shown():
    chart = drawn(datasets.american_league(horizon=60), subtitle=["made of games"])
    assert chart["title"]["text"] == "who was best when"
    assert chart["title"]["subtitle"] == ["made of games"]
    caption = " ".join(chart["vconcat"][-1]["title"]["text"])
    assert "is copyrighted by Retrosheet. Interested parties may contact Retrosheet" in caption


def test_of_many_arms_those_that_win_have_colours_and_the_others_are_grey():
    world = catalogue.build("switching", n_arms=12, horizon=4000, n_phases=4, seed=3)
    chart = drawn(world)
    scale = chart["vconcat"][0]["layer"][0]["encoding"]["color"]["scale"]
    winners = {str(spell.arms[0]) for spell in spells(world)}
    assert winners <= set(scale["domain"])
    assert scale["domain"][-1] == "other arms"
    assert scale["range"][-1] == GREY
    assert len(set(scale["range"])) == len(scale["domain"]) <= len(COLOURS) + 1


def test_too_many_shifts_are_not_marked(tastes):
    assert rows(drawn(tastes, Phases([(0, 10, 100)], arms=[0])), "level") == []


def test_shifts_that_are_close_are_labelled_on_different_levels(tastes):
    phases = Phases([(0, 500, 1), (500, 10, 2), (520, 480, 1)], arms=[0, 1, 0])
    levels = {row["x"]: row["level"] for row in rows(drawn(tastes, phases), "level")}
    assert levels == {500: 0, 510: 1, 520: 2}


def test_of_too_many_spells_evenly_spread_ones_are_drawn():
    spells = [Spell(t, t + 1, (t % 2,)) for t in range(10_000)]
    kept = _drawable(spells, 10_000)
    assert len(kept) == 400
    assert (kept[0].start, kept[-1].end) == (0, 10_000)
    assert all(a.end == b.start for a, b in pairwise(kept))
    assert all(spell.arms == (spell.start % 2,) for spell in kept)


def test_a_world_that_changes_every_round_is_drawn_at_evenly_spread_rounds():
    matrices = [[[0.5, x], [1 - x, 0.5]] for x in np.linspace(0.1, 0.9, 2000)]
    lines = rows(drawn(dd.Stream.sequence(matrices)), "score")
    assert len(lines) == 2 * 400
    assert lines[-1]["x"] == 1999


def test_a_figure_is_written_in_every_format_and_needs_no_network(tastes, tmp_path):
    chart = best_over_time(tastes, dd.measure(tastes).significant_borda, title="tastes")
    files = save_figure(chart, tmp_path / "new" / "folder", "tastes")
    assert [file.name for file in files] == ["tastes.svg", "tastes.png", "tastes.html"]
    svg, png, html = (file.read_bytes() for file in files)
    assert svg.startswith(b"<svg")
    assert b">coffee<" in svg
    width, height = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG")
    assert width > 1600
    assert height > 600
    assert len(html) > 500_000
    assert not re.search(rb"<(script|link)[^>]+(src|href)=", html)
    assert [file.name for file in sorted(files[0].parent.iterdir())] == sorted(
        file.name for file in files
    )


def test_an_unknown_format_is_refused(tastes, tmp_path):
    chart = best_over_time(tastes, dd.measure(tastes).significant_borda, title="tastes")
    with pytest.raises(ValueError, match=r"^format is 'gif', must be one of svg, png, html, pdf$"):
        save_figure(chart, tmp_path, "tastes", ["gif"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("library", ["altair", "jinja2", "vl_convert"])
def test_a_library_that_is_not_installed_is_one_sentence(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    sentence = rf'^figures need {library}: pip install "driftduel\[report\]"$'
    with pytest.raises(MissingExtraError, match=sentence):
        drawing_library(library)


def test_the_package_offers_its_names_and_no_others():
    for name in dir(report):
        assert getattr(report, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'pie_chart'"):
        report.pie_chart  # noqa: B018


@pytest.mark.parametrize("colour", [*COLOURS, GREY, "#FFFFFF"])
def test_text_on_a_colour_can_be_read(colour):
    def luminance(text):
        parts = [int(text[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted([luminance(colour), luminance(ink_on(colour))], reverse=True)
    # 3 is what WCAG 2 asks of large text and graphics.
    assert (bright + 0.05) / (dark + 0.05) >= 3


def test_long_texts_are_broken_into_lines_and_paragraphs_kept_apart():
    assert wrap(["one two three\n\nfour"], 8) == ["one two", "three", "four"]
