"""Automatic judges: asked of a server of our own, counted as nobody, held against people."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from driftduel.arena import service as arena
from driftduel.arena.endpoint import Endpoint, OutOfBudget, Silent
from driftduel.arena.errors import Invalid, NotFound
from driftduel.arena.model import Card
from driftduel.cli import main
from tests.arena.pages import words_of
from tests.arena.voting import prefer, state
from tests.commands import refuser, runner

LIKES = ["milk", "tea", "coffee"]
"""What the model likes, best first."""


class Model(BaseHTTPRequestHandler):
    """A model that answers by its likes, after what ``script`` has first."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((dict(self.headers), body))
        code, said, more = self.server.script.pop(0) if self.server.script else (200, None, {})
        if said is None:
            one, other = body["messages"][1]["content"].split("\nB:\n")
            first = one.partition("\nA:\n")[2] or one.partition("A:\n")[2]
            places = [
                next(n for n, like in enumerate(self.server.likes) if like in text)
                for text in (first, other)
            ]
            said = "A" if places[0] < places[1] else "B"
        told = {"choices": [{"message": {"content": said}}], "usage": {"total_tokens": 7}}
        data = json.dumps(told).encode()
        self.send_response(code)
        for name, value in {"content-length": len(data), **more}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words):
        pass


@contextmanager
def model(*script, likes=LIKES):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.seen, server.script, server.likes = [], list(script), likes
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        server.url = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def poll(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee", "milk"], seed=1)
        service.folder = tmp_path
        yield service


def asked(service, endpoint, most=100):
    try:
        return arena.ask_judge(
            service, "drinks", "robot", endpoint.ask, most, stops=(OutOfBudget, Silent)
        )
    finally:
        endpoint.close()


def test_each_pair_is_asked_in_both_orders_and_the_key_goes_into_the_header_alone(poll):
    log = poll.folder / "log.jsonl"
    with model() as server:
        done, why = asked(poll, Endpoint(server.url, "m", "secret", log=log))
    assert (done, why) == (6, None)
    headers, body = server.seen[0]
    assert headers["Authorization"] == "Bearer secret"
    assert body["temperature"] == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["said"] for line in lines].count("A") == 3
    assert "secret" not in log.read_text()
    # What was answered is not asked again.
    assert arena.questions(poll, "drinks", "robot", 100) == []
    assert len(arena.questions(poll, "drinks", "another", 100)) == 6


def test_its_answers_count_as_nobodys(poll):
    """No vote, voter, chance, limit or state of the learner knows of them."""
    prefer(poll, "tea", 40)
    poll.follow()
    before = arena.status(poll, "drinks"), arena.health(poll, "drinks")
    kept = state(poll)
    lines = list(arena.votes_csv(poll, "drinks", everything=True))
    with model() as server:
        asked(poll, Endpoint(server.url, "m"))
    after = arena.status(poll, "drinks"), arena.health(poll, "drinks")
    assert after[0].votes == before[0].votes == 40
    assert [one.score for one in after[0].arms] == [one.score for one in before[0].arms]
    assert after[1].voters == before[1].voters
    assert after[1].answered == before[1].answered
    now = state(poll)
    assert now[0][1:] == kept[0][1:]  # but for the number of the last event
    assert now[1:] == kept[1:]
    rows = [line.rsplit(",", 1)[0] for line in "".join(lines).splitlines()]
    again = "".join(arena.votes_csv(poll, "drinks", everything=True)).splitlines()
    assert len(rows) == len(again)
    assert arena.verify(poll.store)[0].votes == 40


def test_what_fails_is_asked_again_as_long_as_the_endpoint_wants_and_the_budget_lasts(poll):
    waits = []
    script = [(429, "", {"retry-after": "3"}), (503, "", {}), (200, "well, both", {})]
    with model(*script) as server:
        endpoint = Endpoint(server.url, "m", budget=6, sleep=waits.append)
        done, why = asked(poll, endpoint)
    assert waits == [3.0, 2.0, 4.0]
    assert done == 3
    assert "6 requests" in why
    assert len(arena.questions(poll, "drinks", "robot", 100)) == 4  # what lacks an order, again


@pytest.mark.parametrize(
    ("code", "said", "what"),
    [(401, "A", "answered 401"), (302, "A", "answered 302"), (200, "perhaps", "neither A, B nor")],
)
def test_what_makes_no_sense_ends_it_with_a_sentence(poll, code, said, what):
    with model(*[(code, said, {})] * 9) as server:
        done, why = asked(poll, Endpoint(server.url, "m", retries=1, sleep=lambda seconds: None))
    assert done == 0
    assert what in why


def test_nobody_there_is_said_and_addresses_are_checked(poll):
    done, why = asked(poll, Endpoint("http://127.0.0.1:9/v1", "m", retries=0))
    assert (done, "cannot be reached" in why) == (0, True)
    for url in ("ftp://host/v1", "nonsense", "http://user:key@host/v1"):
        with pytest.raises(Invalid):
            Endpoint(url, "m")


def test_anchors_are_asked_again_and_a_judge_that_moved_is_found(poll):
    arena.change_arena(poll, "drinks", {"anchors": True})
    prefer(poll, "tea", 20)
    for likes in [LIKES] * 9 + [LIKES[::-1]] * 7:
        with model(likes=likes) as server:
            done, _ = asked(poll, Endpoint(server.url, "m"))
            assert done == 6
    poll.follow()
    (found,) = arena.judges(poll, "drinks")
    assert found.agreement.rounds == 16
    assert found.moved is not None
    assert found.agreement.contradicts == 0


def test_cases_are_contexts_and_pictures_are_left_out(poll):
    for context in ("hot day", "cold day"):
        for name in ("tea", "milk"):
            arena.set_card(poll, "drinks", name, Card("text", f"{name} on a {context}"), context)
    poll.follow()
    found = arena.questions(poll, "drinks", "robot", 100)
    assert [one.context for one in found].count("hot day") == 2
    assert len(found) == 4
    assert len(arena.questions(poll, "drinks", "robot", 3)) == 2  # both orders or none


def test_command_page_and_api_say_how_far_it_agrees(site, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prefer(site.service, "milk", 60)
    run, no = runner(main, capsys), refuser(main, "driftduel", capsys)
    database = f"sqlite:{tmp_path}/arena.db"
    assert "no judge was asked yet" in run("judge", "drinks", "--database", database).out
    with model() as server:
        told = run(
            "judge", "drinks", "--url", server.url, "--model", "m<b>", "--database", database
        ).out
    assert told.startswith("6 answers by 6 requests (42 tokens), logged in drinks-judge.jsonl\n")
    assert "agrees with people in 100%" in told
    assert "--url and --model" in no("judge", "drinks", "--model", "m", "--database", database)
    site.service.follow()
    (one,) = site.api.get("/arenas/drinks/judges", headers=site.owner).json()["judges"]
    assert one["agrees"]["share"] == 1.0
    assert one["width"] is not None
    assert {row["option"] for row in one["scores"]} == {"tea", "coffee", "milk"}
    assert site.api.get("/arenas/drinks/judges", headers=site.embed).status_code == 403
    with site.browser() as owner:
        assert owner.get("/drinks/owner/judges").status_code in (200, 303)
        owner.post("/drinks/owner", data={"token": site.made.owner_token})
        assert "/drinks/owner/judges" in owner.get("/drinks/owner").text
        page = owner.get("/drinks/owner/judges")
        assert "agrees with people in 100%" in words_of(page)
        assert "<b>" not in page.text.partition("<main")[2].replace("m<b>", "")
        gone = owner.post("/drinks/owner/judges", data={"gone": "m<b>"})
        assert "No judge was asked yet" in words_of(gone)
    gone = site.api.delete("/arenas/drinks/judges/nobody", headers=site.owner)
    assert gone.status_code == 404
    with pytest.raises(NotFound):
        arena.forget_judge(site.service, "drinks", "nobody")
