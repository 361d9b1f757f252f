"""``driftduel report``: what an experiment found, as a page, as figures or as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from driftduel._support.text import count
from driftduel.cli.terminal import console, working


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder that driftduel run wrote.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="The page to write, DIR/report.html if left out; for the other formats the "
            "folder, DIR/report if left out.",
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="html|png|svg|pdf|csv",
            help="One page with everything, the figures alone, or the tables alone.",
        ),
    ] = "html",
) -> None:
    """Report on an experiment, as one page.

    The page holds all it needs and opens without a network. A sweep that is not finished is
    reported on as far as it is.
    """
    from driftduel.report.extra import check_drawing

    check_drawing()
    from driftduel.experiments import Results
    from driftduel.report.files import write_report

    results = Results.load(folder)
    with working("writing the report"):
        files = write_report(results, form, out)
    screen = console()
    if not results.finished:
        screen.print(
            f"{len(results.runs):,} of {results.planned:,} runs are finished; the report is on "
            "those",
            soft_wrap=True,
        )
    if len(files) == 1:
        screen.print(f"written: {files[0]}", soft_wrap=True)
    else:
        screen.print(f"written: {count(len(files), 'file')} in {files[0].parent}", soft_wrap=True)
