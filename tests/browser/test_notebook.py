"""What a notebook shows is drawn without a network, whatever its labels are."""

from __future__ import annotations

import driftduel as dd
from tests.browser.conftest import Opened
from tests.browser.test_labels import HOSTILE, hostile_world


def test_cards_and_figures_of_a_notebook_are_drawn_offline(chromium, tmp_path):
    world = hostile_world()
    run = dd.simulate(dd.MetaBosse(2, 600), world)
    parts = [
        world._repr_html_(),
        run._repr_html_(),
        dd.plot.timeline(run)._repr_mimebundle_()["text/html"],
    ]
    file = tmp_path / "notebook.html"
    file.write_text("<!doctype html><meta charset='utf-8'>" + "".join(parts), encoding="utf-8")
    context = chromium.new_context(viewport={"width": 900, "height": 800}, offline=True)
    shown = Opened(context.new_page())
    shown.page.goto(file.as_uri())
    figure = shown.page.frame_locator("iframe").locator("#figure svg.marks")
    figure.wait_for()
    assert figure.bounding_box()["width"] <= 900
    assert figure.locator(".mark-rect path").count() > 0
    assert shown.page.locator("iframe").bounding_box()["height"] > 100
    assert HOSTILE in shown.page.locator("body").inner_text().replace("\u2060", "")
    widths = shown.page.evaluate("[...document.images].map((image) => image.naturalWidth)")
    assert len(widths) == 2
    assert min(widths) > 300
    assert shown.page.evaluate("window.hacked") is None
    assert shown.complaints == []
    assert [url for url in shown.requests if not url.startswith(("file:", "data:", "about:"))] == []
    context.close()
