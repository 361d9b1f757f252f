"""Run learners on streams: `simulate`, `simulate_many` and the `Run` they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from threading import Lock

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter, as_count, as_whole_numbers
from driftduel._support.limits import POINTS, ROUNDS, SEEDS
from driftduel._support.notebook import InNotebooks
from driftduel._support.text import count
from driftduel.experiments.simulation.ledger import Ledger
from driftduel.experiments.simulation.loop import batches
from driftduel.experiments.simulation.turns import Turn, turns_of
from driftduel.learners.contract.base import Learner, learner_generator, settle_generator
from driftduel.learners.contract.history import Activation, Eviction, History, Replay
from driftduel.matrix.criteria import Criterion, as_criterion
from driftduel.worlds.stream import Stream

Progress = Callable[[int, int], None]
"""Called with the rounds played and the rounds in all."""

Stretch = tuple[int, int, int]
"""An arm, a first round and an end."""

_LOOKS = 400
"""Moments of a run at which the learner is looked at: more than a figure can show."""


@dataclass(frozen=True, eq=False, repr=False)
class Run(InNotebooks):
    """The record of one learner on one stream.

    Attributes
    ----------
    learner : Learner
        The learner that was given; its parameters were used, not its state.
    stream : Stream
        The world.
    seed : int
        The seed of both.
    rounds : array of int
        Numbers of rounds after which regret is known, increasing; the last is the horizon
        unless others were asked for.
    episodes : list of int
        The rounds at which episodes began; the first is 0.
    evictions, activations, replays : list
        What happened, in order.
    best : int
        The arm the learner would pick at the end.
    moments : array of int
        The rounds before which the learner was looked at: 0 and those of `rounds` before the
        horizon, 400 of them at most, evenly spread.
    active : array of bool of shape (len(moments), K)
        Which arms were in play then.
    picks : array of int
        The arms the learner would have picked then.
    """

    learner: Learner
    stream: Stream
    seed: int
    rounds: NDArray[np.int64]
    episodes: list[int]
    evictions: list[Eviction]
    activations: list[Activation]
    replays: list[Replay]
    best: int
    moments: NDArray[np.int64]
    active: NDArray[np.bool_]
    picks: NDArray[np.int64]
    ledger: Ledger

    @property
    def plays(self) -> NDArray[np.int64]:
        """How often each ordered pair (K, K) was played."""
        return self.ledger.plays

    def in_play(self) -> list[Stretch]:
        """Return which arms were in play when: (arm, first round, end), in the order of rounds.

        What is seen at one of `moments` is taken to hold until the next.

        Examples
        --------
        >>> import driftduel as dd
        >>> s = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=10)
        >>> dd.simulate(dd.learners.FixedPair(2, left=0, right=1), s).in_play()
        [(0, 0, 10), (1, 0, 10)]
        """
        return _stretches(self.active, self.moments, self.stream.horizon)

    def picked(self) -> list[Stretch]:
        """Return which arm the learner would have picked when, as `in_play` does."""
        chosen = self.picks[:, None] == np.arange(self.stream.n_arms)
        return _stretches(chosen, self.moments, self.stream.horizon)

    def regret(
        self,
        criterion: Criterion | str = "borda",
        *,
        weak: bool = False,
        binary: bool = False,
    ) -> NDArray[np.float64]:
        """Return the cumulative regret after each of `rounds`.

        Parameters
        ----------
        criterion : Criterion or str
            What "best" means; it need not be what the learner was after.
        weak : bool
            Count the better of the two arms only, instead of their mean.
        binary : bool
            Count 1 for a round unless both arms are winners; if weak, unless one of them is.

        Examples
        --------
        >>> import driftduel as dd
        >>> s = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=10)
        >>> run = dd.simulate(dd.learners.FixedPair(2, left=0, right=1), s, points=1)
        >>> [float(run.regret(name)[-1].round(2)) for name in ("borda", "condorcet", "copeland")]
        [2.0, 2.0, 5.0]
        >>> [float(run.regret(weak=weak, binary=True)[-1]) for weak in (False, True)]
        [10.0, 0.0]
        """
        rows, begins = self.stream.gap_rows(criterion, binary=binary)
        total = np.cumsum(self.ledger.regret(rows, begins, weak=weak, binary=binary))
        ends = np.append(self.ledger.cuts[1:], self.stream.horizon)
        return np.asarray(total[np.searchsorted(ends, self.rounds)])

    def __repr__(self) -> str:
        did = ", ".join(
            count(n, what)
            for n, what in (
                (len(self.episodes), "episode"),
                (len(self.evictions), "eviction"),
                (len(self.replays), "replay"),
            )
        )
        name = type(self.learner).__name__
        return f"Run({name}, {self.stream!r}, seed={self.seed}, best={self.best}, {did})"


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
        The world, and the number of rounds. If its arms come and go, the learner must be one that
        `can_change_arms`, and is told when they do.
    seed : int
        Sets the learner's randomness, as if it had been made with this seed, and the world's,
        which is independent of it (see `world_generator`).
    points : int or array of int
        How many numbers of rounds to know the regret after, evenly spread, or which ones.
    criteria : iterable of Criterion or str
        Criteria whose weights change with time and that `Run.regret` shall answer for. Others,
        and the learner's own, need not be named.
    progress : callable, optional
        Called with the rounds played and the rounds in all, every 65,536 rounds or so.

    Examples
    --------
    >>> import driftduel as dd
    >>> s = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=100_000)
    >>> run = dd.simulate(dd.MetaBosse(2, 100_000), s, seed=1, points=5)
    >>> run.rounds
    array([ 20000,  40000,  60000,  80000, 100000])
    >>> random = dd.simulate(dd.learners.Uniform(2), s)
    >>> bool(run.regret("borda")[-1] < random.regret("borda")[-1] / 2)
    True
    """
    if learner.n_arms != stream.n_arms:
        raise ValueError(f"the learner has {learner.n_arms} arms, the stream {stream.n_arms}")
    check_rounds(stream.horizon)
    learner._check_horizon(stream.horizon)
    seed = as_count(seed, "seed", 0)
    rounds = _as_points(points, stream.horizon)
    turns = [as_criterion(c).changes() for c in (learner.criterion, *criteria)]
    cuts = np.unique(np.concatenate([[0], rounds, stream.starts, *turns]))
    ledger = Ledger(stream.n_arms, stream.horizon, cuts[cuts < stream.horizon])
    rng, settle_rng = learner_generator(seed), settle_generator(seed)
    world = world_generator(seed)
    history = History()
    moments = _moments(rounds, stream.horizon)
    active = np.zeros((len(moments), stream.n_arms), np.bool_)
    picks = np.empty(len(moments), np.int64)
    for turn in turns_of(learner, stream, rng, settle_rng, history):
        stops = np.searchsorted(moments, [turn.first, turn.end])

        def look(place: int, turn: Turn = turn, begin: int = int(stops[0])) -> None:
            active[begin + place, turn.active()] = True
            picks[begin + place] = turn.best()

        looks = (moments[slice(*stops)] - turn.first).tolist()
        generators = rng, settle_rng, world
        plays = batches(turn.player, turn.world, turn.state, *generators, turn.news, looks, look)
        for first, pairs in plays:
            ledger.add(turn.first + first, turn.codes(pairs))
            if progress is not None:
                progress(turn.first + first + len(pairs), stream.horizon)
    return Run(
        learner=learner,
        stream=stream,
        seed=seed,
        rounds=rounds,
        episodes=[start for start in history.episodes if start < stream.horizon],
        evictions=history.evictions,
        activations=[item for item in history.activations if item.round < stream.horizon],
        replays=[replay for replay in history.replays if replay.start < stream.horizon],
        best=turn.best(),
        moments=moments,
        active=active,
        picks=picks,
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
    busy. The result does not depend on ``workers``. ``progress`` is called by one thread at a
    time, with the rounds of all seeds.

    Examples
    --------
    >>> import driftduel as dd
    >>> s = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=1000)
    >>> runs = dd.simulate_many(dd.MetaBosse(2, 1000), s, seeds=range(4), workers=2)
    >>> [run.seed for run in runs]
    [0, 1, 2, 3]
    """
    chosen = [as_count(seed, "seed", 0) for seed in islice(seeds, SEEDS + 1)]
    if len(chosen) > SEEDS:
        raise ValueError(f"seeds: there are more than {SEEDS:,}")
    workers = as_count(workers, "workers", 1)
    listed = tuple(criteria)
    total = stream.horizon * len(chosen)
    played = [0] * len(chosen)
    one_at_a_time = Lock()

    def one(index: int) -> Run:
        def report(done: int, _: int) -> None:
            with one_at_a_time:
                played[index] = done
                if progress is not None:
                    progress(sum(played), total)

        return simulate(learner, stream, chosen[index], points, criteria=listed, progress=report)

    if workers == 1 or len(chosen) < 2:
        return [one(index) for index in range(len(chosen))]
    # Compiled here, by one round: threads that found nothing compiled would wait for each other.
    simulate(learner, stream[:1])
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, range(len(chosen))))


def check_rounds(horizon: int) -> None:
    """Raise BadParameter if so many rounds would take days, or ages, to play."""
    if horizon > ROUNDS:
        raise BadParameter("horizon", f"is {horizon}, must be at most {ROUNDS} to be played")


def world_generator(seed: int) -> np.random.Generator:
    """Return the generator that draws the outcomes of `simulate` with this seed.

    The outcome of a round is 1.0 if its next number is below P_t[left, right], otherwise 0.0.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))


def _stretches(flags: NDArray[np.bool_], moments: NDArray[np.int64], horizon: int) -> list[Stretch]:
    """Return where the columns of ``flags`` hold, whose rows begin at ``moments``."""
    edges = np.append(moments, horizon)
    padded = np.pad(flags, ((1, 1), (0, 0))).astype(np.int8)
    turns = np.diff(padded, axis=0)
    (arms, begins), (_, ends) = np.nonzero(turns.T > 0), np.nonzero(turns.T < 0)
    found = zip(arms.tolist(), edges[begins].tolist(), edges[ends].tolist(), strict=True)
    return sorted(found, key=lambda stretch: (stretch[1], stretch[0]))


def _moments(rounds: NDArray[np.int64], horizon: int) -> NDArray[np.int64]:
    """Return when to look at the learner: each look ends a batch of the compiled loop."""
    moments = np.append(0, rounds[rounds < horizon])
    if len(moments) <= _LOOKS:
        return moments
    return np.asarray(moments[np.arange(_LOOKS) * len(moments) // _LOOKS])


def _as_points(points: int | ArrayLike, horizon: int) -> NDArray[np.int64]:
    if isinstance(points, int | np.integer):
        n = min(as_count(points, "points", 1, POINTS), horizon)
        return np.array([horizon * (k + 1) // n for k in range(n)], dtype=np.int64)
    chosen = as_whole_numbers(points, "points")
    for k in np.flatnonzero((chosen < 1) | (chosen > horizon)):
        raise ValueError(f"points[{k}] = {chosen[k]}, must be between 1 and the horizon {horizon}")
    return np.unique(chosen)
