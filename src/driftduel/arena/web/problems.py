"""What is refused, as HTTP says it: a status, and a JSON problem (RFC 9457) with one sentence."""

from __future__ import annotations

import json
from http import HTTPStatus
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from driftduel.arena.errors import ArenaError, TooMany, Unauthorized, Unavailable

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


def answer_problems(app: FastAPI) -> None:
    """Let an application answer with problems to all that is raised."""

    @app.exception_handler(ArenaError)
    async def refused(request: Request, error: ArenaError) -> Response:
        return problem_of(error)

    @app.exception_handler(RequestValidationError)
    async def misread(request: Request, error: RequestValidationError) -> Response:
        return problem(422, _sentence(error))

    @app.exception_handler(HTTPException)
    async def unknown(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        return problem(error.status_code, str(error.detail), headers)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        return problem(500, "something went wrong on our side; what was acknowledged is kept")


def problem_of(error: ArenaError) -> Response:
    """Return the answer to what the service refuses."""
    headers = {}
    if isinstance(error, TooMany):
        headers["Retry-After"] = str(ceil(error.wait))
    elif isinstance(error, Unavailable):
        headers["Retry-After"] = "1"
    elif isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return problem(error.status, str(error), headers)


def _sentence(error: RequestValidationError) -> str:
    """Say what is wrong first with a request."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")[:200]
    message = str(first["msg"])[:200]
    return f"{where}: {message[0].lower()}{message[1:]}" if where else message
