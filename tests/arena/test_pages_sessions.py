"""What holds for all pages: headers, cookies, who is logged in, and what other sites may not do."""

from __future__ import annotations

import re

import pytest

from driftduel.arena import service as arena
from tests.arena.pages import duel_of, pages_of, words_of


def cookies_of(answer):
    return answer.headers.get_list("set-cookie")


def test_a_page_runs_no_script_of_others_and_is_shown_in_no_frame_of_others(site, browser):
    for path, frames in [("/", "'none'"), ("/drinks", "'self'"), ("/drinks/owner", "'none'")]:
        answer = browser.get(path)
        policy = dict(one.split(" ", 1) for one in policy_of(answer))
        assert policy["default-src"] == policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == frames
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert not re.search(r"<script(?! src=)|<style| style=| on[a-z]+=", answer.text)


def policy_of(answer):
    return answer.headers["content-security-policy"].split("; ")


def test_sites_that_may_embed_may_show_the_voters_page_in_a_frame(site, browser):
    arena.change_arena(site.service, "drinks", {"origins": ["https://example.org"]})
    assert "frame-ancestors 'self' https://example.org" in policy_of(browser.get("/drinks"))
    assert "frame-ancestors 'none'" in policy_of(browser.get("/drinks/owner"))


def test_static_files_are_kept_by_the_hash_in_their_address(browser):
    page = browser.get("/").text
    (address,) = re.findall('href="(/static/arena.css[^"]*)"', page)
    kept = browser.get(address)
    assert kept.status_code == 200
    assert "immutable" in kept.headers["cache-control"]
    assert kept.headers["content-type"].startswith("text/css")
    assert browser.get("/static/arena.css").headers["cache-control"] == "no-cache"
    assert browser.get("/static/../pages/owner.py").status_code == 404


def test_what_is_not_there_is_a_page_for_people_and_a_problem_for_programs(site, browser):
    assert words_of(browser.get("/nix")).endswith(
        "There is no poll at this address. Please check the link."
    )
    german = browser.get("/nix", headers={"Accept-Language": "de"})
    assert "Unter dieser Adresse gibt es keine Umfrage." in words_of(german)
    assert browser.get("/a/b/c").status_code == 404
    assert site.plain.get("/nix").headers["content-type"] == "application/problem+json"
    api = browser.get("/api/v1/arenas/drinks/status")
    assert api.headers["content-type"] == "application/problem+json"


def test_a_voter_is_a_random_name_of_this_arena_alone(site, browser):
    (cookie,) = cookies_of(browser.get("/drinks"))
    assert re.fullmatch(
        "voter=[A-Za-z0-9_-]{22}; Path=/drinks; Max-Age=31536000; HttpOnly; SameSite=Lax", cookie
    )
    assert cookies_of(browser.get("/drinks")) == []
    with site.browser() as other:
        assert cookies_of(other.get("/drinks")) != [cookie]


def test_a_cookie_that_no_server_gave_is_replaced(site):
    with site.browser(Cookie="voter=me") as browser:
        assert len(cookies_of(browser.get("/drinks"))) == 1


def test_cookies_are_for_tls_where_the_proxy_has_it(tmp_path):
    with pages_of(tmp_path, behind_proxy=True) as site:
        secure = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
        with site.browser(**secure) as browser:
            assert cookies_of(browser.get("/drinks"))[0].endswith("SameSite=Lax; Secure")
            sent = {"token": site.made.owner_token}
            answer = browser.post("/drinks/owner", data=sent, follow_redirects=False)
            assert "; Secure" in cookies_of(answer)[0]


def test_in_a_frame_of_another_site_the_cookie_is_made_for_frames(site):
    framed = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}
    with site.browser() as browser:
        answer = browser.get("/drinks", headers=framed)
        (cookie,) = cookies_of(answer)
        assert cookie.startswith("framed=")
        assert cookie.endswith("HttpOnly; SameSite=None; Secure; Partitioned")
        sent = {"duel": duel_of(answer), "verdict": "left"}
        said = {"Cookie": cookie.partition(";")[0]}
        told = browser.post("/drinks/vote", data=sent, headers=said, follow_redirects=False)
        assert told.status_code == 303
        assert "Partitioned" in cookies_of(told)[0]
    assert arena.status(site.service, "drinks").votes == 1


def test_an_owner_logs_in_and_out(site, browser):
    assert "owner's key" in words_of(browser.get("/drinks/owner"))
    sent = {"token": f" {site.made.owner_token}\n"}
    answer = browser.post("/drinks/owner", data=sent, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/drinks/owner")
    cookie, listed = cookies_of(answer)
    assert listed.startswith("polls=drinks; HttpOnly; Max-Age=31536000; Path=/; SameSite=strict")
    for part in ("HttpOnly", "SameSite=strict", "Path=/drinks/owner"):
        assert part in cookie
    assert "Nobody has voted yet." in words_of(browser.get("/drinks/owner"))
    assert "owner's key" in words_of(browser.post("/drinks/owner/logout"))
    assert "owner's key" in words_of(browser.get("/drinks/owner"))


def test_a_wrong_token_does_not_open_the_owners_page(site, browser):
    other = arena.create_arena(site.service, "meals", "Which?", ["soup", "pie"])
    for token, words in [
        ("", "A token is needed."),
        ("owner_x", "The token is not known."),
        (site.made.embed_key, "The token is for embed, needed is owner or read."),
        (other.owner_token, "The token is of another arena."),
    ]:
        answer = browser.post("/drinks/owner", data={"token": token})
        assert answer.status_code == 403
        assert words in words_of(answer)
        assert cookies_of(answer) == []
        assert token == "" or token not in answer.text


def test_a_revoked_token_ends_the_session(site, browser, monkeypatch):
    from driftduel.arena.web import security

    monkeypatch.setattr(security, "_KEPT", -1.0)
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    (token,) = [one for one in arena.tokens(site.service, "drinks") if one.role == "owner"]
    arena.revoke_token(site.service, "drinks", token.id)
    assert "owner's key" in words_of(browser.get("/drinks/owner"))


@pytest.mark.parametrize(
    "said",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_forms_of_other_sites_are_refused(site, browser, said):
    shown = browser.get("/drinks")
    token = {"token": site.made.owner_token}
    for path, sent in [
        ("/drinks/owner", token),
        ("/drinks/owner/logout", {}),
        ("/drinks/vote", {"duel": duel_of(shown), "verdict": "left"}),
        ("/drinks/undo", {"duel": duel_of(shown)}),
    ]:
        answer = browser.post(path, data=sent, headers=said)
        assert answer.status_code == 403, path
        assert "another web site" in words_of(answer)
        assert cookies_of(answer) == []
    assert arena.status(site.service, "drinks").votes == 0


def test_the_api_reads_no_cookie(site, browser):
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    owner = browser.cookies["owner"]
    answer = browser.get("/api/v1/arenas/drinks/status", headers={"Cookie": f"owner={owner}"})
    assert answer.status_code == 401


@pytest.mark.parametrize("slug", ["new", "api", "static", "health", "metrics"])
def test_no_arena_has_an_address_of_the_service(site, slug):
    body = {"slug": slug, "question": "?"}
    assert site.api.post("/arenas", json=body, headers=site.owner).status_code == 422


@pytest.mark.parametrize(("proxy", "scheme"), [(True, "https"), (False, "http")])
def test_an_address_with_a_slash_too_many_stays_with_tls(tmp_path, proxy, scheme):
    said = {"X-Forwarded-Proto": "https", "Host": "votes.example"}
    with pages_of(tmp_path, behind_proxy=proxy) as site, site.browser(**said) as browser:
        answer = browser.get("/drinks/", follow_redirects=False)
    assert answer.headers["location"] == f"{scheme}://votes.example/drinks"
