"""The compiled loop: one learner, one stream, a batch of rounds.

The loop is written once; `loop_of` binds it to a learner's kernels, so that each learner has its
own compiled copy that is found again in the cache.
"""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path
from typing import Any

from driftduel import _jit
from driftduel.learners.base import Learner

_KERNELS = ("choose", "learn", "settle", "full")


def play(  # type: ignore[no-untyped-def]
    state, learner_rng, world_rng, palette, which, starts, first, pairs
):
    """Play ``len(pairs)`` rounds from round ``first`` on, or fewer if the journal is full.

    Writes ``left * K + right`` of each round to ``pairs`` and returns the number of rounds
    played. ``choose``, ``learn``, ``settle`` and ``full`` are bound by `loop_of`.
    """
    n_arms = palette.shape[1]
    stretch = 0
    while stretch + 1 < starts.shape[0] and starts[stretch + 1] <= first:
        stretch += 1
    n = 0
    while n < pairs.shape[0]:
        end = pairs.shape[0]
        if stretch + 1 < starts.shape[0]:
            end = min(end, starts[stretch + 1] - first)
        matrix = palette[which[stretch]]
        while n < end:
            left, right, ticket = choose(state, learner_rng)  # type: ignore[name-defined]  # noqa: F821
            chance = matrix[left, right]
            outcome = 1.0 * (world_rng.random() < chance)
            pairs[n] = left * n_arms + right
            n += 1
            if learn(state, left, right, ticket, outcome):  # type: ignore[name-defined]  # noqa: F821
                settle(state, learner_rng)  # type: ignore[name-defined]  # noqa: F821
                if full(state):  # type: ignore[name-defined]  # noqa: F821
                    return n
        stretch += 1
    return n


def loop_of(kind: type[Learner]) -> Any:
    """Return `play` bound to the kernels of a class of learners."""
    return _bind(tuple(getattr(kind, name) for name in _KERNELS))


@cache
def _bind(kernels: tuple[Any, ...]) -> Any:
    sources = [getattr(kernel, "py_func", kernel) for kernel in kernels]
    files = sorted({Path(inspect.getfile(source)) for source in sources})
    name = "_".join(["play", *(source.__qualname__ for source in sources[:2])])
    name += "_" + _jit.source_hash(*(file for file in files if file.is_file()))
    return _jit.rebind(play, name, dict(zip(_KERNELS, kernels, strict=True)))  # type: ignore[arg-type]
