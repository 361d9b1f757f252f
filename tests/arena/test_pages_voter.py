"""The voter's page as plain forms: what is saved, what is refused, and what nobody is told."""

from __future__ import annotations

import base64
import time

import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Unavailable
from driftduel.arena.model import Card
from driftduel.arena.service.markdown import html_of_markdown
from tests.arena.pages import duel_of, pages_of, words_of


def vote(browser, verdict="left", duel=None, **options):
    sent = {"duel": duel or duel_of(browser.get("/drinks")), "verdict": verdict}
    return browser.post("/drinks/vote", data=sent, **options)


def votes(site):
    return arena.status(site.service, "drinks").votes


def test_a_vote_leads_back_to_the_page_with_another_pair(site, browser):
    first = duel_of(browser.get("/drinks"))
    answer = vote(browser, "left", first, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/drinks")
    page = browser.get("/drinks")
    assert duel_of(page) != first
    assert "You have answered 1. To go: 2." in words_of(page)
    assert "Saved: " in words_of(page)
    assert votes(site) == 1


def test_the_same_form_twice_counts_once_and_another_answer_is_refused(site, browser):
    duel = duel_of(browser.get("/drinks"))
    assert "You have answered 1." in words_of(vote(browser, "left", duel))
    assert "You have answered 1." in words_of(vote(browser, "left", duel))
    other = vote(browser, "right", duel)
    assert other.status_code == 409
    assert "You have answered this pair already. Go on with another pair" in words_of(other)
    assert votes(site) == 1


def test_scripts_get_the_next_pair_with_the_answer(site, browser):
    script = {"Accept": "application/json"}
    answer = vote(browser, "tie", headers=script).json()
    assert set(answer) == {"notice", "next", "tally"}
    assert answer["tally"] == "You have answered 1. To go: 2."
    assert "are equal" in answer["notice"]
    assert set(answer["next"]) == {"duel", "left", "right", "context"}
    again = vote(browser, "right", answer["next"]["duel"], headers=script).json()
    assert again["tally"] == "You have answered 2. To go: 1."
    undone = browser.post("/drinks/undo", data={"duel": answer["next"]["duel"]}, headers=script)
    assert undone.json()["tally"] == "You have answered 1. To go: 2."
    shown = undone.json()["next"]  # the same pair, as a question of its own
    assert shown["duel"] != answer["next"]["duel"]
    assert {**shown, "duel": ""} == {**answer["next"], "duel": ""}
    refused = vote(browser, "right", "nix", headers=script)
    assert (refused.status_code, refused.json()["detail"]) == (
        404,
        "This pair was not shown in this browser.",
    )


def test_a_verdict_is_taken_back_within_a_minute(site, browser, monkeypatch):
    from driftduel.arena.service import votes as telling

    duel = duel_of(browser.get("/drinks"))
    vote(browser, "left", duel)
    monkeypatch.setattr(telling, "UNDO", -1)
    late = browser.post("/drinks/undo", data={"duel": duel})
    assert "An answer can be taken back for 60 seconds." in words_of(late)
    monkeypatch.undo()
    page = browser.post("/drinks/undo", data={"duel": duel})
    assert "Taken back: that vote does not count." in words_of(page)
    assert "You have answered 0. To go: 3." in words_of(page)
    assert votes(site) == 0


def test_a_duel_is_for_the_browser_that_it_was_shown_in(site, browser):
    duel = duel_of(browser.get("/drinks"))
    with site.browser() as other:
        assert "keeps no cookies" in words_of(vote(other, "left", duel))
        other.get("/drinks")
        answer = vote(other, "left", duel)
        assert answer.status_code == 403
        assert "not shown in this browser" in words_of(answer)
        undone = other.post("/drinks/undo", data={"duel": duel})
        assert "not shown in this browser" in words_of(undone)
    assert votes(site) == 0


def test_what_makes_no_sense_is_refused_in_a_sentence(site, browser):
    shown = duel_of(browser.get("/drinks"))
    for duel, verdict, status in [
        (shown, "up", 422),
        (shown, "", 422),
        ("a" * 22, "left", 404),
        ("<b>", "left", 404),
    ]:
        answer = vote(browser, verdict, duel)
        assert answer.status_code == status
        assert "Go on with another pair" in words_of(answer)
        assert "<b>" not in answer.text
    arena.change_arena(site.service, "drinks", {"ties": False})
    assert vote(browser, "tie").status_code == 422
    assert 'value="tie"' not in browser.get("/drinks").text


def test_a_vote_that_could_not_be_saved_can_be_sent_again(site, browser, monkeypatch):
    duel = duel_of(browser.get("/drinks"))

    def broken(*arguments, **options):
        raise Unavailable("the database cannot be reached")

    monkeypatch.setattr(arena, "tell", broken)
    answer = vote(browser, "right", duel)
    assert answer.status_code == 503
    assert "Not saved yet The server cannot be reached. Try again" in words_of(answer)
    assert f'name="duel" value="{duel}"' in answer.text
    assert 'name="verdict" value="right"' in answer.text
    monkeypatch.undo()
    assert "Saved: " in words_of(vote(browser, "right", duel))


@pytest.mark.parametrize(
    "said", ["5", "null", "[1, 2, 3]", "{}", "[" * 1_000, '["<b>", "<i>"]', '["", "\\ud800"]']
)
def test_what_a_browser_says_was_said_is_not_believed(site, browser, said):
    value = base64.urlsafe_b64encode(said.encode()).decode()
    answer = browser.get("/drinks", headers={"Cookie": f"said={value}"})
    assert answer.status_code == 200
    assert "<i>" not in answer.text


def test_a_pair_that_expired_is_said_so(tmp_path):
    with pages_of(tmp_path, settings={"expire": 1}) as site, site.browser() as browser:
        duel = duel_of(browser.get("/drinks"))
        time.sleep(1.1)
        answer = vote(browser, "left", duel)
        assert answer.status_code == 410
        assert "This pair is too old. Go on with another pair" in words_of(answer)


def test_an_arena_that_asks_nothing_says_why(site, browser):
    shown = duel_of(browser.get("/drinks"))
    arena.change_arms(site.service, "drinks", pause=["tea", "milk"])
    page = browser.get("/drinks")
    assert page.status_code == 409
    assert "There must be two options at least" in words_of(page)
    arena.change_arena(site.service, "drinks", {"status": "closed"})
    assert "this poll is closed" in words_of(browser.get("/drinks"))
    assert "This poll is closed." in words_of(vote(browser, "left", shown))


def test_who_asks_too_often_is_told_to_wait(tmp_path):
    proxy = {"X-Forwarded-For": "203.0.113.9"}
    rules = {"rate": 0.25, "behind_proxy": True}
    with pages_of(tmp_path, **rules) as site, site.browser(**proxy) as browser:
        assert browser.get("/drinks").status_code == 200
        answer = browser.get("/drinks")
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert "One moment Too many requests" in words_of(answer)


def test_a_voter_over_the_cap_is_told_so(tmp_path):
    with pages_of(tmp_path, settings={"cap": 1}) as site, site.browser() as browser:
        late = duel_of(browser.get("/drinks"))
        first = vote(browser)
        assert "Thank you!" in words_of(first)
        assert "Saved: " in words_of(first)
        assert "You have answered everything for today." in words_of(first)
        told = vote(browser, "left", late)
        assert "Kept, but not counted, as your share of today is used up" in words_of(told)
        assert votes(site) == 1


def test_a_blind_arena_names_no_arm_before_the_verdict(tmp_path):
    names = ["Alpha", "Beta", "Gamma"]
    with pages_of(tmp_path, names) as site, site.browser() as browser:
        for name in names:
            arena.set_card(site.service, "drinks", name, Card("text", "A card."), "one")
        for _ in range(5):
            answer = browser.get("/drinks")
            told = f"{answer.headers} {answer.text}".lower()
            assert not any(name.lower() in told for name in names)
        assert "Saved: the left card over the right card." in words_of(vote(browser))
        arena.change_arena(site.service, "drinks", {"reveal": True})
        told = words_of(vote(browser))
        assert any(name in told for name in names)


def test_an_arena_that_is_not_blind_shows_names_beside_cards(tmp_path):
    with pages_of(tmp_path, ["A", "B"], {"blind": False}) as site, site.browser() as browser:
        for name in "AB":
            arena.set_card(site.service, "drinks", name, Card("text", f"Card of {name}"), "one")
        assert browser.get("/drinks").text.count('<p class="name"') == 2


def test_markdown_is_shown_without_its_html_and_links_to_https_alone(tmp_path):
    card = "**bold** <script>x</script> [a](https://example.org) [b](javascript:x) ![c](https://x)"
    with pages_of(tmp_path, ["A", "B"]) as site, site.browser() as browser:
        for name in "AB":
            arena.set_card(site.service, "drinks", name, Card("markdown", card), "one")
        text = browser.get("/drinks").text
        assert text.count("<strong>bold</strong> &lt;script&gt;x&lt;/script&gt;") == 2
        link = '<a href="https://example.org" rel="noopener noreferrer nofollow" target="_blank">'
        assert text.count(link) == 2
        assert "javascript:" not in text.replace("[b](javascript:x)", "")
        assert "<img" not in text


@pytest.mark.parametrize(
    "text",
    [
        "[a]: https://example.org/" + "x" * 30_000 + "\n" + "[a] " * 8_800,
        "|" + "a|" * 90 + "\n|" + "-|" * 90 + "\n" + "|b\n" * 200,
        "&" * 65_536,
    ],
)
def test_a_card_is_not_much_longer_as_html(text):
    assert len(html_of_markdown(text[:65_536])) < 16 * 65_536
