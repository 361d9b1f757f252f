"""What is known of an arena now, and what was shown and not answered."""

from __future__ import annotations

from driftduel.arena.service.service import Service
from driftduel.arena.status import Status, status_of
from driftduel.arena.store import statements


def status(service: Service, slug: str) -> Status:
    """Return what is known of an arena, as of its last event."""
    service.hosted(slug)
    service.follow(slug)
    hosted = service.hosted(slug)
    return status_of(hosted.arena, hosted.replica, service.looks(hosted.arena.id))


def shown(service: Service, slug: str) -> dict[tuple[str, str], int]:
    """Return how often a pair, left and right, was shown and not answered until it was purged."""
    hosted = service.hosted(slug)
    with service.store.reading() as connection:
        found = statements.shown_of(connection, hosted.arena.id)
    arms = hosted.replica.arms
    return {(arms[left].name, arms[right].name): n for (left, right), n in found.items()}
