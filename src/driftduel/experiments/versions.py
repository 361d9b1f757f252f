"""Versions of code: a hash of the syntax of a module and of all it imports from the package.

A result is as good as the code that made it. An edit of a learner, or of anything it imports,
gives it another version; an edit of an unrelated learner, of a comment or of a docstring does not.
"""

from __future__ import annotations

from functools import cache

from driftduel._families import MODULE_OF
from driftduel._sources import Module, closure, code_hash, package_module, package_modules
from driftduel._version import __version__


@cache
def code_version(*modules: str) -> str:
    """Return a hash of the syntax of modules and of all they import from the package.

    Examples
    --------
    >>> rucb, bosse = "driftduel.learners.rivals.rucb", "driftduel.learners.episodic.bosse"
    >>> code_version(rucb) == code_version(bosse)
    False
    """
    return code_hash(played(*modules))


def played(*modules: str) -> set[Module]:
    """Return modules of the package and all they import from it that matters to how one plays.

    Examples
    --------
    >>> sorted(module.name for module in played("driftduel.weights"))
    ['driftduel._checks', 'driftduel.weights']
    """
    found = [package_module(name) for name in modules]
    assert None not in found, modules
    return closure(filter(None, found), in_functions=True)


@cache
def learner_version(*names: str) -> str:
    """Return the version of the code of learners, together with that of the simulation."""
    parts = ["driftduel.simulation.runs", *(MODULE_OF[n] for n in names)]
    if "Oracle" in names:
        parts.append("driftduel.simulation.oracles")
    return code_version(*sorted(parts))


@cache
def package_version() -> str:
    """Return the version of the package with a hash of all its code, as in 0.1.0+1a2b3c4d.

    Two machines with the same one compute the same.
    """
    return f"{__version__}+{code_hash(package_modules())[:8]}"
