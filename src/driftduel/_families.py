"""Which learner lives in which module; `driftduel._roster` lists them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from driftduel._lazy import listed

PARTS: dict[str, str] = {
    "Calibration": "driftduel.learners.calibrated.calibration",
    "Constants": "driftduel.learners.episodic.bosse",
}
"""Classes that learners take as parameters, and the module of each."""

MODULE_OF = listed("driftduel._roster")
"""The module of every learner."""


def learner_class(name: Any) -> Any:
    """Return the learner of that name.

    Examples
    --------
    >>> learner_class("RUCB")
    <class 'driftduel.learners.rivals.rucb.RUCB'>
    """
    if not isinstance(name, str) or name not in MODULE_OF:
        from driftduel._checks import BadParameter

        known = ", ".join(sorted(MODULE_OF))
        raise BadParameter("name", f": no learner is called {name!r}, there are {known}")
    return getattr(import_module(MODULE_OF[name]), name)
