"""Versions of code: a hash of a module's source and of all it imports from the package.

A result is as good as the code that made it. An edit of a learner, or of anything it imports,
gives it another version; an edit of an unrelated learner does not.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import driftduel
from driftduel._families import MODULE_OF
from driftduel._version import __version__

_PACKAGE = "driftduel"
_NOT_PLAYED = {
    "driftduel._families",
    "driftduel._files",
    "driftduel._version",
    "driftduel.learners.session",
    "driftduel.learners.storage",
}
"""Names, versions, files and duels asked by hand: no part of how a learner plays."""


@cache
def code_version(*modules: str) -> str:
    """Return a hash of the sources of modules and of all they import from the package.

    Examples
    --------
    >>> rucb, bosse = "driftduel.learners.rivals.rucb", "driftduel.learners.episodic.bosse"
    >>> code_version(rucb) == code_version(bosse)
    False
    """
    digest = hashlib.sha256()
    for name in sorted(closure(*modules)):
        digest.update(name.encode() + b"\0" + _source(name) + b"\0")
    return digest.hexdigest()[:16]


def closure(*modules: str) -> set[str]:
    """Return modules of the package and all that they import from it, directly or not.

    Examples
    --------
    >>> sorted(closure("driftduel.weights"))
    ['driftduel._checks', 'driftduel.weights']
    """
    found: set[str] = set()
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(_imported(name) - found)
    return found


@cache
def learner_version(*names: str) -> str:
    """Return the version of the code of learners, together with that of the simulation."""
    parts = ["driftduel.simulation.runs", *(f"driftduel.learners.{MODULE_OF[n]}" for n in names)]
    if "Oracle" in names:
        parts.append("driftduel.simulation.oracles")
    return code_version(*sorted(parts))


@cache
def package_version() -> str:
    """Return the version of the package with a hash of all its sources, as in 0.1.0+1a2b3c4d.

    Two machines with the same one compute the same.
    """
    digest = hashlib.sha256()
    root = Path(driftduel.__file__).parent
    for file in sorted(root.rglob("*.py")):
        name = file.relative_to(root).as_posix()
        digest.update(name.encode() + b"\0" + _normal(file.read_bytes()) + b"\0")
    return f"{__version__}+{digest.hexdigest()[:8]}"


@cache
def _imported(name: str) -> frozenset[str]:
    """Return the modules of the package that a module imports, also inside functions."""
    found = set()
    for node in _nodes(ast.parse(_source(name))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if _file(inner) else node.module)
    mine = {module for module in found if module.startswith(f"{_PACKAGE}.") and _file(module)}
    return frozenset(mine - _NOT_PLAYED)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a syntax tree, leaving out what only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from _nodes(node)


def _file(name: str) -> Path | None:
    """Return the source of a module of the package, None if there is none of that name."""
    head, *parts = name.split(".")
    if head != _PACKAGE:
        return None
    path = Path(driftduel.__file__).parent.joinpath(*parts)
    for file in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


@cache
def _source(name: str) -> bytes:
    file = _file(name)
    assert file is not None
    return _normal(file.read_bytes())


def _normal(source: bytes) -> bytes:
    return source.replace(b"\r\n", b"\n")
