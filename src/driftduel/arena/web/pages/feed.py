"""The feed of a poll: the changes that were declared and those that are likely, as Atom.

An entry keeps its name: that of a declared change is of its event; that of a likely one of who took
over from whom, and how often before, as the model moves its date a little with every vote.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from uuid import NAMESPACE_URL, uuid5

from driftduel.arena import changes as declared
from driftduel.arena import service as arena
from driftduel.arena.web.pages.html import part
from driftduel.verdict import text
from driftduel.verdict.likely import PROBABLY, Likely
from driftduel.verdict.message import subject_of
from driftduel.verdict.parts import plain, stamp
from driftduel.verdict.standing import Change, Moment, Standing

MOST = 50
"""Entries of a feed, the latest."""

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no document of XML may have, however they are written."""


@dataclass(frozen=True)
class Entry:
    """A change: its name, when it became known or was, and what is said of it."""

    name: str
    at: Moment
    title: str
    said: str

    @property
    def stamp(self) -> str:
        """When, for programs."""
        return stamp(self.at)


def feed_of(service: arena.Service, slug: str, base: str) -> str:
    """Return the feed of an arena; ``base`` is what its links begin with."""
    now = arena.status(service, slug)
    poll, known = now.arena, now.standing
    begun = Moment.time(poll.created_at)
    said = declared.changes_of(service.hosted(slug).replica)
    found = [
        _entry(poll.slug, poll.created_at, f"change {one.seq}", known, change)
        for one, change in zip(said, known.changes or (), strict=False)
        if one.seq is not None
    ]
    if now.likely is not None:
        counts: Counter[tuple[int, int]] = Counter()
        for change in likely_changes(now.likely, known):
            pair = change.before, change.after
            counts[pair] += 1
            what = f"likely {pair[0]} {pair[1]} {counts[pair]}"
            if not _is_declared(change, known):
                found.append(_entry(poll.slug, poll.created_at, what, known, change))
    found.sort(key=lambda one: one.at, reverse=True)
    written = part(
        "feed.xml",
        poll=poll,
        base=base,
        name=uuid5(NAMESPACE_URL, f"{slug} {poll.created_at}"),
        updated=stamp(found[0].at if found else begun),
        entries=found[:MOST],
    )
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", written)


def likely_changes(likely: Likely, known: Standing) -> list[Change]:
    """Return who took over from whom as the model has it, where that is probable."""
    if not likely.timed or known.votes == 0:
        return []
    return [
        Change(
            before=before.option,
            after=after.option,
            around=after.since,
            earliest=after.earliest,
            latest=after.latest,
            kind="likely",
        )
        for before, after in pairwise(likely.eras)
        if after.took_over >= PROBABLY and before.option != after.option
    ]


def _is_declared(change: Change, known: Standing) -> bool:
    """Tell whether a likely change is one that was declared: the same options, and about then."""
    for one in known.valid_changes:
        befores = one.before_among or (one.before,)
        afters = one.after_among or (one.after,)
        if change.before in befores and change.after in afters:
            ends = (one.earliest, one.noticed or one.latest, change.earliest, change.latest)
            first, last, begin, end = ends
            if None in ends or (begin <= last and first <= end):  # type: ignore[operator]
                return True
    return False


def _entry(slug: str, created_at: int, what: str, known: Standing, one: Change) -> Entry:
    at = one.noticed or one.latest or one.around or known.last
    assert at is not None
    kind = "likely: " if one.kind == "likely" else "withdrawn: " if one.withdrawn else ""
    return Entry(
        str(uuid5(NAMESPACE_URL, f"{slug} {created_at} {what}")),
        at,
        f"{kind}{subject_of(known, [one])}",
        f"{plain(text.change(known, one))} Times are UTC.",
    )
