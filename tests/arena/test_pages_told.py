"""Who is told, on the owner's page, over the API, by the command, and as a feed."""

from __future__ import annotations

import html
import json
import re
from xml.etree import ElementTree

import pytest

from driftduel.arena import service as arena
from driftduel.arena.service.sending import Sender
from driftduel.arena.web.pages.feed import feed_of
from driftduel.cli import main
from driftduel.verdict.standing import Moment
from tests.arena.pages import words_of
from tests.arena.posting import mailing, taking
from tests.arena.voting import cast, damage

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def owner(site, browser):
    site.service.post = arena.Post(private=True)
    browser.post("/drinks/owner", data={"token": site.made.owner_token})
    return browser


@pytest.fixture
def hook():
    with taking() as (url, taken):
        taken.url = url
        yield taken


def names(page):
    return list(dict.fromkeys(re.findall("/drinks/owner/told/([A-Za-z0-9_-]{22})", page.text)))


def fold(page):
    """Return the part about messages, and whether it is open."""
    found = re.search('<details class="fold"( open)?>(?:(?!<details).)*?id="told"(.*?)</details>',
                      page.text, re.DOTALL)  # fmt: skip
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", found[2])).split()), bool(found[1])


def test_an_owner_adds_tries_and_removes_an_address_by_forms(site, owner, hook):
    words, opened = fold(owner.get("/drinks/owner"))
    assert not opened
    assert "given up after 3 days" in words
    page = owner.post("/drinks/owner/told", data={"address": f"{hook.url}/a", "digest": "on"})
    words, opened = fold(page)
    assert opened
    secret = re.search("whsec_[A-Za-z0-9+/=]+", page.text)[0]
    assert "Nothing was sent yet." in words
    (name,) = names(page)
    page = owner.get("/drinks/owner")
    assert secret not in page.text
    page = owner.post(f"/drinks/owner/told/{name}", data={"to": "test"})
    assert "The test arrived. What came back: 200 OK: ok" in fold(page)[0]
    hook.statuses = [500]
    page = owner.post(f"/drinks/owner/told/{name}", data={"to": "test"})
    assert "The test did not arrive. What came back: 500" in fold(page)[0]
    page = owner.post(f"/drinks/owner/told/{name}", data={"to": "no digest"})
    assert fold(page)[1]
    assert arena.receivers(site.service, "drinks")[0].receiver.digest_at is None
    page = owner.post(f"/drinks/owner/told/{name}", data={"to": "remove"})
    assert names(page) == []
    assert owner.post(f"/drinks/owner/told/{name}", data={"to": "test"}).status_code == 404
    assert owner.post(f"/drinks/owner/told/{name}", data={"to": "x"}).status_code == 422


def test_the_page_says_what_became_of_the_last_message_and_when_it_is_tried_again(
    site, owner, hook
):
    owner.post("/drinks/owner/told", data={"address": hook.url})
    cast(site.service, "tea", 120)
    cast(site.service, "coffee", 120, voter="bob")
    assert "waits to be sent" in fold(owner.get("/drinks/owner"))[0]
    hook.statuses = [418]
    sender = Sender(site.service)
    hook.wait()
    sender.stop(5)
    words, _ = fold(owner.get("/drinks/owner"))
    assert "Not arrived yet: 418" in words
    assert re.search("Next try .*; 1 so far", words)
    damage(site.service, "UPDATE message SET state = 'given up'")
    assert "was given up: 418" in fold(owner.get("/drinks/owner"))[0]


def test_what_is_refused_is_said_beside_the_form_with_what_was_typed(site, owner):
    site.service.post = arena.Post()
    page = owner.post("/drinks/owner/told", data={"address": "http://[::ffff:127.0.0.1]:8000/"})
    assert page.status_code == 422
    words, opened = fold(page)
    assert opened
    assert "127.0.0.1 is no address of the open net" in words
    assert 'value="http://[::ffff:127.0.0.1]:8000/"' in page.text
    assert "sends no e-mail" in words
    page = owner.post("/drinks/owner/told", data={"address": "ann@example.org"})
    assert "its operator sets DRIFTDUEL_SMTP" in fold(page)[0]


def test_nobody_but_the_owner_changes_who_is_told(site, browser, owner, hook):
    owner.post("/drinks/owner/told", data={"address": hook.url})
    (name,) = names(owner.get("/drinks/owner"))
    read = arena.new_token(site.service, "drinks", "read")
    with site.browser() as colleague:
        page = colleague.post("/drinks/owner", data={"token": read})
        assert "Tell me when it changes" not in page.text
        for place in ("told", f"told/{name}", "feed"):
            assert colleague.post(f"/drinks/owner/{place}").status_code == 401
    for place in ("told", f"told/{name}", "feed", f"../unsubscribe/{name}"):
        foreign = {"Origin": "https://evil.example"}
        assert owner.post(f"/drinks/owner/{place}", headers=foreign).status_code == 403
    for method, place in (("GET", ""), ("DELETE", f"/{name}"), ("POST", f"/{name}/test")):
        address = f"/arenas/drinks/receivers{place}"
        assert site.api.request(method, address, headers=site.embed).status_code == 403
        assert site.api.request(method, address).status_code == 401


def test_the_link_of_an_e_mail_ends_them_and_asks_first(site, owner):
    with mailing() as (server, _):
        site.service.post = arena.Post(mail=server)
        page = owner.post("/drinks/owner/told", data={"address": "ann@example.org"})
        assert "whsec_" not in page.text
        (name,) = names(page)
        with site.browser() as reader:
            page = reader.get(f"/drinks/unsubscribe/{name}")
            assert "ann@example.org is told when this poll changes." in words_of(page)
            assert len(arena.receivers(site.service, "drinks")) == 1
            page = reader.post(f"/drinks/unsubscribe/{name}")
            assert "No more messages" in words_of(page)
            assert arena.receivers(site.service, "drinks") == []
            assert reader.get(f"/drinks/unsubscribe/{name}").status_code == 404


def test_a_webhook_cannot_be_ended_by_a_link(site, owner, hook):
    owner.post("/drinks/owner/told", data={"address": hook.url})
    (name,) = names(owner.get("/drinks/owner"))
    assert owner.post(f"/drinks/unsubscribe/{name}").status_code == 404
    assert len(arena.receivers(site.service, "drinks")) == 1


def test_the_api_adds_lists_tries_changes_and_removes(site, owner, hook):
    address = "/arenas/drinks/receivers"

    def call(method, place="", **said):
        return site.api.request(method, f"{address}{place}", headers=site.owner, **said)

    made = call("POST", json={"address": hook.url, "shape": "slack", "site": "https://a.org"})
    assert made.status_code == 201
    one = made.json()["receiver"]
    assert made.json()["secret"].startswith("whsec_")
    assert (one["address"], one["shape"], one["site"]) == (hook.url, "slack", "https://a.org")
    assert "secret" not in one
    (listed,) = call("GET").json()["receivers"]
    assert listed == {"receiver": one, "messages": []}
    assert call("POST", f"/{one['id']}/test").json() == {"taken": True, "said": "200 OK: ok"}
    assert list(hook.bodies[0]) == ["text"]
    (listed,) = call("PATCH", f"/{one['id']}", json={"digest": True}).json()["receivers"]
    assert listed["receiver"]["digest"] is not None
    assert call("POST", json={"address": hook.url}).status_code == 409
    assert call("POST", json={"address": "ftp://a.org"}).status_code == 422
    assert call("DELETE", f"/{one['id']}").json() == {"removed": one["id"]}
    assert call("DELETE", f"/{one['id']}").status_code == 404


def test_the_command_adds_lists_tries_and_removes(tmp_path, capsys, monkeypatch, hook):
    monkeypatch.setenv("DRIFTDUEL_PRIVATE_WEBHOOKS", "1")
    url = f"sqlite:{tmp_path}/a.db"

    def run(*words):
        code = main(["arena", *words, "--database", url])
        return code, capsys.readouterr()

    run("new", "drinks", "--arms", "tea,coffee")
    assert "nobody is told" in run("notify", "drinks")[1].out
    code, said = run("notify", "drinks", "--add", hook.url, "--site", "https://a.org")
    assert code == 0
    assert "whsec_" in said.out
    facts = json.loads(run("notify", "drinks", "--json")[1].out)
    name = facts["receivers"][0]["receiver"]["id"]
    assert f"{name}: {hook.url}. Nothing was sent yet." in run("notify", "drinks")[1].out
    assert run("notify", "drinks", "--test", name)[1].out == "It arrived: 200 OK: ok\n"
    assert hook.bodies[0]["link"] == "https://a.org/drinks/owner"
    hook.statuses = [500]
    code, said = run("notify", "drinks", "--test", name)
    assert (code, said.out) == (1, "It did not arrive: 500 Internal Server Error: ok\n")
    for wrong in (("--add", "x"), ("--digest",), ("--test", name, "--remove", name)):
        code, said = run("notify", "drinks", *wrong)
        assert code == 2
        assert len(said.err.splitlines()) == 1
    run("notify", "drinks", "--remove", name)
    assert "nobody is told" in run("notify", "drinks")[1].out


def test_a_feed_has_declared_changes_and_its_names_stay(site, owner):
    page = owner.post("/drinks/owner/feed")
    address = re.search(f"{site.address}/drinks/feed/feed_[A-Za-z0-9_-]+", page.text)[0]
    place = address.removeprefix(site.address)

    def entries():
        answer = owner.get(place)
        assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
        root = ElementTree.fromstring(answer.text)
        for name in ("id", "title", "updated", "author"):
            assert root.find(ATOM + name) is not None
        return answer, {
            one.find(f"{ATOM}id").text: [one.find(ATOM + n).text for n in ("title", "content")]
            for one in root.findall(f"{ATOM}entry")
        }

    assert entries()[1] == {}
    arena.change_arms(site.service, "drinks", rename={"tea": "<tea> & co"})
    cast(site.service, "<tea> & co", 120)
    cast(site.service, "coffee", 120, voter="bob")
    answer, found = entries()
    ((name, (title, content)),) = found.items()
    assert title == "coffee took over from <tea> & co"
    assert content.startswith("coffee took over from <tea> & co")
    same = owner.get(place, headers={"If-None-Match": answer.headers["etag"]})
    assert same.status_code == 304
    arena.exclude(site.service, "drinks", site.service.voter("bob"))
    _, found = entries()
    assert list(found) == [name]
    assert found[name][0] == "withdrawn: coffee took over from <tea> & co"
    assert owner.get("/drinks/feed/feed_x").status_code == 401
    read = arena.new_token(site.service, "drinks", "read")
    assert owner.get(f"/drinks/feed/{read}").status_code == 403
    (key,) = [one for one in arena.tokens(site.service, "drinks") if one.role == "feed"]
    owner.post("/drinks/owner/revoke", data={"token": key.id})
    site.service.follow()
    import time

    time.sleep(1.1)  # a key that was good is taken for good for a second
    assert owner.get(place).status_code == 401


def test_a_feed_is_xml_whatever_the_texts_of_a_poll_are(site):
    texts = {"title": "]]> <b>&amp;\uffff", "question": "\ufffe which?"}
    arena.change_arena(site.service, "drinks", texts)
    root = ElementTree.fromstring(feed_of(site.service, "drinks", site.address))
    assert root.find(f"{ATOM}title").text == "]]> <b>&amp;\ufffd: what changed"
    assert root.find(f"{ATOM}subtitle").text == "\ufffd which?"


def test_a_feed_has_likely_changes_that_were_not_declared():
    from driftduel.arena.web.pages.feed import _is_declared, likely_changes
    from driftduel.verdict.likely import Likely, LikelyEra
    from driftduel.verdict.standing import Change, Option, Standing

    at = [Moment.time(n * 86_400_000_000) for n in range(20_000, 20_010)]

    def era(option, begin, end, took_over):
        return LikelyEra(option=option, since=at[begin], until=at[end], probability=0.9,
                         earliest=at[begin], latest=at[begin], took_over=took_over)  # fmt: skip

    likely = Likely(
        names=("tea", "coffee"), eras=(era(0, 0, 3, 1.0), era(1, 3, 6, 0.9), era(0, 6, 9, 0.5)),
        best=0, probability=(0.9, 0.1), earliest=at[6], latest=at[7], first=at[0], last=at[9],
        timed=True, votes=90, losses=(0.6, 0.7, 0.7), record=(),
    )  # fmt: skip
    known = Standing(options=(Option(name="tea"), Option(name="coffee")), votes=90, changes=())
    (one,) = likely_changes(likely, known)
    assert (one.before, one.after, one.kind, one.around) == (0, 1, "likely", at[3])
    assert not _is_declared(one, known)

    def declared(begin, end, noticed, **more):
        change = Change(before=0, after=1, earliest=at[begin], latest=at[end],
                        noticed=at[noticed], **more)  # fmt: skip
        return Standing(options=known.options, votes=90, changes=(change,))

    assert _is_declared(one, declared(2, 4, 5))
    assert not _is_declared(one, declared(6, 7, 8))
    assert not _is_declared(one, declared(2, 4, 5, withdrawn=True))
    twice = declared(2, 4, 5, before_among=(1, 0), after_among=(1, 0))
    assert _is_declared(one, twice)
