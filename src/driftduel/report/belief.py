"""The figure "what it believed": arms in play, replays and episodes of one run beside the truth.

Who is in play and whom the learner would pick is what was seen at the moments of the run: a learner
may drop an arm and take it back many times between two evictions that it notes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from driftduel.report.extra import drawing_library
from driftduel.report.figures import COLOURS, TRUTH, WIDTH, check_kind, harmless
from driftduel.report.regret import MOST_MARKS, time_axis

if TYPE_CHECKING:
    import altair as alt

    from driftduel.experiments.simulation import Run
    from driftduel.report.regret import Panel
    from driftduel.worlds.measures.spells import Spell
else:
    alt = drawing_library("altair")

MOST_ROWS = 16
"""Rows of the figure; of more arms those are shown that were best, or in play, longest."""

LENGTHS = 3
"""Replays are drawn of this many lengths, the longest, a row each; the others are but dots."""

_MOST_SPELLS = 3000

_BEST, _IN_PLAY, _PICK, _REPLAY = "truly best", "in play", "would pick", "replay"
_EPISODE, _CHANGE = "new episode", "true change"
_COLOURS = {
    _BEST: COLOURS[2],
    _IN_PLAY: COLOURS[5],
    _PICK: COLOURS[0],
    _REPLAY: COLOURS[1],
    _EPISODE: COLOURS[3],
    _CHANGE: TRUTH,
}
_STEP = 24


@dataclass(frozen=True)
class Belief:
    """What one run held to be true, and what was.

    Attributes
    ----------
    arms : sequence of str
        Names of the arms.
    horizon : int
        Number of rounds.
    episodes : sequence of int
        The rounds at which episodes began, the first 0.
    replays : sequence of (int, int)
        First rounds and lengths.
    best : sequence of Spell
        Which arms were best when.
    changes : sequence of int
        The rounds at which the world changed.
    in_play, picks : sequence of (int, int, int)
        Arms, first rounds and ends: who was in play, and whom the learner would have picked.
    """

    arms: Sequence[str]
    horizon: int
    episodes: Sequence[int]
    replays: Sequence[tuple[int, int]]
    best: Sequence[Spell]
    changes: Sequence[int] = ()
    in_play: Sequence[tuple[int, int, int]] = ()
    picks: Sequence[tuple[int, int, int]] = ()

    def long_replays(self) -> dict[int, list[tuple[int, int]]]:
        """Return the stretches of the longest replays by their length.

        A new episode ends the replays under way.

        Examples
        --------
        >>> belief = Belief("ab", 100, [0, 50], [(10, 8), (45, 16), (70, 8)], [])
        >>> belief.long_replays()
        {16: [(45, 50)], 8: [(10, 19), (70, 79)]}
        """
        lengths = sorted({length for _, length in self.replays}, reverse=True)[:LENGTHS]
        ends = [*self.episodes[1:], self.horizon]
        return {
            wanted: [
                (start, min(start + length + 1, ends[bisect_right(ends, start)]))
                for start, length in self.replays
                if length == wanted
            ]
            for wanted in lengths
        }

    def shown(self) -> list[int]:
        """Return the arms to draw, in their order."""
        if len(self.arms) <= MOST_ROWS:
            return list(range(len(self.arms)))
        worth = dict.fromkeys(range(len(self.arms)), 0)
        for arm, begin, end in self.in_play:
            worth[arm] += end - begin
        for spell in self.best:
            for arm in spell.arms:
                worth[arm] += (spell.end - spell.start) * 1000
        return sorted(sorted(worth, key=lambda arm: -worth[arm])[:MOST_ROWS])


def timeline(run: Run) -> Panel:
    """Draw what a learner believed in a run, arm by arm, against the truth.

    Parameters
    ----------
    run : Run
        What `driftduel.simulate` returns, of a learner with episodes such as MetaBosse.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import driftduel as dd
    >>> world = dd.Stream.piecewise(
    ...     [[[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.1], [0.9, 0.5]]], [0, 500], 1000
    ... )
    >>> chart = timeline(dd.simulate(dd.MetaBosse(2, 1000), world))
    >>> chart.title.text
    'What MetaBosse believed, seed 0'
    """
    from driftduel.experiments.simulation import Run
    from driftduel.report.summary import arm_names
    from driftduel.worlds.measures.spells import spells

    check_kind(run, "run", Run, "what driftduel.simulate returns")
    stream = run.stream
    condorcet = run.learner.criterion.name == "condorcet"
    belief = Belief(
        arms=arm_names(stream),
        horizon=stream.horizon,
        episodes=run.episodes,
        replays=[(replay.start, replay.length) for replay in run.replays],
        best=list(spells(stream, "condorcet" if condorcet else "borda")),
        changes=stream.starts[1:].tolist(),
        in_play=run.in_play(),
        picks=run.picked(),
    )
    title = f"What {type(run.learner).__name__} believed, seed {run.seed}"
    chart = belief_chart(belief).properties(title=alt.TitleParams(title, anchor="start"))
    return harmless(chart)


def belief_chart(belief: Belief) -> Panel:
    """Draw a belief: a row for each arm, one for the replays, lines for episodes and changes."""
    shown = belief.shown()
    names = [belief.arms[arm] for arm in shown]
    again = {f"replay {n:,}": spans for n, spans in belief.long_replays().items()}
    x = time_axis(belief.horizon)
    y = alt.Y(
        "row:N",
        title=None,
        scale=alt.Scale(domain=[*names, *again], paddingInner=0.1),
        axis=alt.Axis(labelLimit=180, domain=False, ticks=False, grid=True),
    )
    best = [
        (belief.arms[arm], spell.start, spell.end)
        for spell in belief.best[:_MOST_SPELLS]
        for arm in spell.arms
        if arm in shown
    ]
    play = [(belief.arms[arm], begin, end) for arm, begin, end in belief.in_play if arm in shown]
    picks = [(belief.arms[arm], begin, end) for arm, begin, end in belief.picks if arm in shown]
    changes = belief.changes if len(belief.changes) <= MOST_MARKS else ()
    drawn: dict[str, Sequence[Any]] = {
        _BEST: best,
        _IN_PLAY: play,
        _PICK: picks,
        _REPLAY: [*again],
        _EPISODE: belief.episodes[1:],
    }
    drawn[_CHANGE] = changes
    colour = _colour([what for what, rows in drawn.items() if rows])
    return alt.layer(
        _bars(best, _BEST, x, y, colour, size=_STEP - 4, opacity=0.45),
        _bars(play, _IN_PLAY, x, y, colour, size=10, opacity=1),
        _bars(picks, _PICK, x, y, colour, size=10, opacity=1),
        _bars(
            [(row, begin, end) for row, spans in again.items() for begin, end in spans],
            *(_REPLAY, x, y, colour),
            size=12,
            opacity=0.8,
        ),
        _rules(changes, _CHANGE, x, colour, [5, 4]),
        _rules(belief.episodes[1 : 1 + 10 * MOST_MARKS], _EPISODE, x, colour, [1, 0]),
    ).properties(width=WIDTH, height=_STEP * (len(names) + len(again)))


def _bars(
    spans: Iterable[tuple[str, int, int]],
    what: str,
    x: alt.X,
    y: alt.Y,
    colour: alt.Color,
    **mark: Any,
) -> alt.Chart:
    rows = [
        {"row": row, "round": begin, "end": end, "last": end - 1, "what": what}
        for row, begin, end in spans
    ]
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(**mark, clip=True)
        .encode(
            x=x,
            x2="end",
            y=y,
            color=colour,
            tooltip=[
                alt.Tooltip("row:N", title=what),
                alt.Tooltip("round:Q", title="from", format=","),
                alt.Tooltip("last:Q", title="to", format=","),
            ],
        )
    )


def _rules(
    rounds: Sequence[int], what: str, x: alt.X, colour: alt.Color, dash: list[int]
) -> alt.Chart:
    rows = [{"round": int(start), "what": what} for start in rounds]
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rule(strokeDash=dash, strokeWidth=2)
        .encode(x=x, color=colour, tooltip=[alt.Tooltip("round:Q", title=what, format=",")])
    )


def _colour(kinds: Sequence[str]) -> alt.Color:
    return alt.Color(
        "what:N",
        scale=alt.Scale(domain=[*kinds], range=[_COLOURS[kind] for kind in kinds]),
        legend=alt.Legend(
            title=None,
            orient="bottom",
            direction="horizontal",
            columns=WIDTH // 130,
            symbolType="square",
            symbolOpacity=1,
            symbolStrokeWidth=0,
        ),
    )
