"""Every page of the arena, in every language, light and dark, on desktop and phone: all can use it.

One server and one browser serve all of it; what takes time is axe-core.
"""

from __future__ import annotations

import time

import pytest

from driftduel.arena import service as arena
from driftduel.arena.crowd import DRINKS, Days, feed
from driftduel.arena.languages import LANGUAGES
from tests.arena.images import png
from tests.arena.pages import pages_of
from tests.arena.posting import taking
from tests.arena.voting import prefer
from tests.browser.arenas import PHONE, fits, is_accessible, unfold

POLLS = {
    "closed": {"status": "closed"},
    "later": {"opens": "2099-01-01 09:00 UTC"},
    "word": {"word": "tomato"},
    "guests": {"invited": True},
    "done": {},
}
"""Polls whose voters' page is not a pair, and why."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with a poll whose voters changed their minds, and others that are not open to all."""
    settings = {"public": True, "suggestions": True, "privacy": "Ask ann@example.org.\n\nTea."}
    with pages_of(tmp_path_factory.mktemp("all"), DRINKS.arms, settings) as opened:
        service = opened.service
        feed(service, DRINKS, Days(5, 3, 200, time.time_ns() // 1000), 1)
        arena.suggest(service, "drinks", "ann", "Mate")
        arena.set_logo(service, "drinks", png(40, 20))
        arena.change_arena(service, "drinks", {"colour": "#7a1fa2"})
        for slug, changes in POLLS.items():
            arena.create_arena(service, slug, "Which is nicer?", ["tea", "coffee"])
            arena.change_arena(service, slug, changes)
        yield opened


@pytest.mark.parametrize("lang", LANGUAGES)
def test_axe_finds_nothing_serious_on_any_page_for_voters(site, visit, lang):
    place = [*LANGUAGES].index(lang)
    scheme = {"color_scheme": "dark" if place % 2 else "light"}
    opened = visit(
        f"{site.address}/done", locale=lang, **scheme, **(PHONE if place % 3 == 1 else {})
    )
    page = opened.page
    page.wait_for_timeout(450)
    page.locator("#vote button[value=left]").click()
    page.locator("#said form, #said button").first.wait_for()
    paths = ["/drinks", "/drinks/privacy", "/drinks/suggest", "/nothing"]
    seen = set()
    for path in [*paths, *(f"/{slug}" for slug in POLLS)]:
        page.goto(f"{site.address}{path}")
        assert page.evaluate("document.documentElement.lang") == lang
        assert is_accessible(opened), path
        assert fits(page), path
        seen.add(page.locator("h1").inner_text())
    assert len(seen) >= 7
    refused = [one for one in opened.complaints if "404" not in one and "403" not in one]
    assert [one for one in refused if "409" not in one] == []


@pytest.mark.parametrize("settings", [{}, {**PHONE, "color_scheme": "dark"}], ids=["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page_for_owners(site, visit, settings):
    opened = visit(f"{site.address}/drinks/owner#{site.made.owner_token}", **settings)
    page = opened.page
    page.locator("#now").wait_for()
    paths = ["/", "/new", "/drinks/results", "/drinks/owner/groups", "/drinks/owner/why"]
    paths += [f"/drinks/owner/{one}" for one in ("voters", "import", "options/coffee")]
    for path in paths:
        page.goto(f"{site.address}{path}")
        assert is_accessible(opened), path
        assert fits(page), path
    page.goto(f"{site.address}/drinks/owner")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert is_accessible(opened)
    assert fits(page)
    assert opened.complaints == []


@pytest.mark.parametrize("zoom", [2, 4])
@pytest.mark.parametrize("path", ["/drinks/privacy", "/word"])
def test_nothing_is_hidden_when_magnified(site, visit, path, zoom):
    small = {"viewport": {"width": 1280 // zoom, "height": 800 // zoom}}
    opened = visit(f"{site.address}{path}", locale="de", device_scale_factor=zoom, **small)
    page = opened.page
    assert fits(page)
    for one in page.locator("main :is(h1, p, button:not(.cover), input:not([type=hidden]))").all():
        if not one.is_visible():
            continue
        one.scroll_into_view_if_needed()
        box = one.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280 // zoom + 1


def test_an_owner_invites_asks_a_word_finds_a_voter_and_deletes(site, visit):
    service = site.service
    made = arena.create_arena(service, "lunch", "What is for lunch?", ["Soup", "Pie", "Rice"])
    owner = visit(f"{site.address}/lunch/owner#{made.owner_token}").page
    owner.locator("#now").wait_for()
    owner.goto(f"{site.address}/lunch/owner/voters")
    owner.get_by_label("Names or e-mail addresses, one a line").fill("Ann\nBob")
    with owner.expect_download() as waiting:
        owner.get_by_role("button", name="Make links").click()
    text = waiting.value.path().read_text()
    link = text.splitlines()[1].partition(",")[2]
    owner.goto(f"{site.address}/lunch/owner")
    unfold(owner, "Settings")
    owner.get_by_role("checkbox", name="Invited voters only").check()
    owner.get_by_role("button", name="Save settings").click()
    assert owner.get_by_text("Saved.", exact=True).is_visible()
    stranger = visit(f"{site.address}/lunch").page
    assert stranger.get_by_role("heading", name="By invitation").is_visible()
    ann = visit(link).page
    for _ in range(3):
        ann.wait_for_timeout(450)
        duel = ann.locator("#vote [name=duel]").input_value()
        ann.locator("#left button.cover").click()
        ann.wait_for_function(
            "(duel) => document.querySelector('#vote [name=duel]')?.value !== duel", arg=duel
        )
    ann.get_by_role("heading", name="Thank you!").wait_for()
    ann.goto(f"{site.address}/lunch/privacy")
    name = ann.get_by_text("This poll calls you").inner_text().split("calls you ")[1][:8]
    owner.goto(f"{site.address}/lunch/owner/voters")
    owner.get_by_label("Name of a voter").fill(name)
    owner.get_by_role("button", name="Find").click()
    row = owner.locator("tbody tr")
    assert "Ann" in row.inner_text()
    assert "100%" in row.inner_text()
    row.locator("summary").click()
    with owner.expect_download() as waiting:
        row.get_by_role("link", name="Answers as CSV").click()
    assert waiting.value.path().read_text().count("\n") == 4
    row.get_by_role("button", name="Delete the votes").click()
    assert owner.get_by_role("status").inner_text().startswith("Deleted")
    assert arena.status(service, "lunch").votes == 0
    arena.change_arena(service, "lunch", {"invited": False, "word": "tomato"})
    stranger.reload()
    stranger.get_by_label("Access word").fill("Tomato")
    stranger.get_by_role("button", name="Continue").click()
    assert stranger.locator("#left").is_visible()
    owner.goto(f"{site.address}/lunch/owner")
    unfold(owner, "Delete this poll")
    owner.get_by_label("to delete it").fill("lunch")
    owner.get_by_role("button", name="Delete for ever").click()
    assert owner.get_by_role("heading", name="Deleted").is_visible()
    owner.goto(f"{site.address}/lunch")
    assert owner.get_by_role("heading", name="Nothing here").is_visible()


def test_an_owner_sees_what_is_read_before_votes_come_in(site, visit, tmp_path):
    made = arena.create_arena(site.service, "old", "Which?", ["tea", "coffee"])
    file = tmp_path / "old.csv"
    file.write_text("when;left;right;winner\n2025-03-01 10:00;tea;cocoa;left\n")
    page = visit(f"{site.address}/old/owner#{made.owner_token}").page
    page.locator("#now").wait_for()
    unfold(page, "Export and import")
    page.get_by_role("link", name="Import votes").click()
    page.get_by_label("A CSV, Excel").set_input_files(file)
    page.get_by_role("button", name="Look at it").click()
    assert page.get_by_text("1 vote on 2 options").is_visible()
    page.get_by_role("button", name="Take in 1 vote").click()
    assert page.get_by_role("status").inner_text() == "1 vote came in; 0 of them count."
    page.get_by_role("button", name="Take back").click()
    assert page.get_by_text("taken back").is_visible()


def test_a_poll_of_fifty_options_has_scores_and_bands_for_all_from_the_first_votes(site, visit):
    names = [f"Dish {n:02}" for n in range(50)]
    made = arena.create_arena(site.service, "many", "Which dish?", names)
    prefer(site.service, "Dish 07", 30, slug="many")
    opened = visit(f"{site.address}/many/owner#{made.owner_token}")
    page = opened.page
    page.locator("#arms").wait_for()
    rows = page.locator("#arms tbody tr")
    assert rows.count() == 50
    words = rows.all_inner_texts()
    assert sum("%" in one for one in words) == 50
    assert fits(page)


def test_an_owner_is_told_by_webhook_sets_a_schedule_and_joins_variants(site, visit):
    made = arena.create_arena(site.service, "party", "Which?", ["tea", "iced tea", "coffee"])
    with taking() as (address, taken):
        site.service.post = arena.Post(private=True)
        page = visit(f"{site.address}/party/owner#{made.owner_token}").page
        page.locator("#now").wait_for()
        unfold(page, "Tell me when it changes")
        page.get_by_label("Address of a webhook").fill(f"{address}/hook")
        page.get_by_role("button", name="Tell it").click()
        assert page.get_by_text("Messages are signed with this secret").is_visible()
        page.get_by_role("button", name="Test").click()
        assert page.get_by_text("The test arrived.").is_visible()
        assert taken.bodies[0]["type"] == "test"
    unfold(page, "Settings")
    page.get_by_label("Voting begins").fill("2099-05-03 09:00 Europe/Berlin")
    page.get_by_label("Colour of buttons and links").fill("#7a1fa2")
    page.get_by_role("button", name="Save settings").click()
    assert page.get_by_text("Saved.", exact=True).is_visible()
    assert page.locator("#facts").get_by_text("Voting begins 2099-05-03").is_visible()
    page.goto(f"{site.address}/party/owner/options/iced-tea")
    page.get_by_role("combobox").first.select_option("tea")
    page.get_by_role("button", name="Save").first.click()
    page.wait_for_load_state()
    settings = arena.describe(site.service, "party").arena.settings
    assert settings.variants == ("tea+iced-tea",)
    voter = visit(f"{site.address}/party").page
    assert voter.get_by_role("heading", name="Voting has not begun yet").is_visible()
