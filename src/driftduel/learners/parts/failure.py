"""With which probability a learner may be wrong."""

from __future__ import annotations

SURE = 0.01
"""The chance of a wrong choice that is allowed where no horizon suggests 1/T."""


def failure_of(failure: float | None, horizon: int | None) -> float:
    """Return delta: as given, 1/T if there is a horizon; below 1 also for a single round."""
    if failure is not None:
        return failure
    return SURE if horizon is None else 1 / max(horizon, 2)
