"""Who a browser is: cookies of voters and owners, and that a form is one of our own pages.

Only pages read cookies; the API does not. What changes something must come from a page of this
very server (`check_same_origin`), so no other site can act for somebody who is logged in.

A voter is a random name in a cookie of the arena alone, so that votes in two arenas cannot be
brought together. In a frame of another site that cookie would be one of a third party: there, if
the arena allows that site, it is made for frames (SameSite=None; Secure; Partitioned), which
browsers keep for that one site. A browser that keeps no such cookies cannot vote in a frame; the
embed key, with which a page votes in its own name, works there, too.

An owner's cookie has the owner's token itself. Nothing about sessions is stored: what the database
has is the hash of the token, and to revoke the token ends all sessions with it.
"""

from __future__ import annotations

import re

from fastapi import Request
from fastapi.responses import Response

from driftduel.arena import service as arena
from driftduel.arena.errors import Forbidden, Unauthorized
from driftduel.arena.model import SLUG, Arena, Role
from driftduel.arena.rules import new_id
from driftduel.arena.web.pages.html import as_sentence
from driftduel.arena.web.pages.words import FOREIGN
from driftduel.arena.web.security import access_of

VOTER, FRAMED = "voter", "framed"
"""Where the name of a voter is: on a page of its own, and in a frame of another site."""

OWNER = "owner"
POLLS = "polls"
"""Of which polls a browser has links, by their addresses: the first page lists them."""

_MOST_POLLS = 50

_YEAR = 365 * 86_400
_WEEK = 7 * 86_400
_NAME = re.compile("[A-Za-z0-9_-]{22}")


def voter_of(request: Request) -> str | None:
    """Return the name of a voter, if the browser has one."""
    name = request.cookies.get(FRAMED) or request.cookies.get(VOTER, "")
    return name if _NAME.fullmatch(name) else None


def new_voter() -> str:
    """Return a name for a voter who has none."""
    return new_id()


def remember_voter(request: Request, response: Response, poll: Arena, name: str) -> None:
    """Let the browser keep the name of a voter of an arena."""
    said = request.headers
    framed = said.get("sec-fetch-dest") == "iframe" and said.get("sec-fetch-site") == "cross-site"
    keep(request, response, poll, FRAMED if framed else VOTER, name, _YEAR)


def keep(
    request: Request, response: Response, poll: Arena, name: str, value: str, seconds: int
) -> None:
    """Let the browser keep something for the voter's page of an arena."""
    framed = FRAMED in (name, *request.cookies)
    text = f"{name}={value}; Path=/{poll.slug}; Max-Age={seconds}; HttpOnly; "
    if framed:
        text += "SameSite=None; Secure; Partitioned"
    else:
        text += "SameSite=Lax" + ("; Secure" if access_of(request).is_https(request) else "")
    response.headers.append("Set-Cookie", text)


def polls_of(request: Request) -> list[str]:
    """Return the polls that a browser has links of, those opened last before the others."""
    named = request.cookies.get(POLLS, "").split(".")
    return [slug for slug in dict.fromkeys(named) if SLUG.fullmatch(slug)][:_MOST_POLLS]


def log_in_to(request: Request, response: Response, slug: str, token: str) -> None:
    """Let the browser keep a token for the owner's page of a poll, and list that poll."""
    log_in(request, response, f"/{slug}/owner", token)
    named = [slug, *(one for one in polls_of(request) if one != slug)][:_MOST_POLLS]
    _list(request, response, named)


def _list(request: Request, response: Response, named: list[str]) -> None:
    response.set_cookie(
        POLLS,
        ".".join(named),
        max_age=_YEAR,
        secure=access_of(request).is_https(request),
        httponly=True,
        samesite="strict",
    )


def unlist(request: Request, response: Response, slug: str) -> None:
    """Let the browser list a poll no more."""
    named = [one for one in polls_of(request) if one != slug]
    _list(request, response, named)


def log_in(request: Request, response: Response, path: str, token: str) -> None:
    """Let the browser send an owner's token along to the pages below a path, and nowhere else."""
    response.set_cookie(
        OWNER,
        token,
        max_age=_WEEK,
        path=path,
        secure=access_of(request).is_https(request),
        httponly=True,
        samesite="strict",
    )


def log_out(response: Response, path: str) -> None:
    """Let the browser forget an owner's token."""
    response.delete_cookie(OWNER, path=path, httponly=True, samesite="strict")


def check_owner(request: Request, slug: str) -> arena.Service:
    """Return the service if an owner of the arena is logged in.

    Raises
    ------
    NotFound, Unauthorized, Forbidden
        If there is no such arena; if nobody is logged in; if the form is of another site.
    """
    access = access_of(request)
    number = access.service.hosted(slug).arena.id
    check_same_origin(request)
    try:
        arena.check_holder(access.holder_of(request.cookies.get(OWNER)), number, "owner")
    except (Unauthorized, Forbidden):
        raise Unauthorized("log in as the owner of this poll") from None
    return access.service


def role_of(request: Request, slug: str) -> Role | None:
    """Return as what somebody is logged in who may see the owner's page: as owner, or to read."""
    access = access_of(request)
    number = access.service.hosted(slug).arena.id
    try:
        return arena.check_holder(
            access.holder_of(request.cookies.get(OWNER)), number, "owner", "read"
        )
    except (Unauthorized, Forbidden):
        return None


def is_owner(request: Request, slug: str) -> bool:
    """Tell whether an owner of the arena is logged in."""
    try:
        check_owner(request, slug)
    except Unauthorized:
        return False
    return True


def check_token(request: Request, slug: str, token: str) -> str | None:
    """Return why a token does not open the owner's page, to change or to read; None if it does."""
    access = access_of(request)
    access.take(request)  # nobody tries many tokens
    number = access.service.hosted(slug).arena.id
    try:
        arena.check_holder(access.holder_of(token.strip()), number, "owner", "read")
    except (Unauthorized, Forbidden) as error:
        return as_sentence(error)
    return None


def check_same_origin(request: Request) -> None:
    """Refuse what would change something unless a page of this server sent it.

    Browsers say so by ``Sec-Fetch-Site`` where an address is safe, and by ``Origin`` everywhere.
    """
    if request.method in ("GET", "HEAD"):
        return
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin", "")
    same = (
        origin.partition("://")[2] == request.headers.get("host")
        if site is None
        else (site == "same-origin")
    )
    if not same:
        raise Forbidden(FOREIGN)
