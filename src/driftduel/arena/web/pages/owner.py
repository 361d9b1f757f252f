"""The owner's page of an arena: behind a token, which the browser keeps for a week."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.web.pages.rendering import render
from driftduel.arena.web.pages.sessions import (
    check_same_origin,
    check_token,
    is_owner,
    log_in,
    log_out,
)
from driftduel.arena.web.pages.words import sentence
from driftduel.arena.web.security import guard_of

router = APIRouter(include_in_schema=False)


@router.get("/{slug}/owner")
def show(request: Request, slug: str) -> Response:
    """Show what is known of an arena to its owner, and a form for the token to others."""
    service = guard_of(request).service
    found = service.hosted(slug).arena
    if not is_owner(request, slug):
        return render("login.html", arena=found, action=f"/{slug}/owner", problem=None)
    now = arena.status(service, slug)
    return render("owner.html", arena=now.arena, now=now, sentence=sentence(now))


@router.post("/{slug}/owner")
def enter(request: Request, slug: str, token: Annotated[str, Form()] = "") -> Response:
    """Log in with the owner's token."""
    check_same_origin(request)
    found = guard_of(request).service.hosted(slug).arena
    problem = check_token(request, slug, token)
    if problem is not None:
        return render("login.html", 403, arena=found, action=f"/{slug}/owner", problem=problem)
    response = RedirectResponse(f"/{slug}/owner", 303)
    log_in(request, response, f"/{slug}/owner", token.strip())
    return response


@router.post("/{slug}/owner/logout")
def leave(request: Request, slug: str) -> Response:
    """Log out."""
    check_same_origin(request)
    guard_of(request).service.hosted(slug)
    response = RedirectResponse(f"/{slug}/owner", 303)
    log_out(response, f"/{slug}/owner")
    return response
