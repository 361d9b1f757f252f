"""When replays are due, drawn by thinning as the learners draw them.

That this has the law of one coin for every round and length is for
tests/learners/test_replays.py to test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Coin:
    """Lands with probability rate length^a age^b, where age counts the rounds of the episode."""

    length_power: float
    age_power: float
    rate: float = 1.0

    def times(self, rate):
        return replace(self, rate=self.rate * rate)

    def chance(self, length, age):
        return min(1.0, self.rate * length**self.length_power * float(age) ** self.age_power)


METABOSSE = Coin(-1 / 3, -2 / 3)
ANACONDA = Coin(-1 / 2, -1 / 2)


def next_age(rng, coin, length, age):
    """Return the next age of the episode after this one at which the coin of a length lands."""
    if coin.rate == 0:
        return math.inf
    while True:
        bound = coin.chance(length, age + 1)
        skipped = 0
        if bound < 1:
            skipped = math.floor(math.log1p(-rng.random()) / math.log1p(-bound))
        age += 1 + skipped
        if age >= 2**61:
            return math.inf
        if rng.random() * bound < coin.chance(length, age):
            return age
