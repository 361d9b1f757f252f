"""A learner from outside the package: the winner stays, a random challenger comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from driftduel.learners import Learner, inline_kernel


class ChampionState(NamedTuple):
    champion: np.ndarray
    wins: np.ndarray


@inline_kernel
def choose(state, rng):
    n_arms = state.wins.shape[0]
    return state.champion[0], int(rng.random() * n_arms), (1.0 / n_arms,)


@inline_kernel
def learn(state, left, right, ticket, outcome):
    state.wins[left] += outcome
    if left == state.champion[0] and outcome == 0.0:
        state.champion[0] = right
    return False


@dataclass(frozen=True, eq=False)
class ChampionStays(Learner):
    first: int = field(default=0, kw_only=True)

    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    def _allocate(self):
        return ChampionState(np.array([self.first]), np.zeros(self.n_arms))

    def _best_of(self, state):
        return int(state.champion[0])


@dataclass(frozen=True, eq=False)
class ChangesArms(ChampionStays):
    can_change_arms = True
    _noop_ticket = (1.0,)

    def _carry(self, state, kept, rng):
        fresh = self._allocate()
        fresh.wins[kept >= 0] = state.wins[kept[kept >= 0]]
        fresh.champion[:] = np.flatnonzero(kept == state.champion)[:1].sum()
        return fresh


def maker(kind):
    return lambda n_arms, horizon, seed: kind(n_arms, horizon, seed=seed)
