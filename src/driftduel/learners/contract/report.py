"""What any learner can say of itself, in plain words and as data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from driftduel._support.notebook import InNotebooks
from driftduel._support.text import count, listing
from driftduel.learners.contract.history import Activation, Eviction

Event = TypeVar("Event", Eviction, Activation)

_SHOWN = 5
"""So many arms, and so many of the latest episodes and changes, are told in words."""

ENOUGH = 30
"""Of an arm with fewer duels nothing is claimed."""


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

    def when(self, unit: str = "round") -> str:
        """Say when it was, as exactly as it is known.

        Examples
        --------
        >>> Change(5_400, 5_021, 0, 1, 4_980, 5_060).when()
        'between rounds 4,980 and 5,060'
        >>> Change(5_400, 5_021, 0, 1, 5_021, 5_021).when("vote")
        'at vote 5,021'
        >>> Change(5_400, 5_021, 0, 1).when()
        'around round 5,021'
        """
        if self.earliest is None or self.latest is None:
            return f"around {unit} {self.around:,}"
        if self.earliest == self.latest:
            return f"at {unit} {self.earliest:,}"
        return f"between {unit}s {self.earliest:,} and {self.latest:,}"


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
        The probability that no interval is ever wrong.
    scored_against : str or None
        "the others" or "the best".
    decided : bool or None
        Whether the interval of ``best`` lies above all others, for Condorcet theirs below 1/2, and
        every arm has 30 duels.
    missing : int or None
        About how many more rounds it takes until then; None if that is not known.
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
    missing: int | None = None
    changes: tuple[Change, ...] | None = None
    doubt: int | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.sentence()}>"

    def __str__(self) -> str:
        if self.scores is None:
            lines = [self.sentence(), self._who_plays(), *self.news(), *self.reasons()]
        else:
            lines = [self.sentence(), *self._standings(), *self._what_counts(), *self.news()]
        if self.offered is not None:
            gone = [name for arm, name in enumerate(self.names) if arm not in self.offered]
            lines.append(f"Not on offer any more: {listing(gone)}.")
        return "\n".join(lines)

    def sentence(self) -> str:
        """Say who is best since when, who was before, and what is undecided."""
        name = self.names[self.best]
        after = f"After {count(self.rounds, self.unit)}"
        if self.since is None:
            return f"{after} the learner would pick {name}."
        verb = "is best" if self.decided else "leads"
        since = f"{self.unit} {self.since:,}" if self.since else f"the first {self.unit}"
        before = f"; before, {self.names[self.before]} led" if self.before is not None else ""
        return f"{after} {name} {verb}, since {since}{before}.{self._undecided()}"

    def news(self) -> list[str]:
        """Say of each change of the world when it was, from whom to whom, and when noticed."""
        told = [
            f"Tastes changed {one.when(self.unit)}, from {self.names[one.before]} to "
            f"{self.names[one.after]}; noticed at {self.unit} {one.noticed:,}."
            for one in self.changes or ()
        ]
        if len(told) > _SHOWN:
            told = [f"Tastes changed {len(told):,} times; the latest:", *told[-_SHOWN:]]
        if self.doubt is not None:
            told.append(
                f"Tastes may have changed around {self.unit} {self.doubt:,}; not proved yet."
            )
        elif self.changes is None and len(self.episodes) > 1:
            told.append(_restarts(self.episodes[1:], self.unit))
        elif self.changes == () and self.before is None:
            told.append("No change of taste was noticed.")
        elif self.before is not None and not self._is_proved():
            told.append(f"No {'other ' if self.changes else ''}change of taste is proved.")
        return told

    def reasons(self) -> list[str]:
        """Say of arms that are set aside for now by whom and when, the latest few."""
        return [
            f"{self.names[one.arm]} is set aside for now: at {self.unit} {one.round:,} it was "
            f"{one.statistic:.3g} behind {self.names[one.beaten_by]}, {one.threshold:.3g} was "
            "enough."
            for one in self.evictions[-_SHOWN:]
        ]

    def _is_proved(self) -> bool:
        """Tell whether that ``best`` leads is explained by a change that is proved."""
        last = self.changes[-1] if self.changes else None
        return last is not None and last.after == self.best and last.noticed >= (self.since or 0)

    def _undecided(self) -> str:
        if self.decided is not False or self.intervals is None or self.duels is None:
            return ""
        order = self._order()
        if all(self.duels[arm] < ENOUGH for arm in order):
            return " There are too few duels to say more."
        bar = 0.5 if self.scored_against == "the best" else self.intervals[self.best][0]
        rivals = [
            self.names[arm]
            for arm in order[1:]
            if self.duels[arm] < ENOUGH or self.intervals[arm][1] >= bar
        ]
        about = f"; about {count(self.missing, f'more {self.unit}')} to go" if self.missing else ""
        return f" It is undecided who is best, {_either([self.names[self.best], *rivals])}{about}."

    def _who_plays(self) -> str:
        n_offered = len(self.names if self.offered is None else self.offered)
        if len(self.active) == n_offered:
            return f"All {n_offered:,} arms are in play."
        aside = n_offered - len(self.active)
        playing = listing([self.names[arm] for arm in self.active])
        return f"In play: {playing}; {aside:,} set aside for now."

    def _order(self) -> list[int]:
        """Return the arms on offer, the best first, then by chance and by score."""
        scores = self.scores or ()
        chances = self.probabilities or (0.0,) * len(self.names)
        shown = {*self.active, *(one.arm for one in self.evictions)}
        return sorted(
            shown, key=lambda arm: (arm != self.best, -chances[arm], -(scores[arm] or 0.0))
        )

    def _standings(self) -> list[str]:
        order = self._order()
        lines = [self._standing(arm) for arm in order[:_SHOWN]]
        if len(order) > _SHOWN:
            lines.append(f"  and {len(order) - _SHOWN:,} more")
        return lines

    def _standing(self, arm: int) -> str:
        assert self.scores is not None
        assert self.intervals is not None
        assert self.duels is not None
        score, duels = self.scores[arm], self.duels[arm]
        if arm == self.best and self.scored_against == "the best":
            words = "the others are compared with it"
        elif score is None or duels < ENOUGH:
            words = f"too few duels to say ({duels})"
        else:
            low, high = self.intervals[arm]
            words = (
                f"wins {score:.0%} against {self.scored_against} ({math.floor(100 * low)}% to "
                f"{math.ceil(100 * high)}%, {count(duels, 'duel')})"  # rounded outwards
            )
        if self.probabilities is not None:
            words += f", best with {_percent(self.probabilities[arm])}"
        if arm not in self.active:
            words += ", set aside for now"
            at = [one.round for one in self.evictions if one.arm == arm]
            words += f" since {self.unit} {at[-1]:,}" if at else ""
        return f"  {self.names[arm]}: {words}"

    def _what_counts(self) -> list[str]:
        assert self.level is not None
        if not any(duels >= ENOUGH for duels in self.duels or ()):
            return []
        drawn = "" if self.scored_against == "the best" else " with opponents drawn at random"
        since = f" since {self.unit} {self.counted_since:,}" if self.counted_since else ""
        return [
            f"Scores are from duels{drawn}{since}; intervals hold with {self.level:.0%} at every "
            "moment, all arms at once. If tastes drifted, they are about the average of these "
            "duels."
        ]


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


def _either(names: Sequence[str], most: int = 4) -> str:
    """Return names of which it is one.

    Examples
    --------
    >>> _either(["tea", "milk"]), _either(list("abcdefgh"))
    ('tea or milk', 'a, b, c, d or one of 4 more')
    """
    last = f"one of {len(names) - most:,} more" if len(names) > most else names[-1]
    return f"{', '.join(names[: min(most, len(names) - 1)])} or {last}"


def _percent(chance: float) -> str:
    """Return a chance in percent; 0 and 1 are for what is certain.

    Examples
    --------
    >>> _percent(0.997), _percent(0.61), _percent(0.002)
    ('over 99%', '61%', 'under 1%')
    """
    if chance > 0.99:
        return "over 99%"
    return "under 1%" if chance < 0.01 else f"{chance:.0%}"


def _restarts(rounds: Sequence[int], unit: str) -> str:
    """Say when a learner began anew.

    Examples
    --------
    >>> _restarts([512], "round")
    'It began anew at round 512.'
    >>> _restarts(range(100, 1300, 100), "round")
    'It began anew 12 times, the latest at rounds 800, 900, 1,000, 1,100, 1,200.'
    """
    shown = ", ".join(f"{start:,}" for start in rounds[-_SHOWN:])
    often = f" {len(rounds):,} times, the latest" if len(rounds) > _SHOWN else ""
    return f"It began anew{often} at {unit}{'s' if len(rounds) > 1 else ''} {shown}."
