"""What figures of pages are made of: bars, moments of an axis, colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

COLOURS = 24
"""Colours of options, ``.led-0`` to ``.led-23`` of the style sheet: twelve, each also paler."""


def colour_of(option: int) -> int:
    """Return the colour of an option by its place among all there ever were.

    Places never change, so neither does a colour, whoever joins, leaves, leads or is renamed.
    """
    return option % COLOURS


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
