"""One task: a learner on a stream with a few seeds. What workers run, wherever they are."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from driftduel._support.checks import BadParameter
from driftduel.experiments.grids import read_parameters, write_parameters
from driftduel.experiments.simulation import Run, oracle_of, simulate
from driftduel.experiments.spec import CriterionText, criterion_name, criterion_of
from driftduel.experiments.versions import version_from_outside
from driftduel.learners import Learner
from driftduel.learners.contract.build import learner_from
from driftduel.matrix.criteria import Criterion
from driftduel.worlds import Stream, catalogue

Parameters = dict[str, Any]
Row = dict[str, Any]
"""What is kept of a run; the names are those of `driftduel.experiments.store`."""


@dataclass(frozen=True)
class Source:
    """Where a stream comes from: a built-in world or a file."""

    world: str
    parameters: str
    """The parameters as JSON, so that a source can be looked up."""
    file: str | None = None

    def build(self) -> Stream:
        """Make the stream, or read it."""
        values = read_parameters(self.parameters)
        if self.file is None:
            return catalogue.build(self.world, **values)
        stream = Stream.load(self.file)
        return stream.stretch(values["horizon"]) if "horizon" in values else stream


@dataclass(frozen=True)
class Task:
    """A learner on a stream with a few seeds.

    ``key`` is that of the learner on the stream; see `driftduel.experiments.plan`.
    """

    key: str
    source: Source
    stream: str
    """The content of the stream, by its hash."""
    learner: str
    parameters: str
    seeds: tuple[int, ...]
    points: int
    criteria: tuple[CriterionText, ...]
    code: str = ""
    """The version of a learner from outside the package, of which a worker may have another."""


class OtherCodeError(ValueError):
    """A learner from outside the package is not the one that was planned."""


@dataclass(frozen=True)
class Failure:
    """Why a task could not be run: the reason in a line, and the trace of the error."""

    reason: str
    trace: str


def attempt(task: Task, stream: Stream | None = None) -> list[Row] | Failure:
    """Run a task as `play` does, and return an error as it returns rows."""
    try:
        return play(task, stream)
    except Exception as error:
        lines = str(error).split("\n", 1)[0].strip()
        name = type(error).__name__
        return Failure(f"{name}: {lines}" if lines else name, traceback.format_exc())


def play(task: Task, stream: Stream | None = None) -> list[Row]:
    """Run a task and return a row for every seed.

    Parameters
    ----------
    task : Task
        What to run.
    stream : Stream, optional
        Its stream, for workers that cannot read it.

    Raises
    ------
    ValueError
        If the stream or the code of the learner is not the one that was planned.
    """
    check_code(task)
    world = _stream(task.source, task.stream) if stream is None else stream
    learner = make_learner(task.learner, read_parameters(task.parameters), world)
    criteria = {criterion_name(text): criterion_of(text) for text in task.criteria}
    measured = [criterion for criterion, _ in criteria.values()]
    _warm(learner, world)
    rows = []
    for seed in task.seeds:
        began = perf_counter()
        run = simulate(learner, world, seed, task.points, criteria=measured)
        seconds = perf_counter() - began
        rows.append(_row(run, criteria, seconds))
    return rows


def check_code(task: Task) -> None:
    """Raise OtherCodeError unless the learner of a task is here as it was planned."""
    if not task.code:
        return
    try:
        found = version_from_outside(task.learner, read_parameters(task.parameters))
    except BadParameter as error:
        raise OtherCodeError(f"the learner {task.learner} is missing: {error.reason}") from error
    if found != task.code:
        raise OtherCodeError(
            f"the learner {task.learner} has the code {found} (a hash), planned was {task.code}; "
            "its file or a library it imports differs"
        )


def stream_hash(stream: Stream) -> str:
    """Return a hash of all that matters to who plays on a stream.

    Examples
    --------
    >>> s = Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 100)
    >>> stream_hash(s) == stream_hash(s[:99])
    False
    """
    digest = hashlib.sha256(f"{stream.palette.shape} {stream.horizon} ".encode())
    for array, kind in ((stream.palette, "<f8"), (stream.which, "<i8"), (stream.starts, "<i8")):
        digest.update(np.ascontiguousarray(array, dtype=kind).data)
    if stream.offered is not None:
        digest.update(np.ascontiguousarray(stream.offered).data)
    return digest.hexdigest()[:16]


def make_learner(name: str, parameters: Mapping[str, Any], stream: Stream) -> Learner:
    """Return the learner that a spec means, for the arms and the horizon of a stream.

    Examples
    --------
    >>> s = Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 100)
    >>> make_learner("MetaBosse", {"horizon": "none"}, s).horizon is None
    True
    """
    if name == "Oracle":
        return oracle_of(stream, parameters.get("criterion", "borda"))
    return learner_from(name, parameters, stream.n_arms, stream.horizon)


@lru_cache(maxsize=4)
def _stream(source: Source, content: str) -> Stream:
    stream = source.build()
    if stream_hash(stream) != content:
        name = source.file or source.world
        raise ValueError(
            f"{name}: this machine makes another stream of it than the one that was planned; "
            "the file changed, or numpy differs"
        )
    return stream


_compiled: set[tuple[Any, ...]] = set()


def _warm(learner: Learner, stream: Stream) -> None:
    """Compile what the learner needs, so that the time of its first run is that of play."""
    kernels = learner._kernels
    if kernels not in _compiled:
        simulate(learner, stream[:1], points=1)
        _compiled.add(kernels)


def _row(run: Run, criteria: Mapping[str, tuple[Criterion, bool]], seconds: float) -> Row:
    plays = run.plays
    left, right = np.nonzero(plays)
    return {
        "seed": run.seed,
        "best": run.best,
        "seconds": seconds,
        "restarts": len(run.episodes) - 1,
        "rounds": run.rounds,
        "criteria": list(criteria),
        "regret": [run.regret(what, weak=weak).tolist() for what, weak in criteria.values()],
        "events": _events(run),
        "left": left.astype(np.int32),
        "right": right.astype(np.int32),
        "count": plays[left, right],
    }


def _events(run: Run) -> list[Row]:
    events: list[Row] = [{"kind": "episode", "round": start} for start in run.episodes]
    events += [
        {
            "kind": "eviction",
            "round": item.round,
            "arm": item.arm,
            "beaten_by": item.beaten_by,
            "first": item.first,
            "last": item.last,
            "statistic": item.statistic,
            "threshold": item.threshold,
        }
        for item in run.evictions
    ]
    events += [
        {
            "kind": "replay",
            "round": item.start,
            "first": item.start,
            "last": min(item.start + item.length, run.stream.horizon) - 1,
            "length": item.length,
        }
        for item in run.replays
    ]
    events += [
        {"kind": "activation", "round": item.round, "arm": item.arm} for item in run.activations
    ]
    if type(run.learner)._collect is not Learner._collect:  # others never set an arm aside
        seen = {"in play": run.in_play(), "pick": run.picked()}
        events += [
            {"kind": kind, "round": begin, "arm": arm, "first": begin, "last": end - 1}
            for kind, stretches in seen.items()
            for arm, begin, end in stretches
        ]
    return sorted(events, key=lambda event: event["round"])


def source_of(world: str, parameters: Mapping[str, Any], file: Path | None) -> Source:
    """Return the source of a stream of a spec."""
    path = None if file is None else str(file.resolve())
    return Source(world, write_parameters(parameters), path)
