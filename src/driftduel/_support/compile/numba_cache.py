"""numba's cache of a compiled function, under a name of our own: all that leans on its inner parts.

numba looks a function up by its file and line; here
`driftduel._support.compile.compiled.kernel_key` is its name.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from driftduel._support.compile.compiled import forget_unused, kernel_key
from driftduel._support.compile.notice import notice


class KernelCache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one function, under a name of our own.

    A file that cannot be read, or that this numba cannot make sense of, is a function not yet
    compiled.
    """

    def __init__(self, function: FunctionType, options: dict[str, bool], folder: Path) -> None:
        self._name = repr(function)
        self._py_func = function
        self._options = options
        self._cache_path = str(folder)
        self._impl = _Implementation(function, folder)
        self.enable()

    @cached_property
    def _cache_file(self) -> Any:
        # Asked for by the first call: most kernels are only ever called by others.
        key = kernel_key(self._py_func, self._options)
        if key is None:
            self.disable()
            return None
        return _Files(self._cache_path, f"{self._py_func.__name__[:60]}-{key}", key)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, None if there is none."""
        found = None
        if self._cache_file is not None:
            with suppress(Exception):
                found = super().load_overload(sig, target_context)
        if found is None:
            notice.begin()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function; what cannot be kept is compiled again."""
        notice.end()
        if self._cache_file is not None:
            with suppress(OSError):
                super().save_overload(sig, data)


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    def __init__(self, function: FunctionType, folder: Path) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function.__code__.co_filename, folder)


class _Locator:
    """What numba asks of the place of a function."""

    def __init__(self, file: str, folder: Path) -> None:
        self._py_file = file
        self._folder = folder

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """The index of a function and the files it names, marked as used when they are."""

    def _data_name(self, number: int) -> str:
        # numba counts, and two processes that save at once would count to the same.
        return str(self._data_name_pattern).replace("{number:d}", uuid.uuid4().hex[:12])

    def _load_index(self) -> Any:
        with suppress(Exception):  # damaged
            return super()._load_index()
        return {}

    def _load_data(self, name: str) -> Any:
        data = super()._load_data(name)
        with suppress(OSError):
            os.utime(self._index_path)
            os.utime(self._data_path(name))
        return data

    def save(self, key: Any, data: Any) -> None:
        super().save(key, data)
        forget_unused(Path(self._cache_path).parent)
