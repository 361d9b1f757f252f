"""Which learner lives in which module of `driftduel.learners`; a new learner is listed here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

FAMILIES: dict[str, tuple[str, ...]] = {
    "rivals.active_ranking": ("ActiveRanking",),
    "episodic.anaconda": (
        "Anaconda",
        "MetaSwift",
    ),
    "rivals.baselines": (
        "FixedPair",
        "Uniform",
    ),
    "rivals.borda": (
        "BCB",
        "BordaETC",
    ),
    "rivals.borda_elimination": (
        "BordaElimination",
        "SparseBordaElimination",
    ),
    "episodic.bosse": (
        "Bosse",
        "MetaBosse",
    ),
    "calibrated.learner": ("CalibratedMetaBosse",),
    "rivals.copeland": (
        "CCB",
        "SCB",
    ),
    "rivals.detection": (
        "DETECT",
        "MDB",
    ),
    "rivals.dex3": (
        "BordaDEX3S",
        "DEX3P",
        "DEX3S",
    ),
    "rivals.elimination": (
        "BeatTheMean",
        "InterleavedFilter",
        "RRDB",
        "SAVAGE",
    ),
    "rivals.exponential": (
        "DEXP3",
        "DEXP3HP",
    ),
    "rivals.forgetting": (
        "DiscountedBordaGreedy",
        "DiscountedBordaUCB",
        "SlidingBordaGreedy",
        "SlidingBordaUCB",
    ),
    "rivals.forgetting_condorcet": (
        "DiscountedCondorcetGreedy",
        "DiscountedRUCB",
        "SlidingRUCB",
    ),
    "rivals.oracle": ("Oracle",),
    "rivals.restarts": (
        "PeriodicRestart",
        "SlidingWindow",
    ),
    "rivals.rex3": ("REX3",),
    "rivals.rmed": (
        "RMED1",
        "RMED2FH",
    ),
    "rivals.rucb": (
        "MergeRUCB",
        "RUCB",
    ),
    "rivals.sparring": (
        "SelfSparring",
        "SparringEXP3",
        "SparringThompson",
        "SparringUCB",
    ),
    "rivals.thompson": (
        "DTS",
        "DTSPlus",
    ),
    "rivals.versatile": ("VersatileDB",),
    "rivals.winner_stays": (
        "BeatTheWinnerReset",
        "BeatTheWinnerResetStrong",
        "WinnerStays",
        "WinnerStaysStrong",
    ),
}

PARTS: dict[str, str] = {"Calibration": "calibrated.calibration", "Constants": "episodic.bosse"}
"""Classes that learners take as parameters, and the module of each."""

MODULE_OF = {name: module for module, names in FAMILIES.items() for name in names}


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
    return getattr(import_module(f"driftduel.learners.{MODULE_OF[name]}"), name)
