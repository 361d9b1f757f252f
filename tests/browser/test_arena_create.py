"""Somebody makes an arena: pastes options, drops files, looks at the preview, keeps the links."""

from __future__ import annotations

import pytest

from driftduel.arena import service as arena
from tests.arena.pages import pages_of
from tests.browser.arenas import HOSTILE, PHONE, fits, is_accessible, picture


@pytest.fixture
def site(tmp_path):
    with pages_of(tmp_path, local=True) as opened:
        yield opened


def arms(site, slug):
    return [arm.name for arm in arena.describe(site.service, slug).arms]


def fill(page, options="soup\npie\nbread", slug="lunch"):
    page.get_by_label("Question", exact=True).fill("What for lunch?")
    page.get_by_label("Options", exact=True).fill(options)
    page.get_by_label("Address").fill(slug)


def make(page):
    page.get_by_role("button", name="Make the poll").click()
    page.get_by_role("heading", name="Keep these: nobody can show them again").wait_for()


def test_an_arena_is_made_and_voted_in(site, visit):
    opened = visit(f"{site.address}/new")
    page = opened.page
    fill(page)
    page.get_by_text("3 options, 3 pairs; this is one of them.").wait_for()
    assert page.locator(".sample .ask").inner_text() == "What for lunch?"
    assert page.locator(".sample .card").all_inner_texts() == ["soup", "pie"]
    page.get_by_label("Ties").uncheck()
    assert page.locator(".sample").get_by_text("Equal").is_hidden()
    assert is_accessible(opened)
    make(page)
    assert is_accessible(opened)
    secret = page.get_by_label("Your secret link").input_value()
    assert secret.startswith(f"{site.address}/lunch/owner#owner_")
    assert page.get_by_label("Embed key").input_value().startswith("embed_")
    page.get_by_role("link", name="Go to the owner's page").click()
    page.get_by_role("button", name="Log out").wait_for()
    page.goto(f"{site.address}/lunch")
    assert page.get_by_role("button", name="Equal").count() == 0
    page.wait_for_timeout(450)
    page.keyboard.press("ArrowLeft")
    page.get_by_text("Saved: ").wait_for()
    assert arena.status(site.service, "lunch").votes == 1
    assert opened.complaints == []


def test_links_can_be_copied(site, visit):
    page = visit(f"{site.address}/new", permissions=["clipboard-read", "clipboard-write"]).page
    fill(page)
    make(page)
    page.get_by_role("button", name="Copy Link for voters").click()
    page.get_by_role("button", name="Copied Link for voters").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{site.address}/lunch"


def test_files_are_dropped_and_previewed(site, visit):
    opened = visit(f"{site.address}/new")
    page = opened.page
    fill(page, options="")
    page.get_by_label("Images or a CSV").set_input_files(
        [
            {"name": "red.png", "mimeType": "image/png", "buffer": picture(200, 0, 0)},
            {"name": "blue.png", "mimeType": "image/png", "buffer": picture(0, 0, 200)},
        ]
    )
    page.get_by_text("2 options, 1 pair; this is one of them.").wait_for()
    widths = "[...document.querySelectorAll('.sample img')].map((one) => one.naturalWidth)"
    page.wait_for_function(f"String({widths}) === '320,320'")
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            const text = 'name,text\\ntea,"A cup, hot"\\nmilk,Cold\\n';
            data.items.add(new File([text], "more.csv", { type: "text/csv" }));
            const where = { dataTransfer: data, bubbles: true, cancelable: true };
            document.getElementById("drop").dispatchEvent(new DragEvent("drop", where));
        }"""
    )
    page.get_by_text("4 options, 6 pairs; this is one of them.").wait_for()
    make(page)
    assert arms(site, "lunch") == ["red", "blue", "tea", "milk"]
    assert opened.complaints == []


def test_the_preview_reads_a_csv_as_the_server_does(site, visit):
    page = visit(f"{site.address}/new").page
    fill(page, options="")
    table = 'name,text\n"tea","A cup,\nhot"\nmilk,"Cold ""milk"""\r\n\n'
    file = {"name": "a.csv", "mimeType": "text/csv", "buffer": table.encode()}
    page.get_by_label("Images or a CSV").set_input_files([file])
    page.get_by_text("2 options, 1 pair; this is one of them.").wait_for()
    shown = [" ".join(text.split()) for text in page.locator(".sample .card").all_inner_texts()]
    assert shown == ["A cup, hot", 'Cold "milk"']
    make(page)
    page.goto(f"{site.address}/lunch")
    cards = [" ".join(text.split()) for text in page.locator(".card").all_inner_texts()]
    assert sorted(cards) == shown


def test_it_works_without_scripts_and_on_a_phone(site, visit):
    page = visit(f"{site.address}/new", java_script_enabled=False, **PHONE).page
    assert page.locator("#preview").is_hidden()
    fill(page, options="soup")
    assert fits(page)
    page.get_by_role("button", name="Make the poll").click()
    page.get_by_text("Give two options at least, one a line.").wait_for()
    assert page.get_by_label("Question", exact=True).input_value() == "What for lunch?"
    page.get_by_label("Options", exact=True).fill("soup\npie")
    make(page)
    assert fits(page)
    assert arms(site, "lunch") == ["soup", "pie"]


def test_markup_in_options_is_text(site, visit):
    opened = visit(f"{site.address}/new", **PHONE, color_scheme="dark")
    page = opened.page
    fill(page, options=f"a {HOSTILE}\nb {HOSTILE}")
    page.get_by_label("Question", exact=True).fill(HOSTILE)
    assert page.locator(".sample .card").first.inner_text() == f"a {HOSTILE}"
    assert fits(page)
    assert is_accessible(opened)
    make(page)
    assert page.get_by_role("heading", level=1).inner_text() == HOSTILE
    assert fits(page)
    assert is_accessible(opened)
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert opened.complaints == []


def test_other_pages_are_accessible(site, visit):
    for path in ("/", "/nix", "/drinks/owner"):
        for scheme in ("light", "dark"):
            assert is_accessible(visit(f"{site.address}{path}", color_scheme=scheme))
