"""What any learner can say of itself, in plain words and as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from driftduel._support.notebook import InNotebooks
from driftduel.learners.contract.history import Activation, Eviction
from driftduel.verdict import standing as verdict
from driftduel.verdict import text
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import Moment, Option, Reset, SetAside, Standing
from driftduel.verdict.successors import with_successors

Event = TypeVar("Event", Eviction, Activation)


@dataclass(frozen=True)
class Change:
    """A change of the world that was proved.

    Attributes
    ----------
    noticed : int
        The round at which a new episode began.
    around : int
        The round at which the world seems to have changed.
    before, after : int
        Who was best before, and who took over.
    earliest, latest : int or None
        The round with which the new tastes began is one of these or lies between them with 95 %
        (a credible range, see `driftduel.learners.parts.dates`); None if the learner does not know.
    """

    noticed: int
    around: int
    before: int
    after: int
    earliest: int | None = None
    latest: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(InNotebooks):
    """What a learner makes of the votes so far; `str` tells it in plain words.

    What it does not know is None. Learners that know more say more.

    Attributes
    ----------
    names : tuple of str
        The labels of the arms, or their numbers.
    rounds : int
        How many outcomes were told.
    best : int
        The arm that the learner would pick now; whether it is best is another question.
    active : tuple of int
        The arms in play; the others are set aside for now, or have left.
    offered : tuple of int or None
        The arms on offer, if some have left.
    episodes : tuple of int
        The rounds at which episodes began; the first is 0.
    evictions : tuple of Eviction
        Of each arm that is set aside the last one: behind whom, by how much, and when.
    activations : tuple of Activation
        Of each arm the last time that it came back into play, if any.
    unit : str
        What a round is called: a round, or for a poll a vote.
    since : int or None
        The round since which ``best`` leads.
    before : int or None
        Who led before, if that was for some time.
    probabilities : tuple of float or None
        How likely each arm is the best.
    scores : tuple of float or None
        The share of duels that each arm won against the others, for Condorcet against the best;
        None without duels. Duels of an arm with itself never count.
    intervals : tuple of (float, float) or None
        An interval for the score of each arm. All of them hold at every moment with ``level``, if
        scores are constant since ``counted_since``; otherwise they are about the average of these
        duels.
    duels : tuple of int or None
        How many duels these are from: those with an opponent drawn at random, so that the choice
        of opponents does not matter.
    counted_since : int or None
        The round since which they count; nothing before a proved change does.
    level : float or None
        The probability that nothing proved here is ever wrong, from the first round to the last.
    scored_against : str or None
        "the others" or "the best".
    decided : bool or None
        Whether ``front`` is proved to be best of all on offer but those ``apart``, on average
        since ``counted_since``; see `driftduel.votes.proof.decided`. For Condorcet, whether the
        intervals of all others lie below 1/2, and each has 30 duels.
    front : int or None
        The arm that is judged so: ``best``, or if that is apart the best of the others.
    apart : tuple of int
        Arms that came later and have too few duels to be judged.
    rivals : tuple of int
        To whom it is not proved, the likeliest first.
    missing : float or None
        About how many more rounds decide, infinite if rounds such as these hardly would; None if
        that is not known.
    missing_between : tuple of float or None
        The range in which that lies in four of five cases, about.
    changes : tuple of Change or None
        The latest changes of the world that are proved, in order.
    doubt : int or None
        The round around which the world may have changed once more, which is not proved yet.
    """

    names: tuple[str, ...]
    rounds: int
    best: int
    active: tuple[int, ...]
    episodes: tuple[int, ...]
    evictions: tuple[Eviction, ...]
    activations: tuple[Activation, ...]
    offered: tuple[int, ...] | None = None
    unit: str = "round"
    since: int | None = None
    before: int | None = None
    probabilities: tuple[float, ...] | None = None
    scores: tuple[float | None, ...] | None = None
    intervals: tuple[tuple[float, float], ...] | None = None
    duels: tuple[int, ...] | None = None
    counted_since: int | None = None
    level: float | None = None
    scored_against: str | None = None
    decided: bool | None = None
    front: int | None = None
    apart: tuple[int, ...] = ()
    rivals: tuple[int, ...] = ()
    missing: float | None = None
    missing_between: tuple[float, float] | None = None
    changes: tuple[Change, ...] | None = None
    doubt: int | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {plain(text.headline(self.standing)[0])}>"

    def __str__(self) -> str:
        return text.words(self.standing)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data for JSON; see `Standing.to_dict`."""
        return self.standing.to_dict()

    @cached_property
    def standing(self) -> Standing:
        """The verdict: what is said of these figures, and what follows from them."""
        known = Standing(
            options=tuple(map(self._option, range(len(self.names)))),
            votes=self.rounds,
            first=Moment.round(0),
            last=Moment.round(self.rounds),
            best=self.best if self.front is None else self.front,
            since=_round(self.since),
            before=self.before,
            decided=self.decided,
            rivals=self._rivals(),
            apart=self.apart,
            missing=self.missing,
            missing_between=self.missing_between,
            counted_since=_round(self.counted_since),
            reset=self._reset(),
            level=self.level,
            scored_against=_AGAINST.get(self.scored_against or ""),
            drawn=self.scored_against == "the others",
            changes=None if self.changes is None else tuple(map(_dated, self.changes)),
            doubt=_round(self.doubt),
            restarts=tuple(map(Moment.round, self.episodes[1:])),
            unit="vote" if self.unit == "vote" else "round",
            noun="arm",
        )
        return with_successors(known)

    def _option(self, arm: int) -> Option:
        aside = [one for one in self.evictions if one.arm == arm and arm not in self.active]
        offered = self.offered is None or arm in self.offered
        known: dict[str, Any] = {}
        if offered and self.intervals is not None and self.scores is not None:
            known = {"score": self.scores[arm]}
            known["low"], known["high"] = self.intervals[arm]
        return Option(
            name=self.names[arm],
            offered=offered,
            out="left",
            active=arm in self.active,
            set_aside=_why(aside[-1]) if aside and offered else None,
            probability=self.probabilities[arm] if self.probabilities and offered else None,
            compared=None if self.duels is None else self.duels[arm],
            **known,
        )

    def _rivals(self) -> tuple[int, ...]:
        """Return the arms that may be better than the best, likeliest first."""
        chances = self.probabilities or (0.0,) * len(self.names)
        return tuple(sorted(self.rivals, key=lambda arm: -chances[arm]))

    def _reset(self) -> Reset | None:
        if not self.counted_since:
            return None
        # A change is noticed with a round, and what is counted begins with the next one.
        turned = self.changes and self.changes[-1].noticed >= self.counted_since - 1
        return Reset(at=Moment.round(self.counted_since), why="tastes" if turned else "other")


_AGAINST: dict[str, Any] = {"the others": "others", "the best": "best"}


def _round(number: int | None) -> Moment | None:
    return None if number is None else Moment.round(number)


def _dated(change: Change) -> verdict.Change:
    return verdict.Change(
        before=change.before,
        after=change.after,
        around=Moment.round(change.around),
        earliest=_round(change.earliest),
        latest=_round(change.latest),
        noticed=Moment.round(change.noticed),
    )


def _why(eviction: Eviction) -> SetAside:
    return SetAside(
        at=Moment.round(eviction.round),
        behind=eviction.beaten_by,
        by=eviction.statistic,
        enough=eviction.threshold,
    )


def names_of(n_arms: int, labels: Sequence[str] | None) -> tuple[str, ...]:
    """Return the labels of arms, or their numbers.

    Examples
    --------
    >>> names_of(2, None)
    ('0', '1')
    """
    return tuple(map(str, range(n_arms))) if labels is None else tuple(labels)


def last_of_each(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the last event of each arm, in the order of rounds."""
    last = {one.arm: one for one in events}
    return tuple(sorted(last.values(), key=lambda one: one.round))
