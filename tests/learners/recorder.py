"""A learner that notes what it is told, for the tests of asking and telling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from driftduel.learners import Learner, inline_kernel
from driftduel.learners.contract.storage import as_payload


class Ledger(NamedTuple):
    """Everything a learner was told, and how often it was told anything."""

    rounds: np.ndarray
    rows: np.ndarray


@inline_kernel
def choose(state, rng):
    n = state.rounds[0]
    return n % 3, 2, (np.nan if n % 2 else 0.25, float(n))


@inline_kernel
def learn(state, left, right, ticket, outcome):
    row = state.rows[state.rounds[0]]
    row[0] = left
    row[1] = right
    row[2] = ticket[1]
    row[3] = outcome
    state.rounds[0] += 1
    return False


@dataclass(frozen=True, eq=False)
class Recorder(Learner):
    """Tells its learning kernel the number of outcomes known at the time of asking."""

    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    def _allocate(self):
        return Ledger(np.zeros(1, np.int64), np.full((20, 4), np.nan))

    def _best_of(self, state):
        return 0


def told(learner):
    return learner._session.state.rows[: learner.rounds].tolist()


def unchanged_by(learner, duel, outcome):
    before = as_payload(learner)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.tell(duel, outcome)
    assert as_payload(learner) == before
    return str(error.value)
