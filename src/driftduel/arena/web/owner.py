"""Routes for owners: arenas, their arms and cards, voters, votes out and votes in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from pydantic import ValidationError
from starlette.background import BackgroundTask

from driftduel.arena import service as arena
from driftduel.arena.errors import Invalid, TooMany
from driftduel.arena.json import facts_of, made_of, to_json, upgrade_facts_of
from driftduel.arena.model import Card
from driftduel.arena.settings import SETTINGS
from driftduel.arena.web import schemas
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.security import BEARER, access_of, token_of

PARQUET = "application/vnd.apache.parquet"

router = APIRouter(tags=["owner"], dependencies=[BEARER])

_OWN = refusals(401, 403, 404)
_CHANGE = refusals(401, 403, 404, 409)
_Changes: Any = schemas.ArenaChange  # a type that is made, which mypy does not know
_MAY_BE_NULL = [one.name for one in SETTINGS if one.optional]
Votes = Annotated[bool, Query(description="Also let these votes not count any more.")]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=16,
        max_length=200,
        description="Random, of who asks: with it a request whose answer was lost is sent again.",
    ),
]
All = Annotated[bool, Query(alias="all", description="Also verdicts that do not count.")]


@router.post(
    "/arenas", status_code=201, response_model=schemas.Made, responses=refusals(401, 403, 409)
)
def make(request: Request, new: schemas.NewArena, key: Key = None) -> Response:
    """Make an arena; any owner may, and anybody on the machine of a service that is local.

    The tokens are shown this once. If the answer is lost, the same request with the same
    Idempotency-Key gives the same tokens for an hour.
    """
    access = access_of(request)
    access.check_making(request)
    made = arena.create_arena(
        access.service,
        new.slug,
        new.question,
        new.arms,
        title=new.title,
        settings=new.settings,
        claim="" if key is None else arena.claim_of(access.service, key, token_of(request)),
    )
    return JSONResponse(to_json(made_of(made)), 201)


@router.get("/arenas/{slug}", response_model=schemas.Arena, responses=_OWN)
def describe(request: Request, slug: str) -> Response:
    """Return an arena, its settings and its arms."""
    return _described(_service(request, slug), slug)


@router.patch("/arenas/{slug}", response_model=schemas.Arena, responses=_OWN)
def change(request: Request, slug: str, changes: _Changes) -> Response:
    """Change the texts or the settings of an arena, or close it."""
    service = _service(request, slug)
    wanted: dict[str, Any] = changes.model_dump(exclude_unset=True)
    for name, value in wanted.items():
        if value is None and name not in _MAY_BE_NULL:
            raise Invalid(f"{name}: must not be null")
    if wanted:
        arena.change_arena(service, slug, wanted)
    return _described(service, slug)


@router.delete("/arenas/{slug}", status_code=204, response_class=Response, responses=_CHANGE)
def delete(request: Request, slug: str, typed: str) -> Response:
    """Delete an arena with all of its votes; ``typed`` is its slug once more."""
    arena.delete_arena(_service(request, slug), slug, typed)
    return Response(status_code=204)


@router.post("/arenas/{slug}/arms", status_code=201, response_model=schemas.Arms, responses=_CHANGE)
def add_arms(request: Request, slug: str, new: schemas.NewArms) -> Response:
    """Let arms join."""
    service = _service(request, slug)
    waiting = [] if new.offered else new.arms
    arms = arena.change_arms(service, slug, add=new.arms, pause=waiting)
    return JSONResponse({"arms": to_json(arms)}, 201)


@router.patch("/arenas/{slug}/arms", response_model=schemas.Arms, responses=_CHANGE)
def change_arms(request: Request, slug: str, changes: schemas.ArmsChange) -> Response:
    """Pause arms, let them come back, or rename them."""
    service = _service(request, slug)
    arms = arena.change_arms(service, slug, **changes.model_dump())
    return JSONResponse({"arms": to_json(arms)})


@router.put(
    "/arenas/{slug}/arms/{arm}/card",
    status_code=204,
    response_class=Response,
    responses=_CHANGE,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": schemas.CardText.model_json_schema()},
                "image/*": {"schema": {"type": "string", "format": "binary"}},
            },
        }
    },
)
async def set_card(request: Request, slug: str, arm: str, context: str = "") -> Response:
    """Set what is shown of an arm: text or markdown as JSON, or a PNG, JPEG, GIF or WebP image."""
    service = await run_in_threadpool(_service, request, slug)
    body = await request.body()
    image = None
    if request.headers.get("content-type", "").startswith("image/"):
        image = body
        card = Card("image", "")
    else:
        card = _card(body)
    await run_in_threadpool(arena.set_card, service, slug, arm, card, context, image)
    return Response(status_code=204)


@router.delete(
    "/arenas/{slug}/arms/{arm}/card", status_code=204, response_class=Response, responses=_CHANGE
)
def remove_card(request: Request, slug: str, arm: str, context: str = "") -> Response:
    """Take a card away."""
    arena.set_card(_service(request, slug), slug, arm, None, context)
    return Response(status_code=204)


@router.get("/arenas/{slug}/rules", response_model=schemas.Upgrade, responses=_CHANGE)
def upgrade(request: Request, slug: str) -> Response:
    """Return by which rules votes are counted, and what the newest would change."""
    found = arena.upgrade(_service(request, slug), slug)
    return JSONResponse(to_json(upgrade_facts_of(slug, found)))


@router.post("/arenas/{slug}/rules", response_model=schemas.Upgrade, responses=_CHANGE)
def accept_rules(request: Request, slug: str, accept: schemas.Accept) -> Response:
    """Count all votes by the newest rules from now on; changes that were said stay so."""
    found = arena.accept_rules(_service(request, slug), slug, accept.to)
    return JSONResponse(to_json(upgrade_facts_of(slug, found)))


@router.get("/arenas/{slug}/voters", response_model=schemas.Voters, responses=_OWN)
def voters(request: Request, slug: str) -> Response:
    """Return the voters with most verdicts; each is a hash."""
    return JSONResponse({"voters": to_json(arena.voters(_service(request, slug), slug))})


@router.post("/arenas/{slug}/voters/{voter}/exclude", responses=_OWN)
def exclude(request: Request, slug: str, voter: str) -> schemas.Head:
    """Let the votes of a voter not count."""
    return schemas.Head(head=arena.exclude(_service(request, slug), slug, voter))


@router.post("/arenas/{slug}/voters/{voter}/include", responses=_OWN)
def include(request: Request, slug: str, voter: str) -> schemas.Head:
    """Let the votes of a voter count again."""
    return schemas.Head(head=arena.include(_service(request, slug), slug, voter))


@router.delete("/arenas/{slug}/voters/{voter}", responses=_OWN)
def forget(request: Request, slug: str, voter: str, votes: Votes = False) -> schemas.Head:
    """Cut the link from a voter to its votes, which still count, or do not any more."""
    act = arena.delete_voter if votes else arena.forget
    return schemas.Head(head=act(_service(request, slug), slug, voter))


@router.get(
    "/arenas/{slug}/votes.csv",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **_OWN},
)
def votes_csv(request: Request, slug: str, everything: All = False) -> Response:
    """Return the votes as CSV, which `driftduel measure` reads."""
    return answer_csv(_service(request, slug), slug, everything)


@router.get(
    "/arenas/{slug}/votes.parquet",
    response_class=FileResponse,
    responses={
        200: {"content": {PARQUET: {"schema": {"type": "string"}}}},
        **_OWN,
        **refusals(429),
    },
)
def votes_parquet(request: Request, slug: str, everything: All = False) -> Response:
    """Return the votes as Parquet."""
    return answer_parquet(_service(request, slug), slug, everything)


@router.post(
    "/arenas/{slug}/import",
    status_code=201,
    response_model=schemas.Imported,
    responses={
        200: {"model": schemas.Imported, "description": "Came in before"},
        **_OWN,
        **refusals(429),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"text/csv": {"schema": {"type": "string"}}},
        }
    },
)
async def import_votes(
    request: Request,
    slug: str,
    pairs: Literal["uniform", "other"],
    field: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Take in old votes as CSV; ``pairs`` says whether all pairs were asked equally often.

    Each ``field`` is a column that says what kind of voter it was, and is kept.

    What is cut short goes on where it stopped when the same file is sent again.
    """
    service = await run_in_threadpool(_service, request, slug)
    with at_work(), tempfile.TemporaryDirectory(prefix="driftduel-") as folder:
        path = Path(folder) / "votes.csv"
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
        come = partial(
            arena.import_votes, service, slug, path, pairs, apart=True, fields=field or ()
        )
        done = await run_in_threadpool(come)
    return JSONResponse(to_json(done), 200 if done.again else 201)


@router.get("/arenas/{slug}/imports", response_model=schemas.Imports, responses=_OWN)
def imports(request: Request, slug: str) -> Response:
    """Return the imports, each with its hash, and how many of its votes came in."""
    return JSONResponse({"imports": to_json(arena.imports(_service(request, slug), slug))})


@router.delete("/arenas/{slug}/imports/{name}", responses=_OWN)
def take_back_import(request: Request, slug: str, name: str) -> schemas.Head:
    """Let no vote of an import count, by its hash."""
    return schemas.Head(head=arena.take_back_import(_service(request, slug), slug, name))


def answer_csv(service: arena.Service, slug: str, everything: bool) -> Response:
    """Answer with the votes of an arena as CSV, as they are read."""
    lines: Iterator[str] = arena.votes_csv(service, slug, everything=everything)
    return StreamingResponse(lines, media_type="text/csv", headers=_saved_as(f"{slug}.csv"))


def answer_standing(service: arena.Service, slug: str) -> Response:
    """Answer with the standing of an arena as CSV."""
    headers = _saved_as(f"{slug}-standing.csv")
    return Response(arena.standing_csv(service, slug), media_type="text/csv", headers=headers)


def answer_parquet(service: arena.Service, slug: str, everything: bool) -> Response:
    """Answer with the votes of an arena as a Parquet file."""
    number, path = tempfile.mkstemp(prefix="driftduel-", suffix=".parquet")
    os.close(number)
    try:
        with at_work():
            arena.write_parquet(service, slug, path, everything=everything)
    except BaseException:
        os.unlink(path)
        raise
    return FileResponse(
        path,
        media_type=PARQUET,
        headers=_saved_as(f"{slug}.parquet"),
        background=BackgroundTask(os.unlink, path),
    )


@contextmanager
def at_work() -> Iterator[None]:
    """Do something large, of which few may be under way at once: nobody waits for it in a queue."""
    if not _LARGE.acquire(blocking=False):
        raise TooMany("other imports or exports are under way, please try again", _WAIT)
    try:
        yield
    finally:
        _LARGE.release()


_LARGE = BoundedSemaphore(2)
"""Files that come in or are made at once, by a process."""

_WAIT = 10.0
"""Seconds after which to try again."""


def _service(request: Request, slug: str) -> arena.Service:
    """Return the service if the request is of an owner of the arena."""
    access = access_of(request)
    access.check(request, slug, "owner")
    return access.service


def _described(service: arena.Service, slug: str) -> Response:
    return JSONResponse(to_json(facts_of(arena.describe(service, slug))))


def _card(body: bytes) -> Card:
    try:
        text = schemas.CardText.model_validate_json(body)
    except ValidationError:
        raise Invalid('a card is {"kind": "text" or "markdown", "body": ...}') from None
    return Card(text.kind, text.body)


def _saved_as(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
