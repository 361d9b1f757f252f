"""Who may vote: those who are invited or know a word, and how many come new from an address."""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise

import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Forbidden, Invalid, TooMany
from driftduel.arena.service.verify import verify
from tests.arena.pages import duel_of, pages_of, words_of
from tests.arena.voting import events, state, state_from_nothing

INVITED = "This poll is for people who were invited."


@pytest.fixture
def owner(site, browser):
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    return browser


def links_of(answer):
    return {row["name"]: row["link"] for row in csv.DictReader(io.StringIO(answer.text))}


def answer_all(browser, verdict="left"):
    """Answer until there is no question; return how many there were."""
    n = 0
    while 'id="vote"' in (page := browser.get("/drinks")).text:
        browser.post("/drinks/vote", data={"duel": duel_of(page), "verdict": verdict})
        n += 1
    return n


def test_invited_voters_alone_vote_by_links_of_their_own(site, owner):
    answer = owner.post("/drinks/owner/invitations", data={"names": "Ann\n\n Bob "})
    assert answer.headers["content-type"].startswith("text/csv")
    links = links_of(answer)
    assert list(links) == ["Ann", "Bob"]
    arena.change_arena(site.service, "drinks", {"invited": True})
    with site.browser() as stranger:
        page = stranger.get("/drinks")
        assert page.status_code == 403
        assert INVITED in words_of(page)
        assert stranger.get("/drinks/in/nobody").status_code == 403
        assert stranger.get(links["Ann"]).status_code == 200
        assert answer_all(stranger) == 3
        end = words_of(stranger.get("/drinks"))
        assert "You have answered everything. You have answered 3." in end
        assert "tomorrow" not in end
        assert "so whoever made this poll can tell" in words_of(stranger.get("/drinks/privacy"))
    with site.browser() as elsewhere:  # the same person in another browser
        elsewhere.get(links["Ann"])
        assert answer_all(elsewhere) == 0
    page = words_of(owner.get("/drinks/owner/voters"))
    assert "2 people are invited." in page
    assert re.search(r"[0-9a-f]{8} Ann 3 100%", page)


def test_an_invited_voter_counts_once_a_pair_however_many_pages_are_open(site, browser):
    service = site.service
    (ann,) = arena.invite(service, "drinks", ["Ann"])
    arena.change_arena(service, "drinks", {"invited": True})
    asked = [arena.ask(service, "drinks", ann.code) for _ in range(12)]  # of three pairs
    told = [arena.tell(service, one.duel, ann.code, "left") for one in asked]
    assert sum(one.counted for one in told) == 3
    assert {one.reason for one in told if not one.counted} == {"again"}
    assert arena.status(service, "drinks").votes == 3
    first = next(one for one, done in zip(asked, told, strict=True) if done.counted)
    arena.retract(service, first.duel, ann.code)
    pair = {first.left.name, first.right.name}
    while True:  # the pair that was taken back counts when it is answered again
        one = arena.ask(service, "drinks", ann.code)
        done = arena.tell(service, one.duel, ann.code, "right")
        if {one.left.name, one.right.name} == pair:
            break
    assert done.counted
    assert state(service) == state_from_nothing(service)
    lines = list(
        csv.DictReader(io.StringIO("".join(arena.votes_csv(service, "drinks", everything=True))))
    )
    assert {row["reason"] for row in lines} == {"", "again", "retracted"}
    assert verify(service.store)


def test_a_word_is_asked_for_before_the_first_pair(site, browser):
    arena.change_arena(site.service, "drinks", {"word": "Green Tomato"})
    page = browser.get("/drinks")
    assert page.status_code == 200
    assert 'id="vote"' not in page.text
    wrong = browser.post("/drinks/word", data={"word": "red"})
    assert wrong.status_code == 403
    assert "That is not the word." in words_of(wrong)
    assert 'id="vote"' in browser.post("/drinks/word", data={"word": " green  tomato"}).text
    assert answer_all(browser) == 3
    arena.change_arena(site.service, "drinks", {"word": "other", "repeat": True})
    assert "type the word" in words_of(browser.get("/drinks"))
    (ann,) = arena.invite(site.service, "drinks", ["Ann"])
    with site.browser() as invited:  # an invited voter need not know it
        assert 'id="vote"' in invited.get(f"/drinks/in/{ann.code}").text


def test_a_pair_that_was_open_is_not_taken_when_only_some_may_vote(site, browser):
    page = browser.get("/drinks")
    arena.change_arena(site.service, "drinks", {"word": "tomato"})
    answer = browser.post("/drinks/vote", data={"duel": duel_of(page), "verdict": "left"})
    assert answer.status_code == 403
    assert "type the word" in words_of(answer)
    said = {"Accept": "application/json"}
    assert browser.get("/drinks", headers=said).status_code == 403
    assert not any(event.kind == "vote" for event in events(site.service))


@pytest.mark.parametrize("settings", [{"invited": True}, {"word": "tomato"}])
def test_the_embed_key_opens_no_poll_that_is_for_some(site, settings):
    arena.change_arena(site.service, "drinks", {"suggestions": True, **settings})
    with site.browser() as client:
        said = {"Authorization": f"Bearer {site.made.embed_key}", "X-Voter": "ann"}
        for _ in range(2):  # the second time the key is known
            answer = client.post("/api/v1/arenas/drinks/duels", headers=said)
            assert answer.status_code == 403
            assert "vote on its own page" in answer.json()["detail"]
        said["Authorization"] = f"Bearer {site.made.owner_token}"
        if "word" not in settings:
            assert client.post("/api/v1/arenas/drinks/duels", headers=said).status_code == 201
        assert client.get("/drinks/suggest").status_code in (200, 403)
        assert "Your suggestion" not in client.get("/drinks/suggest").text


def test_few_voters_come_new_from_an_address_in_an_hour(tmp_path):
    settings = {"newcomers": 2}
    with pages_of(tmp_path, settings=settings, behind_proxy=True) as site:
        here, there = ({"X-Forwarded-For": f"203.0.113.{n}"} for n in (1, 2))

        def come(address):
            with site.browser(**address) as browser:
                page = browser.get("/drinks")
                if page.status_code == 200:
                    vote = {"duel": duel_of(page), "verdict": "left"}
                    assert browser.post("/drinks/vote", data=vote).status_code == 200
                    assert browser.get("/drinks").status_code == 200  # and so may go on
                return page

        assert [come(here).status_code for _ in range(3)] == [200, 200, 403]
        assert "Many new voters came from your network" in words_of(come(here))
        assert come(there).status_code == 200
        with site.browser(**here) as browser:  # whatever name a cookie has
            browser.cookies.set("voter", "x" * 22)
            assert browser.get("/drinks").status_code == 403
            said = {"Authorization": f"Bearer {site.made.embed_key}", "X-Voter": "zoe"}
            asked = browser.post("/api/v1/arenas/drinks/duels", headers=said)
            assert asked.status_code == 429
            assert int(asked.headers["Retry-After"]) > 3000


def test_an_hour_later_others_may_come(site):
    now = [0.0]
    from driftduel.arena.service.admission import Newcomers

    newcomers = Newcomers(clock=lambda: now[0])
    newcomers.admit(1, "a", "ann", 1)
    with pytest.raises(TooMany):
        newcomers.admit(1, "a", "bob", 1)
    newcomers.admit(2, "a", "bob", 1)
    now[0] = 3600.0
    newcomers.admit(1, "a", "bob", 1)


def test_who_guesses_words_is_stopped(tmp_path):
    with (
        pages_of(tmp_path, settings={"word": "tomato"}, behind_proxy=True) as site,
        site.browser(**{"X-Forwarded-For": "203.0.113.1"}) as browser,
    ):
        codes = [browser.post("/drinks/word", data={"word": "a"}).status_code for _ in range(25)]
        assert codes[0] == 403
        assert codes[-1] == 429
        assert all(one <= other for one, other in pairwise(codes))


@pytest.mark.parametrize(
    ("names", "words"),
    [("", "Write 1 to 10,000 names"), ("a" * 201, "has 201 characters"), ("x\x07y", "control")],
)
def test_names_that_make_no_sense_are_refused_and_kept(site, owner, names, words):
    answer = owner.post("/drinks/owner/invitations", data={"names": names})
    assert answer.status_code == 422
    assert words in words_of(answer)


def test_settings_of_the_door_are_checked(site):
    for wrong in ({"word": "a\nb"}, {"word": "x" * 81}, {"privacy": "\x00"}, {"logo": "0" * 64}):
        with pytest.raises(Invalid):
            arena.change_arena(site.service, "drinks", wrong)
    arena.change_arena(site.service, "drinks", {"invited": True})
    with pytest.raises(Forbidden):
        arena.admit(site.service, site.service.hosted("drinks"), "ann")
