"""Simulated polls: who is how strong when, what the owner does meanwhile, and who is truly best."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

Kind = Literal["plain", "five", "edits", "hard"]
KINDS: tuple[Kind, ...] = get_args(Kind)

NAMES = ("Soup", "Pizza", "Pie", "Salad", "Rice")
NEWCOMERS = ("Curry", "Tofu")

_LEAD = {"plain": 0.85, "five": 0.7, "edits": 0.85, "hard": 0.28}
"""Log-odds of the best against the second: .70, .67, .70 and .57 of votes."""


@dataclass(frozen=True)
class Edit:
    """What an owner does with options: join, pause, resume, in this order, by name."""

    day: float
    join: tuple[str, ...] = ()
    pause: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()


@dataclass(frozen=True)
class Poll:
    """A poll whose voters' taste changes once.

    Attributes
    ----------
    name : str
    kind : {"plain", "five", "edits", "hard"}
    options : tuple of str
        Those on offer from the beginning.
    before, after : mapping of str to float
        Strengths until taste changes and since, also of options that join later.
    change : float
        The day on which it does.
    edits : tuple of Edit
    seed : int
    """

    name: str
    kind: Kind
    options: tuple[str, ...]
    before: Mapping[str, float]
    after: Mapping[str, float]
    change: float
    edits: tuple[Edit, ...]
    seed: int

    def strengths(self, day: float) -> Mapping[str, float]:
        """Return how strong options are on a day."""
        return self.before if day < self.change else self.after

    def score(self, option: str, day: float, among: Collection[str]) -> float:
        """Return the chance that an option wins against another of these, drawn at random."""
        known = self.strengths(day)
        gaps = [known[other] - known[option] for other in among if other != option]
        return float(np.mean(1.0 / (1.0 + np.exp(gaps))))

    def best(self, day: float, among: Sequence[str]) -> str:
        """Return who is truly best of these on a day."""
        return max(among, key=lambda option: self.score(option, day, among))


def polls(n: int, *, days: float = 21.0, seed: int = 1) -> list[Poll]:
    """Return so many polls, of all kinds in turn; taste changes at 12.5 of 21 days.

    Examples
    --------
    >>> [one.name for one in polls(5)]
    ['plain-1', 'five-1', 'edits-1', 'hard-1', 'plain-2']
    >>> one = polls(4)[3]
    >>> one.best(12.4, one.options) == one.best(12.6, one.options)
    False
    """
    return [
        _poll(KINDS[i % len(KINDS)], i // len(KINDS) + 1, days / 21.0, seed + i) for i in range(n)
    ]


def _poll(kind: Kind, number: int, stretch: float, seed: int) -> Poll:
    rng = np.random.default_rng(seed)
    names = NAMES if kind == "five" else NAMES[:4]
    first, second = (str(one) for one in rng.choice(names, 2, replace=False))
    rest = {name: float(rng.uniform(-0.6, -0.1)) for name in names}
    before, after = {**rest, first: _LEAD[kind]}, {**rest, second: _LEAD[kind]}
    if kind == "hard":  # the two in front are close to each other, and far from the others
        before[second] = after[first] = 0.0
    else:
        before[second] = after[first] = float(rng.uniform(-0.3, 0.0))
    edits: tuple[Edit, ...] = ()
    if kind == "edits":
        before |= dict.fromkeys(NEWCOMERS, -0.2)
        after |= dict.fromkeys(NEWCOMERS, -0.2)
        third, fourth = (name for name in names if name not in (first, second))
        steps = (
            Edit(4.0, join=(NEWCOMERS[0],)),
            Edit(7.0, pause=(third,)),
            Edit(8.0, resume=(third,)),
            Edit(10.0, pause=(fourth,), resume=(fourth,)),  # within a second, no vote between
            Edit(17.0, join=(NEWCOMERS[1],)),
        )
        edits = tuple(Edit(one.day * stretch, one.join, one.pause, one.resume) for one in steps)
    name = f"{kind}-{number}"
    return Poll(name, kind, tuple(names), before, after, 12.5 * stretch, edits, seed)
