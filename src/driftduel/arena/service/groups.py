"""Whether groups of voters differ, by the model: by fields, by context, and new beside others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from driftduel.arena.service.logs import log_of
from driftduel.arena.service.service import Service
from driftduel.verdict.parts import Sentence, plain
from driftduel.votes.likely.groups import MOST_GROUPS, RETURNING

if TYPE_CHECKING:
    from driftduel.votes.reliability import Weighed

_MOST_PLACES = 150
"""Arms times groups that are followed together."""


@dataclass(frozen=True)
class Group:
    """A group of voters: its votes, and of each option P(best) and the score with its band."""

    name: str
    votes: int
    chances: tuple[float | None, ...]
    scores: tuple[tuple[float, float, float] | None, ...]


@dataclass(frozen=True)
class Grouped:
    """What groups of one kind say, and how likely each option is best in each."""

    by: str
    sentences: tuple[Sentence, ...]
    arms: tuple[str, ...]
    rows: tuple[Group, ...]
    facts: dict[str, Any]
    """The same as JSON has it."""


def groups(service: Service, slug: str) -> tuple[Grouped, ...]:
    """Return what groups of voters say, those by fields first; none where there is one group.

    It takes a second or more, so pages ask for it only when somebody does.
    """
    from driftduel.votes.likely.timeline import timeline

    log, fields = log_of(service, slug)
    if log is None:
        return ()
    found = []
    for by in (*fields, "context", RETURNING):
        n_groups = 2 if by == RETURNING else log.extras[by].n_unique()  # type: ignore[index]
        if not 2 <= n_groups <= MOST_GROUPS or log.n_arms * (n_groups + 1) > _MOST_PLACES:
            continue
        try:
            told = timeline(log, groups=by).groups
        except ValueError:  # all voters are new
            continue
        if told is None:
            continue
        there = told.story.bins.offered[-1]
        p_best, bands = told.p_best(), told.bands()
        rows = [
            Group(
                name,
                int(told.votes[g]),
                tuple(float(p_best[g, k]) if here else None for k, here in enumerate(there)),
                tuple(
                    (float(bands[0, g, k]), float(bands[1, g, k]), float(bands[2, g, k]))
                    if here
                    else None
                    for k, here in enumerate(there)
                ),
            )
            for g, name in enumerate(told.names)
        ]
        says = " ".join(plain(one) for one in told.sentences)
        facts = {**told.to_dict(), "says": says}
        found.append(Grouped(by, tuple(told.sentences), told.arms, tuple(rows), facts))
    return tuple(found)


def weighed(service: Service, slug: str) -> Weighed | None:
    """Return scores with voters weighed and without; None if the owner does not want it."""
    from driftduel.votes.reliability import weigh_voters

    if not service.hosted(slug).arena.settings.reliability:
        return None
    log, _ = log_of(service, slug)
    return None if log is None else weigh_voters(log)
