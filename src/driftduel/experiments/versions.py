"""Versions of code: a hash of the syntax of a module and of all it imports from the package.

A result is as good as the code that made it. An edit of a learner, or of anything it imports,
gives it another version; an edit of an unrelated learner, of a comment or of a docstring does not.
A learner from outside the package counts with the files beside it that it imports, and with the
versions of the libraries.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from driftduel._support.registry import MODULE_OF
from driftduel._support.sources import Module, closure, code_hash, package_module, package_modules
from driftduel._support.version import __version__
from driftduel.learners import Learner


@cache
def code_version(*modules: str) -> str:
    """Return a hash of the syntax of modules and of all they import from the package.

    Examples
    --------
    >>> rucb, bosse = "driftduel.learners.rivals.rucb", "driftduel.learners.paper.bosse"
    >>> code_version(rucb) == code_version(bosse)
    False
    """
    return code_hash(modules_of(*modules))


def modules_of(*modules: str) -> set[Module]:
    """Return modules and all they import that matters to how one plays.

    Examples
    --------
    >>> sorted(module.name for module in modules_of("driftduel.matrix.weights"))
    ['driftduel._support.checks', 'driftduel.matrix.weights']
    """
    return closure(map(_module, modules), in_functions=True)


@cache
def learner_version(*names: str) -> str:
    """Return the version of the code of learners, together with that of the simulation."""
    parts = ["driftduel.experiments.simulation.runs", *map(_home, names)]
    if "Oracle" in names:
        parts.append("driftduel.experiments.simulation.oracles")
    return code_version(*sorted(parts))


def version_from_outside(name: str, parameters: Mapping[str, Any]) -> str:
    """Return the version of a learner that is not of the package alone; empty if it is.

    Examples
    --------
    >>> version_from_outside("SlidingWindow", {"inner": {"name": "RUCB"}})
    ''
    """
    names = learners_in(name, parameters)
    return "" if MODULE_OF.keys() >= set(names) else learner_version(*names)


def learners_in(name: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the learners that a learner is made of: itself, and those it wraps.

    Examples
    --------
    >>> learners_in("SlidingWindow", {"inner": {"name": "RUCB"}})
    ['RUCB', 'SlidingWindow']
    """
    found = [name]
    for value in parameters.values():
        if isinstance(value, dict) and "name" in value:
            found += learners_in(value["name"], value)
    return sorted(set(found))


@cache
def package_version() -> str:
    """Return the version of the package with a hash of all its code, as in 0.1.0+1a2b3c4d.

    Two machines with the same one compute the same.
    """
    return f"{__version__}+{code_hash(package_modules())[:8]}"


def _home(name: str) -> str:
    """Return the module of a learner; one from outside the package is imported."""
    return MODULE_OF.get(name) or Learner._named(name).__module__


def _module(name: str) -> Module:
    file = getattr(sys.modules.get(name), "__file__", None)
    found = package_module(name) or (Module(name, Path(file)) if file else None)
    assert found is not None, name
    return found
