"""``python -m studies benchmark``: the learner against rivals tuned in hindsight."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from driftduel.cli.run import run_shown
from driftduel.cli.shared import Workers, processes, resumable
from driftduel.cli.terminal import console, working
from studies import PROGRAM


class Half(StrEnum):
    """Which worlds of the suite."""

    HELD_OUT = "held-out"
    EARLIER = "earlier"
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
    workers: Workers = None,
) -> None:
    """Hold the learner against rivals tuned in hindsight.

    It plays the worlds of the suite without prior knowledge. What the rivals reach on each
    world is stored beside it. What is finished is never run again.
    """
    from driftduel.report.extra import check_drawing

    check_drawing()
    from driftduel.experiments import Results
    from studies.benchmark.page import check_page, compose_benchmark, write_benchmark
    from studies.benchmark.suite import HALVES, benchmark_spec

    if page is not None:
        check_page(page)
    found = {}
    with resumable(out, PROGRAM):
        for name in [criterion] if criterion else list(Measure):
            for part in HALVES if half == Half.ALL else [half]:
                folder = out / f"{name}-{part}"
                run_shown(benchmark_spec(name, part, seeds), folder, workers=processes(workers))
                found[str(name), str(part)] = Results.load(folder)
    with working("writing the report"):
        document = compose_benchmark(found, f"{PROGRAM} benchmark --half {half}")
        files = write_benchmark(document, out, page)
    screen = console()
    for text in document.findings:
        screen.print(text)
    screen.print(f"written: {', '.join(map(str, files))}", soft_wrap=True)
