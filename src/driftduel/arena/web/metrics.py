"""Whether the service is well: /health, /metrics, and lines of JSON of what was answered.

No address is logged, and of a path its pattern only: the id of a duel allows to answer it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from contextlib import suppress
from statistics import median
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client import generate_latest as text_of
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from driftduel.arena.service.writer import Writer
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)
log = logging.getLogger("driftduel.arena")

_REGISTRY = CollectorRegistry()
_SECONDS = Histogram(
    "arena_request_seconds",
    "Time that requests took",
    ["method", "route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
    registry=_REGISTRY,
)
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""Those that are counted by name: whoever makes up others must not fill the memory with them."""

_EVERY = 10.0
"""Seconds of which one line tells."""

_COMMITS = Counter("arena_commits", "Transactions that wrote", registry=_REGISTRY)
_WRITES = Counter("arena_writes", "Requests that they did", registry=_REGISTRY)


@router.get("/health/live")
async def live() -> Response:
    """Say that the process answers."""
    return JSONResponse({"live": True})


@router.get("/health/ready")
async def ready(request: Request) -> Response:
    """Say whether votes can be written and the copies follow them; 503 if not."""
    await access_of(request).service.check_ready_async()
    return JSONResponse({"ready": True})


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return counts as Prometheus reads them, of all processes of this server together."""
    registry = _REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(text_of(registry), media_type=CONTENT_TYPE_LATEST)


class Watch:
    """Counts, times and logs requests: a line for all of a kind that came within some seconds.

    A line for each would take longer than a vote, and let whoever sends many fill the disk.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._counted = (0, 0)
        self._kinds: dict[tuple[str, str, int], Any] = {}
        self._seconds: dict[tuple[str, str, int], list[float]] = {}
        self._said_at = time.monotonic()

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Take notice of a request that was answered."""
        kind = (method, route, status)
        timer = self._kinds.get(kind)
        if timer is None:
            timer = self._kinds[kind] = _SECONDS.labels(method if route else "", route, status)
        timer.observe(seconds)
        commits, writes = self._writer.commits, self._writer.requests
        if commits != self._counted[0]:
            _COMMITS.inc(commits - self._counted[0])
            _WRITES.inc(writes - self._counted[1])
            self._counted = (commits, writes)
        if kind in self._seconds:
            self._seconds[kind].append(seconds)
        else:
            self._seconds[kind] = [seconds]

    async def say_now_and_then(self) -> None:
        """Write lines again and again until this is cancelled."""
        with suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(_EVERY)
                self.say()
        self.say()

    def say(self) -> None:
        """Write lines of what was noticed since the last."""
        noticed, self._seconds = self._seconds, {}
        for (method, route, status), seconds in noticed.items():
            facts = {"method": method, "route": route, "status": status, "count": len(seconds)}
            facts["ms"] = round(1e3 * median(seconds), 2)
            if len(seconds) > 1:
                facts["slowest"] = round(1e3 * max(seconds), 2)
            log.info("requests", extra={"facts": facts})


class RequestLog:
    """Notes every request that the application answers."""

    def __init__(self, app: ASGIApp, watch: Watch) -> None:
        self.app, self._watch = app, watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, seen)
        finally:
            route = getattr(scope.get("route"), "path", "")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._watch.note(method, route, status, time.perf_counter() - began)


class JsonLines(logging.Formatter):
    """Log records as lines of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class Sparing(logging.Filter):
    """Lets through a few lines of a kind in a while, and with the next how many it kept back.

    Who sends nonsense again and again, or opens connections without end, fills no disk.
    """

    def __init__(self, most: int = 20, seconds: float = _EVERY) -> None:
        super().__init__()
        self._most, self._seconds = most, seconds
        self._kinds: dict[tuple[str, str], list[float]] = {}  # since when, lines, kept back

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is to be written."""
        kind = (record.name, str(record.msg)[:200])
        known = self._kinds.get(kind) or [record.created, 0, 0]
        if record.levelno <= logging.INFO:
            return True
        if len(self._kinds) > _MOST_KINDS:
            self._kinds.clear()
        if record.created - known[0] > self._seconds:
            if known[2]:
                record.facts = {**getattr(record, "facts", {}), "kept_back": int(known[2])}
            known = [record.created, 0, 0]
        self._kinds[kind] = known
        known[1] += 1
        if known[1] > self._most:
            known[2] += 1
            return False
        return True


_MOST_KINDS = 1_000


def log_as_json(level: int = logging.INFO) -> None:
    """Let this process log lines of JSON to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(Sparing())
    for name in ("driftduel.arena", "uvicorn", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level)
