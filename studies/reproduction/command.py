"""``python -m studies reproduce``: the experiments on the paper, run and told in one report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from driftduel._support.text import count
from driftduel.cli.run import run_shown, time_in_words
from driftduel.cli.shared import Workers, processes, resumable
from driftduel.cli.terminal import console, working
from studies import PROGRAM

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

_OURS = ("Bosse", "MetaBosse")


def reproduce(
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter horizons and fewer seeds: a few minutes.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder of the results; reproduction, or reproduction-quick, if left out.",
        ),
    ] = None,
    workers: Workers = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="One of the experiments; open-questions for all about those; may be given often.",
        ),
    ] = None,
) -> None:
    """Measure what the paper promises, and write one report.

    What is finished is never run again: stop it at any time, and the same command goes on.
    """
    from driftduel.report.extra import check_drawing

    check_drawing()
    from driftduel.experiments import Results
    from driftduel.report.files import write_report
    from studies.reproduction.experiments import expected_seconds, experiments
    from studies.reproduction.page import exponent_table, write_reproduction
    from studies.reproduction.tables import comparable

    chosen = experiments(only or (), quick=quick)
    folder = out or Path("reproduction-quick" if quick else "reproduction")
    at_once = processes(workers)
    screen = console()
    seconds = expected_seconds(chosen, folder, at_once)
    screen.print(
        f"{count(len(chosen), 'experiment')} in {folder}, "
        f"{count(at_once, 'process', 'processes')}: about "
        f"{time_in_words(seconds)} on a quiet machine",
        soft_wrap=True,
    )
    found = {}
    with resumable(folder, PROGRAM):
        for item in chosen:
            run_shown(item.spec, folder / item.name, workers=at_once)
            found[item.name] = comparable(Results.load(folder / item.name))
            with working(f"{item.name}: writing its report"):
                page = write_report(found[item.name])[0]
            screen.print(f"{item.name}: {page}", soft_wrap=True)
    with working("writing the report"):
        command = f"{PROGRAM} reproduce{' --quick' if quick else ''}"
        page = write_reproduction(found, folder, command=command)
    grown = exponent_table(found)
    ours = grown.filter(grown["promised"].is_not_null() & grown["name"].is_in(_OURS))
    if len(ours):
        screen.print(_exponents(ours))
    screen.print(f"written: {page}", soft_wrap=True)


def _exponents(ours: pl.DataFrame) -> Table:
    from driftduel.cli.summary import plain_table
    from studies.reproduction.page import exponents_to_read

    shown = exponents_to_read(ours)
    table = plain_table(*shown.headings)
    for column, numeric in zip(table.columns, shown.headings.values(), strict=True):
        if numeric:
            column.justify, column.no_wrap = "right", True
    for row in shown.cells:
        table.add_row(*row)
    return table
