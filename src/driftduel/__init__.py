"""Find, and keep finding, what people prefer, when preferences drift.

Names are imported on first use, so that ``import driftduel`` is quick. Every learner of
`all_learners` is a name here too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftduel._families import MODULE_OF
from driftduel._version import __version__

if TYPE_CHECKING:
    from driftduel import experiments as experiments
    from driftduel import learners as learners
    from driftduel import plot as plot
    from driftduel import shifts as shifts
    from driftduel import simulation as simulation
    from driftduel import streams as streams
    from driftduel import testing as testing
    from driftduel._checks import BadParameter as BadParameter
    from driftduel.criteria import Borda as Borda
    from driftduel.criteria import Condorcet as Condorcet
    from driftduel.criteria import Copeland as Copeland
    from driftduel.criteria import Criterion as Criterion
    from driftduel.criteria import Weighted as Weighted
    from driftduel.experiments.results import Results as Results
    from driftduel.learners import BCB as BCB
    from driftduel.learners import CCB as CCB
    from driftduel.learners import DETECT as DETECT
    from driftduel.learners import DEX3P as DEX3P
    from driftduel.learners import DEX3S as DEX3S
    from driftduel.learners import DEXP3 as DEXP3
    from driftduel.learners import DEXP3HP as DEXP3HP
    from driftduel.learners import DTS as DTS
    from driftduel.learners import MDB as MDB
    from driftduel.learners import REX3 as REX3
    from driftduel.learners import RMED1 as RMED1
    from driftduel.learners import RMED2FH as RMED2FH
    from driftduel.learners import RRDB as RRDB
    from driftduel.learners import RUCB as RUCB
    from driftduel.learners import SAVAGE as SAVAGE
    from driftduel.learners import SCB as SCB
    from driftduel.learners import ActiveRanking as ActiveRanking
    from driftduel.learners import Anaconda as Anaconda
    from driftduel.learners import BeatTheMean as BeatTheMean
    from driftduel.learners import BeatTheWinnerReset as BeatTheWinnerReset
    from driftduel.learners import BeatTheWinnerResetStrong as BeatTheWinnerResetStrong
    from driftduel.learners import BordaDEX3S as BordaDEX3S
    from driftduel.learners import BordaElimination as BordaElimination
    from driftduel.learners import BordaETC as BordaETC
    from driftduel.learners import Bosse as Bosse
    from driftduel.learners import CalibratedMetaBosse as CalibratedMetaBosse
    from driftduel.learners import DiscountedBordaGreedy as DiscountedBordaGreedy
    from driftduel.learners import DiscountedBordaUCB as DiscountedBordaUCB
    from driftduel.learners import DiscountedCondorcetGreedy as DiscountedCondorcetGreedy
    from driftduel.learners import DiscountedRUCB as DiscountedRUCB
    from driftduel.learners import DTSPlus as DTSPlus
    from driftduel.learners import FixedPair as FixedPair
    from driftduel.learners import InterleavedFilter as InterleavedFilter
    from driftduel.learners import Learner as Learner
    from driftduel.learners import MergeRUCB as MergeRUCB
    from driftduel.learners import MetaBosse as MetaBosse
    from driftduel.learners import MetaSwift as MetaSwift
    from driftduel.learners import Oracle as Oracle
    from driftduel.learners import PeriodicRestart as PeriodicRestart
    from driftduel.learners import SelfSparring as SelfSparring
    from driftduel.learners import SlidingBordaGreedy as SlidingBordaGreedy
    from driftduel.learners import SlidingBordaUCB as SlidingBordaUCB
    from driftduel.learners import SlidingRUCB as SlidingRUCB
    from driftduel.learners import SlidingWindow as SlidingWindow
    from driftduel.learners import SparringEXP3 as SparringEXP3
    from driftduel.learners import SparringThompson as SparringThompson
    from driftduel.learners import SparringUCB as SparringUCB
    from driftduel.learners import SparseBordaElimination as SparseBordaElimination
    from driftduel.learners import Uniform as Uniform
    from driftduel.learners import VersatileDB as VersatileDB
    from driftduel.learners import WinnerStays as WinnerStays
    from driftduel.learners import WinnerStaysStrong as WinnerStaysStrong
    from driftduel.learners import all_learners as all_learners
    from driftduel.learners import learner_file as learner_file
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
    "BadParameter": "_checks",
    "Borda": "criteria",
    "Condorcet": "criteria",
    "Copeland": "criteria",
    "Criterion": "criteria",
    "Learner": "learners",
    "Measures": "shifts.measures",
    "Phases": "shifts.phases",
    "Results": "experiments.results",
    "Run": "simulation",
    "Stream": "streams.stream",
    "WeightSequence": "weights",
    "Weighted": "criteria",
    "all_learners": "learners",
    "classify": "preferences",
    "learner_file": "learners",
    "load_learner": "learners",
    "measure": "shifts.measures",
    "simulate": "simulation",
    "simulate_many": "simulation",
}
_HOME |= dict.fromkeys(MODULE_OF, "learners")
_MODULES = ("experiments", "learners", "plot", "shifts", "simulation", "streams", "testing")

__all__ = ["__version__", *_HOME, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
