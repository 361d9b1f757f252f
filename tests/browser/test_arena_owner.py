"""The owner's page in a browser: logging in, keeping up by itself, and what it looks like."""

from __future__ import annotations

import re
import time

import pytest

from driftduel.arena import service as arena
from driftduel.arena.crowd import DRINKS, Days, feed
from tests.arena.pages import pages_of
from tests.arena.voting import prefer, vote
from tests.browser.arenas import HOSTILE, PHONE, fits, is_accessible, picture, unfold

LOOK = 15_000
"""Milliseconds for which a test waits for what the page looks for every 3 seconds."""


@pytest.fixture
def site(tmp_path):
    with pages_of(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """A site whose voters changed their minds three days ago."""
    with pages_of(tmp_path_factory.mktemp("changed"), DRINKS.arms) as opened:
        feed(opened.service, DRINKS, Days(5, 3, 200, time.time_ns() // 1000), 1)
        yield opened


@pytest.fixture
def owned(visit):
    """Open the page of an owner who logs in; settings are those of the browser."""

    def opens(site, **settings):
        opened = visit(f"{site.address}/drinks/owner", **settings)
        log_in(opened.page, site.made.owner_token)
        opened.page.locator("#now").wait_for()
        opened.page.wait_for_load_state()
        return opened

    return opens


def log_in(page, token):
    page.get_by_label("Owner's key").fill(token)
    page.get_by_role("button", name="Log in").click()


def expect_words(page, part, words):
    page.wait_for_function(
        "([part, words]) => new RegExp(words).test(document.querySelector(part).innerText)",
        arg=[part, words],
        timeout=LOOK,
    )


def test_an_owner_logs_in_and_a_wrong_token_does_not(site, visit):
    opened = visit(f"{site.address}/drinks/owner")
    page = opened.page
    log_in(page, "owner_wrong")
    assert page.get_by_role("alert").inner_text() == "The token is not known."
    assert is_accessible(opened)
    log_in(page, site.made.owner_token)
    assert page.locator("#sentence").inner_text().strip() == "Nobody has voted yet."
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Log out").click()
    assert page.get_by_label("Owner's key").is_visible()


def test_another_site_cannot_act_for_the_owner(site, owned, tmp_path):
    page = owned(site).page
    here = site.address.replace("127.0.0.1", "localhost")
    page.route(
        f"{here}/evil",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<form method="post" action="{site.address}/drinks/owner/state">'
            '<input name="to" value="closed"><button>Win</button></form>',
        ),
    )
    page.goto(f"{here}/evil")
    with page.expect_response("**/owner/state") as answer:
        page.get_by_role("button").click()
    assert answer.value.status in (401, 403)
    assert arena.describe(site.service, "drinks").arena.status == "open"


@pytest.mark.parametrize(
    "settings",
    [{}, {"color_scheme": "dark"}, PHONE, {**PHONE, "color_scheme": "dark"}],
    ids=["light", "dark", "phone", "phone-dark"],
)
def test_after_a_change_the_page_shows_both_names_and_the_dates(changed, owned, settings):
    opened = owned(changed, **settings)
    page = opened.page
    words = " ".join(page.locator("#sentence").inner_text().split())
    assert re.search(r"Lemonade (is best|leads) since about \w+ \d\d:\d\d; Coffee was until", words)
    told = " ".join(page.locator("#timeline .happened").inner_text().split())
    assert re.search(
        r"Lemonade took over from Coffee between \w+ [\d:]+ and \w+ [\d:]+, noticed \w+ [\d:]+\.",
        told,
    )
    unfold(page, "What is noticed and proved, as a picture")
    bars = page.locator(".timeline [class^=led-]").evaluate_all(
        "(bars) => bars.map((bar) => bar.getBoundingClientRect().width)"
    )
    assert len(bars) == 2
    assert min(bars) > 30
    assert fits(page)
    assert is_accessible(opened)
    assert opened.complaints == []


def test_times_are_local_with_scripts_and_utc_without(changed, owned, visit):
    page = owned(changed, timezone_id="Asia/Tokyo").page
    assert page.locator("[data-zone]").inner_text() == "Asia/Tokyo"
    stamp = page.locator("#sentence time").first.get_attribute("datetime")
    hours = int(stamp[11:13])
    assert f"{(hours + 9) % 24:02}:{stamp[14:16]}" in page.locator("#sentence").inner_text()
    plain = owned(changed, java_script_enabled=False).page
    assert plain.locator("[data-zone]").inner_text() == "UTC"
    assert stamp[11:16] in plain.locator("#sentence").inner_text()
    assert plain.locator(".timeline [class^=led-]").count() == 2


def test_the_page_keeps_up_by_itself_without_reloading(site, owned):
    opened = owned(site)
    page = opened.page
    page.evaluate("window.same = true")
    prefer(site.service, "tea", 20)
    expect_words(page, "#sentence", "After 20 votes")
    assert page.locator("#arms").is_visible()
    prefer(site.service, "tea", 230)
    expect_words(page, "#sentence", r"tea\s+is best on average since the first vote")
    assert "tea is best" in " ".join(page.locator("#news").inner_text().split())
    assert page.evaluate("window.same")
    assert opened.complaints == []


def test_what_somebody_types_or_holds_is_not_disturbed(site, owned):
    page = owned(site).page
    unfold(page, "Options and cards")
    page.get_by_label("Names, one a line").fill("cocoa")
    button = page.get_by_role("button", name="Pause tea")
    button.focus()
    vote(site.service)
    arena.change_arms(site.service, "drinks", add=["mate"])
    expect_words(page, "#facts", "1 vote")
    assert page.get_by_label("Names, one a line").input_value() == "cocoa"
    assert button.evaluate("(one) => one === document.activeElement")
    assert "mate" not in page.locator("#offered").inner_text()
    button.blur()
    expect_words(page, "#options", "mate")


def test_a_server_that_is_away_is_said_and_found_again(site, owned):
    page = owned(site).page
    page.route("**/owner/now", lambda route: route.abort())
    expect_words(page, "#freshness", "cannot be reached")
    page.unroute("**/owner/now")
    vote(site.service)
    expect_words(page, "#facts", "1 vote")
    expect_words(page, "#freshness", "keeps up by itself")


def test_a_voter_is_excluded_and_included(site, owned):
    prefer(site.service, "tea", 3)
    for _ in range(30):
        vote(site.service, "left", "bot")
    page = owned(site).page
    assert "30 of 30 votes for the left card" in page.locator("#voters").inner_text()
    page.get_by_role("button", name="Exclude").click()
    page.get_by_role("button", name="Include").wait_for()
    assert "3 votes" in page.locator("#facts").inner_text()
    page.get_by_role("button", name="Include").click()
    page.get_by_role("button", name="Exclude").wait_for()
    assert "33 votes" in page.locator("#facts").inner_text()


def test_options_and_settings_change_without_scripts_and_nothing_typed_is_lost(site, owned):
    opened = owned(site, java_script_enabled=False)
    page = opened.page
    unfold(page, "Options and cards")
    page.get_by_label("Names, one a line").fill("cocoa\nmilk")
    page.get_by_role("button", name="Add").click()
    assert "Two arms would be called 'milk'." in page.locator("#add").inner_text()
    page.get_by_label("Names, one a line").fill("cocoa")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Pause milk").click()
    assert page.get_by_role("button", name="Resume milk").is_visible()
    page.get_by_role("link", name="cocoa").click()
    page.get_by_label("What people see").fill("Hot cocoa")
    page.get_by_role("button", name="Rename").click()
    assert page.get_by_role("heading", name="Hot cocoa").is_visible()
    page.get_by_label("Image", exact=True).check()
    image = {"name": "c.png", "mimeType": "image/png", "buffer": picture(90, 50, 20)}
    page.get_by_label("Image: PNG").set_input_files(image)
    page.get_by_role("button", name="Save the card").click()
    assert page.locator("img.preview").evaluate("(one) => one.naturalWidth") == 320
    page.get_by_role("link", name="Back to the poll").click()
    unfold(page, "Settings")
    page.get_by_label("Public results").check()
    page.get_by_label("Votes of a voter that count").fill("20")
    page.get_by_role("button", name="Save settings").click()
    found = arena.describe(site.service, "drinks").arena.settings
    assert (found.public, found.cap) == (True, 20)


def test_the_page_of_an_option_is_accessible_and_fits_a_phone(site, owned):
    opened = owned(site, **PHONE)
    unfold(opened.page, "Options and cards")
    opened.page.get_by_role("link", name="tea").click()
    assert opened.page.get_by_role("heading", name="tea").is_visible()
    assert is_accessible(opened)
    assert fits(opened.page)


def test_results_are_public_when_the_owner_says_so(site, owned, visit):
    results = f"{site.address}/drinks/results"
    page = owned(site).page
    prefer(site.service, "tea", 60)
    assert "when voting is over" in visit(results).page.locator("main").inner_text()
    unfold(page, "Settings")
    page.get_by_label("Public results").check()
    page.get_by_role("button", name="Save settings").click()
    seen = visit(results)
    assert "tea" in seen.page.locator(".hero").inner_text()
    assert is_accessible(seen)


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desk", "phone"])
def test_a_hostile_name_stays_text_and_long_ones_fit(tmp_path, owned, settings):
    names = [HOSTILE, "B" * 150, *(f"Option {n}: {'a long story ' * 6}".strip() for n in range(10))]
    with pages_of(tmp_path, names) as site:
        for n in range(120):
            vote(site.service, "left" if n % 2 else "right", f"voter {n % 9}")
        arena.change_arms(site.service, "drinks", pause=[names[4]])
        opened = owned(site, **settings)
        page = opened.page
        assert HOSTILE in page.locator("#arms").inner_text()
        assert page.evaluate("window.hacked") is None
        titles = page.locator(".fold > summary h2").all_inner_texts()
        unfold(page, *titles)
        assert len(titles) >= 5
        assert fits(page)
        assert is_accessible(opened)
        assert opened.complaints == []


def test_a_token_is_made_and_shown_once(site, owned):
    page = owned(site).page
    unfold(page, "Secret links and keys")
    page.get_by_label("For", exact=True).select_option("read")
    page.get_by_label("Label").fill("dashboard")
    page.get_by_role("button", name="Make one").click()
    link = page.locator("#made code").inner_text()
    token = link.partition("/drinks/owner#")[2]
    assert page.locator("#made").evaluate("(one) => one.getBoundingClientRect().top < innerHeight")
    headers = {"Authorization": f"Bearer {token}"}
    assert site.api.get("/arenas/drinks/health", headers=headers).status_code == 200
    page.goto(f"{site.address}/drinks/owner#tokens")  # the place in the address unfolds it
    assert "dashboard" in page.locator("#tokens").inner_text()
    assert token not in page.content()
