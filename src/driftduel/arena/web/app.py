"""The application: routes, rules and what watches them, on a service that is open."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing import parent_process
from threading import Thread, current_thread, main_thread
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI

from driftduel import __version__
from driftduel.arena import service as arena
from driftduel.arena.web import judges, metrics, owner, public, told, voter, why
from driftduel.arena.web.pages import create, gate, life, results, suggest, voters
from driftduel.arena.web.pages import judges as judges_page
from driftduel.arena.web.pages import owner as owner_page
from driftduel.arena.web.pages import told as told_page
from driftduel.arena.web.pages import voter as voter_page
from driftduel.arena.web.pages import why as why_page
from driftduel.arena.web.pages.html import Static, refused
from driftduel.arena.web.problems import Problem, answer_problems
from driftduel.arena.web.security import Access, RequestLimits
from driftduel.arena.web.short import ShortWay

OPTIONS = "DRIFTDUEL_ARENA"
"""The variable that tells the processes of a server what they serve."""

_AT_LAST = 9.0
"""Seconds after a signal to end at which the process is gone in any case."""

_THREADS = 100
"""Requests that wait for the database at once."""


def create_app(access: Access, *, closes: bool = False) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    access : Access
        Its rules, with the service that it calls.
    closes : bool
        Whether the service is closed when the application ends.
    """
    watch = metrics.Watch(access.service.writer)

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = _THREADS
        saying = asyncio.create_task(watch.say_now_and_then())
        yield
        saying.cancel()
        await saying
        if closes:
            access.service.close()

    app = FastAPI(
        title="driftduel arena",
        version=__version__,
        description="Which of two do people prefer? Who is best, since when, how sure.",
        lifespan=running,
        docs_url=None,  # its page would load scripts of another site
        redoc_url=None,
    )
    app.state.access = access
    for router in (
        voter.told,
        voter.router,
        owner.router,
        told.router,
        public.router,
        why.router,
        judges.router,
        public.images,
    ):
        app.include_router(router, prefix="/api/v1")
    app.include_router(metrics.router)
    app.mount("/static", Static())
    for pages in (
        create.router,
        results.router,
        suggest.router,
        told.feed,
        told_page.router,
        why_page.router,
        voters.router,
        life.router,
        gate.router,
        judges_page.router,
        owner_page.router,
        voter_page.router,
    ):
        app.include_router(pages)
    answer_problems(app, refused)
    app.add_middleware(RequestLimits)
    app.add_middleware(metrics.RequestLog, watch=watch)
    app.state.short = ShortWay(access, watch)
    _describe_problems(app)
    return app


def app_of_environment() -> FastAPI:
    """Return the application of a process that a server started."""
    options = json.loads(os.environ[OPTIONS])
    metrics.log_as_json()
    service = arena.Service.open(options.pop("database"), create=False)
    service.post = arena.Post.of_environment(os.environ)
    service.serve()
    app = create_app(Access(service, **options), closes=True)
    keep_what_is_there()
    _end_with_parent()
    _end_in_time()
    return app


def keep_what_is_there() -> None:
    """Tell the process not to look for garbage among what is there now.

    It took a third of the time of votes.
    """
    gc.collect()
    gc.freeze()


def _end_in_time() -> None:
    """Let a signal to end do so, also if a thread waits for what does not come.

    What was acknowledged is on the disk, and nothing else may be lost.
    """
    handlers: dict[int, Any] = {}

    def end() -> None:
        time.sleep(_AT_LAST)
        logging.getLogger("driftduel.arena").warning("ended while something was still under way")
        os._exit(0)

    def told(number: int, frame: Any) -> None:
        Thread(target=end, daemon=True).start()
        before = handlers[number]
        if callable(before):
            before(number, frame)

    if current_thread() is main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            handlers[number] = signal.signal(number, told)


def _end_with_parent() -> None:
    """Let one of several processes end, after what is under way, when their parent was killed.

    Nobody would start it again, and it would keep the address from the next server.
    """
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=wait, daemon=True).start()


def _describe_problems(app: FastAPI) -> None:
    """Put the shape of problems into the OpenAPI document."""
    document = app.openapi()
    schema = Problem.model_json_schema()
    document["components"]["schemas"]["Problem"] = schema
    for name in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(name, None)
