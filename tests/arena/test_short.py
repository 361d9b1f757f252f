"""The short way of a verdict answers as the long one would, and takes what is usual."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Unavailable
from driftduel.arena.web import security
from driftduel.arena.web.app import create_app
from driftduel.arena.web.security import Access

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("quick_to_start")]

LEFT = {"verdict": "left", "next": True}


class Both:
    """An application, and the same without the short way; ``handed_on`` counts the latter."""

    def __init__(self, service, **rules):
        self.app = create_app(Access(service, **rules))
        self.long = self.app.short.app
        self.handed_on = 0
        self.app.short.app = self._counted

    async def _counted(self, *arguments):
        self.handed_on += 1
        await self.long(*arguments)

    def send(self, app, duel, headers, body):
        async def sent():
            transport = httpx.ASGITransport(app, client=("203.0.113.9", 123))
            async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                path = f"/api/v1/duels/{duel}/verdict"
                return await client.put(path, headers=headers, content=body)

        return asyncio.run(sent())

    def answers(self, duel, headers, body):
        """What both ways say."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        told = [self.send(app, duel, headers, body) for app in (self.long, self.app)]
        return [(one.status_code, one.json(), sorted(one.headers.multi_items())) for one in told]


@pytest.fixture
def both(drinks):
    return Both(drinks, behind_proxy=True)


@pytest.fixture
def headers(drinks):
    key = arena.new_token(drinks, "drinks", "embed")
    return {"Authorization": f"Bearer {key}", "X-Voter": "ann"}


def asked(service, voter="ann"):
    return arena.ask(service, "drinks", voter).duel


def test_a_usual_verdict_goes_the_short_way(both, drinks, headers, monkeypatch):
    monkeypatch.setattr(security, "_KEPT", 3600.0)  # a busy machine may take seconds between two
    both.send(both.app, asked(drinks), headers, json.dumps(LEFT).encode())  # the key is looked up
    before, handed_on = arena.status(drinks, "drinks").votes, both.handed_on
    answer = both.send(both.app, asked(drinks), headers, json.dumps(LEFT).encode())
    assert (answer.status_code, both.handed_on) == (201, handed_on)
    assert arena.status(drinks, "drinks").votes == before + 1
    following = answer.json()["next"]["duel"]
    assert both.send(both.app, following, headers, b'{"verdict": "skip"}').status_code == 201
    assert both.handed_on == handed_on


def test_both_ways_say_the_same(both, drinks, headers):
    told, other, gone = asked(drinks), asked(drinks), asked(drinks, "bob")
    for duel in (told, other):
        both.send(both.long, duel, headers, b'{"verdict": "left"}')
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
    both.send(both.long, duel, headers, b'{"verdict": "left"}')

    async def away(handler, request):
        raise Unavailable("the database cannot be reached")

    monkeypatch.setattr(drinks.writer, "do_async", away)
    long, short = both.answers(duel, headers, {"verdict": "left"})
    assert long == short
    assert (short[0], ("retry-after", "1") in short[2]) == (503, True)


def test_who_sends_too_much_is_told_so_on_the_short_way(drinks, headers):
    both = Both(drinks, behind_proxy=True, rate=1.0)
    duel = asked(drinks)
    body = json.dumps(LEFT).encode()
    statuses = [both.send(both.app, duel, headers, body).status_code for _ in range(6)]
    assert statuses == [201, 200, 200, 200, 429, 429]


def test_a_key_that_was_revoked_is_refused_on_the_short_way_too(drinks, monkeypatch):
    both = Both(drinks)
    key = arena.new_token(drinks, "drinks", "embed")
    headers = {"Authorization": f"Bearer {key}", "X-Voter": "ann"}
    assert both.send(both.app, asked(drinks), headers, b'{"verdict": "left"}').status_code == 201
    arena.revoke_token(drinks, "drinks", arena.tokens(drinks, "drinks")[-1].id)
    monkeypatch.setattr("driftduel.arena.web.security._KEPT", 0.0)
    assert both.send(both.app, asked(drinks), headers, b'{"verdict": "left"}').status_code == 401
