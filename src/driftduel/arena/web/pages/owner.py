"""The owner's page of an arena: behind a token, which the browser keeps for a week.

All of it works without scripts: what changes something is a form, which leads back to its place on
the page, or shows the page again with a sentence beside the form and what was typed in it. A script
looks every few seconds whether there is something new, and takes over the parts that changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, Header, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Invalid, NotFound, Unauthorized
from driftduel.arena.model import DAY, Card, Role
from driftduel.arena.settings import settings_on, typed_of
from driftduel.arena.web import owner as api
from driftduel.arena.web.pages.figures import columns_of, standing_of
from driftduel.arena.web.pages.html import as_sentence, render
from driftduel.arena.web.pages.sessions import (
    check_owner,
    check_same_origin,
    check_token,
    is_owner,
    log_in_to,
    log_out,
    role_of,
)
from driftduel.arena.web.reach import qr_code, reach_of
from driftduel.arena.web.security import access_of
from driftduel.arena.web.why import CLOCK

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]
_WITHIN = {"logo": "settings"}
"""Places that are folded away with another."""

Known = Annotated[str | None, Header(alias="If-None-Match")]


@router.get("/{slug}/owner")
def show(request: Request, slug: str, saved: str = "", at: str = "") -> Response:
    """Show what is known of an arena to its owner, and a form for the token to others."""
    poll = access_of(request).service.hosted(slug).arena
    if role_of(request, slug) is None:
        return render("login.html", arena=poll, action=f"/{slug}/owner", problem=None)
    return _page(request, slug, saved=bool(saved), at=at)


@router.post("/{slug}/owner")
def enter(request: Request, slug: str, token: Text = "") -> Response:
    """Log in with the owner's token."""
    check_same_origin(request)
    poll = access_of(request).service.hosted(slug).arena
    token = token.rpartition("#")[2]  # of a link
    problem = check_token(request, slug, token)
    if problem is not None:
        return render("login.html", 403, arena=poll, action=f"/{slug}/owner", problem=problem)
    response = RedirectResponse(f"/{slug}/owner", 303)
    log_in_to(request, response, slug, token.strip())
    return response


@router.post("/{slug}/owner/logout")
def leave(request: Request, slug: str) -> Response:
    """Log out."""
    check_same_origin(request)
    access_of(request).service.hosted(slug)
    response = RedirectResponse(f"/{slug}/owner", 303)
    log_out(response, f"/{slug}/owner")
    return response


@router.get("/{slug}/owner/now")
def now(request: Request, slug: str, known: Known = None) -> Response:
    """Return the parts of the page that change by themselves, 304 if nothing did."""
    if role_of(request, slug) is None:
        raise Unauthorized("log in as the owner of this poll")
    service = access_of(request).service
    state = service.hosted(slug).arena.state  # which a schedule changes, too
    tag = f'"{arena.health_tag(service, slug)}-{state}"'
    if tag == (known or "").removeprefix("W/"):
        return Response(status_code=304, headers={"ETag": tag})
    return render("_owner_parts.html", headers={"ETag": tag}, **_facts(request, service, slug))


@router.post("/{slug}/owner/options")
def add(request: Request, slug: str, names: Text = "") -> Response:
    """Let options join, one a line."""
    lines = [line.strip() for line in names.splitlines() if line.strip()]

    def act(service: arena.Service) -> None:
        if not lines:
            raise Invalid("write the name of an option, or several, one a line")
        arena.change_arms(service, slug, add=lines)

    return _done(request, slug, "options", act, names=names)


@router.post("/{slug}/owner/offer")
def offer(request: Request, slug: str, arm: Text = "", to: Text = "") -> Response:
    """Pause an option, or let it come back."""

    def act(service: arena.Service) -> None:
        if to not in ("pause", "resume"):
            raise Invalid("an option can be paused or resumed")
        arena.change_arms(
            service,
            slug,
            pause=[arm] if to == "pause" else [],
            resume=[arm] if to == "resume" else [],
        )

    return _done(request, slug, "options", act)


@router.get("/{slug}/owner/groups")
def show_groups(request: Request, slug: str) -> Response:
    """Show whether groups of voters differ: it takes a second, so it has a page of its own."""
    if not is_owner(request, slug):
        return RedirectResponse(f"/{slug}/owner", 303)
    service = access_of(request).service
    poll = service.hosted(slug).arena
    groups, weighed = arena.groups(service, slug), arena.weighed(service, slug)
    return render("groups.html", arena=poll, groups=groups, weighed=weighed)


@router.get("/{slug}/owner/options/{arm}")
def show_option(request: Request, slug: str, arm: str) -> Response:
    """Show an option: its name and its cards."""
    if not is_owner(request, slug):
        return RedirectResponse(f"/{slug}/owner", 303)
    return _option(request, slug, arm)


@router.post("/{slug}/owner/options/{arm}/name")
def rename(request: Request, slug: str, arm: str, name: Text = "") -> Response:
    """Give an option another name."""
    service = check_owner(request, slug)
    try:
        arena.change_arms(service, slug, rename={arm: name})
    except ArenaError as error:
        return _option(request, slug, arm, error, "name", name=name)
    return RedirectResponse(f"/{slug}/owner/options/{arm}", 303)


@router.post("/{slug}/owner/options/{arm}/variant")
def set_variant(request: Request, slug: str, arm: str, of: Text = "") -> Response:
    """Let an option be a variant of the same thing as another, or of none."""
    service = check_owner(request, slug)
    try:
        arena.same_as(service, slug, arm, of or None)
    except ArenaError as error:
        return _option(request, slug, arm, error, "variant")
    return RedirectResponse(f"/{slug}/owner/options/{arm}", 303)


@router.post("/{slug}/owner/options/{arm}/card")
def set_card(
    request: Request,
    slug: str,
    arm: str,
    kind: Text = "text",
    context: Text = "",
    body: Text = "",
    image: UploadFile | None = None,
) -> Response:
    """Set what is shown of an option in a context."""
    service = check_owner(request, slug)
    try:
        if kind == "image":
            content = b"" if image is None else image.file.read()
            if not content:
                raise Invalid("choose an image")
            arena.set_card(service, slug, arm, Card("image", ""), context, content)
        elif kind in ("text", "markdown"):
            if not body.strip():
                raise Invalid("write what the card shows")
            arena.set_card(service, slug, arm, Card(kind, body), context)  # type: ignore[arg-type]
        else:
            raise Invalid("a card is text, markdown or an image")
    except ArenaError as error:
        typed = {"kind": kind, "context": context, "body": body}
        return _option(request, slug, arm, error, "card", **typed)
    return RedirectResponse(f"/{slug}/owner/options/{arm}", 303)


@router.post("/{slug}/owner/options/{arm}/uncard")
def remove_card(request: Request, slug: str, arm: str, context: Text = "") -> Response:
    """Take a card away."""
    service = check_owner(request, slug)
    arena.set_card(service, slug, arm, None, context)
    return RedirectResponse(f"/{slug}/owner/options/{arm}", 303)


@router.post("/{slug}/owner/settings")
async def change_settings(request: Request, slug: str) -> Response:
    """Change the texts and the settings of an arena."""
    names = ["title", "question", *(one.name for one in settings_on("owner"))]
    async with request.form() as form:
        typed = {name: str(form.get(name, "")) for name in names}

    def act(service: arena.Service) -> None:
        changes: dict[str, Any] = {name: typed[name] for name in ("title", "question")}
        for one in settings_on("owner"):
            changes[one.name] = one.from_text(typed[one.name])
        arena.change_arena(service, slug, changes)

    return await run_in_threadpool(_done, request, slug, "settings", act, **typed)


@router.post("/{slug}/owner/suggestions")
def answer_suggestion(request: Request, slug: str, name: Text = "", to: Text = "") -> Response:
    """Let a suggested option join, or decline it."""

    def act(service: arena.Service) -> None:
        if to not in ("add", "decline"):
            raise Invalid("a suggestion can be added or declined")
        (arena.add_suggested if to == "add" else arena.decline_suggested)(service, slug, name)

    return _done(request, slug, "suggestions", act)


@router.post("/{slug}/owner/rules")
def accept_rules(request: Request, slug: str, to: Text = "") -> Response:
    """Count the votes by the newest rules from now on."""

    def act(service: arena.Service) -> None:
        if not (to.isascii() and to.isdigit()):
            raise Invalid("rules: must be a whole number")
        arena.accept_rules(service, slug, int(to))

    return _done(request, slug, "rules", act)


@router.post("/{slug}/owner/state")
def change_state(request: Request, slug: str, to: Text = "") -> Response:
    """Close an arena, or open it again."""
    return _done(
        request, slug, "settings", lambda service: arena.change_arena(service, slug, {"status": to})
    )


@router.post("/{slug}/owner/tokens")
def make_token(request: Request, slug: str, role: Text = "", label: Text = "") -> Response:
    """Make a token, which this page shows once."""
    service = check_owner(request, slug)
    wanted: Role = role  # type: ignore[assignment]
    try:
        made = arena.new_token(service, slug, wanted, label)
    except ArenaError as error:
        return _page(request, slug, error, "tokens", role=role, label=label)
    if wanted in ("owner", "read"):  # what is opened is a link
        made = f"{reach_of(request).links}/{slug}/owner#{made}"
    return _page(request, slug, made=made)


@router.post("/{slug}/owner/revoke")
def revoke(request: Request, slug: str, token: Text = "") -> Response:
    """Make a token useless."""

    def act(service: arena.Service) -> None:
        mine = [one for one in arena.tokens(service, slug) if one.role == "owner"]
        left = [one for one in mine if one.revoked_at is None and one.id != token]
        if not left:
            raise Invalid("this is the only token of an owner: make another one first")
        arena.revoke_token(service, slug, token)

    return _done(request, slug, "tokens", act)


@router.post("/{slug}/owner/voter")
def mark_voter(request: Request, slug: str, voter: Text = "", to: Text = "") -> Response:
    """Let the votes of a voter not count, or count again."""

    def act(service: arena.Service) -> None:
        if to not in ("exclude", "include"):
            raise Invalid("a voter can be excluded or included")
        (arena.exclude if to == "exclude" else arena.include)(service, slug, voter)

    return _done(request, slug, "voters", act)


@router.get("/{slug}/owner/votes.csv")
def votes_csv(request: Request, slug: str, everything: api.All = False) -> Response:
    """Return the votes as CSV."""
    return api.answer_csv(check_owner(request, slug), slug, everything)


@router.get("/{slug}/owner/standing.csv")
def standing_csv(request: Request, slug: str) -> Response:
    """Return how the options stand as CSV."""
    return api.answer_standing(check_owner(request, slug), slug)


@router.get("/{slug}/owner/votes.parquet")
def votes_parquet(request: Request, slug: str, everything: api.All = False) -> Response:
    """Return the votes as Parquet."""
    return api.answer_parquet(check_owner(request, slug), slug, everything)


def _done(
    request: Request, slug: str, place: str, act: Callable[[arena.Service], object], **typed: Any
) -> Response:
    """Do what a form asks and go back to its place, or show the page again with what was typed."""
    service = check_owner(request, slug)
    try:
        act(service)
    except ArenaError as error:
        return _page(request, slug, error, place, **typed)
    saved = "&saved=1" if place == "settings" else ""  # elsewhere the page shows what changed
    return RedirectResponse(f"/{slug}/owner?at={place}{saved}#{place}", 303)


def _page(
    request: Request,
    slug: str,
    error: ArenaError | None = None,
    place: str = "",
    made: str | None = None,
    saved: bool = False,
    at: str = "",
    **typed: Any,
) -> Response:
    """Return the page; parts that are folded away are open if that is where something happened."""
    service = access_of(request).service
    facts = {
        **_facts(request, service, slug),
        **told_of(service, slug),
        "upgrade": arena.upgrade(service, slug),
    }
    problems = {} if error is None else {place: as_sentence(error)}
    return render(
        "owner.html",
        200 if error is None else error.status,
        **{**facts, "typed": {**facts["typed"], **typed}, "problems": problems, "made": made},
        saved=saved,
        opened={*(_WITHIN.get(one, one) for one in (at, *problems)), "tokens" if made else ""},
    )


def told_of(service: arena.Service, slug: str) -> dict[str, Any]:
    """Return what the page shows of messages."""
    return {
        "told": arena.receivers(service, slug),
        "mail": service.post.mail is not None,
        "given_up": arena.GIVEN_UP // DAY,
        "in_words": arena.in_words,
    }


def _facts(request: Request, service: arena.Service, slug: str) -> dict[str, Any]:
    """Return all that the page shows."""
    standing = standing_of(service, slug)
    poll = standing["arena"]
    health = arena.health(service, slug)
    reach = reach_of(request)
    return {
        **standing,
        "health": health,
        "anchored": arena.anchors_note(service, slug, CLOCK),
        "columns": [] if health.rate is None else columns_of(health.rate),
        "tag": f"{health.head}-{health.moment}-{poll.state}",
        "base": reach.links,
        "reach": reach,
        "qr": qr_code,
        "controls": role_of(request, slug) == "owner",
        "cards": {arm: len(contexts) for arm, contexts in arena.cards(service, slug).items()},
        "tokens": arena.tokens(service, slug),
        "suggested": arena.suggestions(service, slug),
        "problems": {},
        "made": None,
        "settings": settings_on("owner"),
        "typed": {
            "title": poll.title,
            "question": poll.question,
            **typed_of(poll.settings, "owner"),
            "names": "",
            "role": "read",
            "label": "",
            "address": "",
            "shape": "",
            "digest": False,
            "typed": "",
        },
    }


def _option(
    request: Request,
    slug: str,
    slug_of_arm: str,
    error: ArenaError | None = None,
    place: str = "",
    **typed: Any,
) -> Response:
    """Return the page of an option."""
    service = access_of(request).service
    described = arena.describe(service, slug)
    mine = [one for one in described.arms if one.slug == slug_of_arm]
    if not mine:
        raise NotFound("there is no such option")
    cards = [
        {"context": context, "card": card, "html": None if html is None else Markup(html)}
        for context, card in arena.cards(service, slug).get(slug_of_arm, {}).items()
        for html in (arena.html_of(card),)
    ]
    groups = arena.variants_of(described.arena.settings.variants)
    same = next((set(one) - {slug_of_arm} for one in groups if slug_of_arm in one), set())
    start = {"name": mine[0].name, "kind": "text", "context": "", "body": ""}
    return render(
        "option.html",
        200 if error is None else error.status,
        arena=described.arena,
        arm=mine[0],
        others=[one for one in described.arms if one.slug != slug_of_arm],
        same=same,
        cards=cards,
        problems={} if error is None else {place: as_sentence(error)},
        typed={**start, **typed},
    )
