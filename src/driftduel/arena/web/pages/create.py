"""The first page, and the one on which an arena is made."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from driftduel.arena.web.pages.rendering import render

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(request: Request) -> Response:
    """Say what this is."""
    return render("home.html")
