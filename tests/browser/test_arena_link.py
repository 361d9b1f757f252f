"""The owner's link of the demonstration, and the picture of the page that it leads to."""

from __future__ import annotations

import struct

import pytest

from tests.arena.pages import pages_of
from tests.pictures import WIDTH, write


@pytest.fixture
def site(tmp_path):
    with pages_of(tmp_path) as opened:
        yield opened


def test_a_link_with_the_token_logs_in_and_the_address_forgets_it(site, visit):
    opened = visit(f"{site.address}/drinks/owner#{site.made.owner_token}")
    opened.page.get_by_role("button", name="Log out").or_(
        opened.page.get_by_role("link", name="Log out")
    ).first.wait_for()
    assert opened.page.url == f"{site.address}/drinks/owner"
    assert not any(site.made.owner_token in address for address in opened.requests)
    opened.page.go_back()
    assert site.made.owner_token not in opened.page.url
    assert opened.complaints == []


def test_a_link_with_a_wrong_token_is_refused_once(site, visit):
    opened = visit(f"{site.address}/drinks/owner#owner_wrong")
    opened.page.get_by_role("alert").wait_for()
    assert opened.page.url == f"{site.address}/drinks/owner"
    posts = [address for address in opened.requests if address.endswith("/drinks/owner")]
    assert len(posts) == 2


def test_the_picture_of_the_owners_page_is_made(tmp_path, chromium):
    write(tmp_path / "page.png", chromium)
    width, height = struct.unpack(">II", (tmp_path / "page.png").read_bytes()[16:24])
    assert width == 1.5 * WIDTH
    assert 600 < height < 3000
