"""The owner's life: a logo, votes that come in, voters and polls that go."""

from __future__ import annotations

import csv
import io
import re

import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import NotFound
from driftduel.arena.service.verify import verify
from tests.arena.images import png
from tests.arena.pages import words_of
from tests.arena.voting import events, prefer, state, state_from_nothing, vote

PNG = png()

FILE = """when;left;right;winner
2025-03-01 10:00;tea;coffee;left
2025-03-01 11:00;tea;cocoa;right
2025-03-02 10:00;coffee;cocoa;tie
"""


@pytest.fixture
def owner(site, browser):
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    return browser


def test_the_busiest_are_shown_with_share_and_favourite(site, owner):
    prefer(site.service, "tea", 30, "ann")
    prefer(site.service, "milk", 10, "bob")
    (first, second) = arena.busiest(site.service, "drinks")
    assert (first.favourite, second.favourite) == ("tea", "milk")
    assert first.share == 0.75
    assert first.chosen == first.of
    page = words_of(owner.get("/drinks/owner/voters"))
    assert re.search(rf"{first.voter.voter[:8]} .*30 75% tea {first.of} of {first.of} times", page)
    owner.post("/drinks/owner/voters", data={"voter": first.voter.voter, "to": "exclude"})
    assert arena.status(site.service, "drinks").votes == 10
    found = owner.get("/drinks/owner/voters", params={"find": second.voter.voter[:8]})
    assert second.voter.voter[:8] in found.text
    assert first.voter.voter[:8] not in found.text
    assert "No voter of this poll" in words_of(owner.get("/drinks/owner/voters?find=zz"))
    with site.browser() as stranger:
        assert "Secret link" in words_of(stranger.get("/drinks/owner/voters"))
        assert stranger.post("/drinks/owner/voters").status_code in (401, 403)


def test_a_voter_finds_out_its_name_and_its_votes_go(site, owner):
    with site.browser() as ann:
        page = ann.get("/drinks")
        duel = re.search('name="duel" value="([^"]+)"', page.text)[1]
        ann.post("/drinks/vote", data={"duel": duel, "verdict": "left"})
        (name,) = re.findall("calls you ([0-9a-f]{8})", words_of(ann.get("/drinks/privacy")))
    prefer(site.service, "tea", 5, "bob")
    (mine,) = arena.busiest(site.service, "drinks", named=name)
    text = owner.get(f"/drinks/owner/voters/{mine.voter.voter}.csv")
    (row,) = csv.DictReader(io.StringIO(text.text))
    assert (row["duel"], row["verdict"], row["voter"]) == (duel, "left", mine.voter.voter)
    done = owner.post("/drinks/owner/voters", data={"voter": mine.voter.voter, "to": "delete"})
    assert "Deleted: the votes do not count" in words_of(done)
    assert arena.status(site.service, "drinks").votes == 5
    assert mine.voter.voter not in "".join(map(str, events(site.service)))
    assert state(site.service) == state_from_nothing(site.service)
    assert arena.busiest(site.service, "drinks", named=name) == []
    assert owner.get(f"/drinks/owner/voters/{mine.voter.voter}.csv").status_code == 404
    assert len(list(arena.votes_csv(site.service, "drinks"))) > 0
    assert verify(site.service.store)


def test_the_api_deletes_votes_of_a_voter_too(site, browser):
    prefer(site.service, "tea", 3, "ann")
    (ann,) = arena.voters(site.service, "drinks")
    said = {"Authorization": f"Bearer {site.made.owner_token}"}
    path = f"/api/v1/arenas/drinks/voters/{ann.voter}"
    assert browser.delete(path, params={"votes": "true"}, headers=said).status_code == 200
    assert arena.status(site.service, "drinks").votes == 0


def test_the_owner_adds_a_privacy_note_and_a_logo(site, owner):
    arena.change_arena(site.service, "drinks", {"privacy": "Ask <ann@example.org>.\nOr not."})
    assert "Ask <ann@example.org>. Or not." in words_of(owner.get("/drinks/privacy"))
    page = owner.post("/drinks/owner/logo", files={"image": ("a.png", PNG, "image/png")})
    (address,) = set(re.findall('class="logo" src="([^"]+)"', page.text))
    assert address in owner.get("/drinks").text
    assert owner.get(address).headers["content-type"] == "image/png"
    bad = owner.post("/drinks/owner/logo", files={"image": ("a.png", b"no", "image/png")})
    assert bad.status_code == 422
    assert "must be PNG" in words_of(bad)
    gone = owner.post("/drinks/owner/logo", data={"gone": "yes"})
    assert address not in gone.text
    assert owner.get(address).status_code == 404
    arena.set_card(site.service, "drinks", "tea", arena_card(), image=PNG)
    owner.post("/drinks/owner/logo", files={"image": ("a.png", PNG, "image/png")})
    owner.post("/drinks/owner/logo", data={"gone": "yes"})
    assert owner.get(address).status_code == 200  # a card still shows it
    assert verify(site.service.store)


def arena_card():
    from driftduel.arena.model import Card

    return Card("image", "")


def test_what_was_read_is_shown_before_votes_come_in(site, owner):
    before = len(events(site.service))
    page = owner.post("/drinks/owner/import", files={"file": ("old.csv", FILE, "text/csv")})
    text = words_of(page)
    assert "What was read of old.csv" in text
    assert "3 votes on 3 options, from 1 Mar 2025" in text
    assert "cocoa 2 75% no" in text
    assert len(events(site.service)) == before
    (file,) = re.findall('name="file" value="([^"]+)"', page.text)
    done = owner.post(
        "/drinks/owner/import/yes", data={"file": file, "pairs": "uniform", "add": "yes"}
    )
    assert "3 votes came in; 1 of them count." in words_of(done)
    arms = {one.name: one.offered for one in arena.describe(site.service, "drinks").arms}
    assert arms["cocoa"] is False
    again = owner.post("/drinks/owner/import/yes", data={"file": file, "pairs": "uniform"})
    assert again.status_code == 410
    owner.post("/drinks/owner/import", files={"file": ("old.csv", FILE, "text/csv")})
    (one,) = arena.imports(site.service, "drinks")
    owner.post("/drinks/owner/import/back", data={"name": one.hash})
    assert arena.status(site.service, "drinks").votes == 0


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (
            ("old.csv", "left,right\n", "text/csv"),
            "The file old.csv: left = left, right = right, but no column says who won",
        ),
        (("old.csv", b"\x00\x01", "text/csv"), "The file old.csv: is no text"),
        (("a/../b.zip", "x", "text/csv"), ""),
        (("old.csv", "left,right,winner\na,b,left\n", "text/csv"), "when votes were cast"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_in_a_sentence(site, owner, file, words):
    answer = owner.post("/drinks/owner/import", files={"file": file})
    assert answer.status_code == 422
    (problem,) = re.findall('role="alert">([^<]*)<', answer.text)
    assert words in problem
    assert "/tmp" not in answer.text
    assert "--" not in problem


def test_no_file_of_another_poll_or_place_is_taken(site, owner):
    arena.create_arena(site.service, "other", "Which?", ["a", "b"])
    page = owner.post("/drinks/owner/import", files={"file": ("old.csv", FILE, "text/csv")})
    (file,) = re.findall('name="file" value="([^"]+)"', page.text)
    with (
        pytest.raises(ValueError, match="choose a file"),
        arena.uploaded(site.service, "other", file),
    ):
        raise AssertionError
    for name in ("../../etc/passwd", "", "x" * 22 + "." + "0" * 32 + ".csv"):
        answer = owner.post("/drinks/owner/import/yes", data={"file": name, "pairs": "uniform"})
        assert answer.status_code == 422
    with site.browser() as stranger:
        answer = stranger.post("/drinks/owner/import", files={"file": ("a.csv", FILE, "text/csv")})
        assert answer.status_code in (401, 403)


def test_a_poll_is_deleted_with_all_that_it_has(site, owner):
    arena.create_arena(site.service, "other", "Which?", ["a", "b"])
    vote(site.service, slug="other")
    prefer(site.service, "tea", 12)
    arena.set_card(site.service, "drinks", "tea", arena_card(), image=PNG)
    arena.invite(site.service, "drinks", ["Ann"])
    wrong = owner.post("/drinks/owner/delete", data={"typed": "drink"})
    assert wrong.status_code == 422
    assert "Type drinks to delete" in words_of(wrong)
    done = owner.post("/drinks/owner/delete", data={"typed": "drinks"})
    assert "The poll drinks and all of its votes are gone." in words_of(done)
    for path in ("/drinks", "/drinks/owner", "/drinks/results", "/api/v1/arenas/drinks/status"):
        assert owner.get(path).status_code == 404
    assert "Which is nicer?" not in owner.get("/").text
    assert [one.slug for one in arena.arenas(site.service)] == ["other"]
    with site.service.store.reading() as connection:
        for table in ("event", "arm", "card", "access", "invitation", "duel", "snapshot"):
            query = f"SELECT count(*) FROM {table} WHERE arena = 1"
            assert connection.scalar(query) == 0, table
        assert connection.scalar("SELECT count(*) FROM blob") == 0
    assert verify(site.service.store)
    with pytest.raises(NotFound):
        arena.status(site.service, "drinks")
    made = arena.create_arena(site.service, "drinks", "Again?", ["a", "b"])
    assert made.arena.id == 3  # no other process takes it for the old one
    assert arena.status(site.service, "drinks").votes == 0
    assert "Again?" in owner.get("/drinks").text


def test_another_process_notices_that_a_poll_is_gone(site, tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as other:
        asked = arena.ask(other, "drinks", "ann")
        arena.delete_arena(site.service, "drinks", "drinks")
        with pytest.raises((NotFound, ValueError)):
            arena.tell(other, asked.duel, "ann", "left")
        other.follow()
        with pytest.raises(NotFound):
            arena.ask(other, "drinks", "ann")


def test_what_was_not_erased_yet_goes_later(site, monkeypatch):
    from driftduel.arena.service import deletion
    from driftduel.arena.store import deleting

    prefer(site.service, "tea", 8)
    monkeypatch.setattr(deletion, "_WAIT", -1.0)  # as if the process were killed here
    monkeypatch.setattr(deleting, "_SLICE", 3)
    arena.delete_arena(site.service, "drinks", "drinks")
    with site.service.store.reading() as connection:
        assert connection.scalar("SELECT count(*) FROM event") > 0
    with pytest.raises(NotFound):
        arena.ask(site.service, "drinks", "ann")
    assert verify(site.service.store) == []
    while site.service.erase():
        pass
    with site.service.store.reading() as connection:
        assert connection.scalar("SELECT count(*) FROM event") == 0


def test_the_api_deletes_a_poll(site, browser):
    said = {"Authorization": f"Bearer {site.made.owner_token}"}
    path = "/api/v1/arenas/drinks"
    assert browser.delete(path, params={"typed": "x"}, headers=said).status_code == 422
    said_by_key = {"Authorization": f"Bearer {site.made.embed_key}"}
    assert browser.delete(path, params={"typed": "drinks"}, headers=said_by_key).status_code == 403
    assert browser.delete(path, params={"typed": "drinks"}, headers=said).status_code == 204
    assert browser.get("/drinks").status_code == 404
