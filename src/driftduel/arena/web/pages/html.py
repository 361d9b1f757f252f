"""Templates become answers: escaped, with the headers that every page has, and static files.

A template sees what it is given and ``static``, the address of a file in ``web/static``. Pages load
nothing from elsewhere and run no script but files of ours: see `policy`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from driftduel._support.text import duration
from driftduel.arena.web.pages.words import Words, words_for
from driftduel.verdict.parts import (
    Clock,
    Sentence,
    chance,
    percent,
    percent_range,
    stamp,
    to_html,
)
from driftduel.verdict.standing import Moment

_WEB = Path(__file__).parents[1]
_FILES = _WEB / "static"
_NOBODY = ("'none'",)
_YEAR = 31_536_000
_CLOCK = Clock("minute", "vote")


def render(
    template: str,
    status: int = 200,
    *,
    frames: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
    **facts: Any,
) -> Response:
    """Return a page.

    Parameters
    ----------
    template : str
        A file of ``web/templates``.
    status : int
        Of HTTP.
    frames : sequence of str
        Origins, and ``'self'``, of pages that may show this one in a frame; none may by default.
    headers : mapping, optional
        More headers.
    **facts
        What the template shows.
    """
    every = {
        "Content-Security-Policy": policy(frames),
        "Referrer-Policy": "same-origin",  # with none browsers send no origin along with forms
        "Cache-Control": "no-store",
    }
    return HTMLResponse(part(template, **facts), status, {**every, **(headers or {})})


def part(template: str, **facts: Any) -> str:
    """Return the text of a template."""
    return _TEMPLATES.get_template(template).render(facts)


def policy(frames: Sequence[str] = ()) -> str:
    """Return what a page may load, from here alone, and who may show it in a frame.

    Examples
    --------
    >>> policy(["https://example.org"])[-35:]
    'frame-ancestors https://example.org'
    """
    return (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {' '.join(frames or _NOBODY)}"
    )


def refused(request: Request, status: int, detail: str, headers: Mapping[str, str]) -> Response:
    """Return the page of what is refused: a title in the reader's language, and one sentence."""
    words = words_for(request)
    title = _titles(words.say).get(status, HTTPStatus(status).phrase)
    facts = {"title": title, "sentence": as_sentence(detail), **words.facts}
    if status == HTTPStatus.NOT_FOUND and request.method == "GET":
        facts["sentence"] = words.say("There is no poll at this address. Please check the link.")
        facts["spoken"] = True
    return render("refused.html", status, headers=headers, **facts)


def as_sentence(words: object) -> str:
    """Return a message as a sentence.

    Examples
    --------
    >>> as_sentence("the poll is closed")
    'The poll is closed.'
    """
    text = str(words).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _said(sentences: Iterable[Sentence]) -> Markup:
    """Return sentences as HTML that the template takes as it is: the parts are escaped."""
    return Markup(" ".join(map(to_html, sentences)))


class Static(StaticFiles):
    """Files that pages load, kept by browsers for a year where the address has their hash.

    They are in memory: to read one would take a thread, and all may be waiting for the database.
    """

    def __init__(self) -> None:
        super().__init__(directory=_FILES)
        files = [file for file in _FILES.rglob("*") if file.is_file()]
        self._files = {file.relative_to(_FILES).as_posix(): file.read_bytes() for file in files}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file."""
        content = self._files.get(Path(path).as_posix())
        if content is None:
            raise HTTPException(404)
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        kept = scope["query_string"].startswith(b"v=")
        known = f'"{_digest(content)}"'
        headers = {
            "Cache-Control": f"public, max-age={_YEAR}, immutable" if kept else "no-cache",
            "ETag": known,
        }
        if known in Request(scope).headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=guess_type(path)[0])


@lru_cache
def static(name: str) -> str:
    """Return the address of a file of ``web/static``, with its hash."""
    return f"/static/{name}?v={_digest((_FILES / name).read_bytes())}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


_TEMPLATES = Environment(
    loader=FileSystemLoader(_WEB / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals["static"] = static
_TEMPLATES.filters |= {
    "chance": chance,
    "date": lambda at: _CLOCK.at(Moment.time(at)).text,
    "duration": duration,
    "moment": lambda at: _said([(_CLOCK.at(Moment.time(at)),)]),
    "percent": percent,
    "range": percent_range,
    "said": _said,
    "stamp": lambda at: stamp(Moment.time(at)),
}

_TEMPLATES.globals |= Words().facts  # what is not for voters is in English


def _titles(say: Callable[..., str]) -> dict[int, str]:
    return {
        400: say("That did not work"),
        401: say("Please log in"),
        403: say("Not allowed"),
        404: say("Nothing here"),
        409: say("Not now"),
        410: say("Too late"),
        413: say("Too much at once"),
        422: say("That did not work"),
        429: say("One moment"),
        500: say("Something went wrong"),
        503: say("Back in a moment"),
    }
