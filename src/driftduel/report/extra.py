"""The libraries that draw are an extra; who has not installed it is told how, in one sentence."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A library that draws is not installed."""


def drawing_library(name: str) -> Any:
    """Import a library of the extra ``report``.

    Examples
    --------
    >>> drawing_library("no_such_library")
    Traceback (most recent call last):
        ...
    driftduel.report.extra.MissingExtraError: figures need no_such_library: pip install "driftduel[report]"
    """  # noqa: E501
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(
            f'figures need {name}: pip install "driftduel[report]"', name=name
        ) from None


def check_drawing() -> None:
    """Refuse to begin what would end without its figures."""
    for name in ("altair", "jinja2", "vl_convert"):
        drawing_library(name)
