"""The owner's page of voters: the busiest, one that is looked for, and those who are invited."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Invalid
from driftduel.arena.web.pages.html import as_sentence, render
from driftduel.arena.web.pages.sessions import check_owner, is_owner
from driftduel.arena.web.reach import reach_of

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]

_SHOWN = 20
_MARKS = {
    "exclude": arena.exclude,
    "include": arena.include,
    "delete": arena.delete_voter,
}
_DONE = {
    "exclude": "Excluded: the votes do not count.",
    "include": "Included: the votes count again.",
    "delete": "Deleted: the votes do not count, and nothing tells whose they were.",
}


@router.get("/{slug}/owner/voters")
def show(request: Request, slug: str, find: str = "", done: str = "") -> Response:
    """Show the voters with most votes, or those whose name begins in a way."""
    if not is_owner(request, slug):
        return RedirectResponse(f"/{slug}/owner", 303)
    return _page(request, slug, find=find, said=_DONE.get(done, ""))


@router.post("/{slug}/owner/voters")
def mark(request: Request, slug: str, voter: Text = "", to: Text = "") -> Response:
    """Let the votes of a voter not count, count again, or be nobody's."""
    service = check_owner(request, slug)
    try:
        if to not in _MARKS:
            raise Invalid("a voter can be excluded, included or deleted")
        _MARKS[to](service, slug, voter)
    except ArenaError as error:
        return _page(request, slug, error, "voters")
    return RedirectResponse(f"/{slug}/owner/voters?done={to}", 303)


@router.get("/{slug}/owner/voters/{voter}.csv")
def voter_csv(request: Request, slug: str, voter: str) -> Response:
    """Return all that one voter answered as CSV."""
    text = arena.voter_csv(check_owner(request, slug), slug, voter)
    return _saved(text, f"{slug}-{re.sub('[^0-9a-zA-Z]', '', voter)[:8]}.csv")


@router.post("/{slug}/owner/invitations")
def invite(request: Request, slug: str, names: Text = "") -> Response:
    """Make a link for each of some voters, and send these as CSV, this once."""
    service = check_owner(request, slug)
    lines = [line.strip() for line in names.splitlines() if line.strip()]
    try:
        made = arena.invite(service, slug, lines)
    except ArenaError as error:
        return _page(request, slug, error, "invited", names=names)
    address = f"{reach_of(request).links}/{slug}"
    return _saved(arena.invitations_csv(made, address), f"{slug}-invitations.csv")


def _saved(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def _page(
    request: Request,
    slug: str,
    error: ArenaError | None = None,
    place: str = "",
    *,
    find: str = "",
    said: str = "",
    names: str = "",
) -> Response:
    service = check_owner(request, slug)
    wanted = find.strip().lower()[:32]
    facts: dict[str, Any] = {"find": wanted, "said": said, "typed": {"names": names}}
    return render(
        "voters.html",
        200 if error is None else error.status,
        arena=service.hosted(slug).arena,
        busiest=arena.busiest(service, slug, _SHOWN, wanted),
        invited=arena.count_invited(service, slug),
        most=_SHOWN,
        problems={} if error is None else {place: as_sentence(error)},
        **facts,
    )
