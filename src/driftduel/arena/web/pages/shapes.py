"""What figures of pages are made of: bars, moments of an axis, colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

COLOURS = 6
"""Colours of options that led or may have, ``.led-0`` to ``.led-5`` of the style sheet."""

NARROWEST = 0.5
"""Per cent of the width that a bar has at least, so that it is seen."""


@dataclass(frozen=True)
class Bar:
    """A part of a row, from ``x`` on, ``width`` wide."""

    x: float
    width: float


@dataclass(frozen=True)
class Tick:
    """A moment of an axis; ``form`` says how exactly it is told: second, minute or day."""

    x: float
    at: int
    label: str
    form: Literal["second", "minute", "day"]
    anchor: Literal["start", "middle", "end"]
