"""The door of a poll that is not open to all: by a link of one's own, or by a word; and privacy.

An invited voter is known by the code of the link, which the browser keeps as the voter's name.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError
from driftduel.arena.service.copies import Hosted
from driftduel.arena.web.pages.html import render
from driftduel.arena.web.pages.sessions import (
    check_same_origin,
    keep,
    new_voter,
    remember_voter,
    voter_of,
)
from driftduel.arena.web.pages.words import Words, words_for
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)

WORD = "word"
"""Where the browser keeps that it knew the word."""

_YEAR = 365 * 86_400
_SHORT = 8
"""Digits of a voter's name that are shown: enough for the owner to find it."""


@router.get("/{slug}/in/{code}")
def come_in(request: Request, slug: str, code: str) -> Response:
    """Let the browser be the voter who is invited by a link."""
    access = access_of(request)
    hosted = access.service.hosted(slug)
    access.take(request)  # nobody tries many codes
    if not arena.is_invited(access.service, slug, code):
        return turned_away(request, hosted, arena.NotInvited())
    response = RedirectResponse(f"/{slug}", 303)
    remember_voter(request, response, hosted.arena, code)
    return response


@router.post("/{slug}/word")
def say_word(request: Request, slug: str, word: Annotated[str, Form()] = "") -> Response:
    """Let somebody vote who knows the word."""
    check_same_origin(request)
    access = access_of(request)
    hosted = access.service.hosted(slug)
    access.take_guess(request)
    if not arena.knows_word(hosted, word):
        return turned_away(request, hosted, arena.WordNeeded(), guessed=True)
    response = RedirectResponse(f"/{slug}", 303)
    key = arena.key_of_word(access.service, hosted)
    keep(request, response, hosted.arena, WORD, key, _YEAR)
    return response


@router.get("/{slug}/privacy")
def privacy(request: Request, slug: str) -> Response:
    """Say what is kept of a voter, and by which name the owner finds it."""
    service = access_of(request).service
    poll = service.hosted(slug).arena
    words = words_for(request, poll)
    name = voter_of(request)
    return render(
        "privacy.html",
        frames=["'self'", *poll.settings.origins],
        arena=poll,
        name=None if name is None else service.voter(name)[:_SHORT],
        invited=name is not None and arena.is_invited(service, slug, name),
        **words.facts,
    )


def admit(request: Request, hosted: Hosted, name: str, *, begins: bool = False) -> None:
    """Let a voter go on, or begin, to vote.

    Raises
    ------
    NotInvited, WordNeeded, TooManyNew
        If that may not be.
    """
    access = access_of(request)
    address = access.address_of(request) if begins else None
    word = request.cookies.get(WORD, "")
    arena.admit(access.service, hosted, name, word=word, address=address)


def turned_away(
    request: Request, hosted: Hosted, error: ArenaError, *, guessed: bool = False
) -> Response:
    """Show why somebody may not vote, and where to type the word if that helps."""
    poll = hosted.arena
    words = words_for(request, poll)
    title, sentence, asks = _reason(error, words)
    response = render(
        "gate.html",
        403 if guessed or not asks else 200,
        frames=["'self'", *poll.settings.origins],
        arena=poll,
        title=title,
        sentence=sentence,
        asks=asks,
        problem=words.say("That is not the word.") if guessed else "",
        **words.facts,
    )
    if asks and voter_of(request) is None:  # in a frame the word is kept as the voter is
        remember_voter(request, response, poll, new_voter())
    return response


def _reason(error: ArenaError, words: Words) -> tuple[str, str, bool]:
    say = words.say
    if isinstance(error, arena.WordNeeded):
        sentence = say("To vote, type the word that you were given.")
        return say("Access word"), sentence, True
    if isinstance(error, arena.NotInvited):
        sentence = say(
            "This poll is for people who were invited. Please open the link that was sent to you."
        )
        return say("By invitation"), sentence, False
    sentence = say("Many new voters came from your network within an hour.")
    return say("Please try again later"), sentence, False
