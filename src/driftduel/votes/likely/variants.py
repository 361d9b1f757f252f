"""Who is likely best if variants of one thing count as one, from the samples of the same story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from driftduel.verdict import variants as words
from driftduel.verdict.parts import Sentence, plain
from driftduel.votes.likely.bins import Floats
from driftduel.votes.likely.story import Story
from driftduel.votes.variants import Places, shared_weight


@dataclass(frozen=True, eq=False)
class Counted:
    """What it changes that variants count as one.

    Attributes
    ----------
    names : tuple of str
        The options, which are known by their place here.
    variants : tuple of tuple of int
        Options that are variants of one thing.
    shared, alone : ndarray of shape (K,)
        P(best) now if they share one weight as opponents, and if each option has its own.
    """

    names: tuple[str, ...]
    variants: Places
    shared: Floats
    alone: Floats

    @property
    def best(self) -> tuple[int, ...]:
        """What is likeliest to be best if variants count as one: an option, or those of a thing."""
        return self._front(self.shared)

    @property
    def best_alone(self) -> tuple[int, ...]:
        """What is if every option counts: one of its variants is in front then."""
        return self._front(self.alone)

    @property
    def probability(self) -> float:
        """How likely it is that one of `best` is."""
        return float(self.shared[list(self.best)].sum())

    @property
    def copies_decide(self) -> bool:
        """Whether another one is likeliest to be best because things have several variants."""
        return self.best != self.best_alone

    @property
    def sentence(self) -> Sentence:
        """What it changes, in words."""
        return words.counted_as_one(
            self.names, self.variants, self.best, self.probability, self.best_alone
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "says": plain(self.sentence),
            "variants": [[self.names[n] for n in group] for group in self.variants],
            "best": [self.names[n] for n in self.best],
            "probability": round(self.probability, 4),
            "copies_decide": self.copies_decide,
            "probabilities": {
                name: round(float(share), 4)
                for name, share in zip(self.names, self.shared, strict=True)
            },
        }

    def _front(self, chances: Floats) -> tuple[int, ...]:
        known = {n for group in self.variants for n in group}
        things = [*self.variants, *((n,) for n in range(len(self.names)) if n not in known)]
        return max(things, key=lambda thing: chances[list(thing)].sum())


def counted(story: Story, names: tuple[str, ...], variants: Places) -> Counted | None:
    """Return who is best now if variants count as one, and if each option counts for itself.

    None if no two variants of one thing are on offer now.
    """
    there = np.flatnonzero(story.bins.offered[-1])
    now = tuple(tuple(n for n in group if n in there) for group in variants)
    now = tuple(group for group in now if len(group) > 1)
    if not now:
        return None
    found = []
    for groups in (now, ()):
        best = story.scores_in(-1, shared_weight(story.n_arms, groups, there)).argmax(axis=1)
        found.append(np.bincount(best, minlength=story.n_arms) / len(best))
    return Counted(names, now, *found)
