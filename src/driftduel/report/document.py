"""What a report says and shows: sentences, tables and figures, before they become files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from driftduel._support.text import count, listing
from driftduel.experiments.grids import read_parameters, write_parameters
from driftduel.report.belief import LENGTHS, Belief, belief_chart
from driftduel.report.figures import skip_validation
from driftduel.report.findings import in_words, number, shown, title_of
from driftduel.report.overview import overview_chart
from driftduel.report.plays import plays_chart, shares_of_pairs
from driftduel.report.regret import MOST_MARKS, learners_of, mean_curves, regret_panel
from driftduel.report.scaling import (
    IN_BRACKETS,
    WORDS,
    Growth,
    exponent_text,
    growths,
    scaling_chart,
)
from driftduel.report.tables import Column, Table
from driftduel.worlds.measures.spells import Spell

if TYPE_CHECKING:
    from driftduel.experiments.results import Results, StreamInfo


Kind = Literal["overview", "scaling", "regret", "timeline", "plays", "benchmark"]

_FOREMOST = {"DriftDuel": 0, "MetaBosse": 1}
"""Learners whose timelines come first."""

_MOST_TIMELINES = 3
"""Learners of which each stream has a timeline."""


@dataclass(frozen=True)
class Figure:
    """A chart with what a reader needs who sees it, and what one needs who does not.

    Attributes
    ----------
    kind : str
        What it shows: "overview", "scaling", "regret", "timeline", "plays" or "benchmark".
    name : str
        What its file is called, without the ending.
    title, caption, description : str
        Above it, below it, and instead of it.
    chart : altair chart
        A single view, in layers or not, so that its width can follow the page.
    small : bool
        Whether several stand side by side.
    context : str
        What the title leaves to the page around it, for a figure that stands alone.
    below : str
        The name of the table it stands below, if it is about all streams.
    """

    kind: Kind
    name: str
    title: str
    caption: str
    description: str
    chart: Any
    small: bool = False
    context: str = ""
    below: str = "summary"

    @property
    def heading(self) -> str:
        """The title of a figure that stands alone."""
        return f"{self.title}: {self.context}" if self.context else self.title


@dataclass(frozen=True)
class Chapter:
    """What is said of one stream."""

    name: str
    title: str
    facts: str
    figures: list[Figure]


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    facts: str
    findings: list[str]
    tables: list[Table]
    figures: list[Figure]
    chapters: list[Chapter]
    spec: str
    environment: dict[str, Any]
    notices: list[str] = field(default_factory=list)
    parts: str = "Stream by stream"
    again: str = "Save this as spec.toml, then: driftduel run spec.toml"

    def all_figures(self) -> Iterator[Figure]:
        """Yield every figure in the order of the page."""
        yield from self.figures
        for chapter in self.chapters:
            yield from chapter.figures


def compose(results: Results) -> Document:
    """Return the report on an experiment."""
    with skip_validation():
        return _compose(results)


def _compose(results: Results) -> Document:
    summary = results.summary()
    if summary.is_empty():
        raise ValueError("the folder has no finished runs yet, so there is nothing to report")
    learners = learners_of(results)
    curves = mean_curves(results.scan("regret"), "stream", "criterion")
    beliefs = _beliefs(results)
    growing = growths(results)
    figures = [_growth_figure(growth, learners, n) for n, growth in enumerate(growing)]
    if len(results.streams) > 1:
        figures.insert(0, _overview_figure(summary, learners))
    return _with_own_names(
        Document(
            title=results.title,
            facts=_facts(results, learners),
            findings=in_words(summary, growing),
            tables=[_summary_table(summary), *_exponent_tables(growing)],
            figures=figures,
            chapters=[
                _chapter(
                    info,
                    learners,
                    curves.filter(stream=info.label),
                    [belief for belief in beliefs if belief.stream == info.label],
                    results.plays.filter(stream=info.label),
                )
                for info in results.streams
                if info.label in set(summary["stream"])
            ],
            spec=results.spec_text,
            environment=results.environment,
            notices=list(
                dict.fromkeys(notice for info in results.streams for notice in info.credits)
            ),
        )
    )


def _with_own_names(document: Document) -> Document:
    """Give figures and chapters that share a name a number each."""
    taken: set[str] = set()

    def own(item: Any) -> Any:
        name, n = item.name, 1
        while name in taken:
            n += 1
            name = f"{item.name}-{n}"
        taken.add(name)
        return replace(item, name=name)

    figures = [own(figure) for figure in document.figures]
    chapters = [
        replace(own(chapter), figures=[own(figure) for figure in chapter.figures])
        for chapter in document.chapters
    ]
    return replace(document, figures=figures, chapters=chapters)


@dataclass(frozen=True)
class _Diary:
    """What one run noted, and the criterion it played for."""

    stream: str
    learner: str
    criterion: str
    seed: int
    events: pl.DataFrame


def _beliefs(results: Results) -> list[_Diary]:
    """Return the first run of learners that evict or replay on every stream, METABOSSE first."""
    noting = (
        results.scan("events")
        .filter(pl.col("kind").is_in(["eviction", "replay"]))
        .select("learner")
        .unique()
    )
    players = (
        results.plan.join(noting.collect(), on="learner", how="semi", maintain_order="left")
        .with_columns(
            place=pl.col("name").replace_strict(_FOREMOST, default=len(_FOREMOST)),
            criterion=pl.col("parameters").map_elements(_criterion_of, return_dtype=pl.String),
        )
        .sort("place", maintain_order=True)
        .select("stream", "learner", "criterion")
    )
    seeds = results.runs.group_by("stream", "learner").agg(pl.col("seed").min())
    first = (
        players.join(seeds, on=["stream", "learner"], maintain_order="left")
        .group_by("stream", maintain_order=True)
        .head(_MOST_TIMELINES)
    )
    events = (
        results.scan("events")
        .join(first.lazy(), on=["stream", "learner", "seed"], how="semi")
        .collect()
        .sort("round", maintain_order=True)
    )
    return [
        _Diary(stream, learner, criterion, seed, events.filter(stream=stream, learner=learner))
        for stream, learner, criterion, seed in first.select(
            "stream", "learner", "criterion", "seed"
        ).iter_rows()
    ]


def _criterion_of(parameters: str) -> str:
    """Return the name of the criterion that a learner plays for, empty if it is a weight."""
    criterion = read_parameters(parameters).get("criterion", "borda")
    return criterion if isinstance(criterion, str) else ""


def _facts(results: Results, learners: Sequence[str]) -> str:
    runs = len(results.runs)
    rounds = results.runs.join(
        pl.DataFrame(
            {
                "stream": [info.label for info in results.streams],
                "rounds": [info.horizon for info in results.streams],
            }
        ),
        on="stream",
    )["rounds"].sum()
    date = str(results.environment.get("date", ""))[:10]
    parts = [
        date,
        count(len(learners), "learner"),
        count(len(results.streams), "stream"),
        count(runs, "run"),
        count(int(rounds), "duel"),
        f"driftduel {results.environment.get('driftduel', '')}".strip(),
    ]
    return ", ".join(part for part in parts if part)


def _summary_table(summary: pl.DataFrame) -> Table:
    varying = [name for name in ("stream", "criterion") if summary[name].n_unique() > 1]
    criteria = [title_of(name) for name in summary["criterion"].unique(maintain_order=True)]
    return Table.of(
        summary,
        [
            *(Column(name, name) for name in varying),
            Column("learner", "learner"),
            Column("runs", "runs", number),
            Column("mean", "mean regret", number),
            Column("error", "standard error", number),
            Column("ratio", "ratio to best", "{:,.2f}".format),
            Column("restarts", "restarts found", number),
            Column("shifts", "true shifts", number),
        ],
        name="summary",
        title="Who lost how much",
        caption=(
            f"Regret ({listing(criteria)}) at the "
            "horizon: mean over the runs and its standard error, and how many times the smallest "
            "mean of the same stream. Restarts are the episodes a learner began after the first, "
            "mean over the runs; true shifts are the significant shifts of the criterion, which no "
            "learner is told unless its label says so. The smallest mean is in bold."
        ),
        strong=best_of(summary),
        grouped=len(varying) > 0,
    )


def best_of(summary: pl.DataFrame) -> frozenset[int]:
    """Return the rows of a summary that have the smallest mean of their stream and criterion."""
    return frozenset(n for n, ratio in enumerate(summary["ratio"]) if ratio == 1)


def _exponent_tables(growing: Sequence[Growth]) -> list[Table]:
    if not growing:
        return []
    frame = pl.concat(
        growth.exponents.select(
            pl.lit(growth.world).alias("world"),
            pl.lit(write_parameters(growth.fixed)).alias("fixed"),
            pl.lit(growth.criterion).alias("criterion"),
            pl.lit(growth.variable).alias("variable"),
            "learner",
            "exponent",
            "low",
            "high",
            "good",
        )
        for growth in growing
    )
    return [
        Table.of(
            frame,
            [
                Column(("criterion", "variable", "world", "fixed"), "of what", _of_what),
                Column("learner", "learner"),
                Column(("exponent", "good"), "exponent", exponent_text),
                Column(("low", "high"), "95 % over seeds", "{:.2f} to {:.2f}".format),
            ],
            name="exponents",
            title="How regret grows",
            caption=(
                "Exponents of power laws fitted to the mean final regret, with 95 % intervals from "
                f"resampling the seeds. {IN_BRACKETS}"
            ),
            grouped=True,
        )
    ]


def _of_what(criterion: str, variable: str, world: str, fixed: str) -> str:
    return f"{title_of(criterion)} regret in {variable}: {_where(world, read_parameters(fixed))}"


def _where(world: str, fixed: Mapping[str, Any]) -> str:
    return ", ".join([world, *(f"{key} = {shown(value)}" for key, value in fixed.items())])


def _overview_figure(summary: pl.DataFrame, learners: Sequence[str]) -> Figure:
    middle = summary.group_by("learner", maintain_order=True).agg(pl.col("ratio").median())
    words = listing([f"{name} {ratio:.2f}" for name, ratio in middle.iter_rows()])
    return Figure(
        kind="overview",
        name="overview",
        title="Every learner on every stream",
        caption=(
            "Mean final regret as a multiple of the smallest on the same stream: 1 is the best, "
            "further right is worse."
        ),
        description=f"Ratio to the best by stream and learner. Medians: {words}.",
        chart=overview_chart(summary, learners),
    )


def _growth_figure(growth: Growth, learners: Sequence[str], n: int) -> Figure:
    variable = WORDS.get(growth.variable, growth.variable)
    slopes = listing(
        [
            f"{name} {exponent_text(exponent, good)}"
            for name, exponent, good in growth.exponents.select(
                "learner", "exponent", "good"
            ).iter_rows()
        ],
        most=20,
    )
    return Figure(
        kind="scaling",
        name=f"scaling-{n + 1}-{growth.variable}",
        title=f"Growth with the {variable}: {_where(growth.world, growth.fixed)}",
        caption=(
            f"Mean final {title_of(growth.criterion)} regret with two standard errors, both axes "
            "logarithmic. The slope of a line is the exponent, in brackets where the points lie on "
            "no line; its interval is about the seeds only."
        ),
        description=f"Log-log plot of regret against {variable}. Slopes: {slopes}.",
        chart=scaling_chart(growth, learners),
        below="exponents",
    )


def _chapter(
    info: StreamInfo,
    learners: Sequence[str],
    curves: pl.DataFrame,
    diaries: Sequence[_Diary],
    plays: pl.DataFrame,
) -> Chapter:
    criteria = curves["criterion"].unique(maintain_order=True).to_list()
    figures = [
        _regret_figure(info, curves.filter(criterion=criterion), criterion, learners)
        for criterion in criteria
    ]
    figures += [
        _belief_figure(info, diary, diary.criterion if diary.criterion in criteria else criteria[0])
        for diary in diaries
    ]
    figures += [
        _plays_figure(info, mine, learner)
        for learner in learners
        for mine in [plays.filter(learner=learner)]
        if len(mine)
    ]
    facts = f"{info.world}: {count(info.n_arms, 'arm')}, {count(info.horizon, 'round')}"
    facts += f", {count(_n_changes(info), 'change')}"
    for criterion in criteria:
        shifts = info.shifts.get(criterion)
        if shifts is not None:
            facts += f", {count(len(shifts), f'significant {title_of(criterion)} shift')}"
    return Chapter(slug(info.label), info.label, f"{facts}.", figures)


def _n_changes(info: StreamInfo) -> int:
    return int(info.measures.get("changes") or 0)


def _regret_figure(
    info: StreamInfo, curves: pl.DataFrame, criterion: str, learners: Sequence[str]
) -> Figure:
    last = curves.group_by("learner", maintain_order=True).last()
    ends = listing(
        [f"{row['learner']} {number(row['regret'])}" for row in last.to_dicts()], most=20
    )
    changes, shifts = info.changes or [], info.shifts.get(criterion) or []
    marks = ["Lines are means over the runs, bands two standard errors."]
    if 0 < len(changes) <= MOST_MARKS:
        marks.append("Dashed: the world changes.")
    elif _n_changes(info):
        marks.append(f"The world changes {count(_n_changes(info), 'time')}, too often to mark.")
    if 0 < len(shifts) <= MOST_MARKS:
        marks.append("Triangles: a significant shift is established.")
    return Figure(
        kind="regret",
        name=f"regret-{slug(info.label)}-{slug(criterion)}",
        title=f"Cumulative {title_of(criterion)} regret",
        caption=" ".join(marks),
        description=(
            f"Cumulative {title_of(criterion)} regret over {count(info.horizon, 'round')} of "
            f"{info.label}. At the end: {ends}."
        ),
        context=info.label,
        chart=regret_panel(
            curves,
            learners,
            info.horizon,
            changes=changes,
            shifts=shifts,
            heading=f"cumulative {title_of(criterion)} regret",
        ),
    )


def _winners(info: StreamInfo, criterion: str) -> list[tuple[int, int, int]]:
    return info.winners.get(criterion) or []


def _belief_figure(info: StreamInfo, diary: _Diary, criterion: str) -> Figure:
    learner, seed, mine = diary.learner, diary.seed, diary.events
    episodes, evictions, replays, play, picks = (
        mine.filter(kind=kind) for kind in ("episode", "eviction", "replay", "in play", "pick")
    )
    belief = Belief(
        arms=info.labels,
        horizon=info.horizon,
        episodes=sorted({0, *episodes["round"]}),
        replays=list(replays.select("round", "length").iter_rows()),
        best=[Spell(start, end, (arm,)) for start, end, arm in _winners(info, criterion)],
        changes=info.changes or [],
        in_play=_stretches(play),
        picks=_stretches(picks),
    )
    shown = len(belief.shown())
    caption = (
        "Broad: the arm that is truly best. Narrow: the arms in play, and the one that the learner "
        "would pick, as seen whenever regret is kept. "
    )
    if len(replays):
        caption += (
            "Replays look at all arms again for a while; those of the "
            f"{LENGTHS} greatest lengths are drawn, of {len(replays):,} in all. "
        )
    if shown < info.n_arms:
        caption += f"Of {info.n_arms} arms the {shown} that were best or in play longest. "
    began = [f"{start:,}" for start in belief.episodes[1:]]
    return Figure(
        kind="timeline",
        name=f"timeline-{slug(info.label)}-{slug(learner)}",
        title=f"What {learner} believed, seed {seed}",
        caption=caption.strip(),
        description=(
            f"Timeline of {learner} on {info.label}, seed {seed}: {count(len(replays), 'replay')}, "
            f"{count(len(evictions), 'eviction')}, new episodes at rounds "
            f"{listing(began, most=10) if began else 'none'}."
        ),
        context=info.label,
        chart=belief_chart(belief),
    )


def _stretches(events: pl.DataFrame) -> list[tuple[int, int, int]]:
    """Return the arms, first rounds and ends of events that last."""
    return list(events.select("arm", "first", pl.col("last") + 1).iter_rows())


def _plays_figure(info: StreamInfo, plays: pl.DataFrame, learner: str) -> Figure:
    shares = shares_of_pairs(plays, info.labels)
    most = shares.sort("share", descending=True).row(0, named=True)
    pair = f"{most['left']} against {most['right']}, {most['share']:.0%} of the duels"
    return Figure(
        kind="plays",
        name=f"plays-{slug(info.label)}-{slug(learner)}",
        title=f"Plays of {learner}",
        caption=f"Most often {pair}.",
        description=f"Heat map of the pairs {learner} played on {info.label}. Most often {pair}.",
        context=info.label,
        chart=plays_chart(shares, info.labels),
        small=True,
    )


def slug(text: str) -> str:
    """Return a text as part of a file name.

    Examples
    --------
    >>> slug("Borda-DEX3.S, told S"), slug("***")
    ('borda-dex3-s-told-s', 'x')
    """
    words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
    return "-".join(words)[:60] or "x"
