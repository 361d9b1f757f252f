"""Variants of one thing on the owner's page: set with an option, told above, sent by the API."""

from __future__ import annotations

import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Invalid, NotFound
from tests.arena.pages import pages_of, words_of
from tests.arena.voting import prefer


@pytest.fixture
def site(tmp_path):
    with pages_of(tmp_path, ("Soup 1", "Soup 2", "Pie", "Cake")) as opened:
        yield opened


@pytest.fixture
def owner(site):
    with site.browser() as opened:
        opened.post("/drinks/owner", data={"token": site.made.owner_token})
        yield opened


def variants(site):
    return arena.describe(site.service, "drinks").arena.settings.variants


def test_an_option_is_made_a_variant_of_another_and_of_none(site, owner):
    def send(arm, of):
        return owner.post(f"/drinks/owner/options/{arm}/variant", data={"of": of})

    page = send("soup-2", "soup-1")
    assert page.status_code == 200
    assert '<option value="soup-1" selected>' in page.text
    assert variants(site) == ("soup-1+soup-2",)
    send("cake", "soup-2")
    assert variants(site) == ("soup-1+soup-2+cake",)
    assert "With 2 others it counts as one." in words_of(send("cake", "soup-1"))
    send("cake", "pie")
    assert variants(site) == ("soup-1+soup-2", "pie+cake")
    send("soup-1", "")
    assert variants(site) == ("pie+cake",)
    refused = send("pie", "pie")
    assert (refused.status_code, "variant of itself" in refused.text) == (422, True)
    assert send("pie", "mud").status_code == 404


def test_the_page_the_text_and_the_api_say_who_is_best_with_variants_as_one(site, owner):
    prefer(site.service, "Pie", 80)
    assert site.status()["variants"] is None
    arena.same_as(site.service, "drinks", "soup-2", "soup-1")
    told = "With Soup 1 and Soup 2 counted as one, Pie is "
    assert told in words_of(owner.get("/drinks/owner")).replace(" ,", ",")
    known = site.status()
    assert known["variants"]["best"] == ["Pie"]
    assert told in known["text"]
    assert known["variants"]["copies_decide"] is False
    arena.change_arms(site.service, "drinks", pause=["soup-2"])
    assert site.status()["variants"] is None  # a thing with one variant on offer is no thing


def test_settings_take_variants_by_slugs(site):
    arena.change_arena(site.service, "drinks", {"variants": ["soup-1+soup-2"]})
    assert variants(site) == ("soup-1+soup-2",)
    with pytest.raises(Invalid, match=r"soup-1\+soup-2 is"):
        arena.change_arena(site.service, "drinks", {"variants": ["soup-1"]})
    with pytest.raises(NotFound):
        arena.same_as(site.service, "drinks", "mud", "pie")
