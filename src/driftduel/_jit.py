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
import types
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

_PACKAGE = Path(__file__).parent
_KEPT_FOLDERS = 8

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile ``function`` without the GIL; arrays in, nothing checked.

    The result is cached on disk if the function comes from a file, not from a prompt.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = _cache_folder()
    try:
        keep = bool(config.CACHE_DIR) and Path(function.__code__.co_filename).is_file()
        return cast(F, numba.njit(cache=keep, nogil=True)(function))
    finally:
        config.CACHE_DIR = before


def rebind(template: types.FunctionType, name: str, kernels: Mapping[str, object]) -> Any:
    """Compile a copy of ``template`` in which the global names of ``kernels`` mean those kernels.

    A compiled function that takes kernels as arguments is never found again in numba's cache.
    A copy with its own name and its own globals is: one loop is written, each learner gets its
    own.
    """
    copy = types.FunctionType(template.__code__, {**template.__globals__, **kernels}, name)
    copy.__module__ = template.__module__
    copy.__qualname__ = name
    return jit(copy)


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
    root = Path(config.CACHE_DIR) if config.CACHE_DIR else _user_cache() / "numba"
    folder = root / f"driftduel-{source_hash(*sources)}-{mode}"
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _forget_old_folders(root)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "driftduel"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "driftduel"


def _forget_old_folders(root: Path) -> None:
    newest_first = sorted(
        root.glob("driftduel-*"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    for folder in newest_first[_KEPT_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)
