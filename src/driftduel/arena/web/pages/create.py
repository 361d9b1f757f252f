"""The first page, and the one on which an arena is made: by whom may, as over the API.

Options are pasted one a line, or come as files: an image is an option called as its file is, and a
CSV has one option a line, see `options_of_csv`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import PurePath
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Forbidden, Invalid, NotFound, Unauthorized
from driftduel.arena.model import MOST_OPTIONS, RESERVED, Card, slug_of
from driftduel.arena.service import NewCard
from driftduel.arena.service.cards import MOST_CARDS
from driftduel.arena.service.images import as_kept
from driftduel.arena.settings import Settings, settings_on, typed_of
from driftduel.arena.web.pages.html import as_sentence, render
from driftduel.arena.web.pages.sessions import (
    OWNER,
    check_same_origin,
    log_in,
    log_in_to,
    polls_of,
)
from driftduel.arena.web.reach import qr_code, reach_of
from driftduel.arena.web.security import access_of

router = APIRouter(include_in_schema=False)

_TEXTS = ("question", "slug", "options")


@router.get("/")
def home(request: Request) -> Response:
    """Say what this is, list the polls that the browser has links of, and lead on to a new one."""
    service = access_of(request).service
    mine = []
    for slug in polls_of(request):
        with suppress(NotFound):
            mine.append(service.hosted(slug).arena)
    return render("home.html", may_make=_refusal(request) is None, mine=mine)


@router.get("/new")
def show(request: Request) -> Response:
    """Show the form to those who may make an arena, and one for a token to others."""
    if _refusal(request) is not None:
        return _ask_for_token(None)
    claim = arena.new_claim(access_of(request).service)
    typed = {**dict.fromkeys(_TEXTS, ""), **typed_of(Settings(), "new"), "claim": claim}
    return render("create.html", problem=None, typed=typed, settings=settings_on("new"))


@router.post("/new/login")
def enter(request: Request, token: Annotated[str, Form()] = "") -> Response:
    """Log in with the token of an owner of any arena."""
    check_same_origin(request)
    access_of(request).take(request)  # nobody tries many tokens
    token = token.rpartition("#")[2]  # of a link
    problem = _refusal(request, token.strip() or "?")
    if problem is not None:
        return _ask_for_token(as_sentence(problem))
    response = RedirectResponse("/new", 303)
    log_in(request, response, "/new", token.strip())
    return response


@router.post("/new")
async def make(request: Request) -> Response:
    """Make an arena and show its links and tokens.

    Nobody can show them again but who sends the same form once more, as its answer was lost.
    """
    check_same_origin(request)
    if (error := await run_in_threadpool(_refusal, request)) is not None:
        raise error
    # Files are read only of those who may.
    async with request.form(max_files=MOST_OPTIONS) as form:
        uploads = [
            (one.filename, await one.read())
            for one in form.getlist("files")
            if isinstance(one, UploadFile) and one.filename
        ]
        return await run_in_threadpool(_make, request, form, uploads)


def options_of_lines(text: str) -> list[NewCard]:
    r"""Return an option for each line that is not empty, shown by its name.

    Examples
    --------
    >>> [one.arm for one in options_of_lines("tea\n\n coffee ")]
    ['tea', 'coffee']
    """
    return [NewCard(line.strip(), None) for line in text.splitlines() if line.strip()]


def options_of_csv(text: str) -> list[NewCard]:
    r"""Return the options of a CSV: a name in every line, and what is shown of it, if anything.

    A first line may name the columns: name; text or markdown, what is shown; context, what it is
    shown about. An option may have a line for each context.

    Examples
    --------
    >>> options_of_csv("name,markdown\ntea,**Tea**, hot")[0].card
    Card(kind='markdown', body='**Tea**', ...)
    """
    full = (row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row))
    rows = list(islice(full, MOST_CARDS + 2))  # one more than there may be, below a heading
    columns = [cell.strip().lower() for cell in rows[0]] if rows else []
    if "name" in columns:
        rows = rows[1:]
    else:
        columns = ["name", "text"]
    options = []
    for row in rows:
        cells = {key: cell.strip() for key, cell in zip(columns, row, strict=False)}
        kind: Any = "markdown" if cells.get("markdown") else "text"
        card = Card(kind, cells[kind]) if cells.get(kind) else None
        options.append(NewCard(cells.get("name", ""), card, cells.get("context", "")))
    return options


def _make(request: Request, form: FormData, uploads: Sequence[tuple[str, bytes]]) -> Response:
    access = access_of(request)
    said = {name: str(form.get(name, "")).strip() for name in (*_TEXTS, "claim")}
    typed = {one.name: str(form.get(one.name, "")) for one in settings_on("new")}
    try:
        options = _options(said["options"], uploads)
        made = arena.create_arena(
            access.service,
            said["slug"] or _slug(said["question"]),
            said["question"],
            list(dict.fromkeys(one.arm for one in options)),
            settings={one.name: one.from_text(typed[one.name]) for one in settings_on("new")},
            cards=[one for one in options if one.card is not None],
            claim=said["claim"],
        )
    except ArenaError as error:
        claim = said["claim"] or arena.new_claim(access.service)
        typed |= {**said, "claim": claim}
        facts: dict[str, Any] = {"typed": typed, "settings": settings_on("new")}
        return render("create.html", error.status, problem=as_sentence(error), **facts)
    slug = made.arena.slug
    response = render(
        "made.html",
        201,
        made=made,
        arena=made.arena,
        reach=reach_of(request),
        qr=qr_code,
    )
    log_in_to(request, response, slug, made.owner_token)
    return response


def _options(lines: str, uploads: Sequence[tuple[str, bytes]]) -> list[NewCard]:
    options = options_of_lines(lines)
    _check_few(options)
    for name, content in uploads:
        if name.lower().endswith((".csv", ".txt")):
            try:
                options += options_of_csv(content.decode("utf-8-sig"))
            except (UnicodeDecodeError, csv.Error):
                raise Invalid(f"the file {name[:80]} must be a CSV in UTF-8") from None
        else:
            try:
                _, image = as_kept(content)
            except Invalid as error:
                raise Invalid(f"the file {name[:80]}: {error}") from None
            options.append(NewCard(PurePath(name).stem, Card("image", ""), image=image))
        _check_few(options)
    if len({one.arm for one in options}) < 2:
        raise Invalid("give two options at least, one a line")
    seen: set[tuple[str, str]] = set()
    for one in options:
        if (one.arm, one.context) in seen:
            raise Invalid(f"the option {one.arm[:80]!r} is there twice")
        seen.add((one.arm, one.context))
    if any(one.card is not None and not one.context for one in options):
        # Two arms are shown by their cards if both have one.
        options = [replace(one, card=one.card or Card("text", one.arm)) for one in options]
    return options


def _check_few(options: Sequence[NewCard]) -> None:
    """Refuse more than a poll may have before anything is done with them."""
    if len(options) > MOST_CARDS:
        raise Invalid(f"there are more than {MOST_CARDS:,} options and cards")


def _slug(question: str) -> str:
    """Return an address for a question."""
    slug = slug_of(question, RESERVED)
    return "vote" if slug == "arm" else slug


def _refusal(request: Request, token: str | None = None) -> ArenaError | None:
    """Return why somebody may not make an arena, None who may."""
    try:
        access_of(request).check_making(request, token or request.cookies.get(OWNER))
    except (Unauthorized, Forbidden) as error:
        return error
    return None


def _ask_for_token(problem: str | None) -> Response:
    status = 200 if problem is None else 403
    return render("login.html", status, arena=None, action="/new/login", problem=problem)
