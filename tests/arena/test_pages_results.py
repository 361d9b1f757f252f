"""The public page of results: off while an arena is open, unless its owner says otherwise."""

from __future__ import annotations

import re

import pytest

from driftduel.arena import service as arena
from tests.arena.pages import words_of
from tests.arena.voting import prefer


def test_results_are_off_while_the_arena_is_open(site, browser):
    prefer(site.service, "milk", 20)
    answer = browser.get("/drinks/results")
    assert answer.status_code == 403
    assert words_of(answer).endswith("Not yet Results are shown when voting is over. Privacy")
    assert "milk" not in answer.text
    assert 'href="/drinks/results"' not in browser.get("/drinks").text
    assert site.api.get("/arenas/drinks/status").status_code == 401


@pytest.mark.parametrize("change", [{"public": True}, {"status": "closed"}])
def test_results_are_on_if_the_owner_says_so_and_when_voting_is_over(site, browser, change):
    prefer(site.service, "milk", 200)
    arena.change_arena(site.service, "drinks", change)
    answer = browser.get("/drinks/results")
    assert answer.status_code == 200
    assert re.search("milk (is best|leads)", words_of(answer))
    assert 'href="/drinks/results"' in browser.get("/drinks").text
    assert site.api.get("/arenas/drinks/status").json()["best"] == "milk"


def test_an_owner_takes_results_back(site, browser):
    for public, status in [(True, 200), (False, 403)]:
        arena.change_arena(site.service, "drinks", {"public": public})
        assert browser.get("/drinks/results").status_code == status


def test_results_without_votes_say_so(site, browser):
    arena.change_arena(site.service, "drinks", {"public": True})
    assert "Nobody has voted yet." in words_of(browser.get("/drinks/results"))
    assert browser.get("/nix/results").status_code == 404
