"""A poll opens and closes by itself; its colour is mended until it can be read."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftduel.arena import colours, rules
from driftduel.arena import service as arena
from driftduel.arena.errors import Conflict, Invalid
from driftduel.arena.settings import Settings
from driftduel.arena.times import as_moment
from tests.arena.pages import words_of
from tests.arena.voting import vote

PAST, FUTURE = "2020-01-01 00:00 Z", "2120-05-03 09:00 Europe/Berlin"


@pytest.fixture
def owner_of(site):
    """A browser in which the owner is logged in."""
    with site.browser() as opened:
        opened.post("/drinks/owner", data={"token": site.made.owner_token})
        yield opened


def change(site, **settings):
    return arena.change_arena(site.service, "drinks", settings)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-05-03 09:00 Europe/Berlin", "2026-05-03T07:00Z"),
        ("2026-12-03 09:00 Europe/Berlin", "2026-12-03T08:00:00 UTC"),
        ("2026-05-03 09:00 +05:30", "2026-05-03 03:30 Z"),
        ("2026-05-03 09:00 -0330", "2026-05-03 12:30 Z"),
    ],
)
def test_a_moment_is_read_with_its_zone(text, same):
    assert as_moment(text) == as_moment(same)


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-03 09:00", "tomorrow", "2026-13-03 09:00 Z", "2026-05-03 25:00 Z",
        "2026-05-03 09:00 Nowhere/Land", "2026-05-03 09:00 ../../etc/passwd", "0001-01-01 00:00 Z",
        "2026-05-03 09:00 +99:00",
    ],
)  # fmt: skip
def test_what_is_no_moment_or_has_no_zone_is_refused(text):
    if text.startswith("0001"):
        assert as_moment(text) < 0  # long ago, and a moment all the same
        return
    with pytest.raises(Invalid, match=r"must be as|does not name its zone"):
        Settings(opens=text)


def test_an_end_before_the_beginning_is_refused():
    with pytest.raises(Invalid, match="must be later than opens"):
        Settings(opens=FUTURE, closes=PAST)


def test_before_it_opens_voters_are_told_when_that_is(site, owner_of, browser):
    change(site, opens=FUTURE)
    page = browser.get("/drinks")
    assert page.status_code == 409
    assert "Voting has not begun yet" in words_of(page)
    assert f"It begins: {FUTURE}." in words_of(page)
    german = browser.get("/drinks", headers={"Accept-Language": "de"})
    assert "Die Abstimmung hat noch nicht begonnen" in words_of(german)
    with pytest.raises(Conflict, match="voting has not begun"):
        arena.ask(site.service, "drinks", "ann")
    assert site.ask().status_code == 409
    told = words_of(owner_of.get("/drinks/owner"))
    assert f"Voting begins {FUTURE}" in told
    assert browser.get("/drinks/results").status_code == 403


def test_from_its_end_on_nobody_votes_and_results_are_as_if_it_was_closed(site, owner_of, browser):
    asked = arena.ask(site.service, "drinks", "ann")
    vote(site.service)
    change(site, closes=PAST)
    with pytest.raises(Conflict, match="the poll is closed"):
        arena.tell(site.service, asked.duel, "ann", "left")
    page = browser.get("/drinks")
    assert "Voting is over" in words_of(page)
    assert "See the results" in words_of(page)
    assert browser.get("/drinks/results").status_code == 200
    assert arena.status(site.service, "drinks").standing.closed
    assert "Voting ended by the schedule" in words_of(owner_of.get("/drinks/owner"))
    change(site, closes="")
    assert arena.ask(site.service, "drinks", "bob").duel


def test_the_end_comes_while_people_vote(site, monkeypatch):
    soon = time.time_ns() // 1000 + 3_600_000_000
    change(site, closes=time.strftime("%Y-%m-%d %H:%M Z", time.gmtime(soon / 1e6)))
    asked = arena.ask(site.service, "drinks", "ann")
    vote(site.service)
    monkeypatch.setattr(rules, "now", lambda: soon)
    with pytest.raises(Conflict, match="the poll is closed"):
        arena.tell(site.service, asked.duel, "ann", "left")


def test_the_owner_writes_the_schedule_and_the_colour_into_the_form(site, owner_of):
    sent = {"title": "Drinks", "question": "Which?", "ties": "on", "colour": "#FF0"}
    owner_of.post("/drinks/owner/settings", data={**sent, "opens": PAST, "closes": FUTURE})
    found = arena.describe(site.service, "drinks").arena
    assert (found.settings.opens, found.settings.closes, found.state) == (PAST, FUTURE, "open")
    page = owner_of.get("/drinks/owner")
    assert f"Voting is open, until {FUTURE}" in words_of(page)
    refused = owner_of.post("/drinks/owner/settings", data={**sent, "opens": "2026-05-03 09:00"})
    assert refused.status_code == 422
    assert "does not name its zone" in refused.text
    assert 'value="2026-05-03 09:00"' in refused.text


def test_pages_load_the_colours_of_their_poll_and_nothing_is_inline(site, browser):
    assert "look.css" not in browser.get("/drinks").text
    change(site, colour="#ffee00", public=True)
    for path in ("/drinks", "/drinks/results"):
        page = browser.get(path)
        assert '<link rel="stylesheet" href="/drinks/look.css?v=ffee00">' in page.text
        assert "style-src 'self';" in page.headers["content-security-policy"]
    sheet = browser.get("/drinks/look.css?v=ffee00")
    assert sheet.headers["content-type"].startswith("text/css")
    assert "--accent: #ffee00" not in sheet.text.split("@media")[0]  # mended: yellow on white
    assert "--accent: #ffee00" in sheet.text.split("@media")[1]
    with pytest.raises(Invalid, match="is no colour"):
        change(site, colour="red;}body{display:none")


@given(st.integers(0, 0xFFFFFF))
def test_any_colour_is_mended_until_it_can_be_read(number):
    colour = f"#{number:06x}"
    for scheme, grounds in colours.GROUNDS.items():
        mended = colours.readable(colour, scheme)
        for ground in grounds:
            assert colours.contrast(mended, ground) >= 4.5
        assert colours.contrast(colours.letters_on(mended), mended) >= 4.5
        if all(colours.contrast(colour, ground) >= 4.5 for ground in grounds):
            assert mended == colour


def test_the_grounds_are_those_of_the_style_sheet():
    from driftduel.arena.web.pages.html import _FILES

    css = (_FILES / "arena.css").read_text("utf-8")
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    for scheme, part in (("light", light), ("dark", dark)):
        assert all(ground in part for ground in colours.GROUNDS[scheme])
