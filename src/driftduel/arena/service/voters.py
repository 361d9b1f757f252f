"""Voters: who votes how, excluded and included again, and forgotten.

A voter is a hash; no address and no user agent is stored. What the owner sees of a voter is enough
to notice one who clicks a single side, or faster than one can read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from driftduel.arena.errors import NotFound
from driftduel.arena.model import Time
from driftduel.arena.service.service import Service, new_id, now_in_microseconds
from driftduel.arena.service.voter_counts import Counts, VoterCounts
from driftduel.arena.store import statements
from driftduel.arena.store import voters as stored
from driftduel.arena.store.connection import SLOW, Connection
from driftduel.arena.store.fields import forget_fields
from driftduel.votes.sequences import log_evidence

MEANT = {"side": 0.6, "quick": 0.1}
"""What is put down to chance: so much taste for a side, so many clicks that were double ones."""

NEARLY_ALL = 0.9
"""The share of votes on one side from which a voter is said to click that side only."""

FALSE_ALARMS = 0.01
"""How likely it is, at a moment, that anybody is named by chance."""

_FEW = 5
"""Of fewer votes nothing is said."""


@dataclass(frozen=True)
class Voter:
    """What a voter did.

    Attributes
    ----------
    voter : str
        The hash.
    votes, left, right : int
        Votes, also those that do not count, and those for a side.
    quick, capped : int
        Those that came in less than 0.4 s, and those over the cap.
    skips : int
        Pairs skipped.
    last_at : int
        When the voter was last seen.
    excluded : bool
        Whether the votes do not count.
    odd : tuple of str
        What looks odd, each a few words.
    """

    voter: str
    votes: int
    left: int
    right: int
    quick: int
    capped: int
    skips: int
    last_at: Time = field(metadata={"sent_as": "last"})
    excluded: bool
    odd: tuple[str, ...]


def voters(service: Service, slug: str, most: int = 1_000) -> list[Voter]:
    """Return the voters of an arena with most verdicts, those first."""
    with _watched(service, slug) as (watch, excluded):
        busiest = nlargest(most, watch.voters, lambda name: _verdicts(watch.voters[name]))
        return _described(watch, excluded, _odd(watch), busiest)


@dataclass(frozen=True)
class Busy:
    """A voter as the page of voters has it.

    Attributes
    ----------
    voter : Voter
        What it did.
    share : float
        Of all votes that were not taken back.
    favourite : str or None
        The option that it chose most often; ``chosen`` times when it was shown ``of`` times.
    label : str or None
        The name by which it is invited.
    """

    voter: Voter
    share: float
    favourite: str | None
    chosen: int
    of: int
    label: str | None


def busiest(service: Service, slug: str, most: int = 20, named: str = "") -> list[Busy]:
    """Return the voters of an arena with most votes, or those whose hash begins in a way."""
    with _watched(service, slug) as (watch, excluded):
        known = [name for name in watch.voters if name.startswith(named)]
        names = nlargest(most, known, lambda name: _verdicts(watch.voters[name]))
        found = _described(watch, excluded, _odd(watch), names)
        n_votes = max(1, sum(counts.votes for counts in watch.voters.values()))
    hosted = service.hosted(slug)
    with service.store.reading(each=SLOW) as connection:
        liked = stored.favourites_of(connection, hosted.arena.id, names)
        labels = stored.invited_as(connection, hosted.arena.id, names)
    arms = hosted.replica.arms
    rows = []
    for one in found:
        arm, chosen, of = liked.get(one.voter, (None, 0, 0))
        name = None if arm is None or arm not in arms else arms[arm].name
        label = labels.get(one.voter)
        rows.append(Busy(one, one.votes / n_votes, name, chosen, of, label))
    return rows


def noted_voters(service: Service, slug: str) -> tuple[list[Voter], int]:
    """Return the voters that look odd or are excluded, and how many there are of all kinds."""
    with _watched(service, slug) as (watch, excluded):
        odd = _odd(watch)
        names = [name for name in watch.voters if name in odd or name in excluded]
        n = sum(_verdicts(counts) > 0 for counts in watch.voters.values())
        return _described(watch, excluded, odd, names), n


@contextmanager
def _watched(service: Service, slug: str) -> Iterator[tuple[VoterCounts, frozenset[str]]]:
    """Yield what is counted of voters, and who is excluded."""
    service.follow(slug)
    hosted = service.hosted(slug)
    with service.watching(hosted.arena.id, hosted.replica.head) as watch:
        yield watch, hosted.replica.excluded


def _verdicts(counts: Counts) -> int:
    return counts.votes + counts.skips


def _odd(watch: VoterCounts) -> dict[str, list[str]]:
    names = list(watch.voters)
    return {names[n]: words for n, words in look_odd(list(watch.voters.values())).items()}


def _described(
    watch: VoterCounts, excluded: frozenset[str], odd: dict[str, list[str]], names: Iterable[str]
) -> list[Voter]:
    return [
        Voter(
            voter=name,
            **vars(watch.voters[name]),
            last_at=watch.seen[name],
            excluded=name in excluded,
            odd=tuple(odd.get(name, ())),
        )
        for name in names
    ]


def look_odd(voters: Sequence[Counts]) -> dict[int, list[str]]:
    """Return what looks odd, of those that do: one side only, too quick, mostly over the cap.

    That somebody clicks a side, or is quick, is said if the votes prove it whatever chance does:
    the evidence (see `driftduel.votes.sequences`) against a taste for the side of 60 %, or
    against one double click in ten, is above the number of voters over 1 %. So if all voters stay
    below these, however many there are and whenever they are looked at, the chance that any is
    named for a side is 1 % at most, and for being quick too. That more than half of somebody's
    votes, and five at least, are over the cap is a fact.

    Examples
    --------
    >>> look_odd([Counts(votes=8, left=8), Counts(votes=40, left=40), Counts(votes=40, left=22)])
    {1: ['40 of 40 votes for the left card']}
    >>> look_odd([Counts(votes=12, left=6, quick=1), Counts(votes=12, left=6, quick=12)])
    {1: ['12 of 12 votes in less than 0.4 s']}
    """
    rows = [[one.votes, one.left, one.right, one.quick, one.capped] for one in voters]
    votes, left, right, quick, capped = np.array(rows, np.float64).reshape(-1, 5).T
    bar = np.log(max(len(voters), 1) / FALSE_ALARMS)
    enough = votes >= _FEW
    found: dict[int, list[str]] = {}

    def note(places: NDArray[np.bool_], counts: NDArray[np.float64], words: str) -> None:
        for n in np.flatnonzero(places & enough).tolist():
            text = f"{int(counts[n]):,} of {int(votes[n]):,} votes {words}"
            found.setdefault(n, []).append(text)

    for clicked, other, side in ((left, right, "left"), (right, left, "right")):
        decisive = clicked + other
        alike = enough & (clicked >= NEARLY_ALL * np.maximum(votes, 1.0))
        evidence = log_evidence(clicked[alike], decisive[alike], MEANT["side"])
        alike[alike] = evidence >= bar + np.log(2.0)  # there are two sides
        note(alike, clicked, f"for the {side} card")
    hasty = enough & (quick > MEANT["quick"] * votes)
    hasty[hasty] = log_evidence(quick[hasty], votes[hasty], MEANT["quick"]) >= bar
    note(hasty, quick, "in less than 0.4 s")
    note((capped >= _FEW) & (2 * capped > votes), capped, "over the cap")
    return found


def votes_of(service: Service, slug: str, name: str) -> int:
    """Return how many votes a voter, by its cookie or header, gave and did not take back."""
    number = service.hosted(slug).arena.id
    with service.store.reading(each=SLOW) as connection:
        return statements.votes_of(connection, number, service.voter(name))


def exclude(service: Service, slug: str, voter: str) -> int:
    """Let the votes of a voter, by the hash that `voters` shows, not count; return the head."""
    return _mark(service, slug, voter, "exclude")


def include(service: Service, slug: str, voter: str) -> int:
    """Let the votes of an excluded voter count again; return the head."""
    return _mark(service, slug, voter, "include")


def forget(service: Service, slug: str, voter: str) -> int:
    """Cut the link from a voter to its votes, which still count as they did; return the head.

    They get a new random name, so that nobody can tell from a cookie which votes are its voter's,
    and what a site said of the voter (`driftduel.arena.fields`) is deleted.
    """
    return _cut(service, slug, voter, excludes=False)


def delete_voter(service: Service, slug: str, voter: str) -> int:
    """Let the votes of a voter not count, and cut the link to them; return the head.

    Nothing tells any longer whose they were, so this cannot be undone. An invitation goes, too.
    """
    return _cut(service, slug, voter, excludes=True)


def _mark(service: Service, slug: str, voter: str, kind: Literal["exclude", "include"]) -> int:
    number = service.hosted(slug).arena.id

    def mark(connection: Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        _check_known(connection, number, voter)
        excluded = bool(statements.excluded_of(connection, number, [voter]))
        if excluded == (kind == "exclude"):
            return arena.head
        row: dict[str, Any] = {"at": now_in_microseconds(), "kind": kind, "voter": voter}
        return statements.append(connection, arena, [row])

    head: int = service.writer.alone(mark, each=SLOW)
    service.follow_soon(slug)
    return head


def _cut(service: Service, slug: str, voter: str, *, excludes: bool) -> int:
    number = service.hosted(slug).arena.id

    def cut(connection: Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        _check_known(connection, number, voter)
        name, at = f"~{new_id()}", now_in_microseconds()
        forget_fields(connection, number, voter)
        stored.forget_suggestions(connection, number, voter, name)
        statements.rename_voter(connection, number, voter, name)
        rows: list[dict[str, Any]] = [{"at": at, "kind": "forget"}]
        if excludes:
            stored.forget_invitation(connection, number, voter)
            rows.insert(0, {"at": at, "kind": "exclude", "voter": name})
        return statements.append(connection, arena, rows)

    head: int = service.writer.alone(cut, each=SLOW)
    service.follow_soon(slug)
    return head


def _check_known(connection: Connection, number: int, voter: str) -> None:
    is_hash = re.fullmatch("[0-9a-f]{32}|~[A-Za-z0-9_-]{22}", voter)
    if not is_hash or statements.first_of(connection, number, voter) is None:
        raise NotFound("there is no such voter in this arena; voters go by their hashes")
