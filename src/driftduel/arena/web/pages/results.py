"""The public page of results: who is best since when, how sure, and what changed.

It is there when an arena is closed, and before if its owner says so.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from driftduel.arena.colours import style_of
from driftduel.arena.web.pages.figures import standing_of
from driftduel.arena.web.pages.html import render
from driftduel.arena.web.pages.words import words_for
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)


@router.get("/{slug}/look.css")
def look(request: Request, slug: str) -> Response:
    """Return the colours of a poll, as far as its owner chose any."""
    colour = access_of(request).service.hosted(slug).arena.settings.colour
    kept = "public, max-age=86400" if request.query_params.get("v") else "no-cache"
    sheet = style_of(colour) if colour else ""
    return Response(sheet, media_type="text/css", headers={"Cache-Control": kept})


@router.get("/{slug}/results")
def show(request: Request, slug: str) -> Response:
    """Show results if they are public."""
    service = access_of(request).service
    poll = service.hosted(slug).arena
    if not poll.results_are_public:
        words = words_for(request, poll)
        return render(
            "waiting.html",
            403,
            arena=poll,
            title=words.say("Not yet"),
            sentence=words.say("Results are shown when voting is over."),
            tally="",
            notice="",
            **words.facts,
        )
    return render("results.html", **standing_of(service, slug))
