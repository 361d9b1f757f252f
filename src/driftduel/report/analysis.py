"""The page on a file of votes: who is best, since when, how sure, and what to ask next.

It is written for people who never heard of bandits; the last section is for those who did.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from driftduel._support.files import replacing
from driftduel._support.text import count, listing, number
from driftduel.report.document import Figure
from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, TRUTH, WIDTH, line_legend, theme, unchecked
from driftduel.report.page import responsive
from driftduel.report.tables import Column, Table
from driftduel.report.templates import write_html
from driftduel.votes.estimates import ASSUMPTIONS
from driftduel.votes.histories import said
from driftduel.votes.sentences import steps_of

if TYPE_CHECKING:
    from driftduel.votes.analyses import Analysis

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
    data = analysis.data
    with unchecked():
        sections = [
            _leaderboard(analysis),
            _over_time(analysis),
            _pairs(data),
            _rated(data),
            _voters(data),
            _next(data),
            _for_experts(analysis),
        ]
        figures = [figure for section in sections for figure in section.figures]
        specs = {figure.name: responsive(figure) for figure in figures}
    begin, end = map(_said, data["period"])
    with replacing(file) as temporary:
        write_html(
            temporary,
            "analysis.html.j2",
            title=title,
            facts=f"{count(data['votes'], 'vote')} on {len(data['arms'])} arms, {begin} to {end}",
            findings=[*analysis.sentences, *(f"About the file: {note}." for note in notes)],
            sections=sections,
            notices=analysis.log.credits,
            themes={"light": theme(), "dark": theme(dark=True)},
            specs=specs,
        )


def _leaderboard(analysis: Analysis) -> Section:
    data = analysis.data
    frame = pl.DataFrame(data["scores"], schema=analysis.present.scores.schema)
    since = f"since {_said(data['scores_since'])}" if data["changes"] else "over all votes"
    against = (
        f"an arm drawn from {listing(data['against'])}, the others"
        if len(data["against"]) < len(data["arms"])
        else "another arm, each as likely"
    )
    table = Table.of(
        frame,
        [
            Column("arm", "arm"),
            Column("score_against_others", "wins", "{:.1%}".format),
            Column(("low_against_others", "high_against_others"), "proved", _range),
            Column("votes", "votes", "{:,}".format),
        ],
        name="leaderboard",
        title="Who is ahead",
        caption=f"Share of votes won against {against}, {since}. All ranges hold at once with "
        f"{1 - data['alpha']:.3g}{_beside(data)}.",
        strong=frozenset(n for n, arm in enumerate(frame["arm"]) if arm in data["candidates"]),
    )
    texts = (f"In bold: who may be best. {_who_may(data)}",)
    return Section("who-is-ahead", "Who is ahead", texts, (table,), (_ranges(frame, data),))


def _who_may(data: dict[str, Any]) -> str:
    if data["decided"]:
        return "All others are proved to be behind."
    return f"The votes do not prove who of {listing(data['candidates'])} is best."


def _ranges(frame: pl.DataFrame, data: dict[str, Any]) -> Figure:
    alt = drawing_library("altair")
    names = ("arm", "score_against_others", "low_against_others", "high_against_others")
    rows = frame.select(names).to_dicts()
    order = frame["arm"].to_list()
    y = alt.Y("arm:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    scale = alt.Scale(domain=[0, 1])
    percent = alt.Axis(format="%", title="votes won against the others")
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=y)
    bars = base.mark_rule(strokeWidth=4, color=COLOURS[0], opacity=0.6).encode(
        x=alt.X("low_against_others:Q", scale=scale, axis=percent), x2="high_against_others:Q"
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
        + "; ".join(f"{row['arm']} {_percent(row['score_against_others'])}" for row in rows),
        chart,
    )


def _range(low: float, high: float) -> str:
    """Return a range in whole numbers that holds it, as the sentences do."""
    return f"{math.floor(100 * low)}% to {math.ceil(100 * high)}%"


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"


def _over_time(analysis: Analysis) -> Section:
    data, past = analysis.data, analysis.history
    if past.changes:
        texts = [f"{change}." for change in past.changes]
        texts.append(
            "Between and after these, others may have led for a while: what is not listed is not "
            "proved, and not ruled out."
        )
    else:
        texts = ["No change of who is best is proved."]
    if past.assuming is not None:
        texts.append(f"All this holds if {past.assuming}.")
    tables: tuple[Table, ...] = ()
    if past.changes:
        moments = ("likeliest", "earliest", "latest", "surely_after", "surely_before")
        frame = pl.DataFrame(
            [
                dict(zip(("from", "to"), change.names, strict=True))
                | {key: _said(row[key]) for key in moments}
                for change, row in zip(past.changes, data["changes"], strict=True)
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
                caption=f"Of logs in which nothing changes {data['alpha']:.3g} at most show a "
                "change here. In brackets: who else may have been best then.",
            ),
        )
    return Section("over-time", "Who was best when", tuple(texts), tables, (_bands(analysis),))


def _bands(analysis: Analysis) -> Figure:
    alt = drawing_library("altair")
    past, data = analysis.history, analysis.data
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
    moments = [{"x": _json(change["likeliest"])} for change in data["changes"]]
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
        f"{1 - data['alpha']:.3g}{_beside(data)}."
        + (
            " Dashed: the likeliest moment of each proved change, if it came at once."
            if moments
            else ""
        ),
        f"Scores over time of {listing(lines)}, with bands.",
        alt.layer(*parts).properties(width=WIDTH, height=300),
    )


def _said(moment: float | str) -> str:
    return moment if isinstance(moment, str) else number(moment)


def _json(moment: object) -> object:
    """Return a moment as figures take it; a time of day without a zone would be the reader's."""
    if isinstance(moment, float):
        return moment
    text = moment if isinstance(moment, str) else said(moment)  # type: ignore[arg-type]
    return f"{text.replace(' ', 'T')}Z" if " " in text else text


def _pairs(data: dict[str, Any]) -> Section:
    frame = pl.DataFrame(
        data["pairs"],
        schema_overrides={"share": pl.Float64, "low": pl.Float64, "high": pl.Float64},
    ).sort("votes", descending=True, maintain_order=True)
    table = Table.of(
        frame,
        [
            Column("first", "arm"),
            Column("second", "against"),
            Column("votes", "votes in all", "{:,}".format),
            Column("votes_since", "votes of late", "{:,}".format),
            Column("share", "won by the first", "{:.0%}".format),
            Column(("low", "high"), "proved", _range),
        ],
        name="pairs",
        title="Every pair",
        caption=f"Of late: since {_said(data['scores_since'])}. Ties count half. The ranges of all "
        f"pairs hold at once with {1 - data['alpha']:.3g} if tastes stayed the same since then.",
    )
    return Section("pairs-of-arms", "Who beats whom", (_cycles(data),), (_matrix(data), table))


def _matrix(data: dict[str, Any]) -> Table:
    """Return who won how much against whom, best arms first."""
    order = [row["arm"] for row in data["scores"]]
    order += [arm for arm in data["arms"] if arm not in order]
    shown = order[:_MOST_SQUARE]
    cells = {arm: dict.fromkeys(shown, "") for arm in shown}
    for pair in data["pairs"]:
        first, second, votes = pair["first"], pair["second"], pair["votes_since"]
        if first in cells and second in cells and pair["share"] is not None:
            star = "*" if pair["low"] > 0.5 or pair["high"] < 0.5 else ""
            cells[first][second] = f"{pair['share']:.0%}{star} of\N{NO-BREAK SPACE}{votes:,}"
            cells[second][first] = f"{1 - pair['share']:.0%}{star} of\N{NO-BREAK SPACE}{votes:,}"
    frame = pl.DataFrame(
        [{"": arm} | {other: cells[arm][other] for other in shown} for arm in shown]
    )
    more = f" The first {_MOST_SQUARE} of {len(order)}." if len(order) > _MOST_SQUARE else ""
    return Table.of(
        frame,
        [Column("", "of votes against"), *(Column(arm, f"{arm} ") for arm in shown)],
        name="matrix",
        title="Who won against whom",
        caption=f"Share of the votes that the arm of the row won against that of the column, and "
        f"how many they were since {_said(data['scores_since'])}. With a star: proved to be more, "
        f"or less, than half.{more}",
    )


def _rated(data: dict[str, Any]) -> Section:
    found = data["ratings"]
    texts = [
        "Many leaderboards give every arm one number, as chess does (Elo, Bradley-Terry): who has "
        "400 points more wins 10 of 11 votes. Here they stand beside the shares above, which need "
        "no such rule.",
        *found["says"],
    ]
    if not found["rows"]:
        return Section("ratings", "Ratings", tuple(texts))
    first = found["rows"][0]["arm"]
    if data["best"] is not None and first != data["best"]:
        texts.append(
            f"By ratings {first} is first, by the share of votes won {data['best']}: ratings count "
            "who was beaten in what was shown, shares count every opponent alike."
        )
    table = Table.of(
        pl.DataFrame(found["rows"]),
        [
            Column("arm", "arm"),
            Column("rating", "rating", "{:.0f}".format),
            Column(("low", "high"), "range", "{:.0f} to {:.0f}".format),
        ],
        name="ratings",
        title="Ratings",
        caption=f"Since {_said(data['scores_since'])}; 1000 is the mean. Ranges hold at once with "
        f"about {1 - data['alpha']:.3g}, looked at once, if Bradley-Terry is true, tastes stayed "
        "the same and who met whom did not depend on the votes.",
    )
    return Section("ratings", "Ratings", tuple(texts), (table,))


def _cycles(data: dict[str, Any]) -> str:
    found = data["condorcet"]
    if found["cycle"]:
        return f"{_who_beats(data)} A cycle is proved: {steps_of(found['cycle'])}."
    return _who_beats(data)


def _who_beats(data: dict[str, Any]) -> str:
    found = data["condorcet"]
    if found["proved"]:
        return f"{found['winner']} beats every other arm: that is proved."
    if found["proved_none"]:
        return (
            "Nobody beats every other arm: each is proved to lose to some other. Who is best then "
            "depends on what best means; here it is who wins most against all."
        )
    if found["winner"] is not None:
        return f"{found['winner']} won more votes than it lost against every other arm; not proved."
    return "Nobody won more votes than it lost against every other arm; that may be chance."


def _side(side: dict[str, Any] | None) -> Iterator[str]:
    """Yield what the side does, where it is known who was shown left."""
    if side is None:
        return
    taste = "A taste for a side is not proved."
    found = side["taste"]
    if found is None and (side["low"] > 0.5 or side["high"] < 0.5):
        taste = "That may be a taste for a side, or strong arms are shown on one side more often."
    elif found is not None and (found["low"] > 0 or found["high"] < 0):
        where = "left" if found["points"] > 0 else "right"
        taste = (
            f"The same arm wins {200 * abs(found['points']):.0f} votes of 100 more on the {where} "
            "than on the other side: that is a taste for a side."
        )
    yield (
        f"The arm shown left won {side['left_share']:.1%} of the votes (proved: "
        f"{side['low']:.1%} to {side['high']:.1%}). {taste}"
    )


def _voters(data: dict[str, Any]) -> Section:
    alt = drawing_library("altair")
    texts = (*_side(data["side"]), f"{data['ties']:.1%} of the votes are ties.")
    bars = [{**bar, "begin": _json(bar["begin"])} for bar in data["votes_over_time"]]
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


def _next(data: dict[str, Any]) -> Section:
    if not data["ask_next"]:
        text = "Nothing needs to be asked to know who is best; ask on to notice when that changes."
        if data["best"] is None:
            text = "Show every pair, in both orders."
        return Section("ask-next", "What to show next", (text,))
    pairs = [f"{pair['first']} with {pair['second']}" for pair in data["ask_next"]]
    text = f"These pairs would tell the most about who is best: {listing(pairs)}."
    return Section("ask-next", "What to show next", (text,))


def _for_experts(analysis: Analysis) -> Section:
    data = analysis.data
    mixture = "votes are weighted by them, and bounds are those of a mixture of supermartingales"
    how = "Means of pairs are weighted, with Hoeffding's inequality given who met whom. That "
    if data["assuming"] is None:
        how = f"The log has propensities: {mixture}, whatever drift there was and however pairs "
        how += "were chosen."
    else:
        if data["assuming"] == ASSUMPTIONS["uniform"]:
            how = f"Propensities are taken to be all the same: {mixture}. That "
        how += f"assumes that {data['assuming']}."
    return Section(
        "for-experts",
        "For those who know bandits",
        (
            "Best is the weighted Borda winner; the reference weight is uniform on "
            f"{listing(data['against'], most=20)}.",
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


def _beside(data: dict[str, Any]) -> str:
    return "" if data["assuming"] is None else f", if {data['assuming']}"
