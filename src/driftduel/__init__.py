"""Find, and keep finding, what people prefer, when preferences drift.

Names are imported on first use, so that ``import driftduel`` is quick. Every learner of
`all_learners` is a name here too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftduel._version import __version__

if TYPE_CHECKING:
    from driftduel import learners as learners
    from driftduel import shifts as shifts
    from driftduel import simulation as simulation
    from driftduel import streams as streams
    from driftduel import testing as testing
    from driftduel.criteria import Borda as Borda
    from driftduel.criteria import Condorcet as Condorcet
    from driftduel.criteria import Copeland as Copeland
    from driftduel.criteria import Criterion as Criterion
    from driftduel.criteria import Weighted as Weighted
    from driftduel.learners import Bosse as Bosse
    from driftduel.learners import FixedPair as FixedPair
    from driftduel.learners import Learner as Learner
    from driftduel.learners import MetaBosse as MetaBosse
    from driftduel.learners import Uniform as Uniform
    from driftduel.learners import all_learners as all_learners
    from driftduel.learners import load_learner as load_learner
    from driftduel.preferences import classify as classify
    from driftduel.shifts.measures import Measures as Measures
    from driftduel.shifts.measures import measure as measure
    from driftduel.shifts.phases import Phases as Phases
    from driftduel.simulation import Run as Run
    from driftduel.simulation import simulate as simulate
    from driftduel.simulation import simulate_many as simulate_many
    from driftduel.streams.stream import Stream as Stream
    from driftduel.weights import WeightSequence as WeightSequence

_HOME = {
    "Borda": "criteria",
    "Condorcet": "criteria",
    "Copeland": "criteria",
    "Criterion": "criteria",
    "Learner": "learners",
    "Measures": "shifts.measures",
    "Phases": "shifts.phases",
    "Run": "simulation",
    "Stream": "streams.stream",
    "WeightSequence": "weights",
    "Weighted": "criteria",
    "all_learners": "learners",
    "classify": "preferences",
    "load_learner": "learners",
    "measure": "shifts.measures",
    "simulate": "simulation",
    "simulate_many": "simulation",
}
_MODULES = ("learners", "shifts", "simulation", "streams", "testing")

__all__ = ["__version__", *_HOME, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    elif name[:1].isupper() and name in import_module(f"{__name__}.learners.families").MODULE_OF:
        value = getattr(import_module(f"{__name__}.learners"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
