"""What happened in an arena, with dates: who led when, which arms came and went, votes by day."""

from __future__ import annotations

from dataclasses import dataclass

from driftduel.arena.service.reporting import status
from driftduel.arena.service.service import Service
from driftduel.arena.status import ArmsChanged, DatedChange, Lead, arms_changed, leads_of


@dataclass(frozen=True)
class Day:
    """How many votes and skips came on a day (UTC) and were not taken back."""

    at: int
    votes: int
    skips: int


@dataclass(frozen=True)
class History:
    """An arena over time, as of ``head``."""

    head: int
    leaders: tuple[Lead, ...]
    changes: tuple[DatedChange, ...]
    arms: tuple[ArmsChanged, ...]
    days: tuple[Day, ...]


def history(service: Service, slug: str) -> History:
    """Return what happened in an arena.

    Raises
    ------
    NotFound, Unavailable
        If there is no such arena; if the database fails.
    """
    now = status(service, slug)
    hosted = service.hosted(slug)
    with service.watching(hosted.arena.id, now.head) as watch:
        days = tuple(Day(at, *counts) for at, counts in sorted(watch.days.items()))
    return History(
        head=now.head,
        leaders=tuple(leads_of(now)),
        changes=now.changes,
        arms=tuple(arms_changed(hosted.replica)),
        days=days,
    )
