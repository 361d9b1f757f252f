"""Whose data a stream is made of: the notices to show with whatever is made from it.

A stream does not say where it comes from, but its labels and dates give it away. A stream that
only looks like shipped data is credited too; that does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from driftduel.streams.stream import Stream


def credits_of(stream: Stream) -> list[str]:
    """Return the notices that must be shown with results made from a stream.

    Examples
    --------
    >>> from driftduel.streams import datasets
    >>> [notice.split(",")[0] for notice in credits_of(datasets.formula_1(horizon=100))]
    ['Formula 1 results from F1DB (https://github.com/f1db/f1db)']
    >>> credits_of(Stream.stationary([[0.5, 0.6], [0.4, 0.5]], horizon=100))
    []
    """
    if stream.labels is None:
        return []
    if stream.span is not None:
        return credits_of_votes(stream.labels, stream.span)
    from driftduel.streams import datasets

    notices = []
    for name in datasets.MATRICES:
        labels, P = datasets.matrix(name)
        if stream.labels == labels and any((Q == P).all() for Q in stream.palette):
            notices.append(datasets.notice(name))
    return notices


def credits_of_votes(arms: Sequence[str], span: tuple[date, date]) -> list[str]:
    """Return the notices for votes between these arms within these dates."""
    from driftduel.streams import datasets

    logs = {
        "american_league": datasets.american_league_log(),
        "formula_1": datasets.formula_1_log(),
    }
    notices = []
    for name, log in logs.items():
        whole = log.span
        if whole is not None and set(arms) <= set(log.arms):
            overlaps = whole[0] <= span[1] and span[0] <= whole[1]
            notices += [datasets.notice(name)] if overlaps else []
    return notices


def credits_of_world(
    world: str, arms: Sequence[str], span: Sequence[str] | None = None
) -> list[str]:
    """Return the notices for a world known by its name or file, its arms and its dates.

    Examples
    --------
    >>> [notice.split(",")[0] for notice in credits_of_world("f1.npz", ["ferrari", "mclaren"],
    ...                                                     ["2001-03-04", "2002-10-13"])]
    ['Formula 1 results from F1DB (https://github.com/f1db/f1db)']
    >>> credits_of_world("switching", ["0", "1"])
    []
    """
    if span is not None:
        first, last = map(date.fromisoformat, span)
        return credits_of_votes(arms, (first, last))
    from driftduel.streams import datasets

    name = world.replace("-", "_")
    if name in datasets.MATRICES:
        return [datasets.notice(name)]
    same = [name for name in datasets.MATRICES if datasets.matrix(name).labels == tuple(arms)]
    return [datasets.notice(name) for name in same]
