"""The one decorator that compiles a kernel, and the only place that knows numba's options."""

from __future__ import annotations

import hashlib
import math
import sys
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from driftduel._support.compile.compiled import keep, meaning

_LISTED = {"nogil"}
"""The options that numba's manual lists. The others make code faster, not different."""

F = TypeVar("F", bound=Callable[..., Any])
A = TypeVar("A")

_switch = {"compile": True}


def interpret() -> None:
    """Leave every kernel that is decorated from now on the plain Python function that it is.

    For a process that plays one round and ends: numba is not imported, which takes longer than the
    round. What kernels do stays the same to the bit. There is no way back, and kernels decorated
    before stay compiled, so this is for who owns the process and has imported no learner yet.
    """
    _switch["compile"] = False


def interprets() -> bool:
    """Tell whether `interpret` was called."""
    return not _switch["compile"]


def items(array: A) -> A:
    """Return an array as kernels had best be given it, whose items are read one by one.

    Compiled ones take it as it is. Python takes a view of the same memory, whose items are its own
    numbers: to reckon with those of numpy takes several times as long, and gives the same.
    """
    return cast(A, memoryview(array)) if _is_off() else array  # type: ignore[arg-type]


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


def log_gamma() -> Callable[[float], float]:
    """Return ``math.lgamma`` for kernels, the same to the bit whether they are compiled or not.

    Compiled code calls the function of the C library, and Python has one of its own, whose last
    digits are others.

    Examples
    --------
    >>> math.isclose(log_gamma()(5.0), math.log(24.0))
    True
    """
    if not _is_off():
        return math.lgamma
    import ctypes

    found = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None).lgamma
    found.restype, found.argtypes = ctypes.c_double, [ctypes.c_double]
    return cast(Callable[[float], float], found)


def _compile(function: F, options: dict[str, bool]) -> F:
    if _is_off():
        return function
    import numba
    from numba.core.compiler import Flags

    try:
        compiled = numba.njit(**options)(function)
        # numba refuses an option it does not know when the function is called; asked here, now.
        compiled.targetdescr.options.parse_as_flags(Flags(), compiled.targetoptions)
    except (AttributeError, KeyError, TypeError):
        options = {name: value for name, value in options.items() if name in _LISTED}
        compiled = numba.njit(**options)(function)
    keep(compiled, cast(types.FunctionType, function), options)
    return cast(F, compiled)


def _is_off() -> bool:
    """Tell whether kernels are left as they are, by `interpret` or by NUMBA_DISABLE_JIT."""
    if not _switch["compile"]:
        return True
    from numba.core import config

    return bool(config.DISABLE_JIT)


def rebind(template: types.FunctionType, name: str, kernels: Mapping[str, Any]) -> Any:
    """Compile a copy of ``template`` in which the global names of ``kernels`` mean those kernels.

    A compiled function that takes kernels as arguments is never found again in numba's cache.
    A copy with its own name and its own globals is: one loop is written, each learner gets its
    own. The name must tell kernels apart, for compiled code is linked by it.
    """
    copy = types.FunctionType(template.__code__, {**template.__globals__, **kernels}, name)
    copy.__module__ = template.__module__
    copy.__qualname__ = name
    copy.bound = tuple(kernels.values())  # type: ignore[attr-defined]
    return kernel(copy)


@cache
def bind_kernels(
    template: types.FunctionType, names: tuple[str, ...], kernels: tuple[Any, ...]
) -> Any:
    """Return `rebind` of ``template`` under a name that tells these kernels from all others.

    A copy made here may be a kernel of the next: its name says what is bound in it.
    """
    sources = [getattr(kernel, "py_func", kernel) for kernel in kernels]
    whole = hashlib.sha256(" ".join(map(meaning, sources)).encode()).hexdigest()
    name = "_".join([template.__name__, sources[0].__qualname__, whole[:16]])
    return rebind(template, name, dict(zip(names, kernels, strict=True)))
