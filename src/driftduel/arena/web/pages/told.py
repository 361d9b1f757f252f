"""The part of the owner's page about who is told when the poll changes, and how to end that."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Invalid, NotFound
from driftduel.arena.web.pages.html import render
from driftduel.arena.web.pages.owner import _done, _page
from driftduel.arena.web.pages.sessions import check_owner, check_same_origin
from driftduel.arena.web.reach import reach_of
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]


@router.post("/{slug}/owner/told")
def add(
    request: Request, slug: str, address: Text = "", shape: Text = "", digest: Text = ""
) -> Response:
    """Let an address be told; the page then shows once what signs its messages."""
    service = check_owner(request, slug)
    site = reach_of(request).links
    try:
        added = arena.add_receiver(
            service, slug, address, site=site, shape=shape, digest=bool(digest)
        )
    except ArenaError as error:
        return _page(
            request, slug, error, "told", address=address, shape=shape, digest=bool(digest)
        )
    if added.receiver.shape != "json":
        return RedirectResponse(f"/{slug}/owner?at=told#told", 303)
    return _page(request, slug, at="told", secret=added.secret)


@router.post("/{slug}/owner/told/{name}")
def change(request: Request, slug: str, name: str, to: Text = "") -> Response:
    """Try an address, tell it no more, or send it digests or none."""
    if to == "test":
        service = check_owner(request, slug)
        try:
            answer = arena.try_receiver(service, slug, name)
        except ArenaError as error:
            return _page(request, slug, error, "told")
        return _page(request, slug, at="told", tried=answer, tried_name=name)

    def act(service: arena.Service) -> None:
        if to == "remove":
            arena.remove_receiver(service, slug, name)
        elif to in ("digest", "no digest"):
            arena.change_digest(service, slug, name, to == "digest")
        else:
            raise Invalid("an address can be tried or removed, and get digests or none")

    return _done(request, slug, "told", act)


@router.post("/{slug}/owner/feed")
def make_feed(request: Request, slug: str) -> Response:
    """Make a secret address of the feed, which the page shows once."""
    service = check_owner(request, slug)
    key = arena.new_token(service, slug, "feed", "feed")
    return _page(request, slug, at="told", feed=f"{reach_of(request).links}/{slug}/feed/{key}")


@router.get("/{slug}/unsubscribe/{name}")
def ask_to_end(request: Request, slug: str, name: str) -> Response:
    """Ask whoever follows the link of a message whether no more are to come."""
    receiver = _receiver(request, slug, name)
    return _ending(request, slug, receiver)


@router.post("/{slug}/unsubscribe/{name}")
def end(request: Request, slug: str, name: str) -> Response:
    """Send no more messages; who has the link of one of them may say so."""
    check_same_origin(request)
    access_of(request).take(request)
    receiver = _receiver(request, slug, name)
    arena.remove_receiver(access_of(request).service, slug, name)
    return _ending(request, slug, receiver, done=True)


def _receiver(request: Request, slug: str, name: str) -> arena.Delivered:
    service = access_of(request).service
    mine = [one for one in arena.receivers(service, slug) if one.receiver.id == name]
    if not mine or mine[0].receiver.kind != "email":
        raise NotFound("no messages are sent by this link any more")
    return mine[0]


def _ending(request: Request, slug: str, one: arena.Delivered, *, done: bool = False) -> Response:
    poll = access_of(request).service.hosted(slug).arena
    return render("unsubscribe.html", arena=poll, address=one.receiver.address, done=done)
