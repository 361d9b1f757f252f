"""How voting goes: how many votes come, which pairs are answered, tastes for a side, odd voters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from driftduel.arena.model import UNSENT, Time
from driftduel.arena.replica import Replica
from driftduel.arena.service.reports import shown
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.service.voters import Voter, noted_voters
from driftduel.arena.store import statements
from driftduel.arena.store.connection import SLOW
from driftduel.verdict.standing import ENOUGH
from driftduel.votes.sequences import interval

LEVEL = 0.95
"""The probability that the interval of the left card is never wrong."""

MOST_ODD = 50
"""Odd voters that are named, those with most votes."""

_SECOND = 1_000_000
_HOUR = 3600 * _SECOND
_LONGEST = 30 * 24 * _HOUR
_STEPS = (60, 300, 900, 3_600, 4 * 3_600, 86_400)
_MOST_STEPS = 48


@dataclass(frozen=True)
class Rate:
    """Votes that count, by when they were cast: in each of equal steps from a time until now.

    ``last_hour`` are those of the last 60 minutes.
    """

    seconds: int
    since: Time
    votes: tuple[int, ...]
    last_hour: int


@dataclass(frozen=True)
class Answered:
    """Pairs that were answered, that nobody answered in time, and that may still be answered.

    ``share`` is that of answered ones among those that are not waiting.
    """

    answered: int
    unanswered: int
    waiting: int
    share: float | None = field(init=False)

    def __post_init__(self) -> None:
        asked = self.answered + self.unanswered
        object.__setattr__(self, "share", self.answered / asked if asked else None)


@dataclass(frozen=True)
class Side:
    """How often the left card won, of votes that count and say a side.

    ``low`` and ``high`` hold at all times together. ``taste`` is the side that is proved to be
    preferred as such, and ``text`` says what that means.
    """

    votes: int
    share: float | None
    low: float
    high: float
    taste: Literal["left", "right"] | None
    text: str


@dataclass(frozen=True)
class Health:
    """How voting goes, as of ``head``.

    ``odd`` are voters that look odd or are excluded, those with most votes; ``voters`` counts all.
    """

    head: int
    moment: int = field(metadata=UNSENT)  # changes when the rate does, for ETags
    rate: Rate | None
    answered: Answered
    side: Side
    voters: int
    odd: tuple[Voter, ...]


def health(service: Service, slug: str) -> Health:
    """Return how voting goes in an arena.

    Raises
    ------
    NotFound, Unavailable
        If there is no such arena; if the database fails.
    """
    noted, voters = noted_voters(service, slug)
    hosted = service.hosted(slug)
    replica = hosted.replica
    now = now_in_microseconds()
    with replica.lock:
        rate = _rate(replica, now)
        left, right = (int(n) for n in replica.sides[:2])
        head = replica.head
    noted.sort(key=lambda one: (one.excluded, -one.votes))
    return Health(
        head=head,
        moment=moment(rate, now),
        rate=rate,
        answered=_answered(service, slug, now),
        side=side_of(left, left + right),
        voters=voters,
        odd=tuple(noted[:MOST_ODD]),
    )


def health_tag(service: Service, slug: str) -> str:
    """Return what changes when the health of an arena does, found without computing it."""
    service.follow(slug)
    replica = service.hosted(slug).replica
    now = now_in_microseconds()
    with replica.lock:
        return f"{replica.head}-{moment(_rate(replica, now), now)}"


def moment(rate: Rate | None, now: int) -> int:
    """Return in which step of a rate it is now."""
    return 0 if rate is None else now // (rate.seconds * _SECOND)


def side_of(left: int, votes: int) -> Side:
    """Return what is known of a taste for a side.

    Examples
    --------
    >>> side_of(12, 20).text
    'Too few votes to say: 30 that say a side are needed.'
    >>> side_of(260, 500).taste, side_of(340, 500).taste, side_of(160, 500).taste
    (None, 'left', 'right')
    """
    low, high = (float(end) for end in interval(left, votes, 1.0 - LEVEL))
    share = left / votes if votes else None
    if votes < ENOUGH:
        words = f"Too few votes to say: {ENOUGH} that say a side are needed."
        return Side(votes, share, low, high, None, words)
    if low <= 0.5 <= high:
        words = "No taste for a side is proved."
        return Side(votes, share, low, high, None, words)
    taste: Literal["left", "right"] = "left" if low > 0.5 else "right"
    words = (
        f"Voters prefer the {taste} card as such. That favours no option, as a coin decides who "
        "stands where, but it pulls all scores towards 50 %: more votes are needed."
    )
    return Side(votes, share, low, high, taste, words)


def _rate(replica: Replica, now: int) -> Rate | None:
    times = np.array(replica.times, np.int64)  # a view would forbid that votes are added
    # Votes of the future, imported or from before the clock was set back, count as of now.
    recent = np.minimum(times[times > now - _LONGEST], now)
    if len(recent) == 0:
        return None
    seconds = next(
        (step for step in _STEPS if now - recent.min() <= step * _SECOND * _MOST_STEPS), _STEPS[-1]
    )
    step = seconds * _SECOND
    first = int(recent.min()) // step
    votes = np.bincount(recent // step - first, minlength=now // step - first + 1)
    last_hour = int((recent > now - _HOUR).sum())
    return Rate(seconds, first * step, tuple(votes.tolist()), last_hour)


def _answered(service: Service, slug: str, now: int) -> Answered:
    hosted = service.hosted(slug)
    with service.store.reading(each=SLOW) as connection:
        waiting, expired = statements.count_duels(connection, hosted.arena.id, now)
    purged = sum(shown(service, slug).values())
    with service.watching(hosted.arena.id, hosted.replica.head) as watch:
        answered = watch.answered
    return Answered(answered, purged + expired, waiting)
