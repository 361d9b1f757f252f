"""The owner's life: old votes come in after a look at them, a logo, and the end of a poll."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from driftduel.arena import service as arena
from driftduel.arena.errors import ArenaError, Invalid
from driftduel.arena.web.owner import at_work
from driftduel.arena.web.pages.html import as_sentence, render
from driftduel.arena.web.pages.owner import _done, _page
from driftduel.arena.web.pages.sessions import check_owner, is_owner, log_out, unlist

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]


@router.get("/{slug}/owner/import")
def show(request: Request, slug: str) -> Response:
    """Show the form for a file, and what came in before."""
    if not is_owner(request, slug):
        return RedirectResponse(f"/{slug}/owner", 303)
    return _import_page(request, slug)


@router.post("/{slug}/owner/import")
async def look(request: Request, slug: str) -> Response:
    """Say what is read of a file, before any of it comes in."""
    service = await run_in_threadpool(check_owner, request, slug)
    async with request.form(max_files=1) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            error = Invalid("choose a file")
            return await run_in_threadpool(_import_page, request, slug, error)
        return await run_in_threadpool(_look, request, service, slug, file)


@router.post("/{slug}/owner/import/yes")
def come(
    request: Request, slug: str, file: Text = "", pairs: Text = "", add: Text = ""
) -> Response:
    """Take in the votes of a file that was looked at."""
    service = check_owner(request, slug)
    try:
        with arena.uploaded(service, slug, file) as path, at_work():
            if add:
                missing = arena.preview_import(service, slug, path).missing
                if missing:
                    arena.change_arms(service, slug, add=missing, pause=missing)
            wanted: Any = pairs
            done = arena.import_votes(service, slug, path, wanted, apart=True)
    except ArenaError as error:
        return _import_page(request, slug, error)
    return _import_page(request, slug, done=done)


@router.post("/{slug}/owner/import/back")
def take_back(request: Request, slug: str, name: Text = "") -> Response:
    """Let no vote of an import count."""
    service = check_owner(request, slug)
    try:
        arena.take_back_import(service, slug, name)
    except ArenaError as error:
        return _import_page(request, slug, error)
    return RedirectResponse(f"/{slug}/owner/import#before", 303)


@router.post("/{slug}/owner/logo")
async def set_logo(request: Request, slug: str) -> Response:
    """Show an image on top of the pages, or none."""
    await run_in_threadpool(check_owner, request, slug)
    async with request.form(max_files=1) as form:
        file = form.get("image")
        image = await file.read() if isinstance(file, UploadFile) else b""
        gone = bool(form.get("gone"))

    def act(service: arena.Service) -> None:
        if not image and not gone:
            raise Invalid("choose an image")
        arena.set_logo(service, slug, None if gone else image)

    do: Callable[[arena.Service], object] = act
    return await run_in_threadpool(_done, request, slug, "logo", do)


@router.post("/{slug}/owner/delete")
def delete(request: Request, slug: str, typed: Text = "") -> Response:
    """Delete the poll with all of its votes."""
    service = check_owner(request, slug)
    try:
        arena.delete_arena(service, slug, typed)
    except ArenaError as error:
        return _page(request, slug, error, "delete", typed=typed)
    sentence = f"The poll {slug} and all of its votes are gone."
    response = render("refused.html", title="Deleted", sentence=sentence)
    log_out(response, f"/{slug}/owner")
    unlist(request, response, slug)
    return response


def _look(request: Request, service: arena.Service, slug: str, file: UploadFile) -> Response:
    name = file.filename or ""
    try:
        path = arena.new_upload(service, slug, name)
        with at_work():
            with path.open("wb") as kept:
                shutil.copyfileobj(file.file, kept)
            try:
                found = arena.preview_import(service, slug, path)
            except ArenaError as error:
                path.unlink(missing_ok=True)
                raise Invalid(_words(error, path.name, name)) from None
    except ArenaError as error:
        return _import_page(request, slug, error)
    return _import_page(request, slug, found=found, file=path.name, name=name[:80])


def _words(error: ArenaError, kept: str, name: str) -> str:
    """Return why a file is refused, by its owner's name of it, without the help of a command."""
    text = str(error).removeprefix(f"{kept}: ").replace(kept, name[:80])
    return f"the file {name[:80]}: {_HELP.sub('', text)}"


_HELP = re.compile(r"[;:,.] [^;:.]*(: )?--.*", re.DOTALL)


def _import_page(
    request: Request, slug: str, error: ArenaError | None = None, **facts: Any
) -> Response:
    service = check_owner(request, slug)
    every: dict[str, Any] = {"found": None, "done": None, "file": "", "name": ""}
    return render(
        "import.html",
        200 if error is None else error.status,
        arena=service.hosted(slug).arena,
        before=arena.imports(service, slug),
        problem="" if error is None else as_sentence(error),
        **{**every, **facts},
    )
