"""The figure "who was best when": scores over time, who wins, and the shifts that matter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, GREY, INK, WIDTH, harmless, ink_on, stack, wrap
from driftduel.report.summary import arm_names, borda_at, day_of
from driftduel.worlds.measures.spells import Spell, spells
from driftduel.worlds.stream import Stream

if TYPE_CHECKING:
    import altair as alt

    from driftduel.worlds.measures.phases import Phases

    Panel = alt.LayerChart | alt.FacetChart
else:
    alt = drawing_library("altair")

Rows = list[dict[str, Any]]

OTHERS = "other arms"
NOBODY = "nobody"

_POINTS = 400
_MOST_SPELLS = 400
_MOST_SHIFTS = 24
_LETTER = 0.0095
"""Width of a letter in a band, as a share of the figure."""
_LABEL_GAP, _LEVELS = 0.085, 3
"""Labels of shifts that are closer than this share of the figure stand on different levels."""


def best_over_time(
    stream: Stream, phases: Phases, *, title: str, subtitle: Sequence[str] = ()
) -> alt.VConcatChart:
    """Draw the Borda scores of the arms over time, who wins, and where phases begin.

    Parameters
    ----------
    stream : Stream
        The world. With dates they are on the time axis, otherwise rounds.
    phases : Phases
        The significant phases to mark, as `driftduel.measure` returns them.
    title : str
        The title.
    subtitle : sequence of str
        Lines below the title.

    Returns
    -------
    altair.VConcatChart
        Save it with `save_figure`.
    """
    names = arm_names(stream)
    borda, condorcet = list(spells(stream, "borda")), list(spells(stream, "condorcet"))
    colours = _colours(names, borda, condorcet, phases)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    shifts = _shifts(stream, phases, names)
    scores = _scores_panel(stream, names, colours, scale, shifts)
    bands = [
        _band(stream, _spell_rows(stream, winners, names, colours, shifts), shifts, heading)
        for heading, winners in (("Borda winner", borda), ("Condorcet winner", condorcet))
    ]
    bands[-1] = bands[-1].properties(title=_caption(stream.credits))
    return harmless(stack([scores, *bands], title, subtitle, spacing=8))


def _colours(
    names: Sequence[str], borda: Sequence[Spell], condorcet: Sequence[Spell], phases: Phases
) -> dict[str, str]:
    """Return a colour for the arms that win most, in the order of their first win."""
    won: dict[int, float] = {}
    for winners, worth in ((borda, 1.0), (condorcet, 1e-3)):
        for spell in winners:
            for arm in spell.arms:
                won[arm] = won.get(arm, 0.0) + worth * (spell.end - spell.start)
    for arm in phases.run_arms:
        won[arm] = won.get(arm, 0.0) + 0.5
    if len(names) <= len(COLOURS):
        won |= {arm: 0.0 for arm in range(len(names)) if arm not in won}
    most = set(sorted(won, key=lambda arm: -won[arm])[: len(COLOURS)])
    chosen = [arm for arm in won if arm in most]
    colours = {names[arm]: colour for arm, colour in zip(chosen, COLOURS, strict=False)}
    return colours if len(colours) == len(names) else colours | {OTHERS: GREY}


def _shifts(stream: Stream, phases: Phases, names: Sequence[str]) -> Rows:
    """Return the beginnings of all phases but the first; none if they are too many to mark."""
    if phases.changes > _MOST_SHIFTS:
        return []
    rows: Rows = []
    level, before = 0, -1.0
    for start, arm in zip(phases.starts[1:].tolist(), phases.last_safe[1:], strict=True):
        day = day_of(stream, start)
        share = start / stream.horizon
        level = (level + 1) % _LEVELS if share - before < _LABEL_GAP else 0
        before = share
        rows.append(
            {
                "x": day or start,
                "round": start,
                "label": f"{start:,}" if day is None else day[:7],
                "arm": names[arm],
                "level": level,
            }
        )
    return rows


def _axis(stream: Stream, *, labels: bool, field: str = "x") -> alt.X:
    # "utc", because the browser would read a date as midnight elsewhere.
    dated = stream.span is not None
    first, last = day_of(stream, 0) or 0, day_of(stream, stream.horizon - 1) or stream.horizon
    scale = alt.Scale(type="utc" if dated else "linear", domain=[first, last], nice=False)
    axis = alt.Axis(
        title="date" if dated else "round t",
        format="%Y" if dated and _years(stream) > 3 else "%b %Y" if dated else "~s",
        grid=False,
        tickCount=14,
        labelOverlap=True,
    )
    kind: Literal["temporal", "quantitative"] = "temporal" if dated else "quantitative"
    return alt.X(field, type=kind, scale=scale, axis=axis if labels else None)


def _years(stream: Stream) -> float:
    return 0.0 if stream.span is None else (stream.span[1] - stream.span[0]).days / 365.25


def _score_rows(stream: Stream, names: Sequence[str]) -> tuple[Rows, bool]:
    """Return the scores at stretches, or at evenly spread rounds if there are too many."""
    steps = stream.n_stretches <= _POINTS
    rounds = (
        np.append(stream.starts, stream.horizon - 1)
        if steps
        else np.linspace(0, stream.horizon - 1, _POINTS).astype(np.int64)
    )
    rows = [
        {
            "x": day_of(stream, int(t)) or int(t),
            "arm": name,
            "score": None if score is None else round(score, 5),
        }
        for t, row in zip(rounds, borda_at(stream, rounds), strict=True)
        for name, score in zip(names, row, strict=True)
    ]
    return rows, steps


def _scores_panel(
    stream: Stream,
    names: Sequence[str],
    colours: dict[str, str],
    scale: alt.Scale,
    shifts: Rows,
) -> Panel:
    rows, steps = _score_rows(stream, names)
    for row in rows:
        row["colour"] = row["arm"] if row["arm"] in colours else OTHERS
    shape: Literal["step-after", "linear"] = "step-after" if steps else "linear"
    x = _axis(stream, labels=True)
    y = alt.Y(
        "score:Q",
        title="Borda score (chance to beat a random arm)",
        scale=alt.Scale(zero=False, padding=6),
        axis=alt.Axis(format="%", gridColor="#EEEEEE"),
    )
    colour = alt.Color(
        "colour:N",
        scale=scale,
        sort=list(colours),
        legend=alt.Legend(
            title="arm", titleOrient="left", orient="top", symbolType="stroke", symbolStrokeWidth=3
        ),
    )
    behind = [row for row in rows if row["colour"] == OTHERS]
    ahead = [row for row in rows if row["colour"] != OTHERS]
    lines = [
        alt.Chart(alt.InlineData(values=some))
        .mark_line(interpolate=shape, strokeWidth=width, clip=True)
        .encode(x=x, y=y, color=colour, detail="arm:N", tooltip=["arm:N", "score:Q", _when(stream)])
        for some, width in ((behind, 1.2), (ahead, 2.4))
        if some
    ]
    return alt.layer(*lines, *_rules(x, shifts, labels=True)).properties(width=WIDTH, height=320)


def _when(stream: Stream) -> str:
    return "x:Q" if stream.span is None else "x:N"


def _rules(x: alt.X, shifts: Rows, *, labels: bool) -> list[alt.Chart]:
    if not shifts:
        return []
    base = alt.Chart(alt.InlineData(values=shifts)).encode(x=x)
    texts: tuple[tuple[int, Literal["normal", "bold"], str], ...] = (
        (17, "normal", "label:N"),
        (4, "bold", "arm:N"),
    )
    rules = [base.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.3)]
    if labels:
        rules += [
            base.transform_filter(f"datum.level == {level}")
            .mark_text(
                align="left",
                baseline="bottom",
                dx=-3,
                dy=-28 * level - line,
                fontSize=12,
                fontWeight=weight,
                color=INK,
            )
            .encode(y=alt.value(0), text=text)
            for level in sorted({shift["level"] for shift in shifts})
            for line, weight, text in texts
        ]
    return rules


def _spell_rows(
    stream: Stream,
    spells: Sequence[Spell],
    names: Sequence[str],
    colours: dict[str, str],
    shifts: Rows,
) -> Rows:
    """Return the spells as coloured boxes, each labelled where no rule cuts the label."""
    rows = []
    for spell in _drawable(spells, stream.horizon):
        arm = " = ".join(names[arm] for arm in spell.arms) or NOBODY
        fill = colours.get(names[spell.arms[0]], GREY) if spell.arms else "#FFFFFF"
        last = min(spell.end, stream.horizon - 1)
        inside = [shift["round"] for shift in shifts if spell.start < shift["round"] < spell.end]
        edges = [spell.start, *inside, spell.end]
        left, right = max(pairwise(edges), key=lambda gap: gap[1] - gap[0])
        middle = (left + min(right, stream.horizon - 1)) // 2
        rows.append(
            {
                "x": day_of(stream, spell.start) or spell.start,
                "end": day_of(stream, last) or spell.end,
                "middle": day_of(stream, middle) or middle,
                "arm": arm,
                "label": arm if (right - left) / stream.horizon > _LETTER * len(arm) else "",
                "fill": fill,
                "ink": ink_on(fill),
            }
        )
    return rows


def _drawable(spells: Sequence[Spell], horizon: int) -> Sequence[Spell]:
    """Return the spells, or if there are too many those that evenly spread rounds hit."""
    if len(spells) <= _MOST_SPELLS:
        return spells
    starts = np.array([spell.start for spell in spells])
    rounds = np.linspace(0, horizon - 1, _MOST_SPELLS).astype(np.int64)
    kept = [spells[n] for n in np.unique(np.searchsorted(starts, rounds, side="right") - 1)]
    begins = [0, *(spell.start for spell in kept[1:])]
    return [
        Spell(begin, end, spell.arms)
        for begin, end, spell in zip(begins, [*begins[1:], horizon], kept, strict=True)
    ]


def _band(stream: Stream, rows: Rows, shifts: Rows, heading: str) -> Panel:
    x = _axis(stream, labels=False)
    dates = "N" if stream.span is not None else "Q"
    base = alt.Chart(alt.InlineData(values=rows))
    boxes = base.mark_rect(stroke="#FFFFFF", strokeWidth=0.5).encode(
        x=x,
        x2="end",
        color=alt.Color("fill:N", scale=None),
        tooltip=[
            alt.Tooltip("arm:N", title=heading),
            alt.Tooltip(f"x:{dates}", title="from"),
            alt.Tooltip(f"end:{dates}", title="to"),
        ],
    )
    words = base.mark_text(fontSize=12, baseline="middle").encode(
        x=_axis(stream, labels=False, field="middle"),
        y=alt.value(13),
        text="label:N",
        color=alt.Color("ink:N", scale=None),
    )
    name = (
        alt.Chart(alt.InlineData(values=[{"heading": heading}]))
        .mark_text(align="right", baseline="middle", fontSize=12, color=INK)
        .encode(x=alt.value(-6), y=alt.value(13), text="heading:N")
    )
    return alt.layer(boxes, words, *_rules(x, shifts, labels=False), name).properties(
        width=WIDTH, height=26
    )


def _caption(notices: Sequence[str]) -> alt.TitleParams:
    return alt.TitleParams(
        wrap(notices, 150),
        orient="bottom",
        anchor="start",
        fontSize=11,
        fontWeight="normal",
        color=INK,
        offset=10,
    )
