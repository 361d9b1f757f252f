"""Run what a spec asks for and is not finished yet, on this machine or on many."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from polars.exceptions import PolarsError

from driftduel._support.files import locked, replacing
from driftduel._support.text import count
from driftduel._support.version import __version__
from driftduel.experiments.checksums import DamagedFileError, set_aside
from driftduel.experiments.plan import Plan, make_plan
from driftduel.experiments.record import NAME, WRITTEN, Record
from driftduel.experiments.results import TABLES, Results, write_tables
from driftduel.experiments.spec import Spec
from driftduel.experiments.store import Store
from driftduel.experiments.tasks import Failure, Row, Task, attempt
from driftduel.experiments.versions import package_version
from driftduel.experiments.workers import WorkerDiedError, work
from driftduel.experiments.worlds import StreamInfo

FAILURES = "failures.txt"
"""The file of a folder that tells of tasks that failed."""

_TRACED = 100
"""Failed tasks whose trace is kept; whatever fails more often fails alike."""


class FailedTasksError(ValueError):
    """Some tasks of a sweep failed; all others are finished, and ``sweep`` tells of them."""

    def __init__(self, sentence: str, sweep: Sweep) -> None:
        super().__init__(sentence)
        self.sweep = sweep


@dataclass
class Progress:
    """How far a sweep is.

    Attributes
    ----------
    tasks, done, failed : int
        Tasks to run, tasks run, and those of them that failed.
    rounds, played : int
        Rounds of those tasks, and rounds played.
    seconds : float
        Time since the first task began.
    means : dict of str to float
        The mean final regret of every learner over the runs of this sweep, in the first criterion
        of each stream.
    """

    tasks: int
    rounds: int
    done: int = 0
    failed: int = 0
    played: int = 0
    seconds: float = 0.0
    means: dict[str, float] = field(default_factory=dict)

    @property
    def left(self) -> float | None:
        """Seconds left, at the speed so far; None if nothing is done yet."""
        if self.played == 0:
            return None
        return self.seconds * (self.rounds - self.played) / self.played


@dataclass(frozen=True)
class Sweep:
    """What `run_sweep` did.

    Attributes
    ----------
    folder : Path
        The folder of the results.
    tasks, runs, found : int
        Tasks and runs finished by this sweep, and runs found finished.
    rounds : int
        Rounds played.
    seconds : float
        How long it took.
    damaged : tuple of Path
        Files found damaged, where they are now; what they held was run again.
    """

    folder: Path
    tasks: int
    runs: int
    found: int
    rounds: int
    seconds: float
    damaged: tuple[Path, ...] = ()


def run_sweep(
    spec: Spec,
    folder: str | os.PathLike[str],
    *,
    workers: int = 1,
    dask: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Sweep:
    """Run the tasks of a spec that are not finished; the folder can be read at any time.

    A task that fails, or whose process is killed, keeps no other from being finished. Files that
    do not hold what was written are set aside, and what they held is run again.

    Parameters
    ----------
    spec : Spec
        What to run.
    folder : str or path
        The folder of the results; made if it is missing.
    workers : int
        Processes on this machine.
    dask : str, optional
        The address of a Dask scheduler, whose workers then run the tasks.
    progress : callable, optional
        Called after every task.

    Raises
    ------
    FailedTasksError
        If tasks failed, after all others; the next sweep in the folder tries them again.
    ValueError
        If the spec cannot be run, the folder holds something else or cannot be written to, or
        another sweep is at work in it. What is finished is kept.
    """
    folder = Path(folder)
    _check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "spec.toml", wait=False):
        known, damaged = _streams_before(folder)
        plan = make_plan(spec, known)
        store = Store(folder)
        with _write_errors(folder):
            damaged = [*map(set_aside, damaged), *store.open()]
            _clear(folder)
            plan.record(_environment(spec)).save(folder)
        finished = store.finished()
        state, found = _count(plan, finished)
        began = perf_counter()
        watch = _Watch(plan, state, progress)
        failures = _Failures(plan, folder / FAILURES)
        with closing(_outcomes(plan.tasks(finished), workers, dask)) as outcomes:
            for task, outcome in outcomes:
                if isinstance(outcome, Failure):
                    failures.add(task, outcome)
                else:
                    with _write_errors(folder):
                        store.add(task, outcome)
                watch.note(task, outcome, perf_counter() - began)
        with _write_errors(folder):
            store.merge()
            write_tables(Results.load(folder))
    tasks = state.done - state.failed
    seconds = perf_counter() - began
    sweep = Sweep(folder, tasks, watch.runs, found, state.played, seconds, tuple(damaged))
    if state.failed:
        raise FailedTasksError(failures.sentence(), sweep)
    return sweep


@contextmanager
def _write_errors(folder: Path) -> Iterator[None]:
    """Say in a sentence that the folder cannot be written to, say for want of room."""
    try:
        yield
    except (OSError, PolarsError) as error:
        # Polars tells of a full disk in an error of its own.
        if isinstance(error, PolarsError) and "os error" not in str(error):
            raise
        reason = getattr(error, "strerror", None) or str(error).rpartition(": ")[2]
        raise ValueError(
            f"{folder}: cannot be written to ({reason}); what is finished is kept, repeat the "
            "command when there is room"
        ) from error


class _Failures:
    """Keeps the traces of tasks that failed in a file."""

    def __init__(self, plan: Plan, file: Path) -> None:
        self._file = file
        self._count = 0
        self._texts: list[str] = []
        self._first = ""
        self._names = {
            item.key: f"{plan.spec.learners[item.learner].label} on "
            f"{plan.streams[item.stream].label!r}"
            for item in plan.combinations
        }

    def add(self, task: Task, failure: Failure) -> None:
        self._count += 1
        seeds = f"{'seed' if len(task.seeds) == 1 else 'seeds'} {', '.join(map(str, task.seeds))}"
        what = f"{self._names[task.key]}, {seeds}: {failure.reason}"
        self._first = self._first or what
        if len(self._texts) < _TRACED:
            self._texts.append(f"{what}\n\n{failure.trace.rstrip()}\n")
            with suppress(OSError), replacing(self._file) as temporary:
                temporary.write_text("\n\n".join(self._texts), encoding="utf-8")

    def sentence(self) -> str:
        tasks = count(self._count, "task")
        return (
            f"{self._file.parent}: {tasks} failed, all others are finished; the first was "
            f"{self._first} (the trace is in {self._file}); repeat the command to try again"
        )


def _outcomes(
    tasks: Iterator[Task], workers: int, dask: str | None
) -> Generator[tuple[Task, list[Row] | Failure]]:
    """Run tasks and yield what came of them."""
    if dask is not None:
        from driftduel.experiments.cluster import on_cluster

        yield from on_cluster(tasks, dask)
    elif workers == 1:
        for task in tasks:
            yield task, attempt(task)
    else:
        with closing(work(attempt, tasks, workers)) as results:
            for task, outcome in results:
                if isinstance(outcome, WorkerDiedError):
                    yield task, Failure(str(outcome), str(outcome))
                else:
                    yield task, outcome


class _Watch:
    """Keeps count of what is done."""

    def __init__(
        self, plan: Plan, state: Progress, progress: Callable[[Progress], None] | None
    ) -> None:
        self.runs = 0
        self._state = state
        self._progress = progress
        self._horizons: dict[str, int] = {}
        self._labels: dict[str, str] = {}
        self._sums: dict[str, tuple[int, float]] = {}
        for item in plan.combinations:
            self._horizons[item.key] = plan.streams[item.stream].horizon
            self._labels[item.key] = plan.spec.learners[item.learner].label

    def note(self, task: Task, outcome: list[Row] | Failure, seconds: float) -> None:
        state = self._state
        state.done += 1
        state.seconds = seconds
        rounds = len(task.seeds) * self._horizons[task.key]
        if isinstance(outcome, Failure):
            state.failed += 1
            state.rounds -= rounds
        else:
            label = self._labels[task.key]
            runs, total = self._sums.get(label, (0, 0.0))
            total += sum(float(row["regret"][0][-1]) for row in outcome)
            self._sums[label] = runs + len(outcome), total
            state.means[label] = total / (runs + len(outcome))
            state.played += rounds
            self.runs += len(outcome)
        if self._progress is not None:
            self._progress(state)


def _count(plan: Plan, finished: Mapping[str, set[int]]) -> tuple[Progress, int]:
    """Return what is to do, and how many runs are finished."""
    horizons = {item.key: plan.streams[item.stream].horizon for item in plan.combinations}
    tasks = rounds = missing = 0
    for task in plan.tasks(finished):
        tasks += 1
        missing += len(task.seeds)
        rounds += len(task.seeds) * horizons[task.key]
    return Progress(tasks, rounds), len(horizons) * len(plan.spec.seeds) - missing


def _check_folder(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ValueError(f"{folder}: is a file, must be a folder")
    ours = (folder / "environment.json").exists() or (folder / "tasks").is_dir()
    if not ours and any(not file.name.startswith(".") for file in folder.iterdir()):
        raise ValueError(f"{folder}: holds other files, choose an empty folder or a new one")


def _clear(folder: Path) -> None:
    """Remove what an earlier sweep wrote last, and what a killed one was writing."""
    last = [FAILURES, *(f"{table}.parquet" for table in TABLES)]
    for name in last:
        (folder / name).unlink(missing_ok=True)
    for name in (*last, *WRITTEN):
        stem, _, suffix = name.partition(".")
        for file in folder.glob(f".{stem}-*.{suffix}"):
            file.unlink(missing_ok=True)


def _streams_before(folder: Path) -> tuple[dict[str, StreamInfo], list[Path]]:
    """Return what an earlier sweep found true of streams, and its plan if that is damaged."""
    try:
        return {stream.id: stream for stream in Record.load(folder).streams}, []
    except DamagedFileError:
        return {}, [folder / NAME]
    except ValueError:
        return {}, []


def _environment(spec: Spec) -> dict[str, Any]:
    """Return what is needed, beside the spec, to run it again and get the same."""
    return {
        "title": spec.title,
        "driftduel": __version__,
        "code": package_version(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "polars")},
        "platform": platform.platform(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "spec": spec.hash,
        "seeds": list(spec.seeds),
    }
