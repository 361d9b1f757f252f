"""Voters read all of their pages in their language: nothing is left out, in any of them."""

from __future__ import annotations

import ast
import html
import re
import string
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Unavailable
from driftduel.arena.languages import LANGUAGES, RIGHT_TO_LEFT, preferred
from driftduel.arena.web import pages
from driftduel.arena.web.pages import words
from driftduel.arena.web.pages.words import CATALOGUES, Words, catalogue, in_words, read_catalogue
from tests.arena.pages import duel_of, pages_of

WEB = Path(pages.__file__).parents[1]
OTHERS = [lang for lang in LANGUAGES if lang != "en"]


def said_in_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name == "say" and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value


def said_in_template(text):
    for node in Environment().parse(text).find_all(nodes.Call):
        if isinstance(node.node, nodes.Name) and node.node.name == "say":
            yield node.args[0].value


def keys():
    """Return all texts that voters' pages say."""
    found = set()
    for path in (WEB / "pages").glob("*.py"):
        found |= set(said_in_python(path.read_text()))
    for path in (WEB / "templates").glob("*.html"):
        found |= set(said_in_template(path.read_text()))
    return found


def fields(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


def test_each_language_has_a_file_and_each_file_is_of_a_language():
    assert {path.stem for path in CATALOGUES.iterdir()} == set(OTHERS)
    assert len(LANGUAGES) == 12
    assert set(LANGUAGES) >= RIGHT_TO_LEFT == {"ar"}


@pytest.mark.parametrize("lang", OTHERS)
def test_no_text_of_a_voters_page_is_missing_in_any_language(lang):
    said = keys()
    assert len(said) > 60
    known = catalogue(lang)
    assert set(known) == said
    for key, text in known.items():
        assert text.strip(), key
        assert fields(text) == fields(key), key
        assert text != key or len(key) < 12, key  # names of things may be the same
    text = (CATALOGUES / f"{lang}.po").read_text()
    assert text.count("\nmsgid ") == len(known) + 1  # none twice, and the head


def test_a_text_goes_over_lines_and_may_have_quotes():
    assert read_catalogue('msgid ""\n"a \\"b\\""\nmsgstr "c\\n"\n"d"') == {'a "b"': "c\nd"}


@pytest.mark.parametrize(
    ("header", "lang"),
    [
        ("", "en"),
        ("de", "de"),
        ("pt-BR,pt;q=0.9,en;q=0.8", "pt"),
        ("en;q=0.5, ZH-hant", "zh"),
        ("xx, ar;q=0.1", "ar"),
        ("de;q=0, fr;q=0.2", "fr"),
        ("de;q=nan, ja;q=2, it;q=x", "en"),
        ("fr;q=0.7;level=1", "en"),
        (",;;q=,-", "en"),
        ("sv," * 10_000 + "de", "en"),
    ],
)
def test_the_browser_is_asked_what_it_likes_best(header, lang):
    assert preferred(header) == lang


class Marked(dict):
    """A language in which every text stands in brackets."""

    def get(self, text, default=None):
        return f"«{text}»"


def unmarked(answer, own=()):
    """Return the words on a page, also for readers, that are in no brackets."""
    text = re.sub(r"<script.*?</script>", " ", answer.text[answer.text.index("<title") :])
    attributes = re.findall(r'(?:aria-label|alt|title|placeholder|data-words)="([^"]*)"', text)
    text = " ".join([re.sub("<[^>]*>", " ", text), *attributes])
    text = html.unescape(html.unescape(text)).replace(r"\u00ab", "«").replace(r"\u00bb", "»")
    text = re.sub("«[^«»]*(«[^»]*»[^«»]*)*»", " ", text)
    text = re.sub(r'"(away|unsaved|kept|waiting|another)":', " ", text)
    for one in own:
        text = text.replace(one, " ")
    return re.findall("[A-Za-z]{2,}", re.sub(r"<kbd.*?</kbd>", " ", text))


OWN = ("Which is nicer?", "tea", "coffee", "milk", "mate")


def test_all_words_of_a_voters_page_come_from_catalogues(site, browser, monkeypatch):
    monkeypatch.setattr(words, "catalogue", lambda lang: Marked())
    page = browser.get("/drinks")
    assert unmarked(page, OWN) == []
    duel = duel_of(page)

    def vote(verdict, **more):
        answer = browser.post("/drinks/vote", data={"duel": duel, "verdict": verdict}, **more)
        assert "«" in answer.text
        return answer

    assert unmarked(vote("up"), OWN) == []
    with monkeypatch.context() as away:
        away.setattr(arena, "tell", _unavailable)
        assert unmarked(vote("left"), OWN) == []
    saved = vote("left")
    assert "«Saved" in saved.text
    assert unmarked(saved, OWN) == []
    assert unmarked(vote("right"), OWN) == []
    assert unmarked(browser.post("/drinks/undo", data={"duel": duel}), OWN) == []
    for verdict in ("tie", "bad", "skip"):
        duel = duel_of(browser.get("/drinks"))
        last = vote(verdict)
    assert "«Thank you!»" in last.text
    assert unmarked(last, OWN) == []
    assert unmarked(browser.get("/drinks/results"), OWN) == []
    arena.change_arena(site.service, "drinks", {"suggestions": True})
    assert unmarked(browser.get("/drinks/suggest"), OWN) == []
    for text in ("mate", "mate", "", "a", "b", "c"):
        answer = browser.post("/drinks/suggest", data={"text": text})
        assert "«" in answer.text
        assert unmarked(answer, OWN) == []
    assert unmarked(browser.get("/drinks/privacy"), OWN) == []
    arena.change_arena(site.service, "drinks", {"word": "tomato"})
    assert unmarked(browser.get("/drinks"), OWN) == []
    assert unmarked(browser.post("/drinks/word", data={"word": "no"}), OWN) == []
    arena.change_arena(site.service, "drinks", {"word": "", "invited": True})
    assert unmarked(browser.get("/drinks"), OWN) == []
    (ann,) = arena.invite(site.service, "drinks", ["Ann"])
    browser.get(f"/drinks/in/{ann.code}")
    page = browser.get("/drinks/privacy")
    assert "«You were invited" in page.text
    assert unmarked(page, OWN) == []
    arena.change_arms(site.service, "drinks", pause=["tea", "milk"])
    assert unmarked(browser.get("/drinks"), OWN) == []
    arena.change_arena(site.service, "drinks", {"status": "closed"})
    assert unmarked(browser.get("/drinks"), OWN) == []


def _unavailable(*arguments, **options):
    raise Unavailable("the disk is full")


def test_whatever_is_refused_is_said_in_the_language(monkeypatch):
    monkeypatch.setattr(words, "catalogue", lambda lang: Marked())
    say = Words("de").say
    for kind in ArenaError.__subclasses__():
        assert in_words(kind("the moon is full"), say).startswith("«")


@pytest.mark.parametrize(
    ("chosen", "header", "lang", "text"),
    [
        ("browser", "de-AT,en;q=0.5", "de", "Links ist besser"),
        ("browser", "sv", "en", "Left is better"),
        ("ar", "de", "ar", "الأيسر أفضل"),
        ("en", "de", "en", "Left is better"),
    ],
)
def test_the_browser_or_the_owner_chooses(tmp_path, chosen, header, lang, text):
    said = {"Accept-Language": header}
    with pages_of(tmp_path, settings={"language": chosen}) as site, site.browser(**said) as browser:
        page = browser.get("/drinks").text
        direction = "rtl" if lang == "ar" else "ltr"
        assert f'<html lang="{lang}" dir="{direction}">' in page
        assert text in page
        assert "Nichts" not in page


def test_who_mistypes_a_link_reads_so_in_their_language(site):
    with site.browser(**{"Accept-Language": "fr"}) as browser:
        page = browser.get("/nix")
        assert page.status_code == 404
        assert '<html lang="fr"' in page.text
        assert "Rien ici" in page.text
        assert '<p class="lead">Il n’y a pas de sondage à cette adresse.' in page.text
        english = browser.put("/nix")
        assert english.status_code == 405
        assert '<p class="lead" lang="en" dir="ltr">' in english.text


def test_times_keep_their_order_from_right_to_left():
    told = Words("ar").say("It begins: {when}.", when="2099-01-01 09:00 UTC")
    assert "\N{FIRST STRONG ISOLATE}2099-01-01 09:00 UTC\N{POP DIRECTIONAL ISOLATE}" in told
    assert Words("de").say("It begins: {when}.", when="9") == "Sie beginnt: 9."


def test_what_owners_read_is_english(site):
    with site.browser(**{"Accept-Language": "de"}) as browser:
        assert '<html lang="en" dir="ltr">' in browser.get("/drinks/owner").text
