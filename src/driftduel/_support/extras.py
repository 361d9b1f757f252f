"""Libraries of extras; who has not installed one is told how, in one sentence."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A library of an extra is not installed."""


def library(name: str, what: str, extra: str) -> Any:
    """Import a library of an extra that something needs.

    Examples
    --------
    >>> library("no_such_library", "ratings", "ratings")
    Traceback (most recent call last):
        ...
    driftduel._support.extras.MissingExtraError: ratings need no_such_library: pip install "driftduel[ratings]"
    """  # noqa: E501
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(
            f'{what} need {name.partition(".")[0]}: pip install "driftduel[{extra}]"', name=name
        ) from None
