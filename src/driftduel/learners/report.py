"""What any learner can say of itself, in plain words and as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from driftduel._notebook import InNotebooks
from driftduel._words import count
from driftduel.learners.history import Activation, Eviction

Event = TypeVar("Event", Eviction, Activation)

_SHOWN = 5
"""So many of the latest episodes and evictions are told in words."""


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

    def when(self) -> str:
        """Say when it was, as exactly as it is known.

        Examples
        --------
        >>> Change(5_400, 5_021, 0, 1, 4_980, 5_060).when()
        'between rounds 4,980 and 5,060'
        >>> Change(5_400, 5_021, 0, 1, 5_021, 5_021).when()
        'at round 5,021'
        >>> Change(5_400, 5_021, 0, 1).when()
        'around round 5,021'
        """
        if self.earliest is None or self.latest is None:
            return f"around round {self.around:,}"
        if self.earliest == self.latest:
            return f"at round {self.earliest:,}"
        return f"between rounds {self.earliest:,} and {self.latest:,}"


@dataclass(frozen=True, kw_only=True)
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
        The arms in play.
    episodes : tuple of int
        The rounds at which episodes began; the first is 0.
    evictions : tuple of Eviction
        Of each arm the last one, if any: by whom it was found worse and how clearly. The arm may
        be in play again, or still be for a learner that asks several bases.
    activations : tuple of Activation
        Of each arm the last time that it came back into play, if any.
    since : int or None
        The round since which ``best`` leads.
    probabilities : tuple of float or None
        How likely each arm is the best.
    intervals : tuple of (float, float) or None
        An interval for the score of each arm.
    changes : tuple of Change or None
        The latest changes of the world, in order.
    """

    names: tuple[str, ...]
    rounds: int
    best: int
    active: tuple[int, ...]
    episodes: tuple[int, ...]
    evictions: tuple[Eviction, ...]
    activations: tuple[Activation, ...]
    since: int | None = None
    probabilities: tuple[float, ...] | None = None
    intervals: tuple[tuple[float, float], ...] | None = None
    changes: tuple[Change, ...] | None = None

    def __str__(self) -> str:
        names = self.names
        lines = [f"After {count(self.rounds, 'round')} the learner would pick {names[self.best]}."]
        if len(self.active) == len(names):
            lines.append(f"All {len(names):,} arms are in play.")
        else:
            playing = ", ".join(names[arm] for arm in self.active)
            lines.append(f"In play: {playing}; {len(names) - len(self.active):,} set aside.")
        if self.changes:
            lines += self.news()
        elif len(self.episodes) > 1:
            lines.append(_restarts(self.episodes[1:]))
        return "\n".join([*lines, *self.reasons()[-_SHOWN:]])

    def news(self) -> list[str]:
        """Say of each change of the world when it was, from whom to whom, and when noticed."""
        return [
            f"Tastes changed {one.when()}, from {self.names[one.before]} to "
            f"{self.names[one.after]}; noticed at round {one.noticed:,}."
            for one in self.changes or ()
        ]

    def reasons(self) -> list[str]:
        """Say of each eviction who was found worse than whom, and when the arm came back."""
        back = {one.arm: one.round for one in self.activations if one.arm in self.active}
        return [
            f"{self.names[one.arm]} was found worse than {self.names[one.beaten_by]} at round "
            f"{one.round:,}: {one.statistic:.3g} behind, {one.threshold:.3g} was enough"
            + (f"; it came back at round {back[one.arm]:,}." if _is_later(back, one) else ".")
            for one in self.evictions
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


def _is_later(back: Mapping[int, int], eviction: Eviction) -> bool:
    return back.get(eviction.arm, -1) >= eviction.round


def _restarts(rounds: Sequence[int]) -> str:
    """Say when a learner began anew.

    Examples
    --------
    >>> _restarts([512])
    'It began anew at round 512.'
    >>> _restarts(range(100, 1300, 100))
    'It began anew 12 times, the latest at rounds 800, 900, 1,000, 1,100, 1,200.'
    """
    shown = ", ".join(f"{start:,}" for start in rounds[-_SHOWN:])
    often = f" {len(rounds):,} times, the latest" if len(rounds) > _SHOWN else ""
    return f"It began anew{often} at round{'s' if len(rounds) > 1 else ''} {shown}."
