"""Which rules fold the votes of an arena: by the name of its learner and a version.

The row of an arena names both, so a newer program says of an older arena what was said before. Who
changes what a stored log gives adds a version here and makes it `CURRENT`; the version before stays
for those who have not accepted the new one. A version that is dropped makes way for the next one
that is known, and what is said of such an arena says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from driftduel.arena.errors import Conflict

if TYPE_CHECKING:  # a command that tells a vote imports no more
    from driftduel.arena.model import Arena
    from driftduel.learners.contract.base import Learner
    from driftduel.learners.contract.report import Report

LEARNER = "DriftPoll"
"""The learner of new arenas."""

CURRENT = 4
"""The version of its rules; to be bumped by hand when the answers of a stored log change."""


def _make(n_arms: int, seed: int, labels: tuple[str, ...]) -> Learner:
    from driftduel.learners.driftpoll.learner import DriftPoll

    return DriftPoll(n_arms, seed=seed, labels=labels)


def _make_first(n_arms: int, seed: int, labels: tuple[str, ...]) -> Learner:
    from driftduel.learners.driftpoll.learner import DriftPoll

    return DriftPoll(n_arms, seed=seed, labels=labels, rules=1)


def _fold(learner: Learner, left: Any, right: Any, tickets: Any, outcomes: Any) -> None:
    learner.fold(left, right, tickets, outcomes)


def _report(learner: Learner) -> Report:
    return learner.report()


def _report_of_tosses(learner: Learner) -> Report:
    """Return what rules 1 and 2 say, which count from nothing when options come and go."""
    from driftduel.learners.parts.findings import findings_of_tosses

    session = learner._session
    with session.lock:
        known = learner.report()
        state, arms = session.state, session.offered(learner)
        leader = int(state.clock[0]["leader"])
        told: dict[str, Any] = {"front": None, "apart": (), "missing_between": None}
        old = findings_of_tosses(state.tally, arms, learner.n_arms, leader, session.told)
        return replace(known, **told, **old)


def _report_of_even_sets(learner: Learner) -> Report:
    """Return what rules 3 say, which gave less of the level to sets without one option."""
    from driftduel.learners.parts.findings import counts_of, findings
    from driftduel.votes.proof.counts import CountsOfEvenSets

    session = learner._session
    with session.lock:
        known = learner.report()
        state, arms = session.state, session.offered(learner)
        kept = session.history.counts
        counts = counts_of(kept, state.tally, arms, learner.n_arms, session.told)
        leader = int(state.clock[0]["leader"])
        even = CountsOfEvenSets(**vars(counts))
        return replace(known, **findings(even, state.tally, arms, leader))


@dataclass(frozen=True)
class Rules:
    """How the learner of an arena is made, and how votes are told to it.

    Attributes
    ----------
    learner, version : str, int
        By which the row of an arena names them.
    make : callable
        Takes how many arms there are, the seed and the labels.
    fold : callable
        Takes the learner and what `Learner.fold` takes: slots, tickets and outcomes.
    report : callable
        Takes the learner and returns what it makes of the votes.
    goes_on : bool
        Whether votes go on counting when options come and go.
    tosses : bool
        Whether tosses of an option prove that it fell or rose, beside pairs that turned.
    """

    learner: str
    version: int
    make: Callable[[int, int, tuple[str, ...]], Learner] = _make
    fold: Callable[[Learner, Any, Any, Any, Any], None] = _fold
    report: Callable[[Learner], Report] = _report
    goes_on: bool = True
    tosses: bool = True

    @property
    def name(self) -> str:
        """Both in one word, as snapshots are known by."""
        return f"{self.learner}-{self.version}"


KNOWN: dict[tuple[str, int], Rules] = {
    (one.learner, one.version): one
    for one in (
        Rules("DriftPoll", 1, make=_make_first, report=_report_of_tosses, goes_on=False),
        Rules("DriftPoll", 2, report=_report_of_tosses, goes_on=False),
        Rules("DriftPoll", 3, report=_report_of_even_sets, tosses=False),
        Rules("DriftPoll", 4),
    )
}
"""All rules that this program can fold by.

By the second ones direct duels of a pair count for less the more there were, and an option is
called likely the best with other chances: surer with three options and more, and less so where the
best two may be equal. By the third ones an option is decided to be best by its gap to each other
one, votes go on counting when options come and go, a change names those who may have taken over,
and options that leave and come back without a vote between leave no trace. By the fourth ones sets
without one option have more of the level, and tosses prove changes beside pairs.
"""


def rules_of(learner: str, version: int) -> Rules:
    """Return the rules that fold an arena: its own, or the next that are known if they are gone.

    Raises
    ------
    Conflict
        If a newer program made the arena, or let it have newer rules.

    Examples
    --------
    >>> rules_of("DriftPoll", 1).version
    1
    >>> rules_of("DriftPoll", 7)
    Traceback (most recent call last):
        ...
    driftduel.arena.errors.Conflict: this poll is counted by rules 7 of DriftPoll, made by a newer
    driftduel; this one knows 4, please update
    """
    versions = sorted(known for name, known in KNOWN if name == learner)
    if not versions or version > versions[-1]:
        knows = versions[-1] if versions else "none"
        raise Conflict(
            f"this poll is counted by rules {version} of {learner}, made by a newer driftduel; "
            f"this one knows {knows}, please update"
        )
    return KNOWN[learner, next(known for known in versions if known >= version)]


def awaits_newest(arena: Arena) -> bool:
    """Tell whether an arena has older rules, and its owner accepts all newer ones."""
    return arena.settings.newest_rules and arena.rules < CURRENT
