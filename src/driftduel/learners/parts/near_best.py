"""How near to the best an arm must be, and how surely: shared by the learners of maxing."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass

from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.parts.failure import check_horizon_or, failure_of

MAXING_PAPER = "Falahatgar, Hao, Orlitsky, Pichapati & Ravindrakumar, Maxing and Ranking with Few Assumptions, NIPS 2017"  # noqa: E501


@dataclass(frozen=True, eq=False)
class Maxing(Learner):
    """Finds an arm that is within epsilon of the best, with probability 1 - delta."""

    _: KW_ONLY
    epsilon: float | None = bounded(None, above=0, most=1)
    failure: float | None = bounded(None, above=0, below=1)

    def _validate(self) -> None:
        """Raise BadParameter if nothing says how near to the best is near enough."""
        check_horizon_or(self, "epsilon")

    @abstractmethod
    def _duels_for(self, log_failure: float) -> float:
        """Return about how many duels an epsilon takes, divided by epsilon^-2."""

    def _delta(self) -> float:
        return failure_of(self.failure, self.horizon)

    def _epsilon(self) -> float:
        """Return epsilon: as given, or where epsilon T and the duels cost least together."""
        if self.epsilon is not None:
            return self.epsilon
        duels = self._duels_for(-math.log(self._delta()))
        return min(0.5, (2 * duels / self._known_horizon) ** (1 / 3))
