"""Pictures of README and docs, which ``make pictures`` writes to docs/images.

Who was likely the best club of the Premier League when, from the votes that ship with the library;
and the owner's page of an arena with three weeks of simulated votes, in chromium.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import driftduel as dd
from driftduel.arena import service as arena
from driftduel.arena.crowd import DRINKS, Days, feed
from driftduel.arena.model import DAY
from tests.arena.serving import served
from tests.browser.conftest import MISSING, chromium_path

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FILE = IMAGES / "owner-page.png"
WIDTH = 1060


def write_league(file):
    """Draw who was likely the best club when, given all games."""
    chart = dd.timeline(dd.worlds.datasets.premier_league_log()).plot()
    chart.properties(title="Who was likely the best club of the Premier League?").save(file)


def write(file, browser):
    """Write the page from its top to where it says how options stand."""
    with (
        TemporaryDirectory() as folder,
        arena.Service.open(f"sqlite:{folder}/arena.db") as service,
    ):
        made = arena.create_arena(
            service, DRINKS.slug, DRINKS.question, DRINKS.arms, title=DRINKS.title, seed=1
        )
        today = time.time_ns() // 1000 // DAY * DAY  # the page goes up to now
        feed(service, DRINKS, Days(before=12, after=9, votes=200, end=today), seed=1)
        with served(service) as address:
            page = browser.new_page(
                viewport={"width": WIDTH, "height": 800}, device_scale_factor=1.5, timezone_id="UTC"
            )
            page.goto(f"{address}/{DRINKS.slug}/owner#{made.owner_token}")
            below = page.get_by_role("heading", name="How voting goes").bounding_box()["y"]
            clip = {"x": 0, "y": 0, "width": WIDTH, "height": below - 12}
            page.screenshot(path=file, clip=clip, full_page=True)
            page.close()


if __name__ == "__main__":
    write_league(IMAGES / "premier-league.svg")
    if chromium_path() is None:
        sys.exit(MISSING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(), args=["--no-sandbox"]
        )
        write(FILE, chromium)
        chromium.close()
