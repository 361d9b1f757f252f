"""The page on which people vote: two cards, five answers, and a minute to take one back.

It works as plain forms. Its script, ``static/voter.js``, sends the same forms, asks for JSON, and
gets the next pair with the answer.
"""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Conflict, Forbidden, TooMany, Unavailable
from driftduel.arena.model import Arena
from driftduel.arena.web.pages.cards import html_of_card
from driftduel.arena.web.pages.html import as_sentence, part, render
from driftduel.arena.web.pages.sessions import (
    check_same_origin,
    keep,
    new_voter,
    remember_voter,
    voter_of,
)
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)

UNDO = 60
"""Seconds for which a verdict can be taken back."""

_SAID = "said"
Text = Annotated[str, Form()]


@router.get("/{slug}")
def show(request: Request, slug: str) -> Response:
    """Put a pair before a voter."""
    access = access_of(request)
    poll = access.service.hosted(slug).arena
    access.take(request)
    voter = voter_of(request)
    name = voter or new_voter()
    try:
        asked = arena.ask(access.service, slug, name)
    except Conflict:
        return _nothing_to_ask(request, poll)
    votes = arena.votes_of(access.service, slug, name)
    if _wants_json(request):
        response: Response = JSONResponse({"next": _form_of(asked), "votes": votes})
    else:
        duel, said = _said(request)
        response = render(
            "voter.html",
            frames=_frames(poll),
            arena=poll,
            asked=asked,
            left=html_of_card(asked.left, "left"),
            right=html_of_card(asked.right, "right"),
            votes=votes,
            notice=part("_said.html", said=said, duel=duel, slug=slug),
        )
    if voter is None:
        remember_voter(request, response, poll, name)
    return response


@router.post("/{slug}/vote")
def vote(request: Request, slug: str, duel: Text = "", verdict: Text = "") -> Response:
    """Take in a verdict."""
    access = access_of(request)
    poll = access.service.hosted(slug).arena
    script = _wants_json(request)
    try:
        name = _voter(request)
        access.take(request)
        told = arena.tell(access.service, duel, name, verdict, wants_next=script, arena=poll.id)
    except ArenaError as error:
        if script:
            raise
        return _not_saved(poll, error, duel, verdict)
    said = _in_words(told, verdict)
    if not script:
        response: Response = RedirectResponse(f"/{slug}", 303)
    else:
        votes = arena.votes_of(access.service, slug, name)
        following = None if told.next is None else _form_of(told.next)
        notice = part("_said.html", said=said, duel=duel, slug=slug)
        response = JSONResponse({"notice": notice, "next": following, "votes": votes})
    _keep_said(request, response, poll, duel, said)
    return response


@router.post("/{slug}/undo")
def undo(request: Request, slug: str, duel: Text = "") -> Response:
    """Take a verdict back."""
    access = access_of(request)
    poll = access.service.hosted(slug).arena
    script = _wants_json(request)
    name = _voter(request)
    access.take(request)
    try:
        arena.retract(access.service, duel, name, arena=poll.id)
        said = "Taken back: that vote does not count."
    except Conflict as error:
        said = as_sentence(error)
    if not script:
        response: Response = RedirectResponse(f"/{slug}", 303)
    else:
        votes = arena.votes_of(access.service, slug, name)
        notice = part("_said.html", said=said, duel="", slug=slug)
        response = JSONResponse({"notice": notice, "votes": votes})
    _keep_said(request, response, poll, "", said)
    return response


def _voter(request: Request) -> str:
    check_same_origin(request)
    name = voter_of(request)
    if name is None:
        raise Forbidden("your browser keeps no cookie of this page, and needs one to vote")
    return name


def _wants_json(request: Request) -> bool:
    return request.headers.get("accept", "").startswith("application/json")


def _frames(poll: Arena) -> list[str]:
    """Return who may show the page in a frame: this site, and those that the owner names."""
    return ["'self'", *poll.settings.origins]


def _form_of(asked: arena.Asked) -> dict[str, Any]:
    return {
        "duel": asked.duel,
        "left": html_of_card(asked.left, "left"),
        "right": html_of_card(asked.right, "right"),
        "context": asked.context,
    }


def _in_words(told: arena.Receipt, verdict: str) -> str:
    """Say what became of a verdict, with the names of the arms if they may be known."""
    if told.reason == "skip":
        return "Skipped."
    names = told.reveal or ("the left card", "the right card")
    left, right = (name if len(name) <= 40 else f"{name[:39]}…" for name in names)
    words = {
        "left": f"{left} over {right}",
        "right": f"{right} over {left}",
        "tie": f"{left} and {right} are equal",
        "bad": f"{left} and {right} are both bad",
    }[verdict]
    if told.reason == "cap":
        return f"Kept, but not counted, as your share of today is used up: {words}."
    return f"Saved: {words}." if told.counted else f"Kept, but not counted: {words}."


def _keep_said(request: Request, response: Response, poll: Arena, duel: str, said: str) -> None:
    """Let the browser keep for a minute what was said, and of which duel."""
    value = base64.urlsafe_b64encode(json.dumps([duel, said]).encode()).decode()
    keep(request, response, poll, _SAID, value, UNDO)


def _said(request: Request) -> tuple[str, str]:
    """Return the duel and what was said of it less than a minute ago."""
    with suppress(ValueError, TypeError, RecursionError):  # whatever a browser sends
        duel, said = json.loads(base64.urlsafe_b64decode(request.cookies.get(_SAID, "")))
        words = str(duel), str(said)
        "".join(words).encode()  # half a surrogate pair is no text that a page can have
        return words
    return "", ""


def _nothing_to_ask(request: Request, poll: Arena) -> Response:
    closed = poll.status != "open"
    if _wants_json(request):
        return JSONResponse({"next": None})
    return render(
        "waiting.html",
        409,
        frames=_frames(poll),
        arena=poll,
        title="Voting is over" if closed else "Nothing to compare yet",
        sentence="Thank you: this poll is closed and takes no more votes."
        if closed
        else "There must be two options at least; please come back a little later.",
        closed=closed,
    )


def _not_saved(poll: Arena, error: ArenaError, duel: str, verdict: str) -> Response:
    again = isinstance(error, Unavailable | TooMany)
    headers = {"Retry-After": "1"} if again else {}
    return render(
        "unsaved.html",
        error.status,
        frames=_frames(poll),
        headers=headers,
        arena=poll,
        sentence=as_sentence(error),
        again=again,
        duel=duel,
        verdict=verdict,
    )
