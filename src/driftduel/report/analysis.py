"""The page on a file of votes: who is best, since when, how sure, and what to ask next.

It is written for people who never heard of bandits; the last section is for those who did.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from driftduel._support.files import replacing
from driftduel._support.text import listing
from driftduel.report.document import Figure
from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, TRUTH, WIDTH, line_legend, skip_validation, theme
from driftduel.report.page import responsive
from driftduel.report.tables import Column, Table
from driftduel.report.templates import write_html
from driftduel.verdict import text
from driftduel.verdict.parts import Clock, clock_of, percent, percent_range, plain, to_html
from driftduel.verdict.standing import Moment, Standing
from driftduel.votes.estimates import ASSUMPTIONS

if TYPE_CHECKING:
    from driftduel.votes.analyses import Analysis
    from driftduel.votes.figures import Sides

_MOST_LINES = 4
"""Arms in the figure over time: those that are ahead and those that were."""

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


def write_analysis(analysis: Analysis, file: Path, title: str, notes: Sequence[str] = ()) -> None:
    """Write the page, whole or not at all; notes are about the file of the votes."""
    known = analysis.standing
    with skip_validation():
        sections = [
            _leaderboard(analysis),
            _over_time(analysis),
            _pairs(analysis),
            _rated(analysis),
            _voters(analysis),
            _next(analysis),
            _for_experts(analysis),
        ]
        figures = [figure for section in sections for figure in section.figures]
        specs = {figure.name: responsive(figure) for figure in figures}
    with replacing(file) as temporary:
        write_html(
            temporary,
            "analysis.html.j2",
            title=title,
            facts=f"{len(known.options)} options. {plain(text.facts(known))}",
            findings=[
                *map(to_html, text.sentences(known)),
                *(escape(f"About the file: {note}.") for note in notes),
            ],
            sections=sections,
            notices=analysis.log.credits,
            themes={"light": theme(), "dark": theme(dark=True)},
            specs=specs,
        )


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
        f"{_level(analysis)}{_beside(analysis)}.",
        strong=frozenset(
            n for n, arm in enumerate(frame["arm"]) if arm in analysis.present.candidates
        ),
    )
    return Section(
        "who-is-ahead",
        "Who is ahead",
        ("In bold: who may be best.",),
        (table,),
        (_ranges(frame),),
    )


def _ranges(frame: pl.DataFrame) -> Figure:
    alt = drawing_library("altair")
    names = ("arm", "score_against_others", "low_against_others", "high_against_others")
    rows = frame.select(names).to_dicts()
    order = frame["arm"].to_list()
    y = alt.Y("arm:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", title="votes won against the others")
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=y)
    bars = base.mark_rule(strokeWidth=4, color=COLOURS[0], opacity=0.6).encode(
        x=alt.X("low_against_others:Q", scale=scale, axis=axis), x2="high_against_others:Q"
    )
    points = base.mark_point(filled=True, size=70, color=COLOURS[0], opacity=1).encode(
        x=alt.X("score_against_others:Q", scale=scale)
    )
    even = (
        alt.Chart(alt.InlineData(values=[{"x": 0.5}]))
        .mark_rule(strokeDash=[4, 4], color=TRUTH)
        .encode(x=alt.X("x:Q", scale=scale))
    )
    chart = alt.layer(even, bars, points).properties(width=WIDTH, height=max(60, 26 * len(order)))
    return Figure(
        "overview",
        "ranges",
        "Who is ahead, and how sure",
        "A dot is the share of votes won, a bar the range that is proved. Arms whose bars "
        "overlap may still be told apart, as they were seen in the same votes.",
        "Shares of votes won with ranges: "
        + "; ".join(f"{row['arm']} {percent(row['score_against_others'])}" for row in rows),
        chart,
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
    return Section("over-time", "Who was best when", tuple(texts), tables, (_bands(analysis),))


def _bands(analysis: Analysis) -> Figure:
    alt = drawing_library("altair")
    past = analysis.history
    leaders = [name for change in past.changes for name in (change.before, change.after)]
    lines = list(dict.fromkeys([*past.candidates[:3], *leaders, *past.scores["arm"]]))[:_MOST_LINES]
    dated = analysis.log.dated
    bands = past.bands.filter(pl.col("arm").is_in(lines)).drop("assuming")
    rows = [
        {**row, "begin": _json(row["begin"]), "end": _json(row["end"])} for row in bands.to_dicts()
    ]
    # A step goes on to the next one; the last has none.
    rows += [row | {"begin": row["end"]} for row in rows[-len(lines) :]]
    kind = "temporal" if dated else "quantitative"
    scale = alt.Scale(type="utc", nice=False) if dated else alt.Scale(nice=False, zero=False)
    x = alt.X("begin", type=kind, title="date" if dated else "time", scale=scale)
    colours = alt.Scale(domain=lines, range=list(COLOURS[: len(lines)]))
    colour = alt.Color("arm:N", scale=colours, legend=line_legend(lines))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
    y = alt.Axis(format="%", title="score", tickCount=6)
    ends = [row[name] for row in rows for name in ("low", "high")]
    domain = [math.floor(10 * min(ends)) / 10, math.ceil(10 * max(ends)) / 10]
    area = base.mark_area(opacity=0.14, interpolate="step-after").encode(
        y=alt.Y("low:Q", axis=y, scale=alt.Scale(domain=domain)), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2, interpolate="step-after").encode(y="score:Q")
    moments = [{"x": _json(change.likeliest)} for change in past.changes]
    rule = (
        alt.Chart(alt.InlineData(values=moments))
        .mark_rule(strokeDash=[4, 3], color=TRUTH)
        .encode(x=alt.X("x", type=kind, scale=scale))
    )
    parts = [area, line, rule] if moments else [area, line]
    return Figure(
        "timeline",
        "bands",
        "Scores over time",
        "Each step is the average over its time; the bands hold all at once with "
        f"{_level(analysis)}{_beside(analysis)}."
        + (
            " Dashed: the likeliest moment of each proved change, if it came at once."
            if moments
            else ""
        ),
        f"Scores over time of {listing(lines)}, with bands.",
        alt.layer(*parts).properties(width=WIDTH, height=300),
    )


def _no_change(known: Standing) -> list[str]:
    return list(map(plain, text.no_change(known)))


def _at(clock: Clock, moment: Moment | None) -> str:
    return "–" if moment is None else clock.at(moment).text


def _since(analysis: Analysis) -> str:
    """Say from when on scores count."""
    return clock_of(analysis.standing).at(analysis.since).text


def _level(analysis: Analysis) -> str:
    return f"{1 - analysis.history.alpha:.3g}"


def _json(moment: date | float) -> object:
    """Return a moment as figures take it."""
    return Moment.of(moment).to_json()


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
        f"pairs hold at once with {_level(analysis)} if tastes stayed the same since then.",
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
        f"about {_level(analysis)}, looked at once, if Bradley-Terry is true, tastes stayed "
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
    alt = drawing_library("altair")
    texts = (*_side(analysis.sides), f"{analysis.ties:.1%} of the votes are ties.")
    bars = [{"begin": bar.begin.to_json(), "votes": bar.votes} for bar in analysis.bars]
    dated = isinstance(bars[0]["begin"], str)
    x = alt.X(
        "begin",
        type="temporal" if dated else "quantitative",
        title="date" if dated else "time",
        scale=alt.Scale(type="utc") if dated else alt.Scale(zero=False),
    )
    chart = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(color=COLOURS[0])
        .encode(x=x, y=alt.Y("votes:Q", title="votes"))
        .properties(width=WIDTH, height=160)
    )
    figure = Figure(
        "plays", "votes", "Votes over time", "How many votes were cast when.",
        "Numbers of votes over time.", chart,
    )  # fmt: skip
    return Section("voters", "The votes", texts, (), (figure,))


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


def _beside(analysis: Analysis) -> str:
    assuming = analysis.history.assuming
    return "" if assuming is None else f", if {assuming}"
