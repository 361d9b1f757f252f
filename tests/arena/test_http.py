from __future__ import annotations

import io
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import BoundedSemaphore

import polars as pl
import pytest

from driftduel.arena import service as arena
from driftduel.arena.service import votes as telling
from driftduel.arena.web import owner
from tests.arena.images import png
from tests.arena.serving import Site, served

NO_ID = "a" * 22


@pytest.fixture
def opened(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        yield service


@pytest.fixture
def site(opened):
    made = arena.create_arena(opened, "drinks", "Which is nicer?", ["tea", "coffee", "milk"])
    with served(opened) as address:
        site = Site(address, made)
        site.service = opened
        yield site
        site.close()


def is_problem(answer, status, words=""):
    """One sentence, its status, and no more."""
    body = answer.json()
    assert answer.status_code == status, body
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(body) == {"title", "status", "detail"}
    assert body["status"] == status
    assert words in body["detail"], body
    return True


def test_a_vote_over_http_is_counted(site):
    asked = site.ask()
    assert asked.status_code == 201
    duel = asked.json()
    assert set(duel) == {"duel", "left", "right", "context", "expires"}
    told = site.tell(duel["duel"], "left")
    assert told.status_code == 201
    names = {"left": duel["left"]["body"], "right": duel["right"]["body"]}
    expected = {"seq": 2, "counted": True, "reason": None, "reveal": names, "next": None}
    assert told.json() == expected
    now = site.status()
    assert (now["head"], now["votes"], now["best"]) == (2, 1, names["left"])
    assert {"since", "changes", "text"} <= set(now)
    facts = {"name", "score", "low", "high", "probability"}
    assert all(facts <= set(arm) for arm in now["arms"])


def test_to_tell_again_is_200_and_to_tell_otherwise_409(site):
    duel = site.ask().json()["duel"]
    first = site.tell(duel, "tie")
    again = site.tell(duel, "tie")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert is_problem(site.tell(duel, "left"), 409, "told already: tie")
    assert site.status()["votes"] == 1


def test_of_differing_verdicts_at_once_exactly_one_is_first(site):
    for _ in range(5):
        duel = site.ask().json()["duel"]
        verdicts = ["left", "right", "tie", "bad", "skip", "left", "right", "tie"]
        with ThreadPoolExecutor(len(verdicts)) as pool:
            codes = [one.status_code for one in pool.map(partial(site.tell, duel), verdicts)]
        assert codes.count(201) == 1
        assert set(codes) <= {200, 201, 409}
    now = site.status()
    assert now["head"] == 6
    assert sum(arm["duels"] + arm["skipped"] for arm in now["arms"]) == 10


def test_the_next_duel_comes_with_the_answer(site):
    duel = site.ask().json()["duel"]
    told = site.tell(duel, "left", next=True).json()
    assert site.tell(told["next"]["duel"], "right").status_code == 201
    assert site.status()["votes"] == 2


def test_a_duel_is_for_the_voter_who_was_asked(site):
    duel = site.ask("ann").json()["duel"]
    assert is_problem(site.tell(duel, "left", voter="bob"), 403, "another voter")
    assert is_problem(site.tell(NO_ID, "left"), 404)
    assert is_problem(site.tell("x", "left"), 404)
    assert site.status()["votes"] == 0
    assert site.tell(duel, "left").status_code == 201
    undo = site.api.delete(f"/duels/{duel}/verdict", headers=site.as_voter("bob"))
    assert is_problem(undo, 403)


def test_a_verdict_is_taken_back_within_a_minute_and_by_the_owner_later(site, monkeypatch):
    duels = [site.ask().json()["duel"] for _ in range(2)]
    for duel in duels:
        site.tell(duel, "left")
    undone = site.api.delete(f"/duels/{duels[0]}/verdict", headers=site.as_voter())
    assert (undone.status_code, undone.json()) == (200, {"seq": 4})
    assert site.status()["votes"] == 1
    monkeypatch.setattr(telling, "UNDO", -1)
    late = site.api.delete(f"/duels/{duels[1]}/verdict", headers=site.as_voter())
    assert is_problem(late, 409, "60 seconds")
    nobody = site.api.delete(f"/duels/{duels[1]}/verdict", headers=site.embed)
    assert is_problem(nobody, 422, "X-Voter")
    owner = site.api.delete(f"/duels/{duels[1]}/verdict", headers=site.owner)
    assert owner.status_code == 200
    assert site.status()["votes"] == 0


def test_the_key_of_another_arena_takes_nothing_back(site):
    other = arena.create_arena(site.service, "meals", "Which?", ["soup", "pie"])
    duel = site.ask().json()["duel"]
    site.tell(duel, "left")
    foreign = {**site.as_voter(), "Authorization": f"Bearer {other.embed_key}"}
    refused = site.api.delete(f"/duels/{duel}/verdict", headers=foreign)
    assert is_problem(refused, 403, "another arena")
    assert site.status()["votes"] == 1


def test_nothing_names_an_arm_before_the_verdict_in_a_blind_arena(site):
    names = ["tea", "coffee", "milk"]
    for n, name in enumerate(names):
        body = {"kind": "markdown", "body": f"*answer {n}*"}
        path = f"/arenas/drinks/arms/{name}/card"
        put = site.api.put(path, headers=site.owner, json=body, params={"context": "a prompt"})
        assert put.status_code == 204
    asked = site.ask()
    said = asked.text + str(asked.headers)
    assert not any(name in said for name in names)
    assert asked.json()["context"] == "a prompt"
    assert asked.json()["left"]["kind"] == "markdown"
    told = site.tell(asked.json()["duel"], "left", next=True)
    assert not any(name in told.text for name in names)
    site.api.patch("/arenas/drinks", headers=site.owner, json={"reveal": True})
    told = site.tell(told.json()["next"]["duel"], "left", next=True).json()
    assert set(told["reveal"].values()) < set(names)
    assert not any(name in str(told["next"]) for name in names)


def test_a_blind_arena_names_no_arm_with_a_card_beside_one_without(site):
    for name, context, body in (("tea", "", "hot"), ("coffee", "a prompt", "black")):
        path = f"/arenas/drinks/arms/{name}/card"
        card = {"kind": "text", "body": body}
        site.api.put(path, headers=site.owner, json=card, params={"context": context})
    shown = set()
    asked = site.ask().json()
    for _ in range(30):
        assert asked["context"] is None
        shown |= {asked["left"]["body"], asked["right"]["body"]}
        assert "tea" not in str(asked)
        assert "coffee" not in str(asked)
        asked = site.tell(asked["duel"], "left", next=True).json()["next"]
    assert shown == {"hot", "black", "milk"}


def test_cards_with_scripts_and_other_unkind_text(site):
    script = "<script>alert(1)</script><img src=x onerror=alert(1)> & \u202e \U0001f375"
    for name in ("tea", "coffee", "milk"):
        path = f"/arenas/drinks/arms/{name}/card"
        put = site.api.put(path, headers=site.owner, json={"kind": "text", "body": script})
        assert put.status_code == 204
        for body in ("a\x00b", "\x1b[31m", "\ud800", "x" * 1_000_000):
            text = json.dumps({"kind": "markdown", "body": body})
            assert is_problem(site.api.put(path, headers=site.owner, content=text), 422)
    asked = site.ask()
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["x-content-type-options"] == "nosniff"
    assert asked.json()["left"]["body"] == asked.json()["right"]["body"] == script


def test_images_are_what_their_bytes_say(site):
    path = "/arenas/drinks/arms/tea/card"
    kind = {**site.owner, "Content-Type": "image/svg+xml"}
    assert is_problem(site.api.put(path, headers=kind, content=b"<svg/>"), 422, "PNG")
    for arm in ("tea", "coffee", "milk"):
        put = site.api.put(f"/arenas/drinks/arms/{arm}/card", headers=kind, content=png())
        assert put.status_code == 204
    side = site.ask().json()["left"]
    assert (side["kind"], side["name"]) == ("image", None)
    shown = site.plain.get(side["image"])
    assert (shown.headers["content-type"], shown.content) == ("image/png", png())
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert is_problem(site.plain.get(side["image"][:-1] + "x"), 404)
    big = site.api.put(path, headers=kind, content=png() + bytes(5 * 2**20))
    assert is_problem(big, 413)
    gone = site.api.delete(path, headers=site.owner)
    assert gone.status_code == 204


def test_tokens_are_needed_known_and_of_the_arena(site):
    other = arena.create_arena(site.service, "other", "?", ["a", "b"])
    path = "/arenas/drinks/duels"
    voter = {"X-Voter": "ann"}
    assert is_problem(site.api.post(path, headers=voter), 401, "token is needed")
    unknown = {**voter, "Authorization": "Bearer embed_x"}
    assert is_problem(site.api.post(path, headers=unknown), 401, "not known")
    basic = {**voter, "Authorization": "Basic YTpi"}
    assert is_problem(site.api.post(path, headers=basic), 401)
    foreign = {**voter, "Authorization": f"Bearer {other.embed_key}"}
    assert is_problem(site.api.post(path, headers=foreign), 403, "another arena")
    duel = site.ask().json()["duel"]
    tell = site.api.put(f"/duels/{duel}/verdict", headers=foreign, json={"verdict": "left"})
    assert is_problem(tell, 403, "another arena")
    assert is_problem(site.api.get("/arenas/drinks/status", headers=site.embed), 403, "for embed")
    assert is_problem(site.api.get("/arenas/nix/status", headers=site.owner), 404)
    assert is_problem(site.api.post(path, headers=site.embed), 422, "X-Voter")
    read = arena.new_token(site.service, "drinks", "read")
    reader = {"Authorization": f"Bearer {read}"}
    assert site.api.get("/arenas/drinks/status", headers=reader).status_code == 200
    assert is_problem(site.api.get("/arenas/drinks/voters", headers=reader), 403)
    assert site.api.get("/key", headers=reader).json() == {"arena": "drinks", "role": "read"}


def test_a_revoked_key_neither_asks_nor_tells(site, monkeypatch):
    from driftduel.arena.web import security

    monkeypatch.setattr(security, "_KEPT", 0.0)
    duel = site.ask().json()["duel"]
    (key,) = [one for one in arena.tokens(site.service, "drinks") if one.role == "embed"]
    arena.revoke_token(site.service, "drinks", key.id)
    assert is_problem(site.ask(), 401, "revoked")
    assert is_problem(site.tell(duel, "left", next=True), 401, "revoked")
    assert site.status()["votes"] == 0


def test_only_sites_of_the_list_may_embed(site):
    arena.change_arena(site.service, "drinks", {"origins": ["https://good.example"]})
    good = site.ask(Origin="https://good.example")
    assert good.status_code == 201
    assert good.headers["access-control-allow-origin"] == "https://good.example"
    for origin in ("https://bad.example", "null", "https://good.example.bad.example"):
        bad = site.ask(Origin=origin)
        assert is_problem(bad, 403, "may not embed")
        assert "access-control-allow-origin" not in bad.headers
    assert site.ask().status_code == 201  # a server, which sends no origin
    asks = {
        "Origin": "https://good.example",
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization,x-voter,content-type",
    }
    preflight = site.api.options(f"/duels/{NO_ID}/verdict", headers=asks)
    assert preflight.status_code == 204
    assert "PUT" in preflight.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in preflight.headers
    owner = site.api.options("/arenas/drinks/voters", headers=asks)
    assert "access-control-allow-origin" not in owner.headers


def test_a_web_site_may_read_why_it_was_refused(opened):
    made = arena.create_arena(opened, "drinks", "Which is nicer?", ["tea", "coffee", "milk"])
    origin = "https://good.example"
    arena.change_arena(opened, "drinks", {"origins": [origin]})
    with served(opened, rate=0.001, behind_proxy=True) as address:  # one
        site = Site(address, made)
        site.embed["X-Forwarded-For"] = "203.0.113.9"
        duel = site.ask(Origin=origin).json()["duel"]
        answers = [
            site.api.put(f"/duels/{duel}/verdict", headers=headers, **body)
            for headers, body in (
                (site.as_voter(Origin=origin), {"json": {"verdict": "LEFT"}}),
                (site.as_voter(Origin=origin), {"content": b"x" * 70_000}),
                (site.as_voter(Origin=origin, Authorization="Bearer x"), {"json": {}}),
                (
                    site.as_voter(Origin=origin, Authorization="Bearer x"),
                    {"json": {"verdict": "left"}},
                ),
            )
        ]
        answers += [site.ask(Origin=origin) for _ in range(3)]
        assert [one.status_code for one in answers] == [422, 413, 422, 401, 429, 429, 429]
        for one in answers:
            assert one.headers["access-control-allow-origin"] == origin
            assert "Retry-After" in one.headers["access-control-expose-headers"]
        evil = site.ask(Origin="https://evil.example")
        assert (evil.status_code, "access-control-allow-origin" in evil.headers) == (403, False)
        site.close()


def test_a_body_of_two_lengths_is_refused_and_ends_the_connection(site):
    host, _, port = site.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 10) as line:
        line.sendall(
            b"POST /api/v1/arenas/drinks/duels HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        said = b"".join(iter(lambda: line.recv(65_536), b""))
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"verdict": "LEFT"}', b'{"verdict": 1}', b'{"verdict": "left", '
     b'"more": 1}', b"\xff", b'{"verdict": "left", "next": "maybe"}'],
)  # fmt: skip
def test_a_body_that_makes_no_sense_is_422_and_changes_nothing(site, body):
    duel = site.ask().json()["duel"]
    headers = {**site.as_voter(), "Content-Type": "application/json"}
    answer = site.api.put(f"/duels/{duel}/verdict", headers=headers, content=body)
    assert answer.status_code in (400, 422)
    assert is_problem(answer, answer.status_code)
    assert site.status()["votes"] == 0
    assert site.tell(duel, "left").status_code == 201


def test_a_body_of_ten_megabytes_is_refused_told_or_not(site):
    duel = site.ask().json()["duel"]
    path = f"/duels/{duel}/verdict"
    large = b'{"verdict": "' + b"x" * 10_000_000 + b'"}'
    try:
        told = site.api.put(path, headers=site.as_voter(), content=large)
        assert is_problem(told, 413, "65,536 bytes")
    except OSError:
        pass  # the server closed the door before all was said
    parts = (b"x" * 10_000 for _ in range(10))
    assert is_problem(site.api.put(path, headers=site.as_voter(), content=parts), 413)
    assert site.tell(duel, "left").status_code == 201


def test_names_with_scripts_and_control_characters(site):
    path = "/arenas/drinks/arms"
    script = "<script>alert(1)</script>"
    added = site.api.post(path, headers=site.owner, json={"arms": [script]})
    assert added.status_code == 201
    assert added.headers["content-type"] == "application/json"
    assert added.json()["arms"][-1]["name"] == script
    for name in ("a\x00b", "", "x" * 201, "two\nlines", "\ud800"):
        refused = site.api.post(path, headers=site.owner, content=json.dumps({"arms": [name]}))
        assert is_problem(refused, 422)
    assert is_problem(site.api.post(path, headers=site.owner, json={"arms": ["tea"]}), 409)


def test_the_status_has_a_tag_and_says_304_until_something_happens(site):
    path = "/arenas/drinks/status"
    first = site.api.get(path, headers=site.owner)
    tag = first.headers["etag"]
    assert tag == '"1"'
    known = {**site.owner, "If-None-Match": f'"7", {tag}'}
    same = site.api.get(path, headers=known)
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    site.tell(site.ask().json()["duel"], "left")
    changed = site.api.get(path, headers=known)
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert site.api.get("/arenas/drinks/history", headers=known).status_code == 200


def test_public_results_need_no_token(site):
    assert is_problem(site.api.get("/arenas/drinks/status"), 401)
    arena.change_arena(site.service, "drinks", {"public": True})
    assert site.api.get("/arenas/drinks/status").status_code == 200
    assert site.api.get("/arenas/drinks/history").status_code == 200
    assert is_problem(site.api.get("/arenas/drinks/votes.csv"), 401)


def test_an_owner_makes_an_arena_over_http(site):
    new = {"slug": "films", "question": "Which?", "arms": ["a", "b"], "settings": {"cap": 3}}
    assert is_problem(site.api.post("/arenas", json=new), 401)
    assert is_problem(site.api.post("/arenas", json=new, headers=site.embed), 403)
    made = site.api.post("/arenas", json=new, headers=site.owner)
    assert made.status_code == 201
    owner = {"Authorization": f"Bearer {made.json()['owner_token']}"}
    found = site.api.get("/arenas/films", headers=owner).json()
    assert (found["question"], found["settings"]["cap"]) == ("Which?", 3)
    assert [arm["name"] for arm in found["arms"]] == ["a", "b"]
    assert is_problem(site.api.post("/arenas", json=new, headers=site.owner), 409)
    bad = {**new, "slug": "Not A Slug"}
    assert is_problem(site.api.post("/arenas", json=bad, headers=site.owner), 422, "slug")
    settings = {**new, "slug": "more", "settings": {"cup": 3}}
    assert is_problem(site.api.post("/arenas", json=settings, headers=site.owner), 422, "'cup'")


def test_on_this_machine_alone_an_arena_needs_no_token_but_no_web_site_makes_one(opened):
    import httpx

    new = {"slug": "films", "question": "Which?"}
    with served(opened, local=True) as address:
        url = f"{address}/api/v1/arenas"
        evil = {"Origin": "https://evil.example"}
        assert httpx.post(url, json=new, headers=evil).status_code == 401
        assert httpx.post(url, json=new, headers={"Host": "evil.example"}).status_code == 401
        proxied = {"X-Forwarded-For": "203.0.113.9"}
        assert httpx.post(url, json=new, headers=proxied).status_code == 401
        assert httpx.post(url, json=new).status_code == 201


def test_who_lost_the_answer_to_a_new_arena_gets_the_same_tokens_again(site):
    new = {"slug": "films", "question": "Which?", "arms": ["A", "B"]}
    key = {"Idempotency-Key": "kept-by-who-asks-0123456789"}
    first = site.api.post("/arenas", json=new, headers={**site.owner, **key})
    again = site.api.post("/arenas", json=new, headers={**site.owner, **key})
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    mine = {"Authorization": f"Bearer {first.json()['owner_token']}"}
    assert site.api.get("/arenas/films", headers=mine).status_code == 200
    # Who knows the key but not the token that was sent with it gets nothing, nor does another wish.
    for headers in (mine, site.owner):
        other = {**headers, **key, **({} if headers is mine else {"Idempotency-Key": "x" * 30})}
        assert is_problem(site.api.post("/arenas", json=new, headers=other), 409, "already")
    wish = {**new, "question": "Which one?"}
    refused = site.api.post("/arenas", json=wish, headers={**site.owner, **key})
    assert is_problem(refused, 409, "already")
    short = {**site.owner, "Idempotency-Key": "1"}
    assert site.api.post("/arenas", json=new, headers=short).status_code == 422


def test_settings_and_arms_change_over_http(site):
    duel = site.ask().json()["duel"]
    closed = site.api.patch("/arenas/drinks", headers=site.owner, json={"status": "closed"})
    assert closed.json()["status"] == "closed"
    assert is_problem(site.ask(), 409, "closed")
    assert is_problem(site.tell(duel, "left"), 409, "closed")
    site.api.patch("/arenas/drinks", headers=site.owner, json={"status": "open", "cap": 5})
    capless = site.api.patch("/arenas/drinks", headers=site.owner, json={"cap": None})
    assert capless.json()["settings"]["cap"] is None
    null = site.api.patch("/arenas/drinks", headers=site.owner, json={"blind": None})
    assert is_problem(null, 422, "blind")
    changes = {"pause": ["tea", "coffee"], "rename": {"milk": "oat milk"}}
    arms = site.api.patch("/arenas/drinks/arms", headers=site.owner, json=changes).json()["arms"]
    assert [(arm["name"], arm["offered"]) for arm in arms] == [
        ("tea", False), ("coffee", False), ("oat milk", True),
    ]  # fmt: skip
    assert is_problem(site.ask(), 409, "fewer than two arms")
    assert is_problem(site.tell(duel, "left"), 410, "not offered")
    nix = site.api.patch("/arenas/drinks/arms", headers=site.owner, json={"pause": ["nix"]})
    assert is_problem(nix, 404, "nix")
    past = site.api.get("/arenas/drinks/history", headers=site.owner).json()
    (event,) = past["events"]
    assert (event["joined"], event["paused"]) == ([], ["tea", "coffee"])
    assert event["renamed"] == [["milk", "oat milk"]]


def test_an_expired_duel_is_410(site):
    duel = site.ask().json()["duel"]
    with site.service.store.writing() as connection:
        connection.execute("UPDATE duel SET expires_at = 1")
    assert is_problem(site.tell(duel, "left"), 410, "expired")


def test_voters_are_excluded_included_and_forgotten(site):
    for voter in ("ann", "ann", "bob"):
        site.tell(site.ask(voter).json()["duel"], "left", voter)
    path = "/arenas/drinks/voters"
    found = site.api.get(path, headers=site.owner).json()["voters"]
    assert [one["votes"] for one in found] == [2, 1]
    assert "ann" not in str(found)
    ann = found[0]["voter"]
    assert site.api.post(f"{path}/{ann}/exclude", headers=site.owner).json() == {"head": 5}
    assert site.status()["votes"] == 1
    site.api.post(f"{path}/{ann}/include", headers=site.owner)
    assert site.status()["votes"] == 3
    assert site.api.delete(f"{path}/{ann}", headers=site.owner).status_code == 200
    assert site.status()["votes"] == 3
    assert is_problem(site.api.post(f"{path}/{ann}/exclude", headers=site.owner), 404)


def test_votes_go_out_and_in_again(site):
    for verdict in ("left", "right", "tie", "skip"):
        site.tell(site.ask().json()["duel"], verdict)
    csv = site.api.get("/arenas/drinks/votes.csv", headers=site.owner)
    assert csv.headers["content-type"].startswith("text/csv")
    votes = pl.read_csv(io.StringIO(csv.text))
    assert votes["verdict"].to_list() == ["left", "right", "tie"]
    everything = site.api.get("/arenas/drinks/votes.csv?all=true", headers=site.owner).text
    assert len(everything.splitlines()) == 5
    parquet = site.api.get("/arenas/drinks/votes.parquet", headers=site.owner).content
    table = pl.read_parquet(io.BytesIO(parquet))
    assert table["duel"].to_list() == votes["duel"].to_list()
    path = "/arenas/drinks/import"
    came = site.api.post(path, headers=site.owner, params={"pairs": "other"}, content=csv.content)
    assert (came.status_code, came.json()) == (201, {"votes": 3, "counted": 0, "again": False})
    came = site.api.post(path, headers=site.owner, params={"pairs": "uniform"}, content=csv.content)
    assert came.json() == {"votes": 3, "counted": 3, "again": False}
    assert site.status()["votes"] == 6
    bad = site.api.post(path, headers=site.owner, params={"pairs": "other"}, content=b"a,b\n1,2\n")
    assert is_problem(bad, 422)
    neither = site.api.post(path, headers=site.owner, content=csv.content)
    assert is_problem(neither, 422, "pairs")


def test_few_large_files_come_in_or_are_made_at_once(site, monkeypatch):
    monkeypatch.setattr(owner, "_LARGE", BoundedSemaphore(1))
    path = "/arenas/drinks/import?pairs=other"
    with owner.at_work():
        come = site.api.post(path, headers=site.owner, content=b"x")
        made = site.api.get("/arenas/drinks/votes.parquet", headers=site.owner)
    for refused in (come, made):
        assert is_problem(refused, 429, "under way")
        assert refused.headers["retry-after"] == "10"
    assert is_problem(site.api.post(path, headers=site.owner, content=b"x"), 422)
    parquet = site.api.get("/arenas/drinks/votes.parquet", headers=site.owner)
    assert parquet.status_code == 200


def test_imports_are_listed_and_taken_back_over_http(site):
    csv = b"time,left,right,winner\n2024-05-01,tea,milk,tea\n2024-05-02,milk,tea,tea\n"
    sent = site.api.post("/arenas/drinks/import?pairs=uniform", headers=site.owner, content=csv)
    assert sent.status_code == 201
    path = "/arenas/drinks/imports"
    (one,) = site.api.get(path, headers=site.owner).json()["imports"]
    assert (one["votes"], one["of"], one["taken_back"]) == (2, 2, False)
    assert "ranges" not in one
    assert site.status()["votes"] == 2
    assert is_problem(site.api.delete(f"{path}/nix", headers=site.owner), 404)
    assert is_problem(site.api.delete(f"{path}/{one['hash']}", headers=site.embed), 403)
    assert site.api.delete(f"{path}/{one['hash']}", headers=site.owner).status_code == 200
    assert site.status()["votes"] == 0


def test_an_address_that_asks_too_often_must_wait(opened):
    made = arena.create_arena(opened, "drinks", "Which?", ["tea", "coffee"])
    with served(opened, rate=0.25, behind_proxy=True) as address:
        site = Site(address, made)
        forwarded = {"X-Forwarded-For": "198.51.100.1, 203.0.113.9"}
        assert site.ask(**forwarded).status_code == 201
        late = site.ask(**forwarded)
        assert is_problem(late, 429, "wait")
        assert int(late.headers["retry-after"]) >= 1
        spoofed = {"X-Forwarded-For": "198.51.100.7, 203.0.113.9"}
        assert site.ask(**spoofed).status_code == 429
        assert site.ask(**{"X-Forwarded-For": "203.0.113.10"}).status_code == 201
        for neighbour, status in (("::1", 201), (":a:b:c:d", 429), ("::9:1", 429)):
            said = {"X-Forwarded-For": f"2001:db8:0:5{neighbour}"}
            assert site.ask(**said).status_code == status, neighbour
        site.close()


def test_without_a_proxy_nobody_is_believed_about_addresses(opened):
    made = arena.create_arena(opened, "drinks", "Which?", ["tea", "coffee"])
    with served(opened, rate=0.25) as address:
        site = Site(address, made)
        # All come from this machine, which is not limited.
        for n in range(3):
            assert site.ask(**{"X-Forwarded-For": "203.0.113.9"}).status_code == 201, n
        site.close()


def test_paths_and_methods_that_are_not_there_are_problems(site):
    assert is_problem(site.plain.get("/a/b/c"), 404)
    assert is_problem(site.plain.get("/nix"), 404)
    assert is_problem(site.api.get("/arenas/drinks/duels"), 405)


def test_health_and_metrics(site):
    assert site.plain.get("/health/live").json() == {"live": True}
    assert site.plain.get("/health/ready").json() == {"ready": True}
    site.ask()
    text = site.plain.get("/metrics").text
    assert 'arena_request_seconds_count{method="POST",route="' in text
    assert "arena_commits_total" in text
    assert "127.0.0.1" not in text


def test_methods_that_somebody_makes_up_do_not_fill_the_memory(site):
    assert site.plain.request("MADEUP", "/drinks").status_code in (400, 405)
    methods = ("LOCK", "MKCOL", "NOTIFY", "PURGE", "SEARCH")
    for method in methods:
        assert site.plain.request(method, "/drinks").status_code == 405
    text = site.plain.get("/metrics").text
    for method in ("MADEUP", *methods):
        assert method not in text
    assert 'count{method="other",route="/{slug}",status="405"}' in text


def test_a_mistake_of_ours_is_500_without_its_reason(site, monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr(arena, "ask", broken)
    answer = site.ask()
    assert is_problem(answer, 500, "on our side")
    assert "secret" not in answer.text


def test_the_document_has_every_route_and_status(site):
    document = site.plain.get("/openapi.json").json()
    paths = document["paths"]
    ask = paths["/api/v1/arenas/{slug}/duels"]["post"]["responses"]
    assert {"201", "401", "403", "404", "409", "429", "503"} <= set(ask)
    tell = paths["/api/v1/duels/{duel}/verdict"]["put"]["responses"]
    assert {"200", "201", "403", "404", "409", "410", "422"} <= set(tell)
    assert document["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    for path, methods in paths.items():
        for method, route in methods.items():
            refused = route["responses"]["422"]["content"]["application/problem+json"]
            assert refused["schema"]["$ref"].endswith("/Problem"), (path, method)
