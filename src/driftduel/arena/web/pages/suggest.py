"""The page on which a voter suggests an option, in polls whose owners want that."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Conflict, Forbidden, Invalid, NotFound, TooMany
from driftduel.arena.model import Arena
from driftduel.arena.web.pages.gate import admit, turned_away
from driftduel.arena.web.pages.html import render
from driftduel.arena.web.pages.sessions import (
    check_same_origin,
    new_voter,
    remember_voter,
    voter_of,
)
from driftduel.arena.web.pages.words import COOKIELESS, Words, in_words, words_for
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)


@router.get("/{slug}/suggest")
def show(request: Request, slug: str) -> Response:
    """Show the form."""
    poll = _poll(request, slug)
    try:
        _admit(request, slug)
    except Forbidden as error:
        return turned_away(request, access_of(request).service.hosted(slug), error)
    response = _page(poll, words_for(request, poll))
    if voter_of(request) is None:
        remember_voter(request, response, poll, new_voter())
    return response


@router.post("/{slug}/suggest")
def send(request: Request, slug: str, text: Annotated[str, Form()] = "") -> Response:
    """Keep a suggestion for the owner."""
    check_same_origin(request)
    poll = _poll(request, slug)
    words = words_for(request, poll)
    access_of(request).take(request)
    name = voter_of(request)
    if name is None:
        return _page(poll, words, 403, in_words(Forbidden(COOKIELESS), words.say), text)
    try:
        _admit(request, slug)
        arena.suggest(access_of(request).service, slug, name, text)
    except ArenaError as error:
        return _page(poll, words, error.status, _problem(error, words), text)
    return _page(poll, words, thanks=True)


def _admit(request: Request, slug: str) -> None:
    """Refuse suggestions of who may not vote."""
    admit(request, access_of(request).service.hosted(slug), voter_of(request) or new_voter())


def _poll(request: Request, slug: str) -> Arena:
    poll = access_of(request).service.hosted(slug).arena
    if not poll.settings.suggestions or poll.state == "closed":
        raise NotFound("this poll takes no suggestions")
    return poll


def _problem(error: ArenaError, words: Words) -> str:
    if isinstance(error, Invalid):
        return words.say("Write a few words, in one line.")
    if isinstance(error, Conflict):
        return words.say("This option is there already.")
    if isinstance(error, TooMany):
        return words.say("No more suggestions are taken for now.")
    return in_words(error, words.say)


def _page(
    poll: Arena,
    words: Words,
    status: int = 200,
    problem: str = "",
    typed: str = "",
    *,
    thanks: bool = False,
) -> Response:
    said = words.say("Thank you. The owner of this poll looks at it first.") if thanks else ""
    return render(
        "suggest.html",
        status,
        frames=["'self'", *poll.settings.origins],
        arena=poll,
        problem=problem,
        typed=typed,
        thanks=said,
        **words.facts,
    )
