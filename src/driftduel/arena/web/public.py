"""Routes that only read: status and history, what a key is for, images, and how to begin."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.forms import form_of_history, form_of_status
from driftduel.arena.web import shapes
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.security import BEARER, guard_of

router = APIRouter(tags=["reading"], dependencies=[BEARER])
images = APIRouter(tags=["reading"])
plain = APIRouter(include_in_schema=False)

_READ = {304: {"description": "Nothing happened since"}, **refusals(401, 403, 404)}
Known = Annotated[str | None, Header(alias="If-None-Match")]


@router.get("/arenas/{slug}/status", response_model=shapes.Status, responses=_READ)
def status(request: Request, slug: str, known: Known = None) -> Response:
    """Tell who is best, since when, how sure, and what changed."""
    service = _service(request, slug)
    if (same := _unchanged(service, slug, known)) is not None:
        return same
    found = arena.status(service, slug)
    return _tagged(shapes.Status(**form_of_status(found)).model_dump(), found.head)


@router.get("/arenas/{slug}/history", response_model=shapes.History, responses=_READ)
def history(request: Request, slug: str, known: Known = None) -> Response:
    """Tell who led when, which arms came and went, and how many votes a day brought."""
    service = _service(request, slug)
    if (same := _unchanged(service, slug, known)) is not None:
        return same
    found = arena.history(service, slug)
    return _tagged(shapes.History(**form_of_history(found)).model_dump(), found.head)


@router.get("/key", responses=refusals(401))
def key(request: Request) -> shapes.Key:
    """Tell of which arena the token is, and what it is for."""
    holder = guard_of(request).holder(request)
    return shapes.Key(arena=holder.slug, role=holder.role)


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
    kind, content = arena.image_of(guard_of(request).service, sha256)
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Access-Control-Allow-Origin": "*",
    }
    return Response(content, media_type=kind, headers=headers)


@plain.get("/")
def home() -> Response:
    """Say what this is."""
    return PlainTextResponse("An arena of driftduel. Its API: /openapi.json\n")


@plain.get("/{slug}")
def how_to_vote(request: Request, slug: str) -> Response:
    """Say what is asked, and how to vote."""
    found = guard_of(request).service.hosted(slug).arena
    base = f"{request.base_url}api/v1"
    keys = '-H "Authorization: Bearer EMBED_KEY" -H "X-Voter: me"'
    return PlainTextResponse(
        f"{found.question}\n\n"
        f"Ask:  curl -X POST {keys} {base}/arenas/{slug}/duels\n"
        f'Tell: curl -X PUT {keys} --json \'{{"verdict": "left"}}\' {base}/duels/DUEL/verdict\n'
    )


@plain.get("/{slug}/owner")
def how_to_own(request: Request, slug: str) -> Response:
    """Say how the owner sees what is known."""
    guard_of(request).service.hosted(slug)
    key = '-H "Authorization: Bearer OWNER_TOKEN"'
    base = f"{request.base_url}api/v1/arenas/{slug}"
    return PlainTextResponse(f"curl {key} {base}/status\ncurl {key} {base}/votes.csv\n")


def _service(request: Request, slug: str) -> arena.Service:
    """Return the service if the request may read results."""
    guard = guard_of(request)
    if not guard.service.hosted(slug).arena.settings.public:
        guard.check(request, slug, "owner", "read")
    return guard.service


def _unchanged(service: arena.Service, slug: str, known: str | None) -> Response | None:
    if known is None:
        return None
    service.follow()
    tag = f'"{service.hosted(slug).replica.head}"'
    tags = [one.strip().removeprefix("W/") for one in known.split(",")]
    return Response(status_code=304, headers={"ETag": tag}) if tag in tags else None


def _tagged(content: dict[str, Any], head: int) -> Response:
    return JSONResponse(content, headers={"ETag": f'"{head}"', "Cache-Control": "no-cache"})
