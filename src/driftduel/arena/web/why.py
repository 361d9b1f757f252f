"""Routes on why who leads changed: the causes, and the releases that an owner marked."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from driftduel.arena import service as arena
from driftduel.arena.json import to_json
from driftduel.arena.web import schemas
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.security import BEARER, access_of
from driftduel.verdict.causes import Cause
from driftduel.verdict.parts import Clock

router = APIRouter(tags=["results"], dependencies=[BEARER])

CLOCK = Clock("minute", "vote")
"""How times of causes are told."""


class NewRelease(schemas.Sent):
    """A release to mark: its name, of which option (all without), and when (now without)."""

    name: str
    option: str | None = None
    at: str | None = None


class Causes(BaseModel):
    """What explains each change of who leads, the latest first.

    docs/command-analyse-keys.md has the keys.
    """

    causes: list[dict[str, Any]]


Releases = schemas.several(
    "Releases",
    "The releases of a poll, in the order of time.",
    "releases",
    schemas.model_of(arena.Marked),
)


@router.get("/arenas/{slug}/causes", response_model=Causes, responses=refusals(401, 403, 404))
def causes(request: Request, slug: str) -> Response:
    """Return why who leads changed: voters, questions, pairs, an option, tastes, or no idea."""
    access = access_of(request)
    access.check(request, slug, "owner", "read")
    found: tuple[Cause, ...] = arena.causes(access.service, slug)
    return JSONResponse({"causes": [one.to_dict(CLOCK) for one in found]})


@router.get("/arenas/{slug}/releases", response_model=Releases, responses=refusals(401, 403, 404))
def releases(request: Request, slug: str) -> Response:
    """Return what was changed on purpose, and when."""
    access = access_of(request)
    access.check(request, slug, "owner", "read")
    return JSONResponse({"releases": to_json(arena.releases(access.service, slug))})


@router.post(
    "/arenas/{slug}/releases",
    status_code=201,
    response_model=schemas.model_of(arena.Retracted),
    responses=refusals(401, 403, 404, 422),
)
def mark(request: Request, slug: str, new: NewRelease) -> Response:
    """Mark a release: a new version of an option, or of all."""
    access = access_of(request)
    access.check(request, slug, "owner")
    at = None if new.at is None else arena.as_moment(new.at)
    seq = arena.mark_release(access.service, slug, new.name, new.option, at)
    return JSONResponse({"seq": seq}, 201)


@router.delete(
    "/arenas/{slug}/releases/{seq}",
    response_model=schemas.model_of(arena.Retracted),
    responses=refusals(401, 403, 404),
)
def take_back(request: Request, slug: str, seq: int) -> Response:
    """Let a release be none."""
    access = access_of(request)
    access.check(request, slug, "owner")
    return JSONResponse({"seq": arena.take_back_release(access.service, slug, seq)})
