"""What all figures share: colours that colour-blind readers can tell apart, and writing files.

A chart names no colour of text or ground: those are a theme, given when the chart is written or
shown. What it does draw in grey is readable on white and on black.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftduel._support.files import replacing
from driftduel.report.extra import check_drawing, drawing_library
from driftduel.report.templates import render, write_html

if TYPE_CHECKING:
    import altair as alt

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
"""Okabe and Ito's palette without black, which is for rules and text."""

WIDTH = 860
"""Width of a panel in pixels."""

GREY = "#BDBDBD"
INK = "#222222"
TRUTH = "#7A7A7A"
"""For what is true of the world, as against what a learner did; readable on white and black."""

FORMATS = ("svg", "png", "html", "pdf")
_PICTURES: dict[str, dict[str, Any]] = {
    "svg": {"format": "svg"},
    "png": {"format": "png", "scale_factor": 2},
    "pdf": {"format": "pdf"},
}
"""How Altair is asked for them; HTML is made from a template of our own."""

_TAG = re.compile(r"<(?=[A-Za-z/!?])")

_DASHES = ([1, 0], [7, 3], [2, 2])
_LINES = COLOURS[:-1]
"""Colours of lines: all but yellow, which is too faint on white."""


def save_figure(
    chart: alt.TopLevelMixin,
    folder: str | os.PathLike[str],
    name: str,
    formats: Sequence[str] = ("svg", "png", "html"),
) -> list[Path]:
    """Write a chart to ``folder``, once per format, and return the files.

    The HTML holds its scripts, so it works without a network; SVG and PNG need no browser.
    """
    unknown = [form for form in formats if form not in FORMATS]
    if unknown:
        raise ValueError(f"format is {unknown[0]!r}, must be one of {', '.join(FORMATS)}")
    check_drawing()
    Path(folder).mkdir(parents=True, exist_ok=True)
    files = [Path(folder) / f"{name}.{form}" for form in formats]
    for file, form in zip(files, formats, strict=True):
        with replacing(file) as temporary:
            if form == "html":
                write_html(temporary, "figure.html.j2", title=name, spec=chart.to_dict())
            else:
                chart.save(str(temporary), **_PICTURES[form])
    return files


def check_kind(value: object, name: str, kind: type, words: str) -> None:
    """Raise ValueError if what is to be drawn is something else.

    Examples
    --------
    >>> check_kind("tea", "run", int, "a number")
    Traceback (most recent call last):
        ...
    ValueError: run is of the type str, must be a number
    """
    if not isinstance(value, kind):
        raise ValueError(f"{name} is of the type {type(value).__name__}, must be {words}")


def harmless(chart: Any) -> Any:
    """Return a chart that may be shown in a notebook or saved by Altair, whatever its labels are.

    Altair writes labels into a script as they are, so one could end it and begin another. Behind
    every "<" of a label that could begin a tag stands a joiner, which nobody sees.
    """
    spec = chart.to_dict(validate=False)
    if _TAG.search(json.dumps(spec)):
        chart = type(chart).from_dict(_without_tags(spec), validate=False)
    # Altair's own would take it for a field of the chart.
    object.__setattr__(chart, "__class__", _offline(type(chart)))  # type: ignore[arg-type]
    return chart


@cache
def _offline(kind: Any) -> Any:
    """Return a kind of chart that notebooks show without a network, its scripts with it."""

    def shown(chart: Any, include: Any = None, exclude: Any = None) -> dict[str, str]:
        drawing_library("vl_convert")
        title = "A figure of driftduel"
        page = render("figure.html.j2", title=title, spec=apply_theme(chart).to_dict())
        return {
            "text/html": render("frame.html.j2", title=title, page=page),
            "text/plain": f"{kind.__name__}(...)",
        }

    return type(kind.__name__, (kind,), {"_repr_mimebundle_": shown, "__module__": kind.__module__})


def _without_tags(part: Any) -> Any:
    if isinstance(part, str):
        return _TAG.sub("<\u2060", part)
    if isinstance(part, dict):
        return {key: _without_tags(value) for key, value in part.items()}
    return [_without_tags(value) for value in part] if isinstance(part, list) else part


def theme(*, dark: bool = False) -> dict[str, Any]:
    """Return the colours of text, lines and ground, as a configuration of Vega-Lite.

    Examples
    --------
    >>> theme()["background"], theme(dark=True)["background"]
    ('#FFFFFF', '#16191D')
    """
    ink, faint, ground = ("#E6E6E6", "#33383E", "#16191D") if dark else (INK, "#E4E4E4", "#FFFFFF")
    words = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 13}
    plain = {"titleFontWeight": "normal"}
    lines = {"domainColor": TRUTH, "tickColor": TRUTH, "gridColor": faint}
    return {
        "background": ground,
        "font": "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
        "axis": words | plain | lines,
        "legend": words | plain,
        "title": {"color": ink, "subtitleColor": ink, "anchor": "start"},
        "view": {"stroke": None},
    }


def apply_theme(chart: Any) -> Any:
    """Return a chart with the light theme, for writing it to a file."""
    altair = drawing_library("altair")
    chart = chart.copy()
    chart.config = altair.Config.from_dict(theme())
    return chart


def line_styles(names: Sequence[str]) -> dict[str, tuple[str, list[int]]]:
    """Return a colour and dashes for each name; no two are the same up to 18 names.

    Examples
    --------
    >>> line_styles(["tea", "coffee"])
    {'tea': ('#0072B2', [1, 0]), 'coffee': ('#E69F00', [1, 0])}
    """
    return {
        name: (_LINES[n % len(_LINES)], _DASHES[n // len(_LINES) % len(_DASHES)])
        for n, name in enumerate(names)
    }


ROUND_NUMBERS = (
    "indexof([1, 2, 5], round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))) < 0 "
    "? '' : format(datum.value, '~s')"
)
"""Labels of a logarithmic axis: 1, 2, 5, 10, 20."""

SHORT_NUMBERS = "format(datum.value, '~s')"
"""Labels of an axis: 0, 500, 1.5k."""


def line_legend(
    names: Sequence[str], title: str | None = None, *, inside: bool = False
) -> alt.Legend:
    """Return a legend below a chart in as many columns as fit, or inside in one."""
    altair = drawing_library("altair")
    legend: alt.Legend = altair.Legend(
        title=title,
        orient="top-left" if inside else "bottom",
        direction="horizontal",
        columns=1 if inside else legend_columns(names),
        symbolType="stroke",
        symbolStrokeWidth=3,
        symbolSize=220,
        symbolOpacity=1,
        labelLimit=300,
        titleLimit=400,
    )
    return legend


def legend_columns(names: Sequence[str]) -> int:
    """Return how many columns of these names fit below a chart.

    Examples
    --------
    >>> legend_columns(["tea", "coffee"]), legend_columns(["a name that goes on for quite a while"])
    (9, 2)
    """
    letters = max(map(len, names), default=1)
    return max(1, WIDTH // (50 + 7 * min(letters, 40)))


def stack(
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


@contextmanager
def skip_validation() -> Iterator[None]:
    """Make charts without holding each part against the schema, which takes most of the time.

    The tests check the figures of a report; hundreds of the same kind need not be checked again.
    """
    with drawing_library("altair.utils.schemapi").debug_mode(False):
        yield


def ink_on(colour: str) -> str:
    """Return the colour of text that is readable on a ground, black or white.

    Examples
    --------
    >>> ink_on("#0072B2"), ink_on("#F0E442")
    ('#FFFFFF', '#222222')
    """
    red, green, blue = (int(colour[n : n + 2], 16) for n in (1, 3, 5))
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#FFFFFF"


def wrap(texts: Iterable[str], width: int) -> list[str]:
    """Break paragraphs into lines of at most ``width`` characters."""
    import textwrap

    return [
        line
        for text in texts
        for part in text.splitlines()
        for line in textwrap.wrap(part, width, break_long_words=False)
    ]
