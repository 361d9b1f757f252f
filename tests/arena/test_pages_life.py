"""The owner's life: settings say that they are saved, closing asks, results stay if so wanted."""

from __future__ import annotations

import csv
import io

import pytest

from driftduel.arena import service as arena
from tests.arena.pages import words_of
from tests.arena.voting import prefer


@pytest.fixture
def owner(site, browser):
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    return browser


SETTINGS = {"title": "Drinks", "question": "Which?", "ties": "on", "publish": "on", "expire": "60"}


def test_settings_say_that_they_are_saved_once(site, owner):
    page = owner.post("/drinks/owner/settings", data={**SETTINGS, "cap": "7"})
    assert "Settings Saved." in words_of(page)
    assert arena.describe(site.service, "drinks").arena.settings.cap == 7
    assert "Saved." not in words_of(owner.get("/drinks/owner"))
    wrong = owner.post("/drinks/owner/settings", data={**SETTINGS, "cap": "x"})
    assert wrong.status_code == 422
    assert "Saved." not in words_of(wrong)


def test_closing_asks_and_says_what_becomes_of_results(site, owner):
    page = owner.get("/drinks/owner")
    assert "Close voting Sure? Nobody can vote then, and results become public" in words_of(page)
    arena.change_arena(site.service, "drinks", {"publish": False})
    assert "and results stay for you alone" in words_of(owner.get("/drinks/owner"))
    closed = owner.post("/drinks/owner/state", data={"to": "closed"})
    assert "Voting is closed, and results are for you alone." in words_of(closed)
    with site.browser() as voter:
        assert "Results are shown" in words_of(voter.get("/drinks/results"))
        assert voter.get("/drinks/results").status_code == 403
        assert "See the results" not in words_of(voter.get("/drinks"))
        assert voter.get("/api/v1/arenas/drinks/status").status_code in (401, 403)
        arena.change_arena(site.service, "drinks", {"publish": True})
        assert voter.get("/drinks/results").status_code == 200
        assert "See the results" in words_of(voter.get("/drinks"))


def test_the_standing_is_exported_as_it_is_said(site, owner):
    arena.change_arms(site.service, "drinks", rename={"milk": 'milk, "hot"'}, add=["mate"])
    arena.change_arms(site.service, "drinks", pause=["mate"])
    prefer(site.service, "tea", 60)
    answer = owner.get("/drinks/owner/standing.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="drinks-standing.csv"' in answer.headers["content-disposition"]
    rows = {row["option"]: row for row in csv.DictReader(io.StringIO(answer.text))}
    assert list(rows) == ["tea", "coffee", 'milk, "hot"', "mate"]
    now = arena.status(site.service, "drinks")
    for one in now.arms:
        row = rows[one.name]
        assert row["offered"] == str(one.offered).lower()
        assert int(row["votes"]) == (one.duels or 0)
        for name in ("score", "low", "high"):
            known = getattr(one, name)
            assert row[name] == ("" if known is None else f"{known:.6g}")
    assert float(rows["tea"]["p_best"]) > 0.9
    with site.browser() as stranger:
        assert stranger.get("/drinks/owner/standing.csv").status_code == 401
