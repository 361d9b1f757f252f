"""What votes tell, as one record: the verdict, its figures, and how they are shown."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftduel._support.notebook import InNotebooks
from driftduel.verdict import groups as group_text
from driftduel.verdict import likely as likely_text
from driftduel.verdict import text
from driftduel.verdict.causes import Cause, Release
from driftduel.verdict.causes import sentences as cause_text
from driftduel.verdict.parts import clock_of, plain
from driftduel.verdict.standing import Moment, Standing
from driftduel.votes.estimates import in_period
from driftduel.votes.figures import Bar, Condorcet, Pair, Rated, Rows, Sides
from driftduel.votes.figures import plain as as_plain
from driftduel.votes.histories import History, LeaderChange
from driftduel.votes.likely.groups import MOST_GROUPS
from driftduel.votes.likely.timeline import MOST_ARMS, Timeline, timeline
from driftduel.votes.likely.why import columns_of
from driftduel.votes.log import Log
from driftduel.votes.ratings import rated
from driftduel.votes.variants import Variants

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from driftduel.votes.noise import LogMeasures


_PICTURES = "driftduel.report.analysis"
"""Who draws, by name: what is told knows nothing of that."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Analysis(InNotebooks):
    """What votes tell, as returned by `analyse`; in words by ``str``.

    Attributes
    ----------
    log : Log
        The votes.
    history : History
        Who was best when.
    present : History
        The same of the arms that are still shown; the history itself if all are.
    standing : Standing
        The verdict: who is best, since when, what changed, and what is undecided.
    panel : tuple of str
        The arms that scores are against.
    scores : polars.DataFrame
        Those of ``present`` since its latest change, without estimates where votes cannot tell.
    times : int
        How many different times the votes have.
    votes_more : int or None
        About how many more decide; 0 if it is decided, None if very many.
    doubts : dict of str to str
        By arm why its score cannot be told.
    pairs, condorcet, sides, bars
        See `driftduel.votes.figures`; ``pairs``, ``bars`` and the ``rows`` of ``ratings`` are
        data frames by ``.frame`` and ``.to_pandas()``, as ``scores`` is one.
    ties : float
        The share of ties.
    joined, left : dict of str to Moment
        First votes of arms that came late, and last votes of arms that are shown no more.
    ask_next : tuple of (str, str)
        The pairs that would tell the most.
    file : str or None
        Where the votes are from, if from files.
    only : str or None
        Which of them were asked for, in words.
    by : str or None
        The column by which they were split.
    groups : tuple of Group
        What each group tells, the largest first; all their ranges hold at once.
    drift : LogMeasures or None
        How much the votes say that tastes moved, and how much of that is noise, if asked for.
    releases : tuple of Release
        What was changed on purpose.
    variants : sequence of sequence of str
        Arms that are variants of one thing and share one weight.
    """

    log: Log
    history: History
    present: History
    standing: Standing
    panel: tuple[str, ...]
    scores: pl.DataFrame
    times: int
    votes_more: int | None
    doubts: dict[str, str]
    pairs: Rows[Pair]
    condorcet: Condorcet
    sides: Sides | None
    ties: float
    joined: dict[str, Moment]
    left: dict[str, Moment]
    bars: Rows[Bar]
    ask_next: tuple[tuple[str, str], ...]
    file: str | None = None
    only: str | None = None
    by: str | None = None
    groups: tuple[Group, ...] = ()
    drift: LogMeasures | None = None
    releases: tuple[Release, ...] = ()
    variants: Variants = ()

    @property
    def best(self) -> str | None:
        """Who is ahead; None if nobody is, or the votes cannot tell."""
        best = self.standing.best
        return None if best is None else self.log.arms[best]

    @property
    def since(self) -> Moment:
        """From when on scores count: the beginning of the latest time without a proved change."""
        return Moment.of(self.present.latest)

    @cached_property
    def likely(self) -> Timeline | None:
        """Who was likely best when, by a model that says how well it predicts; see `timeline`.

        Found when it is first asked for; None of more arms than a model follows.
        """
        if self.log.n_arms > MOST_ARMS:
            return None
        some = len(self.groups) if 2 <= len(self.groups) <= MOST_GROUPS else 0
        return timeline(self.log, groups=self.by if some else None, variants=self.variants)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Why who leads changed, if groups were asked for, or releases are known."""
        if self.likely is None or (self.by is None and not self.releases):
            return ()
        voters, questions = columns_of(self.log, self.by)
        return self.likely.causes(voters, questions, self.releases)

    @cached_property
    def ratings(self) -> Rated:
        """Bradley-Terry ratings of the latest time; found when they are first asked for."""
        stay = self.present.arms
        shown = self.log if len(stay) == self.log.n_arms else self.log.select(stay)
        return rated(in_period(shown, (self.present.latest, None)), self.history.alpha)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed when the votes were read, and what was left out."""
        chosen = () if self.only is None else (f"only votes with {self.only}",)
        return (*self.log.notes, *chosen)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What may make the votes prove less than they seem to."""
        return tuple(map(plain, text.cautions(self.standing)))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it comes to, in words: what is likely, what is proved, and what is undecided."""
        return (*self.likely_sentences, *self.proved)

    @property
    def likely_sentences(self) -> tuple[str, ...]:
        """What is likely, who was before, and what the model assumes where proofs disagree."""
        if self.likely is None:
            return ()
        return tuple(map(plain, likely_text.story(self.likely.likely, self.standing)))

    @property
    def proved(self) -> tuple[str, ...]:
        """What holds whatever drift there was: what is proved, and what is undecided."""
        return (*map(plain, text.sentences(self.standing)), *self.more_sentences)

    @property
    def more_sentences(self) -> tuple[str, ...]:
        """What was asked for beside who is best: how groups differ, and how much tastes moved."""
        told = []
        if self.by is not None:
            standings = [(group.name, group.analysis.standing) for group in self.groups]
            told.append(plain(group_text.groups(self.by, standings)))
        if self.likely is not None and self.likely.groups is not None:
            told += map(plain, self.likely.groups.sentences)
        for cause in self.causes:
            told += map(plain, cause_text(cause, clock_of(self.standing)))
        if self.likely is not None and self.likely.variants is not None:
            told.append(plain(self.likely.variants.sentence))
        if self.drift is not None:
            told.append(self.drift.beside(len(self.history.changes)))
        return tuple(told)

    def __str__(self) -> str:
        head = [" ".join(self.likely_sentences)] if self.likely is not None else []
        return "\n".join([*head, text.words(self.standing), *self.more_sentences])

    def __repr__(self) -> str:
        best = "nobody" if self.best is None else self.best
        sure = "best" if self.present.decided else "ahead"
        return f"Analysis({self.log!r}, {sure}: {best})"

    def plot(self, kind: str | None = None) -> alt.LayerChart:
        """Draw who was ahead over time, or who is ahead; needs the extra ``report``.

        Parameters
        ----------
        kind : {"likely", "time", "scores"}, optional
            How likely each arm was best over time; scores over time with bands and the changes that
            are proved; or the scores of the latest time with their ranges. Scores over time if the
            votes have more than one.

        Returns
        -------
        altair.LayerChart
            A notebook shows it; ``.save("votes.png")`` writes it.
        """
        chart: alt.LayerChart = import_module(f"{_PICTURES}_figures").chart(self, kind)
        return chart

    def save_page(self, path: str | os.PathLike[str], title: str | None = None) -> Path:
        """Write all of it as one page that opens without a network; needs the extra ``report``.

        Parameters
        ----------
        path : path
            The file to write.
        title : str, optional
            The heading of the page.

        Returns
        -------
        pathlib.Path
            The file.
        """
        page = Path(path)
        import_module(_PICTURES).write_analysis(self, page, title)
        return page

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it, with what is to be said of how votes were read.

        ``driftduel analyse FILE --json`` prints the same; docs/command-analyse-keys.md lists the
        keys.
        """
        known, log = self.standing, self.log
        copies = known.copies
        return {
            "file": self.file,
            "says": list(self.sentences),
            "cautions": list(self.cautions),
            "notes": list(self.notes),
            "votes": log.n_votes,
            "serves": log.n_serves,
            "period": [Moment.of(log.moment(float(t))).to_json() for t in log.time[[0, -1]]],
            "times": self.times,
            "arms": list(log.arms),
            "against": list(self.panel),
            "alpha": self.history.alpha,
            "assuming": self.history.assuming,
            "likely": None if self.likely is None else self.likely.to_dict(),
            "best": self.best,
            "since": None if known.since is None else known.since.to_json(),
            "decided": self.present.decided,
            "candidates": list(self.present.candidates),
            "votes_more": self.votes_more,
            "changes": [_change(one) for one in self.history.changes],
            "scores_since": self.since.to_json(),
            "scores": self.scores.to_dicts(),
            "doubts": self.doubts,
            "pairs": as_plain(self.pairs),
            "condorcet": {
                **as_plain(self.condorcet),
                "cycle": self.condorcet.cycle and list(self.condorcet.cycle),
            },
            "ratings": {
                **as_plain(self.ratings),
                "rows": list(self.ratings.rows),
                "says": list(self.ratings.says),
            },
            "side": as_plain(self.sides),
            "ties": self.ties,
            "joined": {arm: at.to_json() for arm, at in self.joined.items()},
            "left": {arm: at.to_json() for arm, at in self.left.items()},
            "copies": copies and {"next": copies.near, "apart": copies.apart},
            "votes_over_time": as_plain(self.bars),
            "ask_next": [{"first": one, "second": other} for one, other in self.ask_next],
            "by": self.by,
            "variants": [list(group) for group in self.variants],
            "groups": [group.to_dict() for group in self.groups],
            "causes": [one.to_dict(clock_of(known)) for one in self.causes],
            "drift": None if self.drift is None else self.drift.to_dict(len(self.history.changes)),
            "standing": known.to_dict(),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Group:
    """The votes of one group: what their column says, empty if nothing, and what they tell."""

    name: str
    analysis: Analysis

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it, without what is told of all votes alone."""
        told = self.analysis.to_dict()
        return {"group": self.name, **{key: told[key] for key in _OF_GROUPS}}


_OF_GROUPS = (
    "votes", "arms", "best", "since", "decided", "candidates", "votes_more", "scores", "says",
)  # fmt: skip


def _change(change: LeaderChange) -> dict[str, Any]:
    return {
        "from": change.before,
        "to": change.after,
        "from_among": list(change.before_among),
        "to_among": list(change.after_among),
        "likeliest": Moment.of(change.likeliest).to_json(),
        "earliest": Moment.of(change.earliest).to_json(),
        "latest": Moment.of(change.latest).to_json(),
        "surely_after": Moment.of(change.after_surely).to_json(),
        "surely_before": Moment.of(change.before_surely).to_json(),
    }
