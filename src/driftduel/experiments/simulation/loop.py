"""The compiled loop: one learner, one stream, a batch of rounds.

The loop is written once; `bind` gives each learner its own compiled copy, which is found again in
the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import bind_kernels
from driftduel._support.interrupts import defer_interrupts
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.contract.hooks import KERNELS, State

if TYPE_CHECKING:
    from driftduel.worlds.stream import Stream

_BATCH = 2**16
_NEAR = 2**17
"""Entries of a matrix that stay in the second-level cache, 1 MiB."""


def batches(
    learner: Learner,
    stream: Stream,
    state: State,
    rng: np.random.Generator,
    settle_rng: np.random.Generator,
    world: np.random.Generator,
    history: History,
    stops: Sequence[int] = (),
    look: Callable[[int], None] | None = None,
) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Play a learner on a stream, in place; yield the first round and the pairs of each batch.

    A pair is ``left * K + right``. The array is used again for the next batch. ``look`` is called
    with the place of each of the ``stops``, numbers of rounds that increase, when so many rounds
    have been played.
    """
    play_on = bind(play, learner)
    rough = rough_palette(stream)
    batch = np.empty(min(_BATCH, stream.horizon), np.int32)
    place = 0
    for first in range(0, stream.horizon, _BATCH):
        done, end = first, min(first + _BATCH, stream.horizon)
        while done < end:
            if look is not None and place < len(stops) and stops[place] == done:
                look(place)
                place += 1
            until = min(end, stops[place]) if place < len(stops) else end
            pairs = batch[done - first : until - first]
            with defer_interrupts():
                timeline = _timeline(stream, done)
                n = play_on(state, rng, settle_rng, world, *timeline, rough, done, pairs)
                if n < 0:
                    raise ValueError(f"{type(learner).__name__} played an arm that does not exist")
                learner._collect(state, history)
            done += n
        yield first, batch[: end - first]


def rough_palette(stream: Stream) -> NDArray[np.uint8]:
    """Return the palette in steps of 1/256 if it is too large for a processor's nearest memory.

    A random number decides against the step alone in 255 of 256 rounds; otherwise the loop looks
    at the exact probability. Small palettes need no rough one and get a single entry.
    """
    if stream.n_arms**2 <= _NEAR:
        return np.zeros((1, 1, 1), np.uint8)
    rough = np.empty(stream.palette.shape, np.uint8)
    for steps, matrix in zip(rough, stream.palette, strict=True):
        steps[:] = np.minimum(matrix * 256, 255)
    return rough


def _timeline(stream: Stream, round_: int) -> tuple[Any, ...]:
    return stream.palette, stream.which, stream.starts, stream.stretch_at(round_)


def play(  # type: ignore[no-untyped-def]
    state, choose_rng, settle_rng, world_rng, palette, which, starts, stretch, rough, first, pairs
):
    """Play ``len(pairs)`` rounds from round ``first`` on, or fewer if the journal is full.

    Writes ``left * K + right`` of each round to ``pairs`` and returns the number of rounds
    played, or -1 if an arm does not exist. ``choose``, ``learn``, ``settle`` and ``full`` are
    bound by `bind`. ``stretch`` is the one that round ``first`` belongs to, ``rough`` comes from
    `rough_palette`.
    """
    n_arms = palette.shape[1]
    exact = rough.shape[1] < n_arms
    n = 0
    while n < pairs.shape[0]:
        end = pairs.shape[0]
        if stretch + 1 < starts.shape[0]:
            end = min(end, starts[stretch + 1] - first)
        matrix = palette[which[stretch]]
        steps = rough[0 if exact else which[stretch]]
        while n < end:
            left, right, ticket = choose(state, choose_rng)  # type: ignore[name-defined]  # noqa: F821
            if min(left, right) < 0 or max(left, right) >= n_arms:
                return -1
            if exact:
                chance = matrix[left, right]
                outcome = 1.0 * (world_rng.random() < chance)
            else:
                step = steps[left, right]
                number = world_rng.random()
                outcome = 1.0 * (int(number * 256.0) < step)
                if int(number * 256.0) == step:
                    outcome = 1.0 * (number < matrix[left, right])
            pairs[n] = left * n_arms + right
            n += 1
            if learn(state, left, right, ticket, outcome):  # type: ignore[name-defined]  # noqa: F821
                settle(state, settle_rng)  # type: ignore[name-defined]  # noqa: F821
                if full(state):  # type: ignore[name-defined]  # noqa: F821
                    return n
        stretch += 1
    return n


def bind(template: Callable[..., Any], learner: Learner) -> Any:
    """Return ``template`` compiled with the kernels of a learner in their names."""
    return bind_kernels(template, KERNELS, learner._kernels)
