"""What Python calls of a kernel that is given a generator: an entry that gives back what it takes.

A kernel is compiled without numba's memory management, which is all that compiled code needs to
call it. Called from Python with a generator, what numba wraps around that is never given back: 63
bytes for each call, and the generator itself. An entry is compiled with memory management and
calls the kernel, so kernels and the loops around them stay as they are.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any, cast

from driftduel._support.compile.jit import jit, rebind


@cache
def entry(kernel: Any) -> Any:
    """Return what to call instead of a kernel that is given a state and a generator."""
    if not hasattr(kernel, "py_func"):  # it was not compiled
        return kernel
    template = cast(FunctionType, called_with_generator)
    name = f"enter_{kernel.py_func.__module__}_{kernel.py_func.__qualname__}".replace(".", "_")
    bound = rebind(template, name, {"called": kernel})
    return jit(bound.py_func)


def called_with_generator(state, rng, *rest):  # type: ignore[no-untyped-def]
    """Call the kernel that is bound by `entry`."""
    return called(state, rng, *rest)  # type: ignore[name-defined]  # noqa: F821
