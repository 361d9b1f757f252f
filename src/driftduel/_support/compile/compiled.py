"""Where compiled kernels are kept on disk, and what tells one from another.

numba notices an edit of the file a function lives in, but not of a file it calls into; and a moved
line or an edited comment is an edit to it. Here compiled code goes by a hash of the function and of
the syntax of all that its module imports: no caller is left with a stale callee, an edit compiles
what depends on it, and two checkouts that say the same share what they compiled.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from driftduel._support.sources import Module, any_edited, closure, code_hash, module_of

_KEPT_BYTES = 2 * 1024**3
_KEPT_SECONDS = 30 * 24 * 3600.0
_CONFIG = threading.Lock()


def keep(compiled: Any, function: FunctionType, options: dict[str, bool]) -> None:
    """Let a compiled function find on disk what an earlier process compiled, and add to it.

    Nothing is kept of a function typed at a prompt, nor of one that such a kernel is bound in.
    """
    folder = cache_folder()
    if folder is None or not all(module_of(part) for part in _parts(function)):
        return
    try:
        from driftduel._support.compile.numba_cache import KernelCache

        compiled._cache = KernelCache(function, options, folder)
    except Exception:  # this numba's cache is made otherwise
        _keep_as_numba_does(compiled, function, folder)


def _keep_as_numba_does(compiled: Any, function: FunctionType, folder: Path) -> None:
    modules = _sources(function)
    if any_edited(modules):
        return
    from numba.core import config

    # numba reads the folder from its configuration, which belongs to the user.
    with _CONFIG:
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder / code_hash(modules))
        try:
            compiled.enable_caching()
        finally:
            config.CACHE_DIR = before


def cache_folder() -> Path | None:
    """Return the folder for compiled code, made if need be; None if nothing can be written."""
    from numba.core import config

    return _make_folder(config.CACHE_DIR, "bounds" if config.BOUNDSCHECK else "plain")


@cache
def _make_folder(root: str, mode: str) -> Path | None:
    import platformdirs

    parent = Path(root or platformdirs.user_cache_path("driftduel", appauthor=False) / "numba")
    folder = parent / f"driftduel-{mode}"
    if not root and not parent.is_absolute():  # a user without a home
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def kernel_key(function: FunctionType, options: dict[str, bool]) -> str | None:
    """Return what tells a kernel from all others, None if a file was edited since it was loaded."""
    modules = _sources(function)
    if any_edited(modules):
        return None
    words = [code_hash(modules), repr(sorted(options.items()))]
    words += [meaning(part) for part in _parts(function)]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def meaning(function: FunctionType) -> str:
    """Return the name and the code of a function, without its docstring and line numbers."""

    def of(code: CodeType, doc: str | None) -> tuple[Any, ...]:
        constants = [
            of(value, None) if isinstance(value, CodeType) else repr(value)
            for value in code.co_consts
            if doc is None or value != doc
        ]
        return code.co_code, code.co_names, code.co_varnames, constants

    return repr(
        (function.__module__, function.__qualname__, of(function.__code__, function.__doc__))
    )


def _sources(function: FunctionType) -> set[Module]:
    homes = [module_of(part) for part in _parts(function)]
    return closure([home for home in homes if home is not None], in_functions=False)


def _parts(function: FunctionType) -> Iterator[FunctionType]:
    """Yield a function and the kernels that are bound in it, as `rebind` does."""
    yield function
    for kernel in vars(function).get("bound", ()):
        yield from _parts(getattr(kernel, "py_func", kernel))


@cache
def forget_unused(root: Path) -> None:
    """Remove compiled code that was not used for a month, and the longest unused beyond a size.

    Once a process is enough.
    """
    files = []
    for mode in ("bounds", "plain"):
        for file in (root / f"driftduel-{mode}").rglob("*"):
            with suppress(OSError):  # another process forgets it too
                if file.is_file():
                    status = file.stat()
                    files.append((status.st_mtime, status.st_size, file))
    total = 0
    for used, size, file in sorted(files, reverse=True):
        total += size
        if total > _KEPT_BYTES or used < time.time() - _KEPT_SECONDS:
            with suppress(OSError):
                file.unlink()
