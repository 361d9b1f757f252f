"""The page on a file of votes, drawn in a browser: with and without a change, wide and narrow."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from driftduel.votes import Log
from driftduel.votes.analyses import analyse
from tests.browser.conftest import Opened

HOSTILE = ["</script><b>tea</b>", "a long name of an arm that goes on and on", "water"]


@pytest.fixture(scope="module", params=["dated", "hours", "numbered", "few"])
def page(request, tmp_path_factory):
    rng = np.random.default_rng(1)
    n = 20 if request.param == "few" else 2000
    left = rng.integers(3, size=n)
    right = (left + rng.integers(1, 3, size=n)) % 3
    best = np.arange(n) // (n // 2)
    won = rng.random(n) < 0.5 + 0.3 * ((left == best) - 1.0 * (right == best))
    time = np.arange(n) / (1000 if request.param == "hours" else 10) + 19_000
    groups = pl.DataFrame({"<i>who</i>": np.array(HOSTILE)[np.arange(n) % 2]})
    log = Log(
        HOSTILE, time, left, right, won, dated=request.param in ("dated", "hours"),
        extras=groups, notes=["a note about <b>it</b>"],
    )  # fmt: skip
    found = analyse(log, by="<i>who</i>", drift=request.param == "few")
    return found.save_page(
        tmp_path_factory.mktemp("analysis") / "page.html", "What votes.csv tells"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 360])
def test_the_page_is_drawn_without_a_complaint_and_fits(chromium, page, width, scheme):
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, offline=True, color_scheme=scheme
    )
    shown = Opened(context.new_page()).goto(page)
    figures = shown.figures()
    assert [figure["name"] for figure in figures] == ["likely", "ranges", "bands", "votes"]
    for figure in figures:
        assert 200 < figure["width"] <= width
        assert figure["marks"] > 0
    wide = shown.page.evaluate("document.documentElement.scrollWidth")
    assert wide == width
    assert shown.complaints == []
    assert shown.requests == [page.as_uri()]
    context.close()


@pytest.fixture(scope="module", params=[3, 12])
def crowd(request, tmp_path_factory):
    """Return the page on votes in which each of so many options was best in its turn."""
    n_arms, n = request.param, 3000
    rng = np.random.default_rng(1)
    left = rng.integers(n_arms, size=n)
    right = (left + rng.integers(1, n_arms, size=n)) % n_arms
    best = np.arange(n) * n_arms // n
    won = rng.random(n) < 0.5 + 0.35 * ((left == best) - 1.0 * (right == best))
    names = [f"racing-team-{arm}" for arm in range(n_arms)]
    found = analyse(Log(names, np.arange(n) / 10 + 19_000, left, right, won, dated=True))
    return n_arms, found.save_page(tmp_path_factory.mktemp("crowd") / "page.html", "votes")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_the_legend_of_the_likely_story_wraps_to_the_width(chromium, crowd, width, scheme):
    n_arms, page = crowd
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, offline=True, color_scheme=scheme
    )
    shown = Opened(context.new_page()).goto(page)
    shown.figures()
    entries = shown.page.evaluate(
        """() => [...document.querySelectorAll(
                "[data-figure=likely] svg .role-legend-label text"
            )].map((text) => {
                const { left, right } = text.getBoundingClientRect();
                const box = text.closest("svg").getBoundingClientRect();
                return [text.textContent, left - box.left, box.right - right];
            })"""
    )
    assert len(entries) >= min(n_arms, 6)
    for text, left, right in entries:
        assert "…" not in text
        assert left >= 0
        assert right >= 0
    assert shown.complaints == []
    context.close()
