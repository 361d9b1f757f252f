"""``driftduel run``: a sweep that a spec describes, run, stopped and resumed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from driftduel._support.text import count
from driftduel.cli.shared import Workers, processes, resumable
from driftduel.cli.terminal import console

if TYPE_CHECKING:
    from rich.console import Group

    from driftduel.experiments import Progress, Spec, Sweep

_SHOWN_LEARNERS = 12


def run(
    spec: Annotated[Path, typer.Argument(metavar="SPEC.toml", help="What to run.")],
    init: Annotated[
        bool, typer.Option("--init", help="Write a commented example to SPEC.toml instead.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder of the results; SPEC-results if left out."),
    ] = None,
    workers: Workers = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask scheduler whose workers run the tasks."),
    ] = None,
) -> None:
    """Run every learner on every stream of a spec.

    What is finished is never run again: stop it at any time, and the same command goes on.
    """
    if init:
        _write_example(spec)
        return
    if dask is not None and workers is not None:
        raise ValueError("--workers is for this machine, --dask for a cluster; give one of them")
    from driftduel.experiments import read_spec

    plan = read_spec(spec)
    folder = Path(f"{spec.stem}-results") if out is None else out
    with resumable(folder):
        done = run_shown(plan, folder, workers=processes(workers), dask=dask)
    console().print(_summary(done), soft_wrap=True)


def run_shown(plan: Spec, folder: Path, *, workers: int, dask: str | None = None) -> Sweep:
    """Run a sweep, show how far it is, and name the files that it found damaged."""
    from driftduel.experiments.sweep import FailedTasksError, run_sweep

    try:
        with _showing() as progress:
            done = run_sweep(plan, folder, workers=workers, dask=dask, progress=progress)
    except FailedTasksError as failed:
        _tell_of_damage(failed.sweep)
        raise
    _tell_of_damage(done)
    return done


def _tell_of_damage(done: Sweep) -> None:
    for file in done.damaged:
        console().print(
            f"{file}: was damaged and is set aside; what it held was run again", soft_wrap=True
        )


def _summary(done: Sweep) -> str:
    found = f", {done.found:,} were there" if done.found else ""
    speed = ""
    if done.runs:
        speed = f"; {count(done.rounds, 'round')} in {time_in_words(done.seconds)}"
    tasks, runs = count(done.tasks, "task"), count(done.runs, "run")
    return (
        f"{done.folder}: {runs} in {tasks}{found}{speed}\n"
        f"report on it: driftduel report {shlex.quote(str(done.folder))}"
    )


def _write_example(spec: Path) -> None:
    from importlib.resources import files

    from driftduel._support.files import replacing

    if spec.exists():
        raise ValueError(f"{spec}: exists already, choose another name")
    text = files("driftduel.experiments").joinpath("example.toml").read_bytes()
    with replacing(spec) as temporary:
        temporary.write_bytes(text)
    console().print(f"{spec}: written; run it: driftduel run {shlex.quote(str(spec))}")


@contextmanager
def _showing() -> Iterator[Callable[[Progress], None] | None]:
    """Show on a terminal how far a sweep is; elsewhere nothing."""
    from rich.console import Console
    from rich.live import Live

    screen = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not screen.is_terminal:
        yield None
        return
    with Live("making the streams ...", console=screen, transient=True) as live:
        yield lambda progress: live.update(_picture(progress))


def _picture(progress: Progress) -> Group:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    from driftduel.cli.summary import fact_grid

    left = "" if progress.left is None else f", {time_in_words(progress.left)} left"
    speed = progress.played / progress.seconds if progress.seconds else 0.0
    failed = f" ({progress.failed:,} failed)" if progress.failed else ""
    line = (
        f"{progress.done:,} of {progress.tasks:,} tasks{failed}, {speed / 1e6:,.2f} million "
        f"rounds a second{left}"
    )
    means = fact_grid()
    for name, mean in list(progress.means.items())[:_SHOWN_LEARNERS]:
        means.add_row(name, f"mean regret {mean:,.1f}")
    if len(progress.means) > _SHOWN_LEARNERS:
        means.add_row("...", f"{len(progress.means):,} learners in all")
    bar = ProgressBar(total=progress.rounds, completed=progress.played, width=60)
    return Group(Text(line), bar, means)


def time_in_words(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> time_in_words(3.24), time_in_words(200), time_in_words(9000)
    ('3.2 s', '3 min 20 s', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
