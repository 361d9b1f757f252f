"""`timeline`: the likely story of a log with names and dates: tables, sentences and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel.matrix.criteria import Condorcet, Criterion, as_criterion
from driftduel.verdict import likely as words
from driftduel.verdict.causes import Cause, Release
from driftduel.verdict.likely import Likely
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import Moment
from driftduel.votes.estimates import reference_weight
from driftduel.votes.likely.bins import Floats
from driftduel.votes.likely.groups import Groups, groups_of
from driftduel.votes.likely.story import Prediction, Record, Story, tell
from driftduel.votes.likely.telling import Telling
from driftduel.votes.likely.variants import Counted, counted
from driftduel.votes.likely.why import why_each
from driftduel.votes.log import Log
from driftduel.votes.variants import Variants, places_of

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_LIKELY = 0.5

MOST_ARMS = 300
"""Arms whose strengths are followed together."""


@dataclass(frozen=True, eq=False, repr=False)
class Timeline:
    """Who was likely best when, as returned by `timeline`; in words by ``str``.

    Attributes
    ----------
    log : Log
        The votes.
    story : Story
        The same by places of arms and bins, with the samples that everything is counted from.
    groups : Groups or None
        What groups of voters say, if they were asked for.
    variants : Counted or None
        Who is best if variants of one thing count as one, if some are named and on offer.
    """

    log: Log
    story: Story
    groups: Groups | None = None
    variants: Counted | None = None

    @property
    def best(self) -> str:
        """Who is most likely best now."""
        return self.log.arms[self.story.now]

    @property
    def probability(self) -> float:
        """How likely that is."""
        return float(self.story.p_best[-1, self.story.now])

    @property
    def since(self) -> tuple[Moment, Moment]:
        """Between which moments it took over for the last time, with 95 %."""
        return self.likely.earliest, self.likely.latest

    @property
    def prediction(self) -> Prediction:
        """The mean log loss of a vote by the model, by all votes alike, and by a coin."""
        return self.story.prediction

    @property
    def record(self) -> tuple[Record, ...]:
        """What became of what the model said of votes it had not seen."""
        return self.story.record

    @cached_property
    def telling(self) -> Telling:
        """The story with names and moments."""
        log = self.log
        return Telling(
            self.story, log.arms, lambda at: Moment.of(log.moment(at)), log.timed, log.n_votes
        )

    @property
    def likely(self) -> Likely:
        """The record that sentences are made from."""
        return self.telling.likely

    @property
    def p_best(self) -> pl.DataFrame:
        """P(best) by time and arm, of those on offer: columns from, to, arm, probability."""
        return self._long({"probability": self.story.p_best})

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The chance to beat another arm on offer, by time and arm, with its 95 % band."""
        bands = np.stack([self.story.bands_in(b) for b in range(len(self.story.bins))])
        return self._long({"score": bands[:, 0], "low": bands[:, 1], "high": bands[:, 2]})

    @property
    def leaders(self) -> pl.DataFrame:
        """Who was likely best when: from, to, arm, probability, and the range of each take-over."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "arm": self.log.arms[era.option],
                    "from": era.since.value,
                    "to": era.until.value,
                    "probability": era.probability,
                    "took_over": era.took_over,
                    "earliest": era.earliest.value,
                    "latest": era.latest.value,
                }
                for era in self.likely.eras
            ]
        )

    @property
    def beats(self) -> pl.DataFrame:
        """How likely one arm is stronger than another now: first, second, probability."""
        import polars as pl

        told, arms = self.story.p_beats(), self.log.arms
        rows = [
            (arms[i], arms[j], float(told[i, j]))
            for i in range(len(arms))
            for j in range(len(arms))
            if i != j and self.story.bins.offered[-1, [i, j]].all()
        ]
        return pl.DataFrame(rows, schema=["first", "second", "probability"], orient="row")

    @property
    def ever_best(self) -> dict[str, float]:
        """How likely each arm was the best of those on offer at some time."""
        return dict(zip(self.log.arms, map(float, self.story.ever_best), strict=True))

    def still_best(self, votes: float) -> float:
        """Return how likely whoever is best now still is after so many more votes, at this rate.

        By strengths alone, whoever joins or leaves; effects of pairs do not count.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> left, right = np.zeros(300, int), np.ones(300, int)
        >>> log = Log(["tea", "milk"], np.arange(300), left, right, rng.random(300) < 0.7)
        >>> found = timeline(log)
        >>> found.still_best(0), found.still_best(100) > 0.9
        (1.0, True)
        """
        if not votes >= 0:
            raise ValueError(f"votes is {votes!r}, must be 0 or more")
        return self.story.still_best(votes / self.log.n_votes)

    def causes(
        self,
        voters: Sequence[str] = (),
        questions: Sequence[str] = (),
        releases: Sequence[Release] = (),
    ) -> tuple[Cause, ...]:
        """Return why who leads changed, for each change that is more likely than not.

        Parameters
        ----------
        voters, questions : sequence of str
            Columns of ``log.extras`` that say of which kind the voter was, and what was asked.
        releases : sequence of Release
            What was changed on purpose: `driftduel.votes.Release`.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> left, right = np.zeros(2_000, int), np.ones(2_000, int)
        >>> won = rng.random(2_000) < np.where(np.arange(2_000) < 1_000, 0.7, 0.3)
        >>> (cause,) = timeline(Log(["tea", "milk"], np.arange(2_000), left, right, won)).causes()
        >>> cause.before, cause.after, cause.probability["voters"]
        ('tea', 'milk', 0.0)
        """
        return why_each(
            self.log, self.likely_changes, voters=voters, questions=questions, releases=releases
        )

    @property
    def likely_changes(self) -> list[tuple[float, float, tuple[str, str]]]:
        """Changes of the leader that are more likely than not: earliest, latest, who led."""
        story, names = self.story, self.log.arms
        return [
            (
                float(story.bins.first[era.start[0]]),
                float(story.bins.last[min(era.start[1], len(story.bins) - 1)]),
                (names[before.arm], names[era.arm]),
            )
            for before, era in pairwise(story.eras)
            if era.took_over >= _LIKELY
        ]

    def best_by(
        self,
        criterion: Criterion | str | None = None,
        *,
        panel: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """Return P(best) by time and arm where best means something else.

        Parameters
        ----------
        criterion : Criterion or str, optional
            `Weighted`, "borda" (all arms ever, whether on offer or not) or "condorcet": who is
            stronger than each other arm on offer. Of some moments there is no such arm.
        panel : sequence of str, optional
            The arms that scores are against, in place of a criterion.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> left, right = np.zeros(300, int), np.ones(300, int)
        >>> log = Log(["tea", "milk"], np.arange(300), left, right, rng.random(300) < 0.7)
        >>> timeline(log).best_by("condorcet").columns
        ['from', 'to', 'arm', 'probability']
        """
        if (criterion is None) == (panel is None):
            raise ValueError("best_by: give a criterion or a panel, one of them")
        story, k = self.story, self.log.n_arms
        found = np.zeros((len(story.bins), k))
        if panel is not None:
            for name in panel:
                if name not in self.log.arms:
                    raise ValueError(
                        f"panel: {name!r} is not in the log, known are: {', '.join(self.log.arms)}"
                    )
            weight = np.isin(self.log.arms, list(panel)) / len(set(panel))
        else:
            assert criterion is not None
            criterion = as_criterion(criterion)
            if isinstance(criterion, Condorcet):
                for b in range(len(story.bins)):
                    there = story.bins.offered[b]
                    beaten = (story.chances_in(b) < 0.5)[:, :, there].any(axis=2) | ~there
                    found[b] = (~beaten).mean(axis=0)
                return self._long({"probability": found})
            weight = reference_weight(criterion, k)
        for b in range(len(story.bins)):
            best = story.scores_in(b, weight).argmax(axis=1)
            found[b] = np.bincount(best, minlength=k) / len(best)
        return self._long({"probability": found})

    def best_during(self, start: Any, end: Any) -> dict[str, float]:
        """Return how likely each arm was the best on average between two moments, both included.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> left, right = np.zeros(300, int), np.ones(300, int)
        >>> log = Log(["tea", "milk"], np.arange(300), left, right, rng.random(300) < 0.7)
        >>> timeline(log).best_during(100, 200)["tea"] > 0.95
        True
        """
        low, high = (float(self.log.as_times([at])[0]) for at in (start, end))
        bins = self.story.bins
        inside = np.flatnonzero((bins.last >= low) & (bins.first <= high))
        if not len(inside):
            raise ValueError(f"best_during: there are no votes between {start} and {end}")
        mean = self.story.samples[:, inside, : self.log.n_arms].mean(axis=1)
        best = np.where(bins.offered[inside].any(axis=0), mean, -np.inf).argmax(axis=1)
        shares = np.bincount(best, minlength=self.log.n_arms) / len(best)
        return dict(zip(self.log.arms, map(float, shares), strict=True))

    def plot(self) -> alt.LayerChart:
        """Draw P(best) over time as coloured bands; needs the extra ``report``."""
        chart: alt.LayerChart = import_module("driftduel.report.likely").chart(self)
        return chart

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it comes to, in words."""
        told = [*words.sentences(self.likely), *(self.groups.sentences if self.groups else ())]
        told += [] if self.variants is None else [self.variants.sentence]
        return tuple(map(plain, told))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        data = {"says": list(self.sentences), **self.telling.to_dict()}
        if self.variants is not None:
            data["variants"] = self.variants.to_dict()
        return data if self.groups is None else data | {"groups": self.groups.to_dict()}

    def __str__(self) -> str:
        return " ".join(self.sentences)

    def __repr__(self) -> str:
        return f"Timeline({self.log!r}: {self.best} {self.probability:.0%})"

    def _long(self, columns: dict[str, Floats]) -> pl.DataFrame:
        import polars as pl

        bins = self.story.bins
        when, arm = np.nonzero(bins.offered)
        begin = [self.telling.start_of(b).value for b in range(len(bins))]
        end = [self.telling.end_of(b).value for b in range(len(bins))]
        return pl.DataFrame(
            {
                "from": [begin[b] for b in when],
                "to": [end[b] for b in when],
                "arm": [self.log.arms[k] for k in arm],
                **{name: values[when, arm] for name, values in columns.items()},
            }
        )


def timeline(
    log: Log,
    *,
    groups: str | None = None,
    variants: Variants = (),
    samples: int | None = None,
    seed: int = 0,
) -> Timeline:
    """Tell who was likely best when, from a model that is honest about being one.

    Strengths of arms drift and jump; how much is found from how well it predicts votes that are yet
    to come. What is *proved* is `driftduel.history`, which assumes less and tells less.

    Parameters
    ----------
    log : Log
        The votes. How pairs were chosen does not matter.
    groups : str, optional
        A column of ``log.extras`` with the group of each vote, as a language or a context: whether
        groups differ, and how. ``"returning"`` looks, if there is a column of voters, at votes of
        new voters (on their first day; without dates in their first ten votes) beside others.
    variants : sequence of sequence of str, optional
        Arms that are variants of one thing, as ``[["tea 1", "tea 2"]]``: who is best now if these
        count as one, and whether copies decide.
    samples : int, optional
        How many trajectories are drawn; some hundreds if left out.
    seed : int
        Of the draws. The same votes have the same story.

    Examples
    --------
    Tea is best for 450 votes, then milk:

    >>> rng = np.random.default_rng(0)
    >>> left = rng.integers(3, size=900)
    >>> right = (left + rng.integers(1, 3, size=900)) % 3
    >>> best = np.arange(900) // 450
    >>> outcome = rng.random(900) < 0.5 + 0.25 * ((left == best) - 1.0 * (right == best))
    >>> log = Log(["tea", "milk", "water"], np.arange(900), left, right, outcome)
    >>> found = timeline(log)
    >>> found.best, found.leaders["arm"].to_list()
    ('milk', ['tea', 'milk'])
    >>> print(found.sentences[0])
    milk is very likely best now (98%), since about time 460 (between time 390 and time ...
    """
    votes = log.votes
    places = places_of(variants, log.arms)
    if log.n_arms > MOST_ARMS:
        raise ValueError(
            f"the log has {log.n_arms:,} arms, a timeline can have {MOST_ARMS}; select some of them"
        )
    told = tell(
        votes.left,
        votes.right,
        votes.outcome,
        votes.time,
        log.n_arms,
        count=votes.count,
        dated=votes.dated,
        sides=votes.sides,
        samples=samples,
        seed=seed,
    )
    grouped = None if groups is None else groups_of(votes, groups, told, seed)
    return Timeline(log, told, grouped, counted(told, log.arms, places) if places else None)
