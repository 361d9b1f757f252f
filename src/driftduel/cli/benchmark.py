"""``driftduel benchmark``: the learner that is told nothing against rivals tuned in hindsight."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from driftduel.cli.run import showing
from driftduel.cli.shared import Stopped, console, working


class Half(StrEnum):
    """Which worlds of the suite."""

    HELD_OUT = "held-out"
    TUNING = "tuning"
    ALL = "all"


class Measure(StrEnum):
    """What regret is measured in."""

    BORDA = "borda"
    CONDORCET = "condorcet"


def benchmark(
    half: Annotated[Half, typer.Option(help="Which worlds of the suite.")] = Half.HELD_OUT,
    criterion: Annotated[
        Measure | None, typer.Option(help="One of them; both if left out.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=2, help="Runs on every world; the rivals were scored with 64.")
    ] = 64,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the results.")] = Path(
        "benchmark"
    ),
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A page in Markdown to write the tables into, between its marks."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes on this machine; one for every core if left out."),
    ] = None,
) -> None:
    """Hold the learner against rivals tuned in hindsight.

    It plays the worlds of the suite, told nothing. What the rivals reach on each world is stored
    with the package. What is finished is never run again.
    """
    from driftduel.report.extra import drawing_library

    for library in ("altair", "vl_convert"):
        drawing_library(library)
    from joblib import cpu_count

    from driftduel.experiments import Results, run_sweep
    from driftduel.experiments.benchmark import benchmark_spec
    from driftduel.report.benchmark import check_page, compose_benchmark, write_benchmark

    if page is not None:
        check_page(page)
    found = {}
    try:
        for name in [criterion] if criterion else list(Measure):
            spec = benchmark_spec(name, None if half == Half.ALL else half, seeds)
            with showing() as progress:
                run_sweep(spec, out / name, workers=workers or cpu_count(), progress=progress)
            found[str(name)] = Results.load(out / name)
    except KeyboardInterrupt:
        raise Stopped(
            f"interrupted; what is finished is kept in {out}, go on with: "
            f"driftduel {shlex.join(sys.argv[1:])}"
        ) from None
    with working("writing the report"):
        document = compose_benchmark(found, f"driftduel benchmark --half {half}")
        files = write_benchmark(document, out, page)
    screen = console()
    for text in document.findings:
        screen.print(text)
    screen.print(f"written: {', '.join(map(str, files))}", soft_wrap=True)
