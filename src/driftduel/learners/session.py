"""The changing part of a learner that is driven by hand: open duels, rounds, what happened."""

from __future__ import annotations

import math
import numbers
import uuid
from copy import deepcopy
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel.learners.history import History

if TYPE_CHECKING:
    from driftduel.learners.base import Learner, State


@dataclass(frozen=True)
class Duel:
    """A pair put before a voter, with the probability it was drawn with.

    Attributes
    ----------
    id : int
        The number of the duel, counted from 0 for each learner.
    left, right : int
        The arms; they may be the same.
    propensity : float or None
        The probability of this ordered pair at the time of asking; None where the learner has
        no formula for it.
    learner : str
        Which learner asked.
    """

    id: int
    left: int
    right: int
    propensity: float | None
    learner: str


@dataclass
class Session:
    """The changing part of a learner that is driven by hand; its user holds its lock."""

    state: State
    rng: np.random.Generator
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    asked: int = 0
    told: int = 0
    open: dict[int, tuple[int, int, tuple[float, ...]]] = field(default_factory=dict)
    history: History = field(default_factory=History)
    lock: RLock = field(default_factory=RLock, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, as it was at one moment, for copies and pickles."""
        with self.lock:
            return deepcopy({key: part for key, part in vars(self).items() if key != "lock"})

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, lock=RLock())

    def ask(self, learner: Learner) -> Duel:
        """Return the next duel of the learner whose session this is."""
        learner.check_horizon(self.told + 1)
        left, right, ticket = learner.choose(self.state, self.rng)
        number = self.asked
        self.open[number] = (int(left), int(right), tuple(map(float, ticket)))
        self.asked += 1
        return self._duel(number)

    def tell(self, learner: Learner, duel: Duel | int, outcome: float) -> None:
        """Take in the outcome of a duel of the learner whose session this is."""
        number = self._number_of(duel)
        value = _as_outcome(outcome)
        learner.check_horizon(self.told + 1)
        left, right, ticket = self.open.pop(number)
        if learner.learn(self.state, left, right, ticket, value):
            learner.settle(self.state, self.rng)
            learner.collect(self.state, self.history)
        self.told += 1

    def open_duels(self) -> list[Duel]:
        """Return the duels asked and not told yet."""
        return [self._duel(number) for number in self.open]

    def _number_of(self, duel: Duel | int) -> int:
        """Return the number of a duel after checking that it is open here."""
        if not isinstance(duel, Duel):
            if isinstance(duel, bool) or not isinstance(duel, int | np.integer):
                raise ValueError(f"duel is {duel!r}, must be a whole number")
            number = int(duel)
        elif duel.learner == self.name:
            number = duel.id
        else:
            raise ValueError(f"duel {duel.id} was asked by another learner")
        if number not in self.open:
            known = "was told already" if 0 <= number < self.asked else "was never asked"
            raise ValueError(f"duel {number} {known}")
        # Copies of a learner, also through a file, have one name but ask apart from then on.
        if isinstance(duel, Duel) and duel != self._duel(number):
            raise ValueError(f"duel {number} was asked by a copy of this learner")
        return number

    def _duel(self, number: int) -> Duel:
        left, right, ticket = self.open[number]
        propensity = None if math.isnan(ticket[0]) else ticket[0]
        return Duel(number, left, right, propensity, self.name)


def _as_outcome(outcome: Any) -> float:
    number = isinstance(outcome, numbers.Real) and not isinstance(outcome, bool)
    if not number or outcome not in (0, 0.5, 1):
        raise ValueError(f"outcome is {outcome!r}, must be 1 (left), 0 (right) or 0.5 (tie)")
    return float(outcome)
