"""The page on which people vote: two cards, five answers, and a minute to take one back.

It works as plain forms. Its script, ``static/voter.js``, sends the same forms, asks for JSON, and
gets the next pair with the answer. Every other pair comes before one comes again; then the page
says thank you.
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
from driftduel.arena.seen import Rested
from driftduel.arena.web.pages.cards import html_of_pair
from driftduel.arena.web.pages.gate import admit, turned_away
from driftduel.arena.web.pages.html import part, render
from driftduel.arena.web.pages.sessions import (
    check_same_origin,
    keep,
    new_voter,
    remember_voter,
    voter_of,
)
from driftduel.arena.web.pages.words import COOKIELESS, Words, in_words, words_for
from driftduel.arena.web.problems import problem
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)

UNDO = 60
"""Seconds for which a verdict can be taken back."""

_MANY = 100
"""Of more questions to come it is not said how many they are."""

_SAID = "said"
Text = Annotated[str, Form()]


@router.get("/{slug}")
def show(request: Request, slug: str, pair: str = "") -> Response:
    """Put a pair before a voter: the one that was taken back, or another."""
    access = access_of(request)
    hosted = access.service.hosted(slug)
    poll = hosted.arena
    words = words_for(request, poll)
    access.take(request)
    voter = voter_of(request)
    name = voter or new_voter()
    try:
        if poll.state == "open":
            admit(request, hosted, name, begins=True)
    except (Forbidden, TooMany) as error:
        if _wants_json(request):
            return problem(error.status, in_words(error, words.say))
        return turned_away(request, hosted, error)
    again = arena.find_open(access.service, slug, pair, name) if pair and voter else None
    try:
        asked = again or arena.ask(access.service, slug, name, unseen=True)
    except Conflict as error:
        return _nothing_to_ask(request, poll, words, error, name)
    tally = _tally(words, arena.votes_of(access.service, slug, name), asked)
    if _wants_json(request):
        response: Response = JSONResponse({"next": _form_of(asked, words), "tally": tally})
    else:
        left, right = html_of_pair(asked.left, asked.right, words)
        response = render(
            "voter.html",
            frames=_frames(poll),
            arena=poll,
            asked=asked,
            left=left,
            right=right,
            tally=tally,
            troubles=_troubles(words),
            notice=_notice(request, poll, words),
            **words.facts,
        )
    if voter is None:
        remember_voter(request, response, poll, name)
    return response


@router.post("/{slug}/vote")
def vote(request: Request, slug: str, duel: Text = "", verdict: Text = "") -> Response:
    """Take in a verdict."""
    access = access_of(request)
    poll = access.service.hosted(slug).arena
    words = words_for(request, poll)
    script = _wants_json(request)
    try:
        name = _voter(request)
        access.take(request)
        admit(request, access.service.hosted(slug), name)
        told = arena.tell(
            access.service, duel, name, verdict, wants_next=script, unseen=True, arena=poll.id
        )
    except ArenaError as error:
        return _not_saved(request, poll, words, error, duel, verdict)
    said = _said_of(told, verdict, words)
    if not script:
        response: Response = RedirectResponse(f"/{slug}", 303)
    else:
        votes = arena.votes_of(access.service, slug, name)
        following = None if told.next is None else _form_of(told.next, words)
        tally = _tally(words, votes, told.next)
        notice = part("_said.html", said=said, duel=duel, slug=slug, **words.facts)
        response = JSONResponse({"notice": notice, "next": following, "tally": tally})
    _keep_said(request, response, poll, duel, said)
    return response


@router.post("/{slug}/undo")
def undo(request: Request, slug: str, duel: Text = "") -> Response:
    """Take a verdict back, and put its pair before the voter again."""
    access = access_of(request)
    poll = access.service.hosted(slug).arena
    words = words_for(request, poll)
    again: arena.Asked | None = None
    try:
        name = _voter(request)
        access.take(request)
        arena.retract(access.service, duel, name, arena=poll.id)
        again = arena.open_again(access.service, duel, name)
        said = words.say("Taken back: that vote does not count.")
    except Conflict as error:
        said = in_words(error, words.say)
    except ArenaError as error:
        return _not_saved(request, poll, words, error, duel, "")
    if not _wants_json(request):
        place = f"/{slug}" if again is None else f"/{slug}?pair={again.duel}"
        response: Response = RedirectResponse(place, 303)
    else:
        answer = {"notice": part("_said.html", said=said, duel="", slug=slug, **words.facts)}
        response = JSONResponse(answer | _changed(access.service, slug, request, again, words))
    _keep_said(request, response, poll, "", said)
    return response


def _changed(
    service: arena.Service, slug: str, request: Request, again: arena.Asked | None, words: Words
) -> dict[str, Any]:
    """Return what a page shows otherwise after a verdict was taken back, if it was."""
    name = voter_of(request)
    if again is None or name is None:
        return {}
    tally = _tally(words, arena.votes_of(service, slug, name), again)
    return {"next": _form_of(again, words), "tally": tally}


def _voter(request: Request) -> str:
    check_same_origin(request)
    name = voter_of(request)
    if name is None:
        raise Forbidden(COOKIELESS)
    return name


def _wants_json(request: Request) -> bool:
    return request.headers.get("accept", "").startswith("application/json")


def _frames(poll: Arena) -> list[str]:
    """Return who may show the page in a frame: this site, and those that the owner names."""
    return ["'self'", *poll.settings.origins]


def _form_of(asked: arena.Asked, words: Words) -> dict[str, Any]:
    left, right = html_of_pair(asked.left, asked.right, words)
    return {"duel": asked.duel, "left": left, "right": right, "context": asked.context}


def _tally(words: Words, votes: int, asked: arena.Asked | None) -> str:
    """Say how many votes somebody gave, and how many questions there are before the end."""
    parts = [words.say("You have answered {n}.", n=votes)]
    if asked is not None and asked.to_go is not None and asked.to_go <= _MANY:
        parts.append(words.say("To go: {n}.", n=asked.to_go))
    return " ".join(parts)


def _troubles(words: Words) -> dict[str, str]:
    """Return what the script says when something goes wrong."""
    return {
        "away": words.say("The server cannot be reached."),
        "unsaved": words.say("Not saved yet; trying again…"),
        "kept": words.say("Not taken back yet; trying again…"),
        "waiting": words.say("There is no other pair yet; trying again…"),
        "another": words.say("Here is a new one."),
    }


def _said_of(told: arena.Receipt, verdict: str, words: Words) -> str:
    """Say what became of a verdict, with the names of the arms if they may be known."""
    say = words.say
    if told.reason == "skip":
        return say("Skipped.")
    names = told.reveal or (say("the left card"), say("the right card"))
    left, right = (name if len(name) <= 40 else f"{name[:39]}…" for name in names)
    if verdict == "tie":
        choice = say("{one} and {other} are equal", one=left, other=right)
    elif verdict == "bad":
        choice = say("{one} and {other} are both bad", one=left, other=right)
    else:
        one, other = (left, right) if verdict == "left" else (right, left)
        choice = say("{one} over {other}", one=one, other=other)
    if told.reason == "cap":
        return say(
            "Kept, but not counted, as your share of today is used up: {choice}.", choice=choice
        )
    if told.counted:
        return say("Saved: {choice}.", choice=choice)
    return say("Kept, but not counted: {choice}.", choice=choice)


def _keep_said(request: Request, response: Response, poll: Arena, duel: str, said: str) -> None:
    """Let the browser keep for a minute what was said, and of which duel."""
    value = base64.urlsafe_b64encode(json.dumps([duel, said]).encode()).decode()
    keep(request, response, poll, _SAID, value, UNDO)


def _notice(request: Request, poll: Arena, words: Words) -> str:
    """Return what was said less than a minute ago, with a way to take the vote back."""
    duel, said = _said(request)
    return part("_said.html", said=said, duel=duel, slug=poll.slug, **words.facts)


def _said(request: Request) -> tuple[str, str]:
    """Return the duel and what was said of it less than a minute ago."""
    with suppress(ValueError, TypeError, RecursionError):  # whatever a browser sends
        duel, said = json.loads(base64.urlsafe_b64decode(request.cookies.get(_SAID, "")))
        words = str(duel), str(said)
        "".join(words).encode()  # half a surrogate pair is no text that a page can have
        return words
    return "", ""


def _nothing_to_ask(
    request: Request, poll: Arena, words: Words, error: Conflict, voter: str
) -> Response:
    """Say why there is no question: the voter had all, the poll is closed, or has no pair."""
    if _wants_json(request):
        return JSONResponse({"next": None})
    say = words.say
    status, tally = 409, ""
    if isinstance(error, Rested):
        status, title = 200, say("Thank you!")
        sentence = say("You have answered everything for today. Come back tomorrow.")
        if poll.settings.invited:  # each pair counts once
            sentence = say("You have answered everything.")
        tally = _tally(words, arena.votes_of(access_of(request).service, poll.slug, voter), None)
    elif poll.state == "waiting":
        title = say("Voting has not begun yet")
        sentence = say("It begins: {when}.", when=poll.settings.opens)
    elif poll.state == "closed":
        title = say("Voting is over")
        sentence = say("Thank you: this poll is closed and takes no more votes.")
    else:
        title = say("Nothing to compare yet")
        sentence = say("There must be two options at least; please come back a little later.")
    return render(
        "waiting.html",
        status,
        frames=_frames(poll),
        arena=poll,
        title=title,
        sentence=sentence,
        tally=tally,
        notice=_notice(request, poll, words).strip() if status == 200 else "",
        **words.facts,
    )


def _not_saved(
    request: Request, poll: Arena, words: Words, error: ArenaError, duel: str, verdict: str
) -> Response:
    again = isinstance(error, Unavailable | TooMany)
    headers = {"Retry-After": "1"} if again else {}
    sentence = in_words(error, words.say)
    if _wants_json(request):
        return problem(error.status, sentence, headers)
    return render(
        "unsaved.html",
        error.status,
        frames=_frames(poll),
        headers=headers,
        arena=poll,
        sentence=sentence,
        again=again and bool(verdict),
        duel=duel,
        verdict=verdict,
        **words.facts,
    )
