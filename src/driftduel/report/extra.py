"""The libraries that draw are an extra; who has not installed it is told how, in one sentence."""

from __future__ import annotations

from typing import Any

from driftduel._support.extras import library


def drawing_library(name: str) -> Any:
    """Import a library of the extra ``report``.

    Examples
    --------
    >>> drawing_library("no_such_library")
    Traceback (most recent call last):
        ...
    driftduel._support.extras.MissingExtraError: figures need no_such_library: pip install "driftduel[report]"
    """  # noqa: E501
    return library(name, "figures", "report")


def check_drawing() -> None:
    """Refuse to begin what would end without its figures."""
    for name in ("altair", "jinja2", "vl_convert"):
        drawing_library(name)
