"""Routes for voters: a duel is asked, told, and taken back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from driftduel.arena import service as arena
from driftduel.arena.errors import Invalid
from driftduel.arena.json import to_json
from driftduel.arena.web import schemas
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.security import BEARER, Voter, access_of

router = APIRouter(tags=["voting"], dependencies=[BEARER])
told = APIRouter(tags=["voting"])

_VERDICT = (
    'the body must be {"verdict": left, right, tie, bad or skip; "next": true or false; '
    '"fields": names with values}'
)


@router.post(
    "/arenas/{slug}/duels",
    status_code=201,
    response_model=schemas.Duel,
    responses=refusals(401, 403, 404, 409, 429),
)
def ask(
    request: Request, slug: str, voter: Voter, said: schemas.Question | None = None
) -> Response:
    """Put two arms before a voter; one that is never answered changes nothing."""
    access = access_of(request)
    holder = access.check_voting(request, slug)
    if holder.role == "embed":
        hosted = access.service.hosted(slug)
        arena.admit(access.service, hosted, voter, address=access.address_of(request))
    fields = None if said is None else said.fields
    return JSONResponse(to_json(arena.ask(access.service, slug, voter, fields=fields)), 201)


@told.put(
    "/duels/{duel}/verdict",
    status_code=201,
    response_model=schemas.Told,
    responses={
        200: {"model": schemas.Told, "description": "Told before, and counted once"},
        **refusals(401, 403, 404, 409, 410, 429),
    },
    openapi_extra={
        "parameters": [
            {"name": "duel", "in": "path", "required": True, "schema": {"type": "string"}},
            {
                "name": "X-Voter",
                "in": "header",
                "required": True,
                "schema": {"type": "string", "minLength": 1, "maxLength": 500},
            },
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schemas.Verdict.model_json_schema()}},
        },
        "security": [{"HTTPBearer": []}],
    },
)
async def tell(request: Request) -> Response:
    """Take in a verdict; when this is answered, it is on the disk."""
    # Read by hand: most of the work of a vote would be to find out what these are.
    access = access_of(request)
    voter = request.headers.get("x-voter", "")
    if not 1 <= len(voter) <= 500:
        raise Invalid("the header X-Voter is needed, of 500 characters at most")
    try:
        said = schemas.Verdict.model_validate_json(await request.body())
    except ValidationError:
        raise Invalid(_VERDICT) from None
    holder = await access.check_voting_async(request)
    duel = request.path_params["duel"]
    done = await arena.tell_async(
        access.service,
        duel,
        voter,
        said.verdict,
        wants_next=said.next,
        arena=holder.arena,
        fields=said.fields,
    )
    return JSONResponse(to_json(done), 201 if done.first else 200)


@router.delete(
    "/duels/{duel}/verdict",
    response_model=schemas.Appended,
    responses=refusals(401, 403, 404, 409, 429),
)
def retract(
    request: Request,
    duel: str,
    voter: Annotated[str | None, Header(alias="X-Voter", max_length=500)] = None,
) -> Response:
    """Take a verdict back: its voter within a minute, an owner, who names no voter, at any time."""
    access = access_of(request)
    holder = access.check_voting(request)
    if voter:
        return JSONResponse(to_json(arena.retract(access.service, duel, voter, arena=holder.arena)))
    if holder.role != "owner":
        raise Invalid("the header X-Voter is needed")
    return JSONResponse(to_json(arena.retract_as_owner(access.service, holder.slug, duel)))
