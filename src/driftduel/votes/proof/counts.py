"""What is counted of votes over the life of a poll whose options come and go.

Votes, tosses and wins are counted by pairs of arms, of all that there ever were. A *toss* for an
arm is a vote whose opponent was drawn by the reference weight from the others on offer. When
options join, pause, come back or leave nothing is thrown away: arms that were always on offer
together are *alike*, so that an opponent drawn from the others on offer is drawn alike among them,
and `driftduel.votes.proof.leads` takes each class of such arms as a stratum of its own.

An owner may change the options after looking at the results. So the evidence is weighed by how
likely a set of options was held before anybody looked: with K arms known, a of them absent and g
one more than how often the list of arms grew since the count began, the set has the share

    w = .6                              if it was on offer when the count began
    w = .3 v(a) / C(K, a)               otherwise, as long as the list is as it was: g = 1
    w = .1 2^(1 - g) 2^-(a + 1) / C(K, a)      after it grew

of the level, with v = 1/16, 3/4, 3/32, 3/64, ... for a = 0, 1, 2, 3, ...: to pause one is what
owners do. All sets together have 1 at most. When the world changed the count begins again; count
j = 0, 1, ... has the level alpha / ((j + 1) (j + 2)), which sums up to alpha over a life.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALWAYS, NEVER = 0, 1
"""The classes of arms that were on offer with every vote of the count, and with none."""

_FIRST, _AS_IT_WAS, _GROWN = 0.6, 0.3, 0.1
_FEW_ABSENT = {0: 1 / 16, 1: 3 / 4}


@dataclass(frozen=True, eq=False)
class Counts:
    """Votes by pairs of all arms there ever were, since the world last changed.

    Attributes
    ----------
    number : int
        Which count it is, from 0 on: how often one began from nothing as the world changed.
    since, until : int
        The round after which it began, and the one up to which it goes.
    first : tuple of int
        The arms on offer when it began.
    grown : int
        How often the list of arms grew since, and one.
    alike : ndarray of shape (N,)
        Classes of arms: those with the same number were on offer together with every vote.
    wins : ndarray of shape (N, N)
        Votes that the row won over the column, a tie as 1/2 for each.
    tossed, won : ndarray of shape (N, N)
        Tosses of the row that met the column, and how many of them it won.
    """

    number: int
    since: int
    until: int
    first: tuple[int, ...]
    grown: int
    alike: Ints
    wins: Floats
    tossed: Floats
    won: Floats

    def level(self, alpha: float) -> float:
        """Return the level of this count, of those of a life which sum up to ``alpha``."""
        return alpha / ((self.number + 1) * (self.number + 2))

    def log_weight(self, arms: Sequence[int]) -> float:
        """Return the logarithm of the share of the level that a set of arms has."""
        if tuple(arms) == self.first:
            return math.log(_FIRST)
        known = len(self.alike)
        absent = known - len(arms)
        if self.grown == 1:
            share = _AS_IT_WAS * _FEW_ABSENT.get(absent, 0.375 * 2.0**-absent)
        else:
            share = _GROWN * 2.0 ** -(self.grown + absent)
        return math.log(share / math.comb(known, absent))

    def classes(self, arms: Sequence[int]) -> list[list[int]]:
        """Return the places in ``arms`` of those that are alike, class by class."""
        found: dict[int, list[int]] = {}
        for place, arm in enumerate(arms):
            found.setdefault(int(self.alike[arm]), []).append(place)
        return list(found.values())

    def among(self, arms: Sequence[int]) -> tuple[Floats, tuple[Floats, Floats]]:
        """Return the wins among some arms, and their tosses with how many were won."""
        chosen = np.ix_(arms, arms)
        return self.wins[chosen], (self.tossed[chosen], self.won[chosen])

    def grown_to(self, n_arms: int) -> Counts:
        """Return the same with room for arms that joined since, if any did."""
        more = n_arms - len(self.alike)
        if more == 0:
            return self
        tables: dict[str, Any] = {
            name: np.pad(getattr(self, name), (0, more)) for name in ("wins", "tossed", "won")
        }
        alike = np.pad(self.alike, (0, more), constant_values=NEVER)
        return replace(self, grown=self.grown + 1, alike=alike, **tables)

    def with_votes(
        self, offered: Sequence[int], wins: Floats, tossed: NDArray[Any], won: Floats, until: int
    ) -> Counts:
        """Return the same with votes that were cast while some arms were on offer."""
        if not wins.any():
            return replace(self, until=until)
        total, (met, toss_wins) = self.wins.copy(), (self.tossed.copy(), self.won.copy())
        chosen = np.ix_(offered, offered)
        total[chosen] += wins
        if tossed.size:
            met[chosen] += tossed
            toss_wins[chosen] += won
        alike = _refined(self.alike, offered)
        return replace(self, until=until, alike=alike, wins=total, tossed=met, won=toss_wins)


class CountsOfEvenSets(Counts):
    """Counts whose level sets of arms share as by rules 3 of polls.

    The first set has .6 of it, any other one .3 2^-g 2^-max(a, 1) / C(K, a); see above.
    """

    def log_weight(self, arms: Sequence[int]) -> float:
        """Return the logarithm of the share of the level that a set of arms has."""
        if tuple(arms) == self.first:
            return math.log(_FIRST)
        known = len(self.alike)
        absent = known - len(arms)
        halves = (self.grown + max(absent, 1)) * math.log(2.0)
        return math.log(_AS_IT_WAS) - halves - math.log(math.comb(known, absent))


def no_counts(n_arms: int, offered: Sequence[int], number: int, since: int) -> Counts:
    """Return the count before its first vote."""
    table = np.zeros((n_arms, n_arms))
    here = np.isin(np.arange(n_arms), offered)
    alike = np.where(here, ALWAYS, NEVER)
    return Counts(number, since, since, tuple(offered), 1, alike, table, table, table)


def _refined(alike: Ints, offered: Sequence[int]) -> Ints:
    """Return the classes after more votes, with which some arms were on offer.

    Examples
    --------
    >>> _refined(np.array([0, 0, 0, 1]), [0, 1, 3]).tolist()
    [0, 0, 2, 3]
    >>> _refined(np.array([0, 0, 2, 3]), [0, 1, 2]).tolist()
    [0, 0, 2, 3]
    """
    here = np.isin(np.arange(len(alike)), offered)
    keys = [(int(old), bool(now)) for old, now in zip(alike, here, strict=True)]
    names = {(ALWAYS, True): ALWAYS, (NEVER, False): NEVER}
    for key in keys:
        names.setdefault(key, len(names))
    return np.array([names[key] for key in keys], np.int64)
