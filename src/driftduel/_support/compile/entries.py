"""What Python calls of a kernel that is given a generator: an entry that gives back what it takes.

A kernel is compiled without numba's memory management, which is all that compiled code needs to
call it. Called from Python with a generator, what numba wraps around that is never given back: 63
bytes for each call, and the generator itself. An entry is compiled with memory management and
calls the kernel, so kernels and the loops around them stay as they are.
"""

from __future__ import annotations

from functools import cache, partial
from types import FunctionType
from typing import Any, cast

from driftduel._support.compile.jit import jit, rebind


@cache
def entry(kernel: Any) -> Any:
    """Return what to call instead of a kernel that is given a state and a generator."""
    if not hasattr(kernel, "py_func"):  # it was not compiled
        return kernel
    return _bound(kernel, called_with_generator, "enter")


@cache
def repeated_entry(kernel: Any) -> Any:
    """Return what calls a kernel that draws a pair as often as there are rows to write it into.

    Most of what a call of a kernel takes is to find out what it is given.
    """
    if not hasattr(kernel, "py_func"):
        return partial(_repeat, kernel)
    return _bound(kernel, called_again, "repeat")


def _bound(kernel: Any, template: Any, word: str) -> Any:
    name = f"{word}_{kernel.py_func.__module__}_{kernel.py_func.__qualname__}".replace(".", "_")
    bound = rebind(cast(FunctionType, template), name, {"called": kernel})
    return jit(bound.py_func)


def called_with_generator(state, rng, *rest):  # type: ignore[no-untyped-def]
    """Call the kernel that is bound by `entry`."""
    return called(state, rng, *rest)  # type: ignore[name-defined]  # noqa: F821


def called_again(state, rng, pairs, tickets):  # type: ignore[no-untyped-def]
    """Draw a pair and its ticket into each row."""
    for row in range(len(pairs)):
        left, right, ticket = called(state, rng)  # type: ignore[name-defined]  # noqa: F821
        pairs[row, 0] = left
        pairs[row, 1] = right
        for place in range(len(ticket)):
            tickets[row, place] = ticket[place]


def _repeat(kernel: Any, state: Any, rng: Any, pairs: Any, tickets: Any) -> None:
    """Do what `called_again` does with a kernel that is not compiled."""
    for row in range(len(pairs)):
        pairs[row, 0], pairs[row, 1], tickets[row] = kernel(state, rng)
