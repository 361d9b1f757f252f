"""The owner's page on automatic judges beside people; it takes a second."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.web.pages.html import render
from driftduel.arena.web.pages.sessions import check_owner, is_owner
from driftduel.arena.web.security import access_of
from driftduel.arena.web.why import CLOCK
from driftduel.verdict.judges import sentences

router = APIRouter(include_in_schema=False)


@router.get("/{slug}/owner/judges")
def show(request: Request, slug: str) -> Response:
    """Show what is known of each judge."""
    if not is_owner(request, slug):
        return RedirectResponse(f"/{slug}/owner", 303)
    service = access_of(request).service
    found = [(one, sentences(one, CLOCK)) for one in arena.judges(service, slug)]
    return render("judges.html", arena=service.hosted(slug).arena, judges=found)


@router.post("/{slug}/owner/judges")
def forget(request: Request, slug: str, gone: Annotated[str, Form()] = "") -> Response:
    """Take a judge away."""
    service = check_owner(request, slug)
    arena.forget_judge(service, slug, gone)
    return RedirectResponse(f"/{slug}/owner/judges", 303)
