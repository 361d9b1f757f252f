"""A learner from outside the package, as somebody would write it."""

from __future__ import annotations

GREEDY = '''
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftduel.learners import Learner, bounded, inline_kernel


class State(NamedTuple):
    leads: np.ndarray
    epsilon: np.ndarray


@inline_kernel
def choose(state, rng):
    n_arms = state.leads.shape[0]
    leader = 0
    for arm in range(n_arms):
        if state.leads[arm] > state.leads[leader]:
            leader = arm
    left = leader
    if rng.random() < state.epsilon[0]:
        left = int(rng.random() * n_arms)
    return left, int(rng.random() * n_arms), (np.nan,)


@inline_kernel
def learn(state, left, right, ticket, outcome):
    state.leads[left] += outcome - 0.5
    state.leads[right] -= outcome - 0.5
    return False


@dataclass(frozen=True, eq=False)
class EpsilonGreedy(Learner):
    """Plays the leader, or somebody at random."""

    epsilon: float = bounded(0.1, least=0, most=1)

    choose = staticmethod(choose)
    learn = staticmethod(learn)

    def allocate(self):
        return State(np.zeros(self.n_arms), np.array([self.epsilon]))

    def best_of(self, state):
        return int(state.leads.argmax())
'''
