"""Voters suggest options, if the owner wants that, who adds or declines them."""

from __future__ import annotations

from importlib import import_module

import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Conflict, Forbidden, Invalid, NotFound, TooMany
from tests.arena.pages import pages_of, words_of


@pytest.fixture
def open_to_all(drinks):
    arena.change_arena(drinks, "drinks", {"suggestions": True})
    return drinks


def names(service):
    return [one.name for one in arena.suggestions(service, "drinks")]


def arms(service):
    return [arm.name for arm in arena.describe(service, "drinks").arms]


def test_what_is_suggested_waits_and_joins_when_the_owner_adds_it(open_to_all):
    arena.suggest(open_to_all, "drinks", "ann", " Iced   tea ")
    arena.suggest(open_to_all, "drinks", "bob", "cocoa")
    assert names(open_to_all) == ["Iced tea", "cocoa"]
    assert arms(open_to_all) == ["tea", "coffee", "milk"]
    arena.add_suggested(open_to_all, "drinks", "Iced tea")
    assert arms(open_to_all) == ["tea", "coffee", "milk", "Iced tea"]
    assert len(open_to_all.hosted("drinks").replica.offered) == 4
    arena.decline_suggested(open_to_all, "drinks", "cocoa")
    assert names(open_to_all) == []
    for name in ("Iced tea", "cocoa", "nix"):
        with pytest.raises(NotFound):
            arena.add_suggested(open_to_all, "drinks", name)
        with pytest.raises(NotFound):
            arena.decline_suggested(open_to_all, "drinks", name)


def test_what_is_there_or_was_declined_is_not_suggested_again(open_to_all):
    arena.suggest(open_to_all, "drinks", "ann", "cocoa")
    arena.decline_suggested(open_to_all, "drinks", "cocoa")
    for name in ("cocoa", "COCOA", "Tea", " milk "):
        with pytest.raises(Conflict, match="such an option"):
            arena.suggest(open_to_all, "drinks", "bob", name)


@pytest.mark.parametrize("text", ["", "  ", "x" * 81, "a\x00b"])
def test_what_is_no_name_is_refused(open_to_all, text):
    with pytest.raises(Invalid):
        arena.suggest(open_to_all, "drinks", "ann", text)
    assert names(open_to_all) == []


def test_nobody_floods_the_owner(open_to_all, monkeypatch):
    for n in range(3):
        arena.suggest(open_to_all, "drinks", "ann", f"drink {n}")
    with pytest.raises(TooMany):
        arena.suggest(open_to_all, "drinks", "ann", "drink 3")
    arena.decline_suggested(open_to_all, "drinks", "drink 0")
    arena.suggest(open_to_all, "drinks", "ann", "drink 3")
    monkeypatch.setattr(import_module("driftduel.arena.service.suggestions"), "MOST", 4)
    with pytest.raises(TooMany):
        arena.suggest(open_to_all, "drinks", "bob", "drink 4")


def test_a_poll_takes_none_unless_its_owner_wants_them_and_it_is_open(drinks):
    with pytest.raises(Forbidden):
        arena.suggest(drinks, "drinks", "ann", "cocoa")
    arena.change_arena(drinks, "drinks", {"suggestions": True, "status": "closed"})
    with pytest.raises(Forbidden):
        arena.suggest(drinks, "drinks", "ann", "cocoa")


def test_pages_take_suggestions_and_the_owner_answers_them(tmp_path):
    with pages_of(tmp_path) as site, site.browser() as voter, site.browser() as owner:
        owner.post("/drinks/owner", data={"token": site.made.owner_token})
        assert "Suggest" not in words_of(voter.get("/drinks"))
        assert voter.get("/drinks/suggest").status_code == 404
        assert voter.post("/drinks/suggest", data={"text": "x"}).status_code == 404
        arena.change_arena(site.service, "drinks", {"suggestions": True})
        assert 'href="/drinks/suggest"' in voter.get("/drinks").text
        hostile = "<b>Mate</b> & co"
        sent = voter.post("/drinks/suggest", data={"text": hostile})
        assert "Thank you. The owner of this poll looks at it first." in words_of(sent)
        again = voter.post("/drinks/suggest", data={"text": hostile})
        assert (again.status_code, "is there already" in words_of(again)) == (409, True)
        assert 'value="&lt;b&gt;Mate&lt;/b&gt; &amp; co"' in again.text
        page = owner.get("/drinks/owner")
        assert f"Suggested by voters {hostile}" in words_of(page)
        assert "<b>Mate" not in page.text
        owner.post("/drinks/owner/suggestions", data={"name": hostile, "to": "add"})
        assert "Suggested by voters" not in words_of(owner.get("/drinks/owner"))
        assert hostile in [arm.name for arm in arena.describe(site.service, "drinks").arms]
        odd = owner.post("/drinks/owner/suggestions", data={"name": "nix", "to": "add"})
        assert (odd.status_code, "There is no such suggestion." in words_of(odd)) == (404, True)
        evil = {"Origin": "https://evil.example"}
        assert voter.post("/drinks/suggest", data={"text": "y"}, headers=evil).status_code == 403
        with site.browser() as cookieless:
            said = cookieless.post("/drinks/suggest", data={"text": "y"})
            assert (said.status_code, "keeps no cookies" in words_of(said)) == (403, True)
