"""Names that a package imports on first use, so that importing the package is quick.

A package lists its names once, in the form that type checkers and editors know: as imports of
``name as name``, under ``if TYPE_CHECKING`` those for the first use. Here they are read from its
source.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def attach(
    package: str, *defined: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : str
        Its name; it is being imported.
    defined : str
        Public names that it defines itself.

    Examples
    --------
    >>> get, names, _ = attach("driftduel.report")
    >>> names()[:2], get("summarise").__module__
    (['MissingExtraError', 'best_over_time'], 'driftduel.report.summary')
    """
    later = listed(package, for_types=True)
    names = sorted({*defined, *listed(package), *later})

    def get(name: str) -> Any:
        if name not in later:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(later[name]) if later[name] != package else None
        if home is not None and hasattr(home, name):
            value = getattr(home, name)
        else:
            value = import_module(f"{later[name]}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return get, names.copy, names


@cache
def listed(module: str, *, for_types: bool = False) -> dict[str, str]:
    """Return the names that a module hands on, each with the module it comes from.

    Those under ``if TYPE_CHECKING`` are others, asked for by ``for_types``. The module is read, not
    imported.

    Examples
    --------
    >>> listed("driftduel._support.roster")["RUCB"]
    'driftduel.learners.rivals.rucb'
    """
    home: dict[str, str] = {}
    for node in _statements(module, for_types):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.name == "*":
                    home |= listed(node.module)
                elif alias.asname == alias.name:
                    home[alias.name] = node.module
    return home


def _statements(module: str, for_types: bool) -> list[ast.stmt]:
    # A package that is being imported is not to be looked for again.
    spec = sys.modules[module].__spec__ if module in sys.modules else find_spec(module)
    body = ast.parse(spec.loader.get_source(module)).body  # type: ignore[union-attr]
    if not for_types:
        return body
    guards = [node for node in body if isinstance(node, ast.If)]
    return [
        inner
        for guard in guards
        if ast.unparse(guard.test) == "TYPE_CHECKING"
        for inner in guard.body
    ]
