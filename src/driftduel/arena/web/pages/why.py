"""The owner's page on why who leads changed, where releases are marked; it takes a second."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Invalid
from driftduel.arena.web.pages.html import as_sentence, render
from driftduel.arena.web.pages.sessions import check_owner, is_owner
from driftduel.arena.web.security import access_of
from driftduel.arena.web.why import CLOCK
from driftduel.verdict.causes import sentences

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]


@router.get("/{slug}/owner/why")
def show(request: Request, slug: str) -> Response:
    """Show what explains each change, and the releases."""
    if not is_owner(request, slug):
        return RedirectResponse(f"/{slug}/owner", 303)
    return _page(request, slug)


@router.post("/{slug}/owner/releases")
def mark(
    request: Request,
    slug: str,
    name: Text = "",
    option: Text = "",
    at: Text = "",
    gone: Text = "",
) -> Response:
    """Mark a release, or take one back."""
    service = check_owner(request, slug)
    try:
        if gone:
            if not (gone.isascii() and gone.isdigit()):
                raise Invalid("there is no such release")
            arena.take_back_release(service, slug, int(gone))
        else:
            when = arena.as_moment(at) if at.strip() else None
            arena.mark_release(service, slug, name, option or None, when)
    except ArenaError as error:
        return _page(request, slug, error, {"name": name, "option": option, "at": at})
    return RedirectResponse(f"/{slug}/owner/why#releases", 303)


def _page(
    request: Request,
    slug: str,
    error: ArenaError | None = None,
    typed: dict[str, str] | None = None,
) -> Response:
    service = access_of(request).service
    hosted = service.hosted(slug)
    return render(
        "why.html",
        200 if error is None else error.status,
        arena=hosted.arena,
        causes=[(one, sentences(one, CLOCK)) for one in arena.causes(service, slug)],
        releases=arena.releases(service, slug),
        options=[one.name for one in hosted.replica.arms.values()],
        problem=None if error is None else as_sentence(error),
        typed=typed or {"name": "", "option": "", "at": ""},
    )
