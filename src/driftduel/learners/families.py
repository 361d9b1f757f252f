"""Which learner lives in which module; a new learner is listed here."""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, ...]] = {
    "baselines": ("FixedPair", "Uniform"),
    "bosse": ("Bosse", "MetaBosse"),
    "rucb": ("RUCB", "MergeRUCB"),
}

PARTS: dict[str, str] = {"Constants": "bosse"}
"""Classes that learners take as parameters, and the module of each."""

MODULE_OF = {name: module for module, names in FAMILIES.items() for name in names}
