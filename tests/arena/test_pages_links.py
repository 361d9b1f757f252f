"""Links that work for others: who can open them, secret ones, ones to read, and my polls."""

from __future__ import annotations

import re

import httpx
import pytest
import segno
import typer.testing

from driftduel.arena import service as arena
from driftduel.arena.web import reach, serving
from driftduel.cli.app import app
from tests.arena.pages import pages_of, words_of

ALONE = "Only this computer can open that link."


@pytest.fixture
def owner(site, browser):
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    return browser


def squares(text):
    """Return where the dark squares of a QR code are, as SVG draws them."""
    svg = segno.make(text, error="m", micro=False).svg_inline(scale=5, dark="#000", light="#fff")
    return re.findall(' d="([^"]+)"', svg)[-1]


def test_a_server_of_this_machine_says_so_and_what_helps(tmp_path):
    with pages_of(tmp_path, local=True) as site, site.browser() as browser:
        browser.post("/drinks/owner", data={"token": site.made.owner_token})
        page = browser.get("/drinks/owner")
        assert page.text.count("driftduel arena serve --lan") == 2  # before the first vote: twice
        assert ALONE in words_of(page)
        port = site.address.rpartition(":")[2]
        assert f"cloudflared tunnel --url http://127.0.0.1:{port}" in page.text
        assert '<figure class="qr">' not in page.text


def test_a_server_of_the_network_has_links_for_the_network(tmp_path, monkeypatch):
    monkeypatch.setattr(reach, "lan_address", lambda: "192.168.7.5")
    with pages_of(tmp_path, lan=True) as site, site.browser() as owner:
        page = owner.post("/drinks/owner", data={"token": site.made.owner_token})
        link = f"http://192.168.7.5:{site.address.rpartition(':')[2]}/drinks"
        assert f'value="{link}"' in page.text
        assert squares(link) in page.text
        assert "It must be in the same network." in words_of(page)
        assert ALONE not in words_of(page)


def test_the_address_of_a_container_is_told_nobody(site, owner, monkeypatch):
    monkeypatch.setattr(reach, "lan_address", lambda: "172.17.0.2")
    page = owner.get("/drinks/owner")  # through a port of this machine
    assert "172.17.0.2" not in page.text
    assert ALONE in words_of(page)


def test_a_server_with_a_name_has_its_links_as_qr_codes(site):
    said = {"Host": "votes.example", "Origin": "http://votes.example"}
    with site.browser(**said) as browser:
        browser.post("/drinks/owner", data={"token": site.made.owner_token})
        page = browser.get("/drinks/owner")
        assert squares("http://votes.example/drinks") in page.text
        assert ALONE not in words_of(page)
        assert "same network" not in words_of(page)
        made = browser.get("/").text
        assert "My polls" in made


@pytest.mark.parametrize("host", ["", "[::1]:99", "a:b:c", "x" * 300, "<b>", "127.0.0.1:999999"])
def test_whatever_a_browser_calls_the_server_is_shown_as_text(site, owner, host):
    page = owner.get("/drinks/owner", headers={"Host": host})
    assert page.status_code in (200, 400)
    assert "<b>/drinks" not in page.text


def test_an_address_in_the_network_is_none_of_this_machine(monkeypatch):
    found = reach.lan_address()
    assert found is None or not reach.is_loopback(found)

    class Broken:
        def __init__(self, *kinds):
            raise OSError("there is no network")

    monkeypatch.setattr(reach.socket, "socket", Broken)
    assert reach.lan_address() is None


def test_the_command_serves_the_network_and_prints_links_and_a_code(tmp_path, monkeypatch):
    served = []

    def serve(url, host, port, *, ready, local, **options):
        served.append((host, local))
        ready(8000)

    monkeypatch.setattr(serving, "serve", serve)
    monkeypatch.setattr(reach, "lan_address", lambda: "192.168.7.5")
    words = ["arena", "serve", f"sqlite:{tmp_path}/arena.db", "--lan"]
    said = typer.testing.CliRunner().invoke(app, words).output
    assert served == [("0.0.0.0", False)]
    assert "vote  http://192.168.7.5:8000/drinks\n" in said
    (token,) = re.findall("http://192.168.7.5:8000/drinks/owner#(owner_.+)\n", said)
    assert f"http://192.168.7.5:8000/new#{token}\n" in said
    assert reach.qr_lines("http://192.168.7.5:8000/drinks") in said
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        assert arena.check_token(service, token, "drinks", "owner") == "owner"
    again = typer.testing.CliRunner().invoke(app, words).output
    assert "owner_" not in again  # nobody can show it again


def test_the_secret_link_logs_in_where_it_is_pasted(site, browser):
    link = f"{site.address}/drinks/owner#{site.made.owner_token}"
    assert "Log out" in words_of(browser.post("/drinks/owner", data={"token": link}))


def test_the_login_page_names_the_command_that_makes_another_key(browser):
    page = browser.get("/drinks/owner")
    assert "<code>driftduel arena token drinks --role owner</code>" in page.text


def test_a_link_to_read_opens_the_page_without_controls(site, owner):
    page = owner.post("/drinks/owner/tokens", data={"role": "read", "label": "boss"})
    (link,) = re.findall(r"http://[0-9.:]+/drinks/owner#(read_[^<]+)<", page.text)
    with site.browser() as reader:
        page = reader.post("/drinks/owner", data={"token": link})
        assert page.status_code == 200
        assert "nothing can be changed here" in words_of(page)
        actions = set(re.findall('<form [^>]*action="([^"]+)"', page.text))
        assert actions == {"/drinks/owner/logout"}
        now = reader.get("/drinks/owner/now")
        assert now.status_code == 200
        assert "<form" not in now.text
        assert site.made.embed_key not in page.text
        for path in ("votes.csv", "votes.parquet", "options/tea"):
            assert "tea,coffee" not in reader.get(f"/drinks/owner/{path}").text
        for path, sent in {
            "options": {"names": "mate"},
            "offer": {"arm": "tea", "to": "pause"},
            "settings": {"title": "x"},
            "state": {"to": "closed"},
            "tokens": {"role": "owner"},
            "voter": {"voter": "a" * 32, "to": "exclude"},
            "rules": {"to": "1"},
            "options/tea/name": {"name": "x"},
        }.items():
            assert reader.post(f"/drinks/owner/{path}", data=sent).status_code == 401, path
    assert arena.describe(site.service, "drinks").arena.status == "open"


def test_my_polls_are_those_whose_links_this_browser_opened(site, owner):
    other = arena.create_arena(site.service, "lunch", "What for lunch?", ["soup", "pie"])
    assert "What for lunch?" not in words_of(owner.get("/"))
    owner.post("/lunch/owner", data={"token": other.owner_token})
    page = owner.get("/")
    mine = re.findall('<li><a href="([^"]+)">', page.text)
    assert mine == ["/lunch/owner", "/drinks/owner"]
    with site.browser() as stranger:
        assert "My polls" not in words_of(stranger.get("/"))
    odd = httpx.get(site.address, cookies={"polls": "drinks.nix.<b>..." + "x." * 999})
    assert re.findall('<li><a href="([^"]+)">', odd.text) == ["/drinks/owner"]
