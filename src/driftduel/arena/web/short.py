"""The short way of a verdict: most requests are one, and the long way takes longer than a vote.

What is taken here is a verdict that came whole, with a key that was looked up a second ago at most,
and from no other web site. It is handed to the writer where its connection read it, and answered
where the writer is done, with no task and no application between. All else about it is as
`driftduel.arena.web.voter.tell` has it: what is odd goes there and is refused there, so no rule
stands twice.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import to_json as as_bytes

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError
from driftduel.arena.json import to_json
from driftduel.arena.service import writer
from driftduel.arena.web import schemas
from driftduel.arena.web.metrics import Watch
from driftduel.arena.web.problems import BROKEN, problem, problem_of
from driftduel.arena.web.security import MOST_BODY, Access

_LOGGER = logging.getLogger("driftduel.arena")

ROUTE = "/duels/{duel}/verdict"
"""The route, as the long way logs it."""

_URL = re.compile(rb"/api/v1/duels/([A-Za-z0-9_-]{22})/verdict")
_EVERY = ((b"x-content-type-options", b"nosniff"), (b"vary", b"Origin"))
_JSON = [(b"content-type", b"application/json")]
_ODD = frozenset((b"origin", b"transfer-encoding", b"expect", b"upgrade"))
_REMEMBERED = 200
"""Bytes of a body at most whose meaning is remembered: nearly all are the same few."""


class Usual(NamedTuple):
    """What the head of a usual verdict says."""

    duel: str
    voter: str
    holder: arena.Holder
    host: str
    forwarded: str


class ShortWay:
    """Takes verdicts as nearly all are.

    Parameters
    ----------
    access : Access
        Who may do what.
    watch : Watch
        Counts and logs requests.
    """

    def __init__(self, access: Access, watch: Watch) -> None:
        self.access, self.watch = access, watch

    def usual(
        self, url: bytes, headers: list[tuple[bytes, bytes]], client: tuple[str, int] | None
    ) -> Usual | None:
        """Return what a PUT says beside its body, None if it is to go the long way."""
        path = _URL.fullmatch(url)
        if path is None:
            return None
        found = dict(headers)
        length = found.get(b"content-length", b"")
        if not length.isdigit() or int(length) > MOST_BODY or len(found) != len(headers):
            return None
        if not _ODD.isdisjoint(found):
            return None
        voter = found.get(b"x-voter", b"").decode("latin-1")
        kind, _, token = found.get(b"authorization", b"").decode("latin-1").partition(" ")
        if not 1 <= len(voter) <= 500 or kind.lower() != "bearer":
            return None
        holder = self.access.voting_holder(token.strip())
        if holder is None:
            return None
        forwarded = found.get(b"x-forwarded-for", b"").decode("latin-1")
        return Usual(path[1].decode(), voter, holder, client[0] if client else "", forwarded)


class Answering:
    """A verdict on the short way: what a connection of uvicorn keeps of a request under way.

    It has the attributes of uvicorn's own that the connection looks at, is its own event, and what
    the writer gives its result to.

    Parameters
    ----------
    short : ShortWay
        Where it goes.
    said : Usual
        What its head says.
    connection : PatientProtocol
        Where it came from.
    keep_alive : bool
        Whether the connection is kept.
    """

    def __init__(self, short: ShortWay, said: Usual, connection: Any, keep_alive: bool) -> None:
        self.body = bytearray()
        self.more_body = True
        self.disconnected = self.response_complete = False
        self.keep_alive = keep_alive
        self.message_event = self
        self._short, self._said, self._connection = short, said, connection
        self._began = time.perf_counter()
        self._tell: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._given_up = False

    def set(self) -> None:
        """Begin, when all of the request is there."""
        if self.more_body or self.disconnected or self._tell is not None:
            return
        said = said_in(bytes(self.body))
        if said is None or not self._may_go_on():
            self._connection.go_the_long_way(bytes(self.body))
            return
        usual = self._said
        try:
            self._tell = arena.begin_to_tell(
                self._short.access.service,
                self,
                usual.duel,
                usual.voter,
                said.verdict,
                wants_next=said.next,
                arena=usual.holder.arena,
                fields=said.fields,
            )
        except ArenaError as error:
            self._tell = error
            self._refuse(error)
        else:
            self._timer = self.get_loop().call_later(writer.ANSWERED_WITHIN, self._give_up)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop in which a result is to be set."""
        loop: asyncio.AbstractEventLoop = self._connection.loop
        return loop

    def done(self) -> bool:
        """Tell whether nobody waits for a result any more."""
        return self._given_up

    def set_result(self, result: Any) -> None:
        """Answer with what the writer gave."""
        if self._timer is not None:
            self._timer.cancel()
        if isinstance(result, Exception):
            self._refuse(result)
            return
        try:
            receipt = arena.receipt_at_hand(self._tell, result)
        except Exception as error:
            self._refuse(error)
            return
        if receipt is not None:
            self._acknowledge(receipt)
            return
        task = self.get_loop().create_task(self._look_up(result))
        task.add_done_callback(self._connection.tasks.discard)
        self._connection.tasks.add(task)

    def _may_go_on(self) -> bool:
        """Count a request of its address; tell whether there were not too many."""
        access, said = self._short.access, self._said
        return said.holder.role != "embed" or access.takes(said.host, said.forwarded)

    def _acknowledge(self, receipt: arena.Receipt) -> None:
        self._answer(201 if receipt.first else 200, as_bytes(to_json(receipt)), _JSON)

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, ArenaError):
            refused = problem_of(error)
        else:
            refused = problem(500, BROKEN)
            _LOGGER.error("a verdict failed", exc_info=error)
        extra = [one for one in refused.raw_headers if one[0] != b"content-length"]
        self._answer(refused.status_code, bytes(refused.body), extra)

    def _give_up(self) -> None:
        self._given_up = True
        self._refuse(writer.silent())

    async def _look_up(self, result: Any) -> None:
        """Answer with what is in the database, in a thread."""
        try:
            receipt = await asyncio.to_thread(arena.receipt_of, self._tell, result)
        except Exception as error:
            self._refuse(error)
        else:
            self._acknowledge(receipt)

    def _answer(self, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        self._short.watch.note("PUT", ROUTE, status, time.perf_counter() - self._began)
        if not self.disconnected:
            self._connection.answer(self, status, (*headers, *_EVERY), body)


@lru_cache(256)
def _remembered(body: bytes) -> schemas.Verdict | None:
    try:
        return schemas.Verdict.model_validate_json(body)
    except ValidationError:
        return None


def said_in(body: bytes) -> schemas.Verdict | None:
    """Return what the body of a request says, None if it says something else."""
    return _remembered(body) if len(body) <= _REMEMBERED else _remembered.__wrapped__(body)
