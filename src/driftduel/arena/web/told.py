"""Routes about who is told when a poll changes: webhooks and e-mail, and the feed."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, StrictBool

from driftduel.arena import service as arena
from driftduel.arena.json import to_json
from driftduel.arena.web import schemas
from driftduel.arena.web.pages.feed import feed_of
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.reach import reach_of
from driftduel.arena.web.security import BEARER, access_of

router = APIRouter(tags=["owner"], dependencies=[BEARER])
feed = APIRouter(include_in_schema=False)

_OWN = refusals(401, 403, 404)
_Delivered: Any = schemas.model_of(arena.Delivered)
_Receivers: Any = schemas.several(
    "Receivers", "Who is told, with the last messages to each.", "receivers", _Delivered
)
_Answer: Any = schemas.model_of(arena.Answer)
_Receiver: Any = schemas.model_of(arena.Added)


class NewReceiver(schemas.Sent):
    """An address of the web or of e-mail, and what a message looks like there."""

    address: str = Field(examples=["https://example.org/hook"])
    shape: Literal["json", "slack", "discord"] | None = None
    digest: StrictBool = False
    site: str | None = Field(None, examples=["https://polls.example.org"])


class ReceiverChange(schemas.Sent):
    """Whether a digest comes every week."""

    digest: StrictBool


class Removed(BaseModel):
    """The id of what is gone."""

    removed: str


@router.get("/arenas/{slug}/receivers", response_model=_Receivers, responses=_OWN)
def receivers(request: Request, slug: str) -> Response:
    """Return who is told when it changes, and what became of the last messages."""
    return JSONResponse({"receivers": to_json(arena.receivers(_service(request, slug), slug))})


@router.post(
    "/arenas/{slug}/receivers",
    status_code=201,
    response_model=_Receiver,
    responses={**_OWN, **refusals(409, 429)},
)
def add(request: Request, slug: str, new: NewReceiver) -> Response:
    """Let an address be told; what signs its messages is shown this once."""
    added = arena.add_receiver(
        _service(request, slug),
        slug,
        new.address,
        site=new.site or reach_of(request).links,
        shape=new.shape or "",
        digest=new.digest,
    )
    return JSONResponse(to_json(added), 201)


@router.patch("/arenas/{slug}/receivers/{name}", response_model=_Receivers, responses=_OWN)
def change(request: Request, slug: str, name: str, wanted: ReceiverChange) -> Response:
    """Let a digest come every week, or no more."""
    service = _service(request, slug)
    arena.change_digest(service, slug, name, wanted.digest)
    return JSONResponse({"receivers": to_json(arena.receivers(service, slug))})


@router.delete("/arenas/{slug}/receivers/{name}", responses=_OWN)
def remove(request: Request, slug: str, name: str) -> Removed:
    """Tell an address no more; messages that wait are not sent."""
    arena.remove_receiver(_service(request, slug), slug, name)
    return Removed(removed=name)


@router.post(
    "/arenas/{slug}/receivers/{name}/test",
    response_model=_Answer,
    responses={**_OWN, **refusals(429)},
)
def test(request: Request, slug: str, name: str) -> Response:
    """Send a message now to see whether it arrives, and return what came back."""
    return JSONResponse(to_json(arena.try_receiver(_service(request, slug), slug, name)))


@feed.get("/{slug}/feed/{key}")
def show_feed(request: Request, slug: str, key: str) -> Response:
    """Return the changes of a poll as an Atom feed, to who has its secret address."""
    access = access_of(request)
    access.take(request)
    number = access.service.hosted(slug).arena.id
    arena.check_holder(access.holder_of(key), number, "feed")
    access.service.follow(slug)
    tag = f'"{access.service.hosted(slug).replica.head}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    text = feed_of(access.service, slug, reach_of(request).base)
    return Response(text, media_type="application/atom+xml; charset=utf-8", headers=headers)


def _service(request: Request, slug: str) -> arena.Service:
    access = access_of(request)
    access.check(request, slug, "owner")
    return access.service
