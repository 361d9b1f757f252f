"""What is refused, as HTTP says it: a status, and a JSON problem (RFC 9457) with one sentence."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from driftduel.arena.errors import ArenaError, TooMany, Unauthorized, Unavailable

_LOGGER = logging.getLogger(__name__)

_MINUTE = 60.0
_MOST_NOTED = 100
_NOTED: dict[str, float] = {}
"""Causes that were written into the log, and when."""

BROKEN = "something went wrong on our side; what was acknowledged is kept"

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """Why a request was refused; ``detail`` is a sentence for people."""

    title: str
    status: int
    detail: str


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Return the answer to a request that is refused."""
    body = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return Response(json.dumps(body), status, headers, MEDIA_TYPE)


def problem_of(error: ArenaError) -> Response:
    """Return the answer to a request that the service refuses."""
    _note(error)
    return problem(error.status, str(error), _headers_of(error))


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of refusals with these statuses."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status in (*statuses, 400, 413, 422, 503)
    }


Page = Callable[[Request, int, str, dict[str, str]], Response]
"""What shows a browser why something was refused."""


def answer_problems(app: FastAPI, page: Page) -> None:
    """Let an application answer to all that is raised: browsers get a page, others a problem."""

    def answer(
        request: Request, status: int, detail: str, headers: dict[str, str] | None = None
    ) -> Response:
        api = request.url.path.startswith("/api/")
        if not api and "text/html" in request.headers.get("accept", ""):
            return page(request, status, detail, headers or {})
        return problem(status, detail, headers)

    @app.exception_handler(ArenaError)
    async def refused(request: Request, error: ArenaError) -> Response:
        _note(error)
        return answer(request, error.status, str(error), _headers_of(error))

    @app.exception_handler(RequestValidationError)
    async def misread(request: Request, error: RequestValidationError) -> Response:
        return answer(request, 422, _sentence(error))

    @app.exception_handler(HTTPException)
    async def unknown(request: Request, error: HTTPException) -> Response:
        return answer(request, error.status_code, str(error.detail), dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        return answer(request, 500, BROKEN)


def _note(error: ArenaError) -> None:
    """Write the cause into the log if the database is away: once a minute, not for each request."""
    if not isinstance(error, Unavailable):
        return
    cause = str(error.__cause__ or error).strip().partition("\n")[0][:300]
    now = time.monotonic()
    if now - _NOTED.get(cause, -_MINUTE) >= _MINUTE:
        if len(_NOTED) >= _MOST_NOTED:
            _NOTED.clear()
        _NOTED[cause] = now
        _LOGGER.warning("unavailable", extra={"facts": {"cause": cause}})


def _headers_of(error: ArenaError) -> dict[str, str]:
    headers = {}
    if isinstance(error, TooMany):
        headers["Retry-After"] = str(ceil(error.wait))
    elif isinstance(error, Unavailable):
        headers["Retry-After"] = "1"
    elif isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return headers


def _sentence(error: RequestValidationError) -> str:
    """Say what is wrong first with a request."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")[:200]
    message = str(first["msg"])[:200]
    return f"{where}: {message[0].lower()}{message[1:]}" if where else message
