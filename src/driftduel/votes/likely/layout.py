"""Which numbers the state of the model holds: strengths, the side, effects of pairs and groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.likely.bins import Bins, Floats, Ints
from driftduel.votes.likely.design import Design, Matrix, Pairs

if TYPE_CHECKING:
    from driftduel.votes.likely.filtering import Constants

_SIDE = 0.5
_GROUPS = 0.5
_MOST_SINGLE = 24
_MANY_ROWS = 4
"""Of so many rows for each number of the state most entries of a matrix would be 0 in vain."""

_DENSE = 40
"""States of so many numbers or more are stored in single precision."""


@dataclass(frozen=True)
class Layout:
    """The places of the state: arms first, then the side, pairs, and arms by group.

    Attributes
    ----------
    n_arms : int
    sided : bool
        Whether the left side may have an advantage.
    paired : bool
        Whether pairs may differ from what strengths say.
    n_groups : int
        Groups of voters beside which arms may differ; 0 if there are none.
    """

    n_arms: int
    sided: bool = False
    paired: bool = False
    n_groups: int = 0

    @property
    def side(self) -> int:
        """The place of the side."""
        return self.n_arms

    @property
    def first_pair(self) -> int:
        """The place of the effect of the pair (0, 1)."""
        return self.n_arms + self.sided

    @property
    def n_pairs(self) -> int:
        """How many pairs have effects."""
        return self.n_arms * (self.n_arms - 1) // 2 if self.paired else 0

    @property
    def first_group(self) -> int:
        """The place of the first arm in the first group."""
        return self.first_pair + self.n_pairs

    @property
    def size(self) -> int:
        """How many numbers the state has."""
        return self.first_group + self.n_groups * self.n_arms

    @property
    def single_jumps(self) -> bool:
        """Whether jumps of single arms are looked for."""
        return self.n_arms <= _MOST_SINGLE

    @cached_property
    def pair_place(self) -> Ints:
        """The place of each pair's effect, (K, K), for the smaller index first."""
        found = np.zeros((self.n_arms, self.n_arms), dtype=np.int64)
        one, other = np.triu_indices(self.n_arms, 1)
        found[one, other] = found[other, one] = self.first_pair + np.arange(len(one))
        return found

    def prior(self, constants: Constants) -> Floats:
        """Return the variances before any vote, (G, D)."""
        found = np.empty((len(constants.spread), self.size))
        found[:, : self.n_arms] = constants.spread[:, None] ** 2
        found[:, self.n_arms : self.first_pair] = _SIDE**2
        found[:, self.first_pair : self.first_group] = constants.pairs[:, None] ** 2
        found[:, self.first_group :] = _GROUPS**2
        return found

    def design(self, bins: Bins, rows: slice) -> tuple[Design, Ints | None]:
        """Return what rows add up, and the places of the state that they meet; None if all."""
        left, right = bins.left[rows], bins.right[rows]
        plain = not self.paired and not self.n_groups
        if plain and len(left) > _MANY_ROWS * self.size:
            met = np.zeros(self.size, dtype=np.bool_)
            met[left] = met[right] = True
            met[self.n_arms :] = True
            if met.all():
                return Pairs(left, right, self.size, self.sided), None
            active = np.flatnonzero(met)
            place = np.cumsum(met) - 1
            return Pairs(place[left], place[right], len(active), self.sided), active
        found = np.zeros((len(left), self.size))
        at = np.arange(len(left))
        found[at, left] = 1.0
        found[at, right] = -1.0
        if self.sided:
            found[:, self.side] = 1.0
        if self.paired:
            found[at, self.pair_place[left, right]] = np.where(left < right, 1.0, -1.0)
        if self.n_groups:
            place = self.first_group + bins.group[rows] * self.n_arms
            found[at, place + left] = 1.0
            found[at, place + right] = -1.0
        active = np.flatnonzero(found.any(axis=0))
        if len(active) > 0.75 * self.size:
            return Matrix(found), None
        return Matrix(found[:, active]), active

    def stored(self, spread: Floats) -> NDArray[np.floating]:
        """Return covariances as they are kept."""
        return spread.astype(np.float32) if self.size >= _DENSE else spread.copy()
