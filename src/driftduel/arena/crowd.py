"""Simulated voters, whose taste changes: over HTTP as a product's, or as a log with dates.

Whether an arm wins goes by its strength: the log-odds of a verdict for the left card are the
strength of its arm less that of the right one's. Now and then a voter finds two equal, calls both
bad, or skips.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event, Thread

import numpy as np

from driftduel.arena import rules
from driftduel.arena import service as arena
from driftduel.arena.client import Client, Pair
from driftduel.arena.errors import Unavailable
from driftduel.arena.model import Verdict
from driftduel.arena.store import statements

Strengths = Mapping[str, float]


@dataclass(frozen=True)
class Question:
    """What is asked, the arms, and how strong each is before and after taste changes.

    Those that are ``late`` join while people vote.
    """

    slug: str
    title: str
    question: str
    before: Strengths
    after: Strengths
    late: tuple[str, ...] = ()

    @property
    def arms(self) -> list[str]:
        """The names of the arms that are there from the beginning."""
        return [name for name in self.before if name not in self.late]

    @property
    def favourites(self) -> tuple[str, str]:
        """Who is best before and after."""
        first, second = (max(one, key=lambda name: one[name]) for one in (self.before, self.after))
        return first, second


DRINKS = Question(
    "drinks",
    "Drinks",
    "Which would you like to drink now?",
    {"Coffee": 1.0, "Tea": -0.2, "Cocoa": -0.8, "Lemonade": 0.1, "Water": -0.5},
    {"Coffee": 0.1, "Tea": -0.2, "Cocoa": -0.8, "Lemonade": 1.5, "Water": 0.2},
    ("Water",),
)
"""Coffee, until the sun comes out."""


def verdict_of(strengths: Strengths, left: str, right: str, rng: np.random.Generator) -> Verdict:
    """Return what a voter says of two arms.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> said = [verdict_of({"tea": 3.0, "mud": -3.0}, "tea", "mud", rng) for _ in range(1000)]
    >>> {verdict: said.count(verdict) for verdict in ("left", "right", "tie", "bad", "skip")}
    {'left': 899, 'right': 2, 'tie': 61, 'bad': 21, 'skip': 17}
    """
    mood = rng.random()
    for share, verdict in _MOODS:
        if mood < share:
            return verdict
    chance = 1.0 / (1.0 + np.exp(strengths[right] - strengths[left]))
    return "left" if rng.random() < chance else "right"


_MOODS: tuple[tuple[float, Verdict], ...] = ((0.02, "skip"), (0.04, "bad"), (0.10, "tie"))

_PATIENCE = 5.0
"""Seconds for which a server is tried again."""

_STAY = 20
"""Votes after which a voter leaves, on average; the pair that is shown then stays unanswered."""

_LEFT_IN = 0.3
"""Seconds that the voter who always takes the left card looks at a pair."""


class Crowd:
    """Voters at a server, each a thread that looks at a pair for a second or so.

    One of them takes the left card whatever it shows, and quickly.

    Parameters
    ----------
    url, key : str
        The server, and the embed key of the arena.
    strengths : callable
        Called without arguments; returns the strengths of the arms by name, as of now.
    voters : int
        How many vote at a time.
    pace : float
        Seconds between two votes of one voter, on average.
    """

    def __init__(
        self,
        url: str,
        key: str,
        strengths: Callable[[], Strengths],
        voters: int,
        pace: float,
    ) -> None:
        self._client = Client(url, key, _PATIENCE)
        self._strengths = strengths
        self._pace = pace
        self._stopping = Event()
        self._threads = [Thread(target=self._vote, args=(n,)) for n in range(voters)]

    def start(self) -> None:
        """Let them vote."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let them end; the server may be away already."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _vote(self, number: int) -> None:
        rng = np.random.default_rng()
        session = 0
        while not self._stopping.is_set():
            session += 1
            votes = np.iinfo(np.int64).max if number == 0 else rng.geometric(1.0 / _STAY)
            try:
                self._sit(f"simulated {number}-{session}", int(votes), number == 0, rng)
            except Unavailable:
                self._stopping.wait(self._pace)

    def _sit(self, voter: str, votes: int, takes_left: bool, rng: np.random.Generator) -> None:
        """Vote so often as one voter."""
        duel: Pair | None = self._client.ask(voter)
        while duel is not None:
            look = _LEFT_IN if takes_left else self._pace * rng.uniform(0.5, 1.5)
            if self._stopping.wait(look) or votes == 0:
                return
            votes -= 1
            # In an arena without cards names are shown, so voters know what they vote on.
            names = (duel.left.name or "", duel.right.name or "")
            verdict = "left" if takes_left else verdict_of(self._strengths(), *names, rng)
            duel = self._client.tell(duel, verdict, wants_next=True).next


@dataclass(frozen=True)
class Days:
    """How many days of votes a log has, how many votes a day, and when it ends."""

    before: int
    after: int
    votes: int
    end: int


def feed(service: arena.Service, question: Question, days: Days, seed: int) -> None:
    """Put votes with dates into an arena: taste changes after the first so many days.

    The arms and propensities are what the arena would have asked then. Most votes come by day.
    """
    rng = np.random.default_rng(seed)
    hosted = service.hosted(question.slug)
    day = 86_400_000_000
    first = days.end - (days.before + days.after) * day
    change = first + days.before * day
    hours = rng.beta(4.0, 3.0, (days.before + days.after) * days.votes) * 24.0
    starts = np.repeat(np.arange(days.before + days.after), days.votes) * day
    times = np.sort(first + starts + (hours * 3600e6).astype(np.int64))
    for at in np.split(times, range(_AT_ONCE, len(times), _AT_ONCE)):
        tells = []
        duels = []
        for moment in at.tolist():
            number = int(rng.integers(days.votes // 8 or 1))
            voter = service.voter(f"{moment // day} {number}" if number else "left")
            asked = moment - int(rng.uniform(1e6, 9e6) if number else 300_000)
            drawn = rules.draw(hosted.arena, hosted.replica, {}, rng, voter, asked)
            if drawn is None:
                raise ValueError(f"the arena {question.slug!r} offers fewer than two arms")
            duels.append(drawn)
            names = [hosted.replica.arms[arm].name for arm in (drawn.left, drawn.right)]
            strengths = question.before if moment < change else question.after
            verdict = verdict_of(strengths, names[0], names[1], rng) if number else "left"
            if rng.random() < _ANSWERED:
                tells.append(rules.Tell(drawn.id, voter, verdict, moment, hosted.arena.id))
        with service.store.writing() as connection:
            statements.insert_duels(connection, duels)
            rules.tell_all(connection, tells)
        service.follow()
        hosted = service.hosted(question.slug)


_AT_ONCE = 20
"""Pairs that are asked before the first of them is answered."""

_ANSWERED = 0.93
