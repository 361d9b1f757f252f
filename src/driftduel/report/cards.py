"""Cards: what a notebook shows of a stream, a run, a learner, measures, results and reports.

A card is short: a heading, a few facts, and a small picture where it helps, an SVG that needs no
network. Without the extra ``report`` it is the text that Python prints.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import singledispatch
from html import escape
from typing import Any

import numpy as np
import polars as pl

from driftduel._support.extras import MissingExtraError
from driftduel._support.text import count, listing
from driftduel.experiments.results import Results
from driftduel.experiments.simulation import Run
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.report import Report
from driftduel.report.extra import drawing_library
from driftduel.report.findings import number, title_of
from driftduel.report.summary import arm_names, borda_at
from driftduel.report.templates import render
from driftduel.verdict import text
from driftduel.verdict.parts import plain
from driftduel.verdict.rows import OPTIONS, option_rows
from driftduel.votes.analysis import Analysis
from driftduel.worlds.measures.measures import COUNTS, PHASES, Measures
from driftduel.worlds.stream import Stream

_MOST_ROWS = 12
_MOST_LINES = 6
"""Arms whose scores are drawn."""

_MOST_POINTS = 60
"""Rounds at which scores and regret are drawn; each weighs some bytes."""

_MOST_SCORED = 200
"""Arms of a stream whose scores are computed for a card."""

_WIDTH, _HEIGHT = 480, 130


@dataclass(frozen=True)
class Card:
    """What is shown: a heading, lines of text, a table and a picture with its caption."""

    title: str
    lines: Sequence[str] = ()
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    chart: Any = None
    caption: str = ""

    @property
    def picture(self) -> str:
        """The chart as SVG in base 64, empty without one."""
        return "" if self.chart is None else b64encode(_svg(self.chart)).decode()


def card(thing: object) -> str:
    """Return the HTML that a notebook shows of a thing; without the extra, its text.

    Examples
    --------
    >>> from driftduel.learners import FixedPair
    >>> "FixedPair with 2 arms" in card(FixedPair(2))
    True
    """
    try:
        drawing_library("jinja2")
        return render("card.html.j2", card=describe(thing))
    except MissingExtraError:
        return f"<pre>{escape(str(thing))}</pre>"


@singledispatch
def describe(thing: object) -> Card:
    """Return the card of a thing."""
    return Card(title=type(thing).__name__, lines=str(thing).splitlines())


@describe.register
def _(stream: Stream) -> Card:
    names = arm_names(stream)
    rows = [
        ["arms", f"{stream.n_arms:,}: {listing(names, most=_MOST_ROWS)}"],
        ["rounds", f"{stream.horizon:,}"],
        ["changes", f"{stream.n_stretches - 1:,}"],
    ]
    if stream.span is not None:
        rows.append(["dates", f"{stream.span[0]} to {stream.span[1]}"])
    rows += [["from", notice] for notice in stream.credits[:2]]
    if stream.n_stretches == 1 or stream.n_arms > _MOST_SCORED:
        return Card("Stream", rows=rows)
    return Card("Stream", rows=rows, **_scores(stream, names))


@describe.register
def _(run: Run) -> Card:
    from driftduel.report.regret import MOST_MARKS, mean_curves, regret_panel

    name = type(run.learner).__name__
    criterion = run.learner.criterion
    rows = [
        ["stream", repr(run.stream)],
        ["seed", str(run.seed)],
        ["would pick in the end", arm_names(run.stream)[run.best]],
        ["new episodes", f"{len(run.episodes) - 1:,}"],
        ["evictions, replays", f"{len(run.evictions):,}, {len(run.replays):,}"],
    ]
    with suppress(ValueError):  # where nobody wins by this criterion there is no regret
        regret = run.regret(criterion)
        rows.append([f"{title_of(criterion.name)} regret", number(float(regret[-1]))])
        some = np.unique(np.linspace(0, len(regret) - 1, _MOST_POINTS).astype(np.int64))
        table = pl.DataFrame(
            {"learner": name, "seed": run.seed, "round": run.rounds[some], "regret": regret[some]}
        )
        changes = run.stream.starts[1:].tolist()
        chart = regret_panel(
            mean_curves(table), [name], run.stream.horizon, changes=changes, heading="regret"
        )
        marked = "; dashed: the world changes" if 0 < len(changes) <= MOST_MARKS else ""
        return Card(f"Run of {name}", rows=rows, chart=chart, caption=f"Regret over time{marked}.")
    return Card(f"Run of {name}", rows=rows)


@describe.register
def _(learner: Learner) -> Card:
    defaults = {item.name: item.default for item in fields(learner)}
    settings = [
        [name, repr(value)]
        for name, value in learner.config().items()
        if name not in ("n_arms", "labels", "criterion") and value != defaults[name]
    ]
    title = f"{type(learner).__name__} with {count(learner.n_arms, 'arm')}, for "
    title += title_of(learner.criterion.name)
    if "_session" not in vars(learner):  # asking for it would make it
        names = learner.labels or tuple(map(str, range(learner.n_arms)))
        return Card(
            title, [f"No votes yet. Arms: {listing(names, most=_MOST_ROWS)}."], rows=settings
        )
    return Card(title, str(learner.report()).splitlines()[:_MOST_ROWS], rows=settings)


@describe.register
def _(report: Report) -> Card:
    return Card("Report", str(report).splitlines())


@describe.register
def _(analysis: Analysis) -> Card:
    from driftduel.report.analysis_figures import figure_of

    known = analysis.standing
    head = " ".join(map(plain, text.headline(known)))
    more = [plain(one) for one in text.details(known)]
    picture = figure_of(analysis)
    return Card(
        "What these votes tell",
        [head, *more, *analysis.more_sentences, *(f"{note}." for note in analysis.notes)],
        OPTIONS,
        option_rows(known)[:_MOST_ROWS],
        picture.chart,
        f"{picture.heading}. {picture.caption}",
    )


@describe.register
def _(measures: Measures) -> Card:
    rows = []
    for name in (*COUNTS, *PHASES):
        value = getattr(measures, name)
        text = f"undefined: {measures.reasons.get(name, '')}" if value is None else repr(value)
        if name in COUNTS and value is not None:
            text = number(value)
        rows.append([name.replace("_", " "), text])
    size = f"{count(measures.n_arms, 'arm')}, {count(measures.horizon, 'round')}"
    return Card(f"Measures of a stream of {size}", rows=rows)


@describe.register
def _(results: Results) -> Card:
    from driftduel.report.overview import overview_chart
    from driftduel.report.regret import learners_of

    summary = results.summary()
    rows = [
        [
            *(row["stream"], row["criterion"], row["learner"], number(row["mean"])),
            "" if row["error"] is None else number(row["error"]),
            "" if row["ratio"] is None else f"{row['ratio']:.2f}",
        ]
        for row in summary.head(_MOST_ROWS).to_dicts()
    ]
    lines = [f"{len(results.runs):,} of {count(results.planned, 'run')} finished."]
    if len(summary) > _MOST_ROWS:
        lines.append(f"The first {_MOST_ROWS} of {len(summary):,} rows of summary():")
    chart = overview_chart(summary, learners_of(results)) if len(rows) > 1 else None
    headings = ("stream", "criterion", "learner", "mean regret", "standard error", "ratio to best")
    caption = "Mean final regret as a multiple of the smallest on the same stream."
    return Card(results.title, lines, headings if rows else (), rows, chart, caption)


def _scores(stream: Stream, names: Sequence[str]) -> dict[str, Any]:
    """Return a chart of the Borda scores of the arms that are best most often, and its caption."""
    from driftduel.report.figures import line_legend, line_styles

    alt = drawing_library("altair")
    rounds = np.unique(np.linspace(0, stream.horizon - 1, _MOST_POINTS).astype(np.int64))
    scores = borda_at(stream, rounds)
    # Not on offer is worse than any score.
    values = np.array([[-1.0 if one is None else one for one in row] for row in scores])
    wins = np.bincount(values.argmax(axis=1), minlength=stream.n_arms)
    most = np.sort(np.argsort(-wins, kind="stable")[:_MOST_LINES])
    rows = [
        {"round": int(t), "arm": names[arm], "score": None if score is None else round(score, 4)}
        for t, row in zip(rounds, scores, strict=True)
        for arm, score in ((arm, row[arm]) for arm in most)
    ]
    styles = line_styles([names[arm] for arm in most])
    domain, colours = list(styles), [colour for colour, _ in styles.values()]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("round:Q", title="round t", scale=alt.Scale(domain=[0, stream.horizon])),
            y=alt.Y("score:Q", title="Borda score", scale=alt.Scale(zero=False)),
            color=alt.Color(
                "arm:N",
                scale=alt.Scale(domain=domain, range=colours),
                legend=line_legend(domain),
            ),
        )
    )
    some = f" of the {len(most)} arms that are best most often" if len(names) > len(most) else ""
    return {"chart": chart, "caption": f"Borda scores{some} over time."}


def _svg(chart: Any) -> bytes:
    """Return a chart as a small SVG in the light theme."""
    from driftduel.report.figures import apply_theme

    height = chart.height if isinstance(chart.height, int) and chart.height < 300 else _HEIGHT
    small = apply_theme(chart.properties(width=_WIDTH, height=height))
    altair, convert = drawing_library("altair"), drawing_library("vl_convert")
    version = ".".join(altair.VEGALITE_VERSION.lstrip("v").split(".")[:2])
    return bytes(convert.vegalite_to_svg(small.to_dict(), vl_version=version).encode())
