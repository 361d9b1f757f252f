"""What all looks come to: a table by kind of poll, and what was false, word for word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from studies.owner.polls import KINDS, Poll
from studies.owner.weeks import Look

ALL = "all"


@dataclass(frozen=True)
class Row:
    """A kind of polls, or all.

    Attributes
    ----------
    kind : str
    polls, looks : int
    false, clashing : int
        Looks at which something was said that is false, and two things that clash.
    named : float
        The share of looks at which somebody is named as probably best at least.
    right : float
        The share of these that name who is best in truth.
    ranges : float or None
        The share of 95 % ranges of the last take-over that hold the true moment.
    is_best : float
        The share of looks at which somebody is best as a fact.
    declared : int
        Polls whose page declares the change by the end.
    likely_after, declared_after : float or None
        The median of days from the change until who is best now is named, and until it is declared.
    edits, silence, unsure : int
        How often the owner changed options of a poll that named somebody as probably best, the most
        votes after that until it said again who is in front, and until it said so of one who is
        probably best: a newcomer of whom nothing is known may be best, too.
    """

    kind: str
    polls: int
    looks: int
    false: int
    clashing: int
    named: float
    right: float
    ranges: float | None
    is_best: float
    declared: int
    likely_after: float | None
    declared_after: float | None
    edits: int
    silence: int
    unsure: int


def rows(polls: Sequence[Poll], looks: Sequence[Look]) -> list[Row]:
    """Return a row for each kind that there is, and one for all."""
    known = [kind for kind in KINDS if any(one.kind == kind for one in polls)]
    found = [_row(kind, [one for one in polls if one.kind == kind], looks) for kind in known]
    return [*found, _row(ALL, polls, looks)]


def _row(kind: str, polls: Sequence[Poll], looks: Iterable[Look]) -> Row:
    names = {one.name for one in polls}
    mine = [one for one in looks if one.poll in names]
    judged = [one.judged for one in mine]
    named = [one.right for one in judged if one.right is not None]
    ranges = [one.turn for one in judged if one.turn is not None]
    likely = [_after(one, mine, "right") for one in polls]
    declared = [_after(one, mine, "declared") for one in polls]
    edits = [one for one in mine if one.after is not None]
    return Row(
        kind=kind,
        polls=len(polls),
        looks=len(mine),
        false=sum(bool(one.false) for one in judged),
        clashing=sum(bool(one.clashes) for one in judged),
        named=len(named) / len(mine),
        right=sum(named) / max(len(named), 1),
        ranges=sum(ranges) / len(ranges) if ranges else None,
        is_best=sum(one.proved for one in judged) / len(mine),
        declared=sum(one is not None for one in declared),
        likely_after=_median(likely),
        declared_after=_median(declared),
        edits=sum(one.after == 0 for one in edits),
        silence=_most(edits, "front"),
        unsure=_most(edits, "named"),
    )


def _most(edits: Sequence[Look], what: str) -> int:
    """Return the most votes since an edit until the page named somebody; 0 if it did at once."""
    waited = [
        later.after or 0
        for one, later in pairwise(edits)
        if getattr(one.judged, what) is None and later.poll == one.poll
    ]
    return max(waited, default=0)


def _after(poll: Poll, looks: Iterable[Look], what: str) -> float | None:
    """Return how many days after the change the first look was of which something is so."""
    days = [
        one.day
        for one in looks
        if one.poll == poll.name and one.day > poll.change and getattr(one.judged, what)
    ]
    return min(days) - poll.change if days else None


def _median(days: Iterable[float | None]) -> float | None:
    known = [float("inf") if one is None else one for one in days]
    middle = median(known)
    return None if middle == float("inf") else middle


HEADS = (
    ("polls", "looks", "false", "clashing", "names somebody", "right"),
    ("ranges hold", "“is best”", "declared", "days until named", "until declared"),
    ("edits", "votes of silence", "unsure"),
)


def as_tables(found: Sequence[Row]) -> str:
    """Return three tables in Markdown: whether it is true, how soon it is said, and edits."""
    cells = [
        (
            (
                *(f"{one.polls}", f"{one.looks:,}", f"{one.false}", f"{one.clashing}"),
                *(f"{one.named:.1%}", f"{one.right:.1%}"),
            ),
            (
                *(_share(one.ranges), f"{one.is_best:.1%}", f"{one.declared} of {one.polls}"),
                *(_days(one.likely_after), _days(one.declared_after)),
            ),
            (f"{one.edits}", f"{one.silence}", f"{one.unsure}"),
        )
        for one in found
    ]
    tables = []
    for head, *columns in zip(HEADS, *cells, strict=True):
        lines = [f"| | {' | '.join(head)} |", "|---|" + "---:|" * len(head)]
        lines += [
            f"| {one.kind} | {' | '.join(column)} |"
            for one, column in zip(found, columns, strict=True)
        ]
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def faults(looks: Iterable[Look]) -> list[str]:
    """Return what was false or clashed, word for word, once for each poll and fault."""
    bad = [one for one in looks if one.judged.false or one.judged.clashes]
    found = []
    for (poll, what), those in groupby(bad, lambda one: (one.poll, _what(one))):
        first, *rest = those
        more = f", and {len(rest)} more" if rest else ""
        found.append(f"{poll}, day {first.day:.2f}{more}: {what}\n  {first.said}")
    return found


def _what(one: Look) -> str:
    return "; ".join(dict.fromkeys((*one.judged.false, *one.judged.clashes)))


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _days(days: float | None) -> str:
    return "–" if days is None else f"{days:.2f}"
