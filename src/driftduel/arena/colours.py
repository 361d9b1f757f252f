"""The colour of a poll, mended until everything in it can be read, in light and in dark.

The contrast of two colours is that of WCAG 2: (L + .05) / (l + .05) of their relative luminances.
Letters need 4.5. A colour that gives less is moved towards black, or towards white where the ground
is dark, until it is enough; so no colour is refused, and none is unreadable.
"""

from __future__ import annotations

import re

from driftduel.arena.errors import Invalid

ENOUGH = 4.5
"""The contrast of letters that everybody can read."""

EXAMPLE = "#7a1fa2"

GROUNDS = {"light": ("#ffffff", "#f5f6f7", "#eceff2"), "dark": ("#14171a", "#1d2126", "#282d34")}
"""What letters stand on, by the style sheet: panels, the page, and what is raised."""

_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_STEPS = 50


def as_colour(text: str) -> str:
    """Return a colour as ``#rrggbb`` after checking it.

    Examples
    --------
    >>> as_colour("#F80")
    '#ff8800'
    """
    if _HEX.fullmatch(text) is None:
        raise Invalid(f"{text[:80]!r} is no colour, must be as {EXAMPLE}")
    digits = text[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(2 * digit for digit in digits))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff"), round(contrast("#777777", "#ffffff"), 2)
    (21.0, 4.48)
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def readable(colour: str, scheme: str) -> str:
    """Return a colour that can be read on all grounds of a scheme, "light" or "dark".

    Examples
    --------
    >>> readable("#005a8f", "light"), readable("#ffff00", "light")
    ('#005a8f', '#707000')
    """
    towards = 0 if scheme == "light" else 255
    parts = _parts(as_colour(colour))
    for step in range(_STEPS + 1):
        share = step / _STEPS
        mended = "#" + "".join(f"{round(p + (towards - p) * share):02x}" for p in parts)
        if all(contrast(mended, ground) >= ENOUGH for ground in GROUNDS[scheme]):
            break
    return mended


def letters_on(colour: str) -> str:
    """Return the colour of letters on a button of a colour: white or black, what is read better."""
    return max(("#ffffff", "#000000"), key=lambda letters: contrast(letters, colour))


def style_of(colour: str) -> str:
    """Return the style sheet of a poll with a colour: links, main buttons and their letters."""

    def rules(scheme: str) -> str:
        mended = readable(colour, scheme)
        return f":root {{ --accent: {mended}; --main: {mended}; --on-main: {letters_on(mended)}; }}"

    return f"{rules('light')}\n@media (prefers-color-scheme: dark) {{ {rules('dark')} }}\n"


def _luminance(colour: str) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (one / 255 for one in _parts(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
