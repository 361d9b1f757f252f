"""Run what a spec asks for and is not finished yet, on this machine or on many."""

from __future__ import annotations

import platform
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

from driftduel._files import locked
from driftduel._version import __version__
from driftduel.experiments.plan import Plan, make_plan
from driftduel.experiments.record import Record
from driftduel.experiments.results import Results, write_tables
from driftduel.experiments.spec import Spec
from driftduel.experiments.store import Store
from driftduel.experiments.tasks import Row, Task, play
from driftduel.experiments.versions import package_version
from driftduel.experiments.worlds import StreamInfo

_AT_ONCE = 256
"""Tasks that joblib is given at a time; their results may wait in memory."""

_IDLE = 5
"""Seconds after which a worker without work ends, so that none outlives a killed sweep long."""


@dataclass
class Progress:
    """How far a sweep is.

    Attributes
    ----------
    tasks, done : int
        Tasks to run, and tasks run.
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
    """What `run_sweep` did: the folder, tasks run, runs found finished, rounds and seconds."""

    folder: Path
    tasks: int
    runs: int
    found: int
    rounds: int
    seconds: float


def run_sweep(
    spec: Spec,
    folder: Path,
    *,
    workers: int = 1,
    dask: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Sweep:
    """Run the tasks of a spec that are not finished; the folder can be read at any time.

    Parameters
    ----------
    spec : Spec
        What to run.
    folder : Path
        The folder of the results; made if it is missing.
    workers : int
        Processes on this machine.
    dask : str, optional
        The address of a Dask scheduler, whose workers then run the tasks.
    progress : callable, optional
        Called after every task.

    Raises
    ------
    ValueError
        If the spec cannot be run, the folder holds something else, or another sweep is at work
        in it.
    """
    _check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "spec.toml", wait=False):
        plan = make_plan(spec, _measured(folder))
        store = Store(folder)
        store.open()
        for name in ("regret", "events", "plays", "runs"):
            (folder / f"{name}.parquet").unlink(missing_ok=True)
        plan.record(_environment(spec)).save(folder)
        finished = store.finished()
        state, found = _count(plan, finished)
        began = perf_counter()
        tasks = plan.tasks(finished)
        watch = _Watch(plan, state, progress)
        with closing(_results(plan, tasks, workers, dask)) as results:
            for task, rows in results:
                store.add(task, rows)
                watch.note(task, rows, perf_counter() - began)
        store.merge()
        write_tables(Results.load(folder))
    runs = watch.runs
    return Sweep(folder, state.done, runs, found, state.played, perf_counter() - began)


def _results(
    plan: Plan, tasks: Iterator[Task], workers: int, dask: str | None
) -> Generator[tuple[Task, list[Row]]]:
    if dask is not None:
        from driftduel.experiments.cluster import on_cluster

        return on_cluster(tasks, dask)
    return _on_this_machine(tasks, workers)


def _on_this_machine(tasks: Iterator[Task], workers: int) -> Generator[tuple[Task, list[Row]]]:
    from joblib import Parallel, delayed

    with (
        _without_word_of_the_unused(),
        Parallel(
            n_jobs=workers, return_as="generator_unordered", idle_worker_timeout=_IDLE
        ) as parallel,
    ):
        while chunk := list(islice(tasks, _AT_ONCE)):
            with _deaf_to_interrupts():
                results = parallel(delayed(play)(task) for task in chunk)
            with closing(results):
                yield from results


@contextmanager
def _without_word_of_the_unused() -> Iterator[None]:
    """Silence joblib's warning of tasks that nobody waits for any more, after an interrupt."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning)
        yield


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ignore interrupts for a moment; processes started in it ignore them for good.

    An interrupt from the keyboard goes to workers too, but is for this process to answer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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

    def note(self, task: Task, rows: list[Row], seconds: float) -> None:
        state = self._state
        label = self._labels[task.key]
        count, total = self._sums.get(label, (0, 0.0))
        total += sum(float(row["regret"][0][-1]) for row in rows)
        self._sums[label] = count + len(rows), total
        state.means[label] = total / (count + len(rows))
        state.done += 1
        state.played += len(rows) * self._horizons[task.key]
        state.seconds = seconds
        self.runs += len(rows)
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


def _measured(folder: Path) -> dict[str, StreamInfo]:
    try:
        return {stream.id: stream for stream in Record.load(folder).streams}
    except (ValueError, TypeError, KeyError):
        return {}


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
