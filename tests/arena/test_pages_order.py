"""The order of the owner's page, one colour an option, and numbers under intervals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from driftduel.arena import service as arena
from driftduel.arena import web
from driftduel.arena.web.pages.figures import standings_of
from driftduel.arena.web.pages.shapes import COLOURS, colour_of
from tests.arena.pages import pages_of
from tests.arena.voting import prefer


@pytest.fixture
def owner(site, browser):
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    return browser


def colours_on(page):
    """Return the colours of the options in the table, and of the bands, by their names."""
    table = re.findall(r'class="led-(\d+)"[^>]*/></svg> ([^<]+)</th>', page.text)
    bands = re.findall(r'<path class="led-(\d+)"[^>]*><title>([^<]+)</title>', page.text)
    return {name: int(n) for n, name in table}, {name: int(n) for n, name in bands}


def test_what_is_best_comes_first_and_what_is_seldom_needed_is_folded_away(site, owner):
    prefer(site.service, "tea", 60)
    page = owner.get("/drinks/owner")
    places = [
        page.text.index(f'id="{part}"')
        for part in ("sentence", "timeline", "arms", "health", "options", "settings", "export")
    ]
    assert places == sorted(places)
    folds = re.findall(r'<details class="fold"( open)?>\s*<summary><h2>([^<]+)</h2>', page.text)
    assert {"Options and cards", "Settings", "Links", "Export and import"} <= {
        name for _, name in folds
    }
    assert not any(opened for opened, _ in folds)


@pytest.mark.parametrize(
    ("path", "sent", "title"),
    [
        ("/settings", {"title": "Drinks", "cap": "x"}, "Settings"),
        ("/settings", {"title": "Drinks", "expire": "60"}, "Settings"),
        ("/options", {"names": "mate"}, "Options and cards"),
        ("/tokens", {"role": "read"}, "Secret links and keys"),
    ],
)
def test_a_part_is_open_where_something_was_done_or_refused(owner, path, sent, title):
    page = owner.post(f"/drinks/owner{path}", data=sent)
    folds = re.findall(r'<details class="fold" open>\s*<summary><h2>([^<]+)</h2>', page.text)
    assert folds == [title]


def test_an_option_keeps_its_colour_whoever_joins_leaves_leads_or_is_renamed(site, owner):
    prefer(site.service, "coffee", 60)
    table, bands = colours_on(owner.get("/drinks/owner"))
    assert bands
    assert bands.items() <= table.items()
    assert len(set(table.values())) == 3
    arena.change_arms(site.service, "drinks", add=["mate"], pause=["tea"])
    arena.change_arms(site.service, "drinks", rename={"milk": "Aa milk"})
    prefer(site.service, "Aa milk", 80)
    after, later = colours_on(owner.get("/drinks/owner"))
    assert after["Aa milk"] == table["milk"]
    assert {name: after[name] for name in ("tea", "coffee")}.items() <= table.items()
    assert after["mate"] not in table.values()
    assert later.items() <= after.items()


def test_there_are_as_many_colours_as_said():
    css = (Path(web.__file__).parent / "static" / "standing.css").read_text("utf-8")
    fills = dict(re.findall(r"\.led-(\d+) \{ fill: (#[0-9a-f]{6}); \}", css))
    assert [int(n) for n in fills] == list(range(COLOURS))
    assert len(set(fills.values())) == COLOURS
    assert [colour_of(n) for n in (0, 23, 24)] == [0, 23, 0]


def test_the_numbers_under_intervals_lie_where_intervals_have_them(site, owner):
    prefer(site.service, "tea", 60)
    now = arena.status(site.service, "drinks")
    found = standings_of(now.standing, now.likely)
    assert 3 <= len(found.axis) <= 6
    (first, low), (last, high) = found.axis[0], found.axis[-1]
    for line in found.lines:
        share = low + (line.interval.score - first) / (last - first) * (high - low)
        assert share == pytest.approx(line.score[0], abs=1e-3)
    assert f"{found.axis[1][1]:.0%}</text>" in owner.get("/drinks/owner").text


def test_fifty_options_all_have_a_score_with_a_band_from_the_first_votes(tmp_path):
    with pages_of(tmp_path, [f"option {n}" for n in range(50)]) as site, site.browser() as owner:
        prefer(site.service, "option 7", 10)
        owner.post("/drinks/owner", data={"token": site.made.owner_token})
        page = owner.get("/drinks/owner")
        assert page.text.count('<svg class="interval') == 50
        assert len(re.findall(r"<b>\d+%</b> <span class=\"quiet\">\d+% to \d+%", page.text)) == 50
