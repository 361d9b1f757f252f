"""What is to be said of votes beside what they say: names nearly alike, a voter with many votes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

_MOST_NAMED = 3
_CROWD, _CROWDED = 20, 0.05
_SAMPLE = 100_000
"""Votes by which voters are found that may have cast many; those alone are then counted."""


def near_duplicates(labels: Iterable[str]) -> list[str]:
    """Return what is to be said about labels that differ only in case or blanks.

    Examples
    --------
    >>> near_duplicates(["Green tea", "green  tea", "milk"])
    ["arms 'Green tea' and 'green  tea' differ only in case or blanks; they count as different"]
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault("".join(label.casefold().split()), []).append(label)
    found = [" and ".join(map(repr, group)) for group in groups.values() if len(group) > 1]
    if not found:
        return []
    more = len(found) - _MOST_NAMED
    named = ", ".join(found[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return [f"arms {named} differ only in case or blanks; they count as different"]


def dominant_voter(voters: pl.Series) -> list[str]:
    """Return what is to be said about a voter with many of the votes.

    Examples
    --------
    >>> import polars as pl
    >>> dominant_voter(pl.Series(["ann"] * 30 + list("bcdefghij")))
    ['one voter cast 30 of 39 votes, which count as if many had cast them']
    """
    voters = voters.drop_nulls()
    some = voters
    if len(voters) > _SAMPLE:
        # Who has a twentieth of all has nearly that of a sample; counting all takes seconds.
        some = voters[np.random.default_rng(0).integers(len(voters), size=_SAMPLE)]
    counts = some.value_counts(sort=True)
    if not counts.height:
        return []
    most = int(counts["count"][0])
    if some is not voters:
        likely = counts.filter(counts["count"] > _CROWDED / 2 * _SAMPLE)[voters.name]
        most = max((int((voters == voter).sum()) for voter in likely), default=0)
    if most < _CROWD or most <= _CROWDED * len(voters):
        return []
    return [
        f"one voter cast {most:,} of {len(voters):,} votes, which count as if many had cast them"
    ]
