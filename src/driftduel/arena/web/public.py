"""Routes that only read: status and history, what a key is for, images."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.json import json_of_history, json_of_status, to_json
from driftduel.arena.web import schemas
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.security import BEARER, access_of

router = APIRouter(tags=["reading"], dependencies=[BEARER])
images = APIRouter(tags=["reading"])

_READ = {304: {"description": "Nothing happened since"}, **refusals(401, 403, 404)}
Known = Annotated[str | None, Header(alias="If-None-Match")]


@router.get("/arenas/{slug}/status", response_model=schemas.Status, responses=_READ)
def status(request: Request, slug: str, known: Known = None) -> Response:
    """Tell who is best, since when, how sure, and what changed."""
    service = _service(request, slug)
    if (same := _unchanged(service, slug, known)) is not None:
        return same
    now = arena.status(service, slug)
    return _tagged(json_of_status(now), now.head)


@router.get("/arenas/{slug}/history", response_model=schemas.History, responses=_READ)
def history(request: Request, slug: str, known: Known = None) -> Response:
    """Tell who led when, which arms came and went, and how many votes a day brought."""
    service = _service(request, slug)
    if (same := _unchanged(service, slug, known)) is not None:
        return same
    past = arena.history(service, slug)
    return _tagged(json_of_history(past), past.head)


@router.get("/arenas/{slug}/groups", response_model=schemas.Groups, responses=_READ)
def groups(request: Request, slug: str) -> Response:
    """Return whether groups of voters differ, and who is best in each; it takes a second."""
    access = access_of(request)
    access.check(request, slug, "owner", "read")
    found = [one.facts for one in arena.groups(access.service, slug)]
    return JSONResponse({"groups": found})


@router.get("/arenas/{slug}/health", response_model=schemas.Health, responses=_READ)
def health(request: Request, slug: str, known: Known = None) -> Response:
    """Tell how voting goes: votes by time, pairs answered, a taste for a side, odd voters."""
    access = access_of(request)
    access.check(request, slug, "owner", "read")
    now = arena.health_tag(access.service, slug)
    if (same := _same(known, now)) is not None:
        return same
    state = arena.health(access.service, slug)
    return _tagged(to_json(state), f"{state.head}-{state.moment}")


@router.get("/key", responses=refusals(401))
def key(request: Request) -> schemas.Key:
    """Tell of which arena the token is, and what it is for."""
    holder = access_of(request).holder(request)
    return schemas.Key(arena=holder.slug, role=holder.role)


@images.get(
    "/images/{sha256}",
    response_class=Response,
    responses={
        200: {"content": {"image/*": {"schema": {"type": "string", "format": "binary"}}}},
        **refusals(404),
    },
)
def image(request: Request, sha256: str) -> Response:
    """Return the image of a card, by its hash."""
    kind, content = arena.image_of(access_of(request).service, sha256)
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Access-Control-Allow-Origin": "*",
    }
    return Response(content, media_type=kind, headers=headers)


def _service(request: Request, slug: str) -> arena.Service:
    """Return the service if the request may read results."""
    access = access_of(request)
    if not access.service.hosted(slug).arena.results_are_public:
        access.check(request, slug, "owner", "read")
    return access.service


def _unchanged(service: arena.Service, slug: str, known: str | None) -> Response | None:
    if known is None:
        return None
    service.follow(slug)
    return _same(known, service.hosted(slug).replica.head)


def _same(known: str | None, now: int | str) -> Response | None:
    """Return that nothing changed, if a client knows what is so now."""
    tags = [one.strip().removeprefix("W/") for one in (known or "").split(",")]
    if f'"{now}"' not in tags:
        return None
    return Response(status_code=304, headers={"ETag": f'"{now}"'})


def _tagged(content: dict[str, Any], now: int | str) -> Response:
    return JSONResponse(content, headers={"ETag": f'"{now}"', "Cache-Control": "no-cache"})
