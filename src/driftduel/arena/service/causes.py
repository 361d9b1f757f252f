"""Why who leads a poll changed: of each declared and each likely change what explains it."""

from __future__ import annotations

from driftduel.arena.changes import changes_of
from driftduel.arena.service.logs import log_of
from driftduel.arena.service.releases import releases
from driftduel.arena.service.service import Service
from driftduel.verdict.causes import Cause

_MOST = 5
"""Changes that are explained, the latest."""

_DAY = 86_400e6


def causes(service: Service, slug: str) -> tuple[Cause, ...]:
    """Return what explains each change, the latest first; it takes a second or more.

    Changes that were declared are taken with their dates; likely ones are added where none was.
    """
    from driftduel.votes.likely.groups import RETURNING
    from driftduel.votes.likely.timeline import timeline
    from driftduel.votes.likely.why import why_each

    log, fields = log_of(service, slug)
    if log is None:
        return ()
    replica = service.hosted(slug).replica
    found: list[tuple[float, float, tuple[str, str]]] = []
    for one in changes_of(replica):
        first, last = one.earliest or one.around, one.latest or one.around
        if one.withdrawn or first is None or last is None:
            continue
        leaders = (replica.arms[one.before].name, replica.arms[one.after].name)
        found.append((first.at / _DAY, last.at / _DAY, leaders))
    for low, high, leaders in timeline(log).likely_changes:
        if not any(low <= last and first <= high for first, last, _ in found):
            found.append((low, high, leaders))
    told = why_each(
        log,
        sorted(found)[-_MOST:],
        voters=[*fields, RETURNING],
        questions=["context"],
        releases=[one.release for one in releases(service, slug)],
    )
    return told[::-1]
