"""With which probability a learner may be wrong, and how wide its intervals are then."""

from __future__ import annotations

import math

from driftduel._support.checks import BadParameter
from driftduel._support.compile.jit import inline_kernel
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


def level_of_scores(n_arms: int, failure: float | None, horizon: int | None) -> float:
    """Return ln(K/delta) + 0.75 ln ln(K/delta), of Heckel et al., AISTATS 2018."""
    level = math.log(n_arms / failure_of(failure, horizon))
    return level + 0.75 * math.log(level)


@inline_kernel
def level_after(level: float, tosses: float) -> float:
    """Return what the level is after so many tosses: + 1.5 ln(1 + ln(tosses / 2))."""
    return level + 1.5 * math.log(1.0 + math.log(tosses / 2.0))
