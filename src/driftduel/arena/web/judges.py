"""Routes on automatic judges: what is known of them beside people."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from driftduel.arena import service as arena
from driftduel.arena.web import schemas
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.security import BEARER, access_of
from driftduel.arena.web.why import CLOCK

router = APIRouter(tags=["results"], dependencies=[BEARER])


class Judges(BaseModel):
    """What is known of each judge; docs/judges.md has the keys."""

    judges: list[dict[str, Any]]


@router.get("/arenas/{slug}/judges", response_model=Judges, responses=refusals(401, 403, 404))
def judges(request: Request, slug: str) -> Response:
    """Return how far judges agree with people, whether they moved, and people's scores."""
    access = access_of(request)
    access.check(request, slug, "owner", "read")
    found = arena.judges(access.service, slug)
    return JSONResponse({"judges": [one.to_dict(CLOCK) for one in found]})


@router.delete(
    "/arenas/{slug}/judges/{judge}",
    response_model=schemas.model_of(arena.Retracted),
    responses=refusals(401, 403, 404),
)
def forget(request: Request, slug: str, judge: str) -> Response:
    """Let the answers of a judge be none."""
    access = access_of(request)
    access.check(request, slug, "owner")
    return JSONResponse({"seq": arena.forget_judge(access.service, slug, judge)})
