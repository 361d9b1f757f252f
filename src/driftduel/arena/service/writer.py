"""The one thread of a process that writes votes: what waits is committed together.

A commit waits for the disk, so a commit for each vote would be slow. While one is under way others
wait; the next takes all of them. An answer is given after the commit, never before.
"""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any, Protocol

from driftduel.arena.errors import ArenaError, Conflict, Unavailable
from driftduel.arena.store.connection import PATIENCE, Connection, IntegrityError
from driftduel.arena.store.database import Store

MOST = 512
"""Requests in one transaction."""

_CROWD = 8
"""Requests in a transaction from which on more are worth waiting for."""

_GATHER, _STEP = 0.008, 0.0004
"""Seconds to wait for those who were just answered, at most, and between two looks at how many
came. It is not waited for longer than the last commit took: where the disk is slow all share one
commit, where it is fast some are answered while others are written."""

ANSWERED_WITHIN = PATIENCE + 0.2
"""Seconds that somebody waits, for what is before, too."""

_SILENT = "the database does not answer, please try again"

Handler = Callable[[Connection, Sequence[Any]], Sequence[Any]]
"""Does many requests at once; returns for each what it gives, or the ArenaError it raises."""


class Waiter(Protocol):
    """Who waits for a result in an event loop, as a future of asyncio does."""

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop."""
        ...

    def done(self) -> bool:
        """Tell whether nobody waits any more."""
        ...

    def set_result(self, result: Any, /) -> None:
        """Take what the handler gave, in the loop."""
        ...


@dataclass
class _Job:
    handler: Handler
    request: Any
    alone: bool
    each: float | None  # seconds of a statement of what may take long
    answer: Future[Any] | Waiter  # a thread waits for it, or an event loop


class Writer:
    """Runs handlers in transactions of a thread of its own.

    Parameters
    ----------
    store : Store
        The database.
    committed : callable
        Called after every commit.
    """

    def __init__(self, store: Store, committed: Callable[[], None]) -> None:
        self.commits = 0
        self.requests = 0
        self._took = 0.0  # seconds of the last commit
        self._store = store
        self._committed = committed
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = False
        self._door = Lock()
        self._thread = Thread(target=self._run, name="arena-writer", daemon=True)
        self._thread.start()

    def do(self, handler: Handler, request: Any) -> Any:
        """Do a request together with others that wait; return when it is on the disk.

        Raises
        ------
        Unavailable
            If the database failed; whether the request was done is not known.
        ArenaError
            What the handler gave for this request.
        """
        answer: Future[Any] = Future()
        self._submit(_Job(handler, request, False, None, answer))
        return _result(_waited(answer, ANSWERED_WITHIN))

    async def do_async(self, handler: Handler, request: Any) -> Any:
        """Do the same without a thread that waits; it is done even if nobody waits any more."""
        answer = asyncio.get_running_loop().create_future()
        self.begin(handler, request, answer)
        try:
            async with asyncio.timeout(ANSWERED_WITHIN):
                return _result(await answer)
        except TimeoutError:
            raise silent() from None

    def begin(self, handler: Handler, request: Any, waiter: Waiter) -> None:
        """Do the same for who waits in a way of its own, `ANSWERED_WITHIN` seconds at most."""
        self._submit(_Job(handler, request, False, None, waiter))

    def alone(
        self,
        action: Callable[[Connection], Any],
        *,
        each: float | None = None,
        within: float | None = None,
    ) -> Any:
        """Do something rare in a transaction of its own, in turn with the others.

        With ``each`` it may take long, and every statement of it so many seconds; ``within`` is for
        how many it is waited for then.
        """
        answer: Future[Any] = Future()
        self._submit(_Job(lambda connection, _: [action(connection)], None, True, each, answer))
        return _result(_waited(answer, ANSWERED_WITHIN if each is None else within))

    def close(self) -> None:
        """Finish what waits, and end; a database that is silent is not waited for."""
        with self._door:
            self._closed = True
            self._jobs.put(None)
        self._thread.join(ANSWERED_WITHIN)

    def _submit(self, job: _Job) -> None:
        with self._door:  # nobody comes in after the last one
            if self._closed:
                raise Unavailable("the service is shutting down")
            self._jobs.put(job)

    def _run(self) -> None:
        waiting: list[_Job] = []
        going = True
        crowd = 0
        while going or waiting:
            if not waiting:
                going = self._take(waiting, block=True)
                if crowd >= _CROWD:
                    self._gather(crowd * 7 // 8)
            while going and len(waiting) < MOST and not self._jobs.empty():
                going = self._take(waiting, block=False)
            batch, waiting = _first_batch(waiting)
            if batch:
                self._commit(batch)
            crowd = len(batch) + self._jobs.qsize()

    def _gather(self, enough: int) -> None:
        """Wait a little until so many requests are there."""
        until = time.monotonic() + min(self._took, _GATHER)
        while self._jobs.qsize() < enough and time.monotonic() < until:
            time.sleep(_STEP)

    def _take(self, waiting: list[_Job], block: bool) -> bool:
        job = self._jobs.get(block)
        if job is not None:
            waiting.append(job)
        return job is not None

    def _commit(self, batch: list[_Job]) -> None:
        results: list[Any]
        try:
            with self._store.writing(each=batch[0].each) as connection:
                results = _handled(connection, batch)
                began = time.monotonic()
        except ArenaError as error:
            _answer(batch, [error] * len(batch))
            return
        except Exception as error:
            if len(batch) > 1:  # one of them is at fault, the others are not to suffer
                for job in batch:
                    self._commit([job])
                return
            late = isinstance(error, IntegrityError)
            _answer(batch, [Conflict("another request was quicker, try again") if late else error])
            return
        self._took = time.monotonic() - began
        self.commits += 1
        self.requests += len(batch)
        self._committed()
        _answer(batch, results)


def _answer(batch: list[_Job], results: list[Any]) -> None:
    """Tell those who wait; an event loop is woken once for all that wait in it."""
    loops: dict[asyncio.AbstractEventLoop, list[tuple[Waiter, Any]]] = {}
    for job, result in zip(batch, results, strict=True):
        if isinstance(job.answer, Future):
            with suppress(InvalidStateError):  # who waited gave up
                job.answer.set_result(result)
        else:
            loops.setdefault(job.answer.get_loop(), []).append((job.answer, result))
    for loop, answers in loops.items():
        with suppress(RuntimeError):  # it was closed, and nobody waits any more
            loop.call_soon_threadsafe(_wake, answers)


def silent() -> Unavailable:
    """Return what is said to who waited for long enough; it may be done nevertheless."""
    return Unavailable(_SILENT)


def _waited(answer: Future[Any], seconds: float | None) -> Any:
    """Return an answer, or say that there is none; it may be done nevertheless."""
    try:
        return answer.result(seconds)
    except TimeoutError:
        answer.cancel()
        raise silent() from None


def _wake(answers: list[tuple[Waiter, Any]]) -> None:
    for answer, result in answers:
        if not answer.done():  # who gave up gets no answer
            answer.set_result(result)


def _result(result: Any) -> Any:
    """Return what a handler gave for a request, or raise it."""
    if isinstance(result, Exception):
        raise result
    return result


def _first_batch(waiting: list[_Job]) -> tuple[list[_Job], list[_Job]]:
    """Split off what is done in one transaction: one that wants to be alone, or those before it."""
    n = next((place for place, job in enumerate(waiting) if job.alone), len(waiting))
    n = max(n, 1)
    return waiting[:n], waiting[n:]


def _handled(connection: Connection, batch: list[_Job]) -> list[Any]:
    """Return the results of jobs, those of one handler done together."""
    results: dict[int, Any] = {}
    for handler in dict.fromkeys(job.handler for job in batch):
        places = [n for n, job in enumerate(batch) if job.handler == handler]
        done = handler(connection, [batch[n].request for n in places])
        results.update(zip(places, done, strict=True))
    return [results[n] for n in range(len(batch))]
