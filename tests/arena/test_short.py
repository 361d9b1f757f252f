"""The short way of a verdict answers as the long one would, and takes what is usual."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack
from unittest.mock import patch

import httpx
import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Unavailable
from driftduel.arena.service import writer
from driftduel.arena.web import security, voter
from driftduel.arena.web.app import create_app
from driftduel.arena.web.security import Access
from tests.arena.serving import running
from tests.processes import wait_until

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("quick_to_start")]

LEFT = {"verdict": "left", "next": True}


class Both:
    """A server, and the same without the short way; ``handed_on`` counts who went the long one."""

    def __init__(self, service, stack, **rules):
        app = create_app(Access(service, **rules))
        self.address = stack.enter_context(running(app))
        self.short = app.state.short
        self.handed_on = 0
        tell_async = voter.arena.tell_async

        async def counted(*arguments, **options):
            self.handed_on += 1
            return await tell_async(*arguments, **options)

        stack.enter_context(patch.object(voter.arena, "tell_async", counted))

    def send(self, duel, headers, body, *, short=True):
        usual = self.short.usual if short else lambda *_: None
        path = f"{self.address}/api/v1/duels/{duel}/verdict"
        with patch.object(self.short, "usual", usual), httpx.Client(timeout=30) as client:
            return client.put(path, headers=headers, content=body)

    def answers(self, duel, headers, body):
        """What both ways say."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        told = [self.send(duel, headers, body, short=short) for short in (False, True)]
        for one in told:
            del one.headers["date"]
        return [(one.status_code, one.json(), sorted(one.headers.multi_items())) for one in told]


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def both(drinks, stack):
    return Both(drinks, stack, behind_proxy=True)


@pytest.fixture
def headers(drinks):
    key = arena.new_token(drinks, "drinks", "embed")
    return {"Authorization": f"Bearer {key}", "X-Voter": "ann"}


def asked(service, voter="ann"):
    return arena.ask(service, "drinks", voter).duel


def test_a_usual_verdict_goes_the_short_way(both, drinks, headers, monkeypatch):
    monkeypatch.setattr(security, "_KEPT", 3600.0)  # a busy machine may take seconds between two
    both.send(asked(drinks), headers, json.dumps(LEFT).encode())  # the key is looked up
    before, handed_on = arena.status(drinks, "drinks").votes, both.handed_on
    answer = both.send(asked(drinks), headers, json.dumps(LEFT).encode())
    assert (answer.status_code, both.handed_on) == (201, handed_on)
    assert arena.status(drinks, "drinks").votes == before + 1
    following = answer.json()["next"]["duel"]
    assert both.send(following, headers, b'{"verdict": "skip"}').status_code == 201
    assert both.handed_on == handed_on


def test_both_ways_say_the_same(both, drinks, headers):
    told, other, gone = asked(drinks), asked(drinks), asked(drinks, "bob")
    for duel in (told, other):
        both.send(duel, headers, b'{"verdict": "left"}', short=False)
    arena.retract(drinks, other, "ann")
    same = {"verdict": "left"}
    cases = [
        (told, {}, same),
        (told, {}, {"verdict": "right"}),
        (other, {}, same),
        (gone, {}, same),
        ("x" * 22, {}, same),
        ("nothing", {}, same),
        (told, {}, {"verdict": "best"}),
        (told, {}, {"verdict": "left", "more": 1}),
        (told, {}, b"\xff"),
        (told, {}, b"x" * 70_000),
        (told, {"X-Voter": "bob"}, same),
        (told, {"X-Voter": ""}, same),
        (told, {"X-Voter": "x" * 501}, same),
        (told, {"Authorization": "Bearer embed_nobody"}, same),
        (told, {"Authorization": "Basic x"}, same),
        (told, {"Origin": "https://example.org"}, same),
    ]
    statuses = []
    for duel, changes, body in cases:
        long, short = both.answers(duel, {**headers, **changes}, body)
        assert long == short
        statuses.append(short[0])
    expected = [200, 409, 409, 403, 404, 404, 422, 422, 422, 413, 403, 422, 422, 401, 401, 200]
    assert statuses == expected


def test_both_ways_say_the_same_of_a_database_that_is_away(both, drinks, headers, monkeypatch):
    duel = asked(drinks)
    both.send(duel, headers, b'{"verdict": "left"}')

    def away(handler, request, waiter):
        raise Unavailable("the database cannot be reached")

    monkeypatch.setattr(drinks.writer, "begin", away)
    long, short = both.answers(duel, headers, {"verdict": "left"})
    assert long == short
    assert (short[0], ("retry-after", "1") in short[2]) == (503, True)


def test_both_ways_say_the_same_of_a_writer_that_fails_or_is_silent(
    both, drinks, headers, monkeypatch
):
    duel = asked(drinks)
    both.send(duel, headers, b'{"verdict": "left"}')

    def fail(handler, request, waiter):
        waiter.get_loop().call_soon(waiter.set_result, ZeroDivisionError("a fault of ours"))

    monkeypatch.setattr(writer, "ANSWERED_WITHIN", 0.1)
    monkeypatch.setattr(drinks.writer, "begin", lambda *_: None)
    long, short = both.answers(duel, headers, {"verdict": "left"})
    assert long == short
    assert (short[0], short[1]["detail"]) == (503, str(writer.silent()))
    monkeypatch.setattr(drinks.writer, "begin", fail)
    assert both.send(duel, headers, b'{"verdict": "left"}').status_code == 500


def test_who_sends_too_much_is_told_so_on_the_short_way(drinks, stack, headers):
    both = Both(drinks, stack, behind_proxy=True, rate=1.0)
    duel = asked(drinks)
    body = json.dumps(LEFT).encode()
    statuses = [both.send(duel, headers, body).status_code for _ in range(6)]
    assert statuses == [201, 200, 200, 200, 429, 429]


def test_a_key_that_was_revoked_is_refused_on_the_short_way_too(drinks, stack, monkeypatch):
    both = Both(drinks, stack)
    key = arena.new_token(drinks, "drinks", "embed")
    headers = {"Authorization": f"Bearer {key}", "X-Voter": "ann"}
    assert both.send(asked(drinks), headers, b'{"verdict": "left"}').status_code == 201
    arena.revoke_token(drinks, "drinks", arena.tokens(drinks, "drinks")[-1].id)
    monkeypatch.setattr("driftduel.arena.web.security._KEPT", 0.0)
    assert both.send(asked(drinks), headers, b'{"verdict": "left"}').status_code == 401


def spoken(both, *parts):
    """Send parts one after the other on one connection; return all that comes back."""
    host, port = both.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as client:
        for part in parts:
            client.sendall(part)
        return b"".join(iter(lambda: client.recv(65_536), b""))


def request(duel, headers, body=b'{"verdict": "left"}', *more):
    lines = [f"PUT /api/v1/duels/{duel}/verdict HTTP/1.1", "Host: x", *more]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    return head.encode() + body


def test_a_connection_may_send_in_pieces_in_a_row_and_close(both, drinks, headers, monkeypatch):
    monkeypatch.setattr(security, "_KEPT", 3600.0)
    duels = [asked(drinks) for _ in range(6)]
    both.send(duels[5], headers, b'{"verdict": "left"}')
    handed_on = both.handed_on
    pieces = [bytes([one]) for one in request(duels[0], headers)]
    row = b"".join(request(duel, headers) for duel in duels[1:3])
    health = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
    last = request(duels[3], headers, b'{"verdict": "tie"}', "Connection: close")
    answer = spoken(both, *pieces, row + health, last)
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [
        b"201",
        b"201",
        b"201",
        b"200",
        b"201",
    ]
    assert b'"live":true' in answer
    assert answer.count(b"connection: close") == 1
    assert both.handed_on - handed_on in (1, 2, 3)  # what comes before an answer waits its turn
    for duel in duels[:4]:
        assert both.send(duel, headers, b'{"verdict": "skip"}').status_code == 409


def test_who_hangs_up_has_voted_nevertheless(both, drinks, headers, monkeypatch):
    monkeypatch.setattr(security, "_KEPT", 3600.0)
    first, duel = asked(drinks), asked(drinks)
    both.send(first, headers, b'{"verdict": "left"}')
    host, port = both.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(request(duel, headers))
    wait_until(lambda: arena.status(drinks, "drinks").votes == 2)
    assert both.send(duel, headers, b'{"verdict": "left"}').status_code == 200


@pytest.mark.parametrize(
    "odd",
    ["Expect: 100-continue", "Transfer-Encoding: chunked", "Upgrade: websocket", "Host: y"],
)
def test_what_is_odd_goes_the_long_way(both, drinks, headers, monkeypatch, odd):
    monkeypatch.setattr(security, "_KEPT", 3600.0)
    both.send(asked(drinks), headers, b'{"verdict": "left"}')
    name, value = odd.split(": ")
    found = [(key.lower().encode(), text.encode()) for key, text in headers.items()]
    found += [(b"content-length", b"2"), (b"host", b"x")]
    url = b"/api/v1/duels/" + b"x" * 22 + b"/verdict"
    assert both.short.usual(url, found, ("203.0.113.9", 1)) is not None
    assert both.short.usual(url, [*found, (name.lower().encode(), value.encode())], None) is None
    for other in (url + b"?a=1", url.replace(b"x" * 22, b"a/b"), url.replace(b"xx", b"%41"), b"/x"):
        assert both.short.usual(other, found, None) is None
