"""Which files a piece of code depends on, and a hash of what they say.

A file depends on what it imports, directly or not. What it says is its syntax: comments, docstrings
and line ends are left out.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parents[1]
_BEGAN = time.time()
_APART = {
    "driftduel._support.compile.compiled",
    "driftduel._support.registry",
    "driftduel._support.files",
    "driftduel._support.lazy",
    "driftduel._support.names",
    "driftduel._support.compile.notice",
    "driftduel._support.compile.numba_cache",
    "driftduel._support.sources",
    "driftduel._support.version",
    "driftduel._support.text",
    "driftduel.arena.settings",
    "driftduel.learners.contract.literature",
    "driftduel.learners.contract.report",
    "driftduel.learners.contract.session",
    "driftduel.learners.contract.storage",
    "driftduel.verdict",
    "driftduel.verdict.parts",
    "driftduel.verdict.standing",
    "driftduel.verdict.text",
}
"""Names, papers, versions, files, caches, duels asked by hand: no part of how a learner plays."""


class Module(NamedTuple):
    """A module by its full name; one without a file is a library, by its name and version."""

    name: str
    file: Path | None


def module_of(function: Callable[..., Any]) -> Module | None:
    """Return the module a function was written in, None if it was not written in a file."""
    file = Path(function.__code__.co_filename)
    if not file.is_file():
        return None
    spec = function.__globals__.get("__spec__")  # the name of a module run as a script
    return Module(getattr(spec, "name", None) or function.__module__, file)


def package_module(name: str) -> Module | None:
    """Return a module of this package, None if there is none of that name.

    Examples
    --------
    >>> package_module("driftduel.learners").file.name
    '__init__.py'
    """
    head, *parts = name.split(".")
    path = _ROOT.joinpath(*parts)
    for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
        if head == _PACKAGE and file.is_file():
            return Module(name, file)
    return None


@cache
def package_modules() -> tuple[Module, ...]:
    """Return all modules of this package, in the order of their names."""
    found = []
    for file in _ROOT.rglob("*.py"):
        parts = file.relative_to(_ROOT).with_suffix("").parts
        inner = parts[:-1] if parts[-1] == "__init__" else parts
        found.append(Module(".".join((_PACKAGE, *inner)), file))
    return tuple(sorted(found))


def closure(modules: Iterable[Module], *, in_functions: bool) -> set[Module]:
    """Return modules and all that they import, directly or not, and that has a part in playing.

    Modules of the package import from the package only: what numpy is, is not our business. Files
    outside of it are followed through all that is loaded and not installed; an installed library
    counts with its version. Names that only type checkers see are left out.

    Parameters
    ----------
    modules : iterable of Module
        Where to begin.
    in_functions : bool
        Whether imports inside functions count.
    """
    found: set[Module] = set()
    pending = list(modules)
    while pending:
        module = pending.pop()
        if module not in found and module.name not in _APART:
            found.add(module)
            pending.extend(_imported(module, in_functions))
    return found


def code_hash(modules: Iterable[Module]) -> str:
    """Return a hash of the names and the syntax of modules, 16 letters long.

    Examples
    --------
    >>> code_hash([package_module("driftduel.matrix.weights")]) == code_hash([])
    False
    """
    digest = hashlib.sha256()
    for module in sorted(modules, key=lambda module: (module.name, str(module.file))):
        digest.update(module.name.encode() + b"\0")
        if module.file is not None:
            digest.update(_read(module.file).digest)
    return digest.hexdigest()[:16]


def any_edited(modules: Iterable[Module]) -> bool:
    """Tell whether a file was changed since this process began: it may not say what was loaded."""
    return any(module.file and _read(module.file).changed > _BEGAN for module in modules)


class _Import(NamedTuple):
    module: str  # as it is written, with the dots of a relative import
    names: tuple[str, ...]  # what is taken from it; nothing for ``import module``
    in_function: bool


class _Source(NamedTuple):
    digest: bytes
    imports: tuple[_Import, ...]
    names: frozenset[str]  # bound by a statement at the top
    changed: float  # the time of the last change


@cache
def _read(file: Path) -> _Source:
    raw, changed = file.read_bytes(), file.stat().st_mtime
    try:
        tree = ast.parse(raw)
        words: list[str] = []
        _spell(tree, words)
    except (SyntaxError, ValueError, RecursionError):  # edited since it was loaded, or too deep
        return _Source(hashlib.sha256(raw).digest(), (), frozenset(), changed)
    digest = hashlib.sha256(" ".join(words).encode("utf-8", "surrogatepass")).digest()
    return _Source(digest, tuple(_imports(tree, False)), frozenset(_bound(tree)), changed)


def _spell(node: object, words: list[str]) -> None:
    """Append a syntax tree to ``words``, without docstrings and without what is empty.

    Versions of Python differ in the fields they leave empty, and in empty parts of f-strings.
    """
    if isinstance(node, ast.Constant):
        words.append(repr(node.value))
    elif isinstance(node, ast.JoinedStr):
        words.append("f")
        _spell([part for part in node.values if getattr(part, "value", None) != ""], words)
    elif isinstance(node, ast.AST):
        words.append(f"{type(node).__name__}(")
        for name in node._fields:
            value = getattr(node, name, None)
            if value is not None and value != []:
                words.append(name)
                _spell(value, words)
        words.append(")")
    elif isinstance(node, list):
        words.append("[")
        for inner in node:
            if not _is_docstring(inner):
                _spell(inner, words)
        words.append("]")
    else:
        words.append(repr(node))


def _is_docstring(node: object) -> bool:
    """Tell whether a statement is a bare string; it has no effect wherever it stands."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _imports(node: ast.AST, in_function: bool) -> Iterator[_Import]:
    """Yield the imports below a node, leaving out those for type checkers."""
    for inner in _executed(node):
        if isinstance(inner, ast.Import):
            for alias in inner.names:
                yield _Import(alias.name, (), in_function)
        elif isinstance(inner, ast.ImportFrom):
            names = tuple(alias.name for alias in inner.names)
            yield _Import("." * inner.level + (inner.module or ""), names, in_function)
        else:
            is_function = isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(inner, in_function or is_function)


def _executed(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return node.orelse
    return ast.iter_child_nodes(node)


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _imported(module: Module, in_functions: bool) -> Iterator[Module]:
    if module.file is None:
        return
    ours = module.name.partition(".")[0] == _PACKAGE
    for item in _read(module.file).imports:
        if item.in_function and not in_functions:
            continue
        home = _absolute(item.module, module)
        for name in item.names or ("",):
            inner = _find(f"{home}.{name}", module) if name else None
            found = inner or _find(home, module)
            if found is not None and (not ours or found.name.startswith(f"{_PACKAGE}.")):
                yield found
                if not ours and inner is None and _may_be_anything(found, name):
                    yield from package_modules()


def _absolute(name: str, importer: Module) -> str:
    is_package = importer.file is not None and importer.file.name == "__init__.py"
    package = importer.name if is_package else importer.name.rpartition(".")[0]
    try:
        return importlib.util.resolve_name(name, package)
    except ImportError:  # a relative import outside of any package cannot have been loaded
        return ""


def _find(name: str, importer: Module) -> Module | None:
    """Return a module that another imports, None if there is nothing to follow."""
    top = name.partition(".")[0]
    if top == _PACKAGE:
        return package_module(name)
    loaded = sys.modules.get(name)
    file = getattr(loaded, "__file__", None)
    if file is None or not file.endswith(".py") or top in sys.stdlib_module_names:
        return None
    installed = not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
    if installed and top != importer.name.partition(".")[0]:
        # Not by getattr: some libraries warn whoever asks for it.
        version = getattr(sys.modules.get(top), "__dict__", {}).get("__version__", "")
        return Module(f"{top}=={version}", None)
    return Module(name, Path(file))


def _may_be_anything(module: Module, name: str) -> bool:
    """Tell whether a name taken from a module of the package may come from anywhere in it.

    The packages import on first use, and so may ``package.name`` after ``import package``.
    """
    if module.file is None or package_module(module.name) is None:
        return False
    return not name or name not in _read(module.file).names
