"""The one decorator that compiles a kernel, and the only place that knows numba's options.

Compiled code is kept on disk in a folder named after a hash of the package's sources. numba
notices an edit of the file a function lives in, but not of a file it calls into; with the hash
in the name no caller can be left with a stale callee.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

_PACKAGE = Path(__file__).parent
_KEPT_FOLDERS = 8
_CONFIG = threading.Lock()

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile ``function`` without the GIL; arrays in, nothing checked.

    The result is cached on disk if the function comes from a file, not from a prompt.
    """
    return _compile(function, {"nogil": True})


def kernel(function: F) -> F:
    """Compile ``function`` as `jit` does, but without numba's memory management.

    Such a function cannot make an array (``a[:] = b`` makes one), only read and write those it
    is given. In return nothing is counted when arrays are passed on, which would otherwise cost
    ten times the work of a learner's round.
    """
    return _compile(function, {"nogil": True, "_nrt": False})


def inline_kernel(function: F) -> F:
    """Compile ``function`` as `kernel` does, into its callers: for what every round runs."""
    return _compile(function, {"nogil": True, "_nrt": False, "forceinline": True})


def _compile(function: F, options: dict[str, bool]) -> F:
    folder = _cache_folder()
    keep = bool(folder) and comes_from_file(function)
    # numba reads the folder from its configuration, which belongs to the user.
    with _CONFIG:
        before, config.CACHE_DIR = config.CACHE_DIR, folder
        try:
            return cast(F, numba.njit(cache=keep, **options)(function))
        finally:
            config.CACHE_DIR = before


def comes_from_file(function: Callable[..., Any]) -> bool:
    """Tell whether a function was written in a file, not at a prompt or in a notebook."""
    return Path(function.__code__.co_filename).is_file()


def rebind(template: types.FunctionType, name: str, kernels: Mapping[str, Any]) -> Any:
    """Compile a copy of ``template`` in which the global names of ``kernels`` mean those kernels.

    A compiled function that takes kernels as arguments is never found again in numba's cache.
    A copy with its own name and its own globals is: one loop is written, each learner gets its
    own. The name is what the cache goes by, so it must tell kernels apart. A copy bound to a
    kernel from a prompt is not kept, for another one may have the same name tomorrow.
    """
    code = template.__code__
    if not all(comes_from_file(getattr(kernel, "py_func", kernel)) for kernel in kernels.values()):
        code = code.replace(co_filename="<prompt>")
    copy = types.FunctionType(code, {**template.__globals__, **kernels}, name)
    copy.__module__ = template.__module__
    copy.__qualname__ = name
    return kernel(copy)


@cache
def bind_kernels(
    template: types.FunctionType, names: tuple[str, ...], kernels: tuple[Any, ...]
) -> Any:
    """Return `rebind` of ``template`` under a name that tells these kernels from all others.

    The name holds a hash of the kernels' names and one of their files, which may lie outside the
    package. A copy made here may be a kernel of the next: its name says what is bound in it.
    """
    sources = [getattr(kernel, "py_func", kernel) for kernel in kernels]
    files = sorted({Path(source.__code__.co_filename) for source in sources})
    called = " ".join(f"{source.__module__}.{source.__qualname__}" for source in sources)
    hashes = (
        hashlib.sha256(called.encode()).hexdigest()[:16],
        source_hash(*(file for file in files if file.is_file())),
    )
    name = "_".join([template.__name__, sources[0].__qualname__, *hashes])
    return rebind(template, name, dict(zip(names, kernels, strict=True)))


def source_hash(*files: Path) -> str:
    """Hash the contents of ``files``, short enough to stand in a file name."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _cache_folder() -> str:
    """Return the folder for this version of the sources, or "" if none can be written."""
    sources = sorted(_PACKAGE.rglob("*.py"))
    mode = "bounds" if config.BOUNDSCHECK else "plain"
    try:
        root = Path(config.CACHE_DIR) if config.CACHE_DIR else _user_cache() / "numba"
        folder = root / f"driftduel-{source_hash(*sources)}-{mode}"
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _forget_old_folders(root)
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""


def _user_cache() -> Path:
    name, default = (
        ("LOCALAPPDATA", "~/AppData/Local")
        if sys.platform == "win32"
        else ("XDG_CACHE_HOME", "~/.cache")
    )
    return Path(os.environ.get(name) or default).expanduser() / "driftduel"


def _forget_old_folders(root: Path) -> None:
    """Remove all but the newest of our own folders; the root may hold others."""
    hash_ = "[0-9a-f]" * 16
    ages = {}
    for mode in ("bounds", "plain"):
        for folder in root.glob(f"driftduel-{hash_}-{mode}"):
            with suppress(FileNotFoundError):  # another process forgets it too
                ages[folder] = folder.stat().st_mtime
    for folder in sorted(ages, key=lambda folder: ages[folder])[:-_KEPT_FOLDERS]:
        shutil.rmtree(folder, ignore_errors=True)
