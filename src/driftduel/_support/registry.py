"""Which learner lives in which module, of this package, of others that are installed, or of yours.

`driftduel._support.roster` lists those of the package. Another package hands on its own by the
entry point group ``driftduel.learners``; ``mine:Greedy`` is the class ``Greedy`` of ``mine``.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftduel._support.lazy import listed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from driftduel._support.checks import BadParameter

PARTS: dict[str, str] = {
    "Calibration": "driftduel.learners.driftduel.constants",
    "Constants": "driftduel.learners.paper.bosse",
}
"""Classes that learners take as parameters, and the module of each."""

MODULE_OF = listed("driftduel._support.roster")
"""The module of every learner of the package."""


@cache
def installed_learners() -> dict[str, EntryPoint]:
    """Return the learners that installed packages hand on; a name of this package stays its own."""
    from importlib.metadata import entry_points

    found = entry_points(group="driftduel.learners")
    return {item.name: item for item in found if item.name not in MODULE_OF}


def learner_class(name: Any) -> Any:
    """Return the learner of that name.

    Examples
    --------
    >>> learner_class("RUCB")
    <class 'driftduel.learners.rivals.rucb.RUCB'>
    """
    if isinstance(name, str):
        if name in MODULE_OF:
            return getattr(import_module(MODULE_OF[name]), name)
        if ":" in name:
            module, _, attribute = name.partition(":")
            return _from_outside(module, attribute)
        if name in installed_learners():
            return _from_package(installed_learners()[name])
    from driftduel._support.text import did_you_mean

    known = sorted({*MODULE_OF, *installed_learners()})
    there_are = f"{did_you_mean(name, known)}, there are {', '.join(known)}"
    raise _refusal(f"no learner is called {name!r}{there_are}")


def look_beside(name: Any, folder: Path) -> None:
    """Let the module of a learner such as ``mine:Greedy`` be imported from a folder that has it.

    The folder comes last in ``sys.path``, which workers have too: nothing that is installed becomes
    another module by it.

    Raises
    ------
    BadParameter
        If the name of the module means another one already.
    """
    module, colon, _ = str(name).partition(":")
    top = module.partition(".")[0]
    if not colon or not top.isidentifier():
        return
    files = [folder / f"{top}.py", folder / top / "__init__.py"]
    here = next((file.resolve() for file in files if file.is_file()), None)
    if here is None:
        return
    if str(folder.resolve()) not in sys.path:
        sys.path.append(str(folder.resolve()))
    importlib.invalidate_caches()
    loaded = getattr(sys.modules.get(top), "__file__", None)
    found = loaded if top in sys.modules else getattr(find_spec(top), "origin", None)
    if found is None or Path(found).resolve() != here:
        other = found or "Python itself"
        raise _refusal(f"{top} is also the name of a module of {other}, rename {here}")


def _from_package(entry: EntryPoint) -> Any:
    found = _from_outside(entry.module, entry.attr)
    if getattr(found, "__name__", None) != entry.name:
        raise _refusal(f"the entry point {entry.name} must have the name of its class, {found!r}")
    return found


def _from_outside(module: str, attribute: str) -> Any:
    try:
        home = import_module(module)
    except Exception as error:  # anything may be wrong in a file of somebody else
        missing = isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(
            f"{error.name}."
        )
        if missing:
            raise _refusal(f"no module is called {module!r}, here or installed") from None
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f" ({Path(place.filename).name}, line {place.lineno})"
        reason = f"{error}{'' if isinstance(error, SyntaxError) else where}"
        raise _refusal(f"{module} cannot be imported, {type(error).__name__}: {reason}") from error
    found = getattr(home, attribute, None)
    if found is None:
        from driftduel._support.text import did_you_mean

        classes = [key for key, value in vars(home).items() if isinstance(value, type)]
        raise _refusal(f"{module} has no class {attribute!r}{did_you_mean(attribute, classes)}")
    source = getattr(found, "__module__", None)
    file = getattr(sys.modules.get(str(source)), "__file__", None)
    if source == "__main__" or not str(file).endswith(".py"):
        raise _refusal(f"{module}:{attribute} must be a class in a .py file that can be imported")
    return found


def _refusal(reason: str) -> BadParameter:
    from driftduel._support.checks import BadParameter

    return BadParameter("name", f": {reason}")
