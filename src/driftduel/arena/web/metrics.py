"""Whether the service is well: /health, /metrics, and a line of JSON for every request.

No address is logged, and of a path its pattern only: the id of a duel allows to answer it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
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

_COMMITS = Counter("arena_commits", "Transactions that wrote", registry=_REGISTRY)
_WRITES = Counter("arena_writes", "Requests that they did", registry=_REGISTRY)


@router.get("/health/live")
async def live() -> Response:
    """Say that the process answers."""
    return JSONResponse({"live": True})


@router.get("/health/ready")
def ready(request: Request) -> Response:
    """Say whether the database is reached and the copies follow it; 503 if not."""
    access_of(request).service.check_ready()
    return JSONResponse({"ready": True})


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return counts as Prometheus reads them, of all processes of this server together."""
    registry = _REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(text_of(registry), media_type=CONTENT_TYPE_LATEST)


class RequestLog:
    """Counts, times and logs every request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._counted = (0, 0)

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
            seconds = time.perf_counter() - began
            route = getattr(scope.get("route"), "path", "")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            _SECONDS.labels(method if route else "", route, status).observe(seconds)
            self._count(access_of(Request(scope)).service.writer)
            if log.isEnabledFor(logging.INFO):
                facts = {"method": method, "route": route, "status": status}
                log.info("request", extra={"facts": {**facts, "ms": round(seconds * 1e3, 2)}})

    def _count(self, writer: Writer) -> None:
        """Count what the writer did since the last request."""
        commits, writes = writer.commits, writer.requests
        _COMMITS.inc(commits - self._counted[0])
        _WRITES.inc(writes - self._counted[1])
        self._counted = (commits, writes)


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


def log_as_json(level: int = logging.INFO) -> None:
    """Let this process log lines of JSON to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("driftduel.arena", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level)
