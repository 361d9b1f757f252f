"""The report on the benchmark: one table, one figure, and who was told what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from driftduel._support.files import replacing
from driftduel._support.text import count
from driftduel.experiments.grids import read_parameters
from driftduel.report.document import Chapter, Document, Figure, compose
from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, ROUND_NUMBERS, WIDTH, apply_theme, save_figure
from driftduel.report.findings import number, title_of
from driftduel.report.page import write_page
from driftduel.report.tables import NOTHING, Column, Table
from studies.benchmark import suite
from studies.benchmark.suite import LEARNER, PAPER
from studies.benchmark.tables import (
    EASY,
    KEYS,
    duels,
    entrants,
    rivals,
    standings,
    totals,
)
from studies.summing import report_on_all

if TYPE_CHECKING:
    from driftduel.experiments.results import Results

BEGIN, END = "<!-- begin: benchmark -->", "<!-- end: benchmark -->"
"""Between these lines of a page the tables are written."""

MOST_COLUMNS = 7
"""Wider tables become several in Markdown, which begin with the same columns."""
REPEATED = {"totals": 3, "worlds": 3, "duels": 2}
"""How many columns those are, by the name of the table."""

_TWO_DIGITS = "{:.2f}".format
_MOST = 100.0
"""Ratios beyond this are drawn at the edge."""

_STEP = 17
_TICK = "M-0.16,-1L0.16,-1L0.16,1L-0.16,1Z"
_SHAPES = ("circle", "square", "diamond")
_OURS = (COLOURS[0], COLOURS[3], COLOURS[1])
_KINDS = (
    "rival tuned in hindsight",
    "rival told S, V or the phases",
    "rival without prior knowledge",
    "rival for the other criterion",
)


def compose_benchmark(found: Mapping[tuple[str, str], Results], command: str) -> Document:
    """Return the report on the results by criterion and half."""
    table = standings(found)
    named = {f"{criterion}-{half}": results for (criterion, half), results in found.items()}
    parts = {name: compose(results) for name, results in named.items()}
    criteria = {criterion for criterion, _ in found}
    return report_on_all(
        named,
        parts,
        title="The benchmark",
        counted=count(len(table.select(KEYS).unique()), "world"),
        findings=[*_findings(table), *rivals_counted(criteria), *rivals_left_out(criteria)],
        tables=[_totals(totals(table)), _worlds(table), _duels(table)],
        figures=[_figure(table)],
        chapters=[
            _chapter(name, chapter) for name, part in parts.items() for chapter in part.chapters
        ],
        chapters_title="World by world",
        command=command,
    )


def write_benchmark(document: Document, out: Path, page: Path | None = None) -> list[Path]:
    """Write the report as ``report.html`` and as ``benchmark.md`` with its figure.

    Parameters
    ----------
    document : Document
        The report.
    out : Path
        The folder.
    page : Path, optional
        A page in Markdown that is written instead of ``benchmark.md``, between its two marks; the
        figure is put into the folder ``images`` beside it.

    Raises
    ------
    ValueError
        If the page has no marks.
    """
    markdown = out / "benchmark.md" if page is None else page
    before, after = ("# The benchmark\n\n", "\n") if page is None else check_page(page)
    html = out / "report.html"
    write_page(document, html)
    images = markdown.parent / "images"
    chart = apply_theme(document.figures[0].chart)
    pictures = save_figure(chart, images, "benchmark", ["svg"])
    text = in_markdown(document, f"images/{pictures[0].name}")
    with replacing(markdown) as temporary:
        temporary.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    return [html, markdown, *pictures]


def in_markdown(document: Document, picture: str) -> str:
    """Return the findings, tables and the figure as Markdown."""
    figure = document.figures[0]
    lines = [f"{document.facts}.", "", *(f"- {text}" for text in document.findings)]
    for table in document.tables:
        lines += ["", f"## {table.title}", "", table.caption, "", *_rows(table)]
        if figure.below == table.name:
            lines += ["", f"![{figure.description}]({picture})", "", figure.caption]
    return "\n".join(lines) + "\n"


def check_page(page: Path) -> tuple[str, str]:
    """Return what stands before and after the marks of a page.

    Raises
    ------
    ValueError
        If it has no marks.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page}: must hold the lines {BEGIN!r} and {END!r}")
    return before, after


def _rows(table: Table) -> list[str]:
    ends = ["---:" if numeric else "---" for numeric in table.headings.values()]
    cells = [
        [f"**{cell}**" if n in table.strong else cell for cell in row]
        for n, row in enumerate(table.cells)
    ]
    return narrow([list(table.headings), ends, *cells], REPEATED[table.name])


def narrow(rows: list[list[str]], repeated: int) -> list[str]:
    """Return rows in Markdown, as tables of at most seven columns that begin alike.

    Examples
    --------
    >>> narrow([list("abcdefghi"), ["---"] * 9], 1)
    ['| a | b | c | d | e | f | g |', '| --- | --- | --- | --- | --- | --- | --- |', '',
    '| a | h | i |', '| --- | --- | --- |']
    """
    lines: list[str] = []
    for first in range(repeated, len(rows[0]), MOST_COLUMNS - repeated):
        last = first + MOST_COLUMNS - repeated
        lines += [""] * bool(lines)
        lines += [f"| {' | '.join([*row[:repeated], *row[first:last]])} |" for row in rows]
    return lines


def _findings(table: pl.DataFrame) -> list[str]:
    return [
        f"{title_of(row['criterion'])}, {row['half']} half, {count(row['worlds'], 'world')}: the "
        f"regret of {row['learner']}, without prior knowledge, was {row['geometric']:.2f} "
        f"± {row['geometric_error']:.2f} times that of the best rival of each world in the "
        f"geometric mean, {row['median']:.2f} times in the median and {row['worst']:.2f} times at "
        f"worst ({row['worst_world']}); {row['any']:.2f} times that of the best rival for any "
        f"criterion in the geometric mean, and {row['any_worst']:.2f} times at worst."
        for row in totals(table.filter(pl.col("learner") == LEARNER)).to_dicts()
    ]


def rivals_counted(criteria: Collection[str]) -> list[str]:
    """Return how many rivals each criterion has, in words, as the stored answers have it."""
    return [
        f"{title_of(row['criterion'])}: {count(row['rivals'], 'rival')} made for the criterion "
        f"were scored, {row['fewest']} of them at least on each world, {row['tuned']} tuned in "
        "hindsight" + (f", and {row['others']} for another criterion." if row["others"] else ".")
        for row in entrants().to_dicts()
        if row["criterion"] in criteria
    ]


def rivals_left_out(criteria: Collection[str]) -> list[str]:
    """Return which rivals have no answer where, and why, in words, as the file has it."""
    where: dict[tuple[str, str, str], list[str]] = {}
    for criterion in (name for name in suite.CRITERIA if name in criteria):
        for world, reasons in suite.left_out().get(criterion, {}).items():
            for why in sorted(set(reasons.values())):
                rivals = ", ".join(name for name, reason in reasons.items() if reason == why)
                where.setdefault((criterion, why, rivals), []).append(world)
    return [
        f"{title_of(criterion)}, without an answer ({why}) on {' and on '.join(worlds)}: {rivals}."
        for (criterion, why, rivals), worlds in where.items()
    ]


def _totals(frame: pl.DataFrame) -> Table:
    return Table.of(
        frame,
        [
            Column("criterion", "criterion", title_of),
            Column("half", "half"),
            Column("learner", "learner"),
            Column("worlds", "worlds"),
            Column("geometric", "geometric mean", _TWO_DIGITS),
            Column("geometric_error", "±", _TWO_DIGITS),
            Column("median", "median", _TWO_DIGITS),
            Column("worst", "worst", _TWO_DIGITS),
            Column("worst_world", "at worst on"),
            Column("hard", f"mean where best ≥ {EASY}", _TWO_DIGITS),
            Column("hard_worst", "worst there", _TWO_DIGITS),
            Column("any", "mean to rivals for any criterion", _TWO_DIGITS),
            Column("any_worst", "worst to these", _TWO_DIGITS),
            Column("false", "restarts without a shift", "{:.3f}".format),
        ],
        name="totals",
        title="Ratio to the best rival of each world",
        caption=(
            "The regret of a learner without prior knowledge over that of the rival with the least "
            "mean regret on the same world, chosen and tuned knowing the world, among those made "
            "for the criterion; ± is the standard error of the geometric mean, from the seeds. "
            f"Two columns leave out worlds where that rival loses less than {EASY}, two are about "
            "the ratio to the best rival whatever criterion it is made for; the last has "
            "the mean number of restarts a run in worlds without a significant shift."
        ),
        strong=_ours(frame),
    )


def _worlds(frame: pl.DataFrame) -> Table:
    paper = frame.filter(pl.col("learner") == PAPER).select(*KEYS, paper="mean")
    ours = (
        frame.filter(pl.col("learner") == LEARNER)
        .join(paper, on=list(KEYS), how="left", maintain_order="left")
        .with_columns(paper=pl.col("paper") / pl.col("best"))
    )
    return Table.of(
        ours,
        [
            Column("criterion", "criterion", title_of),
            Column("half", "half"),
            Column("world", "world"),
            Column(("mean", "error"), "regret", _with_error),
            Column("rival", "best rival"),
            Column(("told", "parameters"), "it was", _told),
            Column(("best", "best_error"), "its regret", _with_error),
            Column("ratio", "ratio", _TWO_DIGITS),
            Column("any_ratio", "ratio to any", _TWO_DIGITS),
            Column("paper", f"ratio of {PAPER}", _short),
            Column("shifts", "true shifts", "{:,}".format),
            Column("found", "found", "{:.1f}".format),
            Column("delay", "delay", "{:,.0f}".format),
            Column("false", "false restarts", _TWO_DIGITS),
            Column("speed", "million rounds a second", _millions),
        ],
        name="worlds",
        title=f"{LEARNER}, world by world",
        caption=(
            f"Mean regret of {LEARNER} at the horizon ± its standard error; the best rival is the "
            "best of those made for the criterion. Beside the ratio to it are that to the best of "
            f"all, and that of {PAPER} to it. A shift is true if it is significant for the "
            "criterion. It is found if a restart comes after the change that makes it and before "
            "the next; delay is the time between. Every other restart is false, also one that "
            "follows a change too small to be significant. Means over the runs."
        ),
        saved=frame,
    )


def _duels(table: pl.DataFrame) -> Table:
    half = table["half"][0]
    return Table.of(
        duels(table.filter(half=half)),
        [
            Column("criterion", "criterion", title_of),
            Column("rival", "rival"),
            Column("told", "it was"),
            Column("aims", "made for", title_of),
            Column("worlds", "worlds"),
            Column("geometric", "geometric mean", _short),
            Column("median", "median", _short),
            Column("worst", "worst", _short),
            Column("won", "worlds with less regret"),
        ],
        name="duels",
        title=f"{LEARNER} against each rival, {half} half",
        caption=(
            f"The regret of {LEARNER} over that of the rival on the worlds of the half where the "
            "rival was scored, the hardest rival first: below 1 the learner without prior "
            "knowledge loses less. In the last column, on how many worlds it did."
        ),
    )


def _figure(table: pl.DataFrame) -> Figure:
    words = "; ".join(
        f"{title_of(row['criterion'])}, {row['half']}: {row['learner']} {row['geometric']:.2f}"
        for row in totals(table).to_dicts()
    )
    return Figure(
        kind="benchmark",
        name="benchmark",
        title="Everybody on every world",
        caption=(
            "Mean regret as a multiple of that of the best rival of the world that is made for the "
            "criterion. Discs, squares and diamonds have no prior knowledge. Ticks are rivals. "
            f"What lost more than {_MOST:.0f} times as much as the best stands at the right edge."
        ),
        description=f"Regret over that of the best rival. Geometric means: {words}.",
        chart=_chart(table),
        below="totals",
    )


def _chart(table: pl.DataFrame) -> Any:
    alt = drawing_library("altair")
    best = table.group_by(*KEYS, maintain_order=True).agg(pl.col("best").min().alias("least"))
    names = table["learner"].unique(maintain_order=True).to_list()
    ours = table.join(best, on=list(KEYS), maintain_order="left").select(
        *KEYS, who="learner", kind="learner", mean="mean", ratio=pl.col("mean") / pl.col("least")
    )
    kind = (
        pl.when(pl.col("aims") != pl.col("criterion"))
        .then(pl.lit(_KINDS[3]))
        .when(pl.col("told") == "tuned in hindsight")
        .then(pl.lit(_KINDS[0]))
        .when(pl.col("told") == "no prior knowledge")
        .then(pl.lit(_KINDS[2]))
        .otherwise(pl.lit(_KINDS[1]))
    )
    theirs = (
        rivals()
        .filter(~pl.col("rival").is_in(names))
        .join(best, on=list(KEYS), maintain_order="right")
        .select(*KEYS, who="rival", kind=kind, mean="best", ratio=pl.col("best") / pl.col("least"))
    )
    order = best.select(row=_row()).to_series().to_list()
    drawn = (
        pl.concat([theirs, ours])
        .with_columns(row=_row(), ratio=pl.col("ratio").clip(upper_bound=_MOST).round(3))
        .select("row", "who", "kind", "mean", "ratio")
    )
    domain = [*names, *_KINDS]
    colours = [*_OURS[: len(names)], COLOURS[2], COLOURS[4], "#9A9A9A", COLOURS[5]]
    shapes = [*_SHAPES[: len(names)], *[_TICK] * len(_KINDS)]
    sizes = [110] * len(names) + [90] * len(_KINDS)
    legend = alt.Legend(title=None, orient="top", direction="horizontal", columns=3, labelLimit=300)
    return (
        alt.Chart(alt.InlineData(values=drawn.to_dicts()))
        .mark_point(filled=True, opacity=0.9)
        .encode(
            x=alt.X(
                "ratio:Q",
                title="regret over that of the best rival",
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(
                    labelExpr=ROUND_NUMBERS.replace("~s", "~g"), tickCount=8, labelOverlap=True
                ),
            ),
            y=alt.Y(
                "row:N",
                title=None,
                sort=order,
                axis=alt.Axis(labelLimit=400, grid=True, domain=False, ticks=False),
            ),
            color=alt.Color("kind:N", scale=alt.Scale(domain=domain, range=colours), legend=legend),
            shape=alt.Shape("kind:N", scale=alt.Scale(domain=domain, range=shapes), legend=legend),
            size=alt.Size(
                "kind:N",
                sort=domain,  # without it Vega-Lite warns
                scale=alt.Scale(domain=domain, range=sizes),
                legend=legend,
            ),
            tooltip=[
                alt.Tooltip("row:N", title="world"),
                alt.Tooltip("who:N", title="who"),
                alt.Tooltip("kind:N", title="told"),
                alt.Tooltip("mean:Q", title="mean regret", format=",.5~g"),
                alt.Tooltip("ratio:Q", title="ratio", format=".3~f"),
            ],
        )
        .properties(width=WIDTH - 200, height=_STEP * len(order))
    )


def _row() -> pl.Expr:
    return pl.format("{}, {}", pl.col("criterion").str.to_titlecase(), "world")


def _chapter(name: str, chapter: Chapter) -> Chapter:
    """Return a chapter of a part with the figures that show what happened over time."""
    return Chapter(
        name=f"{name}-{chapter.name}",
        title=f"{title_of(name.partition('-')[0])}, {chapter.title}",
        facts=chapter.facts,
        figures=[
            replace(figure, name=f"{name}-{figure.name}")
            for figure in chapter.figures
            if figure.kind == "regret"
        ],
    )


def _told(told: str, parameters: str) -> str:
    """Return what a rival was told, with the parameters that it was tuned to."""
    words = ", ".join(f"{key} {value:g}" for key, value in read_parameters(parameters).items())
    return f"{told}: {words}" if words else told


def _with_error(mean: float, error: float | None) -> str:
    return f"{number(mean)} ± {NOTHING if error is None else f'{error:,.0f}'}"


def _millions(speed: float) -> str:
    return f"{speed / 1e6:.1f}"


def _ours(frame: pl.DataFrame) -> frozenset[int]:
    several = frame["learner"].n_unique() > 1
    return frozenset(n for n, name in enumerate(frame["learner"]) if several and name == LEARNER)


def _short(value: float) -> str:
    """Return a ratio with two or three digits that matter.

    Examples
    --------
    >>> _short(0.0123), _short(1.234), _short(45.6)
    ('0.012', '1.23', '46')
    """
    if value < 0.1:
        return f"{value:.2g}"
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
