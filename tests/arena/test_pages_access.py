"""Whatever a page can change of a poll, its owner alone changes, from a page of the same site."""

from __future__ import annotations

import re

import pytest

from driftduel.arena import service as arena
from driftduel.arena.web.app import create_app
from driftduel.arena.web.security import Access

_OPEN = ("/{slug}/owner", "/{slug}/owner/logout")
"""Where anybody may send something: a token, and that it is to be forgotten."""


def forms_of(routes):
    """Yield the paths of all forms of owners, also those that nobody listed here."""
    for route in routes:
        inner = getattr(getattr(route, "original_router", route), "routes", None)
        if inner:
            yield from forms_of(inner)
        path = getattr(route, "path", "")
        if "POST" in (getattr(route, "methods", None) or ()) and "/owner" in path:
            yield path


def sent(browser, path, **headers):
    place = re.sub(r"\{[^}]*\}", "nix", path.replace("{slug}", "drinks"))
    return browser.post(place, data={"name": "tea"}, headers=headers, follow_redirects=False)


@pytest.fixture
def forms(site):
    found = set(forms_of(create_app(Access(site.service)).routes)) - set(_OPEN)
    assert len(found) > 20
    assert "/{slug}/owner/told/{name}" in found
    return sorted(found)


def test_nobody_but_the_owner_changes_anything_by_any_form(site, forms):
    other = arena.create_arena(site.service, "soups", "?", ["pea", "leek"])
    read = arena.new_token(site.service, "drinks", "read")
    head = site.status()["head"]
    wrong = {}
    for who, slug, token in (
        ("nobody", "drinks", "?"),
        ("a reader", "drinks", read),
        ("a voter", "drinks", site.made.embed_key),
        ("an owner of another poll", "soups", other.owner_token),
    ):
        with site.browser() as browser:
            browser.post(f"/{slug}/owner", data={"token": token})
            for path in forms:
                if (status := sent(browser, path).status_code) not in (401, 403, 404):
                    wrong[who, path] = status
    assert wrong == {}
    assert site.status()["head"] == head


def test_no_other_site_sends_a_form_for_the_owner(site, forms):
    with site.browser() as owner:
        owner.post("/drinks/owner", data={"token": site.made.owner_token})
        said = {path: sent(owner, path, Origin="https://evil.example") for path in forms}
    assert {one.status_code for one in said.values()} == {403}
