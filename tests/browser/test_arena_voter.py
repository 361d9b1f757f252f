"""People vote: with keys, on a phone, without scripts, twice at once, and while the server dies."""

from __future__ import annotations

import re
import signal

import pytest

from driftduel.arena import service as arena
from driftduel.arena.languages import LANGUAGES
from driftduel.arena.model import Card
from tests.arena.pages import pages_of
from tests.arena.serving import ServerProcess
from tests.browser.arenas import HOSTILE, PHONE, another_site, fits, is_accessible, picture

GLANCE = 450
"""Milliseconds after which an answer is no double click."""


ENDLESS = {"repeat": True}
"""Settings by which a voter is asked more than there are pairs."""


@pytest.fixture
def site(tmp_path):
    with pages_of(tmp_path, settings=ENDLESS) as opened:
        yield opened


def status(site):
    return arena.status(site.service, "drinks")


def sides(site):
    now = status(site)
    return now.left, now.right, now.neither


def press(page, key):
    """Answer by a key, and wait until that is saved and the next pair is there."""
    duel = page.locator("#vote [name=duel]").input_value()
    page.wait_for_timeout(GLANCE)
    page.keyboard.press(key)
    page.wait_for_function(
        "(duel) => document.querySelector('#vote [name=duel]').value !== duel", arg=duel
    )
    page.locator("#vote[aria-busy=false]").wait_for()


def count(page):
    return re.search(r"answered (\d+)", page.locator("#tally").inner_text())[1]


def wait_for_count(page, n):
    page.wait_for_function(
        "(n) => document.getElementById('tally').textContent.includes(`answered ${n}.`)", arg=n
    )


def test_every_answer_has_a_key(site, visit):
    opened = visit(f"{site.address}/drinks")
    page = opened.page
    expected = [
        ("ArrowLeft", (1, 0, 0), "Saved: .* over .*"),
        ("ArrowRight", (1, 1, 0), "Saved: .* over .*"),
        ("t", (1, 1, 1), "Saved: .* are equal"),
        ("B", (1, 1, 2), "Saved: .* are both bad"),
        ("s", (1, 1, 2), "Skipped."),
    ]
    for key, counts, words in expected:
        press(page, key)
        assert sides(site) == counts
        assert re.search(words, page.locator("#said").inner_text())
    assert count(page) == "4"
    assert sum(arm.skipped for arm in status(site).arms) == 2
    page.wait_for_timeout(GLANCE)
    page.keyboard.press("Control+ArrowLeft")
    page.keyboard.press("x")
    assert sides(site) == (1, 1, 2)
    loads = [address for address in opened.requests if address.endswith("/drinks")]
    assert len(loads) == 1  # the next pair came with the answer
    assert opened.complaints == []


def test_a_vote_by_a_button_says_who_was_preferred(site, visit):
    page = visit(f"{site.address}/drinks").page
    left, right = (page.locator(f"#{side}").inner_text() for side in ("left", "right"))
    page.wait_for_timeout(GLANCE)
    page.get_by_role("button", name="Right is better").click()
    page.get_by_text(f"Saved: {right} over {left}.").wait_for()
    assert sides(site) == (0, 1, 0)
    assert page.locator("#tally").inner_text() == "You have answered 1."


def test_a_double_click_counts_once(site, visit):
    page = visit(f"{site.address}/drinks").page
    page.wait_for_timeout(GLANCE)
    button = page.get_by_role("button", name="Left is better")
    button.dblclick()
    page.get_by_text("Saved: ").wait_for()
    assert status(site).votes == 1
    page.wait_for_timeout(GLANCE)
    button.click(click_count=3, delay=5)
    wait_for_count(page, 2)
    assert status(site).votes == 2


def test_a_double_click_without_scripts_counts_once(site, visit):
    page = visit(f"{site.address}/drinks", java_script_enabled=False).page
    page.get_by_role("button", name="Left is better").dblclick()
    page.get_by_text("Saved: ").wait_for()
    assert status(site).votes == 1


def test_without_scripts_forms_vote_and_take_back(site, visit):
    opened = visit(f"{site.address}/drinks", java_script_enabled=False)
    page = opened.page
    for n, name in enumerate(["Left is better", "Right is better", "Equal", "Both bad", "Skip"]):
        page.get_by_role("button", name=name).click()
        page.get_by_text("Skipped." if name == "Skip" else "Saved: ").wait_for()
        assert page.url == f"{site.address}/drinks"
        assert count(page) == str(min(n + 1, 4))
    assert sides(site) == (1, 1, 2)
    page.get_by_role("button", name="Equal").click()
    assert count(page) == "5"
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Taken back").wait_for()
    assert count(page) == "4"
    assert sides(site) == (1, 1, 2)
    assert opened.complaints == []


def pair(page):
    return [page.locator(f"#{side}").inner_text() for side in ("left", "right")]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_vote_can_be_taken_back_and_its_pair_comes_back(tmp_path, visit, scripts):
    with pages_of(tmp_path) as site:
        page = visit(f"{site.address}/drinks", java_script_enabled=scripts).page
        for n in range(3):  # the last of all pairs is followed by the page that says thank you
            shown = pair(page)
            for name in ("Left is better", "Right is better"):
                page.wait_for_timeout(GLANCE)
                page.get_by_role("button", name=name).click()
                page.get_by_text("Saved: ").wait_for()
                if n == 2:
                    page.get_by_role("heading", name="Thank you!").wait_for()
                if name == "Left is better":
                    page.get_by_role("button", name="Undo").click()
                    page.get_by_text("Taken back: that vote does not count.").wait_for()
                    assert count(page) == str(n)
                    assert pair(page) == shown
                    assert page.get_by_role("button", name="Undo").count() == 0
            assert sides(site) == (0, n + 1, 0)


def test_no_pair_comes_twice_and_then_the_page_says_thank_you(tmp_path, visit):
    with pages_of(tmp_path, ["tea", "coffee", "milk", "mate"]) as site:
        opened = visit(f"{site.address}/drinks")
        page = opened.page
        seen = set()
        for n in range(6):
            assert f"To go: {6 - n}." in page.locator("#tally").inner_text()
            seen.add(frozenset(pair(page)))
            if n < 5:
                press(page, "s" if n % 2 else "ArrowLeft")
        assert len(seen) == 6
        page.wait_for_timeout(GLANCE)
        page.keyboard.press("ArrowRight")
        page.get_by_role("heading", name="Thank you!").wait_for()
        assert "You have answered 4." in page.locator("main").inner_text()
        assert page.get_by_role("link", name="See the results").count() == 0
        assert is_accessible(opened)
        page.reload()
        page.get_by_role("heading", name="Thank you!").wait_for()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_card_is_a_button(site, visit, scripts):
    page = visit(f"{site.address}/drinks", java_script_enabled=scripts).page
    left, right = pair(page)
    page.wait_for_timeout(GLANCE)
    page.locator("#right").click(position={"x": 30, "y": 20})
    page.get_by_text(f"Saved: {right} over {left}.").wait_for()
    assert sides(site) == (0, 1, 0)
    page.wait_for_timeout(GLANCE)
    page.locator("#left").click()
    wait_for_count(page, 2)
    assert sides(site) == (1, 1, 0)


def test_a_link_in_a_card_is_a_link(tmp_path, visit):
    with pages_of(tmp_path, ["A", "B"]) as site:
        for name in "AB":
            card = Card("markdown", "See [more](https://example.org/) of this.")
            arena.set_card(site.service, "drinks", name, card, "one")
        opened = visit(f"{site.address}/drinks")
        opened.page.wait_for_timeout(GLANCE)
        with opened.page.expect_popup() as other:
            opened.page.locator("#left a").click()
        assert other.value.url.startswith(("https://example.org", "chrome-error:"))
        assert status(site).votes == 0
        assert is_accessible(opened)


@pytest.mark.parametrize("percent", [100, 200, 400])
def test_nothing_hides_an_option_on_a_magnified_page(tmp_path, visit, percent):
    """A browser that magnifies shows a window of so many points less."""
    arms = ["A walk in the rain along the river", "Soup", "C" * 190]
    with pages_of(tmp_path, arms) as site:
        size = {"width": 1280 * 100 // percent, "height": 1024 * 100 // percent}
        page = visit(f"{site.address}/drinks", viewport=size).page
        assert fits(page)
        for side in ("left", "right"):
            page.locator(f"#{side}").scroll_into_view_if_needed()
            page.evaluate(f"document.getElementById('{side}').scrollIntoView()")
            covered = """(side) => {
                const box = document.getElementById(side).getBoundingClientRect();
                const at = [box.x + box.width / 2, box.y + Math.min(box.height, 60) / 2];
                return document.elementFromPoint(...at)?.closest("section")?.id !== side;
            }"""
            assert not page.evaluate(covered, side)
        for button in page.locator("#vote button").all():
            button.scroll_into_view_if_needed()
            button.click(trial=True)


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desktop", "phone"])
def test_buttons_do_not_move_from_pair_to_pair(tmp_path, visit, settings):
    arms = ["Tea", "Coffee with milk, sugar and whatever else there is in the kitchen", "x" * 190]
    with pages_of(tmp_path, arms, ENDLESS) as site:
        page = visit(f"{site.address}/drinks", **settings).page
        places, shown = set(), set()
        for _ in range(6):
            boxes = [button.bounding_box() for button in page.locator("#vote button").all()]
            places.add(tuple((round(box["x"]), round(box["y"])) for box in boxes))
            shown.add(frozenset(pair(page)))
            press(page, "ArrowLeft")
        assert len(shown) == 3
        assert len(places) == 1


def test_two_cards_have_one_size_of_type(tmp_path, visit):
    with pages_of(tmp_path, ["Tea", "Coffee " * 20], ENDLESS) as site:
        page = visit(f"{site.address}/drinks").page
        size = "(texts) => texts.map((one) => getComputedStyle(one).fontSize)"
        sizes = page.locator(".card .text").evaluate_all(size)
        assert len(sizes) == 2
        assert len(set(sizes)) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_fits_a_phone_and_is_accessible(tmp_path, visit, lang):
    with pages_of(tmp_path, settings={"suggestions": True}) as site:
        opened = visit(f"{site.address}/drinks", **PHONE, locale=lang)
        page = opened.page
        assert page.locator("html").get_attribute("lang") == lang
        assert fits(page)
        left, right = (page.locator(f"#{side}").bounding_box() for side in ("left", "right"))
        buttons = [button.bounding_box() for button in page.locator("#vote .picks button").all()]
        assert left["y"] < right["y"]
        assert buttons[0]["y"] < buttons[1]["y"]  # stacked as the cards are
        page.set_viewport_size({"width": 1100, "height": 800})
        left, right = (page.locator(f"#{side}").bounding_box() for side in ("left", "right"))
        buttons = [button.bounding_box() for button in page.locator("#vote .picks button").all()]
        assert left["x"] < right["x"]  # also where lines begin on the right
        assert buttons[0]["x"] < buttons[1]["x"]
        for key in ("ArrowLeft", "t"):
            press(page, key)
        assert is_accessible(opened)
        page.wait_for_timeout(GLANCE)
        page.keyboard.press("s")
        page.locator("body.calm").wait_for()
        page.goto(f"{site.address}/drinks/suggest")
        page.locator("#text").fill("mate")
        page.locator("main button").click()
        page.locator(".notice.good").wait_for()
        assert fits(page)
        assert is_accessible(opened)
        assert opened.complaints == []


def test_the_page_is_small_and_the_first_pair_is_in_it(site, visit):
    opened = visit("about:blank")
    sizes = {}
    opened.page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}))
    opened.page.goto(f"{site.address}/drinks", wait_until="networkidle")
    assert {address.rpartition("/")[2].partition("?")[0] for address in sizes} <= {
        "drinks", "arena.css", "voter.js", "icon.svg",
    }  # fmt: skip
    assert sum(sizes.values()) < 60_000
    assert opened.page.locator("#left").inner_text()


def test_to_take_back_is_offered_for_a_minute(site, visit, chromium):
    page = chromium.new_context().new_page()
    page.clock.install()
    page.goto(f"{site.address}/drinks")
    page.clock.run_for(GLANCE)
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Undo").wait_for()
    page.clock.run_for(61_000)
    page.get_by_role("button", name="Undo").wait_for(state="detached")
    assert "Saved: " in page.locator("#said").inner_text()
    page.context.close()


def test_on_a_phone_cards_are_stacked_and_buttons_at_the_bottom(site, visit):
    opened = visit(f"{site.address}/drinks", **PHONE)
    page = opened.page
    left, right = (page.locator(f"#{side}").bounding_box() for side in ("left", "right"))
    assert left["x"] == right["x"]
    assert left["y"] + left["height"] <= right["y"]
    bar = page.locator(".dock").bounding_box()
    assert bar["y"] + bar["height"] == 640
    for button in page.locator("#vote button").all():
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 640
    assert fits(page)
    page.wait_for_timeout(GLANCE)
    page.get_by_role("button", name="Upper is better").tap()
    page.get_by_text("Saved: ").wait_for()
    assert sides(site) == (1, 0, 0)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    right, bar = (page.locator(name).bounding_box() for name in ("#right", ".dock"))
    assert right["y"] + right["height"] <= bar["y"]  # nothing hides behind the buttons
    assert is_accessible(opened)


def test_long_cards_do_not_scroll_sideways(tmp_path, visit):
    arms = [f"{letter * 150} {HOSTILE}" for letter in "ab"]
    with pages_of(tmp_path, arms, ENDLESS) as site:
        code = "```\n" + "x" * 500 + "\n```\n\n| a | b |\n|---|---|\n| " + "y" * 300 + " | z |"
        for arm in arms:
            arena.set_card(site.service, "drinks", arm, Card("markdown", code), "long")
        opened = visit(f"{site.address}/drinks", **PHONE)
        page = opened.page
        assert page.locator(".prose pre").count() == 2
        assert fits(page)
        assert is_accessible(opened)
        for arm in arms:
            arena.set_card(site.service, "drinks", arm, None, "long")
        arena.change_arena(site.service, "drinks", {"question": "w" * 2_000})
        page.goto(f"{site.address}/drinks")
        assert fits(page)
        press(page, "ArrowLeft")
        assert fits(page)


def test_a_label_that_looks_like_markup_is_text(tmp_path, visit):
    with pages_of(tmp_path, [f"a {HOSTILE}", f"b {HOSTILE}"], ENDLESS) as site:
        texts = {"question": HOSTILE, "title": HOSTILE}
        arena.change_arena(site.service, "drinks", texts)
        opened = visit(f"{site.address}/drinks")
        press(opened.page, "ArrowLeft")
        assert opened.page.locator("#said").inner_text().count(HOSTILE) == 2
        for kind in ("text", "markdown"):
            for arm in "ab":
                card = Card(kind, f"{HOSTILE} [x](javascript:window.hacked=1) ![]({HOSTILE})")
                arena.set_card(site.service, "drinks", f"{arm} {HOSTILE}", card, HOSTILE)
            press(opened.page, "ArrowLeft")
            press(opened.page, "ArrowLeft")  # the pair after the change
            assert HOSTILE in opened.page.locator("#right").inner_text()
            assert opened.page.locator("#context").inner_text() == HOSTILE
        assert opened.page.locator("img, #right a").count() == 0
        assert opened.page.evaluate("window.hacked") is None
        assert opened.complaints == []


def test_arms_can_be_images_and_are_blind(tmp_path, visit):
    names = ["Alpha", "Beta"]
    with pages_of(tmp_path, names, {**ENDLESS, "reveal": True}) as site:
        for n, name in enumerate(names):
            image = picture(200 * n, 80, 120)
            arena.set_card(site.service, "drinks", name, Card("image", ""), image=image)
        opened = visit("about:blank")
        answers = []
        opened.page.on("response", lambda answer: answers.append((answer.url, answer)))
        opened.page.goto(f"{site.address}/drinks")
        widths = "[...document.querySelectorAll('.card img')].map((one) => one.naturalWidth)"
        assert opened.page.evaluate(widths) == [320, 320]
        assert len(answers) > 4
        for address, answer in answers:
            told = f"{address} {answer.all_headers()} {answer.body()!r}"
            assert not re.search("alpha|beta", told, re.IGNORECASE), address
        press(opened.page, "ArrowLeft")
        assert opened.page.evaluate(widths) == [320, 320]
        assert "Alpha" in opened.page.locator("#said").inner_text()
        for side in ("left", "right"):
            assert "lpha" not in opened.page.locator(f"#{side}").inner_html()
        assert is_accessible(opened)


def test_dark_pages_are_dark_and_readable(site, visit):
    for scheme, dark in [("light", False), ("dark", True)]:
        opened = visit(f"{site.address}/drinks", color_scheme=scheme)
        press(opened.page, "ArrowLeft")
        ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == dark
        assert is_accessible(opened)


def test_a_screen_reader_finds_its_way(site, visit):
    page = visit(f"{site.address}/drinks").page
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("heading", level=1, name="Which is nicer?").count() == 1
    for name in ("First option", "Second option"):
        assert page.get_by_role("region", name=name).count() == 1
    assert page.get_by_role("form", name="Your answer").count() == 1
    assert page.get_by_role("status").get_attribute("aria-live") == "polite"
    order = []
    for _ in range(7):
        page.keyboard.press("Tab")
        focused = "document.activeElement.value ?? document.activeElement.innerText"
        order.append(page.evaluate(focused))
    assert order == ["To the content", "Privacy", "left", "right", "tie", "bad", "skip"]
    page.wait_for_timeout(GLANCE)
    page.keyboard.press("Enter")  # on Skip, the last
    page.get_by_text("Skipped.").wait_for()
    assert page.evaluate("document.activeElement.value") == "skip"  # the focus stays


def test_a_server_that_dies_in_the_middle_of_a_vote(tmp_path, visit):
    url = f"sqlite:{tmp_path}/arena.db"
    server = ServerProcess(url)
    opened = visit(f"{server.address}/drinks")
    page = opened.page
    press(page, "ArrowLeft")
    duel = page.locator("#vote [name=duel]").input_value()
    shown = page.locator("#left").inner_html()
    # The answer to the verdict is lost after it was saved, and then the server is killed.
    page.route("**/vote", lambda route: (route.fetch(), route.abort()), times=1)
    page.wait_for_timeout(GLANCE)
    page.keyboard.press("ArrowRight")
    page.get_by_text("The server cannot be reached. Not saved yet; trying again…").wait_for()
    server.end(signal.SIGKILL)
    page.wait_for_timeout(1_500)
    page.keyboard.press("ArrowLeft")  # nothing else can be said meanwhile
    assert page.locator("#vote [name=duel]").input_value() == duel
    assert page.locator("#left").inner_html() == shown
    assert count(page) == "1"
    assert "Not saved yet" in page.locator("#said").inner_text()
    port = server.address.rpartition(":")[2]
    server = ServerProcess(url, port=port)
    page.get_by_text("Saved: ").wait_for(timeout=60_000)
    assert count(page) == "2"
    page.wait_for_timeout(GLANCE)
    page.keyboard.press("t")
    page.get_by_text("You have answered 3.").wait_for()
    server.end()
    with arena.Service.open(url) as service:
        now = arena.status(service, "drinks")
    assert (now.left, now.right, now.neither) == (1, 1, 1)


def test_a_pair_that_expired_is_replaced_and_a_closed_arena_says_so(tmp_path, visit):
    with pages_of(tmp_path, settings={"expire": 1}) as site:
        page = visit(f"{site.address}/drinks").page
        page.wait_for_timeout(1_500)
        page.keyboard.press("ArrowLeft")
        page.get_by_text("This pair is too old. Here is a new one.").wait_for()
        page.locator("#vote[aria-busy=false]").wait_for()
        press(page, "ArrowLeft")
        assert status(site).votes == 1
        arena.change_arena(site.service, "drinks", {"status": "closed"})
        page.wait_for_timeout(GLANCE)
        page.keyboard.press("ArrowLeft")
        page.get_by_role("heading", name="Voting is over").wait_for()
        assert status(site).votes == 1


@pytest.mark.parametrize("scripts", [True, False])
def test_people_vote_in_a_frame_of_a_site_that_may_embed(tmp_path, visit, scripts):
    with another_site() as other, pages_of(tmp_path, settings={"origins": [other.origin]}) as site:
        other.body = f"<iframe src='{site.address}/drinks' width=900 height=700></iframe>"
        page = visit(other.origin, java_script_enabled=scripts).page
        frame = page.frame_locator("iframe")
        for n in (1, 2):
            frame.get_by_role("heading", name="Which is nicer?").wait_for()
            page.wait_for_timeout(GLANCE)
            frame.get_by_role("button", name="Left is better").click()
            frame.get_by_text(f"You have answered {n}.").wait_for()
        frame.get_by_role("button", name="Undo").click()
        frame.get_by_text("Taken back").wait_for()
        assert sides(site) == (1, 0, 0)


def test_no_other_site_shows_the_page_in_a_frame(site, visit):
    with another_site(f"<iframe src='{site.address}/drinks'></iframe>") as other:
        opened = visit(other.origin)
        assert opened.page.frame_locator("iframe").get_by_role("heading").count() == 0
        assert any("frame-ancestors" in words for words in opened.complaints)
