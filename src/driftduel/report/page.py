"""A report as one HTML page that holds all it needs: scripts once, figures, tables, no network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from driftduel.report.document import Chapter, Document, Figure
from driftduel.report.extra import drawing_library
from driftduel.report.figures import WIDTH, theme
from driftduel.report.tables import Table

MOST_SHOWN = 3
"""Streams shown below each other; of more, one is chosen."""

_ASSETS = Path(__file__).parent / "assets"
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:"
)
"""Nothing may be fetched. Vega compiles the expressions of a chart, hence ``unsafe-eval``."""

_NARROWEST_TICK = 80
_MARGIN = 60


def html_page(document: Document) -> str:
    """Return the page of a report."""
    themes = {"light": theme(), "dark": theme(dark=True)}
    specs = {figure.name: responsive(figure) for figure in document.all_figures()}
    title = escape(document.title)
    many = len(document.chapters) > MOST_SHOWN
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>
{_asset("page.css")}</style>
</head>
<body>
<a class="skip" href="#findings">Skip to what was found</a>
<header>
<div><h1>{title}</h1><p class="facts">{escape(document.facts)}</p></div>
<button type="button" id="theme">Dark colours</button>
</header>
<main>
<section class="findings" id="findings" aria-label="What was found">
{"".join(f"<p>{escape(text)}</p>" for text in document.findings)}
</section>
{_contents(document)}
{"".join(_table(table) + _below(table, document) for table in document.tables)}
<h2 id="streams">{escape(document.parts)}</h2>
{_chooser(document.chapters) if many else ""}
{"".join(_chapter(chapter, hidden=many and n > 0) for n, chapter in enumerate(document.chapters))}
<h2 id="spec">How to run it again</h2>
<p class="note">{escape(document.again)}</p>
<pre tabindex="0" aria-label="The spec"><code>{escape(document.spec)}</code></pre>
{_link("spec.toml", document.spec, "text/plain", "spec.toml")}
<h2 id="environment">Where it ran</h2>
<dl>{"".join(_fact(key, value) for key, value in document.environment.items())}</dl>
</main>
<footer>{"".join(f'<p class="note">{escape(notice)}</p>' for notice in document.notices)}</footer>
<script type="application/json" id="themes">{_json(themes)}</script>
<script type="application/json" id="specs">{_json(specs)}</script>
<script>{_scripts()}</script>
<script>
{_asset("page.js")}</script>
</body>
</html>
"""


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
    for encoding in _encodings(spec):
        for channel in encoding.values():
            if isinstance(channel, dict):
                _adapt(channel)
    return spec


def _encodings(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [part["encoding"] for part in (spec, *spec.get("layer", ())) if "encoding" in part]


def _adapt(channel: dict[str, Any]) -> None:
    """Make the columns of a legend, the ticks of a time axis and labels depend on the room."""
    legend = channel.get("legend") or {}
    if "columns" in legend:
        share = WIDTH // legend["columns"]
        legend["columns"] = {"expr": f"max(1, floor((room - {_MARGIN}) / {share}))"}
    if "labelLimit" in legend:
        legend["labelLimit"] = {"expr": f"min({legend['labelLimit']}, room - {_MARGIN + 40})"}
    axis = channel.get("axis") or {}
    if channel.get("field") == "round" and "tickCount" in axis:
        most = axis["tickCount"]
        axis["tickCount"] = {"expr": f"max(2, min({most}, floor(room / {_NARROWEST_TICK})))"}
    if "labelLimit" in axis:
        axis["labelLimit"] = {"expr": f"min({axis['labelLimit']}, room / 3)"}


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def _scripts() -> str:
    """Return Vega, Vega-Lite and Vega-Embed in one script, as the version of Altair needs it."""
    version = drawing_library("altair").VEGALITE_VERSION.lstrip("v")
    major_minor = ".".join(version.split(".")[:2])
    script: str = drawing_library("vl_convert").javascript_bundle(vl_version=major_minor)
    return script.replace("</script", "<\\/script")


def _json(data: Any) -> str:
    """Return JSON that may stand inside a script element, whatever the labels are."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _contents(document: Document) -> str:
    items = [(table.name, table.title) for table in document.tables]
    items += [("streams", document.parts), ("spec", "Spec"), ("environment", "Environment")]
    links = "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text in items)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _chooser(chapters: Sequence[Chapter]) -> str:
    options = "".join(
        f'<option value="stream-{chapter.name}">{escape(chapter.title)}</option>'
        for chapter in chapters
    )
    return (
        '<div class="chooser"><label for="stream">Stream</label>'
        f'<select id="stream" autocomplete="off">{options}</select>'
        '<button type="button" id="before">Previous</button>'
        '<button type="button" id="after">Next</button></div>'
    )


def _chapter(chapter: Chapter, *, hidden: bool) -> str:
    attribute = " hidden" if hidden else ""
    return (
        f'<article id="stream-{chapter.name}"{attribute}><h3>{escape(chapter.title)}</h3>'
        f'<p class="facts">{escape(chapter.facts)}</p>{_figures(chapter.figures)}</article>'
    )


def _figures(figures: Sequence[Figure]) -> str:
    large = "".join(_figure(figure) for figure in figures if not figure.small)
    small = "".join(_figure(figure) for figure in figures if figure.small)
    return f'{large}<div class="figures-small">{small}</div>' if small else large


def _below(table: Table, document: Document) -> str:
    return _figures([figure for figure in document.figures if figure.below == table.name])


def _figure(figure: Figure) -> str:
    title = escape(figure.title)
    buttons = "".join(
        f'<button type="button" data-save="{form}" aria-label="Save {title} as {form.upper()}">'
        f"{form.upper()}</button>"
        for form in ("png", "svg")
    )
    return (
        f'<figure id="{figure.name}"><h3>{title}</h3>'
        f'<div class="chart" data-figure="{figure.name}"></div>'
        f"<figcaption>{escape(figure.caption)}</figcaption>"
        f'<div class="tools">{buttons}</div></figure>'
    )


def _table(table: Table) -> str:
    frame = table.frame
    shown = list(table.headings.items())[table.grouped :]
    kinds = ["number" if numeric else "" for _, numeric in shown]
    head = "".join(
        f'<th scope="col" class="{kind}">{escape(name)}</th>'
        for (name, _), kind in zip(shown, kinds, strict=True)
    )
    body = "".join(_rows(table, kinds))
    title = escape(table.title)
    tall = " tall" if len(table.cells) > 20 else ""
    return (
        f'<h2 id="{table.name}">{title}</h2>'
        f'<div class="scroll{tall}" tabindex="0" role="region" aria-label="{title}"><table>'
        f"<caption>{title}</caption><thead><tr>{head}</tr></thead>{body}</table>"
        f'</div><p class="note">{escape(table.caption)}</p>'
        f"{_link(f'{table.name}.csv', frame.write_csv(), 'text/csv', 'CSV')}"
    )


def _rows(table: Table, kinds: Sequence[str]) -> Iterator[str]:
    """Yield the rows of a table, those of a group under its name."""
    numbered = enumerate(table.cells)
    for group, rows in groupby(numbered, lambda row: row[1][0] if table.grouped else ""):
        name = escape(group)
        yield "<tbody>"
        if table.grouped:
            yield f'<tr class="group"><th scope="rowgroup" colspan="{len(kinds)}">{name}</th></tr>'
        for n, row in rows:
            kind = ' class="best"' if n in table.strong else ""
            yield f"<tr{kind}>{_cells(row[table.grouped :], kinds)}</tr>"
        yield "</tbody>"


def _cells(row: Sequence[str], kinds: Sequence[str]) -> str:
    return "".join(
        f'<th scope="row">{escape(text)}</th>'
        if n == 0
        else f'<td class="{kind}">{escape(text)}</td>'
        for n, (text, kind) in enumerate(zip(row, kinds, strict=True))
    )


def _link(file: str, text: str, kind: str, words: str) -> str:
    data = quote(text, safe="")
    return (
        f'<a class="button" download="{file}" href="data:{kind};charset=utf-8,{data}" '
        f'aria-label="Save {file}">{words}</a>'
    )


def _fact(key: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>"
