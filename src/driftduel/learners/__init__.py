"""Who plays: the learners. Families are imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftduel._families import MODULE_OF, PARTS
from driftduel._jit import inline_kernel, kernel
from driftduel.learners.base import Duel, Eviction, Learner, Literature, Replay
from driftduel.learners.storage import load_learner

if TYPE_CHECKING:
    from driftduel.learners.active_ranking import ActiveRanking as ActiveRanking
    from driftduel.learners.anaconda import Anaconda as Anaconda
    from driftduel.learners.anaconda import MetaSwift as MetaSwift
    from driftduel.learners.baselines import FixedPair as FixedPair
    from driftduel.learners.baselines import Uniform as Uniform
    from driftduel.learners.borda import BCB as BCB
    from driftduel.learners.borda import BordaETC as BordaETC
    from driftduel.learners.borda_elimination import BordaElimination as BordaElimination
    from driftduel.learners.borda_elimination import (
        SparseBordaElimination as SparseBordaElimination,
    )
    from driftduel.learners.bosse import Bosse as Bosse
    from driftduel.learners.bosse import Constants as Constants
    from driftduel.learners.bosse import MetaBosse as MetaBosse
    from driftduel.learners.calibrated import CalibratedMetaBosse as CalibratedMetaBosse
    from driftduel.learners.calibrated import Calibration as Calibration
    from driftduel.learners.copeland import CCB as CCB
    from driftduel.learners.copeland import SCB as SCB
    from driftduel.learners.detection import DETECT as DETECT
    from driftduel.learners.detection import MDB as MDB
    from driftduel.learners.dex3 import DEX3P as DEX3P
    from driftduel.learners.dex3 import DEX3S as DEX3S
    from driftduel.learners.dex3 import BordaDEX3S as BordaDEX3S
    from driftduel.learners.elimination import RRDB as RRDB
    from driftduel.learners.elimination import SAVAGE as SAVAGE
    from driftduel.learners.elimination import BeatTheMean as BeatTheMean
    from driftduel.learners.elimination import InterleavedFilter as InterleavedFilter
    from driftduel.learners.exponential import DEXP3 as DEXP3
    from driftduel.learners.exponential import DEXP3HP as DEXP3HP
    from driftduel.learners.forgetting import DiscountedBordaGreedy as DiscountedBordaGreedy
    from driftduel.learners.forgetting import DiscountedBordaUCB as DiscountedBordaUCB
    from driftduel.learners.forgetting import SlidingBordaGreedy as SlidingBordaGreedy
    from driftduel.learners.forgetting import SlidingBordaUCB as SlidingBordaUCB
    from driftduel.learners.forgetting_condorcet import (
        DiscountedCondorcetGreedy as DiscountedCondorcetGreedy,
    )
    from driftduel.learners.forgetting_condorcet import DiscountedRUCB as DiscountedRUCB
    from driftduel.learners.forgetting_condorcet import SlidingRUCB as SlidingRUCB
    from driftduel.learners.oracle import Oracle as Oracle
    from driftduel.learners.restarts import PeriodicRestart as PeriodicRestart
    from driftduel.learners.restarts import SlidingWindow as SlidingWindow
    from driftduel.learners.rex3 import REX3 as REX3
    from driftduel.learners.rmed import RMED1 as RMED1
    from driftduel.learners.rmed import RMED2FH as RMED2FH
    from driftduel.learners.rucb import RUCB as RUCB
    from driftduel.learners.rucb import MergeRUCB as MergeRUCB
    from driftduel.learners.sparring import SelfSparring as SelfSparring
    from driftduel.learners.sparring import SparringEXP3 as SparringEXP3
    from driftduel.learners.sparring import SparringThompson as SparringThompson
    from driftduel.learners.sparring import SparringUCB as SparringUCB
    from driftduel.learners.thompson import DTS as DTS
    from driftduel.learners.thompson import DTSPlus as DTSPlus
    from driftduel.learners.versatile import VersatileDB as VersatileDB
    from driftduel.learners.winner_stays import BeatTheWinnerReset as BeatTheWinnerReset
    from driftduel.learners.winner_stays import BeatTheWinnerResetStrong as BeatTheWinnerResetStrong
    from driftduel.learners.winner_stays import WinnerStays as WinnerStays
    from driftduel.learners.winner_stays import WinnerStaysStrong as WinnerStaysStrong

_HOME = {**MODULE_OF, **PARTS}


def all_learners() -> dict[str, type[Learner]]:
    """Return every learner of the package: name -> class.

    Examples
    --------
    >>> all_learners()["MetaBosse"]
    <class 'driftduel.learners.bosse.MetaBosse'>
    """
    return {name: __getattr__(name) for name in sorted(MODULE_OF)}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [  # noqa: PLE0604
    "Duel",
    "Eviction",
    "Learner",
    "Literature",
    "Replay",
    "all_learners",
    "inline_kernel",
    "kernel",
    "load_learner",
    *_HOME,
]
