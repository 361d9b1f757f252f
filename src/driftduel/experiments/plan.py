"""From a spec to tasks: which learner plays on which stream, and which seeds are missing.

The key of a learner on a stream is a hash of all that its results depend on: the content of the
stream, the class and the parameters of the learner, the version of its code and of the
simulation, the points and the criteria. Labels are no part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from driftduel._support.checks import BadParameter
from driftduel._support.text import did_you_mean
from driftduel.experiments.grids import read_parameters, write_parameters
from driftduel.experiments.record import Record
from driftduel.experiments.simulation.runs import check_rounds
from driftduel.experiments.spec import LearnerEntry, Spec, StreamEntry, criterion_name, criterion_of
from driftduel.experiments.tasks import Source, Task, make_learner, source_of, stream_hash
from driftduel.experiments.versions import learner_version, learners_in, version_from_outside
from driftduel.experiments.worlds import TRUTHS, StreamInfo, describe
from driftduel.worlds import Stream

_FORMAT = 2
"""Of the rows that tasks give; part of every key."""

_ROUNDS = 2_000_000
"""Rounds of a task, a second or less for most learners."""

_SEEDS = 64
"""Seeds of a task at most."""


@dataclass(frozen=True)
class Combination:
    """A learner on a stream."""

    key: str
    stream: int
    learner: int
    parameters: str
    """The parameters of the learner as JSON, with what it is told of the stream."""


@dataclass(frozen=True)
class Plan:
    """Everything that a spec asks for.

    Attributes
    ----------
    spec : Spec
        The spec.
    streams : list of StreamInfo
        What is true of its streams.
    sources : list of Source
        Where they come from.
    combinations : list of Combination
        Every learner on every stream, stream by stream.
    """

    spec: Spec
    streams: list[StreamInfo]
    sources: list[Source]
    combinations: list[Combination]

    @property
    def rounds(self) -> int:
        """Rounds of all runs."""
        each = sum(self.streams[item.stream].horizon for item in self._distinct())
        return each * len(self.spec.seeds)

    def tasks(self, finished: Mapping[str, set[int]]) -> Iterator[Task]:
        """Yield the tasks that are left to do, given the seeds finished for every key."""
        for item in self._distinct():
            done = finished.get(item.key, set())
            blocks: dict[int, list[int]] = {}
            size = max(1, min(_SEEDS, _ROUNDS // self.streams[item.stream].horizon))
            for seed in self.spec.seeds:
                if seed not in done:
                    blocks.setdefault(seed // size, []).append(seed)
            for seeds in blocks.values():
                yield self._task(item, tuple(seeds))

    def record(self, environment: dict[str, Any]) -> Record:
        """Return what a folder keeps of the plan."""
        return Record(
            spec=self.spec.text,
            environment=environment,
            streams=self.streams,
            learners=[(player.label, player.name) for player in self.spec.learners],
            combinations=[
                (item.key, item.stream, item.learner, item.parameters) for item in self.combinations
            ],
        )

    def _distinct(self) -> Iterator[Combination]:
        """Yield the combinations, those that are the same but for their labels once."""
        seen: set[str] = set()
        for item in self.combinations:
            if item.key not in seen:
                seen.add(item.key)
                yield item

    def _task(self, item: Combination, seeds: tuple[int, ...]) -> Task:
        player = self.spec.learners[item.learner]
        return Task(
            key=item.key,
            source=self.sources[item.stream],
            stream=self.streams[item.stream].id,
            learner=player.name,
            parameters=item.parameters,
            seeds=seeds,
            points=self.spec.points,
            criteria=self.spec.streams[item.stream].criteria,
            code=version_from_outside(player.name, player.parameters),
        )


def make_plan(spec: Spec, known: Mapping[str, StreamInfo] | None = None) -> Plan:
    """Build every stream and every learner once, so that what is wrong shows before any work.

    Parameters
    ----------
    spec : Spec
        What to run.
    known : mapping of str to StreamInfo, optional
        Streams that were measured before, by the hash of their content.

    Raises
    ------
    ValueError
        If a stream or a learner cannot be made; the message names its place in the spec.
    """
    plan = Plan(spec, [], [], [])
    for number, entry in enumerate(spec.streams):
        source = source_of(entry.world, entry.parameters, entry.file)
        stream = _build(entry, source)
        _check_criteria(entry, stream)
        content = stream_hash(stream)
        plan.sources.append(source)
        plan.streams.append(_describe(entry, source, stream, content, known or {}))
        for place, player in enumerate(spec.learners):
            parameters = _with_truths(player, plan.streams[-1])
            _check_learner(player, parameters, entry, stream)
            key = _key(spec, entry, player, parameters, content)
            plan.combinations.append(Combination(key, number, place, parameters))
    return plan


def _build(entry: StreamEntry, source: Source) -> Stream:
    try:
        stream = source.build()
        check_rounds(stream.horizon)
        return stream
    except FileNotFoundError:
        entry.place.fail("file", f"there is no file {entry.file}")
    except BadParameter as error:
        entry.place.fail(error.name, error.reason)
    except ValueError as error:
        entry.place.fail("" if entry.file is None else "file", error)


def _describe(
    entry: StreamEntry,
    source: Source,
    stream: Stream,
    content: str,
    known: Mapping[str, StreamInfo],
) -> StreamInfo:
    before = known.get(content)
    names = {criterion_name(text) for text in entry.criteria}
    if before is None or not names <= before.shifts.keys():
        return describe(entry, source.parameters, stream, content)
    return replace(before, label=entry.label, world=entry.world, parameters=source.parameters)


def _check_criteria(entry: StreamEntry, stream: Stream) -> None:
    for text in entry.criteria:
        try:
            stream.gap_rows(criterion_of(text)[0])
        except ValueError as error:
            entry.place.fail(
                "criteria",
                f"{criterion_name(text)}: {error}; give this stream criteria of its own",
            )


def _with_truths(player: LearnerEntry, stream: StreamInfo) -> str:
    """Return the parameters of a learner as JSON, each "@..." replaced by the stream's truth."""

    def tell(key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: tell(f"{key}.{name}", item) for name, item in value.items()}
        if not isinstance(value, str) or not value.startswith("@"):
            return value
        name, plus, more = (part.strip() for part in value[1:].partition("+"))
        truths = [f"@{truth}" for truth in TRUTHS]
        if name not in TRUTHS or (plus and not more.isdigit()):
            player.place.fail(
                key,
                f"{value!r} is unknown{did_you_mean('@' + name, truths)}, there are "
                f"{', '.join(truths)}, to which a whole number may be added, as in "
                "'@borda_switches + 1'",
            )
        truth = stream.measures[name]
        if truth is None:
            player.place.fail(key, f"{value!r} is undefined on the stream {stream.label!r}")
        return truth + int(more) if plus else truth

    values = {key: tell(key, value) for key, value in player.parameters.items()}
    return write_parameters(values)


def _check_learner(
    player: LearnerEntry, parameters: str, entry: StreamEntry, stream: Stream
) -> None:
    try:
        learner = make_learner(player.name, read_parameters(parameters), stream)
        learner._check_horizon(stream.horizon)
    except BadParameter as error:
        player.place.fail(error.name, f"{error.reason} (on the stream {entry.label!r})")
    except ValueError as error:
        player.place.fail("", f"{error} (on the stream {entry.label!r})")


def _key(
    spec: Spec, entry: StreamEntry, player: LearnerEntry, parameters: str, content: str
) -> str:
    described = [
        _FORMAT,
        content,
        player.name,
        parameters,
        learner_version(*learners_in(player.name, player.parameters)),
        spec.points,
        entry.criteria,
    ]
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()[:24]
