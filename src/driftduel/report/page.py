"""A report as one HTML page that holds all it needs: scripts once, figures, tables, no network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from driftduel._support.files import replacing
from driftduel.report.document import Document, Figure
from driftduel.report.figures import WIDTH, theme
from driftduel.report.templates import write_html

MOST_SHOWN = 3
"""Streams shown below each other; of more, one is chosen."""

_NARROWEST_TICK = 80
_MARGIN = 60
_LETTER = 7
"""Width of a letter of a legend."""


def write_page(document: Document, file: Path) -> None:
    """Write the page of a report, whole or not at all."""
    with replacing(file) as temporary:
        write_html(
            temporary,
            "page.html.j2",
            document=document,
            environment={
                key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for key, value in document.environment.items()
            },
            most_shown=MOST_SHOWN,
            themes={"light": theme(), "dark": theme(dark=True)},
            specs={figure.name: responsive(figure) for figure in document.all_figures()},
        )


def responsive(figure: Figure) -> dict[str, Any]:
    """Return the spec of a figure with a width that follows the page.

    The page has titles and colours of its own, so they are left out. The page sets ``room``, the
    width there is, before it draws: a legend must know its columns before it is laid out.
    """
    spec: dict[str, Any] = figure.chart.to_dict(validate=False)
    spec.pop("title", None)
    spec.pop("config", None)
    spec |= {
        "params": [*spec.get("params", ()), {"name": "room", "value": WIDTH}],
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "description": figure.description,
    }
    channels = [
        channel
        for encoding in _encodings(spec)
        for channel in encoding.values()
        if isinstance(channel, dict)
    ]
    # A legend begins where the labels of the vertical axis end.
    limits = [(channel.get("axis") or {}).get("labelLimit") for channel in channels]
    labels = f"{_MARGIN}"
    for limit in filter(None, limits):
        labels = f"(20 + {_label_limit(limit)})"
    for channel in channels:
        _adapt(channel, labels)
    return spec


def _encodings(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [part["encoding"] for part in (spec, *spec.get("layer", ())) if "encoding" in part]


def _adapt(channel: dict[str, Any], labels: str) -> None:
    """Make the columns of a legend, the ticks of a time axis and labels depend on the room.

    ``labels`` is the room that those of the vertical axis take.
    """
    legend = channel.get("legend") or {}
    if "columns" in legend:
        share = WIDTH // legend["columns"]
        legend["columns"] = {"expr": f"max(1, floor((room - {labels}) / {share}))"}
    if "labelLimit" in legend:
        # What is too long for the room is broken between words, not cut.
        limit = f"min({legend['labelLimit']}, room - {labels} - 40)"
        line = f"'(.{{1,' + max(8, floor({limit} / {_LETTER})) + '}})(\\\\s+|$)'"
        broken = f"replace(datum.label, regexp({line}, 'g'), '$1\\n')"
        legend["labelLimit"] = {"expr": limit}
        legend["labelExpr"] = f"slice(split({broken}, '\\n'), 0, -1)"
    axis = channel.get("axis") or {}
    if channel.get("field") == "round" and "tickCount" in axis:
        most = axis["tickCount"]
        axis["tickCount"] = {"expr": f"max(2, min({most}, floor(room / {_NARROWEST_TICK})))"}
    if "labelLimit" in axis:
        axis["labelLimit"] = {"expr": _label_limit(axis["labelLimit"])}


def _label_limit(limit: int) -> str:
    return f"min({limit}, room * 0.42)"
