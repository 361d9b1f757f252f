"""Everybody reads results: on any screen, and whatever the options are called."""

from __future__ import annotations

import re

import pytest

from driftduel.arena import service as arena
from tests.arena.pages import pages_of
from tests.arena.voting import prefer
from tests.browser.arenas import HOSTILE, PHONE, fits, is_accessible


@pytest.fixture
def site(tmp_path):
    """A site on which many voted, with options that would rather be markup."""
    arms = [f"{name} {HOSTILE}" for name in ("tea", "milk")] + ["a" * 150]
    with pages_of(tmp_path, arms, {"public": True}) as opened:
        prefer(opened.service, arms[1], 200)
        yield opened


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_results_are_readable(site, visit, screen, scheme):
    opened = visit(f"{site.address}/drinks/results", color_scheme=scheme, **screen)
    page = opened.page
    words = page.get_by_role("main").inner_text()
    assert re.search(f"milk {re.escape(HOSTILE)} (is best|leads)", words)
    assert page.get_by_role("row").count() == 4
    assert fits(page)
    assert is_accessible(opened)
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert opened.complaints == []


def test_results_are_off_and_on(site, visit):
    arena.change_arena(site.service, "drinks", {"public": False})
    page = visit(f"{site.address}/drinks/results").page
    page.get_by_text("Results are shown when voting is over.").wait_for()
    arena.change_arena(site.service, "drinks", {"status": "closed"})
    page.goto(f"{site.address}/drinks")
    page.get_by_role("link", name="See the results").click()
    page.get_by_role("row").first.wait_for()


def test_results_need_no_scripts(site, visit):
    page = visit(f"{site.address}/drinks/results", java_script_enabled=False).page
    assert page.get_by_role("row").count() == 4
