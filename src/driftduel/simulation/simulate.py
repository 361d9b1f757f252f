"""Run learners on streams: `simulate`, `simulate_many` and the `Run` they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel.criteria import Criterion, as_criterion
from driftduel.learners.base import (
    Eviction,
    History,
    Learner,
    Replay,
    as_count,
    learner_generator,
)
from driftduel.simulation.ledger import Ledger
from driftduel.simulation.loop import loop_of
from driftduel.streams.stream import Stream

Progress = Callable[[int, int], None]
"""Called with the rounds played and the rounds in all."""

_BATCH = 2**16


@dataclass(frozen=True, eq=False)
class Run:
    """The record of one learner on one stream.

    Attributes
    ----------
    learner : Learner
        The learner, as it was configured.
    stream : Stream
        The world.
    seed : int
        The seed of both.
    rounds : array of int
        Numbers of rounds after which regret is known; the last is the horizon.
    episodes : list of int
        The rounds at which episodes began; the first is 0.
    evictions, replays : list
        What happened, in order.
    best : int
        The arm the learner would pick at the end.
    """

    learner: Learner
    stream: Stream
    seed: int
    rounds: NDArray[np.int64]
    episodes: list[int]
    evictions: list[Eviction]
    replays: list[Replay]
    best: int
    ledger: Ledger = field(repr=False)

    @property
    def plays(self) -> NDArray[np.int64]:
        """How often each ordered pair (K, K) was played."""
        return self.ledger.plays

    def regret(
        self, criterion: Criterion | str = "borda", *, weak: bool = False
    ) -> NDArray[np.float64]:
        """Return the cumulative regret after each of `rounds`.

        Parameters
        ----------
        criterion : Criterion or str
            What "best" means; it need not be what the learner was after.
        weak : bool
            Count the better of the two arms only, instead of their mean.
        """
        rows, begins = self.stream.gap_rows(criterion)
        total = np.cumsum(self.ledger.regret(rows, begins, weak=weak))
        ends = np.append(self.ledger.cuts[1:], self.stream.horizon)
        return np.asarray(total[np.searchsorted(ends, self.rounds)])


def simulate(
    learner: Learner,
    stream: Stream,
    seed: int = 0,
    points: int | ArrayLike = 200,
    *,
    criteria: Iterable[Criterion | str] = (),
    progress: Progress | None = None,
) -> Run:
    """Play a learner on a stream; the learner given is not changed.

    Parameters
    ----------
    learner : Learner
        Its configuration is used, not its state.
    stream : Stream
        The world, and the number of rounds.
    seed : int
        Sets the learner's randomness, as if it had been made with this seed, and the world's,
        which is independent of it (see `world_generator`).
    points : int or array of int
        How many numbers of rounds to know the regret after, evenly spread, or which ones.
    criteria : iterable of Criterion or str
        Criteria whose weights change with time and that `Run.regret` shall answer for. Others,
        and the learner's own, need not be named.
    progress : callable, optional
        Called with the rounds played and the rounds in all, now and then.

    Examples
    --------
    >>> import driftduel as dd
    >>> s = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=10_000)
    >>> run = dd.simulate(dd.MetaBosse(2, 10_000), s, seed=1, points=5)
    >>> run.rounds
    array([ 2000,  4000,  6000,  8000, 10000])
    >>> bool(run.regret("borda")[-1] < 0.2 * 10_000 / 2)
    True
    """
    if learner.n_arms != stream.n_arms:
        raise ValueError(f"the learner has {learner.n_arms} arms, the stream {stream.n_arms}")
    learner.check_horizon(stream.horizon)
    seed = as_count(seed, "seed", 0)
    rounds = _as_points(points, stream.horizon)
    turns = [as_criterion(c).changes() for c in (learner.criterion, *criteria)]
    cuts = np.unique(np.concatenate([[0], rounds, stream.starts, *turns]))
    ledger = Ledger(stream.n_arms, stream.horizon, cuts[cuts < stream.horizon])
    rng = learner_generator(seed)
    world = world_generator(seed)
    state = learner.start(rng)
    history = History()
    play = loop_of(type(learner))
    batch = np.empty(min(_BATCH, stream.horizon), np.int32)
    done = 0
    while done < stream.horizon:
        pairs = batch[: stream.horizon - done]
        n = play(state, rng, world, stream.palette, stream.which, stream.starts, done, pairs)
        ledger.add(done, pairs[:n])
        learner.collect(state, history)
        done += n
        if progress is not None:
            progress(done, stream.horizon)
    return Run(
        learner=learner,
        stream=stream,
        seed=seed,
        rounds=rounds,
        episodes=[start for start in history.episodes if start < stream.horizon],
        evictions=history.evictions,
        replays=[replay for replay in history.replays if replay.start < stream.horizon],
        best=learner.best_of(state),
        ledger=ledger,
    )


def simulate_many(
    learner: Learner,
    stream: Stream,
    seeds: Iterable[int] = range(32),
    workers: int = 1,
    *,
    points: int | ArrayLike = 200,
    criteria: Iterable[Criterion | str] = (),
    progress: Progress | None = None,
) -> list[Run]:
    """Play a learner on a stream once per seed, in parallel; see `simulate`.

    The compiled loop runs without Python's lock, so ``workers`` threads keep as many cores
    busy. The result does not depend on ``workers``.

    Examples
    --------
    >>> import driftduel as dd
    >>> s = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=1000)
    >>> runs = dd.simulate_many(dd.MetaBosse(2, 1000), s, seeds=range(4), workers=2)
    >>> [run.seed for run in runs]
    [0, 1, 2, 3]
    """
    chosen = [as_count(seed, "seed", 0) for seed in seeds]
    workers = as_count(workers, "workers", 1)
    listed = tuple(criteria)
    total = stream.horizon * len(chosen)
    played = dict.fromkeys(range(len(chosen)), 0)

    def one(index: int) -> Run:
        def report(done: int, _: int) -> None:
            played[index] = done
            if progress is not None:
                progress(sum(played.values()), total)

        return simulate(learner, stream, chosen[index], points, criteria=listed, progress=report)

    if workers == 1 or len(chosen) < 2:
        return [one(index) for index in range(len(chosen))]
    loop_of(type(learner))
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, range(len(chosen))))


def world_generator(seed: int) -> np.random.Generator:
    """Return the generator that draws the outcomes of `simulate` with this seed.

    The outcome of a round is 1.0 if its next number is below P_t[left, right], otherwise 0.0.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))


def _as_points(points: int | ArrayLike, horizon: int) -> NDArray[np.int64]:
    if isinstance(points, int | np.integer):
        n = min(as_count(points, "points", 1), horizon)
        return np.array([horizon * (k + 1) // n for k in range(n)], dtype=np.int64)
    chosen = np.asarray(points)
    if chosen.ndim != 1 or chosen.size == 0 or not np.issubdtype(chosen.dtype, np.integer):
        raise ValueError("points must be a number of points or a list of numbers of rounds")
    if (chosen < 1).any() or (chosen > horizon).any():
        raise ValueError(f"points must be between 1 and the horizon {horizon}")
    return np.unique(chosen).astype(np.int64)
