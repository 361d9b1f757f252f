"""Which learner lives in which module of `driftduel.learners`; a new learner is listed here."""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, ...]] = {
    "active_ranking": ("ActiveRanking",),
    "anaconda": (
        "Anaconda",
        "MetaSwift",
    ),
    "baselines": (
        "FixedPair",
        "Uniform",
    ),
    "borda": (
        "BCB",
        "BordaETC",
    ),
    "borda_elimination": (
        "BordaElimination",
        "SparseBordaElimination",
    ),
    "bosse": (
        "Bosse",
        "MetaBosse",
    ),
    "calibrated": ("CalibratedMetaBosse",),
    "copeland": (
        "CCB",
        "SCB",
    ),
    "detection": (
        "DETECT",
        "MDB",
    ),
    "dex3": (
        "BordaDEX3S",
        "DEX3P",
        "DEX3S",
    ),
    "elimination": (
        "BeatTheMean",
        "InterleavedFilter",
        "RRDB",
        "SAVAGE",
    ),
    "exponential": (
        "DEXP3",
        "DEXP3HP",
    ),
    "forgetting": (
        "DiscountedBordaGreedy",
        "DiscountedBordaUCB",
        "SlidingBordaGreedy",
        "SlidingBordaUCB",
    ),
    "forgetting_condorcet": (
        "DiscountedCondorcetGreedy",
        "DiscountedRUCB",
        "SlidingRUCB",
    ),
    "oracle": ("Oracle",),
    "restarts": (
        "PeriodicRestart",
        "SlidingWindow",
    ),
    "rex3": ("REX3",),
    "rmed": (
        "RMED1",
        "RMED2FH",
    ),
    "rucb": (
        "MergeRUCB",
        "RUCB",
    ),
    "sparring": (
        "SelfSparring",
        "SparringEXP3",
        "SparringThompson",
        "SparringUCB",
    ),
    "thompson": (
        "DTS",
        "DTSPlus",
    ),
    "versatile": ("VersatileDB",),
    "winner_stays": (
        "BeatTheWinnerReset",
        "BeatTheWinnerResetStrong",
        "WinnerStays",
        "WinnerStaysStrong",
    ),
}

PARTS: dict[str, str] = {"Calibration": "calibrated", "Constants": "bosse"}
"""Classes that learners take as parameters, and the module of each."""

MODULE_OF = {name: module for module, names in FAMILIES.items() for name in names}
