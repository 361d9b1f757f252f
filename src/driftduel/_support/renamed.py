"""Names of the last release that moved: who uses one is told the new one, for this release.

A learner that lived at the top still works there, with a warning: too much code calls it so. All
else is refused with a sentence.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

from driftduel._support.registry import MODULE_OF

MOVED = {
    "banks_set": "matrix.banks_set",
    "copeland_set": "matrix.copeland_set",
    "criteria": "matrix.criteria",
    "inference": "votes",
    "preferences": "matrix.preferences",
    "shifts": "worlds.measures",
    "simulation": "experiments.simulation",
    "streams": "worlds",
    "top_cycle": "matrix.top_cycle",
    "tournaments": "matrix.tournaments",
    "uncovered_set": "matrix.uncovered_set",
    "von_neumann_winner": "matrix.von_neumann_winner",
    "weights": "matrix.weights",
}
"""Old names of `driftduel`, and what they are called now."""


def renamed(name: str) -> Any:
    """Return the learner that an old name of the package means, with a warning, or raise.

    Examples
    --------
    >>> renamed("streams")
    Traceback (most recent call last):
        ...
    AttributeError: driftduel.streams is now driftduel.worlds
    """
    if name in MODULE_OF:
        warnings.warn(
            f"driftduel.{name} is now driftduel.learners.{name}; the old name works until 0.2",
            DeprecationWarning,
            stacklevel=3,
        )
        return getattr(import_module(MODULE_OF[name]), name)
    if name in MOVED:
        raise AttributeError(f"driftduel.{name} is now driftduel.{MOVED[name]}")
    raise AttributeError(f"module 'driftduel' has no attribute {name!r}")
