"""What matters can be read: on paper, on a screen of 1280 pixels, and on a phone."""

from __future__ import annotations

import pytest

from driftduel.report import write_report
from studies.reproduction.page import write_reproduction
from tests.browser.conftest import Opened
from tests.report import sweeps

SPEC = """
title = "Long names"
seeds = 2
points = 4
criteria = ["borda", "condorcet"]

[[stream]]
label = "a known weight and one winner, the instance of the lower bound"
world = "known-weight"
n_arms = 4
horizon = [200, 400, 800, 1600]

[[learner]]
name = "MetaBosse"
label = "METABOSSE with the constants of the paper, without prior knowledge"

[[learner]]
name = "Uniform"
label = "random pairs, which everybody should beat sooner or later"
"""
PAGES = ("report", "reproduction")
READABLE = 4.5
"""Contrast of text to its ground by the Web Content Accessibility Guidelines, level AA."""

CONTRAST = """(selector) => {
    const light = (colour) => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    return [...document.querySelectorAll(selector)]
        .filter((text) => !text.closest("[hidden]"))
        .map((text) => {
            const style = getComputedStyle(text);
            const ink = text.namespaceURI.endsWith("svg") ? style.fill : style.color;
            return 1.05 / (light(ink) + 0.05);
        });
}"""
"""The contrast of texts to white."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    results = sweeps.sweep(SPEC, folder)
    return {
        "report": write_report(results, "html", folder / "report.html")[0],
        "reproduction": write_reproduction({"known-weight": results}, folder),
    }


@pytest.fixture
def shown(chromium, pages):
    contexts = []

    def shows(name, width, **settings):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, offline=True, **settings
        )
        contexts.append(context)
        return Opened(context.new_page()).goto(pages[name])

    yield shows
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_all_texts_can_be_read_whatever_the_screen_is(opened, scheme):
    shown = opened(color_scheme=scheme)
    shown.page.emulate_media(media="print")
    for selector in (".chart svg text", "h2", "td", "figcaption", ".findings p"):
        contrasts = shown.page.evaluate(CONTRAST, selector)
        assert contrasts
        assert min(contrasts) > READABLE
    grounds = shown.page.evaluate(
        """() => [document.body, ...document.querySelectorAll(".chart svg")]
            .map((box) => getComputedStyle(box).backgroundColor)"""
    )
    assert set(grounds) == {"rgb(255, 255, 255)"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_for_dark_colours_does_not_matter_on_paper(opened, scheme):
    shown = opened(color_scheme=scheme)
    other = "dark" if scheme == "light" else "light"
    shown.page.get_by_role("button", name=f"{other} colours").click()
    shown.wait_until_drawn(other)
    shown.page.emulate_media(media="print")
    assert min(shown.page.evaluate(CONTRAST, ".chart svg text, td")) > READABLE


def test_on_paper_tables_are_whole(opened):
    page = opened().page
    page.emulate_media(media="print")
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".scroll")].map((box) => {
            const table = box.querySelector("table").getBoundingClientRect();
            return [box.getBoundingClientRect().height, table.height];
        })"""
    )
    assert boxes
    assert all(box >= table for box, table in boxes)


@pytest.mark.parametrize("name", PAGES)
def test_at_1280_pixels_every_column_of_every_table_is_seen(shown, name):
    page = shown(name, 1280).page
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".scroll")].map((box) => {
            const { left, right } = box.getBoundingClientRect();
            return [box.scrollWidth - box.clientWidth, left, right];
        })"""
    )
    assert boxes
    for hidden, left, right in boxes:
        assert hidden <= 0
        assert left >= 0
        assert right <= 1280
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.parametrize("name", PAGES)
def test_on_a_phone_the_first_column_stays_when_a_table_is_moved(shown, name):
    page = shown(name, 360).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    left = page.evaluate(
        """() => {
            const box = [...document.querySelectorAll(".scroll")]
                .find((box) => box.scrollWidth > box.clientWidth);
            box.scrollLeft = 150;
            const first = box.querySelector("tbody tr:not(.group) th").getBoundingClientRect();
            return first.left - box.getBoundingClientRect().left;
        }"""
    )
    assert 0 <= left < 5


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_no_entry_of_a_legend_is_cut(shown, name, width):
    opened = shown(name, width)
    entries = opened.page.evaluate(
        """() => [...document.querySelectorAll(".chart svg .role-legend-label text")]
            .filter((text) => !text.closest("[hidden]"))
            .map((text) => {
                const { left, right } = text.getBoundingClientRect();
                const box = text.closest(".chart").getBoundingClientRect();
                return [text.textContent, left - box.left, box.right - right];
            })"""
    )
    assert len(entries) > 4
    for text, left, right in entries:
        assert "…" not in text
        assert left >= 0
        assert right >= 0
    assert opened.complaints == []
