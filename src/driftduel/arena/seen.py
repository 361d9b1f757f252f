"""What a voter has seen: every pair comes once before any comes again, then the voter may rest.

A *round* of a voter has every pair of the options on offer once. A pair that was answered or
skipped, and not taken back, is seen; those seen least often are left in this round. When none is
left the next round begins: on the next day (UTC), or at once where the owner says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from driftduel.arena.errors import Conflict
from driftduel.arena.model import DAY, Arena
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection

Pair = tuple[int, int]

REMEMBERED = 1_000
"""Answers of a voter, the last, by which it is known what was seen; and as many skips."""


class Rested(Conflict):
    """The voter has had all questions of today."""


@dataclass(frozen=True)
class Progress:
    """How far a voter is.

    Attributes
    ----------
    seen : frozenset of (int, int)
        Pairs that are not to be asked, the lower number first: some, but never all.
    left : int or None
        Questions left for today; None if there is no end, or no pair.
    """

    seen: frozenset[Pair]
    left: int | None


def progress_of(
    answered: Iterable[tuple[int, int, int]],
    offered: Collection[int],
    now: int,
    *,
    repeat: bool = False,
    once: bool = False,
    share: int | None = None,
) -> Progress:
    """Return how far a voter is.

    Parameters
    ----------
    answered : iterable of (int, int, int)
        Both arms of each pair that the voter answered or skipped, and when.
    offered : collection of int
        The arms on offer.
    now : int
        The time.
    repeat : bool
        Whether a new round begins at once.
    once : bool
        Whether there is one round only.
    share : int, optional
        How many votes are left of those of today that count, if there is a limit.

    Examples
    --------
    >>> progress_of([(1, 0, 5)], [0, 1, 2], 6)
    Progress(seen=frozenset({(0, 1)}), left=2)
    >>> done = [(1, 0, 5), (2, 1, 6), (0, 2, 7)]
    >>> progress_of(done, [0, 1, 2], 8).left, progress_of(done, [0, 1, 2], 8 + DAY).left
    (0, 3)
    """
    n_pairs = len(offered) * (len(offered) - 1) // 2
    here = set(offered)
    counts: Counter[Pair] = Counter()
    last = 0
    for one, other, at in answered:
        last = max(last, at)
        if one in here and other in here:
            counts[min(one, other), max(one, other)] += 1
    least = min(counts.values()) if len(counts) == n_pairs and n_pairs else 0
    seen = frozenset(pair for pair, n in counts.items() if n > least)
    left = None if repeat or n_pairs == 0 else n_pairs - len(seen)
    if not repeat and least > 0 and not seen and last // DAY >= now // DAY:
        left = 0
    if once and least > 0:
        left = 0
    if share is not None:
        left = share if left is None else min(left, share)
    return Progress(seen, left)


def look_up(
    connection: Connection, arena: Arena, offered: Collection[int], voter: str, now: int
) -> Progress:
    """Return how far a voter, by its hash, is in an arena."""
    answered = statements.pairs_seen(connection, arena.id, voter, REMEMBERED)
    cap, share = arena.settings.cap, None
    if cap is not None:
        day = now // DAY * DAY
        share = max(
            0, cap - statements.votes_of_day(connection, arena.id, [voter], day).get(voter, 0)
        )
    settings = arena.settings
    return progress_of(
        answered, offered, now, repeat=settings.repeat, once=settings.invited, share=share
    )
