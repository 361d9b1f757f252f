"""What a learner has found out, in plain words and as data."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from driftduel._words import count
from driftduel.learners.base import State
from driftduel.learners.parts.journal import read_changes
from driftduel.learners.report import Report

_NORMAL = 1.96
"""Standard deviations to either side that hold 95 % of a normal distribution."""


@dataclass(frozen=True)
class Standing:
    """How an arm stands since the world may last have changed, for Condorcet in this episode.

    Attributes
    ----------
    arm : int
        The arm.
    name : str
        Its label, or its number.
    score : float or None
        The share of duels it won: against an arm of the reference weight, or for Condorcet
        against the leader. None without duels.
    low, high : float
        An interval that holds the true score with 95 % (Wilson).
    duels : int
        How many duels that is from.
    active : bool
        Whether it may still be the best.
    """

    arm: int
    name: str
    score: float | None
    low: float
    high: float
    duels: int
    active: bool


@dataclass(frozen=True, kw_only=True)
class Account(Report):
    """Who is best, since when, how sure, and what changed; `str` tells it in plain words.

    Evictions are those of the arms that are out.

    Attributes
    ----------
    standings : tuple of Standing
        All arms, the best first.
    scored_against : str
        What a score is about.
    """

    standings: tuple[Standing, ...]
    scored_against: str

    def __str__(self) -> str:
        names = self.names
        rounds = count(self.rounds, "round")
        lines = [f"After {rounds} {names[self.best]} is best, since round {self.since:,}."]
        best, *others = (_sentence(one, self.scored_against) for one in self.standings)
        if self.standings[0].score is None and any(one.duels for one in self.standings):
            best = f"  {names[self.best]}: the others are compared with it"
        lines += [best, *others]
        if not self.changes:
            lines.append("No change of taste was noticed.")
        lines += self.news()
        return "\n".join([*lines, *self.reasons()])


def _sentence(standing: Standing, against: str) -> str:
    if standing.score is None:
        return f"  {standing.name}: no duels yet"
    place = "may be best" if standing.active else "out"
    return (
        f"  {standing.name}: wins {standing.score:.0%} {against} ({standing.low:.0%} to "
        f"{standing.high:.0%}, {count(standing.duels, 'duel')}), {place}"
    )


def account_of(report: Report, state: State) -> Account:
    """Return the account of a calibrated learner: a report, and what its state tells besides."""
    watching = state.watching
    clock = watching.clock[0]
    leader = int(clock["leader"])
    pairs = bool(watching.rule[0]["unknown"])
    standings = []
    for arm, name in enumerate(report.names):
        if pairs:
            total, n = state.totals[:, arm, leader]
        else:
            total, n = state.sums[:, arm] - state.since[:, arm]
        low, high = wilson(total, n)
        score = None if n == 0 else 0.5 + total / n
        active = bool(watching.is_active[arm])
        standings.append(Standing(arm, name, score, low, high, int(n), active))
    intervals = tuple((one.low, one.high) for one in standings)
    standings.sort(key=lambda one: (one.arm != leader, -(one.score or 0.0)))
    changes = tuple(read_changes(watching.changes, int(clock["restarts"])))
    known = {item.name: getattr(report, item.name) for item in fields(Report)}
    known["evictions"] = tuple(one for one in report.evictions if not watching.is_active[one.arm])
    known |= {"since": int(clock["led"]), "intervals": intervals, "changes": changes}
    return Account(
        **known,
        standings=tuple(standings),
        scored_against="against the best" if pairs else "against the others",
    )


def wilson(total: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval of a chance from a sum of n outcomes less 1/2.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(3.0, 10)]
    [0.49, 0.943]
    """
    if n == 0:
        return 0.0, 1.0
    share = 0.5 + total / n
    weight = 1.0 + _NORMAL**2 / n
    middle = (share + _NORMAL**2 / (2.0 * n)) / weight
    half = _NORMAL * math.sqrt(share * (1.0 - share) / n + _NORMAL**2 / (4.0 * n * n)) / weight
    return max(0.0, middle - half), min(1.0, middle + half)
