"""The page on a file of votes: who is best, since when, how sure, and what to ask next.

It is written for people who never heard of bandits; the last section is for those who did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from driftduel._support.files import replacing
from driftduel._support.text import count, listing
from driftduel.report.analysis_figures import (
    bands,
    beside,
    level,
    likely_story,
    ranges,
    votes_over_time,
)
from driftduel.report.document import Figure
from driftduel.report.extra import check_drawing
from driftduel.report.figures import skip_validation, theme
from driftduel.report.page import responsive
from driftduel.report.tables import Column, Table
from driftduel.report.templates import write_html
from driftduel.verdict import likely as likely_text
from driftduel.verdict import text
from driftduel.verdict.groups import groups
from driftduel.verdict.parts import Clock, clock_of, percent_range, plain, to_html
from driftduel.verdict.rows import GROUPS, group_rows
from driftduel.verdict.standing import Moment, Standing
from driftduel.votes.estimates import ASSUMPTIONS

if TYPE_CHECKING:
    from driftduel.votes.analysis import Analysis
    from driftduel.votes.figures import Sides

_MOST_SQUARE = 12
"""Arms in the square of who won against whom."""


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    name: str
    title: str
    texts: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


def write_analysis(analysis: Analysis, file: Path, title: str | None = None) -> None:
    """Write the page, whole or not at all; its heading names the file if nothing is said."""
    if file.is_dir():
        raise ValueError(f"{file}: is a folder, must be a file such as {file / 'votes.html'}")
    check_drawing()
    known = analysis.standing
    with skip_validation():
        sections = [
            _leaderboard(analysis),
            *_groups(analysis),
            _over_time(analysis),
            *_drift(analysis),
            _pairs(analysis),
            _rated(analysis),
            _voters(analysis),
            _next(analysis),
            _for_experts(analysis),
        ]
        opening = [] if analysis.likely is None else [likely_story(analysis)]
        figures = [*opening, *(figure for section in sections for figure in section.figures)]
        specs = {figure.name: responsive(figure) for figure in figures}
    with replacing(file) as temporary:
        write_html(
            temporary,
            "analysis.html.j2",
            title=title or heading(analysis),
            facts=f"{len(known.options)} options. {plain(text.facts(known))}",
            likely=[]
            if analysis.likely is None
            else list(map(to_html, likely_text.story(analysis.likely.likely, known)[:-1])),
            opening=opening,
            findings=[
                *map(to_html, text.sentences(known)),
                *map(escape, analysis.more_sentences),
                *(escape(f"About the file: {note}.") for note in analysis.notes),
            ],
            sections=sections,
            notices=analysis.log.credits,
            themes={"light": theme(), "dark": theme(dark=True)},
            specs=specs,
        )


def heading(analysis: Analysis) -> str:
    """Return the heading of the page."""
    if analysis.file is None:
        return "What these votes tell"
    files = analysis.file.split(", ")
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    name = "standard input" if files[0] == "-" else Path(files[0]).name or files[0]
    return f"What {name}{more} tells"


def _leaderboard(analysis: Analysis) -> Section:
    frame = analysis.scores
    since = f"since {_since(analysis)}" if analysis.history.changes else "over all votes"
    against = (
        f"one drawn from {listing(analysis.panel)}"
        if analysis.standing.panel is not None
        else "another option, each as likely"
    )
    table = Table.of(
        frame,
        [
            Column("arm", "option"),
            Column("score_against_others", "wins", "{:.1%}".format),
            Column(("low_against_others", "high_against_others"), "proved", percent_range),
            Column("votes", "votes", "{:,}".format),
        ],
        name="leaderboard",
        title="Who is ahead",
        caption=f"Share of votes won against {against}, {since}. All ranges hold at once with "
        f"{level(analysis)}{beside(analysis)}.",
        strong=frozenset(
            n for n, arm in enumerate(frame["arm"]) if arm in analysis.present.candidates
        ),
    )
    return Section(
        "who-is-ahead",
        "Who is ahead",
        ("In bold: who may be best.",),
        (table,),
        (ranges(frame),),
    )


def _over_time(analysis: Analysis) -> Section:
    past, known, clock = analysis.history, analysis.standing, clock_of(analysis.standing)
    changes = known.changes or ()
    texts = [*map(plain, map(partial(text.change, known), changes)), *_no_change(known)]
    tables: tuple[Table, ...] = ()
    if changes:
        frame = pl.DataFrame(
            [
                {
                    "from": plain(text.either(known, one.before, one.before_among)),
                    "to": plain(text.either(known, one.after, one.after_among)),
                    "likeliest": _at(clock, one.around),
                    "earliest": _at(clock, one.earliest),
                    "latest": _at(clock, one.latest),
                    "surely_after": _at(clock, one.surely_after),
                    "surely_before": _at(clock, one.surely_before),
                }
                for one in changes
            ]
        )
        tables = (
            Table.of(
                frame,
                [
                    Column("from", "before"),
                    Column("to", "after"),
                    Column("likeliest", "likeliest"),
                    Column(("earliest", "latest"), "95 %, if one change", "{} to {}".format),
                    Column(("surely_after", "surely_before"), "proved", "{} to {}".format),
                ],
                name="changes",
                title="Changes of who is best",
                caption=f"Of logs in which nothing changes {past.alpha:.3g} at most show a "
                "change here.",
            ),
        )
    return Section("over-time", "Who was best when", tuple(texts), tables, (bands(analysis),))


def _groups(analysis: Analysis) -> list[Section]:
    """Return who is ahead in each group, if votes were split."""
    if analysis.by is None:
        return []
    standings = [(group.name, group.analysis.standing) for group in analysis.groups]
    names = ("group", "votes", "ahead", "wins", "proved", "sure")
    frame = pl.DataFrame(group_rows(standings), schema=names, orient="row")
    table = Table.of(
        frame,
        [Column(*pair) for pair in zip(names, (analysis.by, *GROUPS), strict=True)],
        name="groups",
        title=f"By {analysis.by}",
        caption=f"Each group by its own votes, of its latest time without a proved change. All "
        f"ranges of all groups hold at once with {level(analysis)}{beside(analysis)}.",
    )
    said = plain(groups(analysis.by, standings))
    return [Section("groups", f"By {analysis.by}", (said,), (table,))]


def _drift(analysis: Analysis) -> list[Section]:
    """Return how much tastes moved beside what noise alone shows, if that was asked for."""
    found = analysis.drift
    if found is None:
        return []
    from driftduel.worlds.measures.measures import WORDS  # imports numba

    frame = pl.DataFrame(
        [
            (WORDS[name], band.found, band.low, band.high, band.verdict or "")
            for name, band in found.bands.items()
            if band.found is not None
        ],
        schema={
            "measure": pl.String, "found": pl.Float64, "low": pl.Float64, "high": pl.Float64,
            "verdict": pl.String,
        },
        orient="row",
    )  # fmt: skip
    table = Table.of(
        frame,
        [
            Column("measure", "measure"),
            Column("found", "changes", "{:,.4g}".format),
            Column(("low", "high"), "noise alone", _noise),
            Column("verdict", "found"),
        ],
        name="drift",
        title="How much tastes moved",
        caption="Changes in the world that these votes tell of, one round a vote. Noise alone: the "
        f"least and the most with the dates shuffled {count(found.shuffles, 'time')}, as if "
        "nothing changed; found: whether there are more.",
    )
    said = found.beside(len(analysis.history.changes))
    return [Section("drift", "How much tastes moved", (said,), (table,))]


def _noise(low: float, high: float) -> str:
    return f"{low:,.4g}" if low == high else f"{low:,.4g} to {high:,.4g}"


def _no_change(known: Standing) -> list[str]:
    return list(map(plain, text.no_change(known)))


def _at(clock: Clock, moment: Moment | None) -> str:
    return "–" if moment is None else clock.at(moment).text


def _since(analysis: Analysis) -> str:
    """Say from when on scores count."""
    return clock_of(analysis.standing).at(analysis.since).text


def _pairs(analysis: Analysis) -> Section:
    frame = pl.DataFrame(
        list(map(asdict, analysis.pairs)),
        schema_overrides={"share": pl.Float64, "low": pl.Float64, "high": pl.Float64},
    ).sort("votes", descending=True, maintain_order=True)
    table = Table.of(
        frame,
        [
            Column("first", "option"),
            Column("second", "against"),
            Column("votes", "votes in all", "{:,}".format),
            Column("votes_since", "votes of late", "{:,}".format),
            Column("share", "won by the first", "{:.0%}".format),
            Column(("low", "high"), "proved", percent_range),
        ],
        name="pairs",
        title="Every pair",
        caption=f"Of late: since {_since(analysis)}. Ties count half. The ranges of all "
        f"pairs hold at once with {level(analysis)} if tastes stayed the same since then.",
    )
    tables = (_matrix(analysis), table)
    return Section("pairs-of-arms", "Who beats whom", (_cycles(analysis),), tables)


def _matrix(analysis: Analysis) -> Table:
    """Return who won how much against whom, best arms first."""
    order = analysis.scores["arm"].to_list()
    order += [arm for arm in analysis.log.arms if arm not in order]
    shown = order[:_MOST_SQUARE]
    cells = {arm: dict.fromkeys(shown, "") for arm in shown}
    for pair in analysis.pairs:
        if pair.first in cells and pair.second in cells and pair.share is not None:
            rest = f"{'*' if pair.proved else ''} of\N{NO-BREAK SPACE}{pair.votes_since:,}"
            cells[pair.first][pair.second] = f"{pair.share:.0%}{rest}"
            cells[pair.second][pair.first] = f"{1 - pair.share:.0%}{rest}"
    frame = pl.DataFrame(
        [{"": arm} | {other: cells[arm][other] for other in shown} for arm in shown]
    )
    more = f" The first {_MOST_SQUARE} of {len(order)}." if len(order) > _MOST_SQUARE else ""
    return Table.of(
        frame,
        [Column("", "of votes against"), *(Column(arm, f"{arm} ") for arm in shown)],
        name="matrix",
        title="Who won against whom",
        caption="Share of the votes that the option of the row won against that of the column, "
        f"and how many they were since {_since(analysis)}. With a star: proved to be more, "
        f"or less, than half.{more}",
    )


def _rated(analysis: Analysis) -> Section:
    found = analysis.ratings
    texts = [
        "Many leaderboards give every arm one number, as chess does (Elo, Bradley-Terry): who has "
        "400 points more wins 10 of 11 votes. Here they stand beside the shares above, which need "
        "no such rule.",
        *found.says,
    ]
    if not found.rows:
        return Section("ratings", "Ratings", tuple(texts))
    first = found.rows[0]["arm"]
    if analysis.best is not None and first != analysis.best:
        texts.append(
            f"By ratings {first} is first, by the share of votes won {analysis.best}: ratings "
            "count who was beaten in what was shown, shares count every opponent alike."
        )
    table = Table.of(
        pl.DataFrame(list(found.rows)),
        [
            Column("arm", "option"),
            Column("rating", "rating", "{:.0f}".format),
            Column(("low", "high"), "range", "{:.0f} to {:.0f}".format),
        ],
        name="ratings",
        title="Ratings",
        caption=f"Since {_since(analysis)}; 1000 is the mean. Ranges hold at once with "
        f"about {level(analysis)}, looked at once, if Bradley-Terry is true, tastes stayed "
        "the same and who met whom did not depend on the votes.",
    )
    return Section("ratings", "Ratings", tuple(texts), (table,))


def _cycles(analysis: Analysis) -> str:
    cycle = analysis.condorcet.cycle
    if cycle is None:
        return _who_beats(analysis)
    known = replace(analysis.standing, cycle=tuple(map(analysis.log.arms.index, cycle)))
    return f"{_who_beats(analysis)} A cycle is proved: {plain(text.cycle(known))}."


def _who_beats(analysis: Analysis) -> str:
    found = analysis.condorcet
    if found.proved:
        return f"{found.winner} beats every other option: that is proved."
    if found.proved_none:
        return (
            "Nobody beats every other option: each is proved to lose to some other. Who is best "
            "then depends on what best means; here it is who wins most against all."
        )
    if found.winner is not None:
        return f"{found.winner} won more votes than it lost against every other option; not proved."
    return "Nobody won more votes than it lost against every other option; that may be chance."


def _side(sides: Sides | None) -> Iterator[str]:
    """Yield what the side does, where it is known who was shown left."""
    if sides is None:
        return
    words = "A taste for a side is not proved."
    taste = sides.taste
    if taste is None and (sides.low > 0.5 or sides.high < 0.5):
        words = (
            "That may be a taste for a side, or strong options are shown on one side more often."
        )
    elif taste is not None and taste.proved:
        where = "left" if taste.points > 0 else "right"
        words = (
            f"The same option wins {200 * abs(taste.points):.0f} votes of 100 more on the {where} "
            "than on the other side: that is a taste for a side."
        )
    yield (
        f"The option shown left won {sides.left_share:.1%} of the votes (proved: "
        f"{sides.low:.1%} to {sides.high:.1%}). {words}"
    )


def _voters(analysis: Analysis) -> Section:
    texts = (*_side(analysis.sides), f"{analysis.ties:.1%} of the votes are ties.")
    return Section("voters", "The votes", texts, (), (votes_over_time(analysis),))


def _next(analysis: Analysis) -> Section:
    words = "Nothing needs to be asked to know who is best; ask on to notice when that changes."
    if analysis.ask_next:
        pairs = [f"{first} with {second}" for first, second in analysis.ask_next]
        words = f"These pairs would tell the most about who is best: {listing(pairs)}."
    elif analysis.best is None:
        words = "Show every pair, in both orders."
    return Section("ask-next", "What to show next", (words,))


def _for_experts(analysis: Analysis) -> Section:
    assuming = analysis.history.assuming
    mixture = "votes are weighted by them, and bounds are those of a mixture of supermartingales"
    how = "Means of pairs are weighted, with Hoeffding's inequality given who met whom. That "
    if assuming is None:
        how = f"The log has propensities: {mixture}, whatever drift there was and however pairs "
        how += "were chosen."
    else:
        if assuming == ASSUMPTIONS["uniform"]:
            how = f"Propensities are taken to be all the same: {mixture}. That "
        how += f"assumes that {assuming}."
    return Section(
        "for-experts",
        "For those who know bandits",
        (
            "Best is the weighted Borda winner; the reference weight is uniform on "
            f"{listing(analysis.panel, most=20)}.",
            how,
            "The log is cut into overlapping dyadic spans with the level split over them and over "
            "ordered pairs of arms; a change is proved where no arm is possibly best in all spans "
            "inside a stretch. The proved range is that stretch, the range of 95 % a posterior "
            "of the date from the votes of the pairs of the two arms. The levels are those of one "
            "look at a log whose length does not follow the votes.",
            "Votes count as if cast apart from each other: many by one voter, or of one race, say "
            "less than they seem to.",
        ),
    )
