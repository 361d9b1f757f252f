"""An arena is made on a page: options in lines, as CSV and as images, by who may."""

from __future__ import annotations

import re
import time

import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Unavailable
from driftduel.arena.store import cards as stored
from tests.arena.images import jpeg, png
from tests.arena.pages import pages_of, words_of


@pytest.fixture
def site(tmp_path):
    with pages_of(tmp_path, local=True) as opened:
        yield opened


def make(browser, files=(), **fields):
    sent = {"question": "What for lunch?", "options": "soup\npie\n\n", **fields}
    attached = [("files", one) for one in files] or [("files", ("", b""))]
    return browser.post("/new", data=sent, files=attached)


def arms(site, slug):
    return [arm.name for arm in arena.describe(site.service, slug).arms]


def test_an_arena_is_made_and_its_keys_are_shown_once(site, browser):
    answer = make(browser, blind="on", ties="on")
    assert answer.status_code == 201
    (token,) = re.findall(r'value="[^"]+/what-for-lunch/owner#(owner_[^"]+)"', answer.text)
    (key,) = re.findall(r'value="(embed_[^"]+)"', answer.text)
    assert f'value="{site.address}/what-for-lunch"' in answer.text
    found = arena.describe(site.service, "what-for-lunch").arena
    assert found.question == "What for lunch?"
    settings = found.settings
    assert (settings.blind, settings.public, settings.ties) == (True, False, True)
    assert arms(site, "what-for-lunch") == ["soup", "pie"]
    assert arena.check_token(site.service, token, "what-for-lunch", "owner") == "owner"
    assert arena.check_token(site.service, key, "what-for-lunch", "embed") == "embed"
    owner = browser.get("/what-for-lunch/owner")  # who made it is logged in
    assert "owner's key" not in words_of(owner)
    assert token not in owner.text
    again = make(browser)
    assert again.status_code == 409
    assert "There is an arena 'what-for-lunch' already." in words_of(again)


def test_switches_that_are_off_are_off(site, browser):
    make(browser, slug="lunch", public="on")
    settings = arena.describe(site.service, "lunch").arena.settings
    assert (settings.blind, settings.public, settings.ties) == (False, True, False)


def test_images_are_options_called_as_their_files_are(site, browser):
    files = [("Green soup.png", png(), "image/png"), ("pie.JPG", jpeg(), "image/jpeg")]
    assert make(browser, files, options="bread", slug="lunch", blind="on").status_code == 201
    assert arms(site, "lunch") == ["bread", "Green soup", "pie"]
    kinds = set()
    for _ in range(20):
        page = browser.get("/lunch").text
        assert not re.search("Green|pie", page)
        kinds |= set(re.findall('<(img) src="/api|<p class="text (short)" dir="auto">bread', page))
    assert kinds == {("img", ""), ("", "short")}


def test_a_csv_has_an_option_a_line_and_what_is_shown_of_it(site, browser):
    table = "name,markdown,context\nA,*one*,first\nB,*two*,first\nA,three,second\nB,four,second\n"
    assert make(browser, [("a.csv", table)], options="", slug="lunch").status_code == 201
    assert arms(site, "lunch") == ["A", "B"]
    pages = [browser.get("/lunch").text for _ in range(30)]
    for words in ("<em>one</em>", "<p>four</p>", ">second</p>"):
        assert any(words in page for page in pages)
    plain = "soup,A soup of the day\npie\n"
    assert make(browser, [("a.csv", plain)], options="", slug="two").status_code == 201
    page = browser.get("/two").text
    assert "A soup of the day" in page
    assert ">pie</p>" in page


@pytest.mark.parametrize(
    ("fields", "files", "words"),
    [
        ({"options": "soup"}, [], "Give two options at least, one a line."),
        ({"options": "soup\nsoup"}, [], "Give two options at least"),
        ({"options": "soup\npie\nsoup"}, [], "The option 'soup' is there twice."),
        ({"slug": "new"}, [], "is an address of the service itself"),
        ({"slug": "A b"}, [], "Slug is 'A b', must be"),
        ({"options": f"{'a' * 201}\nb"}, [], "Name of an arm: has 201 characters"),
        ({}, [("a.png", b"<svg>")], "The file a.png: the image must be PNG, JPEG, GIF or WebP."),
        ({}, [("a.png", png() + bytes(6 * 2**20))], "must have 5,242,880 at most"),
        ({}, [("a.csv", b"\xff\xfe\x00")], "The file a.csv must be a CSV in UTF-8."),
    ],
)
def test_what_makes_no_sense_is_said_and_what_was_written_stays(
    site, browser, fields, files, words
):
    answer = make(browser, files, **fields)
    assert answer.status_code in {409, 422}
    assert words in words_of(answer)
    assert 'value="What for lunch?"' in answer.text
    assert len(arena.arenas(site.service)) == 1


def test_a_question_without_latin_letters_has_an_address(site, browser):
    assert f'value="{site.address}/vote"' in make(browser, question="好きなのは?").text
    assert f'value="{site.address}/new-2"' in make(browser, question="New?").text


def test_what_is_written_is_text(site, browser):
    words = "<b>a</b>"
    for answer in (
        make(browser, question=words, options=f"{words}\nb", slug="lunch"),
        make(browser, question=words, options=words, slug='"><b>'),
    ):
        assert words not in answer.text
        assert "&lt;b&gt;a&lt;/b&gt;" in answer.text


def test_others_need_the_token_of_an_owner(tmp_path):
    with pages_of(tmp_path, local=False) as site, site.browser() as browser:
        assert "need the owner's key" in words_of(browser.get("/new"))
        refused = make(browser)
        assert refused.status_code == 401
        for token in ("", "nix", site.made.embed_key):
            assert browser.post("/new/login", data={"token": token}).status_code == 403
        opened = browser.post("/new/login", data={"token": site.made.owner_token})
        assert "Make a poll" in words_of(opened)
        assert make(browser).status_code == 201
        assert len(arena.arenas(site.service)) == 2


def test_no_other_site_makes_an_arena(site, browser):
    said = {"Origin": "https://evil.example"}
    answer = browser.post("/new", data={"question": "?", "options": "a\nb"}, headers=said)
    assert answer.status_code == 403
    rebound = browser.post(
        "/new",
        data={"question": "?", "options": "a\nb"},
        headers={"Host": "evil.example", "Origin": "http://evil.example"},
    )
    assert rebound.status_code == 401  # a name of another site that leads to this machine
    assert len(arena.arenas(site.service)) == 1


def test_cards_that_cannot_be_kept_leave_no_poll_behind(site, browser, monkeypatch):
    def broken(*arguments):
        raise Unavailable("the database cannot be reached")

    with monkeypatch.context() as patched:
        patched.setattr(stored, "insert_cards", broken)
        files = [("a.png", png()), ("b.png", png())]
        assert make(browser, files, options="", slug="lunch").status_code == 503
    assert len(arena.arenas(site.service)) == 1
    assert make(browser, files, options="", slug="lunch").status_code == 201


def test_all_cards_come_with_the_poll_in_one_transaction(site, browser):
    commits = site.service.writer.commits
    table = "\n".join(f"option {n},what {n} is" for n in range(300))
    assert make(browser, [("a.csv", table)], options="", slug="lunch").status_code == 201
    assert site.service.writer.commits == commits + 1
    assert len(arena.cards(site.service, "lunch")) == 300
    assert re.search("what [0-9]+ is", browser.get("/lunch").text)
    arena.verify(site.service.store)


def keys_of(answer):
    return re.findall('(?:value="|#)((?:owner|embed)_[^"]+)"', answer.text)


def test_keys_are_shown_again_if_the_same_form_is_sent_again_within_an_hour(
    site, browser, monkeypatch
):
    (claim,) = re.findall('name="claim" value="([^"]+)"', browser.get("/new").text)
    first = make(browser, slug="lunch", claim=claim)
    again = make(browser, slug="lunch", claim=claim)
    assert keys_of(first) == keys_of(again)
    assert len(keys_of(first)) == 2
    assert arena.check_token(site.service, keys_of(again)[0], "lunch", "owner")
    for other in ({"claim": claim, "options": "a\nb"}, {"claim": ""}, {"claim": "x.y"}):
        assert make(browser, **{"slug": "lunch", **other}).status_code == 409
    assert keys_of(make(browser, slug="two", claim=claim)) != keys_of(first)
    assert len({*keys_of(make(browser, slug="three", claim="x.y")), *keys_of(first)}) == 4
    (kept,) = [one for one in arena.tokens(site.service, "lunch") if one.role == "owner"]
    with monkeypatch.context() as later:
        later.setattr(time, "time_ns", lambda: (kept.created_at + 3_601_000_000) * 1_000)
        assert make(browser, slug="lunch", claim=claim).status_code == 409
    arena.revoke_token(site.service, "lunch", kept.id)
    assert make(browser, slug="lunch", claim=claim).status_code == 409


def test_more_options_than_there_may_be_are_refused_before_any_work(site, browser):
    for files, options in (([], "a\n" * 400_000), ([("a.csv", "a,b\n" * 100_000)], "")):
        answer = make(browser, files, options=options)
        assert answer.status_code == 422
        assert "There are more than 10,000 options and cards." in words_of(answer)


def test_the_first_page_leads_to_a_new_arena(browser):
    page = browser.get("/")
    assert 'href="/new"' in page.text
    assert 'href="/openapi.json"' in page.text
