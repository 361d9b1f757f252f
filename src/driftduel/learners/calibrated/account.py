"""What a learner has found out, in plain words and as data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from driftduel.learners.base import State
from driftduel.learners.history import Eviction

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
    """

    noticed: int
    around: int
    before: int
    after: int


@dataclass(frozen=True)
class Account:
    """Who is best, since when, how sure, and what changed; `str` tells it in plain words.

    Attributes
    ----------
    rounds : int
        Rounds played.
    best : int
        The arm that is best now.
    since : int
        The round since which it leads.
    standings : tuple of Standing
        All arms, the best first.
    evictions : tuple of Eviction
        Of each arm that is out the last one: by whom it was found worse and how clearly.
    changes : tuple of Change
        The latest changes, in order.
    scored_against : str
        What a score is about.
    """

    rounds: int
    best: int
    since: int
    standings: tuple[Standing, ...]
    evictions: tuple[Eviction, ...]
    changes: tuple[Change, ...]
    scored_against: str

    def __str__(self) -> str:
        names = {standing.arm: standing.name for standing in self.standings}
        lines = [
            f"After {self.rounds:,} rounds {names[self.best]} is best, since round {self.since:,}."
        ]
        best, *others = (_sentence(one, self.scored_against) for one in self.standings)
        if self.standings[0].score is None and any(one.duels for one in self.standings):
            best = f"  {names[self.best]}: the others are compared with it"
        lines += [best, *others]
        if not self.changes:
            lines.append("No change of taste was noticed.")
        for change in self.changes:
            lines.append(
                f"Tastes changed around round {change.around:,}, from {names[change.before]} to "
                f"{names[change.after]}; noticed at round {change.noticed:,}."
            )
        for eviction in self.evictions:
            lines.append(
                f"{names[eviction.arm]} was found worse than {names[eviction.beaten_by]} at round "
                f"{eviction.round:,}: {eviction.statistic:.3g} behind, "
                f"{eviction.threshold:.3g} was enough."
            )
        return "\n".join(lines)


def _sentence(standing: Standing, against: str) -> str:
    if standing.score is None:
        return f"  {standing.name}: no duels yet"
    place = "may be best" if standing.active else "out"
    return (
        f"  {standing.name}: wins {standing.score:.0%} {against} ({standing.low:.0%} to "
        f"{standing.high:.0%}, {standing.duels:,} duels), {place}"
    )


def account_of(
    n_arms: int,
    labels: Sequence[str] | None,
    rounds: int,
    state: State,
    evictions: Sequence[Eviction],
) -> Account:
    """Return the account of a calibrated learner in a state."""
    clock = state.clock[0]
    leader = int(clock["leader"])
    names = [str(arm) for arm in range(n_arms)] if labels is None else list(labels)
    pairs = bool(state.rule[0]["unknown"])
    standings = []
    for arm in range(n_arms):
        if pairs:
            total, n = state.totals[:, arm, leader]
        else:
            total, n = state.sums[:, arm] - state.since[:, arm]
        low, high = wilson(total, n)
        score = None if n == 0 else 0.5 + total / n
        active = bool(state.is_active[arm])
        standings.append(Standing(arm, names[arm], score, low, high, int(n), active))
    standings.sort(key=lambda one: (one.arm != leader, -(one.score or 0.0)))
    count = int(clock["restarts"])
    kept = state.changes.shape[0]
    rows = [state.changes[number % kept] for number in range(max(0, count - kept), count)]
    changes = tuple(Change(*(int(number) for number in row)) for row in rows)
    last = {one.arm: one for one in evictions if not state.is_active[one.arm]}
    return Account(
        rounds=rounds,
        best=leader,
        since=int(clock["led"]),
        standings=tuple(standings),
        evictions=tuple(sorted(last.values(), key=lambda one: one.round)),
        changes=changes,
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
