"""Which learner lives in which module; a new learner is listed here."""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, ...]] = {
    "anaconda": ("Anaconda", "MetaSwift"),
    "active_ranking": ("ActiveRanking",),
    "baselines": ("FixedPair", "Uniform"),
    "borda": ("BCB", "BordaETC"),
    "borda_elimination": ("BordaElimination", "SparseBordaElimination"),
    "bosse": ("Bosse", "MetaBosse"),
    "forgetting": (
        "DiscountedBordaGreedy",
        "DiscountedBordaUCB",
        "SlidingBordaGreedy",
        "SlidingBordaUCB",
    ),
    "rmed": ("RMED1", "RMED2FH"),
    "elimination": ("BeatTheMean", "InterleavedFilter", "RRDB", "SAVAGE"),
    "oracle": ("Oracle",),
    "restarts": ("PeriodicRestart", "SlidingWindow"),
    "detection": ("DETECT", "MDB"),
    "winner_stays": (
        "BeatTheWinnerReset",
        "BeatTheWinnerResetStrong",
        "WinnerStays",
        "WinnerStaysStrong",
    ),
    "rucb": ("RUCB", "MergeRUCB"),
    "copeland": ("CCB", "SCB"),
    "thompson": ("DTS", "DTSPlus"),
    "dex3": ("BordaDEX3S", "DEX3P", "DEX3S"),
    "exponential": ("DEXP3", "DEXP3HP"),
    "rex3": ("REX3",),
    "sparring": ("SelfSparring", "SparringEXP3", "SparringThompson", "SparringUCB"),
    "versatile": ("VersatileDB",),
}

PARTS: dict[str, str] = {"Constants": "bosse"}
"""Classes that learners take as parameters, and the module of each."""

MODULE_OF = {name: module for module, names in FAMILIES.items() for name in names}
