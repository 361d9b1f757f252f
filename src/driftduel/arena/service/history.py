"""What happened in an arena, with dates: who led when, which arms came and went, votes by day."""

from __future__ import annotations

from dataclasses import dataclass

from driftduel.arena.model import Time
from driftduel.arena.service.reports import status
from driftduel.arena.service.service import Service
from driftduel.verdict.standing import Standing


@dataclass(frozen=True)
class Day:
    """How many votes and skips came on a day (UTC) and were not taken back."""

    at: Time
    votes: int
    skips: int


@dataclass(frozen=True)
class Past:
    """An arena over time, as of ``head``: who led when, what changed, and the votes of days."""

    head: int
    standing: Standing
    days: tuple[Day, ...]


def history(service: Service, slug: str) -> Past:
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
    return Past(now.head, now.standing, days)
