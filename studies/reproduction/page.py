"""One report on all experiments on the paper: what was promised, what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from driftduel._support.text import count
from driftduel.experiments.grids import read_parameters
from driftduel.report.document import Chapter, Document, Figure, best_of, compose
from driftduel.report.findings import in_words, number, shown, title_of
from driftduel.report.page import write_page
from driftduel.report.scaling import IN_BRACKETS, exponent_text
from driftduel.report.tables import Column, Table
from studies import PROGRAM
from studies.reproduction.experiments import COMPARISONS
from studies.reproduction.open_page import open_tables
from studies.reproduction.tables import found_exponents, halves, tracking, worst_weights
from studies.summing import report_on_all

if TYPE_CHECKING:
    from driftduel.experiments.results import Results

_TWO_DIGITS = "{:.2f}".format
_PERCENT = "{:.0%}".format
_SYMBOLS = {"horizon": "T", "n_arms": "K", "n_phases": "L", "variation": "V"}


def write_reproduction(
    found: Mapping[str, Results], out: Path, *, command: str = f"{PROGRAM} reproduce"
) -> Path:
    """Write ``report.html`` on experiments by name, and return the file."""
    page = out / "report.html"
    write_page(compose_reproduction(found, command), page)
    return page


def compose_reproduction(found: Mapping[str, Results], command: str) -> Document:
    """Return the report: a chapter for every experiment, and tables over all of them."""
    parts = {name: compose(results) for name, results in found.items()}
    grown = exponent_table(found)
    tables = [] if grown.is_empty() else [exponents_to_read(grown)]
    split = pl.concat(halves(results) for results in found.values())
    if len(split):
        tables.append(_halves(split))
    if "weights" in found:
        tables.append(_weights(worst_weights(found["weights"])))
    if "real-worlds" in found:
        tables.append(_tracking(tracking(found["real-worlds"])))
    tables += open_tables(found)
    tables.append(_losses(found))
    return report_on_all(
        found,
        parts,
        title="The paper, measured",
        counted=count(len(found), "experiment"),
        findings=_findings(found, grown),
        tables=tables,
        chapters=[_chapter(name, part, found[name]) for name, part in parts.items()],
        chapters_title="Experiment by experiment",
        command=command,
    )


def exponent_table(found: Mapping[str, Results]) -> pl.DataFrame:
    """Return the exponents of all experiments beside what theory promises."""
    tables = [
        found_exponents(results).select(pl.lit(name).alias("experiment"), pl.all())
        for name, results in found.items()
    ]
    return pl.concat(tables)


def exponents_to_read(grown: pl.DataFrame) -> Table:
    """Return exponents, or some of the rows of `exponent_table`, for reading."""
    return Table.of(
        grown,
        [
            Column("learner", "learner"),
            Column("variable", "in", _symbol),
            Column(("world", "fixed", "criterion"), "world; regret", _where),
            Column(("exponent", "good"), "exponent", exponent_text),
            Column(("low", "high"), "95 % over seeds", "{:.2f} to {:.2f}".format),
            Column("last", "last step", _TWO_DIGITS),
            Column("promised", "promised", _TWO_DIGITS),
        ],
        name="exponents",
        title="Exponents, found and promised",
        caption=(
            "Exponents of power laws fitted to the mean final regret, with 95 % intervals from "
            "resampling the seeds; the exponent between the last two points alone; and what theory "
            f"promises at most, up to logarithms. {IN_BRACKETS}"
        ),
        saved=grown.drop("values", "means", "errors"),
    )


def _where(world: str, fixed: str, criterion: str) -> str:
    settings = ", ".join(
        f"{_symbol(key)} = {shown(value)}" for key, value in read_parameters(fixed).items()
    )
    where = f"{world}: {settings}" if settings else world
    return f"{where}; {title_of(criterion)}"


def _symbol(parameter: str) -> str:
    return _SYMBOLS.get(parameter, parameter)


def _halves(split: pl.DataFrame) -> Table:
    return Table.of(
        split,
        [
            Column("learner", "learner"),
            Column("world", "world"),
            Column("n_arms", "K", shown),
            Column("horizon", "T", shown),
            Column("good", "good arms", number),
            Column("bad", "bad arms", number),
            Column("share", "share of bad arms", _PERCENT),
        ],
        name="halves",
        title="What the lower bounds cost",
        caption=(
            "Mean regret paid for good arms that are not the winner, which nobody can tell from it "
            "in time, and for bad arms, which are explored and come back with every replay."
        ),
    )


def _weights(worst: pl.DataFrame) -> Table:
    return Table.of(
        worst,
        [
            Column("learner", "learner"),
            Column("horizon", "T", shown),
            Column("borda", "Borda regret", number),
            Column("weight", "worst weight"),
            Column("regret", "regret there", number),
            Column("error", "standard error", number),
            Column("times", "times T/45", _TWO_DIGITS),
        ],
        name="weights",
        title="The T/45 instance",
        caption=(
            "Mean regret under Borda, and at the point mass that costs the learner most, also as a "
            "multiple of T/45, which no policy can stay below for every weight."
        ),
    )


def _tracking(followed: pl.DataFrame) -> Table:
    return Table.of(
        followed,
        [
            Column("stream", "stream"),
            Column("learner", "learner"),
            Column("share", "of random", _PERCENT),
            Column("right", "right at the end", _PERCENT),
            Column("found", "shifts found", _PERCENT),
            Column("restarts", "restarts", number),
            Column("shifts", "true shifts"),
        ],
        name="tracking",
        title="Real worlds: who follows the winner",
        caption=(
            "Regret as a share of what random pairs lose; how many runs ended with the true "
            "winner; what share of the significant shifts a restart followed before the next; and "
            "the mean number of restarts beside the true number of shifts."
        ),
    )


def _losses(found: Mapping[str, Results]) -> Table:
    frame = pl.concat(
        results.summary().select(pl.lit(name).alias("experiment"), pl.all())
        for name, results in found.items()
    )
    return Table.of(
        frame,
        [
            Column("experiment", "experiment"),
            Column("stream", "stream"),
            Column("criterion", "criterion", title_of),
            Column("learner", "learner"),
            Column("runs", "runs"),
            Column("mean", "mean regret", number),
            Column("error", "standard error", number),
            Column("ratio", "ratio to best", _TWO_DIGITS),
            Column("restarts", "restarts", number),
            Column("shifts", "true shifts"),
        ],
        name="summary",
        title="Who lost how much",
        caption=(
            "Regret at the horizon: mean over the runs and its standard error, and how many times "
            "the smallest mean of the same stream and criterion."
        ),
        strong=best_of(frame),
        grouped=True,
    )


def _chapter(name: str, part: Document, results: Results) -> Chapter:
    """Return the figures over all streams of an experiment, or those of its few streams."""
    figures: list[Figure] = list(part.figures)
    if name in ("real-worlds", "intervals"):
        figures += [
            figure
            for chapter in part.chapters
            for figure in chapter.figures
            if figure.kind in ("regret", "timeline")
        ]
    return Chapter(
        name=name,
        title=results.title,
        facts=f"{part.facts}. Its own report: {name}/report.html",
        figures=[replace(figure, name=f"{name}-{figure.name}") for figure in figures],
    )


def _findings(found: Mapping[str, Results], grown: pl.DataFrame) -> list[str]:
    """Return a sentence an experiment: the exponents METABOSSE was promised, or who lost least."""
    sentences = []
    for name, results in found.items():
        ours = grown.filter(
            pl.col("good"),
            pl.col("name") == "MetaBosse",
            pl.col("promised").is_not_null(),
            experiment=name,
        )
        words = [in_words(results.summary())[0]]
        if len(ours) and name not in COMPARISONS:
            words = [_grew(row) for row in ours.to_dicts()]
        sentences.append(f"{results.title}. {' '.join(words)}")
    return sentences


def _grew(row: Mapping[str, Any]) -> str:
    variable = _symbol(row["variable"])
    return (
        f"On {row['world']} the regret of {row['learner']} grew with {variable} to the "
        f"{row['exponent']:.2f} ({row['low']:.2f} to {row['high']:.2f} by the seeds alone); "
        f"{row['promised']:.2f} was promised."
    )
