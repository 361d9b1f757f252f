from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from driftduel.arena import Client, errors
from driftduel.arena import service as arena
from tests.arena.serving import served


@pytest.fixture
def keys(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with served(service) as address:
            yield address, made


def test_a_client_asks_tells_and_knows_the_status(keys):
    address, made = keys
    client = Client(address, made.embed_key)
    assert client.arena == "drinks"
    duel = client.ask("user 7, Zoë")
    told = client.tell(duel, "left", wants_next=True)
    assert (told.seq, told.counted, told.left) == (2, True, duel.left.body)
    assert client.tell(duel, "left").seq == 2
    client.tell(told.next.id, "right", "user 7, Zoë")
    with pytest.raises(errors.Conflict, match="told already"):
        client.tell(duel, "right")
    with pytest.raises(errors.Forbidden, match="another voter"):
        client.tell(duel.id, "left", "somebody else")
    with pytest.raises(ValueError, match="needs the voter"):
        client.tell(duel.id, "left")
    assert client.retract(duel) == 4
    assert Client(address, made.owner_token).status()["votes"] == 1


def test_a_client_with_a_wrong_key_is_told_so(keys):
    with pytest.raises(errors.Unauthorized, match="not known"):
        Client(keys[0], "embed_x").ask("ann")


def test_a_server_that_is_not_there_is_unavailable():
    client = Client("http://127.0.0.1:9", "embed_x", patience=0.2)
    with pytest.raises(errors.Unavailable, match="does not answer"):
        client.ask("ann")


def test_an_address_without_a_scheme_is_refused_at_once():
    with pytest.raises(ValueError, match="must be as http"):
        Client("127.0.0.1:8000", "embed_x")


class Moody(BaseHTTPRequestHandler):
    """Goes away, is busy, sends nonsense, and then answers."""

    said: list[str] = []  # noqa: RUF012

    def do_GET(self):
        moods = self.said
        moods.append(self.path)
        if len(moods) == 1:
            return  # the connection is closed without an answer
        status, body = [(503, b"{}"), (502, b"<html>"), (200, b'{"arena": "drinks"}')][
            len(moods) - 2
        ]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def test_a_client_tries_again_and_gives_up_what_cannot_become_better():
    Moody.said.clear()
    with HTTPServer(("127.0.0.1", 0), Moody) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        client = Client(f"http://127.0.0.1:{server.server_port}", "key", patience=20)
        with pytest.raises(errors.ArenaError, match="status 502"):
            assert client.arena
        assert len(Moody.said) == 3  # no answer, busy, and a problem that is not ours
        assert client.arena == "drinks"
        server.shutdown()
        thread.join()
