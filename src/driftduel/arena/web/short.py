"""The short way of a verdict: most requests are one, and the long way takes longer than a vote.

What is taken here is a verdict that came whole, with a key that was looked up a second ago at most,
and from no other web site. All else about it is as `driftduel.arena.web.voter.tell` has it: what is
odd goes there and is refused there, so no rule stands twice.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import to_json as as_bytes
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError
from driftduel.arena.json import to_json
from driftduel.arena.web import schemas
from driftduel.arena.web.metrics import Watch
from driftduel.arena.web.problems import problem_of
from driftduel.arena.web.security import MOST_BODY, Access

ROUTE = "/duels/{duel}/verdict"
"""The route, as the long way logs it."""

_BEFORE, _AFTER = "/api/v1/duels/", "/verdict"
_EVERY = [(b"x-content-type-options", b"nosniff"), (b"vary", b"Origin")]
_JSON = (b"content-type", b"application/json")


class _Verdict(NamedTuple):
    duel: str
    voter: str
    holder: arena.Holder


class ShortWay:
    """Takes verdicts as nearly all are, and hands on every other request.

    Parameters
    ----------
    app : ASGI application
        The long way.
    access : Access
        Who may do what.
    watch : Watch
        Counts and logs requests.
    """

    def __init__(self, app: ASGIApp, access: Access, watch: Watch) -> None:
        self.app, self._access, self._watch = app, access, watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        began = time.perf_counter()
        found = self._usual(scope)
        if found is None:
            await self.app(scope, receive, send)
            return
        messages = await _received(receive)
        said = _said(messages)
        if said is None or not self._may_go_on(scope, found.holder):
            await self.app(scope, _again(messages, receive), send)
            return
        status, extra = 500, []
        try:
            done = await arena.tell_async(
                self._access.service,
                found.duel,
                found.voter,
                said.verdict,
                wants_next=said.next,
                arena=found.holder.arena,
                fields=said.fields,
            )
            status, body, extra = 201 if done.first else 200, as_bytes(to_json(done)), [_JSON]
        except ArenaError as error:
            refused = problem_of(error)
            status, body = refused.status_code, bytes(refused.body)
            extra = [one for one in refused.raw_headers if one[0] != b"content-length"]
        finally:
            self._watch.note("PUT", ROUTE, status, time.perf_counter() - began)
        size = (b"content-length", str(len(body)).encode())
        headers = [size, *extra, *_EVERY]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _usual(self, scope: Scope) -> _Verdict | None:
        """Return what a request says beside its body, None if it is to go the long way."""
        if scope["type"] != "http" or scope["method"] != "PUT":
            return None
        path: str = scope["path"]
        if not (path.startswith(_BEFORE) and path.endswith(_AFTER)):
            return None
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"")
        if not length.isdigit() or int(length) > MOST_BODY or len(headers) != len(scope["headers"]):
            return None
        if b"origin" in headers or b"transfer-encoding" in headers:
            return None
        voter = headers.get(b"x-voter", b"").decode("latin-1")
        kind, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        duel = path[len(_BEFORE) : -len(_AFTER)]
        if not 1 <= len(voter) <= 500 or kind.lower() != "bearer" or "/" in duel:
            return None
        holder = self._access.voting_holder(token.strip())
        return None if holder is None else _Verdict(duel, voter, holder)

    def _may_go_on(self, scope: Scope, holder: arena.Holder) -> bool:
        """Count a request of its address; tell whether there were not too many."""
        return holder.role != "embed" or self._access.takes(scope)


async def _received(receive: Receive) -> list[Message]:
    """Return the parts of a request, all of them unless there are too many."""
    messages: list[Message] = []
    more = True
    while more and sum(len(one.get("body", b"")) for one in messages) <= MOST_BODY:
        messages.append(await receive())
        more = bool(messages[-1].get("more_body"))
    return messages


def _said(messages: list[Message]) -> schemas.Verdict | None:
    """Return what the body of a request says, None if it is not whole or says something else."""
    if messages[-1]["type"] != "http.request" or messages[-1].get("more_body"):
        return None
    try:
        return schemas.Verdict.model_validate_json(b"".join(one["body"] for one in messages))
    except ValidationError:
        return None


def _again(messages: list[Message], receive: Receive) -> Receive:
    """Return what gives messages again that were received, and then what follows."""
    waiting = messages[::-1]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
