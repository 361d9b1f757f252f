"""With which probability a learner may be wrong, and how wide its intervals are then."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

from driftduel._support.checks import BadParameter
from driftduel._support.compile.jit import inline_kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner

SURE = 0.01
"""The chance of a wrong choice that is allowed where no horizon suggests 1/T."""


def failure_of(failure: float | None, horizon: int | None) -> float:
    """Return delta: as given, 1/T if there is a horizon; below 1 also for a single round."""
    if failure is not None:
        return failure
    return SURE if horizon is None else 1 / max(horizon, 2)


def check_horizon_or(learner: Learner, name: str) -> None:
    """Raise BadParameter if a learner is told neither this parameter nor its horizon."""
    if getattr(learner, name) is None and learner.horizon is None:
        raise BadParameter(name, "is None and so is horizon, one of them must be given")


@dataclass(frozen=True, eq=False)
class ToldDelta(Learner):
    """A learner whose verdicts may be wrong with probability delta, 1/T unless it is given."""

    _: KW_ONLY
    delta: float | None = bounded(None, above=0, most=1)

    def _validate(self) -> None:
        """Raise BadParameter if neither the confidence nor the horizon is given."""
        check_horizon_or(self, "delta")

    def _failure(self) -> float:
        return 1 / self._known_horizon if self.delta is None else self.delta

    def _savage_level(self, n_pairs: float) -> tuple[float, float]:
        """Return ln(eta / delta) of SAVAGE after one duel of each pair, and the factor of ln n."""
        if self.horizon is None:
            return math.log(math.pi**2 * n_pairs / (3 * self._failure())), 2.0
        return math.log(2 * n_pairs * self.horizon / self._failure()), 0.0


def level_of_scores(n_arms: int, failure: float | None, horizon: int | None) -> float:
    """Return ln(K/delta) + 0.75 ln ln(K/delta), of Heckel et al., AISTATS 2018."""
    level = math.log(n_arms / failure_of(failure, horizon))
    return level + 0.75 * math.log(level)


@inline_kernel
def level_after(level: float, tosses: float) -> float:
    """Return what the level is after so many tosses: + 1.5 ln(1 + ln(tosses / 2))."""
    return level + 1.5 * math.log(1.0 + math.log(tosses / 2.0))
