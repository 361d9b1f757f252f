"""Routes for voters: a duel is asked, told, and taken back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from driftduel.arena import service as arena
from driftduel.arena.errors import Invalid
from driftduel.arena.json import form_of_duel, form_of_told
from driftduel.arena.web import schemas as shapes
from driftduel.arena.web.problems import refusals
from driftduel.arena.web.security import BEARER, Voter, access_of

router = APIRouter(tags=["voting"], dependencies=[BEARER])
told = APIRouter(tags=["voting"])

_VERDICT = 'the body must be {"verdict": left, right, tie, bad or skip; "next": true or false}'


@router.post(
    "/arenas/{slug}/duels",
    status_code=201,
    response_model=shapes.Duel,
    responses=refusals(401, 403, 404, 409, 429),
)
def ask(request: Request, slug: str, voter: Voter) -> Response:
    """Put two arms before a voter; one that is never answered changes nothing."""
    access = access_of(request)
    access.check_voting(request, slug)
    return JSONResponse(form_of_duel(arena.ask(access.service, slug, voter)), 201)


@told.put(
    "/duels/{duel}/verdict",
    status_code=201,
    response_model=shapes.Told,
    responses={
        200: {"model": shapes.Told, "description": "Told before, and counted once"},
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
            "content": {"application/json": {"schema": shapes.Verdict.model_json_schema()}},
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
        said = shapes.Verdict.model_validate_json(await request.body())
    except ValidationError:
        raise Invalid(_VERDICT) from None
    holder = await access.check_voting_async(request)
    duel = request.path_params["duel"]
    found = await arena.tell_async(
        access.service, duel, voter, said.verdict, wants_next=said.next, arena=holder.arena
    )
    return JSONResponse(form_of_told(found), 201 if found.first else 200)


@router.delete("/duels/{duel}/verdict", responses=refusals(401, 403, 404, 409, 429))
def retract(
    request: Request,
    duel: str,
    voter: Annotated[str | None, Header(alias="X-Voter", max_length=500)] = None,
) -> shapes.Appended:
    """Take a verdict back: its voter within a minute, an owner, who names no voter, at any time."""
    access = access_of(request)
    holder = access.check_voting(request)
    if voter:
        done = arena.retract(access.service, duel, voter, arena=holder.arena)
        return shapes.Appended(seq=done.seq)
    if holder.role != "owner":
        raise Invalid("the header X-Voter is needed")
    return shapes.Appended(seq=arena.retract_as_owner(access.service, holder.slug, duel).seq)
