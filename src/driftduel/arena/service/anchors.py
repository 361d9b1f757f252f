"""Anchors: a few pairs that stay the same and are asked at a steady rate; what moved on them.

Votes on an anchor are a coin that keeps its mean if tastes and voters do, whoever chose the other
pairs. That one moved is proved at every look by `driftduel.votes.proof.changes`, of the votes since
the pair became an anchor; it begins again when one of its options gets another card or a release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any
from zlib import crc32

import numpy as np

from driftduel.arena.errors import Invalid
from driftduel.arena.model import Arm
from driftduel.arena.rules import anchors_of
from driftduel.arena.service.service import Service
from driftduel.arena.settings import Settings
from driftduel.arena.store import anchors as table
from driftduel.arena.store.connection import SLOW
from driftduel.verdict.anchors import Moved, said_of_anchors
from driftduel.verdict.moments import Moment
from driftduel.verdict.parts import Clock, Sentence

DRAWN = 3
"""Anchors that are drawn if the owner names none."""

MOST = 10


def with_anchors(
    settings: Settings, changes: Mapping[str, Any], arms: Sequence[Arm], slug: str
) -> dict[str, Any]:
    """Return changes of settings with the anchors that they are to have, after a check.

    Raises
    ------
    Invalid
        If an anchor is no pair of options, or if there are very many.
    """
    if not {"anchors", "anchor_pairs"} & changes.keys():
        return dict(changes)
    wanted = settings.changed(changes)
    slugs = [arm.slug for arm in arms]
    pairs = []
    for text in wanted.anchor_pairs:
        pair = sorted(text.split("+"))
        for name in pair:
            if name not in slugs:
                raise Invalid(f"anchor_pairs: there is no option {name[:80]!r}")
        if pair[0] == pair[1]:
            raise Invalid(f"anchor_pairs: {text!r} must be two different options")
        if pair not in pairs:
            pairs.append(pair)
    if len(pairs) > MOST:
        raise Invalid(f"anchor_pairs: there are {len(pairs)}, must be {MOST} at most")
    if wanted.anchors and not pairs:
        pairs = _drawn([arm.slug for arm in arms if arm.offered], slug)
    return {**changes, "anchor_pairs": ["+".join(pair) for pair in pairs]}


def _drawn(slugs: Sequence[str], poll: str) -> list[list[str]]:
    """Draw pairs of which no two share an option as long as that can be; the same ones each time.

    Examples
    --------
    >>> [len(_drawn(options, "drinks")) for options in ("ab", "abc", "abcdefg")]
    [1, 3, 3]
    >>> len({one for pair in _drawn("abcdefg", "drinks") for one in pair})
    6
    """
    rng = np.random.default_rng(crc32(poll.encode()))
    order = [slugs[n] for n in rng.permutation(len(slugs))]
    apart = [order[n : n + 2] for n in range(0, len(order) - 1, 2)]
    others = [[*pair] for pair in combinations(order, 2) if [*pair] not in apart]
    return [sorted(pair) for pair in (*apart, *others)[:DRAWN]]


def anchors_moved(service: Service, slug: str) -> Moved | None:
    """Return what moved on the anchors of an arena; None if they are off."""
    from driftduel.votes.log import Log
    from driftduel.votes.proof.changes import turns

    hosted = service.hosted(slug)
    replica = hosted.replica
    pairs = anchors_of(hosted.arena, replica)
    if not pairs:
        return None
    with service.store.reading(each=SLOW) as connection:
        begun = table.begun(connection, hosted.arena.id, pairs, replica.arms)
    cast = replica.cast()
    low, high = np.minimum(cast.left, cast.right), np.maximum(cast.left, cast.right)
    kept = np.zeros(len(low), dtype=np.bool_)
    for pair in pairs:
        one, other = sorted(pair)
        kept |= (low == one) & (high == other) & (cast.time >= begun[one, other])
    names = [arm.name for arm in replica.arms.values()]
    told = tuple(tuple(replica.arms[number].name for number in pair) for pair in pairs)
    if not kept.any():
        return Moved(told, 0, None)
    rows = np.flatnonzero(kept)
    numbers = list(replica.arms)
    place = {number: n for n, number in enumerate(numbers)}
    left, right = ([place[int(one)] for one in side[rows]] for side in (cast.left, cast.right))
    log = Log([str(n) for n in range(len(names))], rows, left, right, cast.outcome[rows])
    found, _ = turns(log, n_pairs=len(pairs))
    if not found:
        return Moved(told, len(rows), None)
    last = found[-1]
    assert last.other is not None
    since, proved = (
        Moment.time(int(cast.time[int(when)]))  # type: ignore[arg-type]
        for when in (last.likeliest, last.proved)
    )
    lost, won = (replica.arms[numbers[arm]].name for arm in (last.arm, last.other))
    return Moved(told, len(rows), (lost, won, since, proved))


def anchors_note(service: Service, slug: str, clock: Clock) -> list[Sentence]:
    """Return the sentence of a page on anchors, none if they are off."""
    moved = anchors_moved(service, slug)
    return [] if moved is None else [said_of_anchors(moved, clock)]
