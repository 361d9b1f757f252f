"""What all figures share: colours that colour-blind readers can tell apart, and writing files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftduel._files import replacing
from driftduel.report.extra import drawing_library

if TYPE_CHECKING:
    import altair as alt

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
"""Okabe and Ito's palette without black, which is for rules and text."""

WIDTH = 860
"""Width of a panel in pixels."""

GREY = "#BDBDBD"
INK = "#222222"
_OPTIONS: dict[str, dict[str, Any]] = {
    "svg": {"format": "svg"},
    "png": {"format": "png", "scale_factor": 2},
    "html": {"format": "html", "inline": True},
}
FORMATS = tuple(_OPTIONS)


def save_figure(
    chart: alt.TopLevelMixin,
    folder: str | os.PathLike[str],
    name: str,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Write a chart to ``folder``, once per format, and return the files.

    The HTML holds its scripts, so it works without a network; SVG and PNG need no browser.
    """
    unknown = [form for form in formats if form not in FORMATS]
    if unknown:
        raise ValueError(f"format is {unknown[0]!r}, must be one of {', '.join(FORMATS)}")
    drawing_library("vl_convert")
    Path(folder).mkdir(parents=True, exist_ok=True)
    files = [Path(folder) / f"{name}.{form}" for form in formats]
    for file, form in zip(files, formats, strict=True):
        with replacing(file) as temporary:
            chart.save(str(temporary), **_OPTIONS[form])
    return files


def stacked(
    panels: Iterable[Any], title: str, subtitle: Sequence[str], *, spacing: int
) -> alt.VConcatChart:
    """Put panels above each other under a title, in the style of all figures."""
    altair = drawing_library("altair")
    heading = altair.TitleParams(
        title, subtitle=[*subtitle] or "", anchor="start", fontSize=18, subtitleFontSize=13
    )
    chart: alt.VConcatChart = (
        altair.vconcat(*panels, spacing=spacing)
        .properties(title=heading, padding=12)
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=13, titleFontWeight="normal")
        .configure_legend(labelFontSize=13, titleFontSize=13, titleFontWeight="normal")
    )
    return chart


def ink_on(colour: str) -> str:
    """Return the colour of text that is readable on a ground, black or white.

    Examples
    --------
    >>> ink_on("#0072B2"), ink_on("#F0E442")
    ('#FFFFFF', '#222222')
    """
    red, green, blue = (int(colour[n : n + 2], 16) for n in (1, 3, 5))
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#FFFFFF"


def wrapped(texts: Iterable[str], width: int) -> list[str]:
    """Break paragraphs into lines of at most ``width`` characters."""
    import textwrap

    return [
        line
        for text in texts
        for part in text.splitlines()
        for line in textwrap.wrap(part, width, break_long_words=False)
    ]
